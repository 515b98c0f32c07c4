"""DOCX: page headers, then paragraphs, headings, lists and tables in their order as Markdown has them.

Words in diagrams, page footers, notes and comments come last.
"""

import re
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from ingest.readers.documents.office_xml import (
    attribute,
    local,
    optional,
    package,
    part,
    properties,
    related_lines,
    relations,
)
from ingest.readers.documents.titles import title_of
from ingest.readers.encodings import storable
from ingest.readers.fields import document
from ingest.readers.formats.item import Item
from ingest.readers.formats.registry import chosen
from ingest.readers.formats.source import Source
from ingest.readers.formats.zip_archive import Archive

_DOCUMENT: Final = "word/document.xml"
#: What a page header that is more than a number holds.
_WORD: Final = re.compile(r"[^\W\d_]{3}")
#: What stands beside the text, with the heading under which it is added.
_BESIDE: Final = {"footnotes": "Footnotes", "endnotes": "Endnotes", "comments": "Comments"}
#: Elements whose text is not shown: a second version for older programs, what was deleted, properties.
_HIDDEN: Final = frozenset({"Fallback", "del", "moveFrom", "pPr", "rPr", "instrText"})
_SIGNS: Final = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_HIGHEST_LEVEL: Final = 6


def read(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the document as one memory with its properties, or nothing if it has no text.

    Raises:
        InvalidInput: it has a password, is damaged, or is no DOCX.
        TooLarge: its text is over the limit.
    """
    with package(source, "DOCX") as archive:
        levels = _levels(archive)
        headers, footers = _frames(archive, "header"), _frames(archive, "footer")
        blocks = [*headers, *_blocks(part(archive, _DOCUMENT), levels)]
        blocks += related_lines(archive, _DOCUMENT, "diagramData", "chart")
        blocks += _inserted(archive, source)
        blocks += [line for line in footers if line not in headers]
        for name, heading in _BESIDE.items():
            if (root := optional(archive, f"word/{name}.xml")) is not None:
                notes = [text for note in root if (text := " ".join(_blocks(note, {})).strip())]
                blocks += [f"# {heading}", *(f"- {note}" for note in notes)] if notes else []
        values = properties(archive)
    if content := storable("\n\n".join(blocks)):
        yield Item(
            document(
                source.where,
                content,
                values | {"title": title_of(source, values.get("title"), content), "context": context},
            )
        )


def _frames(archive: Archive, kind: str) -> list[str]:
    """Return the paragraphs of the page headers or footers, each once, without page numbers."""
    found: list[str] = []
    for named, target in relations(archive, _DOCUMENT).values():
        if named == kind and (root := optional(archive, target)) is not None:
            found += (block.removeprefix("- ") for block in _blocks(root, {}))
    return list(dict.fromkeys(line for line in found if _WORD.search(line)))


def _inserted(archive: Archive, source: Source) -> list[str]:
    """Return the texts of the files in other formats that Word is to insert when it opens the document.

    Raises:
        InvalidInput: one is damaged, or of no format that is read.
    """
    inner = [
        source.inside(target, archive.content(target))
        for kind, target in relations(archive, _DOCUMENT).values()
        if kind == "aFChunk" and target in archive.names()
    ]
    parts = [part for file in inner for part in chosen(file).read(file, None)]
    return [part.memory.content for part in parts if isinstance(part, Item)]


def _levels(archive: Archive) -> dict[str, int]:
    """Return the level of each style of headings, 0 for one of lists: names are English in every language, ids not."""
    root = optional(archive, "word/styles.xml")
    levels: dict[str, int] = {}
    for style in () if root is None else root:
        name = next((attribute(child, "val") or "" for child in style if local(child) == "name"), "").lower()
        kind, _, level = name.partition(" ")
        if name == "title":
            levels[attribute(style, "styleId") or ""] = 1
        elif kind == "heading" and level.isdecimal():
            levels[attribute(style, "styleId") or ""] = min(int(level), _HIGHEST_LEVEL)
        elif kind == "list" and not level.startswith(("paragraph", "continue")):
            levels[attribute(style, "styleId") or ""] = 0
    return levels


def _blocks(element: Element, levels: dict[str, int]) -> Iterator[str]:
    """Yield the paragraphs and tables below an element in their order."""
    for child in element:
        name = local(child)
        if name == "p":
            boxes = [box for box in child.iter() if local(box) == "txbxContent"]
            if text := _text(child).strip():
                yield f"{_mark(child, levels)}{text}"
            for box in boxes[:: 2 if any(local(node) == "Fallback" for node in child.iter()) else 1]:
                yield from _blocks(box, levels)
        elif name == "tbl":
            if rows := [row for row in map(_row, (row for row in child if local(row) == "tr")) if row]:
                yield "\n".join(rows)
        elif name not in _HIDDEN:
            yield from _blocks(child, levels)


def _row(row: Element) -> str:
    cells = [" ".join(" ".join(_blocks(cell, {})).split()) for cell in row if local(cell) in {"tc", "sdt"}]
    return f"| {' | '.join(cells)} |" if any(cells) else ""


def _mark(paragraph: Element, levels: dict[str, int]) -> str:
    """Return what stands in front of a paragraph that is a heading or an entry of a list."""
    about = next((child for child in paragraph if local(child) == "pPr"), None)
    for child in () if about is None else about:
        if local(child) == "pStyle" and (level := levels.get(attribute(child, "val") or "")) is not None:
            return f"{'#' * level} " if level else "- "
    return "- " if about is not None and any(local(child) == "numPr" for child in about) else ""


def _text(element: Element) -> str:
    parts: list[str] = []
    for child in element:
        name = local(child)
        if name == "t":
            parts.append(child.text or "")
        elif name in _SIGNS:
            parts.append(_SIGNS[name])
        elif name not in _HIDDEN and name != "txbxContent":
            parts.append(_text(child))
    return "".join(parts)
