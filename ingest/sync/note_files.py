"""The files of a synced folder: written whole, never through a link, and never in place of what was just edited."""

import hashlib
import os
from pathlib import Path
from secrets import token_hex
from typing import Final

from core.errors import Conflict
from graph.atomic_file import sync, write_atomically
from ingest.intake.known_files import file_digest
from ingest.sync.notes import path_beside

#: Where copies of notes go that leave the folder or are written over; Obsidian's own name for it.
TRASH: Final = ".trash"


class EditedError(Exception):
    """A note is not any more as it was."""


class NoteFiles:
    """The files of one folder, by their paths in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, path: str, text: str, *, former: str = "") -> None:
        """Write a file, in place of one with the digest `former` if that is given.

        Raises:
            EditedError: it is not that file any more.
            Conflict: a folder on its way is a link or a file.
            Unavailable: the disk refuses it.
        """
        file = self._folder / path
        for above in reversed(list(file.relative_to(self._folder).parents)[:-1]):
            place = self._folder / above
            try:
                place.mkdir(exist_ok=True)
            except OSError as error:
                raise Conflict(
                    f"{place.as_posix()!r} can't be a folder of notes ({error.strerror}): rename it."
                ) from error
            if place.is_symlink():
                raise Conflict(f"{place.as_posix()!r} is a link, which is not followed: rename it or make it a folder.")
        mode = file.stat().st_mode & 0o777 if file.is_file() else None
        with write_atomically(file) as part:
            part.write_bytes(text.encode("utf-8", "surrogateescape"))
            if mode is not None:
                part.chmod(mode)
            sync(part)  # takes long, in which somebody may edit
            if former and file_digest(file) != former:
                raise EditedError

    def keep_copy(self, path: str, data: bytes) -> None:
        """Put a copy into the trash, unless one with the same bytes is there. Raises as `put`."""
        number, name = 1, f"{TRASH}/{path}"
        while (file := self._folder / name).exists():
            if file.read_bytes() == data:
                return
            number += 1
            name = f"{TRASH}/{path_beside(path, str(number))}"
        self.put(name, data.decode("utf-8", "surrogateescape"))

    def take_out(self, path: str, digest: str, *, keeps_copy: bool) -> None:
        """Remove a note with this digest. Raises as `put`, and OSError."""
        file = self._folder / path
        data = file.read_bytes()
        if hashlib.sha256(data).hexdigest() != digest:
            raise EditedError
        if keeps_copy:
            self.keep_copy(path, data)
        aside = file.with_name(f".{token_hex(8)}.part")
        file.rename(aside)
        is_edited = file_digest(aside) != digest
        if is_edited and not os.path.lexists(file):
            aside.rename(file)
        elif is_edited:
            self.keep_copy(path, aside.read_bytes())
        aside.unlink(missing_ok=True)
        if is_edited:
            raise EditedError
