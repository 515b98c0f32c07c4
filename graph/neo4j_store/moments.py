"""Moments on their way back: the driver has a type of its own, with nanoseconds that we never write."""

from datetime import UTC, datetime

from neo4j.time import DateTime


def moment(value: DateTime) -> datetime:
    """Return a stored moment in UTC."""
    return value.to_native().astimezone(UTC)
