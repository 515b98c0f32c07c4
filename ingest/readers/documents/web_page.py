"""HTML and EPUB: the main text of pages and chapters, with headings, lists and tables as Markdown has them."""

import re
from collections.abc import Iterator, Mapping
from email import message_from_bytes
from email.utils import parsedate_to_datetime
from typing import Final
from xml.etree.ElementTree import Element

from selectolax.lexbor import LexborHTMLParser, LexborNode

from core.errors import InvalidInput
from core.regex import regex
from ingest.readers.documents.office_xml import PART_BYTES, dublin_core, inside, local, package, part
from ingest.readers.documents.titles import main_heading, title_of
from ingest.readers.encodings import Decoded, decoded, storable
from ingest.readers.fields import DOCUMENT_BYTES, PROPERTIES, PUBLISHED, date_of, document, line_of
from ingest.readers.formats.source import Item, Part, Place, Refused, Source
from ingest.readers.formats.zip_archive import Archive

#: Most bytes of a page that is saved with its pictures, and what the page in it is called.
_ARCHIVE_BYTES: Final = 2 * DOCUMENT_BYTES
_PAGE_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})
#: What is no text of the page, and what surrounds the text on every page of a site.
_ASIDE: Final = (
    "script, style, noscript, template, svg, iframe, object, canvas, form, button, select, dialog, nav, aside, "
    "[hidden], [style*='display:none'], [style*='display: none'], [aria-hidden=true], [role=navigation], "
    "[role=banner], [role=contentinfo], [role=search], [role=doc-backlink]"
)
#: Where comments are in the text of a document of Google, and the comments below it.
_MARK_OF_COMMENT, _COMMENT = "a[id^=cmnt_ref]", "a[id^=cmnt]"
#: Header and footer of the page; those of an article hold its title and author.
_FRAME: Final = "body > header, body > footer, body > div > header, body > div > footer"
_MAIN: Final = "main, [role=main], article"
#: Least share of all letters that the main part must have, or the whole body is taken.
_LEAST_SHARE: Final = 0.3
_HEADINGS: Final = {f"h{level}": "#" * level for level in range(1, 7)}
_BLOCKS: Final = frozenset(
    "address article blockquote body center dd details div dl dt fieldset figcaption figure footer header html main ol "
    "p section summary table tbody td tfoot th thead tr ul".split()
)
#: What begins a line of a list, and a row of a table.
_LINE_MARK: Final = regex(r"\s*(?:(?P<item>- |\d{1,9}\. )|(?P<row>\| ))")
#: Stands behind the last row of a table, so that the next table is another one.
_TABLE_END: Final = "\v"
_BLANKS: Final = regex(r"[ \t\r\n\f]+")
_CHARSET: Final = regex(rb"""<meta[^>]{0,200}?charset=["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_DATES: Final = (
    'meta[property="article:published_time"]', 'meta[itemprop="datePublished"]', 'meta[name="date"]',
    'meta[name="dcterms.date"]', 'meta[name="DC.date"]',
)  # fmt: skip
#: What no cell of data holds; and from how many paragraphs, lines and characters on a cell is none.
_NO_DATA: Final = "table, h1, h2, h3, h4, h5, h6"
_PARAGRAPHS, _LINES, _LONGEST_CELL = 3, 4, 400
#: What the title of a page has between the names of the page and of its site.
_SITE: Final = regex(r"\s*[|·•»–—-]\s")
#: Fewest digits of a list's first number that is taken for none.
_DIGITS: Final = 9
#: Deepest nesting of elements that is followed; deeper ones give their bare text.
_DEEPEST: Final = 200


def read_web_page(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the page as one memory with its title, author, day and address, or nothing if it has no text.

    Raises:
        InvalidInput: its characters do not decode.
        TooLarge: the file or its text is over its limit.
    """
    data = source.content(DOCUMENT_BYTES)
    text = decoded(source, data, _declared(data))
    yield from page_items(source, text, context, {})


def read_archive(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the page that a browser saved with its pictures in one file (MHTML), as `read` does.

    Its day is the one on which it was saved, if the page gives none.

    Raises:
        InvalidInput: it holds no page, or its characters do not decode.
        TooLarge: the file or its text is over its limit.
    """
    message = message_from_bytes(source.content(_ARCHIVE_BYTES))
    page = next((part for part in message.walk() if part.get_content_type() in _PAGE_TYPES), None)
    data = None if page is None else page.get_payload(decode=True)
    if page is None or not isinstance(data, bytes):
        raise InvalidInput(f"{source.where!r} holds no web page: save it again.")
    text = decoded(source, data, page.get_content_charset() or _declared(data))
    address = message.get("Snapshot-Content-Location") or page.get("Content-Location")
    saved = message.get("Date")
    try:
        day = None if saved is None else parsedate_to_datetime(str(saved)).isoformat()
    except (ValueError, OverflowError, TypeError):
        day = None
    about = {"source_url": line_of(str(address or "")), "date": day, "date_source": day and PROPERTIES}
    yield from page_items(source, text, context, about)


def page_items(source: Source, text: Decoded, context: str | None, about: Mapping[str, object]) -> Iterator[Item]:
    """Yield the memory of a page, with what is known `about` it where it says nothing itself; nothing of no text."""
    page = LexborHTMLParser(text.text)
    values = dict(about) | fields_of(page)
    if (content := main_text(page)).strip():
        values |= {"title": _without_site(title_of(source, values.get("title"), content), content), "context": context}
        yield Item(document(source.where, content, {"metadata": text.metadata or None} | values))


def _without_site(title: str, text: str) -> str:
    """Return the title of a page without the name of its site, if the main heading is what comes before that."""
    heading = main_heading(text) or ""
    return heading if heading and title.startswith(heading) and _SITE.match(title, len(heading)) else title


def _declared(data: bytes) -> str | None:
    """Return the encoding that a page declares, if it does."""
    found = _CHARSET.search(data, 0, 4_096)
    return None if found is None else found[1].decode("ascii", "replace")


def main_text(page: LexborHTMLParser) -> str:
    """Return the text of the page's main part without soft hyphens, blocks a blank line apart.

    The page loses what is not text.
    """
    if (body := page.body) is None:
        return ""
    for selector in (_ASIDE, _FRAME, _MARK_OF_COMMENT):
        for node in body.css(selector):
            node.decompose()
    for node in body.css(_COMMENT):
        node.replace_with("Comment: ")
    mains = [node for node in body.css(_MAIN) if not _is_inside(node)]
    whole = sum(map(str.isalpha, body.text()))
    chosen = mains if sum(map(str.isalpha, "".join(main.text() for main in mains))) >= _LEAST_SHARE * whole else [body]
    blocks: list[str] = []
    for main in chosen:
        _walk(main, blocks)
    return storable("\n".join(_spaced(blocks)).replace("\u00ad", ""))


def _is_inside(node: LexborNode) -> bool:
    """Whether another main part holds this one."""
    above = node.parent
    while above is not None:
        if above.tag in {"main", "article"}:
            return True
        above = above.parent
    return False


def _spaced(blocks: list[str]) -> Iterator[str]:
    """Yield the blocks as lines, with an empty one between them unless both are lines of one list or table."""
    last, is_over = "", False
    for block in blocks:
        if not block.strip():
            is_over |= block == _TABLE_END
            continue
        before, here = _LINE_MARK.match(last), _LINE_MARK.match(block)
        if last and (is_over or not (before and here and before.lastgroup == here.lastgroup)):
            yield ""
        yield block
        last, is_over = block, False


def _walk(node: LexborNode, blocks: list[str], mark: str = "", depth: int = 0) -> None:
    """Append the blocks below a node; `mark` stands in front of its first."""
    line: list[str] = []
    number = _first_number(node)

    def flush() -> None:
        nonlocal mark
        lines = [_BLANKS.sub(" ", part).strip() for part in "".join(line).split("\0")]
        if text := "\n".join(filter(None, lines)):
            blocks.append(mark + text)
            mark = ""
        line.clear()

    for child in node.iter(include_text=True):
        tag = child.tag or ""
        if tag in {"-text", "#text"}:
            line.append(child.text(deep=False))
        elif tag == "br":
            line.append("\0")
        elif tag in _HEADINGS or (tag == "p" and "title" in (child.attributes.get("class") or "").split()):
            flush()
            if title := _BLANKS.sub(" ", child.text()).strip():
                blocks.append(f"{_HEADINGS.get(tag, '#')} {title}")
        elif tag == "pre":
            flush()
            blocks.append(child.text().strip("\n"))
        elif tag == "li":
            flush()
            bullet = "- " if number is None else f"{number}. "
            number = None if number is None else number + 1
            _walk(child, blocks, bullet + _box(child), depth + 1)
        elif tag == "tr":
            flush()
            cells = [cell for cell in child.iter() if cell.tag in {"td", "th"}]
            if depth < _DEEPEST and _is_layout(child, cells):
                for cell in cells:
                    _walk(cell, blocks, "", depth + 1)
            else:
                texts = [_BLANKS.sub(" ", cell.text(separator=" ")).strip() for cell in cells]
                blocks.append(f"| {' | '.join(texts)} |" if any(texts) else "")
        elif (tag in _BLOCKS and depth < _DEEPEST) or (depth < _DEEPEST and _has_blocks(child)):
            flush()
            _walk(child, blocks, mark, depth + 1)
            if tag == "table":
                blocks.append(_TABLE_END)
        else:
            line.append(child.text())
    flush()


def _first_number(node: LexborNode) -> int | None:
    """Return the number of the first item of a numbered list, None for what is none."""
    if node.tag != "ol":
        return None
    start = node.attributes.get("start") or ""
    return int(start) if start.isdecimal() and len(start) < _DIGITS else 1


def _box(item: LexborNode) -> str:
    """Return how a task of Markdown begins if an item of a list begins with a check box."""
    first = next(item.iter(), None)
    if first is not None and first.tag in {"label", "p"}:
        first = next(first.iter(), None)
    if first is None or first.tag != "input" or first.attributes.get("type") != "checkbox":
        return ""
    return "[x] " if "checked" in first.attributes else "[ ] "


def _is_layout(row: LexborNode, cells: list[LexborNode]) -> bool:
    """Whether the cells of a row only place blocks on the page, as in mails, and are no data.

    A table with names of columns is one of data, whatever its cells hold, unless it holds tables or headings.
    """
    if len(cells) == 1 or any(cell.css_first(_NO_DATA) is not None for cell in cells):
        return True
    table = _table_of(row)
    if table is not None and table.attributes.get("role") in {"presentation", "none"}:
        return True
    if table is not None and table.css_first("th, caption") is not None:
        return False
    return any(
        cell.css_first("blockquote, pre, hr") is not None
        or len(cell.css("p")) >= _PARAGRAPHS
        or len(cell.css("p, div, br")) >= _LINES
        or len(cell.text()) >= _LONGEST_CELL
        for cell in cells
    )


def _table_of(row: LexborNode) -> LexborNode | None:
    """Return the table that a row is of."""
    above = row.parent
    while above is not None and above.tag in {"tbody", "thead", "tfoot"}:
        above = above.parent
    return above if above is not None and above.tag == "table" else None


def _has_blocks(node: LexborNode) -> bool:
    return node.css_first("p, div, li, table, pre, h1, h2, h3, h4, h5, h6, br") is not None


def fields_of(page: LexborHTMLParser) -> dict[str, object]:
    """Return the fields of a memory that the head of a page gives."""
    title = _attribute(page, 'meta[property="og:title"]', "content") or _text(page, "title")
    address = _attribute(page, "link[rel=canonical]", "href") or _attribute(page, 'meta[property="og:url"]', "content")
    day = next((day for name in _DATES if (day := date_of(_attribute(page, name, "content"))) is not None), None)
    given: dict[str, object] = {
        "title": title,
        "author": _attribute(page, 'meta[name="author"]', "content"),
        "source_url": address,
        "date": day,
        "date_source": None if day is None else PUBLISHED,
    }
    return {name: value for name, value in given.items() if value is not None}


def _attribute(page: LexborHTMLParser, selector: str, name: str) -> str | None:
    node = page.css_first(selector)
    return None if node is None else line_of(node.attributes.get(name))


def _text(page: LexborHTMLParser, selector: str) -> str | None:
    node = page.css_first(selector)
    return None if node is None else line_of(node.text())


_CONTAINER: Final = "META-INF/container.xml"
_CHAPTER_TYPES: Final = frozenset({"application/xhtml+xml", "text/html"})
#: Between the chapters.
_GAP: Final = "\n\n"


def read_book(source: Source, context: str | None) -> Iterator[Part]:
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
        if local(node) == "item"
        and node.get("media-type") in _CHAPTER_TYPES
        and "nav" not in node.get("properties", "")
    }
    order = [node.get("idref") for node in root.iter() if local(node) == "itemref"]
    return [pages[key] for key in order if key in pages]
