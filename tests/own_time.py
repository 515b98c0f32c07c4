"""How much of the processor a call itself takes, whatever else runs beside it or lies about in memory."""

import gc
import time
from collections.abc import Callable

#: Seconds that tell nothing: a call that takes less runs once.
_SHORT = 0.05


def own_time(call: Callable[[], object]) -> float:
    """Return the seconds of this thread's own time that `call` takes: the least of four runs.

    Nothing looks for garbage in the last three: in a process that holds much, that alone takes half a second.
    """
    if (took := _once(call)) < _SHORT:
        return took
    gc.collect()
    gc.disable()
    try:
        return min(took, *(_once(call) for _ in range(3)))
    finally:
        gc.enable()


def _once(call: Callable[[], object]) -> float:
    begin = time.thread_time()
    call()
    return time.thread_time() - begin
