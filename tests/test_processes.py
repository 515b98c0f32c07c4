"""The service as its users meet it: real processes, real transports, kill -9."""

import io
import json
import logging
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from servers.server import free_port
from servers.services import ChromaServer
from service.processes import LineFormatter
from tests.calling import answered
from tests.running_processes import (
    COMMAND,
    PATIENCE,
    ended,
    environment,
    serving,
    shell,
    wait_for_line,
)

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def stdio(home: Path, mode: str = "auto") -> AsyncIterator[Client]:
    parameters = StdioServerParameters(command=COMMAND, args=["stdio"], env=environment(home), cwd=home)
    async with Client(stdio_client(parameters), mode=mode) as client:
        yield client


@pytest.mark.exhaustive
@pytest.mark.parametrize("mode", ["auto", pytest.param("legacy", marks=pytest.mark.exhaustive)])
async def test_stdio_remembers_across_processes(tmp_path: Path, mode: str) -> None:
    """docs/architecture.md: what one process acknowledged the next one knows, in both protocol eras."""
    async with stdio(tmp_path, mode) as client:
        receipt = await answered(client, "remember", content="The lift is serviced each May.", wait=True)
    async with stdio(tmp_path, mode) as client:
        found = await answered(client, "recall", query="When is the elevator maintained?")

    assert found["results"][0]["id"] == receipt["id"]
    assert found["degraded"] == []


