"""`formats`: what `ingest` reads."""

import argparse

from rich.table import Table
from rich.text import Text

from ingest.readers.formats.format import Format, faults, formats
from service.display import terminal


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `formats`."""
    parser.add_argument("--json", action="store_true", help="print the formats as JSON")


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - the interface of commands
    """Print each format with what it reads and needs; return 1 if an entry point gives none."""
    if options.json:
        terminal.print_json({"formats": [_fields(known) for known in formats()], "faults": list(faults())})
        return 1 if faults() else 0
    table = Table("format", "files", "reads", "needs", box=None)
    for known in formats():
        table.add_row(*(Text(cell) for cell in (known.name, " ".join(known.suffixes), known.reads, _needs(known))))
    console = terminal.make_console()
    console.print(table)
    for fault in faults():
        console.print(Text(fault))
    return 1 if faults() else 0


def _fields(known: Format) -> dict[str, object]:
    return {
        "name": known.name,
        "suffixes": list(known.suffixes),
        "by_content": known.look is not None,
        "reads": known.reads,
        "needs": list(known.needs),
        "missing": known.missing(),
        "extra": known.extra,
    }


def _needs(known: Format) -> str:
    if not known.missing():
        return ", ".join(known.needs)
    return f"{', '.join(known.missing())}, which is missing: pip install {known.extra!r}"
