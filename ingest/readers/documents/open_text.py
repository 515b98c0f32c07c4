"""ODT and ODP: texts and slides of LibreOffice and others, with headings, lists and tables as Markdown has them.

Words in page headers come first, those in page footers last; a note, a comment, or a text box stands behind the
paragraph that it belongs to.
"""

from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from core.errors import InvalidInput
from core.regex import regex
from ingest.readers.documents.office_xml import PART_BYTES, attribute, local, optional, package, part, reason_of
from ingest.readers.documents.titles import title_of
from ingest.readers.encodings import storable
from ingest.readers.fields import PROPERTIES, date_of, document, line_of
from ingest.readers.formats.source import Item, Place, Source

_CONTENT: Final = "content.xml"
_HIGHEST_LEVEL: Final = 6
#: Between the blocks.
_GAP: Final = "\n\n"
_FRAMES: Final = frozenset({"header", "footer", "header-left", "footer-left", "header-first", "footer-first"})
#: Elements that hold no text of the document: what was deleted, lists of styles and changes, forms, generated indexes.
_HIDDEN: Final = frozenset(
    "tracked-changes sequence-decls user-field-decls variable-decls forms automatic-styles font-face-decls scripts "
    "table-of-content illustration-index alphabetical-index".split()
)
#: Elements whose text stands in the place of the paragraph, but not within its words.
_APART: Final = frozenset({"note", "annotation", "frame", "custom-shape", "text-box"})
_BLANKS: Final = regex(r"  +")


