"""The list of members at a zip archive's end, which says of itself how long it is."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final, cast
from zipfile import BadZipFile, ZipFile

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
