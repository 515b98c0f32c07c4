"""`python -m servers start|stop|status [--root FOLDER]`: the servers of a checkout."""

import argparse
import sys
from pathlib import Path
from typing import Final

from rich.console import Console

from core.errors import MemoryServiceError
from servers.services import ROOT, Services

_USE: Final = """\
To use them:  remembrancer --env-file .services.env COMMAND
To end them:  make services-stop"""


def main() -> int:
    """Return the exit code: 1 if a server can't be had, or for `status` if one doesn't answer."""
    parser = argparse.ArgumentParser(prog="python -m servers", description=__doc__)
    parser.add_argument("command", choices=("start", "stop", "status"))
    parser.add_argument("--root", type=Path, default=ROOT, help="folder of .services and .services.env")
    arguments = parser.parse_args()
    services, out = Services(arguments.root), Console(highlight=False, soft_wrap=True)
    try:
        return {"start": _start, "stop": _stop, "status": _status}[arguments.command](services, out)
    except MemoryServiceError as error:
        Console(stderr=True, highlight=False, soft_wrap=True).print(str(error), markup=False)
        return 1


def _start(services: Services, out: Console) -> int:
    if not services.neo4j.distribution.present:
        out.print("Bringing Neo4j from Maven Central, a minute or two the first time ...")
    services.start()
    _status(services, out)
    out.print(_USE)
    return 0


def _stop(services: Services, out: Console) -> int:
    stopped = services.stop()
    out.print(f"Stopped {' and '.join(server.name for server in stopped)}." if stopped else "None was running.")
    return 0


def _status(services: Services, out: Console) -> int:
    answering = {server.name: server.running and server.answers() for server in services.servers}
    for server in services.servers:
        out.print(f"{server.name}: {f'127.0.0.1:{server.port}' if answering[server.name] else 'not running'}")
    return 0 if all(answering.values()) else 1


sys.exit(main())
