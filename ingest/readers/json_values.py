"""Values of JSON that nobody has checked: each function gives what it is asked for, or nothing."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime

from core.dates import parse_iso
from core.errors import InvalidInput


def text(value: object) -> str | None:
    """Return a text that is not blank, else None."""
    return value if isinstance(value, str) and value.strip() else None


def fields(value: object) -> Mapping[str, object]:
    """Return an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def entries(value: object) -> list[object]:
    """Return a list, else an empty one."""
    return value if isinstance(value, list) else []


def texts(value: object, name: str) -> list[str]:
    """Return the texts under `name` of the objects in a list."""
    return [found for entry in entries(value) if (found := text(fields(entry).get(name)))]


def seconds(value: object) -> float | None:
    """Return a number, also one written as a text, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def moment(value: object) -> str | None:
    """Return the moment of seconds since 1970, or of ISO 8601 with its zone, as ISO 8601; None if it is neither."""
    if isinstance(value, str) and "T" in value:
        try:
            parse_iso(value, field="date")
        except InvalidInput:
            return None
        return value
    if (number := seconds(value)) is None:
        return None
    try:
        return datetime.fromtimestamp(number, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return None
