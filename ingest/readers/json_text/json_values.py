"""Values of JSON that nobody has checked: each function gives what it is asked for, or nothing."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from core.dates import parse_iso
from core.errors import InvalidInput

_ZONE: Final = re.compile(r"(?:Z|[+-]\d{2}:?\d{2})\s*\Z")


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


def tags(value: object) -> tuple[str, ...]:
    """Return the texts of a list, or the parts of one text with commas between them."""
    found = value.split(",") if isinstance(value, str) else entries(value)
    return tuple(tag.strip() for entry in found if (tag := text(entry)) is not None)


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
        return value if _ZONE.search(value[-8:]) and _is_date(value) else None
    if (number := seconds(value)) is None:
        return None
    try:
        return datetime.fromtimestamp(number, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


def day(value: object) -> str | None:
    """Return the day of ISO 8601 without a zone, whose time would be taken for one of UTC; None if it is none."""
    return value[:10] if isinstance(value, str) and _is_date(value[:10]) else None


def moment_or_day(value: object) -> str | None:
    """Return the moment that a value is, else the day; None if it is neither."""
    return moment(value) or day(value)


def _is_date(value: str) -> bool:
    try:
        parse_iso(value, field="date")
    except InvalidInput:
        return False
    return True
