"""`owner`: show or stop the process that has the embedded home open; `browse`: open the graph browser on it."""

import argparse
import importlib
import json
import sys
import webbrowser
from datetime import UTC, datetime
from typing import Any, Final

from core.dates import to_text
from core.errors import Unavailable
from core.timing import poll_until
from service.owner import endpoint
from service.owner.endpoint import read_greeting
from service.owner.home_config import HomeConfig
from service.owner.launcher import connect_if_running, connect_to_owner, stop_owner

#: How long an owner may take to stop, in seconds: it may have to erase forgotten texts from large files.
_PATIENCE: Final = 60.0


def configure_owner(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the subcommands of `owner`."""
    parser.set_defaults(json=False)
    parser.add_argument("--status", action="store_true", help="show which process owns the home, as without WHAT")
    what = parser.add_subparsers(dest="what", metavar="WHAT", help="one of:")
    shown = what.add_parser("status", help="show which process owns the home, and how many clients it has")
    shown.add_argument("--json", action="store_true", help="print one JSON object")
    what.add_parser("stop", help="stop it after the calls in progress; the next message of a client starts another")
    what.add_parser("run", help="own the home in this process; `stdio` starts this itself")


def run_owner(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """Run the subcommand; `status` returns 1 if there is no owner."""
    if options.what == "run":
        return int(importlib.import_module("..owner.process", __package__).run_owner())
    home_config = HomeConfig.find()
    if home_config.allows_multiple_servers:
        sys.stdout.write("The vectors are on a server: no process owns the home, and any number may serve.\n")
        return 0
    return _stop(home_config) if options.what == "stop" else _status(home_config, as_json=options.json)


def _status(home_config: HomeConfig, *, as_json: bool) -> int:
    try:
        connection = connect_if_running(home_config, "status")
    except endpoint.NoOwner:
        said = None
    else:
        connection.close()
        said = connection.status | {"since": to_text(datetime.fromtimestamp(connection.status["since"], UTC))}
    if as_json:
        sys.stdout.write(f"{json.dumps({'home': str(home_config.home), 'owner': said})}\n")
    elif said is None:
        sys.stdout.write(f"No process owns {home_config.home}; the next client starts one.\n")
    else:
        sys.stdout.write(
            f"Process {said['pid']} (version {said['version']}) has owned {home_config.home} since {said['since']}: "
            f"{said['clients']} clients, {said['calls']} calls in progress. Logs: {home_config.home / 'logs'}.\n"
        )
        if said["notice"]:
            sys.stdout.write(f"{said['notice']}\n")
    return 1 if said is None else 0


def _stop(home_config: HomeConfig) -> int:
    if not stop_owner(home_config):
        sys.stdout.write(f"No process owns {home_config.home}.\n")
        return 0
    if poll_until(_PATIENCE, interval_seconds=0.05)(_has_stopped, home_config) is None:
        raise Unavailable(
            f"The owner of {str(home_config.home)!r} was asked to stop and still answers: "
            "`remembrancer owner status` shows its process id, kill that process."
        )
    sys.stdout.write(f"The owner of {home_config.home} has stopped.\n")
    return 0


def _has_stopped(home_config: HomeConfig) -> bool | None:
    """Whether nobody listens any more; None while the owner answers."""
    try:
        connect_if_running(home_config, "status").close()
    except endpoint.NoOwner:
        return True
    return None


#: How long the owner may take to serve the page, in seconds.
_BROWSE_SECONDS: Final = 30.0


def configure_browse(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the option of `browse`."""
    parser.add_argument("--no-open", action="store_true", help="print the address without opening a browser")


def run_browse(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """Print the address, and open it; where the vectors are on a server this process serves it until Ctrl-C.

    Raises:
        Unavailable: the memory can't be opened, or the address not be served.
    """
    home_config = HomeConfig.find()
    if home_config.allows_multiple_servers:
        serve = importlib.import_module("..server", __package__)
        serve.browse(lambda address: _show(address, is_opened=not options.no_open))
        return 0
    _show(_asked(home_config), is_opened=not options.no_open)
    return 0


def _asked(home_config: HomeConfig) -> str:
    """Return the address that the owner of the home serves; one that is just ending is followed by another."""
    said = _greeted(home_config) or _greeted(home_config)
    if "address" not in said:
        raise Unavailable(str(said.get("error", "The memory's process ended: run the command again.")))
    return str(said["address"])


def _greeted(home_config: HomeConfig) -> dict[str, Any]:
    connection = connect_to_owner(home_config, "browse")
    try:
        line = connection.line(_BROWSE_SECONDS)
    except OSError:  # it ended
        line = b""
    finally:
        connection.close()
    return read_greeting(line) if line else {}


def _show(address: str, *, is_opened: bool) -> None:
    sys.stdout.write(f"{address}\n")
    sys.stdout.flush()
    opened = is_opened and webbrowser.open(address)
    sys.stderr.write(
        "The address lets one browser in, once, within two minutes; its session lasts 12 hours.\n"
        if opened
        else "Open the address in a browser of this machine within two minutes; it works once.\n"
    )
