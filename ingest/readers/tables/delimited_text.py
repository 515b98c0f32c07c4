"""CSV and TSV: rows as items or lines (`rows.py`), read one after the other."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Final

from core.errors import InvalidInput, TooLarge
from ingest.readers.encodings import decoded
from ingest.readers.formats.item import Part
from ingest.readers.formats.source import Source
from ingest.readers.tables.rows import Table, parts

#: Most bytes of a file, and of one cell.
FILE_BYTES: Final = 1_000_000_000
_CELL_CHARS: Final = 10_000_000
#: How much is looked at for the encoding and the delimiter.
_SAMPLE_BYTES: Final = 65_536
_DELIMITERS: Final = ",;\t|"


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield what the rows ask to have remembered.

    Raises:
        InvalidInput: its encoding can't be told, or a row is not delimited text.
        TooLarge: the file is over its limit.
    """
    with source.open() as file:
        sample = file.read(_SAMPLE_BYTES)
        whole = sample.rpartition(b"\n")[0] if len(sample) == _SAMPLE_BYTES else sample
        text = decoded(source, whole or sample)
        marked = sample.startswith((b"\xff\xfe", b"\xfe\xff"))
        encoding = text.guessed or ("utf-16" if marked else "utf-8-sig")
        if file.seek(0, io.SEEK_END) > FILE_BYTES:
            raise TooLarge(f"{source.where!r} has more than {FILE_BYTES:,} bytes, the most that is read: split it.")
        file.seek(0)
        rows = csv.reader(io.TextIOWrapper(file, encoding, newline=""), delimiter=_delimiter(source, text.text))
        yield from parts(Table(source, "", _numbered(source, rows), context, text.metadata))


def _delimiter(source: Source, sample: str) -> str:
    """Return the sign that splits most of the first lines into the same number of cells."""
    if source.suffix == ".tsv":
        return "\t"
    lines = sample.split("\n")[:20]
    counts = {sign: [line.count(sign) for line in lines if line.strip()] for sign in _DELIMITERS}
    return max(_DELIMITERS, key=lambda sign: (min(counts[sign], default=0), sum(counts[sign])))


def _numbered(source: Source, rows: Iterator[Sequence[str]]) -> Iterator[tuple[int, Sequence[str]]]:
    csv.field_size_limit(_CELL_CHARS)
    number = 0
    try:
        for number, row in enumerate(rows, 1):
            yield number, row
    except (csv.Error, UnicodeError) as error:
        raise InvalidInput(
            f"{source.where!r} row {number + 1:,} is not delimited text ({str(error)[:100]}): save it as CSV in UTF-8."
        ) from error
