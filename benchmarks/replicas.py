"""`python -m benchmarks.replicas`: many clients of several replicas on servers, and what a call costs of each process.

Starts a Neo4j and a Chroma server, fills a memory, and calls `recall` and `remember` from 64 clients in processes of
their own, with as many workers as replicas. Calls a second grow with replicas only while the machine has processors to
spare. The processor time of a call in each kind of process doesn't depend on that: docs/operations.md computes from it
how many of each a machine needs.
"""

import argparse
import json
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count, cycle
from pathlib import Path
from typing import Final

from rich.console import Console

from benchmarks import corpus
from benchmarks.crowd import Client, served
from benchmarks.measures import p95, timed
from servers import ChromaServer, Neo4jServer
from service.processes import end_by_signals

_CLIENTS, _PROCESSES = 64, 4
_NOTES, _WORDS, _BATCH = 1_000, 60, 100
_TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Load:
    """What the clients saw of one kind of call, and what it took: milliseconds of processor a call, by process."""

    tool: str
    replicas: int
    calls: int
    seconds: float
    times: Sequence[float]
    cost: Mapping[str, float]


def be_clients(ports: Sequence[int], tool: str, seconds: float) -> None:
    """Call a tool from several threads, each with a connection of its own, and print the milliseconds of each call."""
    secret = os.environ["REMEMBRANCER_TOKENS"]
    clients = [Client(port, secret) for _, port in zip(range(_CLIENTS // _PROCESSES), cycle(ports))]
    times: list[float] = []
    failed: list[BaseException] = []

    def work(client: Client, calls: Iterator[Mapping[str, object]]) -> None:
        until = time.monotonic() + seconds
        try:
            while time.monotonic() < until:
                times.append(timed(partial(client.call, tool, next(calls))))
        except BaseException as error:  # noqa: BLE001 - raised again in the main thread
            failed.append(error)

    threads = [
        threading.Thread(target=work, args=(client, _calls(tool, f"{os.getpid()} {number}")))
        for number, client in enumerate(clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    json.dump(times, sys.stdout)


def _calls(tool: str, who: str) -> Iterator[Mapping[str, object]]:
    if tool == "recall":
        yield from ({"query": query} for query in cycle(corpus.questions(200)))
    for number, note in zip(count(), cycle(corpus.notes(200, words=_WORDS))):
        yield {"content": f"{note.content} ({who}, {number})"}


def measured(
    tool: str, ports: Sequence[int], seconds: float, parts: Mapping[str, Sequence[int]], settle: Callable[[], None]
) -> Load:
    """Run the clients, and read what the processes of each part took until the background work was done, too."""
    command = [sys.executable, "-m", "benchmarks.replicas", "--ports", ",".join(map(str, ports))]
    command += ["--tool", tool, "--seconds", str(seconds)]
    before, began = {name: _processor(pids) for name, pids in parts.items()}, time.monotonic()
    running = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(_PROCESSES)]  # noqa: S603 - this program
    times: list[float] = []
    for process in running:
        said, _ = process.communicate(timeout=seconds + 300)
        if process.returncode:
            raise RuntimeError(f"The clients of {tool} failed.")
        times += json.loads(said)
    took = time.monotonic() - began
    settle()
    cost = {name: (_processor(pids) - before[name]) / len(times) for name, pids in parts.items()}
    return Load(tool, len(ports), len(times), took, times, cost)


def _processor(pids: Sequence[int]) -> float:
    """Return the milliseconds of processor that processes and all their children, ended ones too, have taken."""
    ticks, parents = dict[int, int](), dict[int, int]()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            parents[int(entry.name)], ticks[int(entry.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    found = [pid for pid in ticks if not set(pids).isdisjoint(_line(pid, parents))]
    return sum(ticks[pid] for pid in found) / _TICKS * 1_000


def _line(pid: int, parents: Mapping[int, int]) -> Iterator[int]:
    """Yield a process, its parent, and so on."""
    while pid:
        yield pid
        pid = parents.get(pid, 0)


@contextmanager
def worker(home: Path) -> Iterator[int]:
    """Run a worker and yield its process id."""
    command = [str(Path(sys.executable).with_name("remembrancer")), "worker"]
    home.mkdir(mode=0o700)
    environment = os.environ | {"REMEMBRANCER_HOME": str(home)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:  # noqa: S603 - this program
        try:
            yield process.pid
        finally:
            process.terminate()


def all_loads(folder: Path, numbers: Sequence[int], notes: int, seconds: float) -> Iterator[Load]:
    """Fill a memory on servers, and yield the loads of growing numbers of replicas."""
    with Neo4jServer(folder / "neo4j") as neo4j, ChromaServer(folder / "chroma") as chroma, ExitStack() as held:
        os.environ |= neo4j.environment() | chroma.environment()
        os.environ |= {"REMEMBRANCER_TOKENS": secrets.token_hex(32), "REMEMBRANCER_HTTP_RATE": "1000000"}
        ports, pids, workers = list[int](), list[int](), list[int]()
        for number in range(max(numbers)):
            home = folder / f"replica-{number}"
            home.mkdir(mode=0o700)
            port, pid = held.enter_context(served(home, options=["--no-worker"]))
            ports.append(port)
            pids.append(pid)
            workers.append(held.enter_context(worker(folder / f"worker-{number}")))
            client = Client(port, os.environ["REMEMBRANCER_TOKENS"])
            if number == 0:
                _fill(client, notes)
            client.await_jobs()
            client.recall()
            parts = {"replicas": pids, "Neo4j": [neo4j.pid], "Chroma": [chroma.pid], "workers": workers}
            if number + 1 in numbers:
                for tool in ("recall", "remember"):
                    yield measured(tool, ports, seconds, parts, client.await_jobs)


def _fill(client: Client, number: int) -> None:
    contents = [{"content": note.content} for note in corpus.notes(number, words=_WORDS, seed=3)]
    for first in range(0, number, _BATCH):
        client.call("remember_many", {"items": contents[first : first + _BATCH]})


def main() -> int:
    """Measure and print, or be some of the clients."""
    end_by_signals(partial(sys.exit, 1))  # with what it started
    parser = argparse.ArgumentParser(prog="python -m benchmarks.replicas", description=__doc__)
    parser.add_argument("--replicas", default="1,2,4", help="numbers of replicas (default: %(default)s)")
    parser.add_argument("--notes", type=int, default=_NOTES, help="in the memory at first (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=15, help="of each load (default: %(default)s)")
    parser.add_argument("--ports", help="be some of the clients of the replicas at these ports")
    parser.add_argument("--tool", choices=["recall", "remember"], default="recall", help="what these clients call")
    given = parser.parse_args()
    if given.ports:
        be_clients([int(port) for port in given.ports.split(",")], given.tool, given.seconds)
        return 0
    console = Console(width=200, highlight=False)
    console.print(f"{_CLIENTS} clients, {os.cpu_count()} processors; costs are processor time of one call")
    with tempfile.TemporaryDirectory(prefix="replicas-", ignore_cleanup_errors=True) as folder:
        numbers = sorted({int(number) for number in given.replicas.split(",")})
        for load in all_loads(Path(folder), numbers, given.notes, given.seconds):
            waits = f"median {statistics.median(load.times):.0f} ms, p95 {p95(load.times):.0f} ms"
            costs = ", ".join(f"{name} {cost:.1f} ms" for name, cost in load.cost.items())
            of = f"{load.replicas} replicas, {load.tool}"
            console.print(f"{of}: {load.calls / load.seconds:.1f} a second, {waits}; {costs}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
