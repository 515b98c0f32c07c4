"""Whether a process is the service's own, or a program that uses its package, with libraries of its own."""

import atexit
import gc
from typing import Final

#: New objects after which Python looks for garbage: with its 700 that is a tenth of the time of imports.
_NEW_OBJECTS: Final = 50_000
_is_own = False


def claim_process() -> None:
    """Say that nothing but the service runs in this process, before it imports most: garbage is looked for seldom.

    In the end it is not: to go through all objects then takes a tenth of a second.
    """
    global _is_own
    if not _is_own:
        atexit.register(gc.freeze)
    _is_own = True
    gc.set_threshold(_NEW_OBJECTS)


def is_own_process() -> bool:
    """Return whether nothing but the service runs in this process."""
    return _is_own
