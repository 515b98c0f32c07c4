"""XLSX, XLS, XLSB and ODS: the rows of every sheet as items or lines (`rows.py`)."""

import io
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
from ingest.readers.formats.item import Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.tables.rows import Table, parts

#: Most bytes of a file, which is packed.
FILE_BYTES: Final = 4 * DOCUMENT_BYTES


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield what the rows of the sheets ask to have remembered, and a refusal for each damaged sheet.

    Raises:
        InvalidInput: it has a password, or is no spreadsheet.
        TooLarge: the file is over its limit.
    """
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
