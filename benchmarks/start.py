"""How long a client waits: from starting `remembrancer stdio` to the first answered recall."""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from benchmarks import corpus
from benchmarks.measures import Measure, fresh


def first_recall(runs: int = 5) -> Measure:
    """Median over several starts, on a memory that exists and whose vectors are made."""
    with tempfile.TemporaryDirectory() as folder:
        with fresh(Path(folder)) as app:
            for memory in corpus.notes(200, words=60):
                app.remember(memory)
            app.worker.drain()
        times = [anyio.run(_start_and_ask, folder) for _ in range(runs)]
    detail = f"slowest {max(times):.2f} s of {runs} starts, 200 notes"
    return Measure("stdio start to first recall", statistics.median(times), 3, "s", at_most=True, detail=detail)


async def _start_and_ask(home: str) -> float:
    command = str(Path(sys.executable).with_name("remembrancer"))
    environment = os.environ | {"REMEMBRANCER_HOME": home}
    (Path(home) / ".env").write_text("REMEMBRANCER_OWNER_IDLE=1\n", encoding="utf-8")
    begin = time.perf_counter()
    parameters = StdioServerParameters(command=command, args=["stdio"], env=environment)
    async with Client(stdio_client(parameters)) as client:
        answer = await client.call_tool("recall", {"query": corpus.questions(1)[0]})
        elapsed = time.perf_counter() - begin
    if answer.is_error or (answer.structured_content or {}).get("degraded"):
        raise RuntimeError(f"the first recall was not answered whole: {answer.content}")
    return elapsed
