"""Processes: what those that run long owe to whoever starts them, ends them, and runs several of them."""

import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from core.errors import InvalidInput
from service.settings import Settings


def begin() -> None:
    """Log to standard error, and let SIGTERM end the process as Ctrl-C does, but with exit code 0; a second one kills.

    What `with` opened is closed on the way out.
    """
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    signal.signal(signal.SIGTERM, _end)


def _end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature of a handler
    signal.signal(number, signal.SIG_DFL)
    raise SystemExit(0)


@contextmanager
def reading_standard_input() -> Iterator[None]:
    """End the process as soon as a signal ends the block: nothing wakes the thread that waits for the next line."""
    try:
        yield
    except (SystemExit, KeyboardInterrupt):
        sys.stderr.flush()
        os._exit(0)


def check_shared(settings: Settings, what: str) -> None:
    """Make sure that work can be divided among processes.

    Raises:
        InvalidInput: the vectors are embedded, and belong to the one process that serves them.
    """
    if settings.vectors == "embedded":
        raise InvalidInput(
            f"{what} needs REMEMBRANCER_VECTORS=server: embedded vectors belong to one process, which also does the "
            "background work. Set it and CHROMA_URL, or run `remembrancer serve` alone."
        )
