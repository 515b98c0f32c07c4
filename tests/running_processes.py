"""The service's processes as tests start, ask and end them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx2

from servers.server import free_port
from service.owner import endpoint

COMMAND = str(Path(sys.executable).with_name("remembrancer"))
#: Longest wait for a process of ours, in seconds; on an idle machine it takes 2 to come up.
PATIENCE = 60.0


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a client of a home whose owner ends soon after it, unless its `.env` says otherwise."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not (home / ".env").exists():
        (home / ".env").write_text("REMEMBRANCER_OWNER_IDLE=1\n", encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("REMEMBRANCER_", "OPENAI_"))}
    return kept | {"REMEMBRANCER_HOME": str(home)} | more


def shell(home: Path, *arguments: str, stdin: str | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *arguments],
        env=environment(home, **more),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        cwd=home,
    )


def up(address: str) -> bool:
    try:
        return httpx2.get(address).status_code == 200
    except httpx2.TransportError:
        return False


@contextmanager
def serving(home: Path, *options: str, command: str = COMMAND, **more: str) -> Iterator[str]:
    """Run `serve` on a free port and yield its address, once it is up; without tokens nobody is asked for one."""
    port = free_port()
    if "REMEMBRANCER_TOKENS" not in more:
        options = (*options, "--open")
    process = subprocess.Popen(
        [command, "serve", "--port", str(port), *options],
        env=environment(home, **more),
        stderr=subprocess.PIPE,
        cwd=home,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + PATIENCE
        while not up(f"{address}/healthz"):
            assert process.poll() is None, process.stderr.read() if process.stderr else ""
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield address
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
        assert b"Traceback" not in errors, errors.decode()


def wait_for_line(process: subprocess.Popen[bytes], word: bytes) -> None:
    """Read what the process logs until a line has the word."""
    assert process.stderr is not None
    for line in process.stderr:
        if word in line:
            return
    raise AssertionError(f"The process ended with {process.wait()} before it said {word!r}.")


def ended(process: subprocess.Popen[bytes], number: signal.Signals) -> tuple[int, str]:
    """Send a signal; return the exit code and what was logged."""
    process.send_signal(number)
    _, errors = process.communicate(timeout=PATIENCE)
    assert b"Traceback" not in errors, errors.decode()
    return process.returncode, errors.decode()


def owner(home: Path) -> dict[str, Any] | None:
    """What the owner of a home says of itself; None if there is none."""
    try:
        connection = endpoint.Connection(home, "status")
    except endpoint.NoOwner:
        return None
    connection.close()
    return connection.status


class Bridged:
    """A client of `stdio`, speaking lines."""

    def __init__(self, home: Path, **more: str) -> None:
        self._numbers = iter(range(1, 1_000_000))
        self.process = subprocess.Popen(
            [COMMAND, "stdio"],
            env=environment(home, **more),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=home.parent,
        )
        client = {"name": "test", "version": "0"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self.began = self.ask("initialize", hello)
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def say(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        return dict(json.loads(self.process.stdout.readline()))

    def ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        number = next(self._numbers)
        self.say({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters})
        answer = self.hear()
        assert answer["id"] == number
        return answer

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Return a tool's structured answer, or its error."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        return dict(result.get("structuredContent") or json.loads(result["content"][-1]["text"]))

    def end(self) -> str:
        """Close its input; return what it wrote to standard error."""
        _, errors = self.process.communicate(timeout=PATIENCE)
        assert b"Traceback" not in errors, errors.decode()
        return errors.decode()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.end()
