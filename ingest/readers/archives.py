"""Files in other files: members of zip and tar archives and attachments, each read as the file that it is."""

import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from lzma import LZMAError
from pathlib import PurePosixPath
from typing import Final

from core.errors import InvalidInput, NotFound, TooLarge
from ingest.readers.fields import ARCHIVE
from ingest.readers.folder import GENERATED, TEMPLATES, is_readable, kind_of_file
from ingest.readers.formats.format import best
from ingest.readers.formats.source import Item, LeftOut, Part, Refused, Source
from ingest.readers.formats.zip_archive import opened
from ingest.readers.memories.wikis import whole_table

#: Files around one that is read, unless the limits of archives allow more.
_DEEPEST: Final = 3


def inner_parts(inner: Source, context: str | None, where: str | None = None) -> Iterator[Part]:
    """Yield what a file inside of another one holds.

    One of no format is left out, and so is one whose reader is not installed; one that can't be read is refused, by
    `where` if its own place does not say which it is.
    """
    try:
        if (known := best(inner)) is None or not is_readable(inner.path, known.missing()):
            yield LeftOut(inner.where, kind_of_file(inner.path))
        elif inner.depth > max(_DEEPEST, inner.limits.depth + 1):
            yield Refused(
                f"{where or repr(inner.where)}: it is inside of {inner.depth} other files: save it as a file."
            )
        else:
            yield from known.read(inner, context)
    except (InvalidInput, NotFound, TooLarge) as error:
        yield Refused(f"{where}: {error}" if where else str(error))


def documents(source: Source, stem: str) -> Iterator[Source | Refused]:
    """Yield the source, or of a zip archive its members `stem`.json and `stem`-000.json and so on, one at a time.

    Raises:
        InvalidInput: the archive can't be opened.
    """
    with source.open() as file:
        packed = file.read(2) == b"PK"
    if not packed:
        yield source
        return
    with opened(source) as archive:
        yield from archive.members(lambda name: _is_part(name, stem))


def _is_part(name: str, stem: str) -> bool:
    path = PurePosixPath(name)
    return path.suffix == ".json" and (path.stem == stem or path.stem.startswith(f"{stem}-"))


#: Folders of an archive that hold no files of its maker's.
_LEFT_BEHIND: Final = GENERATED | TEMPLATES | {"__MACOSX"}


def read_zip(source: Source, context: str | None) -> Iterator[Part]:
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


#: What reading a damaged tar archive raises.
TAR_ERRORS: Final = (tarfile.TarError, EOFError, OSError, zlib.error, LZMAError, ValueError)


def read_tar(source: Source, context: str | None) -> Iterator[Part]:
    """Yield what the members of a known format hold, in the archive's order; others are left out.

    Raises:
        InvalidInput: it is no tar archive, is damaged, has too many members, or is too deep in others.
    """
    limits = source.limits
    if source.depth > limits.depth:
        raise InvalidInput(f"{source.where!r} is an archive within {source.depth} others: unpack it.")
    with source.open() as file:
        try:
            with tarfile.open(fileobj=file, mode="r|*") as archive:
                for number, member in enumerate(archive, 1):
                    if number > limits.members:
                        raise InvalidInput(f"{source.where!r} has over {limits.members:,} members: unpack it.")
                    if not member.isfile() or not is_readable_member(member.name):
                        continue
                    if (fault := _fault(member, source)) is not None:
                        yield Refused(f"{source.where!r}: {member.name!r} {fault}.")
                        continue
                    opened = archive.extractfile(member)
                    data = b"" if opened is None else opened.read()
                    source.unpacked.count += len(data)
                    changed = datetime.fromtimestamp(member.mtime, UTC) if member.mtime > 0 else None
                    yield from member_parts(source.inside(member.name, data), changed, context)
        except TAR_ERRORS as error:
            reason = " ".join(str(error).split())[:100]
            raise InvalidInput(f"{source.where!r} is not a tar archive that can be read ({reason}).") from error


def _fault(member: tarfile.TarInfo, source: Source) -> str | None:
    """Return why a member is not read, None if it is."""
    path = PurePosixPath(member.name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or "\0" in member.name:
        return "leads out of the archive"
    limits = source.limits
    if member.size > min(limits.member_bytes, limits.total_bytes - source.unpacked.count):
        return f"would take {member.size:,} bytes unpacked, more than is read: unpack it and split it"
    return None
