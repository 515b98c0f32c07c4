"""`worker`: background work only, as many processes beside `serve` as there is work for."""

import argparse
import sys
import threading

from service.processes import begin, check_shared
from service.settings import load
from service.wiring import open_app


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the options of `worker`: it has none."""


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - the interface of commands
    """Make vectors and knowledge until Ctrl-C or SIGTERM; what was begun is finished or handed back.

    Raises:
        InvalidInput: the vectors are embedded, so that no second process can write them.
    """
    settings = load()
    check_shared(settings, "remembrancer worker")
    begin()
    with open_app(settings) as app:
        app.start()
        sys.stderr.write(f"Remembrancer works as {app.worker.owner}\n")
        ended = threading.Event()
        while not ended.wait(1.0):  # without an end Windows would not hear Ctrl-C
            pass
    return 0
