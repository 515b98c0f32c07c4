"""What a Neo4j and a Chroma server have in common: a folder, a port that stays, a process, and how both end.

Processes are told apart even when the system gives a number out again.
"""

import json
import os
import random
import signal
import socket
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Final, Self

from core.errors import Conflict, Unavailable
from core.timing import poll_until

#: Under the range that systems give to outgoing connections: a client that keeps calling a stopped server could
#: otherwise be given the server's own port, and would then talk to itself.
_PORTS: Final = range(20_000, 30_000)
_HOST: Final = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class ProcessMark:
    """A process by its number and by when it began; both together are never given out twice."""

    number: int
    began: str

    def is_alive(self) -> bool:
        """Whether this very process still runs; one that has ended and was not yet collected does not."""
        return _began(self.number) == self.began


def mark(number: int) -> ProcessMark:
    """Return the mark of a process just started; one that has ended already gets a mark that is not alive."""
    return ProcessMark(number, _began(number) or "")


def _began(number: int) -> str | None:
    """`None` means it has ended. Linux counts clock ticks since the machine's start, others write a date."""
    if Path("/proc/self/stat").exists():
        try:
            stat = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            return None
        fields = stat.rpartition(")")[2].split()  # the program's name before it may hold anything
        state, began = fields[0], fields[19]
    else:
        command = ["ps", "-o", "stat=,lstart=", "-p", str(number)]
        answer = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        state, _, began = answer.strip().partition(" ")
    return None if not state or state.startswith("Z") else began.strip()


def can_listen(port: int) -> bool:
    """Whether a server could open this port of the loopback address now."""
    with socket.socket() as probe:
        # As servers do: connections of a server that has just ended don't keep its port from it.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_HOST, port))
        except OSError:
            return False
        return True


def free_port() -> int:
    """Return a port of the loopback address that nobody listens on now.

    Raises:
        Unavailable: none of a hundred tries was free.
    """
    for port in random.sample(_PORTS, 100):
        if can_listen(port):
            return port
    raise Unavailable(f"No free port between {_PORTS.start} and {_PORTS.stop}: end some of the servers that run here.")


#: Seconds: a first start of Neo4j takes 5 to 20 on two cores that are shared; a stop writes out what is in memory.
_START_TIMEOUT, _STOP_TIMEOUT = 90.0, 30.0
_POLL: Final = 0.05
#: Lines of the log that an error shows.
_LOG_LINES: Final = 15
_ROOT: Final = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class ServerState:
    """What a server's folder tells the next process that opens it; the password is empty where none is asked for."""

    port: int
    password: str
    process: ProcessMark | None


