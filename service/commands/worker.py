"""`worker`: background work only, as many processes beside `serve` as there is work for."""

import argparse
import sys
import threading
from pathlib import Path
from typing import Final

from core.errors import InvalidInput
from service.processes import begin, check_shared
from service.settings import load
from service.wiring import open_app

#: Background work that got no further for so long hangs, in seconds: a batch of vectors takes a few, and whatever waits
#: for a store or an embedder gives up sooner.
_HANGS_AFTER: Final = 300.0


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the option of `worker`."""
    parser.add_argument(
        "--heartbeat",
        type=Path,
        metavar="FILE",
        help="touch this file every second while work gets on, so that a health check can look at its age",
    )


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - the interface of commands
    """Make vectors and knowledge until Ctrl-C or SIGTERM; what was begun is finished or handed back.

    Raises:
        InvalidInput: the vectors are embedded, so that no second process can write them; or the heartbeat can't be
            written.
    """
    settings = load()
    check_shared(settings, "remembrancer worker")
    begin()
    with open_app(settings) as app:
        app.start()
        sys.stderr.write(f"Remembrancer works as {app.worker.owner}\n")
        ended = threading.Event()
        while not ended.wait(1.0):  # without an end Windows would not hear Ctrl-C
            if options.heartbeat is not None and app.worker.still_seconds < _HANGS_AFTER:
                _touch(options.heartbeat)
    return 0


def _touch(file: Path) -> None:
    try:
        file.touch()
    except OSError as error:
        raise InvalidInput(f"--heartbeat {str(file)!r} can't be written ({error}): name a file that can.") from error
