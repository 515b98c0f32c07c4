"""`worker`: a process that only runs background jobs, next to `serve`."""

import argparse
import sys
import threading
from pathlib import Path
from typing import Final

from core.errors import InvalidInput
from service.processes import check_shared, set_up_process
from service.settings import load_settings
from service.wiring import open_app

#: Seconds without progress after which background work counts as hung: a batch of vectors takes a few, and every wait
#: for a store or an embedder times out sooner.
_HUNG_AFTER: Final = 300.0


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the option of `worker`."""
    parser.add_argument(
        "--heartbeat",
        type=Path,
        metavar="FILE",
        help="touch this file every second while work makes progress, for health checks of its age",
    )


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - the interface of commands
    """Embed and extract until Ctrl-C or SIGTERM; jobs in progress are finished or released.

    Raises:
        InvalidInput: the vectors are embedded, so only one process may write them; or the heartbeat file can't be
            written.
    """
    settings = load_settings()
    check_shared(settings, "remembrancer worker")
    set_up_process()
    with open_app(settings) as app:
        app.start()
        sys.stderr.write(f"Remembrancer worker {app.worker.owner} is running\n")
        ended = threading.Event()
        while not ended.wait(1.0):  # an endless wait ignores Ctrl-C on Windows
            if options.heartbeat is not None and app.worker.seconds_since_progress < _HUNG_AFTER:
                _touch(options.heartbeat)
    return 0


def _touch(file: Path) -> None:
    try:
        file.touch()
    except OSError as error:
        raise InvalidInput(f"The --heartbeat file {str(file)!r} can't be written ({error}): choose another.") from error
