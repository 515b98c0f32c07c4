"""Apple's notes as it gives them on request (privacy.apple.com): an archive of a folder for each note.

The days of all notes are in a table beside them.
"""

import csv
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Final

from core.errors import InvalidInput
from ingest.readers.encodings import decoded
from ingest.readers.exports.zip_folder import is_readable_member
from ingest.readers.formats.inner_files import inner_parts
from ingest.readers.formats.item import LeftOut, Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.formats.zip_archive import Archive, opened
from ingest.readers.memories.record import Record

_TABLE: Final = "Notes Details.csv"
_DELETED: Final = "Recently Deleted"
_NOTES: Final = "Notes"
_TIME: Final = "%m-%d-%Y %H:%M:%S"


def read(source: Source, context: str | None) -> Iterator[Part]:
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
        date=_moment(about.get("Created On")) or _moment(about.get("Modified On")),
        metadata={
            "folder": " / ".join(folder),
            "updated": _moment(about.get("Modified On")),
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


def _moment(written: str | None) -> str | None:
    try:
        return None if written is None else datetime.strptime(written, _TIME).isoformat()  # noqa: DTZ007 - as given
    except ValueError:
        return None
