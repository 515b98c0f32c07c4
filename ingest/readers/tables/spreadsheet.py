"""XLSX, XLS, XLSB and ODS: the rows of every sheet as items or lines (`rows.py`)."""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Final

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
)

from core.errors import InvalidInput
from ingest.readers.documents.office_xml import related_lines
from ingest.readers.encodings import storable
from ingest.readers.fields import DOCUMENT_BYTES, document
from ingest.readers.formats.format import Head
from ingest.readers.formats.item import Item, Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.formats.zip_archive import Archive, opened
from ingest.readers.tables import open_document
from ingest.readers.tables.open_document import too_wide
from ingest.readers.tables.rows import Table, parts
from ingest.readers.tables.workbook_parts import Cell, column_number, number_formats, sheet_parts, shown_number

#: Most bytes of a file, which is packed.
FILE_BYTES: Final = 4 * DOCUMENT_BYTES
#: Most cells between the first and the last of a sheet: calamine takes 32 bytes for each, also if it is blank.
_MOST_CELLS: Final = 20_000_000
#: The column and the row of a cell of XLSX that holds something.
_CELL: Final = re.compile(rb"""<(?:\w{1,9}:)?c\s[^>]{0,200}?\br=["']([A-Za-z]{1,9})(\d{1,10})["'][^>]{0,400}(?<!/)>""")
_SHEETS: Final = "xl/worksheets/"


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield what the rows of the sheets ask to have remembered, and a refusal for each damaged sheet.

    Raises:
        InvalidInput: it has a password, is no spreadsheet, or has cells too far apart.
        TooLarge: the file is over its limit.
    """
    members = Head(source).members
    formats: dict[str, Mapping[Cell, str]] = {}
    notes: dict[str, list[str]] = {}
    if "xl/workbook.xml" in members:
        with opened(source) as archive:
            _check_extent(archive)
            for name, target in sheet_parts(archive).items():
                formats[name] = number_formats(archive, target)
                if lines := related_lines(archive, target, "comments", "threadedComment", "drawing"):
                    notes[name] = lines
    elif open_document.CONTENT in members:
        with opened(source) as archive:
            open_document.check(archive, _MOST_CELLS)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(source.content(FILE_BYTES)))
    except PasswordError as error:
        raise InvalidInput(f"{source.where!r} has a password: save it without one.") from error
    except (CalamineError, ValueError, OSError) as error:
        raise InvalidInput(
            f"{source.where!r} is not a sound spreadsheet ({str(error)[:100]}): save it anew."
        ) from error
    sheets = [about.name for about in book.sheets_metadata if about.typ == SheetTypeEnum.WorkSheet]
    for name in sheets:
        try:
            sheet = book.get_sheet_by_name(name)
        except (CalamineError, ValueError, OSError) as error:
            yield Refused(f"{source.where!r}: sheet {name!r} can't be read ({str(error)[:100]}): save it anew.")
            continue
        table = Table(source, name if len(sheets) > 1 else "", _rows(sheet, formats.get(name, {})), context)
        yield from parts(table)
        if name in notes:
            yield _note(table, notes[name])


def _note(table: Table, lines: Sequence[str]) -> Item:
    """Return the comments on the cells of a sheet and the words of its text boxes and charts as an item."""
    values = {
        "title": f"{table.title}: comments and drawings",
        "key": f"{table.key}#comments",
        "context": table.context,
    }
    return Item(document(table.source.where, storable("\n".join(lines)), values))


def _check_extent(archive: Archive) -> None:
    """Refuse an XLSX file of which a few cells far apart, or in disorder, would take all memory."""
    where = archive.source.where
    for name in archive.names():
        if not name.startswith(_SHEETS) or not name.endswith(".xml"):
            continue
        if (cells := _extent(archive.content(name))) is None:
            raise InvalidInput(f"{where!r} is not a sound spreadsheet (rows out of order): save it anew.")
        if cells > _MOST_CELLS:
            raise too_wide(where, cells, _MOST_CELLS)


def _extent(sheet: bytes) -> int | None:
    """Return how many cells there are between the first and the last of a sheet, None if its rows are in disorder."""
    first, last, columns = 0, 0, set[bytes]()
    for cell in _CELL.finditer(sheet):
        row = int(cell[2])
        if row < last:
            return None
        first, last = first or row, row
        columns.add(cell[1])
    numbers = [column_number(letters) for letters in columns] or [0]
    return (last - first + 1) * (max(numbers) - min(numbers) + 1)


def _rows(sheet: CalamineSheet, formats: Mapping[Cell, str]) -> Iterator[tuple[int, Sequence[str]]]:
    top, left = sheet.start or (0, 0)
    for number, row in enumerate(sheet.to_python(skip_empty_area=True), top):
        yield number + 1, [_cell(value, formats.get((number, at))) for at, value in enumerate(row, left)]


def _cell(value: object, code: str | None) -> str:
    """Return a value as people write it; `code` is the format of a percentage or an amount of money."""
    if code is not None and isinstance(value, int | float) and not isinstance(value, bool):
        return shown_number(value, code)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else f"{value.date()} {_time(value.time())}"
    if isinstance(value, time):
        return _time(value)
    if isinstance(value, timedelta):
        return f"{value}".rjust(8, "0") if value < timedelta(hours=10) else f"{value}"
    return str(value)


def _time(value: time) -> str:
    """Return a time of the day, with its seconds, rounded, if it has some."""
    rounded = (datetime.combine(date(1, 1, 1), value) + timedelta(microseconds=500_000)).time()
    return rounded.isoformat("seconds" if rounded.second else "minutes")
