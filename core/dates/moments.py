"""Moments in time: timezone-aware datetimes that keep the writer's offset, and time zones by name."""

import calendar
import time as clock
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from core.errors import InvalidInput, suggest_name
from core.regex import regex

_MONTH: Final = regex(r"\d{4}-\d\d")


class _OwnerZone:
    """The time zone of this process, which wiring sets from the settings."""

    zone: tzinfo = UTC


class _WritersZone(tzinfo):
    """The zone of a day's first or last moment wherever the day was written; as one instant, the owner's."""

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        return None if moment is None else moment.replace(tzinfo=zone()).utcoffset()

    def dst(self, _moment: datetime | None) -> timedelta | None:
        return None

    def tzname(self, _moment: datetime | None) -> str | None:
        return None


_WRITERS: Final = _WritersZone()


def zone() -> tzinfo:
    """Return the zone of times written without one, and of "today"."""
    return _OwnerZone.zone


def use_zone(chosen: tzinfo) -> None:
    """Set the zone of this process."""
    _OwnerZone.zone = chosen


def now() -> datetime:
    """Return the current moment in UTC, with microseconds."""
    return datetime.now(UTC)


def today(at: datetime | None = None) -> date:
    """Return the owner's day at a moment, which defaults to now."""
    return (at or now()).astimezone(zone()).date()


def parse_iso(text: str, *, field: str, end_of_day: bool = False, here: tzinfo | None = None) -> datetime:
    """Read an ISO 8601 month, date or date-time with its offset; without one it is in `here`, else the owner's zone.

    A date or month alone means its first moment, a date with `end_of_day` its last one, and so does a month.

    Raises:
        InvalidInput: `text` is not ISO 8601; the message names `field`.
    """
    stripped = text.strip()
    try:
        if is_month(stripped):
            year, month = map(int, stripped.split("-"))
            stripped = f"{stripped}-{calendar.monthrange(year, month)[1] if end_of_day else 1:02}"
        moment = datetime.fromisoformat(stripped)
        if end_of_day and is_day(stripped):
            moment = datetime.combine(moment, time.max)
        moment = moment.replace(tzinfo=here or zone()) if moment.tzinfo is None else moment
        moment.astimezone(UTC)  # must lie within the calendar in UTC, too
        return moment
    except (ValueError, OverflowError) as error:
        raise InvalidInput(
            f"{field} {text[:40]!r} is not a date: use ISO 8601, for example 2026-01-15 or 2026-01-15T09:30:00Z."
        ) from error


def is_month(text: str) -> bool:
    """Whether ISO 8601 text names a month without a day: 2026-01."""
    return _MONTH.fullmatch(text.strip()) is not None


def is_day(text: str) -> bool:
    """Whether ISO 8601 text names a day without a time: 2026-01-15, 20260115 or 2026-W03-4."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def day_bound(day: date, *, end: bool) -> datetime:
    """Return the first or last moment of a day wherever it was written.

    Stores compare it with the local times of writers; as an instant it is the bound of the owner's day.
    """
    return datetime.combine(day, time.max if end else time.min, _WRITERS)


def is_day_bound(moment: datetime) -> bool:
    """Whether a moment is to be compared with the local times of writers."""
    return moment.tzinfo is _WRITERS


def is_after(moment: datetime, bound: datetime) -> bool:
    """Whether a moment lies after a bound; a day's bound is compared with the local time of the moment."""
    return moment.replace(tzinfo=UTC) > bound.replace(tzinfo=UTC) if is_day_bound(bound) else moment > bound


def in_zone(moment: datetime) -> datetime:
    """Return a moment in the owner's zone if it has the offset of that: the clocks of later moments may differ."""
    there = moment.astimezone(zone())
    return there if there.utcoffset() == moment.utcoffset() else moment


def is_before(moment: datetime, bound: datetime) -> bool:
    """Whether a moment lies before a bound; a day's bound is compared with the local time of the moment."""
    return moment.replace(tzinfo=UTC) < bound.replace(tzinfo=UTC) if is_day_bound(bound) else moment < bound


#: A day without its year that is no longer past is this year's.
_JUST_PAST: Final = timedelta(days=30)


def coming_day(day_in: Callable[[int], date | None], today: date) -> date | None:
    """Return a day that comes every year as whoever writes without a year means it: this year's, else the next one.

    `day_in` returns the day of a year, None or ValueError where that year has none.
    """
    for year in (today.year, today.year + 1):
        try:
            day = day_in(year)
        except ValueError:
            continue
        if day is not None and day >= today - _JUST_PAST:
            return day
    return None


def to_text(moment: datetime) -> str:
    """Write a moment as ISO 8601 in UTC with microseconds, `2026-01-15T09:30:00.000000Z`: text order is time order."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")


def to_zone_text(moment: datetime) -> str:
    """Write a moment as ISO 8601 in the owner's zone: what happened in the memory, not in a text."""
    return to_local_text(moment.astimezone(zone()))


def to_local_text(moment: datetime) -> str:
    """Write a moment as ISO 8601 with its own offset, `2026-01-15T09:30:00.000000-05:00`; with Z where that is zero."""
    text = moment.isoformat(timespec="microseconds")
    return f"{text[:-6]}Z" if text.endswith("+00:00") else text


class SystemZone(tzinfo):
    """The zone of the system with its changes of the clock, as the C library knows it.

    The standard library has no name for it: TZ, /etc/localtime or the registry of Windows may say which it is.
    """

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        if moment is None:
            return None
        try:
            return moment.replace(tzinfo=None).astimezone().utcoffset()
        except (OverflowError, OSError, ValueError):  # beyond what the C library knows
            return timedelta(seconds=-clock.timezone)

    def dst(self, _moment: datetime | None) -> timedelta | None:
        return None

    def tzname(self, _moment: datetime | None) -> str | None:
        return clock.tzname[0]

    def fromutc(self, moment: datetime) -> datetime:
        """Return the local time of a moment in UTC; of two times that a clock shows twice, the later has a fold."""
        try:
            local = moment.replace(tzinfo=UTC).astimezone()
        except (OverflowError, OSError, ValueError):
            return moment + timedelta(seconds=-clock.timezone)
        first = local.replace(tzinfo=self, fold=0)
        return first if first.utcoffset() == local.utcoffset() else first.replace(fold=1)


_SYSTEM: Final = SystemZone()


def load_zone(name: str | None) -> tzinfo:
    """Return the zone with an IANA name; without a name, the system's zone.

    Raises:
        InvalidInput: no zone has this name; the message says which is written most like it.
    """
    if name is None:
        return UTC if clock.timezone == 0 and not clock.daylight else _SYSTEM
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError) as error:  # not found, a folder of zones, or no name of a file
        raise _unknown(name) from error


def _unknown(name: str) -> InvalidInput:
    known = sorted(available_timezones())
    city = next((zone for zone in known if zone.rpartition("/")[2].casefold() == name.casefold()), name)
    near = suggest_name(city, known)
    return InvalidInput(f"{name[:80]!r} is not a time zone: {near}use an IANA name such as Europe/Berlin.")
