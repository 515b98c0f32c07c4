"""A zip archive that is no export known by itself: its members, each read as the file that it is."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Final

from ingest.readers.fields import ARCHIVE
from ingest.readers.folder.walk import GENERATED, TEMPLATES
from ingest.readers.formats.inner_files import inner_parts
from ingest.readers.formats.item import Item, Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.formats.zip_archive import opened
from ingest.readers.memories.notion import whole_table

#: Folders of an archive that hold no files of its maker's.
_LEFT_BEHIND: Final = GENERATED | TEMPLATES | {"__MACOSX"}


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield what stands in the members that are of a known format, in the archive's order; others are left out.

    A view of a database of Notion is, too, if the whole of it is there.

    Raises:
        InvalidInput: it can't be opened.
    """
    with opened(source) as archive:
        names = frozenset(archive.names())
        for member in archive.members(lambda name: is_readable_member(name) and whole_table(name) not in names):
            if isinstance(member, Refused):
                yield member
            else:
                yield from member_parts(member, archive.changed(member), context)


def member_parts(member: Source, changed: datetime | None, context: str | None) -> Iterator[Part]:
    """Yield what a member of an archive holds if it is of a known format; an item without a day has the member's."""
    for part in inner_parts(member, context):
        if changed is None or not isinstance(part, Item) or part.memory.moment() is not None or part.memory.is_turn:
            yield part
        else:
            dated = replace(part.memory, date=changed.date().isoformat(), date_source=ARCHIVE)
            yield replace(part, memory=dated)


def is_readable_member(name: str) -> bool:
    """Whether a member is more than what programs leave behind, as in a folder."""
    parts = set(name.replace("\\", "/").split("/"))
    return parts.isdisjoint(_LEFT_BEHIND) and not any(part.startswith(".") for part in parts - {".."})
