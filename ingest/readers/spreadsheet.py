"""XLSX, XLS, XLSB, ODS and FODS: the rows of every sheet as items or lines (`tables.py`)."""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse
from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, PasswordError, SheetTypeEnum

from core.errors import InvalidInput
from core.regex import regex
from ingest.readers.documents.office_xml import (
    attribute,
    local,
    optional,
    part,
    reason_of,
    related_lines,
    relation_of,
    relations,
)
from ingest.readers.encodings import storable
from ingest.readers.fields import DOCUMENT_BYTES, document
from ingest.readers.formats.format import Head
from ingest.readers.formats.source import Item, Part, Refused, Source
from ingest.readers.formats.zip_archive import Archive, opened
from ingest.readers.tables import Table, parts

_WORKBOOK: Final = "xl/workbook.xml"
#: The formats of percentages that have a number instead of a code (ECMA-376, 18.8.30).
_PERCENTAGES: Final = {"9": "0%", "10": "0.00%"}
_STYLED: Final = regex(
    rb"""<(?:\w{1,9}:)?c\s(?=[^>]{0,200}?\br=["']([A-Z]{1,3})(\d{1,7})["'])[^>]{0,200}?\bs=["'](\d{1,5})["']"""
)
_QUOTED: Final = regex(r'"[^"]*"|\\.|\[(?!\$)[^\]]*\]')
_CURRENCY: Final = regex(r"\[\$([^\]-]{1,5})[^\]]*\]|([€£$¥₹])")

#: A cell's row and column, both from 0.
Cell = tuple[int, int]


def sheet_parts(archive: Archive) -> dict[str, str]:
    """Return the part of each sheet by its name."""
    targets = relations(archive, _WORKBOOK)
    sheets = [node for node in part(archive, _WORKBOOK).iter() if local(node) == "sheet"]
    found = {node.get("name", ""): targets.get(relation_of(node), ("", ""))[1] for node in sheets}
    return {name: target for name, target in found.items() if target in archive.names()}


def number_formats(archive: Archive, sheet: str) -> Mapping[Cell, str]:
    """Return the codes of the formats of a sheet's cells that show a percentage or an amount of money."""
    root = optional(archive, "xl/styles.xml")
    if root is None:
        return {}
    codes: dict[str, str] = _PERCENTAGES | {
        node.get("numFmtId", ""): node.get("formatCode", "") for node in root.iter() if local(node) == "numFmt"
    }
    styles = next((node for node in root if local(node) == "cellXfs"), ())
    shown = {
        str(number).encode(): code
        for number, style in enumerate(styles)
        if (code := codes.get(style.get("numFmtId", ""), "")) and (_is_percentage(code) or _CURRENCY.search(code))
    }
    if not shown:
        return {}
    return {
        (int(cell[2]) - 1, column_number(cell[1]) - 1): code
        for cell in _STYLED.finditer(archive.content(sheet))
        if (code := shown.get(cell[3], ""))
    }


def column_number(letters: bytes) -> int:
    """Return the number of a column from 1: that of "AA" is 27."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - ord("A") + 1
    return number


def shown_number(value: float, code: str) -> str:
    """Return a number as its format shows it: 0.35 as 35%, 12.5 as 12.5 €."""
    if _is_percentage(code):
        return f"{value * 100:.10g}%"
    found = _CURRENCY.search(code)
    sign = (found[1] or found[2]) if found else ""
    amount = f"{value:.2f}" if value % 1 else str(int(value))
    return f"{amount} {sign}"


def _is_percentage(code: str) -> bool:
    return "%" in _QUOTED.sub("", code)


CONTENT, _MANIFEST = "content.xml", "META-INF/manifest.xml"
#: How a time of ODS is written: PT01H02M37S.
_CLOCK: Final = regex(r"PT(?:(\d{1,6})H)?(?:(\d{1,2})M)?(?:(\d{1,2})(?:[.,]\d{1,12})?S)?$")
#: Most cells that hold something and are not written but repeated: each takes some 200 bytes.
_MOST_REPEATED: Final = 1_000_000


def check_extent(where: str, content: bytes, most_cells: int) -> None:
    """Refuse a file with a sheet of too many cells between its first and its last, or with damaged markup.

    Raises:
        InvalidInput: it is one of those.
    """
    try:
        cells, repeated = map(max, zip((0, 0), *_sheets(content), strict=True))
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise InvalidInput(f"{where!r} is not a sound spreadsheet ({reason_of(error)}): save it anew.") from error
    if cells > most_cells:
        raise too_wide(where, cells, most_cells)
    if repeated > _MOST_REPEATED:
        raise InvalidInput(
            f"{where!r} repeats its cells {repeated:,} times, where {_MOST_REPEATED:,} are read: delete "
            "what is filled far below the table."
        )


def _sheets(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield how many cells there are up to the last of each sheet, and how many are repeated that hold something."""
    sheet = _Extent()
    for _, element in iterparse(io.BytesIO(content), events=("end",)):
        match local(element):
            case "table-cell" | "covered-table-cell":
                sheet.add_cell(element)
            case "table-row":
                sheet.add_row(element)
                element.clear()
            case "table":
                yield sheet.cells, sheet.repeated
                sheet = _Extent()
                element.clear()


def too_wide(where: str, cells: int, most_cells: int) -> InvalidInput:
    """Return the error of a sheet of too many cells."""
    return InvalidInput(
        f"{where!r} has a sheet of {cells:,} cells, most of them blank, where at most {most_cells:,} are read: delete "
        "what stands far from the table."
    )


