"""How much of the processor a call itself takes, whatever else runs beside it or lies about in memory."""

import gc
import time
from collections.abc import Callable


def own_time(call: Callable[[], object], enough: float = 0.05) -> float:
    """Return the seconds of this process's own time that `call` takes: the least of four runs, or the first.

    A first run of less than `enough` seconds counts. Nothing looks for garbage in the others: in a process that holds
    much, that alone takes half a second.
    """
    if (took := _once(call)) < enough:
        return took
    gc.collect()
    gc.disable()
    try:
        return min(took, *(_once(call) for _ in range(3)))
    finally:
        gc.enable()


def _once(call: Callable[[], object]) -> float:
    begin = time.process_time()
    call()
    return time.process_time() - begin