async def test_nothing_but_protocol_frames_reaches_stdout(tmp_path: Path) -> None:
    """docs/interface.md: stdout of `stdio` is for the client alone, also when a call fails."""
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
    }
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    wrong = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "recall", "arguments": {"limit": []}},
    }
    process = subprocess.Popen(
        [COMMAND, "stdio"], env=environment(tmp_path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        for message in (hello, ready, wrong):
            process.stdin.write(f"{json.dumps(message)}\n")
            process.stdin.flush()
        lines = [process.stdout.readline() for _ in range(2)]
        process.stdin.close()
        rest = process.stdout.read()

    assert [json.loads(line)["id"] for line in lines] == [1, 2]
    assert rest == ""
    assert process.returncode == 0


@pytest.mark.exhaustive
def test_what_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    """docs/architecture.md: a killed process loses no acknowledged write, and the next one finishes its jobs."""
    writer = (
        "import sys\n"
        "from core.interface.memory import Memory\n"
        "from service.settings import load_settings\n"
        "from service.wiring import open_app\n"
        "with open_app(load_settings()) as app:\n"
        "    app.start()\n"
        "    for number in range(10_000):\n"
        "        receipt = app.remember(Memory(content=f'Parcel {number} left for depot {number % 7}.'))\n"
        "        print(receipt.id, flush=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", writer], env=environment(tmp_path), stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    acknowledged = [process.stdout.readline().strip() for _ in range(200)]
    process.kill()
    acknowledged += [line.strip() for line in process.stdout if line.endswith("\n")]
    process.wait()
    process.stdout.close()

    checker = (
        "import sys, time\n"
        "from service.settings import load_settings\n"
        "from service.wiring import open_app\n"
        "ids = sys.stdin.read().split()\n"
        "with open_app(load_settings()) as app:\n"
        "    assert set(app.store.get('default', ids)) == set(ids)\n"
        "    deadline = time.monotonic() + 60\n"
        "    while app.store.job_counts().pending and time.monotonic() < deadline:\n"
        "        app.worker.drain()\n"
        "        time.sleep(0.2)\n"
        "    stored = {f'{item.id}:0' for batch in app.store.each('default') for item in batch}\n"
        "    assert app.index.ids('default') == stored, 'vectors differ from the record'\n"
        "    assert app.store.job_counts().failed == 0\n"
    )
    checked = subprocess.run(
        [sys.executable, "-c", checker],
        env=environment(tmp_path),
        input="\n".join(acknowledged),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )

    assert len(acknowledged) >= 200
    assert checked.returncode == 0, checked.stderr


@pytest.mark.exhaustive
@pytest.mark.parametrize("mode", ["auto", pytest.param("legacy", marks=pytest.mark.exhaustive)])
async def test_http_serves_the_same_tools(tmp_path: Path, mode: str) -> None:
    """docs/interface.md: MCP over streamable HTTP at /mcp, in both eras."""
    with serving(tmp_path) as address:
        async with Client(f"{address}/mcp", mode=mode) as client:
            receipt = await answered(client, "remember", content="The roof was tarred in 2024.", wait=True)
            found = await answered(client, "recall", query="roof")

    assert found["results"][0]["id"] == receipt["id"]


@pytest.mark.exhaustive
async def test_a_large_content_goes_through_http(tmp_path: Path) -> None:
    """docs/interface.md remember: 10,000,000 characters is the service's limit, not the transport's 4 MiB."""
    text = "All work and no play makes a long document. " * 96_000
    with serving(tmp_path) as address:
        async with Client(f"{address}/mcp", read_timeout_seconds=100) as client:
            receipt = await answered(client, "remember", content=text)
            shown = await answered(client, "recall", id=receipt["id"], include_events=False, detail="full")

    assert receipt["is_chunked"] is True
    assert shown["results"][0]["content"] == text


@pytest.mark.exhaustive
async def test_health_readiness_and_metrics_answer_beside_mcp(tmp_path: Path) -> None:
    """docs/interface.md: /healthz, /readyz and /metrics."""
    with serving(tmp_path) as address:
        async with Client(f"{address}/mcp") as client:
            await answered(client, "remember", content="Counted.")
        ready = httpx2.get(f"{address}/readyz").json()
        metrics = httpx2.get(f"{address}/metrics").text
        foreign = [
            httpx2.request(method, f"{address}/{path}", headers={"Host": "evil.example"}).status_code
            for method, path in (("POST", "mcp"), ("GET", "metrics"), ("GET", "readyz"))
        ]

    assert ready["ready"] is True
    assert 'remembrancer_tool_calls_total{outcome="ok",tool="remember"} 1.0' in metrics
    assert foreign == [421, 421, 421]


@pytest.mark.exhaustive
def test_the_tokens_of_settings_home_and_record_are_accepted(tmp_path: Path) -> None:
    """docs/interface.md HTTP: one is made for the home, and others are taken up without a restart."""
    first, second = "1" * 32, "2" * 32
    with serving(tmp_path, REMEMBRANCER_TOKENS=f"{first}, {second}") as address:
        home = (tmp_path / "http.token").read_text(encoding="utf-8").strip()
        created = shell(tmp_path, "token", "create", "ci").stdout.strip()
        answers = [
            httpx2.get(f"{address}/readyz", headers={"Authorization": f"Bearer {given}"}).status_code
            for given in ("wrong", first, second, home, created)
        ]

    assert answers == [401, 200, 200, 200, 200]
    assert (tmp_path / "http.token").stat().st_mode & 0o777 == 0o600


@pytest.mark.exhaustive
def test_a_process_beside_one_that_serves_nobody_else_answers_without_vectors_and_says_so(tmp_path: Path) -> None:
    """Never lie: the vector index has one process; another names what it could not use."""
    holder = (
        "import sys\n"
        "from core.interface.memory import Memory\n"
        "from service.settings import load_settings\n"
        "from service.wiring import open_app\n"
        "with open_app(load_settings()) as app:\n"
        "    print(app.remember(Memory(content='The attic is dry.'), wait=True).id, flush=True)\n"
        "    sys.stdin.readline()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", holder],
        env=environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    stored = process.stdout.readline().strip()
    found = json.loads(shell(tmp_path, "recall", "attic", "--json").stdout)
    process.communicate("end\n")
    alone = json.loads(shell(tmp_path, "recall", "attic", "--json").stdout)

    assert (found["degraded"], alone["degraded"]) == (["vectors"], [])
    assert found["results"][0]["id"] == alone["results"][0]["id"] == stored


@pytest.mark.exhaustive
async def test_sigterm_ends_serve_with_a_client_connected(tmp_path: Path) -> None:
    """Containers send it: exit code 0, stores closed, an open stream of a client holds nothing up."""
    port = free_port()
    process = subprocess.Popen(
        [COMMAND, "serve", "--open", "--port", str(port)],
        env=environment(tmp_path),
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    wait_for_line(process, b"serves MCP")
    stream = {"Accept": "text/event-stream, application/json"}
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
    }
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=stream, timeout=PATIENCE) as client:
        session = {"Mcp-Session-Id": (await client.post("/mcp", json=hello)).headers["mcp-session-id"]}
        async with client.stream("GET", "/mcp", headers=session) as held:
            assert held.status_code == 200
            code, _ = ended(process, signal.SIGTERM)

    assert code == 0
    assert not (tmp_path / "chroma.pid").exists()


@pytest.mark.exhaustive
def test_sigterm_ends_stdio_while_it_waits_for_its_client(tmp_path: Path) -> None:
    """A client that ends its servers by signal leaves none behind."""
    process = subprocess.Popen(
        [COMMAND, "stdio"],
        env=environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    process.stdin.write(f"{json.dumps(ping)}\n".encode())
    process.stdin.flush()
    process.stdout.readline()

    assert ended(process, signal.SIGTERM)[0] == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("arguments", [("worker",), ("serve", "--no-worker")])
def test_embedded_vectors_are_never_left_to_another_process(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """No other process could write them: both say so, and what to do."""
    done = shell(tmp_path, *arguments)

    assert done.returncode == 1
    assert "REMEMBRANCER_VECTORS=server" in done.stderr


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 0), pytest.param(signal.SIGINT, 130, marks=pytest.mark.exhaustive)]
)
async def test_a_worker_does_what_serve_leaves_to_it(tmp_path: Path, number: signal.Signals, code: int) -> None:
    """docs/architecture.md: replicas and workers side by side; what one wrote the other uses."""
    with ChromaServer(tmp_path / "server") as chroma:
        variables = chroma.environment()
        with serving(tmp_path, "--no-worker", **variables) as address:
            async with Client(f"{address}/mcp") as client:
                receipt = await answered(client, "remember", content="The lift is serviced each May.")
                left = await answered(client, "status", id=receipt["id"])
                worker = subprocess.Popen(
                    [COMMAND, "worker"], env=environment(tmp_path, **variables), stderr=subprocess.PIPE, cwd=tmp_path
                )
                wait_for_line(worker, b"is running")
                again = await answered(client, "remember", content="The lift was built in 1970.", wait=True)
                found = await answered(client, "recall", query="When is the elevator maintained?")
            returned, _ = ended(worker, number)

    assert {job["state"] for job in left["job_status"].values()} == {"pending"}
    assert "degraded" not in again
    assert (found["results"][0]["id"], found["degraded"]) == (receipt["id"], [])
    assert returned == code


