"""`python -m benchmarks.start`: how long a client waits for its first answer, and what its owner then takes, on Linux.

The wait is from starting `remembrancer stdio` to the first answered recall; the memory is what the owner has once its
model has expired.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from benchmarks import corpus
from benchmarks.measures import Measure, fresh, report
from benchmarks.peak_memory import resident_megabytes
from core.timing import IDLE_SECONDS


def first_recall(runs: int = 5) -> Measure:
    """Median over several starts, on a memory that exists and whose vectors are made."""
    with tempfile.TemporaryDirectory() as folder:
        _fill(folder)
        times = [anyio.run(_start_and_ask, folder) for _ in range(runs)]
    detail = f"slowest {max(times):.2f} s of {runs} starts, 200 notes"
    return Measure("stdio start to first recall", statistics.median(times), 3, "s", at_most=True, detail=detail)


def idle_owner() -> Measure:
    """The memory of an owner that has answered and has been idle for over a minute, its client still there."""
    with tempfile.TemporaryDirectory() as folder:
        _fill(folder)
        resident, own = anyio.run(_ask_and_rest, folder)
    detail = f"{own:.0f} MB of its own; the rest are pages of files, mostly libraries, that processes share"
    return Measure("idle owner", resident, 200, "MB", at_most=True, detail=detail)


def _fill(folder: str) -> None:
    with fresh(Path(folder)) as app:
        for memory in corpus.notes(200, words=60):
            app.remember(memory)
        app.worker.drain()


async def _start_and_ask(home: str) -> float:
    begin = time.perf_counter()
    async with _answered(home):
        return time.perf_counter() - begin


async def _ask_and_rest(home: str) -> tuple[float, float]:
    async with _answered(home):
        await anyio.sleep(IDLE_SECONDS + 10)
        return resident_megabytes(int((Path(home) / "chroma.pid").read_text(encoding="ascii")))


@asynccontextmanager
async def _answered(home: str) -> AsyncIterator[None]:
    """Start a client, which starts an owner, ask it one question, and end it afterwards."""
    command = str(Path(sys.executable).with_name("remembrancer"))
    environment = os.environ | {"REMEMBRANCER_HOME": home}
    (Path(home) / ".env").write_text("REMEMBRANCER_OWNER_IDLE=1\n", encoding="utf-8")
    parameters = StdioServerParameters(command=command, args=["stdio"], env=environment)
    async with Client(stdio_client(parameters)) as client:
        answer = await client.call_tool("recall", {"query": corpus.questions(1)[0]})
        if answer.is_error or (answer.structured_content or {}).get("degraded"):
            raise RuntimeError(f"the first recall was not answered whole: {answer.content}")
        yield


if __name__ == "__main__":
    sys.exit(report([first_recall(), idle_owner()]))
