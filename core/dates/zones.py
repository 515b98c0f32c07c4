"""Time zones: by IANA name, or the system's zone."""

import time
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from core.errors import InvalidInput, suggest_name


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
            return timedelta(seconds=-time.timezone)

    def dst(self, _moment: datetime | None) -> timedelta | None:
        return None

    def tzname(self, _moment: datetime | None) -> str | None:
        return time.tzname[0]

    def fromutc(self, moment: datetime) -> datetime:
        """Return the local time of a moment in UTC; of two times that a clock shows twice, the later has a fold."""
        try:
            local = moment.replace(tzinfo=UTC).astimezone()
        except (OverflowError, OSError, ValueError):
            return moment + timedelta(seconds=-time.timezone)
        first = local.replace(tzinfo=self, fold=0)
        return first if first.utcoffset() == local.utcoffset() else first.replace(fold=1)


_SYSTEM: Final = SystemZone()


def load_zone(name: str | None) -> tzinfo:
    """Return the zone with an IANA name; without a name, the system's zone.

    Raises:
        InvalidInput: no zone has this name; the message says which is written most like it.
    """
    if name is None:
        return UTC if time.timezone == 0 and not time.daylight else _SYSTEM
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError) as error:  # not found, a folder of zones, or no name of a file
        raise _unknown(name) from error


def _unknown(name: str) -> InvalidInput:
    known = sorted(available_timezones())
    city = next((zone for zone in known if zone.rpartition("/")[2].casefold() == name.casefold()), name)
    near = suggest_name(city, known)
    return InvalidInput(f"{name[:80]!r} is not a time zone: {near}use an IANA name such as Europe/Berlin.")