class Server(ABC):
    """One server over one folder, on the loopback address only. Not to be used by two threads at once.

    A second object over the same folder, also in another process, sees and stops the same server.
    """

    name: ClassVar[str]

    def __init__(self, folder: Path, *, detached: bool = False) -> None:
        """A server that isn't `detached` ends with the process that starts it, however that one ends."""
        self.folder = folder.absolute()
        self._detached = detached
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        """Whether its process is there; `answers` says whether it is of use."""
        state = self._state()
        return state is not None and state.process is not None and state.process.is_alive()

    @property
    def port(self) -> int:
        """The port it listens on, or listened on last. `Unavailable` is raised before the first start."""
        return self._known().port

    @property
    def pid(self) -> int:
        """The number of its process; `Unavailable` is raised while there is none."""
        process = self._known().process
        if process is None:
            raise Unavailable(f"{self.name} in {str(self.folder)!r} isn't running.")
        return process.number

    @property
    def log(self) -> Path:
        """What the process has written, over all starts."""
        return self.folder / "log.txt"

    def start(self) -> Self:
        """Start it and wait until it answers. The port is that of the last start unless somebody has taken it since.

        Raises:
            Conflict: it runs already.
            Unavailable: something it needs is missing, or it has not come up; the message shows the end of its log.
        """
        if self.running:
            raise Conflict(f"{self.name} in {str(self.folder)!r} runs already: stop it first.")
        self.folder.mkdir(parents=True, exist_ok=True)
        known = self._state()
        port = known.port if known and can_listen(known.port) else free_port()
        state = ServerState(port, known.password if known else self._make_password(), None)
        self._write(state)
        child = self._launch(self._command(state))
        self._write(replace(state, process=mark(child.pid)))
        try:
            self._wait_until_it_answers(child)
        except BaseException:
            self.kill()
            raise
        return self

    def stop(self) -> None:
        """Ask it to end and wait; after half a minute it is killed. Nothing happens if it isn't running."""
        if not self._ended_by(signal.SIGTERM):
            self.kill()

    def kill(self) -> None:
        """End it as a power cut would. Nothing happens if it isn't running."""
        if not self._ended_by(signal.SIGKILL):
            raise Unavailable(f"{self.name} in {str(self.folder)!r} can't be killed: look at {self._known().process}.")

    def freeze(self) -> None:
        """Let it hang: it holds its port and its connections and answers nothing until `thaw`."""
        self._send(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self._send(signal.SIGCONT)

    def restart(self) -> Self:
        """Stop it if it runs and start it on the same port and data."""
        self.stop()
        return self.start()

    @abstractmethod
    def answers(self) -> bool:
        """Whether it serves requests now."""

    @abstractmethod
    def environment(self) -> dict[str, str]:
        """Return the variables that make a `remembrancer` process use it."""

    @abstractmethod
    def _command(self, state: ServerState) -> Sequence[str]: ...

    def _make_password(self) -> str:
        return ""

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _launch(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        attached = [] if self._detached else [sys.executable, "-m", "servers.attached"]
        with self.log.open("ab") as log:
            self._child = subprocess.Popen(
                [*attached, *command],
                stdin=subprocess.DEVNULL if self._detached else subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=_ROOT,
                # A group of its own: signals reach all of it, and none that was meant for the starter's terminal.
                start_new_session=True,
            )
        return self._child

    def _wait_until_it_answers(self, child: subprocess.Popen[bytes]) -> None:
        def has_come_up() -> bool | None:
            return (self.answers() or None) if child.poll() is None else False

        came_up = poll_until(_START_TIMEOUT, interval_seconds=_POLL)(has_come_up)
        if came_up is None:
            raise Unavailable(f"{self.name} hasn't answered within {_START_TIMEOUT:.0f} s. {self._log_end()}")
        if not came_up:
            raise Unavailable(f"{self.name} ended with code {child.returncode} while starting. {self._log_end()}")

    def _log_end(self) -> str:
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LOG_LINES:]
        return "\n".join([f"{str(self.log)!r} ends with:", *lines])

    def _send(self, number: signal.Signals) -> None:
        process = self._known().process
        if process is not None and process.is_alive():
            os.killpg(process.number, number)

    def _ended_by(self, number: signal.Signals) -> bool:
        """Whether it had ended, and had let go of its port, within half a minute of the signal."""
        state = self._state()
        if state and state.process and state.process.is_alive():
            # It may end between the two lines, which is what is wanted.
            with suppress(ProcessLookupError):
                os.killpg(state.process.number, number)
            process, port = state.process, state.port
            has_ended = poll_until(_STOP_TIMEOUT, interval_seconds=_POLL)(
                lambda: (not process.is_alive() and can_listen(port)) or None
            )
            if has_ended is None:
                return False
        self._forget_child()
        return True

    def _forget_child(self) -> None:
        if self._child is not None:
            self._child.wait()
            if self._child.stdin:
                self._child.stdin.close()
            self._child = None

    def _state(self) -> ServerState | None:
        """`None` means that no server was ever started in this folder."""
        try:
            stored = json.loads((self.folder / "server.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        process = ProcessMark(**stored["process"]) if stored["process"] else None
        return ServerState(stored["port"], stored["password"], process)

    def _known(self) -> ServerState:
        state = self._state()
        if state is None:
            raise Unavailable(f"{self.name} was never started in {str(self.folder)!r}: call start() first.")
        return state

    def _write(self, state: ServerState) -> None:
        path = self.folder / "server.json"
        fresh = path.with_suffix(".part")
        fresh.touch(mode=0o600)
        fresh.write_text(json.dumps(asdict(state)), encoding="utf-8")
        fresh.replace(path)
