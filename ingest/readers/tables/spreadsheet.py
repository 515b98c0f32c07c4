"""XLSX, XLS, XLSB and ODS: the rows of every sheet as items or lines (`rows.py`)."""

import io
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, time
from typing import Final

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
)

from core.errors import InvalidInput
from ingest.readers.fields import DOCUMENT_BYTES
from ingest.readers.formats.format import Head
from ingest.readers.formats.item import Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.formats.zip_archive import opened
from ingest.readers.tables import open_document
from ingest.readers.tables.open_document import too_wide
from ingest.readers.tables.rows import Table, parts

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
    if "xl/workbook.xml" in members:
        _check_extent(source)
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
        yield from parts(Table(source, name if len(sheets) > 1 else "", _rows(sheet), context))


def _check_extent(source: Source) -> None:
    """Refuse an XLSX file of which a few cells far apart, or in disorder, would take all memory."""
    with opened(source) as archive:
        for name in archive.names():
            if not name.startswith(_SHEETS) or not name.endswith(".xml"):
                continue
            if (cells := _extent(archive.content(name))) is None:
                raise InvalidInput(f"{source.where!r} is not a sound spreadsheet (rows out of order): save it anew.")
            if cells > _MOST_CELLS:
                raise too_wide(source.where, cells, _MOST_CELLS)


def _extent(sheet: bytes) -> int | None:
    """Return how many cells there are between the first and the last of a sheet, None if its rows are in disorder."""
    first, last, columns = 0, 0, set[bytes]()
    for cell in _CELL.finditer(sheet):
        row = int(cell[2])
        if row < last:
            return None
        first, last = first or row, row
        columns.add(cell[1])
    numbers = [_column(letters) for letters in columns] or [0]
    return (last - first + 1) * (max(numbers) - min(numbers) + 1)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - ord("A") + 1
    return number


def _rows(sheet: CalamineSheet) -> Iterator[tuple[int, Sequence[str]]]:
    first = (sheet.start or (0, 0))[0] + 1
    for number, row in enumerate(sheet.to_python(skip_empty_area=True), first):
        yield number, [_cell(value) for value in row]


def _cell(value: object) -> str:
    """Return a value as people write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    if isinstance(value, time):
        return value.isoformat("minutes")
    return str(value)
