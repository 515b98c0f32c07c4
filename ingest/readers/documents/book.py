"""EPUB: the text of the chapters in reading order, each chapter a place."""

from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from selectolax.lexbor import LexborHTMLParser

from core.errors import InvalidInput
from ingest.readers.documents.office_xml import PART_BYTES, dublin_core, inside, local, package, part
from ingest.readers.documents.titles import title_of
from ingest.readers.documents.web_page import main_text
from ingest.readers.encodings import decoded
from ingest.readers.fields import document, line_of
from ingest.readers.formats.item import Item, Part, Place, Refused
from ingest.readers.formats.source import Source
from ingest.readers.formats.zip_archive import Archive

_CONTAINER: Final = "META-INF/container.xml"
_PAGES: Final = frozenset({"application/xhtml+xml", "text/html"})
#: Between the chapters.
_GAP: Final = "\n\n"


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield the book as one memory with title, author and day, and a refusal for each chapter that can't be read.

    Raises:
        InvalidInput: it is damaged or no EPUB, or its chapters are encrypted, as those of shops are.
        TooLarge: its text is over the limit.
    """
    texts: list[str] = []
    places: list[Place] = []
    at = 0
    with package(source, "EPUB") as archive:
        name, root = _contents(archive)
        if "META-INF/rights.xml" in archive.names():
            raise InvalidInput(f"{source.where!r} is protected by its shop, so that nothing else can read it.")
        for number, chapter in enumerate(_chapters(root, name), 1):
            try:
                page = LexborHTMLParser(decoded(source, archive.content(chapter, PART_BYTES)).text)
                heading = page.css_first("h1, h2, h3")
                title = None if heading is None else line_of(heading.text())
                text = main_text(page)
            except InvalidInput as error:
                yield Refused(str(error))
                continue
            if text.strip():
                places.append(Place(at, title or f"part {number}"))
                texts.append(text)
                at += len(text) + len(_GAP)
        about = next((node for node in root if local(node) == "metadata"), None)
    if texts:
        values = {"context": context} | ({} if about is None else dublin_core(about))
        values["title"] = title_of(source, values.get("title"), texts[0])
        yield Item(document(source.where, _GAP.join(texts), values), tuple(places))


def _contents(archive: Archive) -> tuple[str, Element]:
    """Return the name and the root of the part that lists the chapters."""
    found = next((node for node in part(archive, _CONTAINER).iter() if local(node) == "rootfile"), None)
    if found is None:
        raise InvalidInput(f"{archive.source.where!r} does not say what is in it, so it is no EPUB.")
    name = inside("", found.get("full-path", ""))
    return name, part(archive, name)


def _chapters(root: Element, name: str) -> list[str]:
    """Return the names of the chapters in reading order."""
    pages = {
        node.get("id"): inside(name, node.get("href", ""))
        for node in root.iter()
        if local(node) == "item" and node.get("media-type") in _PAGES and "nav" not in node.get("properties", "")
    }
    order = [node.get("idref") for node in root.iter() if local(node) == "itemref"]
    return [pages[key] for key in order if key in pages]
