"""The title of a file: the one its document gives, else its main heading, else its first line, else its name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from core.interface.memory import MAX_FIELD
from ingest.readers.fields import line_of
from ingest.readers.formats.source import Source

#: Titles that programs fill in, in the languages of common office programs.
_GENERATED: Final = re.compile(
    r"(?:untitled|unbenannt|ohne titel|sans (?:titre|nom)|sin t[ií]tulo|senza titolo|sem t[ií]tulo|naamloos|no title"
    r"|none|(?:new |neues )?(?:document|dokument|documento|presentation|präsentation|présentation|book|mappe|classeur"
    r"|title|slide|folie|diapositive|layout|page|note|text ?file|web ?page|workbook)"
    r"|(?:powerpoint|microsoft|word|excel|google|keynote)?[ -]{0,3}(?:powerpoint|office)?[ -]{0,3}"
    r"(?:presentation|präsentation|présentation|presentación|presentazione|document|dokument|worksheet|spreadsheet)"
    r"(?: powerpoint)?"
    r"|présentation powerpoint|presentación de powerpoint|presentazione standard di powerpoint|slide \d+|folie \d+)"
    r"(?: ?(?:document|dokument|page|seite|note|presentation|spreadsheet))?[ _-]?\(?\d*\)?",
    re.IGNORECASE,
)
#: What printing puts before a file's name: "Microsoft Word - report.doc".
_PRINTED: Final = re.compile(r"(?:microsoft|libreoffice|openoffice) \w+ - ", re.IGNORECASE)
_FILE_NAME: Final = re.compile(
    r"\S+\.(?:docx?|pptx?|xlsx?|od[tps]|rtf|tex|dvi|pdf|indd|pages|qxd|p65|wpd)", re.IGNORECASE
)

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t]++(.*)")
_ELEMENT: Final = re.compile(r"[ \t]*<h([1-6])\b[^<>]{0,300}>(.{1,500}?)</h\1>[ \t]*", re.IGNORECASE)
_UNDERLINE: Final = re.compile(r" {0,3}=+[ \t]*")
#: A line above a text that gives its title: a field, or the first of a block as Pandoc has it.
_FIELD: Final = re.compile(r"\s{0,20}(?:title[ \t]{0,4}:|%)[ \t]{1,9}(\S[^\n]{0,200})", re.IGNORECASE)
#: Headings that are no titles: those of lists of contents, and of what is put below a text.
_CONTENTS: Final = re.compile(
    r"(?:table of )?contents|footnotes|endnotes|comments|toc|inhalt(?:sverzeichnis)?|sommaire|índice", re.IGNORECASE
)
#: Markup in a heading: pictures and elements, links, emphasis and code, and the name of an anchor.
_UNSHOWN: Final = re.compile(r"!\[[^\]\n]{0,300}\]\([^()\n]{0,1000}\)|</?[a-z][^<>\n]{0,300}>", re.IGNORECASE)
_LINK: Final = re.compile(
    r"\[([^\[\]\n]{1,300})\]\([^()\n]{0,1000}\)|\[\[(?:[^\[\]|\n]{0,300}\|)?([^\[\]|\n]{1,300})\]\]"
)
_EMPHASIS: Final = re.compile(r"(?<!\w)(\*{1,3}|_{1,3}|`{1,2})(?=\S)([^*`\n]{1,300}?)(?<=\S)\1(?!\w)")
_ANCHOR: Final = re.compile(r"[ \t]{0,9}\{[#.:][^{}\n]{0,200}\}[ \t]{0,9}$")
#: Longest first line that is a title, in characters, also without a blank line below, and the marks of other lines.
_LONGEST, _SHORT = 100, 60
_NO_TITLE: Final = re.compile(r"[-*+>|#`<\[({$\d]|\w+:|.*[.,;:!?…)\]]$|.*https?://")
_BOLD: Final = re.compile(r"(\*\*|__)([^*_\n]{1,100})\1")
#: How many lines are looked at for headings.
_LOOKED_AT: Final = 20_000


def title_of(source: Source, given: object, text: str) -> str:
    """Return the title of a document whose properties give `given` and whose text has headings as Markdown has them."""
    is_bundled = source.path.stem == "text" and source.path.parent.suffix == ".textbundle"
    name = (source.path.parent if is_bundled else source.path).stem or source.name
    if _GENERATED.fullmatch(name):
        name = _opening(text) or name
    return _sensible(given) or (main_heading(text) or _first_line(text) or name)[:MAX_FIELD]


def _sensible(given: object) -> str | None:
    """Return a title of a file's properties, None if a program filled it in."""
    title = line_of(_PRINTED.sub("", given)) if isinstance(given, str) else None
    return None if title is None or _GENERATED.fullmatch(title) or _FILE_NAME.fullmatch(title) else title


