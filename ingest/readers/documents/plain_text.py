"""Plain text, Markdown with the fields above it, and Jupyter notebooks, whose cells are places."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from core.dates.reading import written_dates
from core.errors import InvalidInput
from core.interface.memory import MAX_ENTRIES
from core.regex import regex
from ingest.readers.documents.ruled_tables import with_bars
from ingest.readers.documents.titles import title_of
from ingest.readers.encodings import decoded, storable, text_of
from ingest.readers.fields import DOCUMENT_BYTES, PUBLISHED, document
from ingest.readers.formats.source import Item, Place, Source
from ingest.readers.front_matter import front_matter, note_fields


def read_plain_text(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the file as one memory, or nothing if it is blank."""
    text = decoded(source, source.content(DOCUMENT_BYTES))
    if text.text.strip():
        values = {"title": title_of(source, None, text.text), "context": context, "metadata": text.metadata or None}
        yield Item(document(source.where, text.text, values))


#: A time in a date: sites write the time of publishing.
_TIME: Final = regex(r"[T ]\d\d:")
#: The title of minutes, and the line of their day.
_MEETING: Final = regex(r"\b(?:meetings?|minutes|calls?|session|assembly|agm|sync|stand-?up|retro\w*)\b", re.I)
_DAY: Final = regex(r"^[ \t>*_#|-]*(?:meeting )?(?:date|held on|when)\b[ \t:*_|]+(?P<said>[^\n]{6,60})", re.I | re.M)
_OPENING: Final = 1_000
#: Tags in the text, as Obsidian has them (`#birds`, `#todo/spring`): not in code, which fences and indents set apart.
_FENCE: Final = regex(r"[ \t]*(`{3,}|~{3,})")
_LISTED: Final = regex(r"[ \t]+\S|[-*+] |\d{1,9}[.)] ")
_INDENTED: Final = regex(r"(?: {4}|\t)[ \t]*\S")
#: Code within a line, links to notes and pages, and comments: a `#` there begins no tag.
_NOT_TEXT: Final = regex(
    r"(?<!`)(`+)(?!`)[^\n]{1,2000}?(?<!`)\1(?!`)|\[\[[^\[\]\n]{0,500}\]\]"
    r"|\[[^\[\]\n]{0,500}\](?:\([^()\n]{0,1000}\)|\[[^\[\]\n]{0,500}\])|<!--.{0,5000}?-->",
    re.DOTALL,
)
#: A tag ends at a blank or a punctuation mark, other than `-`, `_` and `/`.
_TAG: Final = regex(r"""(?<!\S)#([^\u2000-\u206F\u2E00-\u2E7F'!"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s]{1,200})""")


