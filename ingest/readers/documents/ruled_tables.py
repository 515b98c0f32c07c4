"""Tables of Pandoc's Markdown that have no bars: simple ones, those with rows of several lines, and grids.

See https://pandoc.org/MANUAL.html#tables. Their rows become rows with bars, which are understood line by line.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from core.regex import regex

_RULE: Final = regex(r"[ ]{0,3}-{2,}(?:[ ]+-{2,})+[ \t]*")
_WHOLE_RULE: Final = regex(r"[ ]{0,3}-{5,}[ \t]*")
_GRID: Final = regex(r"[ ]{0,3}\+(?:[-=:]{3,}\+)+[ \t]*")
_FENCE: Final = regex(r"[ ]{0,3}(`{3,}|~{3,})")
_COLUMN: Final = regex(r"-+")
#: Most lines of one table.
_LONGEST: Final = 2_000


def with_bars(text: str) -> str:
    """Return a text with such tables as rows with bars; linear in the text."""
    if "---" not in text:
        return text
    return "\n".join(_converted(text.split("\n")))


def _converted(lines: Sequence[str]) -> Iterator[str]:
    at, fence = 0, ""
    waiting: str | None = None
    while at < len(lines):
        line = lines[at]
        if mark := _FENCE.match(line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        found = None if fence else _table(lines, at, waiting)
        if found is None:
            if waiting is not None:
                yield waiting
            waiting, at = line, at + 1
            continue
        rows, at, has_head = found
        if waiting is not None and not has_head:
            yield waiting
        waiting = None
        yield from (f"| {' | '.join(row)} |" for row in rows)
    if waiting is not None:
        yield waiting


def _table(lines: Sequence[str], at: int, above: str | None) -> tuple[list[list[str]], int, bool] | None:
    """Return the rows of the table at a line, the line behind it, and whether the line above holds its head."""
    line = lines[at]
    if _GRID.fullmatch(line):
        return _grid(lines, at)
    if _RULE.fullmatch(line) and above is not None and above.strip() and not _WHOLE_RULE.fullmatch(above):
        return _simple(lines, at, above)
    if _WHOLE_RULE.fullmatch(line) and (above is None or not above.strip()):
        return _of_several_lines(lines, at)
    return None


def _columns(rule: str) -> list[tuple[int, int | None]]:
    starts = [found.start() for found in _COLUMN.finditer(rule)]
    return list(zip([0, *starts[1:]], [*starts[1:], None], strict=True))


def _joined(group: Sequence[str], columns: Sequence[tuple[int, int | None]]) -> list[str]:
    return [" ".join(" ".join(line[begin:end] for line in group).split()) for begin, end in columns]


def _simple(lines: Sequence[str], at: int, above: str) -> tuple[list[list[str]], int, bool] | None:
    columns = _columns(lines[at])
    rows = [_joined([above], columns)]
    end = at + 1
    while end < min(len(lines), at + _LONGEST) and lines[end].strip() and not _RULE.fullmatch(lines[end]):
        rows.append(_joined([lines[end]], columns))
        end += 1
    is_table = len(rows) > 1 and sum(bool(cell) for cell in rows[0]) > 1
    return (rows, end + (end < len(lines) and bool(lines[end].strip())), True) if is_table else None


def _of_several_lines(lines: Sequence[str], at: int) -> tuple[list[list[str]], int, bool] | None:
    """Read a table between two whole rules; blank lines part its rows."""
    last = next((n for n in range(at + 2, min(len(lines), at + _LONGEST)) if _WHOLE_RULE.fullmatch(lines[n])), None)
    rule = next((n for n in range(at + 1, last or at) if _RULE.fullmatch(lines[n])), None)
    if last is None or rule is None:
        return None
    columns = _columns(lines[rule])
    rows = [_joined(lines[at + 1 : rule], columns)]
    group: list[str] = []
    for line in (*lines[rule + 1 : last], ""):
        if line.strip():
            group.append(line)
        elif group:
            rows.append(_joined(group, columns))
            group = []
    return [row for row in rows if any(row)], last + 1, False


def _grid(lines: Sequence[str], at: int) -> tuple[list[list[str]], int, bool] | None:
    edges = [found.start() for found in re.finditer(r"\+", lines[at])]
    columns = [(left + 1, right) for left, right in pairwise(edges)]
    rows: list[list[str]] = []
    group: list[str] = []
    end = at + 1
    while end < min(len(lines), at + _LONGEST) and lines[end].lstrip()[:1] in ("|", "+") and lines[end].strip():
        if _GRID.fullmatch(lines[end]):
            rows += [_joined(group, columns)] if group else []
            group = []
        else:
            group.append(lines[end])
        end += 1
    return (rows, end, False) if rows and not group else None
