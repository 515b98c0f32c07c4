"""Two replicas and two workers on one pair of servers, as `compose.yaml` runs them."""

import json
import os
import re
import subprocess
import sys
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any, LiteralString

import anyio
import httpx2
import pytest
import yaml
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from neo4j import Driver

from core.search import Embedder
from retrieval.vectors import ChromaIndex
from retrieval.vectors import ChromaServer as ChromaAddress
from servers import ChromaServer, Neo4jServer
from service.settings import Settings
from tests.calling import answered
from tests.running_processes import COMMAND, PATIENCE, environment, serving, wait_for_line

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(240)]

ROOT = Path(__file__).parents[1]
TOKEN = "a-token-for-the-tests-of-replicas"
PEOPLE = ("Ann Lee", "Omar Haddad", "Priya Nair")


@pytest.fixture
def project() -> str:
    """A project of this test's own: the servers are shared."""
    return f"replicas-{uuid.uuid4().hex[:8]}"


def variables_of(service: str, addresses: dict[str, str]) -> dict[str, str]:
    """Return the environment that `compose.yaml` gives a service, with the real servers' addresses and secrets."""
    listed: dict[str, str] = composed()[service]["environment"]
    own = addresses | {"REMEMBRANCER_TOKENS": TOKEN, "NEO4J_URI": addresses["NEO4J_URI"].replace("bolt://", "neo4j://")}
    given = {name: own.get(name, _default(value)) for name, value in listed.items()}
    assert not any("${" in value for value in given.values()), given
    return given


def _default(value: str) -> str:
    """Return what `${NAME:-default}` stands for without a `.env`; anything else as it is."""
    return re.sub(r"^\$\{\w+:-(.*)\}$", r"\1", value)


@contextmanager
def working(home: Path, *options: str, **variables: str) -> Iterator[None]:
    """Run a worker."""
    worker = subprocess.Popen(
        [COMMAND, "worker", *options], env=environment(home, **variables), stderr=subprocess.PIPE, cwd=home
    )
    try:
        wait_for_line(worker, b"is running")
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
    replicas: tuple[Client, Client], project: str, neo4j_driver: Driver, chroma_server: ChromaServer,
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
    deadline, put_off = time.monotonic() + 90, set[str]()
    while (status := await answered(replicas[0], "status", project_id=project))["pending_jobs"]:
        assert time.monotonic() < deadline, status
        waiting = "MATCH (j:Job {project_id: $project}) WHERE j.error IS NOT NULL RETURN j.id"
        put_off |= {str(row[0]) for row in rows(neo4j_driver, waiting, project)}
        await anyio.sleep(0.1)
    found = [await answered(client, "recall", query="Who moves parcel 7?", project_id=project) for client in replicas]

    assert sorted(receipt["status"] for receipt in receipts) == ["duplicate"] * 40 + ["stored"] * 40
    assert len({receipt["id"] for receipt in receipts}) == 40
    assert (status["counts"]["artifacts"], status["counts"]["decisions"], status["failed_jobs"]) == (40, 40, 0)
    assert found[0] == found[1]
    assert found[0]["degraded"] == []
    once_each(neo4j_driver, project, put_off)
    index = ChromaIndex(ChromaAddress(chroma_server.url), embedder)
    assert index.ids(project) == {f"{receipt['id']}:0" for receipt in receipts}
    index.drop(project)
    index.close()


def rows(driver: Driver, statement: LiteralString, project: str) -> list[tuple[Any, ...]]:
    """Return what a statement finds in the project."""
    found = driver.execute_query(statement, project=project, database_="neo4j").records
    return [tuple(record.values()) for record in found]


def once_each(driver: Driver, project: str, put_off: set[str]) -> None:
    """Assert that each job is done, at its first attempt unless put off, and no person or event is there twice."""
    jobs = "MATCH (j:Job {project_id: $project}) RETURN j.kind, j.state, count(*) ORDER BY j.kind"
    again = "MATCH (j:Job {project_id: $project}) WHERE j.attempts <> 1 RETURN j.id"
    people = "MATCH (e:Entity {project_id: $project, type: 'person'}) RETURN e.name, e.mention_count ORDER BY e.name"
    events = "MATCH (e:Event:Decision {project_id: $project}) RETURN count(e), count(DISTINCT e.summary)"
    mentioned = rows(driver, people, project)

    assert rows(driver, jobs, project) == [("embed", "done", 40), ("extract", "done", 40)]
    assert {row[0] for row in rows(driver, again, project)} <= put_off
    assert [name for name, _ in mentioned] == sorted(PEOPLE)
    assert sum(count for _, count in mentioned) == 40
    assert rows(driver, events, project) == [(40, 40)]


