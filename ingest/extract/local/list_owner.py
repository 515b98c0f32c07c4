"""List owner: the person whose list a line is in, named on a line or heading of its own above the list.

In "@dana", "- Next:", "  - Write the guide" the guide is Dana's.
"""

import re
from typing import Final

from ingest.document.headings import is_generic, section_of
from ingest.extract.local.entities.names import Names

_MARK: Final = re.compile(r"[ \t]*(?:[-*+•–]|\(?\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_HANDLE: Final = re.compile(r"@([A-Za-z][\w-]*)(?: \([^()\n]{1,40}\))?")
#: How many lines and characters above a line are looked at.
_LINES, _REACH = 60, 6_000


def list_owner(content: str, start: int, names: Names) -> str | None:
    """Return the name or handle that stands alone above the list in which the line at `start` is; None if none does."""
    line_start = content.rfind("\n", 0, start) + 1
    if _MARK.match(content, line_start) is None:
        return None
    indent = _indent(content[line_start:start])
    for line in reversed(content[max(0, line_start - _REACH) : line_start].split("\n")[-_LINES - 1 : -1]):
        if not line.strip():
            continue
        mark, at = _MARK.match(line), _indent(line)
        if mark is not None and at >= indent:
            continue
        if mark is None and at > indent:
            continue  # a line of an item, wrapped
        text = line[mark.end() if mark else 0 :].strip(" \t#*_:")
        if (name := _name(text, names)) is not None:
            return name
        if not (is_generic(text) or section_of(text) is not None) or mark is None:
            return None
        indent = at
    return None


def _name(text: str, names: Names) -> str | None:
    handle = _HANDLE.fullmatch(text)
    known = names.called(text if handle is None else handle[1])
    if known is not None and known.type == "person":
        return known.name
    return None if handle is None else handle[1]


def _indent(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
