"""Whether a process is the service's own, or a program that uses its package, with libraries of its own."""

import _thread
import atexit
import gc
import signal
import sys
import threading
from typing import Final

#: New objects after which Python looks for garbage: with its 700 that is a tenth of the time of imports.
_NEW_OBJECTS: Final = 50_000
#: After how many seconds an interruption that was dropped comes again.
_AGAIN: Final = 0.1
_is_own = False


def claim_process() -> None:
    """Say that nothing but the service runs in this process, before it imports most: garbage is looked for seldom.

    In the end it is not: to go through all objects then takes a tenth of a second. A Ctrl-C that comes while native
    code makes a class, and that this code drops, comes again.
    """
    global _is_own
    if not _is_own:
        atexit.register(gc.freeze)
        sys.unraisablehook = _repeat
    _is_own = True
    gc.set_threshold(_NEW_OBJECTS)


def is_own_process() -> bool:
    """Return whether nothing but the service runs in this process."""
    return _is_own


def _repeat(dropped: "sys.UnraisableHookArgs") -> None:
    if not isinstance(dropped.exc_value, KeyboardInterrupt | SystemExit):
        sys.__unraisablehook__(dropped)
        return
    again = threading.Timer(_AGAIN, _interrupt, [threading.get_ident()])
    again.daemon = True
    again.start()


def _interrupt(thread: int) -> None:
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:
        signal.pthread_kill(thread, signal.SIGINT)
