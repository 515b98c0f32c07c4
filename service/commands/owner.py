"""`owner`: the process that has the embedded home open for all clients: whether there is one, and an end to it."""

import argparse
import importlib
import json
import sys
import time
from datetime import UTC, datetime
from typing import Final

from core.dates import to_text
from core.errors import Unavailable
from service.owner import endpoint
from service.owner.home import Place
from service.owner.launcher import call, end

#: How long an owner may take to end, in seconds: it may rid large files of what was forgotten.
_PATIENCE: Final = 60.0


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add what can be done with the owner."""
    what = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    shown = what.add_parser("status", help="say which process owns the home, and how many clients it has")
    shown.add_argument("--json", action="store_true", help="as one JSON object")
    what.add_parser(
        "stop", help="have it finish what is under way and end; the next message of a client starts another"
    )
    what.add_parser("run", help="own the home in this process; `stdio` starts it by itself")


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """Do it; `status` returns 1 if there is no owner."""
    if options.what == "run":
        return int(importlib.import_module("service.owner.process").own())
    place = Place.find()
    if place.shared:
        sys.stdout.write("The vectors are on a server: there is no owner, any number of processes may serve.\n")
        return 0
    return _stop(place) if options.what == "stop" else _status(place, as_json=options.json)


def _status(place: Place, *, as_json: bool) -> int:
    try:
        connection = call(place, "status")
    except endpoint.NobodyListens:
        said = None
    else:
        connection.close()
        said = connection.said | {"since": to_text(datetime.fromtimestamp(connection.said["since"], UTC))}
    if as_json:
        sys.stdout.write(f"{json.dumps({'home': str(place.home), 'owner': said})}\n")
    elif said is None:
        sys.stdout.write(f"No process owns {place.home}: the next client starts one.\n")
    else:
        sys.stdout.write(
            f"Process {said['pid']} of release {said['version']} owns {place.home} since {said['since']}: "
            f"{said['clients']} clients, {said['calls']} calls under way; it logs to {place.home / 'logs'}.\n"
        )
        if said["differs"]:
            sys.stdout.write(f"It was set up otherwise than this shell: {', '.join(said['differs'])}.\n")
    return 1 if said is None else 0


def _stop(place: Place) -> int:
    if not end(place):
        sys.stdout.write(f"No process owns {place.home}.\n")
        return 0
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        try:
            call(place, "status").close()
        except endpoint.NobodyListens:
            sys.stdout.write(f"The owner of {place.home} ends.\n")
            return 0
        time.sleep(0.05)
    raise Unavailable(
        f"The owner of {str(place.home)!r} was asked to end and still answers: end its process by its id."
    )
