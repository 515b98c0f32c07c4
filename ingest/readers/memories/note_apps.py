"""Exports of note programs: Apple Notes, Google Keep, Evernote, Joplin, and TextBundle as Bear writes it."""

import base64
import binascii
import csv
import json
import re
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse
from selectolax.lexbor import LexborHTMLParser

from core.errors import InvalidInput, TooLarge
from core.regex import regex
from ingest.readers.archives import TAR_ERRORS, inner_parts, is_readable_member
from ingest.readers.documents.office_xml import local, reason_of
from ingest.readers.documents.titles import opening, own_title
from ingest.readers.documents.web_page import main_text
from ingest.readers.encodings import decoded, storable
from ingest.readers.fields import DOCUMENT_BYTES, PROPERTIES, document, line_of
from ingest.readers.folder import kind_of_file
from ingest.readers.formats.source import Item, LeftOut, Part, Refused, Source
from ingest.readers.formats.zip_archive import Archive, opened
from ingest.readers.json_text import entries, fields, json_cursor, moment, moment_or_day, seconds, text, texts
from ingest.readers.memories.record import Record

_TABLE: Final = "Notes Details.csv"
_DELETED: Final = "Recently Deleted"
_NOTES: Final = "Notes"
_TIME: Final = "%m-%d-%Y %H:%M:%S"


def read_apple_notes(source: Source, context: str | None) -> Iterator[Part]:
    """Yield each note with its day and the folder it is in, and what is attached; deleted notes are left out.

    Raises:
        InvalidInput: it can't be opened, or its table is damaged.
    """
    with opened(source) as archive:
        details = _details(archive)
        for name in filter(is_readable_member, archive.names()):
            path = PurePosixPath(name)
            if _DELETED in path.parts:
                yield LeftOut(f"{source.where}/{name}", "in the trash")
            elif path.suffix == ".csv" and _NOTES not in path.parts[:-1]:
                continue  # the tables of all notes
            else:
                try:
                    yield from _member(archive, path, details, context)
                except InvalidInput as error:
                    yield Refused(str(error))


def _member(
    archive: Archive, path: PurePosixPath, details: Mapping[str, Mapping[str, str]], context: str | None
) -> Iterator[Part]:
    inner = archive.source.inside(path.as_posix(), archive.content(path.as_posix()))
    title = path.parent.name
    if path.suffix != ".txt" or path.stem != title:
        yield from inner_parts(inner, context)
        return
    about = details.get(title, {})
    text = decoded(inner, inner.data or b"").text.strip()
    if not text:
        yield LeftOut(inner.where, "a note without words")
        return
    folder = path.parts[path.parts.index(_NOTES) + 1 : -2] if _NOTES in path.parts else ()
    yield Record(
        path.parent.as_posix(),
        text,
        title=title,
        date=_apple_notes_moment(about.get("Created On")) or _apple_notes_moment(about.get("Modified On")),
        metadata={
            "folder": " / ".join(folder),
            "updated": _apple_notes_moment(about.get("Modified On")),
            "pinned": about.get("Pinned") == "Yes" or None,
        },
    ).part(archive.source, "apple-notes", context)


def _details(archive: Archive) -> Mapping[str, Mapping[str, str]]:
    """Return the rows of the table by the titles of notes, their columns without blanks."""
    name = next((name for name in archive.names() if PurePosixPath(name).name == _TABLE), None)
    text = "" if name is None else decoded(archive.source, archive.content(name)).text
    try:
        rows = list(csv.reader(text.splitlines(keepends=True)))
    except csv.Error as error:
        raise InvalidInput(f"{archive.source.where!r}: {_TABLE!r} is damaged ({error}): request it again.") from error
    columns = [column.strip() for column in rows[0]] if rows else []
    found = (dict(zip(columns, map(str.strip, row), strict=False)) for row in rows[1:])
    return {row.get("Title", ""): row for row in found}


def _apple_notes_moment(written: str | None) -> str | None:
    try:
        return None if written is None else datetime.strptime(written, _TIME).isoformat()  # noqa: DTZ007 - as given
    except ValueError:
        return None


#: States of a note, kept in `metadata` where they are so.
_STATES: Final = {"isPinned": "pinned", "isArchived": "archived"}


