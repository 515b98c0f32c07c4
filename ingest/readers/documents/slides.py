"""PPTX: the text of the slides in their order with diagrams, speakers' notes and comments, each slide a place."""

from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from core.errors import InvalidInput
from ingest.readers.documents.office_xml import (
    attribute,
    local,
    package,
    part,
    properties,
    related_lines,
    relation_of,
    relations,
)
from ingest.readers.documents.titles import title_of
from ingest.readers.encodings import storable
from ingest.readers.fields import document
from ingest.readers.formats.item import Item, Part, Place, Refused
from ingest.readers.formats.source import Source
from ingest.readers.formats.zip_archive import Archive

_PRESENTATION: Final = "ppt/presentation.xml"
_TITLES: Final = frozenset({"title", "ctrTitle"})
#: Placeholders that repeat what every slide has.
_FRAME: Final = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})
#: Those of them that may say something on the first slide: its day, where no program fills it in, and its occasion.
_SAID_ONCE: Final = frozenset({"dt", "ftr"})
#: Between the slides.
_GAP: Final = "\n\n"


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield the slides as one memory with the properties of the file, and a refusal for each damaged slide.

    Raises:
        InvalidInput: it has a password, is damaged, or is no PPTX.
        TooLarge: its text is over the limit.
    """
    texts: list[str] = []
    places: list[Place] = []
    at = 0
    with package(source, "PPTX") as archive:
        for number, name in enumerate(_slides(archive), 1):
            try:
                text = storable(_slide(archive, name, _FRAME - _SAID_ONCE if number == 1 else _FRAME))
            except InvalidInput as error:
                yield Refused(str(error))
                continue
            if text:
                places.append(Place(at, f"slide {number}"))
                texts.append(text)
                at += len(text) + len(_GAP)
        values = properties(archive)
    if texts:
        content = _GAP.join(texts)
        yield Item(
            document(
                source.where,
                content,
                values | {"title": title_of(source, values.get("title"), texts[0]), "context": context},
            ),
            tuple(places),
        )


def _slides(archive: Archive) -> list[str]:
    root, targets = part(archive, _PRESENTATION), relations(archive, _PRESENTATION)
    ids = [relation_of(node) for node in root.iter() if local(node) == "sldId"]
    return [targets[id_][1] for id_ in ids if id_ in targets]


def _slide(archive: Archive, name: str, left_out: frozenset[str]) -> str:
    blocks = list(_blocks(part(archive, name), left_out))
    if drawn := related_lines(archive, name, "diagramData", "chart"):
        blocks.append("\n".join(drawn))
    for kind, target in relations(archive, name).values():
        if kind == "notesSlide":
            notes = list(_blocks(part(archive, target), _FRAME))
            blocks += [f"Notes: {notes[0]}", *notes[1:]] if notes else []
    blocks += [f"Comment: {line}" for line in related_lines(archive, name, "comments", "comment")]
    return "\n\n".join(blocks)


def _blocks(element: Element, left_out: frozenset[str]) -> Iterator[str]:
    """Yield the shapes below an element that hold text, tables by rows; some placeholders are left out."""
    for child in element:
        name = local(child)
        if name == "sp":
            kind = next((attribute(node, "type") or "" for node in child.iter() if local(node) == "ph"), "")
            is_automatic = kind in _FRAME and any(local(node) == "fld" for node in child.iter())
            is_left_out = kind in left_out or is_automatic
            lines = [] if is_left_out else list(filter(None, map(_line, _paragraphs(child))))
            if lines:
                yield f"## {' '.join(lines)}" if kind in _TITLES else "\n".join(lines)
        elif name == "tbl":
            rows = [[" ".join(map(_line, _paragraphs(cell))) for cell in row] for row in child if local(row) == "tr"]
            if lines := [f"| {' | '.join(row)} |" for row in rows if any(row)]:
                yield "\n".join(lines)
        elif name not in {"Fallback", "sldId"}:
            yield from _blocks(child, left_out)


def _paragraphs(element: Element) -> list[Element]:
    return [node for node in element.iter() if local(node) == "p"]


def _line(paragraph: Element) -> str:
    parts = (node.text or "" if local(node) == "t" else " " for node in paragraph.iter() if local(node) in {"t", "br"})
    return " ".join("".join(parts).split())