@pytest.mark.exhaustive
async def test_serve_comes_up_while_both_servers_are_away(tmp_path: Path) -> None:
    """A replica that starts during an outage says what is wrong, and works once it is over."""
    away = f"127.0.0.1:{free_port()}"
    variables = {
        "REMEMBRANCER_GRAPH": "neo4j",
        "NEO4J_URI": f"bolt://{away}",
        "NEO4J_PASSWORD": "unused-here",
        "REMEMBRANCER_VECTORS": "server",
        "CHROMA_URL": f"http://{away}",
    }
    with serving(tmp_path, **variables) as address:
        ready = httpx2.get(f"{address}/readyz", timeout=PATIENCE)
        metrics = httpx2.get(f"{address}/metrics", timeout=PATIENCE)
        async with Client(f"{address}/mcp") as client:
            status = await answered(client, "status")
            recall = await client.call_tool("recall", {"query": "elevator"})

    assert (ready.status_code, ready.json()["degraded"]) == (503, ["graph", "vectors"])
    assert 'remembrancer_service_up{service="graph"} 0.0' in metrics.text
    assert (status["healthy"], status["counts"], status["services"]["graph"]["status"]) == (False, None, "error")
    assert recall.is_error


def test_what_others_said_is_one_line_of_a_log() -> None:
    """docs/operations.md: a provider's error can't pass for an entry of ours, nor fill the disk."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(LineFormatter("%(levelname)s %(name)s: %(message)s"))
    record = logging.LogRecord(
        "remembrancer", logging.WARNING, "x.py", 1, "%s", ("a\nERROR root: forged\x1b[2J",), None
    )
    handler.emit(record)
    record.msg, record.args = "b" * 1_000_000, None
    handler.emit(record)
    try:
        raise ValueError("c\nERROR root: forged")
    except ValueError:
        record.msg, record.exc_info = "d", sys.exc_info()
    handler.emit(record)
    first, second, third, *trace = written.getvalue().splitlines()

    assert first == r"WARNING remembrancer: a\nERROR root: forged\x1b[2J"
    assert len(second) < 5_000
    assert third == "WARNING remembrancer: d"
    assert trace
    assert all(line.startswith("    ") for line in trace)
