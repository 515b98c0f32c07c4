"""What a reader is given and what it yields: a source, limits for archives, and items, refused or left-out parts."""

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from core.errors import InvalidInput, NotFound, TooLarge
from core.interface.memory import Memory


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """How much of an archive is read; what is over a limit is refused by name. The settings have the same defaults."""

    #: Most members, which all have an entry in memory.
    members: int = 100_000
    #: Most bytes of one member when it is unpacked.
    member_bytes: int = 256_000_000
    #: Most bytes of all members that are unpacked, those of archives within among them.
    total_bytes: int = 4_000_000_000
    #: A member of over 10 MB that was more than this many times as large before it was packed is made to exhaust its
    #: reader: deflate reaches 1,032 for one repeated byte, text and markup 5 to 100.
    ratio: int = 200
    #: Archives within archives that are opened.
    depth: int = 2


#: The limits where none are given.
USUAL: Final = ArchiveLimits()


@dataclass(slots=True)
class Unpacked:
    """How many bytes have been unpacked of a file and the archives in it."""

    count: int = 0


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


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part of an item's content stands in its file: from character `start_char` on it is `name` ("page 3")."""

    start_char: int
    name: str


@dataclass(frozen=True, slots=True)
class Item:
    """A memory, the places of its parts in ascending order, and whether its author is who sent or said it.

    An author who is only named in the file, as in front matter or the properties of a document, counts no more than
    the file (`ingest.intake.files`). `context_detected` is whether its context was detected in its lines:
    False if somebody named it, None as long as nobody looked.
    """

    memory: Memory
    places: tuple[Place, ...] = ()
    spoken: bool = False
    context_detected: bool | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A part that can't be read, while the rest of the file can; `reason` names file, part and what to do."""

    reason: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A part that is left out by design, such as a picture in an archive or a note in the trash.

    `reason` says why in a few words, in which such parts are counted; `name` is its path.
    """

    name: str
    reason: str


#: What reading a file gives, one after the other.
Part = Item | Refused | LeftOut