def read_keep(source: Source, context: str | None) -> Iterator[Part]:
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
    title, words = own_title(text(note.get("title"))) or "", _keep_words(note)
    content = storable("\n\n".join(filter(None, (title, words))))
    if not content:
        return
    states = {name: True for given, name in _STATES.items() if note.get(given) is True}
    metadata = states | {
        name: value
        for name, value in {
            "edited": _keep_moment(note, "userEditedTimestampUsec"),
            "attachments": texts(note.get("attachments"), "filePath"),
            "shared_with": texts(note.get("sharees"), "email"),
        }.items()
        if value
    }
    values = {
        "title": title or opening(words) or source.path.stem,
        "context": context or "note",
        "date": _keep_moment(note, "createdTimestampUsec") or _keep_moment(note, "userEditedTimestampUsec"),
        "source": "google-keep",
        "tags": list(dict.fromkeys(filter(None, map(line_of, texts(note.get("labels"), "name")))))[:200] or None,
        "metadata": metadata or None,
    }
    try:
        yield Item(document(source.where, content, values))
    except (InvalidInput, TooLarge) as error:
        yield Refused(str(error))


def _keep_words(note: Mapping[str, object]) -> str:
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


def _keep_moment(note: Mapping[str, object], name: str) -> str | None:
    at = seconds(note.get(name))
    return moment(at / 1e6) if at else None


