"""Joplin's export (`.jex`): a tar archive with a file for each note, notebook, tag and attachment.

A note's notebooks are in its `metadata`, its tags are tags, and links to other notes have their titles.
"""

import re
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from lzma import LZMAError
from pathlib import PurePosixPath
from typing import Final

from core.errors import InvalidInput
from ingest.readers.encodings import storable
from ingest.readers.formats.item import LeftOut, Part
from ingest.readers.formats.source import Source
from ingest.readers.json_text.json_values import moment
from ingest.readers.memories.record import Record

_NOTE, _FOLDER, _RESOURCE, _TAG, _TAGGED = "1", "2", "4", "5", "6"
_FIELD: Final = re.compile(r"([a-z_]{2,40}): ?(.*)")
_LINK: Final = re.compile(r"(!?)\[([^\]\n]{0,500})\]\(:/([0-9a-f]{32})[^)\n]{0,200}\)")
#: Longest file of a notebook, note or tag, in bytes, and most notebooks above a note.
_LONGEST, _DEEPEST = 20_000_000, 50
_ERRORS: Final = (tarfile.TarError, EOFError, OSError, zlib.error, LZMAError, ValueError)


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


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield each note with its day, tags and notebook; attachments are left out.

    Raises:
        InvalidInput: it is no tar archive, or is damaged.
    """
    export = _Export()
    for _, title, fields in _members(source):
        export.take(fields, title)
    for name, title, fields in _members(source):
        if fields.get("type_") == _RESOURCE:
            yield LeftOut(f"{source.where}/{title or name}", "attachments of notes")
        elif fields.get("type_") == _NOTE:
            yield _note(title, fields, export, source, context)


def _note(title: str, fields: Mapping[str, str], export: _Export, source: Source, context: str | None) -> Part:
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
        title=title or "Note",
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
        except _ERRORS as error:
            reason = " ".join(str(error).split())[:100]
            raise InvalidInput(f"{source.where!r} is no export of Joplin that can be read ({reason}).") from error


def _parsed(text: str) -> tuple[str, dict[str, str]]:
    """Return the title of a file, and its fields, which stand below its text."""
    body, _, below = text.rstrip("\n").rpartition("\n\n")
    lines = (below if body or _FIELD.match(below) else text).split("\n")
    fields = {found[1]: found[2] for line in lines if (found := _FIELD.fullmatch(line))}
    title, _, words = body.partition("\n")
    return ("" if _FIELD.fullmatch(title) and not words else title.strip()), fields | {"": words}
