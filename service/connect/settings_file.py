"""A file of a client's settings: read whole, replaced whole, with a copy of what it was."""

import difflib
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Self, TypeVar

from core.errors import Conflict, InvalidInput, TooLarge, Unavailable
from graph.atomic_file import write_atomically
from service.connect.clients import Change
from service.connect.settings_text import add_entries, has_entries, is_ours, remove_entries, written_tools

#: Largest file that is edited, in bytes: Claude Code keeps histories of prompts in the same file as its servers.
_MOST_BYTES: Final = 32 * 1024 * 1024
#: What is added to a file's name for the copy of what it was before.
COPY: Final = ".before-remembrancer"
_MARK: Final = "\N{ZERO WIDTH NO-BREAK SPACE}"

#: What is in every file that is all ours.
_OURS: Final = "Written by `remembrancer connect`"

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Edit:
    """What is to be made of a file: None is no file. `copy` is where what it was is kept, if that is to be written."""

    file: Path
    before: bytes | None
    after: bytes | None
    copy: Path | None = None
    #: A copy that is needed no more when this is done.
    spent: Path | None = None

    @classmethod
    def to_connect(cls, change: Change) -> Self:
        """Return the edit that writes our entries.

        Raises:
            InvalidInput, Conflict, TooLarge, Unavailable: the file can't be read, or not edited without harm.
        """
        file = _resolved(change.file)
        before = _read(file)
        text = _text(file, before)
        copy = file.with_name(file.name + COPY)
        if change.content is not None:
            is_foreign = before is not None and _OURS not in text
            return cls(file, before, change.content.encode(), copy if is_foreign else None)
        after = _placed(file, lambda: add_entries(text, change))
        is_first = (
            before is not None and not is_ours(text, change) and not (copy.exists() and has_entries(text, change))
        )
        return cls(file, before, _bytes(after, before), copy if is_first else None)

    @classmethod
    def to_undo(cls, change: Change) -> Self:
        """Return the edit that takes them back: exactly, if the file has not been changed since.

        Raises:
            InvalidInput, Conflict, TooLarge, Unavailable: the file can't be read, or not edited without harm.
        """
        file = _resolved(change.file)
        before, copy = _read(file), file.with_name(file.name + COPY)
        if before is None:
            return cls(file, None, None)
        past, text = _read(copy), _text(file, before)
        if change.content is not None:
            is_ours = before == change.content.encode() or _OURS in text
            return cls(file, before, past if is_ours else before, spent=copy if is_ours else None)
        if _bytes(add_entries(_text(copy, past), change), past) == before:
            return cls(file, before, past, spent=copy)
        after = _placed(file, lambda: remove_entries(text, change, None if past is None else _text(copy, past)))
        return cls(file, before, _bytes(after, before), spent=copy)

    @property
    def is_needed(self) -> bool:
        """Whether anything changes."""
        return self.before != self.after

    def lines(self) -> list[str]:
        """Return the change as a unified diff."""
        before, after = (_text(self.file, data).splitlines(keepends=True) for data in (self.before, self.after))
        named = [str(self.file) if data is not None else "no file" for data in (self.before, self.after)]
        return [line.rstrip("\r\n") for line in difflib.unified_diff(before, after, named[0], named[1], n=2)]

    def write(self) -> None:
        """Make the change, all of it or nothing.

        Raises:
            Conflict: the file was changed since it was read.
            Unavailable: the disk refuses.
        """
        if _read(self.file) != self.before:
            raise Conflict(f"{str(self.file)!r} was changed meanwhile, maybe by its program: run this again.")
        if self.copy is not None and self.before is not None:
            _replace(self.copy, self.before, like=self.file)
        if self.after is None:
            self.file.unlink(missing_ok=True)
        else:
            _replace(self.file, self.after, like=self.file)

    def take_back(self) -> None:
        """Put back what the file was; the copy stays."""
        if self.before is None:
            self.file.unlink(missing_ok=True)
        else:
            _replace(self.file, self.before, like=self.file)


def find_tools(changes: Sequence[Change]) -> str | None:
    """Return the tools that a client is set to be served; None if it is not connected, or no set was chosen.

    Raises:
        InvalidInput, Conflict, TooLarge, Unavailable: a file can't be read.
    """
    for change in changes:
        file = _resolved(change.file)
        text = "" if change.content is not None else _text(file, _read(file))
        if change.content is None and (tools := _placed(file, partial(written_tools, text, change))) is not None:
            return tools
    return None


def write_all(edits: Sequence[Edit]) -> None:
    """Make all of the changes, or none, and remove copies that are spent; raises as `Edit.write` does."""
    done: list[Edit] = []
    try:
        for edit in edits:
            edit.write()
            done.append(edit)
    except BaseException:
        for edit in done:
            edit.take_back()
        raise
    for edit in done:
        if edit.spent is not None:
            edit.spent.unlink(missing_ok=True)


def _replace(file: Path, data: bytes, *, like: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unavailable(f"{str(file.parent)!r} can't be made ({error}): check who may write there.") from error
    with write_atomically(file) as part:
        part.write_bytes(data)
        if like.exists():
            shutil.copymode(like, part)


def _resolved(file: Path) -> Path:
    try:
        return file.resolve()
    except (OSError, RuntimeError) as error:  # Python 3.11 and 3.12 call a link to itself a RuntimeError
        raise Unavailable(f"{str(file)!r} is a link that leads nowhere: remove it and run this again.") from error


def _read(file: Path) -> bytes | None:
    try:
        if not file.exists():
            return None
        if not file.is_file():
            raise InvalidInput(f"{str(file)!r} is no regular file: move it away and run this again.")
        if (size := file.stat().st_size) > _MOST_BYTES:
            raise TooLarge(f"{str(file)!r} has {size:,} bytes: at most {_MOST_BYTES:,} are edited.")
        return file.read_bytes()
    except OSError as error:
        raise Unavailable(f"{str(file)!r} can't be read ({error}): check who may read it.") from error


def _text(file: Path, data: bytes | None) -> str:
    try:
        return "" if data is None else data.decode("utf-8").removeprefix(_MARK)
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{str(file)!r} is not UTF-8 (byte {error.start:,}): correct it, nothing was written."
        ) from error


def _bytes(text: str, before: bytes | None) -> bytes:
    """Return a text as it is written: with a byte order mark if it had one."""
    mark = _MARK if before is not None and before.startswith(_MARK.encode()) else ""
    return f"{mark}{text}".encode()


def _placed(file: Path, make: Callable[[], Made]) -> Made:
    """Return what is made of a file's text; its errors name the file."""
    try:
        return make()
    except (InvalidInput, Conflict) as error:
        raise type(error)(
            f"{str(file)!r}, {error}: correct it by hand and run this again; nothing was written."
        ) from error
