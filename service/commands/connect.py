"""`connect`: write the settings of a client, so that it uses this memory, or take them back."""

import argparse
import sys

from core.errors import suggest_name
from service.connect.clients import CLIENTS, Machine, Program
from service.connect.settings_file import Edit, write_all


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `connect`."""
    parser.add_argument("client", type=_client, metavar="CLIENT", help=f"one of {', '.join(CLIENTS)}")
    parser.add_argument("--undo", action="store_true", help="undo what was written")
    parser.add_argument("--yes", action="store_true", help="write without asking")


def _client(name: str) -> str:
    if name not in CLIENTS:
        raise argparse.ArgumentTypeError(
            f"there is no client {name!r}: {suggest_name(name, CLIENTS)}Choose from {', '.join(CLIENTS)}."
        )
    return name


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """Show the change, ask, and write it; return 0 if all is as asked for, 1 if nothing was written."""
    client = CLIENTS[options.client]
    changes = client.changes(Machine.this(), Program.this())
    edits = [Edit.to_undo(change) if options.undo else Edit.to_connect(change) for change in changes]
    needed = [edit for edit in edits if edit.is_needed]
    if not needed:
        sys.stdout.write(f"{client.title} {'has nothing of ours' if options.undo else 'is connected already'}.\n")
        return 0
    for edit in needed:
        sys.stdout.write("\n".join([*edit.lines(), "", ""]))
    if not options.yes and not _agrees():
        sys.stdout.write("Nothing was written.\n")
        return 1
    write_all(needed)
    for edit in needed:
        kept = f"; what it was is kept in {edit.copy}" if edit.copy else ""
        sys.stdout.write(f"{'Deleted' if edit.after is None else 'Wrote'} {edit.file}{kept}.\n")
    if not options.undo:
        sys.stdout.write(f"{client.title} is connected. {client.then} `--undo` takes it back.\n")
    return 0


def _agrees() -> bool:
    sys.stdout.write("Write this? [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().casefold() in {"y", "yes"}
