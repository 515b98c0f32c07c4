"""Moments as the file keeps them: microseconds since 1970, which are small, exact, and sort by time."""

from datetime import UTC, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def to_number(moment: datetime) -> int:
    """Return the microseconds from 1970 to `moment`, negative before it."""
    return (moment - _EPOCH) // _MICROSECOND


def from_number(number: int) -> datetime:
    """Return the moment of `to_number`, in UTC."""
    return _EPOCH + number * _MICROSECOND
