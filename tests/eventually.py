"""Waiting for what another thread or process does."""

import time
from collections.abc import Callable

#: Seconds after which it won't happen any more, however busy the machine is.
PATIENCE = 60.0


def eventually(holds: Callable[[], bool], step: Callable[[], object] = lambda: None) -> None:
    """Repeat `step` until `holds`; fails after a minute."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it did not happen within a minute"
        step()
        time.sleep(0.01)
