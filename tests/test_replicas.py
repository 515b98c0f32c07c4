"""Two replicas and two workers on one pair of servers, as `compose.yaml` runs them."""

import json
import subprocess
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
import yaml
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from neo4j import GraphDatabase

from core.embedding import Embedder
from retrieval.vectors import ChromaIndex
from retrieval.vectors import ChromaServer as ChromaAddress
from servers import ChromaServer, Neo4jServer
from service.settings import Settings
from tests.test_processes import COMMAND, PATIENCE, answered, environment, serving, wait_for_line

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(240)]

ROOT = Path(__file__).parents[1]
TOKEN = "a-token-for-the-tests"
PEOPLE = ("Ann Lee", "Omar Haddad", "Priya Nair")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def project() -> str:
    """A project of this test's own: the servers are shared."""
    return f"replicas-{uuid.uuid4().hex[:8]}"


def variables_of(service: str, addresses: dict[str, str]) -> dict[str, str]:
    """Return the environment that `compose.yaml` gives a service, with the real servers' addresses and secrets."""
    listed: dict[str, str] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"][service][
        "environment"
    ]
    secrets = {
        "REMEMBRANCER_TOKENS": TOKEN,
        "REMEMBRANCER_EMBEDDER": "local",
        "OPENAI_API_KEY": "",
        "OPENAI_BASE_URL": "",
    }
    given = {name: addresses.get(name, secrets.get(name, value)) for name, value in listed.items()}
    assert not any("${" in value for value in given.values()), given
    return given


@contextmanager
def working(home: Path, **variables: str) -> Iterator[None]:
    """Run a worker."""
    worker = subprocess.Popen([COMMAND, "worker"], env=environment(home, **variables), stderr=subprocess.PIPE, cwd=home)
    try:
        wait_for_line(worker, b"works as")
        yield
    finally:
        worker.terminate()
        _, errors = worker.communicate(timeout=PATIENCE)
        assert worker.returncode == 0, errors.decode()


@pytest.fixture
async def replicas(
    tmp_path: Path, neo4j_server: Neo4jServer, chroma_server: ChromaServer
) -> AsyncIterator[tuple[Client, Client]]:
    """Clients of two replicas, beside two workers, all with what `compose.yaml` gives them."""
    addresses = neo4j_server.environment() | chroma_server.environment()
    async with AsyncExitStack() as stack:
        for _ in range(2):
            stack.enter_context(working(tmp_path, **variables_of("worker", addresses)))
        clients: list[Client] = []
        for _ in range(2):
            address = stack.enter_context(serving(tmp_path, "--no-worker", **variables_of("remembrancer", addresses)))
            http = await stack.enter_async_context(
                httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=PATIENCE)
            )
            transport = streamable_http_client(f"{address}/mcp", http_client=http)
            clients.append(await stack.enter_async_context(Client(transport)))
        yield clients[0], clients[1]


async def test_replicas_share_one_memory(
    replicas: tuple[Client, Client], project: str, neo4j_server: Neo4jServer, chroma_server: ChromaServer,
    embedder: Embedder,
) -> None:  # fmt: skip
    """Every write is seen by the other at once, none is lost or doubled, and each item is worked on once."""
    contents = [f"{PEOPLE[number % 3]} decided to move parcel {number} to depot {number % 7}." for number in range(40)]
    receipts: list[dict[str, Any]] = []

    async def remember(mine: Client, other: Client, order: list[str]) -> None:
        for content in order:
            receipt = await answered(mine, "remember", content=content, project_id=project)
            receipts.append(receipt)
            seen = await answered(other, "recall", id=receipt["id"], project_id=project)
            assert seen["results"][0]["content"] == content

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(remember, *replicas, contents)
        tasks.start_soon(remember, *replicas[::-1], contents[::-1])
    deadline = time.monotonic() + 90
    while (status := await answered(replicas[0], "status", project_id=project))["pending_jobs"]:
        assert time.monotonic() < deadline, status
        await anyio.sleep(0.1)
    found = [await answered(client, "recall", query="Who moves parcel 7?", project_id=project) for client in replicas]

    assert sorted(receipt["status"] for receipt in receipts) == ["duplicate"] * 40 + ["stored"] * 40
    assert len({receipt["id"] for receipt in receipts}) == 40
    assert (status["counts"]["artifacts"], status["counts"]["decisions"], status["failed_jobs"]) == (40, 40, 0)
    assert found[0] == found[1]
    assert found[0]["degraded"] == []
    once_each(neo4j_server, project)
    index = ChromaIndex(ChromaAddress(chroma_server.url), embedder)
    assert index.ids(project) == {f"{receipt['id']}:0" for receipt in receipts}
    index.drop(project)
    index.close()


def once_each(server: Neo4jServer, project: str) -> None:
    """Assert that every job was done at its first attempt, and that no person or event is there twice."""
    with GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:

        def rows(statement: str) -> list[tuple[Any, ...]]:
            found = driver.execute_query(statement, project=project, database_="neo4j").records
            return [tuple(record.values()) for record in found]

        jobs = "MATCH (j:Job {project_id: $project}) RETURN j.kind, j.state, j.attempts, count(*) ORDER BY j.kind"
        people = (
            "MATCH (e:Entity {project_id: $project, type: 'person'}) RETURN e.name, e.mention_count ORDER BY e.name"
        )
        events = "MATCH (e:Event:Decision {project_id: $project}) RETURN count(e), count(DISTINCT e.summary)"
        assert rows(jobs) == [("embed", "done", 1, 40), ("extract", "done", 1, 40)]
        assert [name for name, _ in rows(people)] == sorted(PEOPLE)
        assert sum(count for _, count in rows(people)) == 40
        assert rows(events) == [(40, 40)]


def test_the_compose_file_is_valid_and_says_the_truth() -> None:
    """It follows the format's own schema, names only settings that exist, and opens only the service's port."""
    files = [str(ROOT / name) for name in ("compose.yaml", "compose.explore.yaml")]
    checked = subprocess.run(
        [str(Path(COMMAND).with_name("check-jsonschema")), "--builtin-schema", "vendor.compose-spec", *files],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    services = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
    settings = {field.alias for field in Settings.model_fields.values()}
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pom = (ROOT / "servers" / "pom.xml").read_text(encoding="utf-8")

    assert checked.returncode == 0, checked.stdout + checked.stderr
    for name in ("remembrancer", "worker"):
        assert set(services[name]["environment"]) <= settings
    assert {name: service["ports"] for name, service in services.items() if "ports" in service} == {
        "remembrancer": ["127.0.0.1:8848:8848"]
    }
    assert all("healthcheck" in service for service in services.values())
    assert f"chromadb=={services['chroma']['image'].removeprefix('chromadb/chroma:')} " in lock
    assert services["neo4j"]["image"].removeprefix("neo4j:").removesuffix("-community") in pom
    assert json.dumps(services).count("latest") == 0
