"""What carries out each operation of `core.interface.operations`, for every surface."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from core.errors import Faults, MemoryServiceError
from core.interface.caller import CLIENT_NOTICE
from core.interface.learning import (
    AnnotatedMemory,
    GivenEvent,
    RememberManyRequest,
    RememberRequest,
)
from core.interface.memory import Memory
from core.interface.operations import StatusQuestion, describe_tools
from core.interface.results import Receipt, Receipts, Refusal, Status
from ingest.given import locate_event
from retrieval.shapes.status_shape import shape_receipts, shape_status
from service.actions.sources import fetch_source, search_sources
from service.app import App
from service.tools.lenient_arguments import Check, read_record


def _remember(app: App, asked: RememberRequest, project_id: str) -> Receipt:
    return app.remember(asked, project_id, wait=asked.wait, wait_seconds=asked.wait_seconds)


def _remember_many(app: App, asked: RememberManyRequest, project_id: str) -> Receipts:
    items = _memories(asked.items)
    stored = app.remember_many(items, project_id, wait=asked.wait, wait_seconds=asked.wait_seconds)
    return shape_receipts(stored, asked.detail, asked.max_tokens)


def _status(app: App, asked: StatusQuestion, project_id: str, *, served: str | None = None) -> Status:
    tools = describe_tools(served or app.tools)
    found = replace(app.status(asked.id, project_id), tools=tools, notice=CLIENT_NOTICE.get())
    return shape_status(found, asked.detail, asked.max_tokens)


def _memories(items: Sequence[object]) -> list[Memory | Refusal]:
    return [_memory_or_refusal(item, index) for index, item in enumerate(items)]


def _memory_or_refusal(given: object, index: int) -> Memory | Refusal:
    try:
        return read_record(AnnotatedMemory, "An item", given, _check_quotes)
    except MemoryServiceError as error:
        return Refusal(str(error), error.code, index)


def _check_quotes(values: Mapping[str, Any], faults: Faults) -> None:
    """Check the quotes of events that can be read, in addition to the other faults of an item."""
    content = values.get("content")
    if isinstance(content, str):
        for index, event in enumerate(values.get("events", ())):
            if isinstance(event, GivenEvent):
                with faults:
                    quote = replace(event, due=None, event_time=None)
                    locate_event(Memory.from_fields_unchecked(content, {}), index, quote)


#: By the operation's name: what is called with the app, the request and the project.
RUNS: Final[Mapping[str, Callable[..., object]]] = {
    "remember": _remember,
    "remember_many": _remember_many,
    "recall": App.recall,
    "pop": App.pop,
    "forget": App.forget,
    "status": _status,
    "learn": App.learn,
    "review": App.review,
    "context_stash": App.stash,
    "context_search_stashed": App.search_stash,
    "context_retrieve_stashed": App.retrieve_stash,
    "faceted_search": App.faceted_search,
    "decisions": App.decisions,
    "commitments": App.commitments,
    "resolve": App.resolve,
    "explore": App.explore,
    "memory_context": App.memory_context,
    "ingest": App.ingest,
    "search": search_sources,
    "fetch": fetch_source,
}
#: By the operation's name: what else may be wrong with a request of which some values can't be read.
CHECKS: Final[Mapping[str, Check]] = {"remember": _check_quotes}
