"""PDF: the text of the pages in order, each page a place, with what was filled in, noted and attached.

One that is encrypted is refused, saying so, and so is one that is scanned where OCR is not installed.
"""

import importlib
import io
import logging
import re
import unicodedata
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import islice
from pathlib import PurePosixPath
from typing import Final

from pypdf import DocumentInformation, PageObject, PdfReader
from pypdf.errors import PyPdfError
from pypdf.generic import DictionaryObject

from core.errors import InvalidInput
from core.regex import regex
from ingest.readers.archives import inner_parts
from ingest.readers.documents.pdf_lines import page_text
from ingest.readers.documents.titles import title_of
from ingest.readers.encodings import storable
from ingest.readers.fields import DOCUMENT_BYTES, PROPERTIES, document, line_of
from ingest.readers.formats.source import Item, Part, Place, Refused, Source

#: Most bytes of a file, with its pictures.
FILE_BYTES: Final = 8 * DOCUMENT_BYTES
#: Most damaged pages that are named.
_NAMED: Final = 5
#: Most pages without text, such as scans among others, that are listed in the metadata.
_LISTED: Final = 1_000
#: Kinds of annotations whose contents people write as notes.
_NOTES: Final = frozenset("/Text /FreeText /Highlight /Underline /StrikeOut /Squiggly /Caret /Stamp".split())
#: Whether words in pictures can be recognised, and how many pictures of a page are looked at.
_RECOGNISES: Final = find_spec("rapidocr_onnxruntime") is not None
_PICTURES: Final = 10
#: Most annotations of a page, and attachments, that are read.
_MOST_NOTES: Final = 1_000
#: A page is scattered if this share of its lines, of at least so many, holds one word, and if there are no more than
#: this share of as many lines when each text is put in its place.
_SCATTERED, _LEAST_LINES, _FEWER_LINES = 0.4, 3, 0.75
_BLANKS: Final = regex(r"[ \t]{2,}")
#: A word that is divided at the end of a line, and a soft hyphen.
_DIVIDED: Final = regex(r"(?<!\w)(?P<head>\w++)-\n(?=[^\W\d_A-Z])(?P<tail>\w++)")
_WORD: Final = regex(r"\w++(?:-\w++)*+")
_SOFT: Final = regex(r"\u00ad\s*+")
#: Words that keep the hyphen behind or before them, and words behind which one left out is to be thought. Syllables
#: at which programs divide words are not among them.
_BEFORE_HYPHEN: Final = frozenset(
    "self well ill non half all vice quasi one two three five twenty thirty forty fifty sixty seventy eighty "
    "ninety".split()
)
_BEHIND_HYPHEN: Final = frozenset("based free like wide related specific driven oriented aware term year old".split())
_SUSPENDED: Final = frozenset("and und oder bis et ou och".split())
#: The day of a time whose zone is not in the form of PDF, as some versions of LibreOffice write it.
_DAY: Final = regex(r"D:((?!0000)\d{4})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")
#: Ligatures and the bullets of symbol fonts as the letters and signs that people see.
_SHOWN: Final = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)} | {
    0xF0B7: "•", 0xF0A7: "▪", 0xF0D8: "▪", 0xF076: "▪", 0xF0FC: "✓", 0xF0E0: "→", 0xF06F: "☐", 0xF0A8: "☐", 0xF0FE: "☑",
}  # fmt: skip
#: Between the pages.
_GAP: Final = "\n\n"
#: What a damaged file makes pypdf raise beside its own errors: it reads numbers, names and references as they stand.
_ERRORS: Final = (
    PyPdfError, ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError, AssertionError,
    NotImplementedError, RecursionError, OSError, EOFError,
)  # fmt: skip

logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it mends in a file concerns nobody


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield the document as one memory that lists its pages without text, and a refusal that names damaged pages.

    Raises:
        InvalidInput: it is no PDF, is encrypted, or none of its pages has text.
        TooLarge: the file or its text is over its limit.
    """
    data = source.content(FILE_BYTES)
    try:
        reader = PdfReader(io.BytesIO(data))
        is_closed = reader.is_encrypted and not reader.decrypt("")
        count = 0 if is_closed else len(reader.pages)
    except _ERRORS as error:
        raise InvalidInput(
            f"{source.where!r} is not a PDF that can be read ({_said(error)}): print it to one."
        ) from error
    if is_closed:
        raise InvalidInput(f"{source.where!r} is encrypted: save it without a password.")
    texts: list[str] = []
    places: list[Place] = []
    bad: list[str] = []
    blank: list[int] = []
    at = 0
    for number in range(count):
        try:
            text = storable(_text(reader.pages[number]).translate(_SHOWN))
        except _ERRORS as error:
            bad.append(f"page {number + 1} ({_said(error)})")
            continue
        if text.strip():
            places.append(Place(at, f"page {number + 1}"))
            texts.append(text)
            at += len(text) + len(_GAP)
        else:
            blank.append(number + 1)
    content = _GAP.join(texts)
    attached = list(_attached(reader, source, context))
    about: dict[str, object] = {"pages": count} | ({"pages_without_text": blank[:_LISTED]} if blank else {})
    if content:
        yield Item(document(source.where, content, _fields(reader, source, context, about, content)), tuple(places))
    elif not bad and count and not attached and not _RECOGNISES:
        raise InvalidInput(
            f"{source.where!r} has {count:,} pages and no text, as scans have: run OCR on it, or "
            "`pip install 'remembrancer[ocr]'` and ingest it again."
        )
    if _RECOGNISES:
        yield from _scans(reader, blank, source, context)
    yield from attached
    if bad:
        others = " and others" if len(bad) > _NAMED else ""
        yield Refused(f"{source.where!r}: {', '.join(bad[:_NAMED])}{others} can't be read: print it anew.")


def _scans(reader: PdfReader, pages: list[int], source: Source, context: str | None) -> Iterator[Part]:
    """Yield the words in the pictures of each page without text as an item: recognition takes seconds."""
    recognised = importlib.import_module(".picture", __package__).recognised
    for number in pages:
        try:
            pictures = [picture.data for picture in islice(reader.pages[number - 1].images, _PICTURES)]
            text = storable("\n\n".join(filter(None, (said for data in pictures for said in recognised(data)))))
        except (*_ERRORS, ImportError) as error:
            yield Refused(f"{source.where!r}: page {number} is a scan that can't be read ({_said(error)}).")
            continue
        if text.strip():
            name = f"page {number}"
            values: dict[str, object] = {"title": f"{source.path.stem}, {name}", "key": f"{source.where}#{name}"}
            values |= {"context": context, "metadata": {"recognised": True}}
            yield Item(document(source.where, text, values), (Place(0, name),))


def _text(page: PageObject) -> str:
    """Return the lines of a page, then its notes and the fields that are filled in."""
    text = page_text(page)
    if _is_scattered(text):
        placed = page.extract_text(extraction_mode="layout")
        is_whole = sorted("".join(placed.split())) == sorted("".join(text.split()))
        is_joined = len(_filled(placed)) <= _FEWER_LINES * len(_filled(text))
        text = _BLANKS.sub(" ", placed) if is_whole and is_joined else text
    lines = [line.strip() if line.isspace() else line.rstrip() for line in text.split("\n")]
    return "\n\n".join(filter(None, (_joined("\n".join(lines).strip("\n")), "\n".join(_annotations(page)))))


def _is_scattered(text: str) -> bool:
    """Whether many lines hold one word, as in files that place each word by itself."""
    lines = _filled(text)
    return len(lines) >= _LEAST_LINES and sum(len(line.split()) == 1 for line in lines) >= _SCATTERED * len(lines)


def _filled(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def _joined(text: str) -> str:
    """Return a text without soft hyphens, and with the words whole that are divided at the ends of lines.

    A hyphen stays if the text has the word with it elsewhere, and where the parts are words that are written with one.
    """
    text = _SOFT.sub("", text)
    words = frozenset(_WORD.findall(text))

    def whole(found: re.Match[str]) -> str:
        head, tail = found.groups()
        is_listed = head.casefold() in _BEFORE_HYPHEN
        if tail in _SUSPENDED or (is_listed and tail in ("or", "to")):
            return f"{head}- {tail}"
        is_within = "-" in (text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1])
        is_compound = is_within or is_listed or not head.isalpha() or head.isupper() or tail in _BEHIND_HYPHEN
        is_kept = f"{head}-{tail}" in words or (is_compound and f"{head}{tail}" not in words)
        return f"{head}-{tail}" if is_kept else f"{head}{tail}"

    return _DIVIDED.sub(whole, text)


def _annotations(page: PageObject) -> Iterator[str]:
    """Yield a line for each field that is filled in, and for each note."""
    for reference in (page.get("/Annots") or [])[:_MOST_NOTES]:
        found = reference.get_object()
        if not isinstance(found, DictionaryObject):
            continue
        kind, parent = found.get("/Subtype"), found.get("/Parent")
        above = parent.get_object() if parent is not None else DictionaryObject()
        name, value = found.get("/T") or above.get("/T"), found.get("/V") or above.get("/V")
        if kind == "/Widget" and name and value and value != "/Off":
            said = "; ".join(map(str, value)) if isinstance(value, list) else str(value).removeprefix("/")
            yield f"{' '.join(str(name).split())}: {said.strip()}"
        elif kind in _NOTES and (note := str(found.get("/Contents") or "").strip()):
            yield f"Note: {note}"


def _attached(reader: PdfReader, source: Source, context: str | None) -> Iterator[Part]:
    """Yield what the attachments of a known format hold, each read as a file."""
    try:
        attachments = [(str(name), bytes(data)) for name, all_data in reader.attachments.items() for data in all_data]
    except _ERRORS as error:
        yield Refused(f"{source.where!r}: its attachments can't be read ({_said(error)}): save them as files.")
        return
    for name, data in attachments[:_MOST_NOTES]:
        inner = source.inside(PurePosixPath(name.replace("\\", "/")).name or "attachment", data)
        yield from inner_parts(inner, context, f"{source.where!r}, attachment {name!r}")


def _fields(
    reader: PdfReader, source: Source, context: str | None, kept: dict[str, object], text: str
) -> dict[str, object]:
    given: dict[str, object] = {"title": title_of(source, None, text), "context": context, "metadata": kept}
    try:
        about = reader.metadata
        if about is not None:
            made = _day(about)
            given |= {
                "title": title_of(source, storable(about.title or ""), text),
                "author": line_of(storable(about.author or "")),
                "date": made,
                "date_source": None if made is None else PROPERTIES,
            }
    except _ERRORS:  # properties that are damaged are none
        return given
    return given


def _day(about: DocumentInformation) -> str | None:
    """Return when the document was made; of a time that is not in the form of PDF, only its day."""
    try:
        return None if about.creation_date is None else about.creation_date.isoformat()
    except _ERRORS:
        day = _DAY.match(str(about.creation_date_raw))
        return None if day is None else "-".join(day.groups())


def _said(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:100]
