"""Readers turn files into memories, one module a format, chosen by suffix."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from core.errors import InvalidInput
from core.interface.memory import CONTEXTS, Memory, check_choice
from ingest.readers import jsonl, mail, markdown, plain_text
from ingest.readers.folders import Walk
from ingest.readers.folders import walk as _walk

__all__ = ["SUFFIXES", "Read", "Walk", "read", "supported", "walk"]


class Read(Protocol):
    """What reads a file as `read` does."""

    def __call__(self, path: Path, *, context: str | None) -> list[Memory]: ...


_Reader = Callable[[Path, str | None], list[Memory]]
_READERS: Final[dict[str, _Reader]] = {
    **dict.fromkeys((".txt", ".text", ".log", ".rst", ".org", ".adoc"), plain_text.read),
    **dict.fromkeys((".md", ".markdown"), markdown.read),
    **dict.fromkeys((".jsonl", ".ndjson"), jsonl.read),
    ".eml": mail.read,
}
#: Every suffix that has a reader, sorted; capitals in a file's own suffix mean nothing.
SUFFIXES: Final[tuple[str, ...]] = tuple(sorted(_READERS))


def supported(path: Path) -> bool:
    """Whether a reader exists for this suffix; the file itself is not looked at."""
    return path.suffix.lower() in _READERS


def read(path: Path, *, context: str | None) -> list[Memory]:
    """Return what the file asks to have remembered, in its own order; a blank file gives an empty list.

    `context` counts for what does not name one itself. Each memory has `file_path` (absolute, with `/`), `source`
    ("file" unless given), and as `key` the same path where the file is one document, so that a changed file replaces
    its former text; no `date` is made up from the file's times. One bad line or field refuses the whole file.

    Raises:
        NotFound: there is no such file.
        InvalidInput: no reader for the suffix, not text, or a field or line is wrong; names the file and the place.
        TooLarge: the file, or a text in it, is over its limit.
    """
    if context is not None:
        check_choice("context", context, CONTEXTS)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise InvalidInput(
            f"{str(path)!r} has a suffix without a reader: save it as one of {', '.join(SUFFIXES)}, or leave it out."
        )
    return reader(_resolved(path), context)


def walk(paths: list[Path]) -> Walk:
    """Return the readable files at and below the paths, and the number passed over by suffix or reason.

    See `Walk` for the order and for what is never looked at.

    Raises:
        NotFound: one of the paths does not exist.
    """
    return _walk(paths, supported)


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        raise InvalidInput(f"{str(path)!r} can't be resolved ({error}): name the file itself, not a link.") from error
