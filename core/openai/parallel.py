"""Parallel: several calls at a time whose results are taken in order."""

import contextvars
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, wait
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def ahead(
    work: Callable[[T], R], items: Sequence[T], threads: int, goes_on: Callable[[], bool] = lambda: True
) -> Generator["Future[R]", None, None]:
    """Yield the finished call for each item, in order; the calls run in `threads` threads and are begun in order.

    Once `goes_on` is false no call is begun: those left are yielded as cancelled. A caller that stops early waits for
    the calls that were begun. The threads do not keep the process from ending.
    """
    calls: list[Future[R]] = [Future() for _ in items]
    waiting = iter(zip(calls, items, strict=True))
    lock, stopped = threading.Lock(), threading.Event()

    def run() -> None:
        while True:
            with lock:
                call, item = next(waiting, (None, None))
                if call is None:
                    return
                if stopped.is_set() or not goes_on():
                    stopped.set()
                    call.cancel()
                    call.set_running_or_notify_cancel()
                    continue
            try:
                call.set_result(work(item))  # type: ignore[arg-type]  # an item comes with each call
            except BaseException as error:  # noqa: BLE001 - raised where the result is taken
                call.set_exception(error)

    running = [
        threading.Thread(target=contextvars.copy_context().run, args=(run,), name="remembrancer-ahead", daemon=True)
        for _ in range(min(threads, len(items)))
    ]
    for thread in running:
        thread.start()
    try:
        for call in calls:
            wait([call])
            yield call
    finally:
        stopped.set()
        for thread in running:
            thread.join()


def in_parallel(work: Callable[[T], R], items: Sequence[T], threads: int) -> list[R]:
    """Return the results of all calls in order; after the first error none is begun, and it is raised when all end."""
    if threads == 1 or len(items) < 2:
        return [work(item) for item in items]
    failed = threading.Event()

    def watched(item: T) -> R:
        try:
            return work(item)
        except BaseException:
            failed.set()
            raise

    calls = list(ahead(watched, items, threads, lambda: not failed.is_set()))
    for call in calls:
        if not call.cancelled():
            call.result()
    return [call.result() for call in calls]
