"""Text repair: text that is not Unicode, which no store can keep, with U+FFFD in place of what is damaged."""

import re
from dataclasses import fields
from typing import Any, Final

#: The character that replaces what could not be decoded.
REPLACEMENT: Final = "\ufffd"
#: Half of a pair of UTF-16, which by itself is not a character.
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
#: Both halves, which some clients send as two characters.
_PAIR: Final = re.compile(r"[\ud800-\udbff][\udc00-\udfff]")
#: Levels that are repaired: readers refuse deeper ones.
_DEEPEST: Final = 200


def repair_text(text: str) -> str:
    """Return the text with pairs of surrogates joined, and each unpaired one replaced by U+FFFD."""
    if _SURROGATE.search(text) is None:
        return text
    joined = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return _SURROGATE.sub(REPLACEMENT, joined)


def repair_json(value: Any, levels: int = _DEEPEST) -> Any:  # noqa: ANN401 - JSON in, JSON out
    """Return JSON with all its texts, names included, repaired; what lies deeper than so many levels stays as it is."""
    if isinstance(value, str):
        return repair_text(value)
    if levels and isinstance(value, dict):
        return {repair_json(name): repair_json(inner, levels - 1) for name, inner in value.items()}
    if levels and isinstance(value, list | tuple):
        return type(value)(repair_json(inner, levels - 1) for inner in value)
    return value


def repair_fields(record: Any) -> None:  # noqa: ANN401 - any dataclass
    """Repair the texts of a frozen dataclass while it is made."""
    for item in fields(record):
        value = getattr(record, item.name)
        if isinstance(value, str | tuple | dict) and (whole := repair_json(value)) != value:
            object.__setattr__(record, item.name, whole)
