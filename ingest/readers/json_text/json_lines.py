"""Lines of JSON as programs append them to a file: each alone, one at a time, and a broken one costs only itself."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from ingest.readers.formats.item import Refused
from ingest.readers.formats.source import Source

#: Longest line that is decoded, in bytes; images that agents look at stand in lines of some megabytes.
LINE_BYTES: Final = 100_000_000


def json_lines(source: Source) -> Iterator[tuple[int, Mapping[str, object] | Refused]]:
    """Yield the number of each line that is not blank, and its object, or why it is none.

    Raises:
        NotFound, InvalidInput: the source can't be opened.
    """
    with source.open() as file:
        number = 0
        while line := file.readline(LINE_BYTES):
            number += 1
            if line.strip():
                yield number, _object(line, f"{source.where!r} line {number}")


def _object(line: bytes, where: str) -> Mapping[str, object] | Refused:
    try:
        value: object = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return Refused(f"{where}: not JSON ({' '.join(str(error).split())[:80]}): the line is left out.")
    return value if isinstance(value, dict) else Refused(f"{where}: not a JSON object: the line is left out.")
