"""Rows of a table as items or as lines of one text; and CSV and TSV, read row by row."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from core.errors import InvalidInput, TooLarge
from core.interface.memory import MAX_FIELD
from core.regex import regex
from ingest.readers.encodings import decoded, storable
from ingest.readers.fields import date_of, document, line_of, memory_from
from ingest.readers.formats.source import Item, Part, Place, Refused, Source

#: Most rows and characters of an item of rows, so that a table of any length is read in bounded memory.
MOST_ROWS, _MOST_CHARS = 1_000, 500_000
#: Most columns whose names are kept; the rest of a row has none.
_MOST_COLUMNS: Final = 1_000
#: Names of columns, in small letters, that give a field; the first of a field that a table has is taken.
_COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "content": ("content", "text", "body", "message", "memory"),
    "title": ("title", "subject", "heading", "headline"),
    "author": ("author", "from", "sender", "speaker", "created by", "created_by"),
    "date": ("date", "created", "created_at", "created at", "timestamp", "datetime", "time"),
    "source_url": ("url", "link", "source_url"),
    "source_id": ("id", "uuid", "message_id", "source_id"),
}
_TAGS: Final = ("tags", "labels", "categories")
#: Names of columns that hold the texts of a table only if each other column gives a field: "Date, Note" is a list of
#: notes, "Task, Owner, Notes" a list of tasks.
_REMARKS: Final = ("note", "notes", "comment", "comments", "remark", "remarks")


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a file: a name that is empty where it is the only one, and its rows with their numbers from 1."""

    source: Source
    name: str
    rows: Iterator[tuple[int, Sequence[str]]]
    context: str | None
    metadata: Mapping[str, object] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """What stands in front of a row's number in its place."""
        return f"sheet {self.name}, " if self.name else ""

    @property
    def title(self) -> str:
        """The title of the whole table."""
        stem = self.source.path.stem
        return f"{stem}: {self.name}" if self.name else stem

    @property
    def key(self) -> str:
        """The key of the whole table."""
        return f"{self.source.where}#{self.name}" if self.name else self.source.where


def parts(table: Table) -> Iterator[Part]:
    """Yield the table's items in the order of its rows; its first row that is not blank holds the names of columns."""
    filled = ((number, row) for number, row in table.rows if any(map(str.strip, row)))
    first = next(filled, None)
    if first is None:
        return
    names = [" ".join(name.split()) for name in first[1][:_MOST_COLUMNS]]
    columns = _mapping(names)
    if "content" in columns:
        yield from _entries(table, filled, names, columns)
    else:
        yield from _pages(table, filled, names, first)


def _mapping(names: Sequence[str]) -> dict[str, int]:
    """Return which column gives which field."""
    lower = [name.lower() for name in names]
    found = {
        given: next((lower.index(name) for name in known if name in lower), None) for given, known in _COLUMNS.items()
    }
    columns = {given: column for given, column in found.items() if column is not None}
    rest = [at for at, name in enumerate(lower) if name and name not in _TAGS and at not in columns.values()]
    if "content" not in columns and len(rest) == 1 and lower[rest[0]] in _REMARKS:
        columns["content"] = rest[0]
    return columns


def _entries(
    table: Table, rows: Iterator[tuple[int, Sequence[str]]], names: Sequence[str], columns: Mapping[str, int]
) -> Iterator[Part]:
    """Yield an item a row: its text, then a line with the cells that give no field."""
    for number, row in rows:
        where = f"{table.key}#row {number}"
        cells = dict(enumerate(map(storable, row)))
        values: dict[str, object] = {given: line_of(cells.get(column)) for given, column in columns.items()}
        rest = {at: cell for at, cell in cells.items() if at not in columns.values()}
        tagged = [at for at in rest if at < len(names) and names[at].lower() in _TAGS]
        tags = [tag for at in tagged for tag in _split(rest.pop(at))]
        if values.get("date") and date_of(str(values["date"])) is None:
            rest[columns["date"]] = str(values.pop("date"))
        text = cells.get(columns["content"], "").strip()
        said = _line([rest.get(at, "") for at in range(len(row))], names)
        values |= {"content": "\n\n".join(filter(None, (text, said))) or _line(row, names), "tags": tags or None}
        own = values.get("source_id")
        fixed = {
            "source": "file", "file_path": table.source.where, "context": table.context,
            "key": f"{table.key}#{own}" if own else where, "metadata": dict(table.metadata) or None,
        }  # fmt: skip
        try:
            yield Item(memory_from(fixed | values, where=repr(where)), (Place(0, f"{table.place}row {number}"),))
        except (InvalidInput, TooLarge) as error:
            yield Refused(str(error))


def _split(cell: str) -> list[str]:
    return [tag for part in cell.replace(";", ",").split(",") if (tag := part.strip()[:MAX_FIELD])]


def _pages(
    table: Table,
    rows: Iterator[tuple[int, Sequence[str]]],
    names: Sequence[str],
    first: tuple[int, Sequence[str]],
) -> Iterator[Part]:
    """Yield items of many rows, each row a line that names its columns, so that it is understood alone."""
    lines = ((number, _line(row, names)) for number, row in rows)
    begin = next(lines, None)
    if begin is None:  # a table of one row has no names
        begin = (first[0], " · ".join(cell.strip() for cell in first[1] if cell.strip()))
    waiting: tuple[int, str] | None = begin
    page = 0
    while waiting is not None:
        taken, size = [waiting], len(waiting[1])
        waiting = None
        for number, line in islice(lines, MOST_ROWS - 1):
            if size + len(line) >= _MOST_CHARS:
                waiting = (number, line)
                break
            taken.append((number, line))
            size += len(line) + 1
        else:
            waiting = next(lines, None)
        yield _page(table, taken, is_first=page == 0)
        page += 1


def _page(table: Table, taken: Sequence[tuple[int, str]], *, is_first: bool) -> Part:
    places, at = [], 0
    for number, line in taken:
        places.append(Place(at, f"{table.place}row {number}"))
        at += len(line) + 1
    values = {
        "title": table.title if is_first else f"{table.title}, rows {taken[0][0]} to {taken[-1][0]}",
        "key": table.key if is_first else f"{table.key}#row {taken[0][0]}",
        "context": table.context,
        "metadata": dict(table.metadata) or None,
    }
    try:
        content = storable("\n".join(line for _, line in taken))
        return Item(document(table.source.where, content, values), tuple(places))
    except (InvalidInput, TooLarge) as error:
        return Refused(str(error))


def _line(row: Sequence[str], names: Sequence[str]) -> str:
    cells = [(names[at] if at < len(names) else "", " ".join(cell.split())) for at, cell in enumerate(row)]
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in cells if cell)


#: Most bytes of a file, and of one cell.
FILE_BYTES: Final = 1_000_000_000
_CELL_CHARS: Final = 10_000_000
#: How much is looked at for the encoding and the delimiter.
_SAMPLE_BYTES: Final = 65_536
_DELIMITERS: Final = ",;\t|"
#: The line above the names of columns that tells Excel the delimiter.
_TOLD: Final = regex(r"\ufeff?\"?sep=(?P<sign>[,;|\t])\"?\r?\n", re.I)


def read_delimited_text(source: Source, context: str | None) -> Iterator[Part]:
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
        lines = io.TextIOWrapper(file, encoding, newline="")
        told = _TOLD.match(text.text)
        if told is not None:
            lines.readline()
        rows = csv.reader(lines, delimiter=_delimiter(source, text.text) if told is None else told["sign"])
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
