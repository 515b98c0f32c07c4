"""Markdown, with the fields of a memory above it (`front_matter`).

The body is everything after them, character for character, so that offsets count in it.
"""

import re
from collections.abc import Iterator
from typing import Final

from core.interface.memory import MAX_ENTRIES
from ingest.readers.documents.titles import title_of
from ingest.readers.encodings import text_of
from ingest.readers.fields import DOCUMENT_BYTES, PUBLISHED, document
from ingest.readers.formats.item import Item
from ingest.readers.formats.source import Source
from ingest.readers.front_matter import front_matter
from ingest.readers.note_fields import note_fields

#: A time in a date: sites write the time of publishing.
_TIME: Final = re.compile(r"[T ]\d\d:")
#: Tags in the text, as Obsidian has them (`#birds`, `#todo/spring`): not in code, which fences and indents set apart.
_FENCE: Final = re.compile(r"[ \t]*(`{3,}|~{3,})")
_LISTED: Final = re.compile(r"[ \t]+\S|[-*+] |\d{1,9}[.)] ")
_INDENTED: Final = re.compile(r"(?: {4}|\t)[ \t]*\S")
#: Code within a line, links to notes and pages, and comments: a `#` there begins no tag.
_NOT_TEXT: Final = re.compile(
    r"(?<!`)(`+)(?!`)[^\n]{1,2000}?(?<!`)\1(?!`)|\[\[[^\[\]\n]{0,500}\]\]"
    r"|\[[^\[\]\n]{0,500}\](?:\([^()\n]{0,1000}\)|\[[^\[\]\n]{0,500}\])|<!--.{0,5000}?-->",
    re.DOTALL,
)
#: A tag ends at a blank or a punctuation mark, other than `-`, `_` and `/`.
_TAG: Final = re.compile(r"""(?<!\S)#([^\u2000-\u206F\u2E00-\u2E7F'!"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s]{1,200})""")


def read(source: Source, context: str | None) -> Iterator[Item]:
    """Yield the body as one memory with the fields of the front matter, or nothing if the body is blank.

    Names that are no field of a memory go into `metadata`. The title of the front matter counts unless a program filled
    it in. The tags in the text follow those of the front matter.
    """
    text = text_of(source, limit_bytes=DOCUMENT_BYTES)
    front = front_matter(text)
    body = text[front.end :]
    if not body.strip():
        return
    fields = note_fields(front)
    fields["title"] = title_of(source, fields.get("title"), body)
    if _TIME.search(str(fields.get("date", ""))):
        fields["date_source"] = PUBLISHED
    if tags := _with_inline(fields.get("tags"), body):
        fields["tags"] = tags
    is_named = context is not None or "context" in fields
    yield Item(
        document(source.where, body, {"context": context} | fields), context_detected=False if is_named else None
    )


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
