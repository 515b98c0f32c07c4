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
    r"|title|slide|folie|diapositive|layout|page)"
    r"|(?:powerpoint|microsoft|word|excel|google|keynote)?[ -]*(?:powerpoint|office)?[ -]*(?:presentation|präsentation"
    r"|présentation|presentación|presentazione|document|dokument|worksheet|spreadsheet)(?: powerpoint)?"
    r"|présentation powerpoint|presentación de powerpoint|presentazione standard di powerpoint|slide \d+|folie \d+)"
    r"(?: ?(?:document|dokument|page|seite))?[ _-]?\(?\d*\)?",
    re.IGNORECASE,
)
#: What printing puts before a file's name: "Microsoft Word - report.doc".
_PRINTED: Final = re.compile(r"(?:microsoft|libreoffice|openoffice) \w+ - ", re.IGNORECASE)
_FILE_NAME: Final = re.compile(
    r"\S+\.(?:docx?|pptx?|xlsx?|od[tps]|rtf|tex|dvi|pdf|indd|pages|qxd|p65|wpd)", re.IGNORECASE
)

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t]++(.*)")
_UNDERLINE: Final = re.compile(r" {0,3}=+[ \t]*")
#: Longest first line that is a title, in characters, also without a blank line below, and the marks of other lines.
_LONGEST, _SHORT = 100, 60
_NO_TITLE: Final = re.compile(r"[-*+>|#`<\[({$\d]|\w+:|.*[.,;:!?…)\]]$|.*https?://")
#: How many lines are looked at for headings.
_LOOKED_AT: Final = 20_000


def title_of(source: Source, given: object, text: str) -> str:
    """Return the title of a document whose properties give `given` and whose text has headings as Markdown has them."""
    is_bundled = source.path.stem == "text" and source.path.parent.suffix == ".textbundle"
    name = (source.path.parent if is_bundled else source.path).stem or source.name
    return _sensible(given) or (main_heading(text) or _first_line(text) or name)[:MAX_FIELD]


def _sensible(given: object) -> str | None:
    """Return a title of a file's properties, None if a program filled it in."""
    title = line_of(_PRINTED.sub("", given)) if isinstance(given, str) else None
    return None if title is None or _GENERATED.fullmatch(title) or _FILE_NAME.fullmatch(title) else title


def main_heading(text: str) -> str | None:
    """Return the heading of a whole text, None if it has only headings of sections.

    It is the first one of the highest level, if it is above all text, or is the only one of the first level.
    """
    found = list(_headings(text))
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
            yield _Heading(len(heading[1]), _unclosed(heading[2]), before == 0)
        elif above.strip() and _UNDERLINE.fullmatch(line):
            yield _Heading(1, above.strip(), before == 1)
        above = "" if mark or fence else line
        before += bool(line.strip())


def _unclosed(heading: str) -> str:
    """Return a heading without the marks that may close it."""
    text = heading.rstrip("#")
    return text.rstrip(" \t") if text.endswith((" ", "\t")) else heading


def _first_line(text: str) -> str | None:
    """Return the first line of a text if it looks like a title: short, no sentence, and apart from what follows."""
    lines = text.lstrip().split("\n", 2)
    first = lines[0].strip()
    following = lines[1].strip() if len(lines) > 1 else "x"
    is_apart = not following or (len(first) <= _SHORT and following[:1].isupper())
    return first if 0 < len(first) <= _LONGEST and is_apart and not _NO_TITLE.match(first) else None