_STAMP: Final = regex(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z")
_BOX: Final = regex(r"<en-todo\b([^<>]{0,200}?)/?>(?:</en-todo>)?", re.I)
_MEDIA: Final = regex(r"<en-(?:media|crypt)\b[^<>]{0,2000}?/?>(?:</en-media>)?", re.I)
#: Most attachments of a note that are read.
_MOST: Final = 100
_LONGEST_NAME: Final = 200


def read_evernote(source: Source, context: str | None) -> Iterator[Part]:
    """Yield each note with its day, tags, author and address, then what is attached to it; one in memory at a time.

    Raises:
        InvalidInput: the file is no sound XML; the notes before the fault are read.
    """
    number = 0
    with source.open() as file:
        try:
            for _, element in iterparse(file, events=("end",)):
                if local(element) == "note":
                    number += 1
                    yield from _evernote_note(element, source, number, context)
                    element.clear()
        except (ParseError, DefusedXmlException, ValueError, LookupError, RecursionError) as error:
            raise InvalidInput(
                f"{source.where!r} is no sound export of Evernote behind note {number:,} ({reason_of(error)}): "
                "export it again."
            ) from error


def _evernote_note(note: Element, source: Source, number: int, context: str | None) -> Iterator[Part]:
    title, day = (
        own_title(_said(note, "title")),
        _evernote_moment(_said(note, "created")) or _evernote_moment(_said(note, "updated")),
    )
    about = next((node for node in note if local(node) == "note-attributes"), Element("none"))
    resources = [node for node in note if local(node) == "resource"]
    words = _evernote_words(_said(note, "content") or "")
    names = [_name(node, at) for at, node in enumerate(resources, 1)]
    if not words and not title and not resources:
        yield LeftOut(f"{source.where}#{number}", "a note without words")
        return
    own = f"{_said(note, 'created') or number} {title or number}"
    yield Record(
        own,
        "\n\n".join(filter(None, (title, words))) or f"File: {', '.join(names)}",
        title=title or opening(words) or f"{source.path.stem} {number}",
        author=_said(about, "author"),
        date=day,
        tags=tuple(filter(None, (node.text for node in note if local(node) == "tag"))),
        metadata={"source_url": _said(about, "source-url"), "attachments": names},
    ).part(source, "evernote", context)
    folder = re.sub(r"\W", "", _said(note, "created") or "") or str(number)
    for name, node in zip(names[:_MOST], resources, strict=False):
        yield from _attached(node, folder, name, source, context)
    if len(resources) > _MOST:
        yield Refused(f"{source.where!r}, note {number:,}: of {len(resources):,} attachments {_MOST} are read.")


def _evernote_words(content: str) -> str:
    """Return the text of a note, boxes of tasks as Markdown has them."""
    page = _BOX.sub(lambda box: f"[{'x' if 'true' in box[1].lower() else ' '}] ", _MEDIA.sub("", content))
    page = page[max(0, page.find("<en-note")) :].replace("<en-note", "<body", 1).replace("</en-note>", "</body>")
    lines = main_text(LexborHTMLParser(page)).strip().split("\n")
    return "\n".join(f"- {line}" if line.startswith(("[ ] ", "[x] ")) else line for line in lines)


def _attached(node: Element, folder: str, name: str, source: Source, context: str | None) -> Iterator[Part]:
    """Yield what an attachment of a known format holds."""
    data = next((child for child in node if local(child) == "data"), None)
    inner_name = PurePosixPath(name.replace("\\", "/")).name or "attachment"
    try:
        inner = source.inside(f"{folder}/{inner_name}", base64.b64decode((data.text or "") if data is not None else ""))
    except (binascii.Error, ValueError) as error:
        yield Refused(f"{source.where!r}, attachment {name!r}: {error}")
    else:
        yield from inner_parts(inner, context, f"{source.where!r}, attachment {name!r}")


def _name(resource: Element, number: int) -> str:
    name = next((node.text for node in resource.iter() if local(node) == "file-name" and node.text), None)
    kind = next((node.text for node in resource if local(node) == "mime" and node.text), "")
    shown = name or f"attachment {number}.{kind.rpartition('/')[2] or 'bin'}"
    return " ".join(shown.replace("\0", "").split())[-_LONGEST_NAME:]


def _said(element: Element, name: str) -> str | None:
    node = next((child for child in element if local(child) == name), None)
    return None if node is None or node.text is None or not node.text.strip() else node.text.strip()


def _evernote_moment(stamp: str | None) -> str | None:
    found = _STAMP.fullmatch(stamp or "")
    return None if found is None else "{}-{}-{}T{}:{}:{}+00:00".format(*found.groups())


_NOTE, _FOLDER, _RESOURCE, _TAG, _TAGGED = "1", "2", "4", "5", "6"
_FIELD: Final = regex(r"([a-z_]{2,40}): ?(.*)")
_LINK: Final = regex(r"(!?)\[([^\]\n]{0,500})\]\(:/([0-9a-f]{32})[^)\n]{0,200}\)")
#: Longest file of a notebook, note or tag, in bytes, and most notebooks above a note.
_LONGEST, _DEEPEST = 20_000_000, 50


@dataclass(slots=True)
class _Export:
    """What the other files of an export say of its notes, by ids."""

    titles: dict[str, str] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)
    tags: dict[str, list[str]] = field(default_factory=dict)

    def take(self, fields: Mapping[str, str], title: str) -> None:
        kind, own = fields.get("type_"), fields.get("id", "")
        if kind == _TAGGED:
            self.tags.setdefault(fields.get("note_id", ""), []).append(fields.get("tag_id", ""))
            return
        self.titles[own] = title
        if kind == _FOLDER:
            self.parents[own] = fields.get("parent_id", "")

    def notebook(self, own: str) -> str:
        """Return the titles of the notebooks around a note, the outermost first."""
        found: list[str] = []
        while own in self.titles and len(found) < _DEEPEST:
            found.append(self.titles[own])
            own = self.parents.get(own, "")
        return " / ".join(reversed(found))

    def linked(self, link: re.Match[str]) -> str:
        """Return a link to a note with its title, and the name of an attachment."""
        title = self.titles.get(link[3])
        return link[2] if link[1] or title is None else f"[[{title}]]"


def read_joplin(source: Source, context: str | None) -> Iterator[Part]:
    """Yield each note with its day, tags and notebook; attachments are left out.

    Raises:
        InvalidInput: it is no tar archive, or is damaged.
    """
    export = _Export()
    for _, title, properties in _members(source):
        export.take(properties, title)
    for name, title, properties in _members(source):
        if properties.get("type_") == _RESOURCE:
            yield LeftOut(f"{source.where}/{title or name}", "attachments of notes")
        elif properties.get("type_") == _NOTE:
            yield _joplin_note(title, properties, export, source, context)