class _Extent:
    """How far the cells of a sheet reach that hold something."""

    def __init__(self) -> None:
        self._row = self._last_row = self._last_column = self._column = 0
        self._filled = self._written = 0
        #: How many cells hold something without being written themselves.
        self.repeated = 0

    @property
    def cells(self) -> int:
        """How many cells there are up to the last."""
        return self._last_row * self._last_column

    def add_cell(self, cell: Element) -> None:
        """Count the next cell of a row."""
        self._column += _repeated(cell, "number-columns-repeated")
        if attribute(cell, "value-type") is not None or len(cell):
            self._filled += _repeated(cell, "number-columns-repeated")
            self._written += 1
            self._last_column = max(self._last_column, self._column)

    def add_row(self, row: Element) -> None:
        """Count the row of the cells before."""
        times = _repeated(row, "number-rows-repeated")
        self._row += times
        if self._filled:
            self._last_row = self._row
            self.repeated += self._filled * times - self._written
        self._column = self._filled = self._written = 0


def _repeated(element: Element, name: str) -> int:
    return max(1, int(attribute(element, name) or 1))


@dataclass(slots=True)
class _OpenSheet:
    """A sheet of ODS: its rows by their numbers, and its comments and the words of what is drawn on it."""

    name: str
    rows: list[tuple[int, Sequence[str]]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def _open_sheets(content: bytes) -> Iterator[_OpenSheet]:
    """Yield the sheets with cells as they are shown; days and hours in ISO 8601, numbers whole."""
    sheet, number = _OpenSheet(""), 0
    for event, element in iterparse(io.BytesIO(content), events=("start", "end")):
        name = local(element)
        if event == "start" and name == "table":
            sheet, number = _OpenSheet(attribute(element, "name") or ""), 0
        elif event == "end" and name == "table-row":
            cells = list(_open_row(element, sheet, number))
            times = _repeated(element, "number-rows-repeated")
            sheet.rows += [(at, cells) for at in range(number + 1, number + times + 1)] if any(cells) else []
            number += times
            element.clear()
        elif event == "end" and name == "shapes":
            lines = (" ".join("".join(node.itertext()).split()) for node in element.iter() if local(node) == "p")
            sheet.notes += filter(None, lines)
        elif event == "end" and name == "table":
            yield sheet
            element.clear()


def _open_row(row: Element, sheet: _OpenSheet, above: int) -> Iterator[str]:
    """Yield the cells of a row up to the last that holds something, and note its comments."""
    cells = [node for node in row if local(node) in {"table-cell", "covered-table-cell"}]
    filled = (at for at, cell in enumerate(cells, 1) if attribute(cell, "value-type") is not None or len(cell))
    column = 0
    for cell in cells[: max(filled, default=0)]:
        for note in (node for node in cell if local(node) == "annotation"):
            words = " ".join("".join("".join(line.itertext()) for line in note if local(line) == "p").split())
            sheet.notes += [f"{_letters(column)}{above + 1}: {words}"] if words else []
        times = _repeated(cell, "number-columns-repeated")
        column += times
        yield from [_shown(cell)] * times


def _letters(column: int) -> str:
    """Return the letters of a column from 0."""
    return (_letters(column // 26 - 1) if column >= 26 else "") + chr(ord("A") + column % 26)


def _shown(cell: Element) -> str:
    """Return a cell as people read it."""
    text = "\n".join("".join(node.itertext()) for node in cell if local(node) == "p").strip()
    match attribute(cell, "value-type"):
        case "float":
            return _cell(_number(attribute(cell, "value")), None) or text
        case "boolean":
            return "yes" if attribute(cell, "boolean-value") == "true" else "no"
        case "date":
            day, _, hour = (attribute(cell, "date-value") or text).partition("T")
            return f"{day} {hour.removesuffix(':00')}" if hour.strip("0:") else day
        case "time" if clock := _CLOCK.match(attribute(cell, "time-value") or ""):
            return ":".join(f"{int(part or 0):02}" for part in clock.groups())
        case _:
            return text or attribute(cell, "string-value") or ""


def _number(value: str | None) -> float | str:
    try:
        return float(value or "")
    except ValueError:
        return ""


#: Most bytes of a file, which is packed.
FILE_BYTES: Final = 4 * DOCUMENT_BYTES
#: Most cells between the first and the last of a sheet: calamine takes 32 bytes for each, also if it is blank.
_MOST_CELLS: Final = 20_000_000
#: The column and the row of a cell of XLSX that holds something.
_CELL: Final = regex(rb"""<(?:\w{1,9}:)?c\s[^>]{0,200}?\br=["']([A-Za-z]{1,9})(\d{1,10})["'][^>]{0,400}(?<!/)>""")
_SHEETS: Final = "xl/worksheets/"


def read_spreadsheet(source: Source, context: str | None) -> Iterator[Part]:
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
    elif CONTENT in members or source.suffix == ".fods":
        yield from _read_open(source, context)
        return
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


def _read_open(source: Source, context: str | None) -> Iterator[Part]:
    """Yield what the sheets of an ODS hold, or of the one XML file that is its flat form."""
    if source.suffix == ".fods":
        content = source.content(FILE_BYTES)
    else:
        with opened(source) as archive:
            manifest = archive.content(_MANIFEST) if _MANIFEST in archive.names() else b""
            if b"encryption-data" in manifest:
                raise InvalidInput(f"{source.where!r} has a password: save it without one.")
            content = archive.content(CONTENT)
    check_extent(source.where, content, _MOST_CELLS)
    sheets = list(_open_sheets(content))
    for sheet in sheets:
        table = Table(source, sheet.name if len(sheets) > 1 else "", iter(sheet.rows), context)
        yield from parts(table)
        if sheet.notes:
            yield _note(table, sheet.notes)


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
