"""Supersessions that an agent says, across the minutes of one project, and what the ledger then lists.

The marks do not say which decisions replace which, so this measures no understanding, but that what is said is kept,
and nothing else. The minutes are given in the order of their dates, and of each one decision, that with the longest
quote, is *said* to supersede that of the minutes before: by its id and by the words of its quote in turn. The ledger
then has to list the earlier one of each pair as superseded, by the later one, and all other decisions as current:
what it finds to be superseded by itself counts as wrong, though some of it may be right.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from evals.figures import Figure
from evals.minutes.told import Told

NOTE: Final = (
    "Superseded: of each of the minutes, in order, one decision is said to supersede one of those before, which says "
    "nothing of what they mean; not superseded: the other decisions."
)
_PROJECT: Final = "minutes-in-order"
#: Most decisions of all minutes that one answer lists.
_LISTED: Final = 1000
_WAYS: Final = ("superseded by id", "superseded by words")

#: Calls a tool and returns its structured answer.
Call = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]


async def supersessions(told: Sequence[Told], call: Call, target: float) -> list[Figure]:
    """Return which decisions said to be superseded, by id and by words, and which of the others are listed rightly."""
    dated = sorted((one for one in told if one.marks["date"]), key=lambda one: str(one.marks["date"]))
    #: The decision said to supersede each, and the last one with its quote.
    said: dict[str, str] = {}
    last: tuple[str, str] | None = None
    for one in dated:
        events = one.events()
        decisions = [event for event in events if event["category"] == "Decision"]
        longest = max(decisions, key=lambda event: len(event["quote"]), default=None)
        if longest is not None and last is not None:
            longest["supersedes"] = last[len(said) % len(_WAYS)]
        ids = await _learnt(one, events, call)
        if longest is not None:
            later = ids[events.index(longest)]
            if last is not None:
                said[last[0]] = later
            last = later, longest["quote"]
    asked = {"status": "all", "detail": "full", "limit": _LISTED, "project_id": _PROJECT}
    found = {item["id"]: _successors(item) for item in (await call("decisions", asked))["items"]}
    by_way = {way: [*said][number :: len(_WAYS)] for number, way in enumerate(_WAYS)}
    figures = [
        Figure(way, tuple(float(said[id_] in found.get(id_, ())) for id_ in ids), target) for way, ids in by_way.items()
    ]
    others = tuple(float(not later) for id_, later in found.items() if id_ not in said)
    return [*figures, Figure("not superseded", others, target)]


def _successors(item: Mapping[str, Any]) -> list[str]:
    """Return the decisions that superseded a listed one."""
    return [] if item["status"] != "superseded" else [item["superseded_by"], *item.get("also_superseded_by", ())]


async def _learnt(told: Told, events: Sequence[Mapping[str, Any]], call: Call) -> list[str]:
    """Store a document and give these events of it; return their ids."""
    item = {"content": told.text, "title": told.name, "date": told.marks["date"], "project_id": _PROJECT}
    identity = (await call("remember", item))["id"]
    given = {"id": identity, "events": list(events), "replace": True, "project_id": _PROJECT}
    return list((await call("learn", given))["events"])
