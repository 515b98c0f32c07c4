"""What the files of word processors, slides and books share: a zip archive of XML parts, and properties of the whole.

Parts are parsed without entities and external references (defusedxml), so that no file can make them explode.
"""

import posixpath
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from core.errors import InvalidInput
from ingest.readers.fields import DOCUMENT_BYTES, PROPERTIES, date_of, line_of
from ingest.readers.formats.source import Source
from ingest.readers.formats.zip_archive import Archive, opened

#: Most bytes of a part: markup takes some times as much as the text in it.
PART_BYTES: Final = 4 * DOCUMENT_BYTES
#: How an Office file begins that has a password, or is of the format before 2007.
_COMPOUND: Final = b"\xd0\xcf\x11\xe0"
_RELATION: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_DUBLIN: Final = "{http://purl.org/dc/elements/1.1/}"
_TERMS: Final = "{http://purl.org/dc/terms/}"
#: When the templates of python-docx and python-pptx were created, which their documents repeat.
_TEMPLATES: Final = frozenset({"2013-12-23T23:15:00Z", "2013-01-27T09:14:16Z"})


@contextmanager
def package(source: Source, kind: str) -> Iterator[Archive]:
    """Open the archive of a file of this kind.

    Raises:
        InvalidInput: it is encrypted, of an older format, or no such file.
    """
    with source.open() as file:
        start = file.read(len(_COMPOUND))
    if start == _COMPOUND:
        raise InvalidInput(
            f"{source.where!r} has a password or is of the format before 2007: save it as {kind} without a password."
        )
    with opened(source) as archive:
        try:
            yield archive
        except RecursionError as error:
            raise InvalidInput(f"{source.where!r} is nested too deep to be {kind}: save it anew.") from error


def part(archive: Archive, name: str) -> Element:
    """Return the root of an XML part.

    Raises:
        InvalidInput: it is not there, too large, damaged, or declares entities.
    """
    data = archive.content(name, PART_BYTES)
    try:
        root: Element = fromstring(data)
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise InvalidInput(
            f"{archive.source.where!r}: {name!r} is not sound XML ({reason_of(error)}): save it anew."
        ) from error
    return root


def reason_of(error: Exception) -> str:
    """Return what a parser says is wrong, on one short line."""
    return " ".join(f"{type(error).__name__} {error}".split())[:100]


def optional(archive: Archive, name: str) -> Element | None:
    """Return the root of a part that a file need not have, None if it has none; raises as `part` does."""
    return part(archive, name) if name in archive.names() else None


def local(element: Element) -> str:
    """Return an element's name without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: Element, name: str) -> str | None:
    """Return an attribute whatever its namespace."""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), None)


def relations(archive: Archive, name: str) -> dict[str, tuple[str, str]]:
    """Return the relations of a part by id: the last word of their type, and the part that they lead to."""
    folder, _, file = name.rpartition("/")
    root = optional(archive, f"{folder}/_rels/{file}.rels".lstrip("/"))
    return {
        relation.get("Id", ""): (relation.get("Type", "").rpartition("/")[2], inside(name, relation.get("Target", "")))
        for relation in (() if root is None else root)
        if relation.get("TargetMode") != "External"
    }


def inside(name: str, target: str) -> str:
    """Return the part that a reference in another part leads to."""
    path = unquote(target.partition("#")[0])
    if path.startswith("/"):
        return posixpath.normpath(path).lstrip("/")
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))


def relation_of(element: Element) -> str:
    """Return the id of the relation that an element names."""
    return element.get(_RELATION, "")


def related_lines(archive: Archive, name: str, *kinds: str) -> list[str]:
    """Return the lines of the diagrams, charts, drawings and comments that a part refers to; damaged ones have none."""
    found: list[str] = []
    for kind, target in relations(archive, name).values():
        if kind in kinds:
            try:
                root = optional(archive, target)
                found += [] if root is None else _lines(root)
                found += related_lines(archive, target, "chart", "diagramData") if kind == "drawing" else []
            except InvalidInput:
                continue
    return list(dict.fromkeys(found))


def _lines(root: Element) -> Iterator[str]:
    """Yield the paragraphs of a drawing or diagram, the names in a chart, or comments with the cells they are on."""
    for node in root.iter():
        name = local(node)
        if name in {"p", "strCache"}:
            texts = [child.text or "" for child in node.iter() if local(child) in {"t", "v"}]
            line = ("" if name == "p" else ", ").join(texts)
        elif name in {"comment", "threadedComment", "cm"}:
            text = "".join(child.text or "" for child in node.iter() if local(child) in {"t", "text"})
            line = f"{node.get('ref')}: {text}" if node.get("ref") else text
        else:
            continue
        if line.strip():
            yield " ".join(line.split())


def properties(archive: Archive) -> dict[str, object]:
    """Return title, author and day as the file's properties have them; damaged ones are none."""
    try:
        root = optional(archive, "docProps/core.xml")
    except InvalidInput:
        return {}
    return {} if root is None else dublin_core(root)


def dublin_core(root: Element) -> dict[str, object]:
    """Return title, author and day of an element with Dublin Core below it."""
    days = (root.findtext(f"{_TERMS}created"), root.findtext(f"{_DUBLIN}date"), root.findtext(f"{_TERMS}modified"))
    day = next((found for day in days if (found := date_of(day)) not in {None, *_TEMPLATES}), None)
    given: dict[str, object] = {
        "title": line_of(root.findtext(f"{_DUBLIN}title")),
        "author": line_of(root.findtext(f"{_DUBLIN}creator")),
        "date": day,
        "date_source": None if day is None else PROPERTIES,
    }
    return {name: value for name, value in given.items() if value is not None}
