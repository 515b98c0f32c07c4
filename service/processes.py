"""Processes: what those that run long owe to whoever starts them, ends them, and runs several of them."""

import logging
import signal
import sys
from types import FrameType

from core.errors import InvalidInput
from service.settings import Settings


def begin(settings: Settings) -> None:
    """Log to standard error, end on SIGTERM as on Ctrl-C but with exit code 0, and say what the start waits for.

    A second SIGTERM ends the process at once.
    """
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    signal.signal(signal.SIGTERM, _end)
    if settings.graph == "neo4j":
        sys.stderr.write(f"Connecting to Neo4j at {settings.neo4j_uri}\n")


def _end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature of a handler
    signal.signal(number, signal.SIG_DFL)
    raise SystemExit(0)


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
