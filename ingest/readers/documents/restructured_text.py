"""reStructuredText: headings by their underlines, directives and roles as their words, without comments and targets."""

import re
from collections.abc import Sequence
from typing import Final

from core.regex import regex
from ingest.readers.documents.markup import Converted, reader_of

_RULE: Final = regex(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*")
_FIELD: Final = regex(r":(?P<name>[^:\n]{1,60}):(?:[ \t]+(?P<value>.*))?")
_DIRECTIVE: Final = regex(
    r"(?P<indent>[ \t]*)\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?(?P<name>[\w:.+-]{1,60})::[ \t]*(?P<rest>.*)"
)
_FOOTNOTE: Final = regex(r"[ \t]*\.\.[ \t]+(?P<mark>\[[^\]\n]{1,60}\])(?P<words>[ \t].*)?")
_EXPLICIT: Final = regex(r"(?P<indent>[ \t]*)\.\.(?:[ \t].*)?")
_OPTION: Final = regex(r"[ \t]*:[\w -]{1,40}:(?:[ \t]|$)")
_TABLE_RULE: Final = regex(r"[ \t]*(?:=+(?:[ \t]+=+)+|\+(?:[-=]+\+)+)[ \t]*")
_LINE_BLOCK: Final = regex(r"[ \t]*\|[ \t]+(?P<words>[^|\n]*)")
_ENUMERATED: Final = regex(r"(?P<indent>[ \t]*)#\.[ \t]+")
_ROLE: Final = regex(r":[\w:+.-]{1,60}:`(?:([^`<>\n]{1,300}?)[ \t]*<[^<>`\n]{0,500}>|~?([^`\n]{1,300}))`")
_CODE: Final = regex(r"``([^`\n]{1,300})``")
_LINK: Final = regex(r"`([^`<>\n]{1,300}?)[ \t]*<([^<>`\n]{1,500})>`__?")
_REFERENCE: Final = regex(r"`([^`\n]{1,300})`_{1,2}(?!\w)|(?<![\w`_])(\w[\w.-]{0,60}\w|\w)__?(?![\w_])")
_NOTE_MARK: Final = regex(r"[ \t]?(\[[#*\w-]{1,60}\])_(?!\w)")
#: A link over two lines.
_BROKEN_LINK: Final = regex(r"`[^`<>\n]{1,300}\n?[^`<>\n]{0,300}<[^<>`]{1,500}>`__?")
_SUBSTITUTION: Final = regex(r"\|([^\s|][^|\n]{0,60})\|(?:_\b)?")
#: Directives whose block is code, is passed over, or has words whose kind its name says.
_CODES: Final = frozenset("code code-block sourcecode highlight parsed-literal literalinclude math prompt".split())
_PASSED: Final = frozenset(
    "toctree contents raw include image replace meta default-role role highlightlang index only automodule autoclass "
    "autofunction automethod currentmodule module sectnum unicode date class py:module py:currentmodule".split()
)
_NAMED: Final = frozenset(
    "note warning tip hint important caution danger attention error seealso deprecated versionadded versionchanged "
    "todo admonition".split()
)
_HIGHEST_LEVEL: Final = 6
#: Most lines of the fields above a text.
_FIELD_LINES: Final = 200


def converted(text: str) -> Converted:
    """Return reStructuredText as Markdown."""
    whole = _BROKEN_LINK.sub(lambda link: " ".join(link[0].split()), text.expandtabs(8))
    return _Reader(whole.split("\n")).read()


read: Final = reader_of(converted)


class _Reader:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._at = 0
        self._made = Converted()
        #: The marks of headings in the order in which they come: the first one is the highest level.
        self._levels: list[str] = []

    def read(self) -> Converted:
        while self._at < len(self._lines):
            if not (self._titled() or self._explicit() or self._fields()):
                self._plain()
        return self._made

    def _line(self, at: int) -> str:
        return self._lines[at].rstrip() if at < len(self._lines) else ""

    def _titled(self) -> bool:
        """Read a title with its line below, and that above if it has one."""
        first, second, third = (self._line(self._at + step) for step in range(3))
        if _RULE.fullmatch(first) and second.strip() and first == third:
            mark, title, size = first[0] * 2, second, 3
        elif first.strip() and not first[0].isspace() and _RULE.fullmatch(second) and not _RULE.fullmatch(first):
            mark, title, size = second[0], first, 2
            if len(second) < min(len(first), 4) or _TABLE_RULE.fullmatch(first):
                return False
        else:
            return False
        if mark not in self._levels:
            self._levels.append(mark)
        level = min(self._levels.index(mark) + 1, _HIGHEST_LEVEL)
        self._made.lines += ["", f"{'#' * level} {_inline(title.strip())}", ""]
        self._at += size
        return True

    def _fields(self) -> bool:
        """Read the fields above the text, with those of their lines that are farther in."""
        if not _FIELD.fullmatch(self._line(self._at)) or any(
            line.strip() and not line.startswith("#") for line in self._made.lines
        ):
            return False
        name, end = "", min(len(self._lines), self._at + _FIELD_LINES)
        while self._at < end and (line := self._line(self._at)).strip():
            if found := _FIELD.fullmatch(line):
                name = found["name"].strip().lower()
                self._made.fields.setdefault(name, (found["value"] or "").strip())
            elif name and line[0].isspace():
                self._made.fields[name] = f"{self._made.fields[name]} {line.strip()}".strip()
            else:
                break
            self._at += 1
        return True

    def _explicit(self) -> bool:
        """Read a directive, footnote, comment or target."""
        line = self._line(self._at)
        if not (start := _EXPLICIT.fullmatch(line)):
            return False
        self._at += 1
        if note := _FOOTNOTE.fullmatch(line):
            words = " ".join(" ".join([note["words"] or "", *self._block(len(start["indent"]))]).split())
            self._made.lines.append(f"{note['mark']} {_inline(words)}")
        elif directive := _DIRECTIVE.fullmatch(line):
            self._directive(directive["name"].lower(), directive["rest"].strip(), len(directive["indent"]))
        else:
            self._block(len(start["indent"]))
        return True

    def _directive(self, name: str, rest: str, indent: int) -> None:
        lines = self._made.lines
        block = [] if name in _NAMED or name not in _CODES | _PASSED else self._block(indent)
        if name in _CODES:
            lines += ["", f"```{rest.split(' ')[0]}", *_without_options(block), "```", ""]
        elif name in _PASSED:
            return
        else:
            label = f"{name.capitalize()}: " if name in _NAMED else ""
            lines += ["", f"{label}{_inline(rest)}".rstrip()] if rest or label else [""]
            self._at = self._after_options(self._at)

    def _after_options(self, at: int) -> int:
        while at < len(self._lines) and _OPTION.match(self._line(at)):
            at += 1
        return at

    def _block(self, indent: int) -> list[str]:
        """Return the lines of a block that is farther in than its head, without what they have in common."""
        block = []
        while self._at < len(self._lines):
            line = self._line(self._at)
            if line.strip() and len(line) - len(line.lstrip()) <= indent:
                break
            block.append(line)
            self._at += 1
        margin = min((len(line) - len(line.lstrip()) for line in block if line.strip()), default=0)
        return [line[margin:] for line in block]

    def _plain(self) -> None:
        line, lines = self._line(self._at), self._made.lines
        self._at += 1
        if _TABLE_RULE.fullmatch(line):
            if "+" in line:
                self._grid_table()
            else:
                self._simple_table(line)
        elif _RULE.fullmatch(line):
            lines.append("")
        elif line.strip() == "::" or (line.endswith("::") and line.strip()):
            if line.strip() != "::":
                lines.append(_inline(line[:-1]))
            block = self._block(len(line) - len(line.lstrip()))
            lines += ["", "```", *_trimmed(block), "```", ""]
        elif words := _LINE_BLOCK.fullmatch(line):
            lines.append(_inline(words["words"]))
        else:
            lines.append(_inline(_ENUMERATED.sub(r"\g<indent>1. ", line)))

    def _grid_table(self) -> None:
        """Read the rows between the rules of a grid; the lines of a cell are joined."""
        rows: list[list[list[str]]] = []
        is_new = True
        while (line := self._line(self._at).strip())[:1] in ("|", "+") and line:
            self._at += 1
            if line[0] == "+":
                is_new = True
                continue
            cells = line.strip("|").split("|")
            if is_new or len(cells) != len(rows[-1]):
                rows.append([[] for _ in cells])
            is_new = False
            for words, cell in zip(rows[-1], cells, strict=True):
                words += cell.split()
        self._made.lines += ["", *(f"| {' | '.join(_inline(' '.join(words)) for words in row)} |" for row in rows), ""]

    def _simple_table(self, rule: str) -> None:
        """Read the rows of a table whose columns are those of the rule above it."""
        starts = [found.start() for found in re.finditer(r"=+", rule)]
        ends = [*starts[1:], None]
        rows: list[list[list[str]]] = []
        while self._at < len(self._lines):
            line = self._line(self._at)
            if not line.strip() and not _TABLE_RULE.fullmatch(self._line(self._at + 1)):
                break
            self._at += 1
            if _TABLE_RULE.fullmatch(line) or not line.strip():
                if rows and not self._line(self._at).strip():
                    break
                continue
            cells = [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]
            if not rows or cells[0]:
                rows.append([[] for _ in cells])
            for words, cell in zip(rows[-1], cells, strict=True):
                words += [cell] * bool(cell)
        joined = [[_inline(" ".join(words)) for words in row] for row in rows]
        self._made.lines += ["", *(f"| {' | '.join(row)} |" for row in joined), ""]


def _without_options(block: list[str]) -> list[str]:
    at = 0
    while at < len(block) and _OPTION.match(block[at]):
        at += 1
    return _trimmed(block[at:])


def _trimmed(block: list[str]) -> list[str]:
    return "\n".join(block).strip("\n").split("\n")


def _inline(line: str) -> str:
    """Return a line with code and links as Markdown has them, roles and references as their words."""
    line = _ROLE.sub(lambda found: found[1] or found[2], line)
    line = _CODE.sub(r"`\1`", line)
    line = _NOTE_MARK.sub(r"\1", _LINK.sub(r"[\1](\2)", line))
    if "_" in line:
        line = _REFERENCE.sub(lambda found: found[1] or (found[2] if found[0].endswith("_") else found[0]), line)
    return line if line.lstrip().startswith("|") else _SUBSTITUTION.sub(r"\1", line)
