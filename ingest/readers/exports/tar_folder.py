"""A tar archive, packed or not, as Google's Takeout gives: its members, each read as the file that it is."""

import tarfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from lzma import LZMAError
from pathlib import PurePosixPath
from typing import Final

from core.errors import InvalidInput
from ingest.readers.exports.zip_folder import is_readable_member, member_parts
from ingest.readers.formats.item import Part, Refused
from ingest.readers.formats.source import Source

_ERRORS: Final = (tarfile.TarError, EOFError, OSError, zlib.error, LZMAError, ValueError)


def read(source: Source, context: str | None) -> Iterator[Part]:
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
        except _ERRORS as error:
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