def read_markdown(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the body as one memory with the fields of the front matter, or nothing if the body is blank.

    Names that are no field of a memory go into `metadata`. The title of the front matter counts unless a program filled
    it in. The tags in the text follow those of the front matter.
    """
    text = text_of(source, limit_bytes=DOCUMENT_BYTES)
    front = front_matter(text)
    body = with_bars(text[front.end :])
    if not body.strip():
        return
    fields = note_fields(front)
    fields["title"] = title_of(source, fields.get("title"), body)
    if _TIME.search(str(fields.get("date", ""))) or _names_day(str(fields["title"] or ""), body):
        fields["date_source"] = PUBLISHED
    if tags := _with_inline(fields.get("tags"), body):
        fields["tags"] = tags
    is_named = context is not None or "context" in fields
    yield Item(
        document(source.where, body, {"context": context} | fields), context_detected=False if is_named else None
    )


def _names_day(title: str, body: str) -> bool:
    """Whether a text is of a meeting whose day its title or a line of its own gives, whenever it was put on a site."""
    if _MEETING.search(title) is None:
        return False
    own = _DAY.search(body, 0, _OPENING)
    said = (title, "" if own is None else own["said"])
    return any(one.day is not None and one.year is not None for text in said for one in written_dates(text))


def _with_inline(given: object, body: str) -> list[str]:
    """Return the tags of the front matter and of the text, each once."""
    tags = {tag.casefold(): tag for tag in (given if isinstance(given, list) else ())}
    for tag in _inline_tags(body):
        tags.setdefault(tag.casefold(), tag)
    return list(tags.values())[:MAX_ENTRIES]


def _inline_tags(body: str) -> list[str]:
    """Return the tags in a text, without their mark and each once, whatever its case; none is a number alone."""
    if "#" not in body:
        return []
    plain = _NOT_TEXT.sub("\0", "".join(_uncoded(body)))
    tags = (found.strip("/") for found in _TAG.findall(plain))
    found: dict[str, str] = {}
    for tag in tags:
        if not tag.isdigit() and any(sign.isalnum() or ord(sign) > 0x2600 for sign in tag):
            found.setdefault(tag.casefold(), tag)
    return list(found.values())


def _uncoded(body: str) -> Iterator[str]:
    """Yield the lines that are no block of code, fenced or indented."""
    fence, above, is_blank, is_code = "", "", True, False
    for line in body.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if fence:
            closes = mark is not None and line.strip() == mark[1] and mark[1].startswith(fence)
            fence, above, is_blank = "" if closes else fence, "", False
            continue
        if mark:
            fence = mark[1]
            continue
        is_code = _INDENTED.match(line) is not None and (is_code or (is_blank and not _LISTED.match(above)))
        if not is_code:
            yield line
        is_blank = not line.strip()
        if not is_blank and not is_code:
            above = line


#: Most characters of a cell's output: what a program prints may have no end.
_OUTPUT: Final = 10_000
#: Between the cells.
_GAP: Final = "\n\n"


def read_notebook(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the notebook as one memory, or nothing if its cells are empty; pictures and long output are left out.

    Raises:
        InvalidInput: it is no notebook of format 4 (2015) or later.
        TooLarge: the file or its text is over its limit.
    """
    try:
        notebook: object = json.loads(text_of(source, limit_bytes=DOCUMENT_BYTES))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{source.where!r} is not JSON ({str(error)[:100]}), so it is no notebook.") from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(notebook, dict) or not isinstance(cells, list):
        raise InvalidInput(f"{source.where!r} has no cells: open it in Jupyter and save it as a notebook of format 4.")
    language = _language(notebook)
    texts, places, at = [], [], 0
    for number, cell in enumerate(cells, 1):
        if isinstance(cell, dict) and (text := storable(_cell(cell, language))):
            places.append(Place(at, f"cell {number}"))
            texts.append(text)
            at += len(text) + len(_GAP)
    if texts:
        content = _GAP.join(texts)
        values = {"title": title_of(source, None, content), "context": context}
        yield Item(document(source.where, content, values), tuple(places))


def _language(notebook: Mapping[str, object]) -> str:
    about = notebook.get("metadata")
    kernel = about.get("language_info") if isinstance(about, dict) else None
    name = kernel.get("name") if isinstance(kernel, dict) else None
    return name if isinstance(name, str) else ""


def _cell(cell: Mapping[str, object], language: str) -> str:
    text = _joined(cell.get("source")).strip("\n")
    if cell.get("cell_type") != "code":
        return text if text.strip() else ""
    if not text.strip():
        return ""
    outputs = cell.get("outputs")
    printed = "".join(map(_output, outputs if isinstance(outputs, list) else [])).strip("\n")
    block = f"```{language}\n{text}\n```"
    return f"{block}\n\n```\n{printed}\n```" if printed.strip() and len(printed) <= _OUTPUT else block


def _output(output: object) -> str:
    if not isinstance(output, dict):
        return ""
    data = output.get("data")
    return _joined(output.get("text")) or _joined(data.get("text/plain") if isinstance(data, dict) else None)


def _joined(value: object) -> str:
    """Return a text that may be written as a list of its lines."""
    lines = value if isinstance(value, list) else [value]
    return "".join(line for line in lines if isinstance(line, str))
