"""AsciiDoc: titles, lists, tables and blocks as Markdown has them, the header's lines as fields, without comments."""

import re
from typing import Final

from core.regex import regex
from ingest.readers.documents.markup import Converted, reader_of

_TITLE: Final = regex(r"(?P<level>={1,6})[ \t]+(?P<title>\S.*?)(?:(?<=\S)[ \t]++=+)?")
_ATTRIBUTE: Final = regex(r":(?P<name>!?[\w-]{1,60}!?):(?:[ \t]+(?P<value>.*))?")
_AUTHOR: Final = regex(r"(?P<name>[^\W\d_][^<>\n:;|]{1,100}?)(?:[ \t]*<[^<>\n]{3,200}>)(?:;.*)?")
_BARE_AUTHOR: Final = regex(r"[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){1,3}")
_REVISION: Final = regex(r"(?:v[\d.]+,?[ \t]*|[\d.]+,[ \t]*)?(?P<date>[^:\n]*\d{4}[^:\n]*|\d[^:\n]*)?(?::.*)?")
_FENCE: Final = regex(r"(?P<sign>-{4,}|\.{4,}|\*{4,}|={4,}|_{4,}|\+{4,}|/{4,}|`{3,})[ \t]*(?P<language>\w*)|--")
_BLOCK_LINE: Final = regex(r"\[(?P<what>[^\]\n]*)\]|\[\[[^\]\n]*\]\]|<<<|'{3,}|toc::.*|\+")
_MACRO: Final = regex(r"(?:include|image|video|audio|ifdef|ifndef|ifeval|endif)::\S*?\[(?P<shown>[^\]\n]*)\][ \t]*")
_LISTED: Final = regex(r"[ \t]*(?P<marks>\*{1,5}|-|\.{1,5})[ \t]+(?P<box>\[[ xX*]\][ \t]+)?(?P<words>\S.*)")
_TERM: Final = regex(r"[ \t]*(?P<term>\S[^\n]{0,200}?)(?:::|;;)(?:[ \t]+(?P<words>\S.*))?")
_LABEL: Final = regex(r"\.(?P<label>[^\s.].*)")
_TABLE: Final = regex(r"[|,:]={3,}[ \t]*")
_CELL: Final = regex(r"(?<!\\)(?:\d+[*+])?(?:[<^>.]+\d*)?[aehlmdsv]?\|")
_COLUMNS: Final = regex(r"cols=\"?(?P<columns>[^\"\]]+)")
_ANCHOR: Final = regex(r"\[\[[^\]\n]{1,200}\]\]|\(\(\([^()\n]{1,200}\)\)\)")
_CROSS: Final = regex(r"<<[^<>,\n]{1,200}(?:,([^<>\n]{1,200}))?>>|xref:[^\s\[]{1,300}\[([^\]\n]{0,300})\]")
_LINK: Final = regex(
    r"(?:link:)?((?:https?|mailto|ftp):[^\s\[]{1,500}+|(?<=link:)[^\s\[]{1,500}+)\[([^\]\n,]{0,300}+)[^\]\n]{0,200}+\]"
)
_INLINE_MACRO: Final = regex(r"\b(?:image|icon|kbd|btn):[^\s\[]{0,300}\[([^\]\n]{0,500})\]")
_FOOTNOTE: Final = regex(r"\bfootnote:[\w-]{0,100}\[([^\]]{1,2000})\]")
_BOLD: Final = regex(r"(?<![\w*])\*(?=[^\s*])([^*\n]{1,300})(?<=\S)\*(?![\w*])")
_REFERENCE: Final = regex(r"\{([\w-]{1,60})\}")
_COUNT: Final = regex(r"(\d{1,3})\*")
#: Fields of a document among its attributes; others tell programs how to show it.
_FIELDS: Final = frozenset(
    {"author", "date", "revdate", "docdate", "keywords", "description", "tags", "authors", "status", "participants",
     "attendees"}
)  # fmt: skip
_HIGHEST_LEVEL: Final = 6
_MOST_COLUMNS: Final = 100
#: Longest value of an attribute that stands in its places, and longest line of a header, in characters.
_LONGEST_VALUE, _LONGEST_LINE = 500, 500


def converted(text: str) -> Converted:
    """Return AsciiDoc as Markdown."""
    notes: list[str] = []

    def marked(note: re.Match[str]) -> str:
        notes.append(" ".join(note[1].split()))
        return f"[{len(notes)}]"

    reader = _Reader()
    for line in _FOOTNOTE.sub(marked, text).split("\n"):
        reader.take(line.rstrip())
    reader.end()
    reader.made.lines += ["", *(f"[{number}] {note}" for number, note in enumerate(notes, 1))]
    return reader.made


read: Final = reader_of(converted)