def read(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the text or the slides as one memory with the properties of the file, or nothing if there is no text.

    Raises:
        InvalidInput: it has a password, is damaged, or is no such file.
        TooLarge: its text is over the limit.
    """
    content, styles, about = _parts(source)
    try:
        text, places = _text_of(content, styles)
        fields = _fields(about)
    except RecursionError as error:
        raise InvalidInput(f"{source.where!r} is nested too deep: save it anew.") from error
    if text:
        values = {**fields, "context": context, "title": title_of(source, fields.get("title"), text)}
        yield Item(document(source.where, text, values), places)


def _text_of(content: Element, styles: Element | None) -> tuple[str, tuple[Place, ...]]:
    """Return the text with page headers and footers, and the places of its slides."""
    body = next((node for node in content.iter() if local(node) == "body"), content)
    frames = [] if styles is None else list(_frame_lines(styles))
    above = list(dict.fromkeys(line for is_header, line in frames if is_header))
    below = list(dict.fromkeys(line for is_header, line in frames if not is_header and line not in above))
    pages = [node for node in body.iter() if local(node) == "page"]
    blocks, places = above, list[Place]()
    for number, node in enumerate(pages or [body], 1):
        found = [storable(block) for block in (_page(node) if pages else _blocks(node))]
        if pages and found:
            places.append(Place(sum(len(block) + len(_GAP) for block in blocks), f"slide {number}"))
        blocks = blocks + found
    return storable(_GAP.join([*blocks, *below])), tuple(places)


def _parts(source: Source) -> tuple[Element, Element | None, Element | None]:
    """Return the roots of content, styles and properties, which a flat file has in one."""
    with source.open() as file:
        is_flat = file.read(5).lstrip(b"\xef\xbb\xbf").startswith(b"<")
    if is_flat:
        try:
            root: Element = fromstring(source.content(PART_BYTES))
        except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
            raise InvalidInput(f"{source.where!r} is not sound XML ({reason_of(error)}): save it anew.") from error
        return root, root, root
    with package(source, "OpenDocument") as archive:
        manifest = optional(archive, "META-INF/manifest.xml")
        if manifest is not None and any(local(node) == "encryption-data" for node in manifest.iter()):
            raise InvalidInput(f"{source.where!r} has a password: save it without one.")
        return part(archive, _CONTENT), optional(archive, "styles.xml"), optional(archive, "meta.xml")


def _fields(about: Element | None) -> dict[str, object]:
    """Return title, author, day and keywords as the properties have them."""
    found: dict[str, str] = {}
    keywords: list[str] = []
    for node in () if about is None else about.iter():
        name, text = local(node), line_of(node.text)
        if text is None:
            continue
        if name == "keyword":
            keywords.append(text)
        elif name in {"title", "creator", "initial-creator", "date", "creation-date"}:
            found.setdefault(name, text)
    day = date_of(found.get("creation-date")) or date_of(found.get("date"))
    given: dict[str, object] = {
        "title": found.get("title"),
        "author": found.get("initial-creator") or found.get("creator"),
        "date": day,
        "date_source": None if day is None else PROPERTIES,
        "tags": list(dict.fromkeys(keywords))[:200] or None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _frame_lines(styles: Element) -> Iterator[tuple[bool, str]]:
    """Yield the lines of page headers (True) and footers that hold a word."""
    for node in styles.iter():
        if local(node) in _FRAMES:
            for block in _blocks(node):
                if sum(map(str.isalpha, block)) >= 3:
                    yield local(node).startswith("header"), block


def _page(page: Element) -> Iterator[str]:
    """Yield the blocks of a slide: its title as a heading, what speakers note behind the rest."""
    for child in page:
        name = local(child)
        if name == "notes":
            notes = [block for frame in child for block in _blocks(frame) if local(frame) == "frame"]
            yield from (f"Notes: {note}" if number == 0 else note for number, note in enumerate(notes))
        elif name == "frame" and attribute(child, "class") in {"title"}:
            if lines := [line.lstrip("#- ") for line in _blocks(child)]:
                yield f"## {' '.join(lines)}"
        elif name not in _HIDDEN:
            yield from _blocks([child])


def _blocks(element: Element | list[Element], indent: str = "") -> Iterator[str]:
    """Yield the headings, paragraphs, lists and tables below an element in their order."""
    for child in element:
        name = local(child)
        if name == "h":
            level = attribute(child, "outline-level") or "1"
            if text := _text(child):
                yield f"{'#' * min(int(level) if level.isdecimal() and level != '0' else 1, _HIGHEST_LEVEL)} {text}"
            yield from _aside(child)
        elif name == "p":
            if text := _text(child):
                yield text
            yield from _aside(child)
        elif name == "list":
            if lines := list(_entries(child, indent)):
                yield "\n".join(lines)
        elif name == "table":
            if rows := [row for row in map(_row, (node for node in child.iter() if local(node) == "table-row")) if row]:
                yield "\n".join(rows)
        elif name == "annotation":
            yield from (f"Comment: {block}" for block in _blocks([node for node in child if local(node) == "p"]))
        elif name not in _HIDDEN:
            yield from _blocks(child, indent)


def _entries(listed: Element, indent: str) -> Iterator[str]:
    """Yield the lines of a list, those of a list in an entry farther in."""
    for entry in listed:
        if local(entry) not in {"list-item", "list-header"}:
            continue
        mark = f"{indent}- "
        for child in entry:
            if local(child) == "list":
                yield from _entries(child, f"{indent}  ")
            else:
                for block in _blocks([child]):
                    yield f"{mark}{block.removeprefix('- ')}"
                    mark = f"{indent}  "


def _row(row: Element) -> str:
    cells = [" ".join(" ".join(_blocks(cell)).split()) for cell in row if local(cell) == "table-cell"]
    return f"| {' | '.join(cells)} |" if any(cells) else ""


def _aside(paragraph: Element) -> Iterator[str]:
    """Yield what is anchored in a paragraph: notes, comments and text boxes."""
    for node in paragraph:
        name = local(node)
        if name == "note":
            words = [block for part in node if local(part) == "note-body" for block in _blocks(part)]
            yield from (f"Note: {block}" for block in words)
        elif name == "annotation":
            yield from _blocks([node])
        elif name in _APART:
            yield from _blocks(node)
        elif name not in _HIDDEN:
            yield from _aside(node)


def _text(element: Element) -> str:
    words = _words(element).replace("\u00ad", "")
    return "\n".join(_BLANKS.sub(" ", line).strip() for line in words.split("\n")).strip()


def _words(element: Element) -> str:
    parts = [" ".join((element.text or "").split("\n"))]
    for child in element:
        name = local(child)
        if name == "s":
            parts.append(" ")
        elif name == "tab":
            parts.append("\t")
        elif name == "line-break":
            parts.append("\n")
        elif name not in _APART and name not in _HIDDEN:
            parts.append(_words(child))
        parts.append(" ".join((child.tail or "").split("\n")))
    return "".join(parts)
