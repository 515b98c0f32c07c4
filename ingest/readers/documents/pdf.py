"""PDF: the text of the pages in order, each page a place; one that is encrypted or scanned is refused, saying so."""

import io
import logging
from collections.abc import Iterator
from typing import Final

from pypdf import PageObject, PdfReader
from pypdf.errors import PyPdfError

from core.errors import InvalidInput
from ingest.readers.encodings import storable
from ingest.readers.fields import DOCUMENT_BYTES, document, line_of
from ingest.readers.formats.item import Item, Part, Place, Refused
from ingest.readers.formats.source import Source

#: Most bytes of a file, with its pictures.
FILE_BYTES: Final = 8 * DOCUMENT_BYTES
#: Most damaged pages that are named.
_NAMED: Final = 5
#: Most pages without text, such as scans among others, that are listed in the metadata.
_LISTED: Final = 1_000
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
            text = storable(_text(reader.pages[number]))
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
    about: dict[str, object] = {"pages": count} | ({"pages_without_text": blank[:_LISTED]} if blank else {})
    if content:
        yield Item(document(source.where, content, _fields(reader, source, context, about)), tuple(places))
    elif not bad and count:
        raise InvalidInput(f"{source.where!r} has {count:,} pages and no text, as scans have: run OCR on it.")
    if bad:
        others = " and others" if len(bad) > _NAMED else ""
        yield Refused(f"{source.where!r}: {', '.join(bad[:_NAMED])}{others} can't be read: print it anew.")


def _text(page: PageObject) -> str:
    return "\n".join(line.rstrip() for line in page.extract_text().split("\n")).strip("\n")


def _fields(reader: PdfReader, source: Source, context: str | None, kept: dict[str, object]) -> dict[str, object]:
    given: dict[str, object] = {"title": source.name, "context": context, "metadata": kept}
    try:
        about = reader.metadata
        if about is not None:
            made = about.creation_date
            given |= {
                "title": line_of(storable(about.title or "")) or source.name,
                "author": line_of(storable(about.author or "")),
                "date": None if made is None else made.isoformat(),
            }
    except _ERRORS:  # properties that are damaged are none
        return given
    return given


def _said(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:100]
