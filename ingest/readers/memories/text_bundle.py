"""TextBundle (`.textpack`, and Bear's backups): zip archives of notes, each a folder with a text and its pictures."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from core.errors import InvalidInput
from ingest.readers.fields import PROPERTIES
from ingest.readers.folder.walk import kind_of_file
from ingest.readers.formats.inner_files import inner_parts
from ingest.readers.formats.item import Item, LeftOut, Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.formats.zip_archive import Archive, opened
from ingest.readers.json_text.json_values import fields, moment_or_day

_TEXT: Final = re.compile(r"text\.(?:md|markdown|txt|html?)", re.I)
_ABOUT: Final = "info.json"
_ABOUT_BYTES: Final = 1_000_000


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield the text of each note, titled by its heading or its folder, and dated by what its program says of it.

    Raises:
        InvalidInput: it can't be opened.
    """
    with opened(source) as archive:
        names = archive.names()
        for name in names:
            path = PurePosixPath(name)
            if path.name == _ABOUT or any(part.startswith((".", "__MACOSX")) for part in path.parts):
                continue
            if not _TEXT.fullmatch(path.name):
                yield LeftOut(f"{source.where}/{name}", kind_of_file(path))
                continue
            try:
                yield from _note(archive, name, context)
            except InvalidInput as error:
                yield Refused(str(error))


def _note(archive: Archive, name: str, context: str | None) -> Iterator[Part]:
    about = _about(archive, (PurePosixPath(name).parent / _ABOUT).as_posix())
    bear = fields(about.get("net.shinyfrog.bear"))
    if bear.get("trashed") in (1, True):
        yield LeftOut(f"{archive.source.where}/{name}", "in the trash")
        return
    member = archive.source.inside(name, archive.content(name))
    day = moment_or_day(bear.get("creationDate")) or moment_or_day(about.get("creationDate"))
    for part in inner_parts(member, context):
        if isinstance(part, Item) and part.memory.moment() is None and day is not None:
            yield replace(part, memory=replace(part.memory, date=day, date_source=PROPERTIES))
        else:
            yield part


def _about(archive: Archive, name: str) -> Mapping[str, object]:
    if name not in archive.names():
        return {}
    try:
        return fields(json.loads(archive.content(name, _ABOUT_BYTES)))
    except (ValueError, RecursionError):
        return {}
