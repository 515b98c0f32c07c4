"""DOCX, PPTX and RTF: paragraphs, headings, lists, tables and slides in their order as Markdown has them."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final
from xml.etree.ElementTree import Element

from striprtf.striprtf import rtf_to_text

from core.errors import InvalidInput
from core.regex import regex
from ingest.readers.documents.office_xml import (
    attribute,
    local,
    optional,
    package,
    part,
    properties,
    related_lines,
    relation_of,
    relations,
)
from ingest.readers.documents.titles import title_of
from ingest.readers.encodings import storable
from ingest.readers.fields import DOCUMENT_BYTES, PROPERTIES, document, line_of
from ingest.readers.formats.format import chosen
from ingest.readers.formats.source import Item, Part, Place, Refused, Source
from ingest.readers.formats.zip_archive import Archive

_DOCUMENT: Final = "word/document.xml"
#: What a page header that is more than a number holds.
_WORD: Final = regex(r"[^\W\d_]{3}")
#: What stands beside the text, with the heading under which it is added.
_BESIDE: Final = {"footnotes": "Footnotes", "endnotes": "Endnotes", "comments": "Comments"}
#: Elements whose text is not shown: a second version for older programs, what was deleted, properties.
_HIDDEN: Final = frozenset({"Fallback", "del", "moveFrom", "pPr", "rPr", "instrText"})
_SIGNS: Final = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_HIGHEST_LEVEL: Final = 6


def read_word_document(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the document as one memory with its properties, or nothing if it has no text.

    Raises:
        InvalidInput: it has a password, is damaged, or is no DOCX.
        TooLarge: its text is over the limit.
    """
    with package(source, "DOCX") as archive:
        levels = _levels(archive)
        headers, footers = _frames(archive, "header"), _frames(archive, "footer")
        blocks = [*headers, *_word_document_blocks(part(archive, _DOCUMENT), levels)]
        blocks += related_lines(archive, _DOCUMENT, "diagramData", "chart")
        blocks += _inserted(archive, source)
        blocks += [line for line in footers if line not in headers]
        for name, heading in _BESIDE.items():
            if (root := optional(archive, f"word/{name}.xml")) is not None:
                notes = [text for note in root if (text := " ".join(_word_document_blocks(note, {})).strip())]
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
            found += (block.removeprefix("- ") for block in _word_document_blocks(root, {}))
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


def _word_document_blocks(element: Element, levels: dict[str, int]) -> Iterator[str]:
    """Yield the paragraphs and tables below an element in their order."""
    for child in element:
        name = local(child)
        if name == "p":
            boxes = [box for box in child.iter() if local(box) == "txbxContent"]
            if text := _text(child).strip():
                yield f"{_mark(child, levels)}{text}"
            for box in boxes[:: 2 if any(local(node) == "Fallback" for node in child.iter()) else 1]:
                yield from _word_document_blocks(box, levels)
        elif name == "tbl":
            if rows := [row for row in map(_word_document_row, (row for row in child if local(row) == "tr")) if row]:
                yield "\n".join(rows)
        elif name not in _HIDDEN:
            yield from _word_document_blocks(child, levels)


def _word_document_row(row: Element) -> str:
    cells = [
        " ".join(" ".join(_word_document_blocks(cell, {})).split()) for cell in row if local(cell) in {"tc", "sdt"}
    ]
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


_PRESENTATION: Final = "ppt/presentation.xml"
_TITLES: Final = frozenset({"title", "ctrTitle"})
#: Placeholders that repeat what every slide has.
_FRAME: Final = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})
#: Those of them that may say something on the first slide: its day, where no program fills it in, and its occasion.
_SAID_ONCE: Final = frozenset({"dt", "ftr"})
#: Between the slides.
_GAP: Final = "\n\n"


def read_slides(source: Source, context: str | None) -> Iterator[Part]:
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
    blocks = list(_slides_blocks(part(archive, name), left_out))
    if drawn := related_lines(archive, name, "diagramData", "chart"):
        blocks.append("\n".join(drawn))
    for kind, target in relations(archive, name).values():
        if kind == "notesSlide":
            notes = list(_slides_blocks(part(archive, target), _FRAME))
            blocks += [f"Notes: {notes[0]}", *notes[1:]] if notes else []
    blocks += [f"Comment: {line}" for line in related_lines(archive, name, "comments", "comment")]
    return "\n\n".join(blocks)


