"""RTF: its text, with title, author and day of its properties."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from striprtf.striprtf import rtf_to_text

from core.errors import InvalidInput
from ingest.readers.documents.titles import title_of
from ingest.readers.encodings import storable
from ingest.readers.fields import DOCUMENT_BYTES, PROPERTIES, document, line_of
from ingest.readers.formats.item import Item
from ingest.readers.formats.source import Source

_CODE_PAGE: Final = re.compile(r"\\ansicpg(\d{3,5})")
_PROPERTY: Final = re.compile(r"\{\\(title|author) ([^{}]{1,4000})\}")
_CREATED: Final = re.compile(r"\{\\creatim\\yr(\d{4})\\mo(\d\d?)\\dy(\d\d?)")
_SAVED: Final = re.compile(r"\{\\revtim\\yr(\d{4})\\mo(\d\d?)\\dy(\d\d?)")


#: A footnote or comment, what may end its group, and how many characters it has at most.
_NOTE: Final = re.compile(r"\{(?:\\\*)?\\(footnote|annotation)\b ?")
_BRACE: Final = re.compile(r"\\.|[{}]", re.DOTALL)
#: How a cell of a table begins that follows a paragraph in another, and a row: what is read ends each cell with a bar.
_CELL_START: Final = re.compile(r"\n+\|")
_ROW: Final = re.compile(r"^(.*)\|$", re.MULTILINE)
_LONGEST_NOTE: Final = 100_000


def read(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the text as one memory, or nothing if it is blank.

    Raises:
        InvalidInput: it is no RTF, or names characters that its code page does not have.
        TooLarge: the file or its text is over its limit.
    """
    code = source.content(DOCUMENT_BYTES).decode("latin-1")
    if not code.lstrip().startswith("{\\rtf"):
        raise InvalidInput(f"{source.where!r} is not RTF: save it with the suffix of what it is.")
    page = _CODE_PAGE.search(code)
    encoding = f"cp{page[1]}" if page else "cp1252"
    try:
        content = _with_notes(code, encoding)
        about = {match[1]: _plain(f"{{\\rtf1 {match[2]}}}", encoding) for match in _PROPERTY.finditer(code)}
    except (ValueError, LookupError, OverflowError, RecursionError, TypeError) as error:
        raise InvalidInput(f"{source.where!r} is not sound RTF ({str(error)[:100]}): save it anew.") from error
    if content.strip():
        saved = _CREATED.search(code) or _SAVED.search(code)
        day = _day(saved) if saved else None
        values = {
            "title": title_of(source, about.get("title"), content),
            "author": line_of(about.get("author")),
            "date": day,
            "date_source": None if day is None else PROPERTIES,
            "context": context,
        }
        yield Item(document(source.where, content, values))


def _with_notes(code: str, encoding: str) -> str:
    """Return the text, then its footnotes and comments under headings, as in other documents."""
    found: dict[str, list[str]] = {"Footnotes": [], "Comments": []}
    kept, at = [], 0
    for group in _NOTE.finditer(code):
        if group.start() >= at and (end := _closing(code, group.end())) is not None:
            text = " ".join(_plain(f"{{\\rtf1 {code[group.end() : end]}}}", encoding).split())
            found["Footnotes" if group[1] == "footnote" else "Comments"].append(text)
            kept.append(code[at : group.start()])
            at = end + 1
    blocks = [_plain("".join(kept) + code[at:], encoding)]
    for heading, notes in found.items():
        if notes := [note for note in notes if note]:
            blocks.append("\n\n".join([f"# {heading}", *(f"- {note}" for note in notes)]))
    return "\n\n".join(blocks)


def _closing(code: str, start: int) -> int | None:
    """Return where the group ends that is open at `start`, None if it does not end."""
    depth = 1
    for brace in _BRACE.finditer(code, start, start + _LONGEST_NOTE):
        if brace[0] in "{}":
            depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.start()
    return None


def _plain(code: str, encoding: str) -> str:
    """Return the text of RTF without soft hyphens; characters beyond 16 bits are written as pairs of two."""
    text = str(rtf_to_text(code, encoding=encoding, errors="replace"))  # type: ignore[no-untyped-call]
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\u00ad", "")
    return storable(_ROW.sub(_row, _CELL_START.sub("|", whole)) if "\\cell" in code else whole)


def _row(cells: re.Match[str]) -> str:
    return f"| {' | '.join(cell.strip() for cell in cells[1].split('|'))} |"


def _day(saved: re.Match[str]) -> str | None:
    year, month, day = map(int, saved.groups())
    try:
        return f"{datetime(year, month, day, tzinfo=UTC):%Y-%m-%d}"
    except ValueError:
        return None
