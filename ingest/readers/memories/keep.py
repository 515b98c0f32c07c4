"""Notes of Google Keep as Takeout gives them: each a file of JSON, and the same again as a page of HTML beside it."""

from collections.abc import Iterator, Mapping
from typing import Final

from core.errors import InvalidInput, TooLarge
from ingest.readers.encodings import storable
from ingest.readers.fields import DOCUMENT_BYTES, document, line_of
from ingest.readers.formats.item import Item, LeftOut, Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.json_text.json_cursor import json_cursor
from ingest.readers.json_text.json_values import entries, fields, moment, seconds, text, texts

#: States of a note, kept in `metadata` where they are so.
_STATES: Final = {"isPinned": "pinned", "isArchived": "archived"}


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield the note: its title, text, list with the marks of what is done, and links. One in the trash is left out.

    So is a page of HTML: the note's JSON says the same with its time and labels.

    Raises:
        InvalidInput: it is not JSON.
        TooLarge: the file is over its limit.
    """
    with source.open() as file:
        if file.read(1) == b"<":
            yield LeftOut(source.where, "said by the JSON of a note")
            return
    data = source.content(DOCUMENT_BYTES)
    with json_cursor(Source(source.path, data, source.depth)) as cursor:
        note = fields(cursor.value())
    if note.get("isTrashed") is True:
        yield LeftOut(source.where, "in the trash")
        return
    title, words = text(note.get("title")), _words(note)
    content = storable("\n\n".join(filter(None, (title, words))))
    if not content:
        return
    states = {name: True for given, name in _STATES.items() if note.get(given) is True}
    metadata = states | {
        name: value
        for name, value in {
            "edited": _moment(note, "userEditedTimestampUsec"),
            "attachments": texts(note.get("attachments"), "filePath"),
            "shared_with": texts(note.get("sharees"), "email"),
        }.items()
        if value
    }
    values = {
        "title": line_of(title) or source.path.stem,
        "context": context or "note",
        "date": _moment(note, "createdTimestampUsec") or _moment(note, "userEditedTimestampUsec"),
        "source": "google-keep",
        "tags": list(dict.fromkeys(filter(None, map(line_of, texts(note.get("labels"), "name")))))[:200] or None,
        "metadata": metadata or None,
    }
    try:
        yield Item(document(source.where, content, values))
    except (InvalidInput, TooLarge) as error:
        yield Refused(str(error))


def _words(note: Mapping[str, object]) -> str:
    """Return what a note says below its title."""
    ticks = [
        f"- [{'x' if fields(entry).get('isChecked') is True else ' '}] {' '.join(said.split())}"
        for entry in entries(note.get("listContent"))
        if (said := text(fields(entry).get("text")))
    ]
    said = (text(note.get("textContent")) or "").strip()
    links = [
        f"{text(link.get('title')) or 'Link'}: {url}"
        for link in map(fields, entries(note.get("annotations")))
        if (url := text(link.get("url"))) and url not in said
    ]
    return "\n\n".join(filter(None, (said, "\n".join(ticks), "\n".join(links))))


def _moment(note: Mapping[str, object], name: str) -> str | None:
    at = seconds(note.get(name))
    return moment(at / 1e6) if at else None