def _slides_blocks(element: Element, left_out: frozenset[str]) -> Iterator[str]:
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
            yield from _slides_blocks(child, left_out)


def _paragraphs(element: Element) -> list[Element]:
    return [node for node in element.iter() if local(node) == "p"]


def _line(paragraph: Element) -> str:
    parts = (node.text or "" if local(node) == "t" else " " for node in paragraph.iter() if local(node) in {"t", "br"})
    return " ".join("".join(parts).split())


_CODE_PAGE: Final = regex(r"\\ansicpg(\d{3,5})")
_PROPERTY: Final = regex(r"\{\\(title|author) ([^{}]{1,4000})\}")
_CREATED: Final = regex(r"\{\\creatim\\yr(\d{4})\\mo(\d\d?)\\dy(\d\d?)")
_SAVED: Final = regex(r"\{\\revtim\\yr(\d{4})\\mo(\d\d?)\\dy(\d\d?)")


#: A footnote, comment, page header, page footer or text box, what may end its group, and its most characters.
_NOTE: Final = regex(r"\{(?:\\\*)?\\(footnote|annotation|header[lrf]?|footer[lrf]?|shptxt)\b ?")
_BRACE: Final = regex(r"\\.|[{}]", re.DOTALL)
#: How a cell of a table begins that follows a paragraph in another, and a row: what is read ends each cell with a bar.
_CELL_START: Final = regex(r"\n+\|")
_ROW: Final = regex(r"^(.*)\|$", re.MULTILINE)
_LONGEST_NOTE: Final = 100_000


def read_rich_text(source: Source, context: str | None) -> Iterator[Item]:
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
    """Return the text with its page headers above it and text boxes and page footers below, then notes and comments."""
    found: dict[str, list[str]] = {"footnote": [], "annotation": [], "header": [], "footer": [], "shptxt": []}
    kept, at = [], 0
    ends = _ends(code) if _NOTE.search(code) else {}
    for group in _NOTE.finditer(code):
        end = ends.get(group.start())
        if group.start() >= at and end is not None and end - group.end() < _LONGEST_NOTE:
            text = " ".join(_plain(f"{{\\rtf1 {code[group.end() : end]}}}", encoding).split())
            kind = group[1][:6] if group[1].startswith(("header", "footer")) else group[1]
            if text and text not in found[kind] and (kind not in ("header", "footer") or _WORD.search(text)):
                found[kind].append(text)
            kept.append(code[at : group.start()])
            at = end + 1
    blocks = [*found["header"], _plain("".join(kept) + code[at:], encoding), *found["shptxt"]]
    blocks += [line for line in found["footer"] if line not in found["header"]]
    for kind, heading in (("footnote", "Footnotes"), ("annotation", "Comments")):
        if notes := found[kind]:
            blocks.append("\n\n".join([f"# {heading}", *(f"- {note}" for note in notes)]))
    return "\n\n".join(blocks)


def _ends(code: str) -> dict[int, int]:
    """Return where each group ends, by where it begins."""
    open_groups: list[int] = []
    ends = {}
    for brace in _BRACE.finditer(code):
        if brace[0] == "{":
            open_groups.append(brace.start())
        elif brace[0] == "}" and open_groups:
            ends[open_groups.pop()] = brace.start()
    return ends


def _plain(code: str, encoding: str) -> str:
    """Return the text of RTF without soft hyphens; characters beyond 16 bits are written as pairs of two."""
    text = str(rtf_to_text(code, encoding=encoding, errors="replace"))  # type: ignore[no-untyped-call]
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\u00ad", "")
    return storable(_ROW.sub(_rich_text_row, _CELL_START.sub("|", whole)) if "\\cell" in code else whole)


def _rich_text_row(cells: re.Match[str]) -> str:
    return f"| {' | '.join(cell.strip() for cell in cells[1].split('|'))} |"


def _day(saved: re.Match[str]) -> str | None:
    year, month, day = map(int, saved.groups())
    try:
        return f"{datetime(year, month, day, tzinfo=UTC):%Y-%m-%d}"
    except ValueError:
        return None