def main_heading(text: str) -> str | None:
    """Return the heading of a whole text, None if it has only headings of sections.

    It is the first one of the highest level, if it is above all text, or is the only one of the first level.
    """
    if field := _FIELD.match(text):
        return _plain(field[1])
    found = [heading for heading in _headings(text) if heading.title and not _CONTENTS.fullmatch(heading.title)]
    highest = [heading for heading in found if heading.level == min(other.level for other in found)]
    if not highest or (len(highest) > 1 and highest[0].level > 1):
        return None
    is_main = highest[0].is_above_text or (len(highest) == 1 and highest[0].level == 1)
    return highest[0].title if is_main else None


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    title: str
    #: Whether nothing but blank lines comes before it.
    is_above_text: bool


def _headings(text: str) -> Iterator[_Heading]:
    fence = above = ""
    before = 0
    for line in islice(text.splitlines(), _LOOKED_AT):
        mark = _FENCE.match(line)
        if fence:
            closes = mark is not None and line.strip() == mark[1] and mark[1].startswith(fence)
            fence = "" if closes else fence
        elif mark:
            fence = mark[1]
        elif (heading := _HEADING.fullmatch(line.rstrip(" \t"))) and heading[2]:
            yield _Heading(len(heading[1]), _plain(_unclosed(heading[2])), before == 0)
        elif element := _ELEMENT.fullmatch(line):
            yield _Heading(int(element[1]), _plain(element[2]), before == 0)
        elif above.strip() and _UNDERLINE.fullmatch(line):
            yield _Heading(1, _plain(above), before == 1)
        above = "" if mark or fence else line
        before += bool(line.strip())


def _unclosed(heading: str) -> str:
    """Return a heading without the marks that may close it."""
    text = heading.rstrip("#")
    return text.rstrip(" \t") if text.endswith((" ", "\t")) else heading


def _plain(heading: str) -> str:
    """Return a heading as it reads, without its markup."""
    text = _LINK.sub(lambda link: link[1] or link[2], _UNSHOWN.sub("", _ANCHOR.sub("", heading)))
    return " ".join(_EMPHASIS.sub(r"\2", text).split())


def _first_line(text: str) -> str | None:
    """Return the first line of a text if it looks like a title: short, no sentence, and apart from what follows."""
    lines = text.lstrip().split("\n", 2)
    first = lines[0].strip()
    if _GENERATED.fullmatch(first) and len(lines) > 1 and not lines[1].strip():
        return _first_line(lines[-1]) if len(lines) > 2 else None
    following = lines[1].strip() if len(lines) > 1 else "x"
    if not following and (bold := _BOLD.fullmatch(first)):
        first = bold[2].strip()
    is_apart = not following or (len(first) <= _SHORT and following[:1].isupper())
    return first if 0 < len(first) <= _LONGEST and is_apart and not _NO_TITLE.match(first) else None


def _opening(text: str) -> str | None:
    """Return the beginning of a text's first line, without the mark of a list."""
    first = next((line.strip() for line in text.splitlines() if any(map(str.isalnum, line))), "")
    words = _plain(re.sub(r"^(?:(?:[-*+>#|]+|\d+[.)]|\[[ xX]\])[ \t]+)+", "", first))
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST].rpartition(' ')[0] or words[:_LONGEST]} …"
