"""JSON Lines: one object a line, with the arguments of `remember`. This is how conversations are brought in."""

import json
from collections.abc import Iterable, Iterator
from typing import Final, NoReturn

from core.errors import InvalidInput
from core.interface.memory import Memory
from ingest.readers.encodings import text_of
from ingest.readers.fields import NAMES, memory_from
from ingest.readers.formats.item import Item
from ingest.readers.formats.source import Source

#: Most bytes of a file: all of its lines are in memory at once.
FILE_BYTES: Final = 256_000_000


def read(source: Source, context: str | None) -> Iterator[Item]:
    """Yield one memory a line; blank lines are passed over. Lines have no key unless they give one."""
    text = text_of(source, limit_bytes=FILE_BYTES)
    yield from [  # all of them before the first is kept: one bad line refuses the file
        Item(_memory(line, source.where, number, context))
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]


def _memory(line: str, path: str, number: int, context: str | None) -> Memory:
    where = f"{path!r} line {number}"
    values = _object(line, where)
    if unknown := sorted(values.keys() - NAMES):
        raise InvalidInput(f"{where}: {', '.join(unknown)} is not an argument of remember: put it into metadata.")
    if values.get("content") is None:
        raise InvalidInput(f"{where}: content is missing: give each line one.")
    defaults: dict[str, object] = {"source": "file", "file_path": path, "context": context}
    return memory_from(defaults | {name: value for name, value in values.items() if value is not None}, where=where)


def _object(line: str, where: str) -> dict[str, object]:
    try:
        values: object = json.loads(line, object_pairs_hook=_unique, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{where}: not JSON ({str(error)[:100]}): write one JSON object on each line.") from error
    if not isinstance(values, dict):
        raise InvalidInput(f"{where}: not a JSON object: write the arguments of remember as names with values.")
    return values


def _unique(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    values: dict[str, object] = {}
    for name, value in pairs:
        if name in values:
            raise ValueError(f"{name!r:.60} is given twice")
        values[name] = value
    return values


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")
