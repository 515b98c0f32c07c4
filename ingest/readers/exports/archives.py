"""The documents of an export that comes as files in a zip archive, or as one of those files."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from ingest.readers.formats.item import Refused
from ingest.readers.formats.source import Source
from ingest.readers.formats.zip_archive import opened


def documents(source: Source, stem: str) -> Iterator[Source | Refused]:
    """Yield the source, or of a zip archive its members `stem`.json and `stem`-000.json and so on, one at a time.

    Raises:
        InvalidInput: the archive can't be opened.
    """
    with source.open() as file:
        packed = file.read(2) == b"PK"
    if not packed:
        yield source
        return
    with opened(source) as archive:
        yield from archive.members(lambda name: _is_part(name, stem))


def _is_part(name: str, stem: str) -> bool:
    path = PurePosixPath(name)
    return path.suffix == ".json" and (path.stem == stem or path.stem.startswith(f"{stem}-"))
