"""Times as numbers: microseconds since 1970 in UTC, which are small, exact, and sort by time."""

from datetime import UTC, datetime, timedelta
from typing import Final, overload

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


@overload
def to_microseconds(time: datetime) -> int: ...
@overload
def to_microseconds(time: None) -> None: ...
def to_microseconds(time: datetime | None) -> int | None:
    """Return the microseconds from 1970 to a time, negative before it; None for none."""
    return None if time is None else (time - _EPOCH) // _MICROSECOND


@overload
def from_microseconds(number: int) -> datetime: ...
@overload
def from_microseconds(number: None) -> None: ...
def from_microseconds(number: int | None) -> datetime | None:
    """Return the time of `to_microseconds`, in UTC."""
    return None if number is None else _EPOCH + number * _MICROSECOND
