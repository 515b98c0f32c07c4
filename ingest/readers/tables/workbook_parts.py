"""What calamine does not read of an XLSX file: the part of each sheet, and how its numbers are shown."""

import re
from collections.abc import Mapping
from typing import Final

from ingest.readers.documents.office_xml import local, optional, part, relation_of, relations
from ingest.readers.formats.zip_archive import Archive

_WORKBOOK: Final = "xl/workbook.xml"
#: The formats of percentages that have a number instead of a code (ECMA-376, 18.8.30).
_PERCENTAGES: Final = {"9": "0%", "10": "0.00%"}
_STYLED: Final = re.compile(
    rb"""<(?:\w{1,9}:)?c\s(?=[^>]{0,200}?\br=["']([A-Z]{1,3})(\d{1,7})["'])[^>]{0,200}?\bs=["'](\d{1,5})["']"""
)
_QUOTED: Final = re.compile(r'"[^"]*"|\\.|\[(?!\$)[^\]]*\]')
_CURRENCY: Final = re.compile(r"\[\$([^\]-]{1,5})[^\]]*\]|([€£$¥₹])")

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