def _joplin_note(title: str, fields: Mapping[str, str], export: _Export, source: Source, context: str | None) -> Part:
    words = _LINK.sub(export.linked, fields.get("", "")).strip()
    if fields.get("is_todo") == "1" and title:
        done = "x" if fields.get("todo_completed", "0") not in {"", "0"} else " "
        words = f"- [{done}] {title}{_due(fields)}\n\n{words}".strip()
    else:
        words = f"# {title}\n\n{words}".strip() if title else words
    if not words:
        return LeftOut(f"{source.where}#{fields.get('id')}", "a note without words")
    return Record(
        fields.get("id") or title,
        storable(words),
        title=own_title(title) or opening(words) or "Note",
        author=fields.get("author") or None,
        date=moment(fields.get("user_created_time")) or moment(fields.get("created_time")),
        tags=tuple(export.titles[tag] for tag in export.tags.get(fields.get("id", ""), ()) if tag in export.titles),
        metadata={
            "notebook": export.notebook(fields.get("parent_id", "")),
            "source_url": fields.get("source_url"),
            "updated": moment(fields.get("user_updated_time")),
        },
    ).part(source, "joplin", context)


def _due(fields: Mapping[str, str]) -> str:
    due = fields.get("todo_due", "0")
    day = moment(int(due) / 1_000) if due.isdecimal() and len(due) < 16 and due != "0" else None
    return "" if day is None else f" (due {day[:10]})"


def _members(source: Source) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield the name of each file of an export, its title, and its fields with the text under an empty name."""
    limits = source.limits
    with source.open() as file:
        try:
            with tarfile.open(fileobj=file, mode="r|*") as archive:
                for number, member in enumerate(archive, 1):
                    if number > limits.members:
                        raise InvalidInput(f"{source.where!r} has over {limits.members:,} members: export it in parts.")
                    if not member.isfile() or PurePosixPath(member.name).suffix != ".md" or member.size > _LONGEST:
                        continue
                    opened = archive.extractfile(member)
                    text = b"" if opened is None else opened.read()
                    yield member.name, *_parsed(text.decode("utf-8", "replace").replace("\r\n", "\n"))
        except TAR_ERRORS as error:
            reason = " ".join(str(error).split())[:100]
            raise InvalidInput(f"{source.where!r} is no export of Joplin that can be read ({reason}).") from error


def _parsed(text: str) -> tuple[str, dict[str, str]]:
    """Return the title of a file, and its fields, which stand below its text."""
    body, _, below = text.rstrip("\n").rpartition("\n\n")
    lines = (below if body or _FIELD.match(below) else text).split("\n")
    fields = {found[1]: found[2] for line in lines if (found := _FIELD.fullmatch(line))}
    title, _, words = body.partition("\n")
    return ("" if _FIELD.fullmatch(title) and not words else title.strip()), fields | {"": words}


_TEXT: Final = regex(r"text\.(?:md|markdown|txt|html?)", re.I)
_ABOUT: Final = "info.json"
_ABOUT_BYTES: Final = 1_000_000


def read_text_bundle(source: Source, context: str | None) -> Iterator[Part]:
    """Yield the text of each note, titled by its heading or its folder, and dated by what its program says of it.

    Raises:
        InvalidInput: it can't be opened.
    """
    with opened(source) as archive:
        names = archive.names()
        for name in names:
            path = PurePosixPath(name)
            if path.name == _ABOUT or any(part.startswith((".", "__MACOSX")) for part in path.parts):
                continue
            if not _TEXT.fullmatch(path.name):
                yield LeftOut(f"{source.where}/{name}", kind_of_file(path))
                continue
            try:
                yield from _text_bundle_note(archive, name, context)
            except InvalidInput as error:
                yield Refused(str(error))


def _text_bundle_note(archive: Archive, name: str, context: str | None) -> Iterator[Part]:
    about = _about(archive, (PurePosixPath(name).parent / _ABOUT).as_posix())
    bear = fields(about.get("net.shinyfrog.bear"))
    if bear.get("trashed") in (1, True):
        yield LeftOut(f"{archive.source.where}/{name}", "in the trash")
        return
    member = archive.source.inside(name, archive.content(name))
    day = moment_or_day(bear.get("creationDate")) or moment_or_day(about.get("creationDate"))
    for part in inner_parts(member, context):
        if isinstance(part, Item) and part.memory.moment() is None and day is not None:
            yield replace(part, memory=replace(part.memory, date=day, date_source=PROPERTIES))
        else:
            yield part


def _about(archive: Archive, name: str) -> Mapping[str, object]:
    if name not in archive.names():
        return {}
    try:
        return fields(json.loads(archive.content(name, _ABOUT_BYTES)))
    except (ValueError, RecursionError):
        return {}
