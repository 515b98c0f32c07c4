"""Processes and ports of this machine, told apart even when the system gives a number out again."""

import random
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from core.errors import Unavailable

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
