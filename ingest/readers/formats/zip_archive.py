"""Zip archives from anywhere: members one after the other, and by name what is no harmless file."""

import io
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from lzma import LZMAError
from pathlib import PurePosixPath
from typing import BinaryIO, Final, cast
from zipfile import BadZipFile, LargeZipFile, ZipFile, ZipInfo

from core.errors import InvalidInput
from ingest.readers.formats.source import Refused, Source

#: Bytes of the list for each member that is allowed, its name among them; they take ten times as much in memory.
_ENTRY_BYTES: Final = 400
#: What `zipfile` raises for a list that is damaged, beside `BadZipFile`.
DAMAGED: Final = (BadZipFile, OSError, ValueError, OverflowError, NotImplementedError, RuntimeError)


class _Guarded(io.BufferedReader):
    """A file of which no more than `most` bytes are read at a time, unless all that is left is asked for."""

    most: int | None = None

    def read(self, size: int | None = -1, /) -> bytes:
        if self.most is not None and size is not None and size > self.most:
            raise BadZipFile(f"its list of members has {size:,} bytes")
        return super().read(size)


@contextmanager
def opened_directory(file: BinaryIO, members: int) -> Iterator[ZipFile]:
    """Open an archive whose list is no longer than so many members need; `file` is closed with it.

    Raises one of `DAMAGED`: it is no archive, is damaged, or the list is longer.
    """
    with _Guarded(cast("io.RawIOBase", file)) as guarded:
        guarded.most = members * _ENTRY_BYTES
        with ZipFile(guarded) as archive:
            guarded.most = None
            yield archive


#: A member of so many bytes does no harm, however small it was packed.
_SMALL: Final = 10_000_000

#: The year of members whose time is not known.
_NO_YEAR: Final = 1980
#: What `zipfile` raises for members that are damaged, encrypted, or packed as it does not know.
_ERRORS: Final = (*DAMAGED, EOFError, LargeZipFile, zlib.error, LZMAError)


@dataclass(slots=True)
class Archive:
    """An open archive. Names are those of its members, with slashes; only regular files count."""

    source: Source
    _zip: ZipFile

    def names(self) -> list[str]:
        """Return the names of the members in the archive's order, each once."""
        names = (info.filename for info in self._zip.infolist())
        return list(dict.fromkeys(name for name in names if name and not name.endswith("/")))

    def content(self, name: str, limit_bytes: int | None = None) -> bytes:
        """Return the bytes of a member.

        Raises:
            InvalidInput: there is none, its name leads out of the archive, it is a link, encrypted or damaged, or it is
                larger than it says, than `limit_bytes`, or than the limits of the source.
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
        self.source.unpacked.count += len(data)
        return data

    def changed(self, member: Source) -> datetime | None:
        """Return when a member was changed by the clock of who packed it, None if the archive does not say."""
        info = self._zip.getinfo(member.path.relative_to(self.source.path).as_posix())
        try:
            moment = datetime(*info.date_time)  # noqa: DTZ001 - archives have no zone
        except ValueError:
            return None
        return moment if moment.year > _NO_YEAR else None

    def members(self, wanted: Callable[[str], bool]) -> Iterator[Source | Refused]:
        """Yield each member whose name is wanted, one in memory at a time, or why it is refused."""
        for name in self.names():
            if wanted(name):
                try:
                    yield self.source.inside(name, self.content(name))
                except InvalidInput as error:
                    yield Refused(str(error))

    def _fault(self, info: ZipInfo, limit_bytes: int | None) -> str | None:
        limits = self.source.limits
        path = PurePosixPath(info.filename.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or (path.parts and ":" in path.parts[0]) or "\0" in info.filename:
            return "leads out of the archive"
        if stat.S_ISLNK(info.external_attr >> 16):
            return "is a link"
        if info.flag_bits & 1:
            return "is encrypted: unpack it with its password"
        left = limits.total_bytes - self.source.unpacked.count
        if info.file_size > min(limit_bytes or limits.member_bytes, limits.member_bytes, left):
            return f"would take {info.file_size:,} bytes unpacked, more than is read: unpack it and split it"
        if info.file_size > max(_SMALL, limits.ratio * info.compress_size):
            return f"unpacks {info.compress_size:,} bytes to {info.file_size:,}, as archives made to do harm do"
        return None


@contextmanager
def opened(source: Source) -> Iterator[Archive]:
    """Open an archive.

    Raises:
        InvalidInput: it is no zip file, is damaged, has too many members, or stands too deep in others.
    """
    limits = source.limits
    if source.depth > limits.depth:
        raise InvalidInput(f"{source.where!r} is an archive within {source.depth} others: unpack it.")
    with ExitStack() as stack:
        try:
            archive = stack.enter_context(opened_directory(source.open(), limits.members))
        except _ERRORS as error:
            raise InvalidInput(f"{source.where!r} is not a zip archive that can be read ({error}).") from error
        if (count := len(archive.filelist)) > limits.members:
            raise InvalidInput(f"{source.where!r} has {count:,} members, more than {limits.members:,}: unpack it.")
        yield Archive(source, archive)
