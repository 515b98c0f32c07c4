"""Isolation: no answer of one project depends on another one, or holds a word of it.

Random operations are done in a memory that four projects share, then those of each project again in one that it has for
itself: the answers are the same. A tool, resource or route that is not driven here fails its test.
"""

import json
import random
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
)
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, MCPError
from mcp_types import TextContent, TextResourceContents
from starlette.applications import Starlette

from core.interface.caller import act_as
from graph.sqlite_store import SqliteStore
from ingest.indexing import erasure
from retrieval.vectors import ChromaIndex, ChromaServer, EmbeddedChroma
from service.actions.client_files import Intake
from service.app import App
from service.http.health import routes
from service.server import create_server
from service.tools.operations import tools
from tests.http_serving import authorization, http_service, issued, mcp_client
from tests.isolation_driver import Driver, Operation, is_same, leaked, made_callers, made_projects, told, write_files
from tests.real_servers import empty
from tests.shipped import assembled, shipped_embedder

pytestmark = pytest.mark.anyio

#: How often the jobs of all projects are done.
_DRAINED = 0.1
#: Operations of a round: with more items each operation takes longer.
_ROUND = 500


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Part the operations into rounds, each with a seed and a memory of its own, which workers do beside each other."""
    if "seed_and_number" in metafunc.fixturenames:
        asked = metafunc.config.getoption("operations") or 300
        rounds = [(seed, min(_ROUND, asked - done)) for seed, done in enumerate(range(0, asked, _ROUND), start=1)]
        metafunc.parametrize("seed_and_number", rounds, ids=[f"seed {seed}" for seed, _ in rounds])


@pytest.fixture
def opened(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], AbstractContextManager[App]]:
    """Return what opens an empty memory of this name; on servers one at a time.

    What has expired goes at each step of the work, not when a minute has gone by, which no two memories agree on.
    """
    monkeypatch.setattr(erasure, "_EVERY", 0.0)
    monkeypatch.setattr(erasure, "_BELIEVED", timedelta(0))
    files = tmp_path / "files"
    files.mkdir()
    write_files(files, made_projects())

    @contextmanager
    def embedded(name: str) -> Iterator[App]:
        index = ChromaIndex(EmbeddedChroma(tmp_path / name), shipped_embedder())
        with assembled(SqliteStore(tmp_path / f"{name}.db"), index) as app:
            app.intake = Intake(roots=(files,))
            yield app

    @contextmanager
    def on_servers(_: str) -> Iterator[App]:
        empty(request.getfixturevalue("neo4j_driver"))
        index = ChromaIndex(ChromaServer(request.getfixturevalue("chroma_server").url), shipped_embedder())
        index.reset()
        with assembled(request.getfixturevalue("neo4j_reopen")(), index) as app:
            app.intake = Intake(roots=(files,))
            yield app

    return embedded if engine == "embedded" else on_servers


@dataclass(frozen=True)
class Memory:
    """A memory, asked as its transports do: by the server's tools and resources, and by routes."""

    app: App
    client: Client
    browser: httpx2.AsyncClient

    async def answer(self, operation: Operation) -> Any:
        """Return the answer of one operation as JSON, without what differs by when it was asked."""
        with act_as(operation.caller):
            return told(await getattr(self, f"_{operation.kind}")(operation))

    async def _tool(self, operation: Operation) -> object:
        arguments = operation.arguments | {"project_id": operation.project}
        result = await self.client.call_tool(operation.name, arguments)
        [content] = result.content
        assert isinstance(content, TextContent)
        return {"error": result.is_error, "answer": result.structured_content or _read(content.text)}

    async def _resource(self, operation: Operation) -> object:
        uri = operation.name.format(project_id=operation.project, **operation.arguments)
        try:
            [content] = (await self.client.read_resource(uri)).contents
        except MCPError as error:
            return {"error": str(error)}
        assert isinstance(content, TextResourceContents)
        return _read(content.text)

    async def _route(self, operation: Operation) -> object:
        return (await self.browser.get(operation.name)).text


@dataclass(frozen=True)
class Served:
    """A memory over HTTP, asked by each caller with a token of its own."""

    memories: Mapping[str, Memory]

    @property
    def client(self) -> Client:
        """The one that may use every project."""
        return self.memories["all"].client

    async def answer(self, operation: Operation) -> Any:
        """Return the answer of one operation, as `Memory` does."""
        return await self.memories[operation.caller.name].answer(operation)


