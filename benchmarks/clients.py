"""`python -m benchmarks.clients`: many `stdio` clients on one embedded memory; exit 1 if a bound does not hold.

How long a client waits for its first answer, with an owner and without; what a bridge takes of memory; whether eight
that write at once lose anything; how soon each of sixteen is answered that write beside a full queue; what an idle
owner takes of memory, and how long the next question then waits; and, with `--minutes`, whether eight that write and
ask for so long see an error, a slow answer or an owner that grows.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final

from benchmarks import corpus
from benchmarks.measures import Measure, p95, report
from core.dates import now
from core.timing import IDLE_SECONDS

_CLIENTS: Final = 8
_WRITES: Final = 200
_STARTS: Final = 5
#: Clients that write a note a second, seconds for which they do, and notes that wait meanwhile.
_PACED_CLIENTS, _PACED, _QUEUED = 16, 10, 300
#: What an owner reads before it is idle: notes, and words of each.
_NOTES: Final = 50
_NOTE_WORDS: Final = 300
#: What of the owner's memory may be added after the first third of a long run.
_GROWTH: Final = 1.15


class Client:
    """A client of `stdio` as small as can be: it measures the service and not a library."""

    def __init__(self, home: Path) -> None:
        command = str(Path(sys.executable).with_name("remembrancer"))
        environment = os.environ | {"REMEMBRANCER_HOME": str(home)}
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        settings = home / ".env"
        settings.touch(mode=0o600)
        settings.write_text("REMEMBRANCER_OWNER_IDLE=2\n", encoding="utf-8")
        self._process = subprocess.Popen(  # noqa: S603 - this program
            [command, "stdio"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._asked = 0
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "b", "version": "0"})
        self._say({"method": "notifications/initialized"})

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Return a tool's answer.

        Raises:
            RuntimeError: it is an error.
        """
        result = self.ask("tools/call", name=tool, arguments=arguments)
        if result.get("isError"):
            raise RuntimeError(str(result["content"]))
        return dict(result["structuredContent"])

    def ask(self, method: str, **parameters: object) -> dict[str, Any]:
        """Return the result of a request."""
        self._asked += 1
        self._say({"id": self._asked, "method": method, "params": parameters})
        assert self._process.stdout is not None
        answer = json.loads(self._process.stdout.readline())
        if "result" not in answer:
            raise RuntimeError(str(answer))
        return dict(answer["result"])

    def memory(self) -> float:
        """Return what the bridge takes of memory, in MB; what it shares with others is divided among them."""
        return _memory(self._process.pid, "Pss")

    def end(self) -> None:
        """Close its input and wait for its end."""
        self._process.communicate(timeout=60)

    def _say(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
        self._process.stdin.flush()


def _memory(pid: int, field: str) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:")) / 1024


def _told(home: Path, *command: str) -> dict[str, Any]:
    """Return the JSON object that a shell command prints."""
    program = str(Path(sys.executable).with_name("remembrancer"))
    environment = os.environ | {"REMEMBRANCER_HOME": str(home)}
    said = subprocess.run(  # noqa: S603 - this program
        [program, *command, "--json"], env=environment, capture_output=True, check=False, timeout=600
    )
    return dict(json.loads(said.stdout))


def _owner(home: Path) -> int | None:
    owner = _told(home, "owner", "status")["owner"]
    return None if owner is None else int(owner["pid"])


def _gone(home: Path) -> None:
    while _owner(home) is not None:
        time.sleep(0.1)


def _timed(act: Callable[[], object]) -> float:
    begin = time.perf_counter()
    act()
    return time.perf_counter() - begin


def first_answers(home: Path) -> list[Measure]:
    """From starting `stdio` to its first answer and to that of a recall, without an owner and with one.

    Over 200 notes whose vectors are made. And what a bridge takes of memory.
    """
    clients: list[Client] = []

    def start_and_ask() -> tuple[float, float]:
        begin = time.perf_counter()
        clients.append(Client(home))
        answered = time.perf_counter() - begin
        clients[-1].call("recall", query="harbour gate")
        return answered, time.perf_counter() - begin

    def ended() -> None:
        for client in clients:
            client.end()
        clients.clear()

    clients.append(Client(home))
    notes = [{"content": note.content} for note in corpus.notes(200, words=60)]
    clients[0].call("remember_many", items=notes, wait=True)
    ended()
    _gone(home)
    without = []
    for _ in range(_STARTS):
        without.append(start_and_ask())
        ended()
        _gone(home)
    start_and_ask()
    beside = [start_and_ask() for _ in range(_STARTS)]
    memory = max(client.memory() for client in clients)
    owner = _owner(home)
    held = f"{len(clients)} clients; the owner takes {_memory(owner, 'Rss'):.0f} MB" if owner else ""
    ended()
    return [
        _seconds("first recall, no owner yet", without, 2.5),
        _seconds("first recall, beside an owner", beside, 0.5),
        Measure("memory of a bridge", memory, 20, "MB", at_most=True, detail=held),
    ]


def _seconds(name: str, times: list[tuple[float, float]], bound: float) -> Measure:
    """Return the median time to the first recall; that of the client's greeting is told beside it."""
    greeted, recalled = ([pair[n] for pair in times] for n in range(2))
    detail = f"slowest {max(recalled):.2f} s of {len(times)}; greeted after {statistics.median(greeted):.2f} s"
    return Measure(name, statistics.median(recalled), bound, "s", at_most=True, detail=detail)


def writers(home: Path) -> list[Measure]:
    """Eight clients write at once; each then looks up by words what all of them wrote, at once.

    When the background work is done `doctor` says whether each has its vector.
    """

    def write(number: int) -> set[str]:
        client = clients[number]
        contents = [f"Crate {n} of client {number} is at dock{number}x{n}." for n in range(_WRITES)]
        return {client.call("remember", content=content)["id"] for content in contents}

    def missing(number: int) -> int:
        asked = [f"dock{other}x{n}" for other in range(_CLIENTS) for n in range(_WRITES)]
        return sum(not clients[number].call("recall", query=query, expand=False)["results"] for query in asked)

    written = _CLIENTS * _WRITES
    with ExitStack() as held, ThreadPoolExecutor(_CLIENTS) as threads:
        clients = list(threads.map(lambda _: Client(home), range(_CLIENTS)))
        for client in clients:
            held.callback(client.end)
        begin = time.perf_counter()
        stored = set().union(*threads.map(write, range(_CLIENTS)))
        elapsed = time.perf_counter() - begin
        lost = written - len(stored) + sum(threads.map(missing, range(_CLIENTS)))
        while clients[0].call("status")["pending_jobs"]:
            time.sleep(0.5)
        flawed = sum(finding["state"] != "ok" for finding in _told(home, "doctor")["findings"])
    detail = f"{len(stored)} of {written} stored in {elapsed:.1f} s, each looked up by every client"
    return [
        Measure("writes of eight clients lost", lost, 0, "items", at_most=True, detail=detail),
        Measure("flaws that doctor finds then", flawed, 0, "", at_most=True, detail="of record, words, graph, vectors"),
    ]


def acknowledged(home: Path) -> list[Measure]:
    """Sixteen clients write a note a second each, while notes wait for vectors and knowledge all along."""

    def write(number: int, begun: float, times: list[float]) -> None:
        for n in range(_PACED):
            due = begun + n + number / _PACED_CLIENTS
            time.sleep(max(0.0, due - time.monotonic()))
            content = f"Barge {n} of client {number} was moored at quay {begun:.3f}."
            times.append(_timed(partial(clients[number].call, "remember", content=content)) * 1_000)

    def paced() -> list[float]:
        times: list[float] = []
        list(threads.map(partial(write, begun=time.monotonic(), times=times), range(_PACED_CLIENTS)))
        return times

    with ExitStack() as held, ThreadPoolExecutor(_PACED_CLIENTS) as threads:
        clients = list(threads.map(lambda _: Client(home), range(_PACED_CLIENTS)))
        for client in clients:
            held.callback(client.end)
        alone = paced()
        while clients[0].call("status")["pending_jobs"]:
            time.sleep(0.5)
        queued = [{"content": note.content} for note in corpus.notes(_QUEUED, words=_NOTE_WORDS, seed=19)]
        clients[0].call("remember_many", items=queued)
        times = paced()
        left = int(clients[0].call("status")["pending_jobs"])
    detail = f"p95 {p95(times):.0f} ms; {left} jobs still wait; without them {statistics.median(alone):.1f} ms"
    return [Measure("write of one of 16, full queue", statistics.median(times), 20, "ms", at_most=True, detail=detail)]


def idle_owner(home: Path) -> list[Measure]:
    """What the owner takes of memory a minute after its last work, and how long a recall then waits for the model."""
    with ExitStack() as held:
        client = Client(home)
        held.callback(client.end)
        notes = [{"content": note.content} for note in corpus.notes(_NOTES, words=_NOTE_WORDS, seed=17)]
        client.call("remember_many", items=notes)
        while client.call("status")["pending_jobs"]:
            time.sleep(0.5)
        owner = _owner(home)
        assert owner is not None, "a client is connected"
        busy = _memory(owner, "Rss")
        time.sleep(IDLE_SECONDS + 5)
        idle, own = (_memory(owner, field) for field in ("Rss", "Anonymous"))
        waited = _timed(partial(client.call, "recall", query="harbour gate"))
    detail = f"{own:.0f} MB of its own; {busy:.0f} MB when it had just read {_NOTES} notes of {_NOTE_WORDS} words"
    return [
        Measure("memory of an idle owner", idle, 200, "MB", at_most=True, detail=detail),
        Measure("recall, of an idle owner", waited, 0.5, "s", at_most=True, detail="loads the model again"),
    ]


def soak(home: Path, minutes: float) -> list[Measure]:
    """Eight clients write once and ask twice, again and again; the owner's memory is looked at every few seconds."""
    until = time.monotonic() + 60 * minutes
    times: list[float] = []

    def work(number: int) -> None:
        client, count = clients[number], 0
        while time.monotonic() < until:
            count += 1
            content = f"At {now():%H:%M:%S} gate {count % 50} of yard {number} was opened for lorry {count}."
            times.append(_timed(partial(client.call, "remember", content=content)))
            times.append(_timed(partial(client.call, "recall", query=f"lorry {count} gate {count % 50}")))
            times.append(_timed(partial(client.call, "recall", query=f"who opened yard {number}")))

    with ExitStack() as held, ThreadPoolExecutor(_CLIENTS) as threads:
        clients = list(threads.map(lambda _: Client(home), range(_CLIENTS)))
        for client in clients:
            held.callback(client.end)
        owner, sizes = _owner(home), []
        running = [threads.submit(work, number) for number in range(_CLIENTS)]
        while owner is not None and time.monotonic() < until:
            time.sleep(min(5, 6 * minutes))
            sizes.append(_memory(owner, "Rss"))
        for each in running:
            each.result()
    third = max(1, len(sizes) // 3)
    growth = max(sizes[-third:]) / max(sizes[:third])
    slowest = statistics.quantiles(times, n=20)[-1] * 1_000
    calls = f"{len(times):,} calls in {minutes:g} minutes, no error; median {statistics.median(times) * 1_000:.0f} ms"
    held_memory = f"{max(sizes[:third]):.0f} MB at first, {max(sizes[-third:]):.0f} MB at last"
    return [
        Measure("p95 of a call, eight clients", slowest, 1_000, "ms", at_most=True, detail=calls),
        Measure("growth of the owner", growth, _GROWTH, "×", at_most=True, detail=held_memory),
    ]


def main() -> int:
    """Measure one after the other."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.clients", description=__doc__)
    parser.add_argument("--minutes", type=float, default=0, help="of the long run; none if not given")
    minutes = parser.parse_args().minutes
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "home"
        measured = [
            *first_answers(home),
            *writers(home),
            *acknowledged(home),
            *idle_owner(home),
            *(soak(home, minutes) if minutes else []),
        ]
        _gone(home)
    return report(measured)


if __name__ == "__main__":
    sys.exit(main())
