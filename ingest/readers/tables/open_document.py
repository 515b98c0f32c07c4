"""How large the sheets of an ODS file are, looked at before calamine reads them.

It repeats cells as often as a file asks it to, and does not end where the markup is damaged.
"""

import io
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from core.errors import InvalidInput
from ingest.readers.documents.office_xml import attribute, local, reason_of
from ingest.readers.formats.zip_archive import Archive

CONTENT: Final = "content.xml"
#: Most cells that hold something and are not written but repeated: each takes some 200 bytes.
_MOST_REPEATED: Final = 1_000_000


def check(archive: Archive, most_cells: int) -> None:
    """Refuse a file with a sheet of too many cells between its first and its last, or with damaged markup.

    Raises:
        InvalidInput: it is one of those.
    """
    try:
        cells, repeated = map(max, zip((0, 0), *_sheets(archive.content(CONTENT)), strict=True))
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise InvalidInput(
            f"{archive.source.where!r} is not a sound spreadsheet ({reason_of(error)}): save it anew."
        ) from error
    if cells > most_cells:
        raise too_wide(archive.source.where, cells, most_cells)
    if repeated > _MOST_REPEATED:
        raise InvalidInput(
            f"{archive.source.where!r} repeats its cells {repeated:,} times, where {_MOST_REPEATED:,} are read: delete "
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
