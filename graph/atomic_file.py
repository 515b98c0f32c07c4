"""Atomic files: a file gets its name only when it is complete and on the disk."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from core.errors import InvalidInput, Unavailable

#: Characters of a name that its unfinished file has: a name of full length has no room for more.
_SHOWN: Final = 50


@contextmanager
def write_atomically(target: Path) -> Iterator[Path]:
    """Lend an empty file, for this user alone, that replaces `target` when the block ends without an error.

    A process that is killed meanwhile leaves a file `.NAME.….part` next to the target.

    Raises:
        InvalidInput: the target is a folder or a device.
        Unavailable: the disk refuses to keep it, also what the block writes.
    """
    if target.is_dir():
        raise InvalidInput(f"{str(target)!r} is a folder: name a file in it.")
    if target.exists() and not target.is_file():  # a device, which a file would take the place of
        raise InvalidInput(f"{str(target)!r} is not a regular file: name one, or redirect standard output to it.")
    try:
        number, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:_SHOWN]}.", suffix=".part")
        os.close(number)
        part = Path(name)
        try:
            yield part
            sync(part)
            part.replace(target)
            sync(target.parent)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise Unavailable(
            f"{str(target)!r} can't be written ({error}): check that its folder is there and has room."
        ) from error


def sync(path: Path) -> None:
    """Have the disk keep a file, or a folder's list of files, where the system knows how."""
    with suppress(PermissionError):  # Windows opens no folders
        number = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
        try:
            os.fsync(number)
        finally:
            os.close(number)
