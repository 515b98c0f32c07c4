"""Moments on their way back: the driver has a type of its own, with nanoseconds that we never write."""

from datetime import UTC, datetime, timedelta
from typing import Final

from neo4j.time import DateTime

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def moment(value: DateTime) -> datetime:
    """Return a stored moment in UTC."""
    return value.to_native().astimezone(UTC)


def from_microseconds(number: int) -> datetime:
    """Return the moment that many microseconds after 1970, negative before it, in UTC."""
    return _EPOCH + timedelta(microseconds=number)


def microseconds(moment: datetime) -> int:
    """Return the microseconds from 1970 to a moment, negative before it."""
    return (moment - _EPOCH) // _MICROSECOND
