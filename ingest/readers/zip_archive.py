"""Zip archives from anywhere: members one after the other, and by name what is no harmless file."""

import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final
from zipfile import BadZipFile, LargeZipFile, ZipFile, ZipInfo

from core.errors import InvalidInput
from ingest.readers.formats.item import Refused
from ingest.readers.formats.source import Source

#: Most members of an archive, which all have an entry in memory.
MOST_MEMBERS: Final = 100_000
#: Most bytes of one member, and of all that are read of one archive, when they are unpacked.
MEMBER_BYTES: Final = 256_000_000
TOTAL_BYTES: Final = 4_000_000_000
#: A member that is larger than `_SMALL` bytes and was more than this many times as large before it was packed is made
#: to exhaust its reader: deflate reaches 1,032 for one repeated byte, text and markup 5 to 100.
MOST_RATIO: Final = 200
_SMALL: Final = 10_000_000
#: Archives within archives that are opened.
MOST_DEPTH: Final = 2

#: What `zipfile` raises for data that is damaged, encrypted, or packed as it does not know.
_ERRORS: Final = (
    BadZipFile,
    LargeZipFile,
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
    NotImplementedError,
    zlib.error,
)


@dataclass(slots=True)
class Archive:
    """An open archive. Names are those of its members, with slashes; only regular files count."""

    source: Source
    _zip: ZipFile
    _unpacked: int = 0

    def names(self) -> list[str]:
        """Return the names of the members in the archive's order, each once."""
        return list(dict.fromkeys(info.filename for info in self._zip.infolist() if not info.is_dir()))

    def content(self, name: str, limit_bytes: int = MEMBER_BYTES) -> bytes:
        """Return the bytes of a member.

        Raises:
            InvalidInput: there is none, its name leads out of the archive, it is a link, encrypted or damaged, or it is
                larger than it says, than `limit_bytes`, or than is harmless.
        """
        try:
            info = self._zip.getinfo(name)
        except KeyError as error:
            raise InvalidInput(f"{self.source.where!r} has no {name!r} in it: export it again.") from error
        if (fault := self._fault(info, limit_bytes)) is not None:
            raise InvalidInput(f"{self.source.where!r}: {name!r} {fault}.")
        try:
            with self._zip.open(info) as member:
                data = member.read(info.file_size + 1)
        except _ERRORS as error:
            raise InvalidInput(f"{self.source.where!r}: {name!r} is damaged ({error}): pack it again.") from error
        self._unpacked += len(data)
        return data

    def members(self, wanted: Callable[[str], bool]) -> Iterator[Source | Refused]:
        """Yield each member whose name is wanted, one in memory at a time, or why it is refused."""
        for name in self.names():
            if wanted(name):
                try:
                    yield self.source.inside(name, self.content(name))
                except InvalidInput as error:
                    yield Refused(str(error))

    def _fault(self, info: ZipInfo, limit_bytes: int) -> str | None:
        path = PurePosixPath(info.filename.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or (path.parts and ":" in path.parts[0]) or "\0" in info.filename:
            return "leads out of the archive"
        if stat.S_ISLNK(info.external_attr >> 16):
            return "is a link"
        if info.flag_bits & 1:
            return "is encrypted: unpack it with its password"
        if info.file_size > limit_bytes or self._unpacked + info.file_size > TOTAL_BYTES:
            return f"would take {info.file_size:,} bytes unpacked, more than is read: unpack it and split it"
        if info.file_size > max(_SMALL, MOST_RATIO * info.compress_size):
            return f"unpacks {info.compress_size:,} bytes to {info.file_size:,}, as archives made to do harm do"
        return None


@contextmanager
def opened(source: Source) -> Iterator[Archive]:
    """Open an archive.

    Raises:
        InvalidInput: it is no zip file, is damaged, has too many members, or stands too deep in others.
    """
    if source.depth > MOST_DEPTH:
        raise InvalidInput(f"{source.where!r} is an archive within {source.depth} others: unpack it.")
    with source.open() as file:
        try:
            archive = ZipFile(file)
        except _ERRORS as error:
            raise InvalidInput(f"{source.where!r} is not a zip archive that can be read ({error}).") from error
        with archive:
            if (count := len(archive.filelist)) > MOST_MEMBERS:
                raise InvalidInput(f"{source.where!r} has {count:,} members, more than {MOST_MEMBERS:,}: unpack it.")
            yield Archive(source, archive)
