"""A zip archive that is no export known by itself: its members, each read as the file that it is."""

from collections.abc import Iterator
from typing import Final

from core.errors import InvalidInput, NotFound, TooLarge
from ingest.readers.folder.walk import GENERATED
from ingest.readers.formats.item import Part, Refused
from ingest.readers.formats.registry import best
from ingest.readers.formats.source import Source
from ingest.readers.formats.zip_archive import opened
from ingest.readers.memories.notion import whole_table

#: Folders of an archive that hold no files of its maker's.
_LEFT_BEHIND: Final = GENERATED | {"__MACOSX"}


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield what stands in the members that are of a known format, in the archive's order; others are passed over.

    A view of a database of Notion is, too, if the whole of it is there.

    Raises:
        InvalidInput: it can't be opened.
    """
    with opened(source) as archive:
        names = frozenset(archive.names())
        for member in archive.members(lambda name: _is_looked_at(name) and whole_table(name) not in names):
            if isinstance(member, Refused):
                yield member
                continue
            try:
                if (known := best(member)) is not None:
                    yield from known.read(member, context)
            except (InvalidInput, NotFound, TooLarge) as error:
                yield Refused(str(error))


def _is_looked_at(name: str) -> bool:
    """Whether a member is more than what programs leave behind, as in a folder."""
    parts = set(name.replace("\\", "/").split("/"))
    return parts.isdisjoint(_LEFT_BEHIND) and not any(part.startswith(".") for part in parts - {".."})
