"""`audit`: who did what to which ids, and when."""

import argparse

from rich.console import Console
from rich.table import Table
from rich.text import Text

from core.dates import parse_filter
from core.errors import InvalidInput
from core.interface.audit import AuditEntry
from core.interface.memory import check_project_id
from service.commands.tools import open_existing
from service.display import terminal
from service.settings import load_settings

#: Default number of entries, and the ids of each, that are shown; `--json` has all ids.
_SHOWN, _IDS_SHOWN = 50, 3


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `audit`."""
    parser.add_argument("--project-id", help="only acts in this project (default: all)")
    parser.add_argument("--since", help="only acts since then: ISO 8601, or 7d, 3m, 1y before now")
    parser.add_argument("--limit", type=int, default=_SHOWN, help="maximum number of entries (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print the entries as JSON, with all ids")


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - the interface of commands
    """Print the newest entries of the audit trail, newest first."""
    if options.limit < 1:
        raise InvalidInput(f"limit {options.limit} is not valid: it must be 1 or more.")
    since = None if options.since is None else parse_filter(options.since, field="since")
    project_id = None if options.project_id is None else check_project_id(options.project_id)
    with open_existing(load_settings()) as app:
        entries = app.store.audit_trail(project_id, since=since, limit=options.limit)
    if options.json:
        terminal.print_json({"entries": entries})
    else:
        _show(entries, terminal.make_console())
    return 0


def _show(entries: list[AuditEntry], out: Console) -> None:
    if not entries:
        out.print("The audit trail has no such entries.")
        return
    table = Table(box=None, pad_edge=False)
    for name in ("when", "who", "with", "act", "project", "number", "ids"):
        table.add_column(name, justify="right" if name == "number" else "left")
    for entry in entries:
        shown = " ".join(entry.ids[:_IDS_SHOWN]) + (" …" if len(entry.ids) > _IDS_SHOWN else "")
        words = (entry.by, entry.client or "", entry.act.replace("_", " "), entry.project_id, str(entry.number), shown)
        table.add_row(f"{entry.at:%Y-%m-%d %H:%M:%S}", *(Text(terminal.strip_controls(word)) for word in words))
    out.print(table)