def test_the_health_of_a_worker_is_the_age_of_its_heartbeat(
    tmp_path: Path, neo4j_server: Neo4jServer, chroma_server: ChromaServer
) -> None:
    """The check of `compose.yaml` passes while a worker works, and fails for one that hangs or never began."""
    worker = composed()["worker"]
    place, file = worker["command"][-1], tmp_path / "works"
    variables = variables_of("worker", neo4j_server.environment() | chroma_server.environment())

    def healthy() -> bool:
        _, *check = [part.replace(place, str(file)) for part in worker["healthcheck"]["test"]]
        return subprocess.run([sys.executable, *check[1:]], capture_output=True, check=False).returncode == 0

    never = healthy()
    with working(tmp_path, *worker["command"][1:-1], str(file), **variables):
        deadline = time.monotonic() + PATIENCE
        while not healthy():
            assert time.monotonic() < deadline
            time.sleep(0.05)
    an_hour_ago = time.time() - 3_600
    os.utime(file, (an_hour_ago, an_hour_ago))

    assert not never
    assert not healthy()


def composed() -> dict[str, Any]:
    """Return the services of `compose.yaml`."""
    services: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
    return services


#: Settings that `compose.yaml` leaves alone: embedded stores are not used.
UNUSED = {"REMEMBRANCER_HOME", "REMEMBRANCER_OWNER_IDLE"}
#: Settings of who may use HTTP, and where, which a worker does not serve.
OF_HTTP = {
    "REMEMBRANCER_TOKENS",
    "REMEMBRANCER_PUBLIC_URL",
    *(f"REMEMBRANCER_JWT_{name}" for name in ("ISSUER", "AUDIENCE", "KEYS")),
}


def test_the_compose_file_is_valid_and_says_the_truth() -> None:
    """It follows the format's own schema, sets what can be set, opens only the service's port, and pins its images."""
    files = [str(ROOT / name) for name in ("compose.yaml", "compose.explore.yaml")]
    checked = subprocess.run(
        [str(Path(COMMAND).with_name("check-jsonschema")), "--builtin-schema", "vendor.compose-spec", *files],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    services = composed()
    settings = {field.alias for field in Settings.model_fields.values()}
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pom = (ROOT / "servers" / "pom.xml").read_text(encoding="utf-8")

    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert set(services["remembrancer"]["environment"]) == settings - UNUSED
    assert set(services["worker"]["environment"]) == settings - UNUSED - OF_HTTP
    assert {name: service["ports"] for name, service in services.items() if "ports" in service} == {
        "remembrancer": ["127.0.0.1:8848:8848"]
    }
    assert all("healthcheck" in service for service in services.values())
    chroma, neo4j = (services[name]["image"].partition("@")[0] for name in ("chroma", "neo4j"))
    assert f"chromadb=={chroma.removeprefix('chromadb/chroma:')} " in lock
    assert neo4j.removeprefix("neo4j:").removesuffix("-community") in pom
    assert json.dumps(services).count("latest") == 0


def test_no_service_of_the_compose_file_can_take_more_than_it_needs() -> None:
    """Memory, processes and logs have limits, nothing gains privileges, and what only reads its image can only read."""
    services = composed()
    limited = {"mem_limit", "pids_limit", "logging"}

    assert {name: limited - set(service) for name, service in services.items() if limited - set(service)} == {}
    assert all(service["logging"]["options"]["max-size"] for service in services.values())
    assert all(service["cap_drop"] == ["ALL"] for service in services.values())
    assert all(service["security_opt"] == ["no-new-privileges:true"] for service in services.values())
    assert {name for name, service in services.items() if not service.get("read_only")} == {"neo4j"}


def test_each_store_is_on_a_network_of_its_own_that_leads_nowhere() -> None:
    """What joins one of them reaches neither the other store nor the outside; only the service joins both."""
    services = composed()
    networks = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["networks"]

    assert (services["chroma"]["networks"], services["neo4j"]["networks"]) == (["vectors"], ["record"])
    assert {name for name, network in networks.items() if network and network.get("internal")} == {"vectors", "record"}
    assert (
        set(services["remembrancer"]["networks"])
        == {"default", "record", "vectors"}
        == set(services["worker"]["networks"])
    )


def test_one_service_builds_the_image_of_both() -> None:
    """Two that build the same name at once would hinder each other, and one that pulls it would find nothing."""
    services = composed()

    assert [name for name, service in services.items() if "build" in service] == ["remembrancer"]
    assert services["worker"]["image"] == services["remembrancer"]["image"]
    assert services["worker"]["pull_policy"] == "never"
    assert "remembrancer" in services["worker"]["depends_on"]


@pytest.mark.parametrize("document", ["compose.yaml", "docs/operations.md"])
def test_secrets_are_made_once_and_for_the_owner_only(document: str, tmp_path: Path) -> None:
    """The command that is shown writes a `.env` that nobody else reads, and never another over it."""
    found = re.search(r"\(umask 077; set -C;.*?> \.env\)", (ROOT / document).read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    command = found[0].replace("#", "")

    def run() -> int:
        return subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, check=False).returncode

    first = run()
    written = (tmp_path / ".env").read_text(encoding="utf-8")
    second = run()

    assert (first, second == 0) == (0, False)
    assert re.fullmatch(r"NEO4J_PASSWORD=[0-9a-f]{32}\nREMEMBRANCER_TOKENS=[0-9a-f]{64}\n", written)
    assert (tmp_path / ".env").read_text(encoding="utf-8") == written
    assert (tmp_path / ".env").stat().st_mode & 0o077 == 0
