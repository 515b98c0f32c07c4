"""`python -m benchmarks.crowd`: a client with a token beside a crowd without one; exit 1 if a bound does not hold.

The crowd is a process of its own: 1,000 connections that begin a request and never end it, opened again when the server
closes them, and 200 clients that send wrong tokens as fast as they are answered.
"""

import argparse
import asyncio
import http.client
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks import corpus
from benchmarks.measures import Measure, fresh, p95, report, timed
from service.processes import end_by_signals

_HALF_OPEN: Final = 1_000
_WRONG: Final = 200
_NOTES: Final = 60
_CALLS: Final = 100
#: Seconds for the crowd to have come together.
_GATHERING: Final = 8.0
_TYPES: Final = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


class Client:
    """A client of the older era with a token, on one connection for as long as the server keeps it."""

    def __init__(self, port: int, secret: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = _TYPES | {"Authorization": f"Bearer {secret}"}
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "b", "version": "0"}}
        session = self._post("initialize", client).headers["Mcp-Session-Id"]
        self._headers |= {"Mcp-Session-Id": session}

    def recall(self) -> None:
        """Ask a question."""
        self.call("recall", {"query": "Who sent the parcel?", "limit": 3})

    def call(self, tool: str, arguments: Mapping[str, object]) -> None:
        """Call a tool."""
        self._post("tools/call", {"name": tool, "arguments": arguments})

    def await_jobs(self) -> None:
        """Wait until background work is done."""
        pending = True
        while pending:
            metrics = self._answer("GET", "/metrics").read()
            pending = b'remembrancer_jobs{state="pending"} 0.0' not in metrics
            time.sleep(0.5)

    def _post(self, method: str, parameters: Mapping[str, object]) -> http.client.HTTPResponse:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters})
        answer = self._answer("POST", "/mcp", body)
        said = answer.read()
        if answer.status != 200 or b'"result"' not in said or b'"isError":true' in said:
            raise RuntimeError(f"{method}: {answer.status} {said[:200]!r}")
        return answer

    def _answer(self, method: str, path: str, body: str | None = None) -> http.client.HTTPResponse:
        try:
            self._connection.request(method, path, body, self._headers)
            return self._connection.getresponse()
        except (ConnectionError, http.client.HTTPException):  # an idle connection made room for another
            self._connection.close()
            self._connection.request(method, path, body, self._headers)
            return self._connection.getresponse()


@contextmanager
def served(
    home: Path, settings: Mapping[str, str] | None = None, options: Sequence[str] = ()
) -> Iterator[tuple[int, int]]:
    """Run `serve` with these settings and options, and yield its port and its process id."""
    command = [str(Path(sys.executable).with_name("remembrancer")), "serve", "--port", "0", *options]
    environment = os.environ | {"REMEMBRANCER_HOME": str(home)} | dict(settings or {})
    log = home / "serve.log"
    with log.open("wb") as errors, subprocess.Popen(command, env=environment, stderr=errors) as process:  # noqa: S603 - this program
        try:
            while b"/mcp" not in (said := log.read_bytes()):
                if process.poll() is not None:
                    raise RuntimeError(said.decode())
                time.sleep(0.1)
            yield int(said.partition(b"127.0.0.1:")[2].partition(b"/")[0]), process.pid
        finally:
            process.terminate()


@contextmanager
def crowded(port: int, half_open: int, wrong: int) -> Iterator[None]:
    """Run the crowd."""
    command = [sys.executable, "-m", "benchmarks.crowd", "--port", str(port)]
    command += ["--half-open", str(half_open), "--wrong", str(wrong)]
    with subprocess.Popen(command) as process:  # noqa: S603 - this program
        try:
            time.sleep(_GATHERING)
            yield
        finally:
            process.terminate()


async def gather(port: int, half_open: int, wrong: int) -> None:
    """Be the crowd, for ever."""
    await asyncio.gather(
        *(_half(port, number) for number in range(half_open)), *(_guess(port, number) for number in range(wrong))
    )


async def _half(port: int, number: int) -> None:
    await asyncio.sleep(number / 500)
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"POST /mcp HTTP/1.1\r\nHost: local")
            await reader.read()
            writer.close()
        except OSError:
            await asyncio.sleep(0.1)


async def _guess(port: int, number: int) -> None:
    head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer guess-{number}\r\nContent-Length: 2"
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"{head}\r\n\r\n{{}}".encode())
            await reader.read()
            writer.close()
        except OSError:
            await asyncio.sleep(0.1)


def crowd(half_open: int, wrong: int) -> Measure:
    """Ask alone and in the crowd, and compare."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with fresh(home) as app:
            for memory in corpus.notes(_NOTES, words=60):
                app.remember(memory)
        with served(home) as (port, _):
            client = Client(port, (home / "http.token").read_text(encoding="utf-8").strip())
            client.await_jobs()
            for _ in range(10):
                client.recall()
            alone = [timed(client.recall) for _ in range(_CALLS)]
            with crowded(port, half_open, wrong):
                beside = [timed(client.recall) for _ in range(_CALLS)]
            after = [timed(client.recall) for _ in range(_CALLS)]
    quiet, loud = statistics.median([*alone, *after]), statistics.median(beside)
    detail = (
        f"alone {quiet:.1f} ms, p95 {p95([*alone, *after]):.1f}; beside {half_open} half-open connections and {wrong} "
        f"wrong tokens {loud:.1f} ms, p95 {p95(beside):.1f}, slowest {max(beside):.0f}"
    )
    return Measure("recall in a crowd", loud / quiet, 2, "× alone", at_most=True, detail=detail)


def main() -> int:
    """Measure, or be the crowd that is measured against."""
    end_by_signals(partial(sys.exit, 1))  # with what it started
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crowd", description=__doc__)
    parser.add_argument("--half-open", type=int, default=_HALF_OPEN, help="connections that never finish a request")
    parser.add_argument("--wrong", type=int, default=_WRONG, help="clients with wrong tokens")
    parser.add_argument("--port", type=int, help="be the crowd of the server at this port")
    given = parser.parse_args()
    if given.port is None:
        return report([crowd(given.half_open, given.wrong)], "HTTP")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    asyncio.run(gather(given.port, given.half_open, given.wrong))
    return 0


if __name__ == "__main__":
    sys.exit(main())
