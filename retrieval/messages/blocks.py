"""Blocks: pieces of Markdown in which stored text can't pose as the tool's own lines.

All stored text is in a fence or in quotation marks. Everything outside comes from the tool itself, except for names
of one word.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

#: Most letters of a name that needs no quotation marks.
_WORD: Final = 30
_BACKTICKS: Final = re.compile("`+")
#: What JSON leaves as it is and some readers take for the end of a line, or for a change of direction.
_UNESCAPED: Final = re.compile("[\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def fence(text: str) -> str:
    """Return a text in a fence that is longer than any run of backticks in it."""
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def quote_or_fence(text: str) -> str:
    """Return a text in quotation marks after a blank if it needs no escapes there, else in a fence below."""
    on_one_line = quote_text(text)
    return f" {on_one_line}" if on_one_line[1:-1] == text else f"\n{fence(text)}"


def quote_name(text: str) -> str:
    """Return a name as it is if it is a single word of letters, which can't say anything, else in quotation marks."""
    return text if text.isalpha() and len(text) <= _WORD else quote_text(text)


def quote_text(text: str) -> str:
    """Return a text in quotation marks on one line, escaped as in JSON."""
    return _on_one_line(json.dumps(text, ensure_ascii=False))


def format_fields(values: Mapping[str, Any]) -> str:
    """Return values as JSON on one line; empty if there are none."""
    return _on_one_line(json.dumps(values, ensure_ascii=False, separators=(",", ":"))) if values else ""


def format_facts(facts: Iterable[str | None]) -> str:
    """Return the facts that are not None in brackets, after a blank; empty if there are none."""
    there = ", ".join(filter(None, facts))
    return f" ({there})" if there else ""


def _on_one_line(text: str) -> str:
    return _UNESCAPED.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)
