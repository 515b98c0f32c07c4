"""Readers turn files into items, one module a format (`formats/`), which is chosen by content as well as by suffix."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from core.errors import InvalidInput, NotFound
from core.interface.memory import CONTEXTS, Memory
from core.interface.parameters import check_choice
from ingest.readers.folder import MISSING, Selection, Walk, is_readable
from ingest.readers.folder import walk as _walk
from ingest.readers.formats.format import best, chosen, suffixes
from ingest.readers.formats.source import USUAL, ArchiveLimits, Item, Part, Refused, Source

__all__ = ["MISSING", "Read", "Selection", "Walk", "items", "read", "supported", "walk"]


class Read(Protocol):
    """What reads a file as `items` does."""

    def __call__(self, path: Path, *, context: str | None) -> Iterator[Part]: ...


def supported(path: Path) -> bool:
    """Whether a format exists for this file: by its suffix, else by a look at its beginning.

    A picture is only read where OCR is installed.
    """
    try:
        if path.suffix.lower() in suffixes():
            return True
        known = best(Source(path))
        return known is not None and is_readable(path, known.missing())
    except (InvalidInput, NotFound):
        return False


def items(path: Path, *, context: str | None, limits: ArchiveLimits = USUAL) -> Iterator[Part]:
    """Yield what the file asks to have remembered, in its own order, and what of it had to be refused.

    `context` counts for what does not name one itself, `limits` for archives. Each memory has `file_path` (absolute,
    with `/`), `source` ("file" unless given), and as `key` the same path where the file is one document, so that a
    changed file replaces its former text; an item of several may have as key the path with `#` and its own name. No
    `date` is made up from the file's times. A blank file yields nothing.

    Raises:
        NotFound: there is no such file.
        InvalidInput: it fits no format, its reader needs what is not installed, it is not what it says it is, or a
            field or line is wrong; names the file and the place.
        TooLarge: the file, or a text in it, is over its limit.
    """
    if context is not None:
        check_choice("context", context, CONTEXTS)
    source = Source(_resolved(path), limits=limits)
    yield from chosen(source).read(source, context)


def read(path: Path, *, context: str | None) -> list[Memory]:
    """Return the memories of all items; raises as `items` does.

    Raises:
        InvalidInput: a part was refused.
    """
    memories = []
    for part in items(path, context=context):
        if isinstance(part, Refused):
            raise InvalidInput(part.reason)
        if isinstance(part, Item):
            memories.append(part.memory)
    return memories


def walk(paths: Sequence[Path], selection: Selection | None = None) -> Walk:
    """Return the readable files at and below the paths that are selected, and the number passed over by reason.

    See `Walk` for the order and for what is never looked at.

    Raises:
        NotFound: none of the paths exists.
    """
    return _walk(paths, supported, selection)


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        raise InvalidInput(f"{str(path)!r} can't be resolved ({error}): name the file itself, not a link.") from error
