"""An agent that gives what careful readers marked, through the tools, and what the ledger then lists."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from evals.figures import Figure, Row, Table
from evals.minutes.supersessions import NOTE, supersessions
from evals.minutes.told import KINDS, Told
from service.display.reports import progress_bar

_TARGET: Final = 0.95
_NOTE: Final = (
    "What is marked as sure is given, with `learn` and replace, of items that `remember` has stored; owners and dues "
    "are those of the commitments found. What is marked as not sure counts neither for nor against. " + NOTE
)


async def teach(client: Client, told: Sequence[Told], ids: Mapping[str, str], project: str) -> None:
    """Give the marks of stored documents, whose items have these ids by the documents' names."""
    with progress_bar("Giving", len(told)) as advance:
        for one in told:
            known = {"events": one.events(), "entities": one.entities(), "replace": True, "project_id": project}
            await _called(client, "learn", {"id": ids[one.name]} | known)
            advance(1)


async def given(told: Sequence[Told], home: Path) -> Table:
    """Return how well the ledger of a server of its own lists what was given to it."""
    environment = {**os.environ, "REMEMBRANCER_HOME": str(home), "REMEMBRANCER_EMBEDDER": "local"}
    command = [str(Path(sys.executable).with_name("remembrancer")), "stdio"]
    parameters = StdioServerParameters(command=command[0], args=command[1:], env=environment, cwd=home)
    values: dict[str, list[float]] = {name: [] for name in ("right", "found", "owners", "dues")}
    counts: dict[str, list[tuple[int, int, int]]] = {kind: [] for kind in KINDS}
    async with Client(stdio_client(parameters)) as client:
        with progress_bar("Giving", len(told)) as advance:
            for number, one in enumerate(told):
                listed = await _listed(client, one, f"minutes-{number}")
                for kind in KINDS:
                    counts[kind].append(_matched(one, kind, listed[kind]))
                for name, right in _facts(one, listed["commitments"]):
                    values[name].append(right)
                advance(1)
        said = await supersessions(told, partial(_called, client), _TARGET)
    figures = [Figure(f"{kind} F1", (_f1(counts[kind]),), _TARGET) for kind in KINDS]
    figures += [Figure(name, tuple(values[name]), _TARGET) for name in ("owners", "dues")]
    return Table("given knowledge", _NOTE, (Row("given", (*figures, *said)),), compared=False)


async def _listed(client: Client, told: Told, project: str) -> dict[str, list[dict[str, Any]]]:
    """Give a document and its marks in a project of their own; return what the ledger then lists."""
    date = told.marks["date"]
    item = {"content": told.text, "title": told.name, "project_id": project} | ({"date": date} if date else {})
    identity = (await _called(client, "remember", item))["id"]
    events = {"id": identity, "events": told.events(), "replace": True, "project_id": project}
    await _called(client, "learn", events)
    asked = {"detail": "full", "limit": 1000, "project_id": project}
    return {
        "decisions": (await _called(client, "decisions", asked | {"status": "all"}))["items"],
        "commitments": (await _called(client, "commitments", asked | {"status": "all"}))["items"],
    }


async def _called(client: Client, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    result = await client.call_tool(tool, dict(arguments))
    if result.is_error or result.structured_content is None:
        raise AssertionError(f"{tool} failed: {result.content}")
    return dict(result.structured_content)


def _matched(told: Told, kind: str, items: Sequence[Mapping[str, Any]]) -> tuple[int, int, int]:
    """Return how many sure marks are listed, how many items are no mark at all, and how many sure marks are missing."""
    sure = [one for one in told.marks[kind] if one["sure"]]
    right = sum(any(_is(told, one, item) for item in items) for one in sure)
    wrong = sum(not any(_is(told, one, item) for one in told.marks[kind]) for item in items)
    return right, wrong, len(sure) - right


def _facts(told: Told, items: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, float]]:
    """Yield whether owners and due of each sure commitment that is listed are as marked."""
    forms = [{one["name"].casefold(), *(name.casefold() for name in one["also"])} for one in told.marks["people"]]
    for one in told.marks["commitments"]:
        item = next((item for item in items if one["sure"] and _is(told, one, item)), None)
        if item is None:
            continue
        if one["owners"]:
            named = {name.casefold() for name in item.get("owners", ())}
            yield "owners", float(all(_known(owner.casefold(), forms) & named for owner in one["owners"]))
        yield "dues", float(str(item.get("due") or "").startswith(one["due"]) if one["due"] else not item.get("due"))


def _known(name: str, forms: Sequence[set[str]]) -> set[str]:
    """Return a name with all other forms of whom it names."""
    return {name, *(other for known in forms if name in known for other in known)}


def _is(told: Told, mark: Mapping[str, Any], item: Mapping[str, Any]) -> bool:
    """Whether an item shares half of the shorter quote with a mark."""
    start = told.text.index(mark["quote"])
    end = start + len(mark["quote"])
    for proof in item["evidence"]:
        common = min(end, proof["end_char"]) - max(start, proof["start_char"])
        if 2 * common >= min(end - start, proof["end_char"] - proof["start_char"]):
            return True
    return False


def _f1(counts: Sequence[tuple[int, int, int]]) -> float:
    right, wrong, missing = (sum(one[place] for one in counts) for place in range(3))
    return 2.0 * right / max(1, 2 * right + wrong + missing)