def _read(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


@asynccontextmanager
async def using(app: App) -> AsyncIterator[Memory]:
    """Connect to a memory."""
    transport = httpx2.ASGITransport(Starlette(routes=routes(app)))
    async with (
        Client(create_server(app)) as client,
        httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as browser,
    ):
        yield Memory(app, client, browser)


@asynccontextmanager
async def using_http(app: App) -> AsyncIterator[Served]:
    """Connect each caller to a memory with a token of the record."""
    memories: dict[str, Memory] = {}
    with http_service(app, given={}) as address:
        async with AsyncExitStack() as stack:
            for caller in made_callers(made_projects()):
                projects = None if caller.projects is None else tuple(sorted(caller.projects))
                secret = issued(app.store, caller.name, projects=projects, read_only=caller.read_only)
                browser = httpx2.AsyncClient(base_url=address, headers=authorization(secret), timeout=30)
                memories[caller.name] = Memory(
                    app,
                    await stack.enter_async_context(mcp_client(address, secret)),
                    await stack.enter_async_context(browser),
                )
            yield Served(memories)


@dataclass(frozen=True)
class Step:
    """An operation with its answer and the markers of other projects in that; jobs are done after it or not."""

    operation: Operation
    answer: Any
    foreign: set[str]
    drained: bool


async def together(
    app: App,
    seed: int,
    number: int,
    connect: Callable[[App], AbstractAsyncContextManager[Memory | Served]] = using,
) -> list[Step]:
    """Do random operations of all projects; no answer has a marker of another project."""
    projects, chance = made_projects(), random.Random(seed)
    steps: list[Step] = []
    async with connect(app) as memory:
        templates = (await memory.client.list_resource_templates()).resource_templates
        paths = [route.path for route in routes(app)]
        driver = Driver(chance, projects, made_callers(projects), [one.uri_template for one in templates], paths)
        while len(steps) < number:
            operation = driver.draw()
            answer = await memory.answer(operation)
            foreign = leaked(operation, answer, projects)
            next(one for one in projects if one.id == operation.project).learn(operation, answer)
            drained = chance.random() < _DRAINED or bool(operation.arguments.get("wait"))
            if drained:
                app.worker.drain()
            steps.append(Step(operation, answer, foreign, drained))
    assert not [step for step in steps if step.foreign]
    assert not any(set(one.ids) & set(other.ids) for one, other in combinations(projects, 2))
    return steps


async def alone(app: App, project: str, steps: list[Step]) -> None:
    """Do the operations of one project; each answer is what it was beside the others."""
    different: list[tuple[int, Step, object]] = []
    async with using(app) as memory:
        for number, step in enumerate(steps):
            if step.operation.project == project and step.operation.kind != "route":
                answer = await memory.answer(step.operation)
                if not is_same(answer, step.answer):
                    different.append((number, step, answer))
            if step.drained:
                app.worker.drain()
    assert not different, f"{len(different)} answers differ, the first: {different[0]}"


async def check(opened: Callable[[str], AbstractContextManager[App]], seed: int, number: int) -> None:
    with opened(f"together {seed}") as app:
        steps = await together(app, seed, number)
    for project in made_projects():
        with opened(f"{project.id} {seed}") as app:
            await alone(app, project.id, steps)


async def test_every_tool_is_driven(app: App) -> None:
    """A new tool is added to the driver, too."""
    assert set(Driver.TOOLS) == {tool.name for tool in tools(app)}


@pytest.mark.exhaustive
@pytest.mark.both_engines
async def test_the_answers_of_a_project_do_not_depend_on_others(
    opened: Callable[[str], AbstractContextManager[App]],
) -> None:
    """docs/interface.md: nothing that is stored in one project is visible from another."""
    await check(opened, seed=1, number=50)


@pytest.mark.exhaustive
async def test_eight_tokens_over_http_are_told_nothing_of_others(
    opened: Callable[[str], AbstractContextManager[App]],
) -> None:
    """The rights are those of the tokens in the record, and nothing is answered beyond them."""
    with opened("together") as app:
        steps = await together(app, seed=5, number=300, connect=using_http)
    beyond = [
        step.answer
        for step in steps
        if step.operation.kind != "route" and not step.operation.caller.may_use(step.operation.project)
    ]

    assert len(beyond) > 10
    assert all(answer["error"] for answer in beyond)


@pytest.mark.exhaustive
@pytest.mark.both_engines
@pytest.mark.timeout(3_600)
async def test_many_operations_leak_nothing(
    engine: str,
    opened: Callable[[str], AbstractContextManager[App]],
    seed_and_number: tuple[int, int],
    pytestconfig: pytest.Config,
) -> None:
    """As many as `--operations` says."""
    if pytestconfig.getoption("operations") is None and engine == "servers":
        pytest.skip("a minute for each hundred operations: give --operations")
    await check(opened, *seed_and_number)
