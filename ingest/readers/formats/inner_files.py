"""Files inside of other files, such as attachments and members of archives: each is read as the file that it is."""

from collections.abc import Iterator
from typing import Final

from core.errors import InvalidInput, NotFound, TooLarge
from ingest.readers.folder.walk import is_readable, kind_of_file
from ingest.readers.formats.item import LeftOut, Part, Refused
from ingest.readers.formats.registry import best
from ingest.readers.formats.source import Source

#: Files around one that is read, unless the limits of archives allow more.
_DEEPEST: Final = 3


def inner_parts(inner: Source, context: str | None, where: str | None = None) -> Iterator[Part]:
    """Yield what a file inside of another one holds.

    One of no format is left out, and so is one whose reader is not installed; one that can't be read is refused, by
    `where` if its own place does not say which it is.
    """
    try:
        if (known := best(inner)) is None or not is_readable(inner.path, known.missing()):
            yield LeftOut(inner.where, kind_of_file(inner.path))
        elif inner.depth > max(_DEEPEST, inner.limits.depth + 1):
            yield Refused(
                f"{where or repr(inner.where)}: it is inside of {inner.depth} other files: save it as a file."
            )
        else:
            yield from known.read(inner, context)
    except (InvalidInput, NotFound, TooLarge) as error:
        yield Refused(f"{where}: {error}" if where else str(error))
