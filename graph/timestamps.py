"""Times as numbers: microseconds since 1970 in UTC, which are small, exact, and sort by time."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Final, overload

from core.dates import is_day_bound

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
#: No offset from UTC is longer.
MICROSECONDS_A_DAY: Final = 86_400_000_000


@overload
def to_microseconds(time: datetime) -> int: ...
@overload
def to_microseconds(time: None) -> None: ...
def to_microseconds(time: datetime | None) -> int | None:
    """Return the microseconds from 1970 to a time, negative before it; None for none."""
    return None if time is None else (time - _EPOCH) // _MICROSECOND


@overload
def from_microseconds(number: int, offset: int | None = ...) -> datetime: ...
@overload
def from_microseconds(number: None, offset: int | None = ...) -> None: ...
def from_microseconds(number: int | None, offset: int | None = 0) -> datetime | None:
    """Return the time of `to_microseconds`, with an offset from UTC in microseconds."""
    if number is None:
        return None
    moment = _EPOCH + number * _MICROSECOND
    return moment.astimezone(timezone(offset * _MICROSECOND)) if offset else moment


def offset_of(time: datetime | None) -> int:
    """Return the offset of a time from UTC in microseconds, 0 for none."""
    offset = None if time is None else time.utcoffset()
    return 0 if offset is None else offset // _MICROSECOND


def bounds_of(name: str, time: datetime) -> dict[str, int | None]:
    """Return a bound as the parameters that statements compare times with.

    `{name}` is the bound as an instant. `{name}_day` is the bound of a day in local time, None for an instant, and
    `{name}_first` and `{name}_last` enclose the instants that it may be, so that an index can be used.
    """
    instant = to_microseconds(time)
    if not is_day_bound(time):
        return {name: instant, f"{name}_first": instant, f"{name}_last": instant, f"{name}_day": None}
    local = to_microseconds(time.replace(tzinfo=UTC))
    return {
        name: instant,
        f"{name}_first": local - MICROSECONDS_A_DAY,
        f"{name}_last": local + MICROSECONDS_A_DAY,
        f"{name}_day": local,
    }
