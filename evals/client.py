"""A client of the service's tools: `remember`, `status`, `recall`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import anyio
from mcp import Client

from core.errors import Unavailable
from core.interface.results import Detail

#: Called with the number of steps done since the last call.
Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """One call of `recall`; without a `graph_budget` the graph is not expanded.

    A brief answer has the passages that are shown to a model, a full one the best chunks.
    """

    project_id: str
    query: str
    limit: int
    detail: Detail = "full"
    max_tokens: int | None = None
    graph_budget: int = 0
    graph_filters: tuple[str, ...] | None = None

    def arguments(self) -> dict[str, object]:
        """Return the arguments of the call; what no figure looks at is not asked for."""
        given: dict[str, object] = {
            "project_id": self.project_id,
            "query": self.query,
            "limit": self.limit,
            "detail": self.detail,
            "expand": self.graph_budget > 0,
            "graph_budget": self.graph_budget,
            "include_events": False,
            "include_entities": False,
        }
        if self.max_tokens is not None:
            given["max_tokens"] = self.max_tokens
        return given if self.graph_filters is None else given | {"graph_filters": list(self.graph_filters)}


@dataclass(frozen=True, slots=True)
class Passage:
    """Part of an item: `text` is `[start_char:end_char]` of it."""

    artifact_id: str
    start_char: int
    end_char: int
    text: str

    def overlaps(self, spans: Iterable[tuple[int, int]]) -> bool:
        """Whether it shares a character with one of the spans."""
        return any(self.start_char < end and start < self.end_char for start, end in spans)


@dataclass(frozen=True, slots=True)
class Answer:
    """What `recall` answered: its results in order, and the quotes that its related events rest on.

    `likelihood` is None if the response has no `answer_likelihood`.
    """

    results: tuple[Passage, ...]
    related: tuple[Passage, ...] = ()
    likelihood: float | None = None

    @property
    def ids(self) -> list[str]:
        """The items found, best first."""
        return [result.artifact_id for result in self.results]

    @property
    def passages(self) -> tuple[Passage, ...]:
        """All text that was answered."""
        return self.results + self.related


async def call(client: Client, tool: str, arguments: Mapping[str, object]) -> dict[str, Any]:
    """Return the structured answer of a tool.

    Raises:
        Unavailable: the tool refused or failed; the message is its own.
    """
    result = await client.call_tool(tool, dict(arguments))
    if result.is_error:
        raise Unavailable(f"{tool} failed: {result.content}")
    return dict(result.structured_content or {})


async def remember(
    client: Client, project_id: str, memories: Sequence[Mapping[str, object]], advance: Advance
) -> list[str]:
    """Return the ids of the memories in their order. Background work goes on after it: see `settle`."""
    ids = []
    for memory in memories:
        receipt = await call(client, "remember", {**memory, "project_id": project_id})
        ids.append(str(receipt["id"]))
        advance(1)
    return ids


async def pending(client: Client, projects: Iterable[str]) -> int:
    """Return how many background jobs the projects still wait for.

    Raises:
        Unavailable: a job failed for good, so that figures would miss an item.
    """
    waiting = 0
    for project_id in projects:
        response = await call(client, "status", {"project_id": project_id})
        if response["failed_jobs"]:
            raise Unavailable(
                f"{response['failed_jobs']} jobs of project {project_id!r} failed: nothing can be measured."
            )
        waiting += int(response["pending_jobs"])
    return waiting


async def settle(client: Client, projects: Sequence[str], advance: Advance) -> None:
    """Wait until vectors and knowledge of all that was remembered are there."""
    before = await pending(client, projects)
    while before:
        await anyio.sleep(0.5)
        left = await pending(client, projects)
        advance(before - left)
        before = left


async def ask(client: Client, askings: Sequence[Asking], advance: Advance) -> list[Answer]:
    """Return the answers in the order of the questions.

    Raises:
        Unavailable: an answer was degraded.
    """
    answers = []
    for asking in askings:
        response = await call(client, "recall", asking.arguments())
        if response["degraded"]:
            raise Unavailable(f"recall answered without {', '.join(response['degraded'])}: {response.get('hint')}")
        answers.append(answer_of(response))
        advance(1)
    return answers


def answer_of(response: Mapping[str, Any]) -> Answer:
    """Return the part of a `recall` response that figures use."""
    return Answer(
        results=tuple(_result(result) for result in response["results"]),
        related=tuple(_quote(quote) for event in response["related"] for quote in event["evidence"]),
        likelihood=response.get("answer_likelihood"),
    )


def _result(response: Mapping[str, Any]) -> Passage:
    """Return the best chunk, or the whole item where there is no chunk."""
    chunk = response.get("chunk") or {"start_char": 0, "end_char": len(response["content"])}
    return Passage(response["id"], chunk["start_char"], chunk["end_char"], response["content"])


def _quote(response: Mapping[str, Any]) -> Passage:
    return Passage(response["artifact_id"], response["start_char"], response["end_char"], response["quote"])