class _Reader:
    """Reads line by line."""

    def __init__(self) -> None:
        self.made = Converted()
        self._attributes: dict[str, str] = {}
        #: The line that closes the block, its kind, and the words between brackets above it.
        self._closing = self._kind = self._above = ""
        #: How many lines of the header have been read: 0 before the title, and None behind the header.
        self._header: int | None = 0
        #: The words of each cell of a table, line by line.
        self._cells: list[list[str]] | None = None
        self._columns = 0

    def take(self, line: str) -> None:
        if self._cells is not None:
            self._in_table(line)
        elif self._closing:
            self._in_block(line)
        elif (fence := _FENCE.fullmatch(line)) and not self._is_underline(line):
            self._begin(fence, line)
        elif line.startswith("//"):
            return
        elif attribute := _ATTRIBUTE.fullmatch(line):
            self._attribute(attribute["name"].lower(), (attribute["value"] or "").strip())
        elif self._header is not None and self._in_header(line):
            return
        elif _TABLE.fullmatch(line):
            self._cells = []
            columns = _COLUMNS.search(self._above)
            self._columns = _counted(columns["columns"]) if columns else 0
        elif block := _BLOCK_LINE.fullmatch(line):
            self._above = block["what"] or ""
            return
        else:
            self.made.lines.append(self._said(line))
        self._above = ""

    def end(self) -> None:
        """Close what is open."""
        if self._cells is not None:
            self._close_table()
        elif self._kind == "code":
            self.made.lines.append("```")

    def _is_underline(self, line: str) -> bool:
        """Whether a line of signs is below the words of a title, as in the older form of titles."""
        above = self.made.lines[-1] if self.made.lines else ""
        return line[:1] in "=-" and bool(above.strip()) and abs(len(above) - len(line)) <= 2 and self._underlined(line)

    def _underlined(self, line: str) -> bool:
        self.made.lines[-1] = f"{'#' if line[0] == '=' else '##'} {self.made.lines[-1].strip()}"
        return True

    def _in_header(self, line: str) -> bool:
        """Read a line of the header: the title, then who wrote it, and when."""
        if not line or len(line) > _LONGEST_LINE:
            self._header = None if self._header or line else self._header
            return False
        if self._header == 0:
            self._header = 1 if (title := _TITLE.fullmatch(line)) and len(title["level"]) == 1 else None
            return False
        self._header = (self._header or 0) + 1
        if self._header == 2 and (author := _AUTHOR.fullmatch(line) or _BARE_AUTHOR.fullmatch(line)):
            name = author.groupdict().get("name") or author[0]
            self.made.fields.setdefault("author", name.strip())
            return True
        if self._header in (2, 3) and (revision := _REVISION.fullmatch(line)) and revision["date"]:
            self.made.fields.setdefault("date", revision["date"].strip(" ,"))
            return True
        self._header = None
        return False

    def _attribute(self, name: str, value: str) -> None:
        self._attributes[name] = value[:_LONGEST_VALUE]
        if name in _FIELDS and value:
            self.made.fields.setdefault("date" if name in {"revdate", "docdate"} else name, value)

    def _begin(self, fence: re.Match[str], line: str) -> None:
        sign = (fence["sign"] or "--")[0]
        self._closing = line if sign != "`" else "```"
        if sign == "/":
            self._kind = "comment"
        elif sign in ".`" or (sign == "-" and line != "--") or sign == "+":
            self._kind = "code"
            named = [word.strip() for word in self._above.split(",")]
            language = named[1] if named[0] == "source" and len(named) > 1 else fence["language"] or ""
            self.made.lines += ["", f"```{language}"]
        else:
            self._kind = "quote" if sign == "_" else "open"
            self._closing = line if sign == "_" else ""

    def _in_block(self, line: str) -> None:
        if line == self._closing:
            self.made.lines += ["```"] if self._kind == "code" else []
            self._closing = self._kind = ""
        elif self._kind == "code":
            self.made.lines.append(line)
        elif self._kind == "quote":
            self.made.lines.append(f"> {self._said(line)}")

    def _in_table(self, line: str) -> None:
        assert self._cells is not None
        if _TABLE.fullmatch(line):
            self._close_table()
        elif line.strip():
            cells = _CELL.split(line)
            if cells[0].strip() and self._cells:
                self._cells[-1].append(cells[0].strip())
            self._cells += [[cell.strip()] for cell in cells[1:]]
            self._columns = self._columns or len(cells) - 1

    def _close_table(self) -> None:
        cells, columns = [" ".join(words) for words in self._cells or []], max(1, self._columns)
        rows = [cells[at : at + columns] for at in range(0, len(cells), columns)]
        self.made.lines += ["", *(f"| {' | '.join(map(self._inline, row))} |" for row in rows), ""]
        self._cells, self._columns = None, 0

    def _said(self, line: str) -> str:
        """Return a line outside of blocks."""
        if title := _TITLE.fullmatch(line):
            return f"\n{'#' * min(len(title['level']), _HIGHEST_LEVEL)} {self._inline(title['title'])}\n"
        if macro := _MACRO.fullmatch(line):
            return macro["shown"] if line.startswith(("image", "video", "audio")) else ""
        if listed := _LISTED.fullmatch(line):
            depth = len(listed["marks"]) - 1
            box = (listed["box"] or "").replace("*", "x")
            mark = "1." if listed["marks"][0] == "." else "-"
            return f"{'  ' * depth}{mark} {box}{self._inline(listed['words'])}"
        if (term := _TERM.fullmatch(line)) and not line.startswith("http"):
            return f"- {self._inline(term['term'])}: {self._inline(term['words'] or '')}".rstrip()
        if label := _LABEL.fullmatch(line):
            return f"**{self._inline(label['label'])}**"
        return self._inline(line.removesuffix(" +"))

    def _inline(self, line: str) -> str:
        """Return words with links and bold words as Markdown has them, and attributes as their values."""
        line = _REFERENCE.sub(lambda found: self._attributes.get(found[1].lower(), found[0]), line)
        line = _ANCHOR.sub("", line)
        line = _CROSS.sub(lambda found: found[1] or found[2] or "", line)
        line = _LINK.sub(lambda found: f"[{found[2]}]({found[1]})" if found[2] else found[1], line)
        line = _INLINE_MACRO.sub(r"\1", line)
        return _BOLD.sub(r"**\1**", line)


def _counted(columns: str) -> int:
    """Return how many columns an attribute such as "1,2" or "3*" gives."""
    times = [int(found[1]) if (found := _COUNT.match(one.strip())) else 1 for one in re.split("[,;]", columns)]
    return min(sum(times), _MOST_COLUMNS)
