"""Threads of calls: each event loop of the process has its own limit."""

import threading

import anyio
import pytest

from service.processes import ThreadLimit, is_cancelled

_PATIENCE = 20.0


def test_a_loop_never_waits_for_the_threads_of_another() -> None:
    """A limiter that loops share may never wake a waiting task: the answer of one call would not come."""
    limit = ThreadLimit("test", 1)
    released, busy = threading.Event(), threading.Event()

    def work() -> bool:
        busy.set()
        return released.wait(_PATIENCE)

    async def call(function: object) -> object:
        return await anyio.to_thread.run_sync(function, limiter=limit.limiter())  # type: ignore[arg-type]

    first = threading.Thread(target=anyio.run, args=(call, work))
    first.start()
    assert busy.wait(_PATIENCE)

    async def bounded() -> object:
        with anyio.fail_after(_PATIENCE):
            return await call(lambda: "done")

    assert anyio.run(bounded) == "done"
    released.set()
    first.join(_PATIENCE)


@pytest.mark.anyio
async def test_a_limit_holds_within_its_loop() -> None:
    limit = ThreadLimit("test", 3)

    assert limit.limiter() is limit.limiter()
    assert limit.limiter().total_tokens == 3


def test_a_thread_of_no_loop_is_not_cancelled() -> None:
    assert not is_cancelled()
