"""A source: a file to read, or what stands inside of one, such as a member of an archive."""

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from core.errors import InvalidInput, NotFound, TooLarge
from ingest.readers.formats.archive_limits import USUAL, ArchiveLimits, Unpacked


@dataclass(frozen=True, slots=True)
class Source:
    """What a reader reads: bytes with a name, and nothing else of the disk.

    `path` is absolute; inside another file it is that file's path with the name inside it after a slash. Items take
    their `file_path`, and keys that they do not give themselves, from it. `data` holds what is no file of its own.
    """

    path: Path
    data: bytes | None = None
    #: How many files this one stands inside of.
    depth: int = 0
    #: What is read of it if it is an archive, and what has been unpacked already.
    limits: ArchiveLimits = USUAL
    unpacked: Unpacked = field(default_factory=Unpacked, compare=False)

    @property
    def where(self) -> str:
        """The path with slashes, as errors, keys and `file_path` have it."""
        return self.path.as_posix()

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.path.name

    @property
    def suffix(self) -> str:
        """The suffix of the name in small letters, with its dot; empty if it has none."""
        return self.path.suffix.lower()

    def inside(self, name: str, data: bytes) -> "Source":
        """Return what stands inside of this one under a relative name, which the caller has checked."""
        return Source(self.path / name, data, self.depth + 1, self.limits, self.unpacked)

    def open(self) -> BinaryIO:
        """Open the bytes for reading and seeking; close them.

        Raises:
            NotFound: there is no such file.
            InvalidInput: it is not a regular file, or can't be opened.
        """
        if self.data is not None:
            return io.BytesIO(self.data)
        try:
            if self.path.exists() and not self.path.is_file():
                raise InvalidInput(f"{str(self.path)!r} is not a regular file: name a file, or walk the folder.")
            return self.path.open("rb")
        except FileNotFoundError as error:
            raise NotFound(f"There is no file {str(self.path)!r}: check the path.") from error
        except OSError as error:
            reason = f"{str(self.path)!r} can't be read ({error.strerror}): check its permissions."
            raise InvalidInput(reason) from error

    def content(self, limit_bytes: int) -> bytes:
        """Return all bytes; raises as `open` does.

        Raises:
            TooLarge: there are more than `limit_bytes`.
        """
        with self.open() as file:
            try:
                size = file.seek(0, io.SEEK_END)
                file.seek(0)
                data = b"" if size > limit_bytes else file.read(limit_bytes + 1)
            except OSError as error:
                raise InvalidInput(f"{str(self.path)!r} can't be read ({error.strerror}): try again.") from error
        if max(size, len(data)) > limit_bytes:
            raise TooLarge(f"{str(self.path)!r} has more than {limit_bytes:,} bytes, the most that is read: split it.")
        return data
