"""No work holds the interpreter for long: other threads, which answer calls, go on meanwhile."""

import gc
import random
import re
import resource
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from core.interface.memory import Memory
from core.interface.question import Question
from service.app import App

#: How often the interpreter is asked for, in seconds.
_LOOK = 0.01
#: What fails, in seconds of this process: a tenth is meant, and other programs make caches cold and threads wait.
_LONGEST = 1.0


class Looking:
    """Asks for the interpreter all the time, and notes how long it was not given it."""

    def __init__(self) -> None:
        self.longest, self._ended = 0.0, threading.Event()

    @contextmanager
    def while_working(self) -> Iterator[None]:
        thread = threading.Thread(target=self._look, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            thread.join(10)

    def _look(self) -> None:
        while not self._ended.is_set():
            waits, worked = self._waits(), time.process_time()
            time.sleep(_LOOK)
            # A thread that waits for the interpreter asks for it again after each interval, which is a wait of its own.
            waited = (self._waits() - waits - 1) * sys.getswitchinterval()
            # What the process did meanwhile is an upper bound: else another process had the processor.
            self.longest = max(self.longest, min(waited, time.process_time() - worked))

    @staticmethod
    def _waits() -> int:
        """Return how often this thread has waited for something other than a processor."""
        return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


def one_line(characters: int) -> str:
    """Return a line of made-up words."""
    chance = random.Random(7)
    words = ["".join(chance.choices("abcdefghilmnoprstu", k=chance.randint(2, 9))) for _ in range(3_000)]
    return " ".join(chance.choices(words, k=characters // 6))[:characters]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts the waits of a thread")
def test_no_work_holds_the_interpreter(app: App) -> None:
    """Storing, embedding, extracting, finding and listing; and a text of one line, which has no place to be cut."""
    for number in range(60):
        app.remember(Memory(content=f"We decided to paint gate {number}. Ann Lee will buy paint {number} by Friday."))
    looking = Looking()
    with looking.while_working():
        app.remember(Memory(content=one_line(60_000), title="One line"))
        app.worker.drain()
        app.recall(Question(query="Who buys paint?"))
        app.store.counts("default")
    assert looking.longest < _LONGEST


def test_what_a_start_loads_is_not_examined_for_garbage(app: App) -> None:
    """A hundred thousand objects of modules, which takes a tenth of a second, whenever enough was made since."""
    gc.unfreeze()
    app.warm()
    for thread in app._warm_up_threads:
        thread.join(60)
    try:
        assert gc.get_freeze_count() > 10 * len(gc.get_objects())
    finally:
        gc.unfreeze()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts the waits of a thread")
def test_what_holds_the_interpreter_is_seen() -> None:
    """One match of a pattern is one step of the interpreter, however long it takes."""
    looking = Looking()
    with looking.while_working():
        for length in range(22, 40):
            began = time.process_time()
            re.match("(a+)+b", "a" * length)
            if (took := time.process_time() - began) > 4 * _LOOK:
                break
    assert looking.longest > took / 4
