"""docs/interface.md `recall` `as_of`: the answer is that of a store built from the items up to that date."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from core.errors import NotFound
from core.interface.ledger import CommitmentsQuestion, DecisionsQuestion
from core.interface.memory import Memory
from core.interface.question import Question
from core.interface.results import Recall, to_json
from service.app import App

#: The moment asked about: all that is dated up to this day is known.
THEN = "2026-02-14"


def turn(index: int, author: str, content: str, date: str) -> dict[str, Any]:
    """Return a turn of the one conversation there is."""
    talk = {"context": "conversation", "conversation_id": "standup", "turn_index": index}
    return talk | {"author": author, "content": content, "date": date}


EARLY: tuple[dict[str, Any], ...] = (
    {
        "content": "Attendees: Lena Fischer, Omar Siddiqui\n\nDecision: we keep the old warehouse in Bremen for "
        "Project Kestrel.\nAction: Omar Siddiqui will send the lease to Quillmere Systems by 20 February.\n",
        "context": "meeting",
        "date": "2026-01-12",
        "title": "Warehouse planning",
    },
    {
        "content": "We decided to use Postgres for Project Kestrel.",
        "context": "decision",
        "key": "kestrel store",
        "date": "2026-01-15",
    },
    {
        "content": "From: Lena Fischer <lena@quillmere.example>\nTo: Omar\n\nI am worried that the scanner supplier of "
        "Project Kestrel will be late.\n\nLena",
        "context": "email",
        "date": "2026-01-20",
        "author": "Lena Fischer",
    },
    {"content": "The forklift in Bremen was repaired and works again.", "context": "note", "date": "2026-01-22"},
    turn(0, "Omar", "Did anybody hear about the scanner?", "2026-02-02T09:00:00Z"),
    turn(1, "Priya", "It comes in a week, the supplier says.", "2026-02-02T09:01:00Z"),
    turn(2, "Omar", "I will test the scanner by Friday.", "2026-02-02T09:02:00Z"),
    {
        "content": "Omar Siddiqui committed to train the night shift on the scanner by 1 March. Lena Fischer decided "
        "to rent a second dock.",
        "context": "note",
        "date": "2026-02-10",
    },
    {
        "content": "Renew the insurance of the warehouse in Bremen.",
        "context": "task",
        "author": "Omar Siddiqui",
        "date": "2026-02-14",
    },
)
LATE: tuple[dict[str, Any], ...] = (
    {
        "content": "We decided to use SQLite instead of Postgres for Project Kestrel.",
        "context": "decision",
        "key": "kestrel storage",
        "date": "2026-02-20",
    },
    turn(3, "Scanner", "The scanner arrived and Omar Siddiqui tested it.", "2026-02-21"),
    {
        "content": "Lena Fischer-Braun (Head of Logistics, Vandermoor Foods) is Lena Fischer. Lena Fischer-Braun "
        "approved the third dock in Bremen for Project Kestrel.",
        "context": "note",
        "date": "2026-03-01",
    },
    {"content": "Omar Siddiqui sent the lease to Quillmere Systems.", "context": "note", "date": "2026-03-02"},
    *(
        {
            "content": f"Omar Siddiqui decided to order scanner number {number} for Project Kestrel from Bremen.",
            "context": "note",
            "date": f"2026-03-{number % 27 + 3:02}",
        }
        for number in range(60)
    ),
)
QUESTIONS: tuple[dict[str, Any], ...] = (
    {"query": "Which database did we choose for Project Kestrel?"},
    {"query": "scanner supplier late", "graph_depth": 3, "graph_budget": 50},
    {"query": "What did Omar promise?", "graph_filters": ("Commitment", "Decision", "QualityRisk", "Execution")},
    {"query": "Scanner", "expand_neighbors": True},
    {"query": "Who tests the scanner?", "context": "conversation"},
    {"query": "scanner", "conversation_id": "standup"},
    {"query": "Bremen", "limit": 2, "offset": 1},
    {"query": "dock in Bremen", "include_stashed": False},
    {"query": "volcano in Iceland"},
    {"query": "kestrel store"},
    {"context": "note"},
    {"context": "note", "limit": 1, "graph_depth": 2},
    {"tags": ("none",)},
    {"conversation_id": "standup"},
)


def remember(app: App, memories: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Store all, do all work, and return their ids by content."""
    ids = {fields["content"]: app.remember(Memory(**fields)).id for fields in memories}
    app.worker.drain()
    return ids


def told(answer: Recall) -> dict[str, Any]:
    """Return what must be equal: all but the times of storing, scores to six places."""
    for result in answer.results:
        for name in ("created_at", "updated_at", "last_occurred"):
            result.metadata.pop(name, None)
    shown: dict[str, Any] = to_json(replace(answer, hint=None))
    return shown


def same(one: Any, other: Any) -> bool:
    """Whether two answers are equal, numbers to a millionth."""
    if isinstance(one, float) and isinstance(other, float):
        return one == pytest.approx(other, abs=1e-6)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def asked(app: App, ids: Sequence[str], **values: Any) -> list[dict[str, Any]]:
    """Return the answers to all questions, and to those for each id."""
    by_id = [{"id": id_, "expand_neighbors": True} for id_ in ids]
    return [told(app.recall(Question(**question, **values))) for question in (*QUESTIONS, *by_id)]


def known(app: App, artifact_ids: Sequence[str]) -> list[str]:
    """Return the ids of items with those of their events and entities."""
    events = app.store.events_of("default", artifact_ids)
    entities = app.store.entities_of("default", artifact_ids, 1_000)
    found = [event.id for several in events.values() for event in several] + [entity.id for entity in entities]
    return [*artifact_ids, *sorted(found)]


@pytest.mark.exhaustive
@pytest.mark.both_engines
def test_the_answer_is_that_of_a_store_of_then(app: App) -> None:
    """Text and graph together, in every mode, whatever came later and in whatever order it was stored."""
    ids = remember(app, [*LATE[:30], *EARLY, *LATE[30:]])
    early = [ids[fields["content"]] for fields in EARLY]
    things = known(app, early)
    then = asked(app, things, as_of=THEN)
    app.store.remove("default", list(ids.values()))
    app.worker.drain()
    assert sorted(remember(app, EARLY).values()) == sorted(early)
    for question, before, after, without in zip(
        (*QUESTIONS, *things), then, asked(app, things, as_of=THEN), asked(app, things), strict=True
    ):
        assert same(before, after), (question, before, after)
        assert same(before, without), (question, before, without)
    assert len(things) > len(early) + 10


LEDGER: tuple[DecisionsQuestion | CommitmentsQuestion, ...] = (
    DecisionsQuestion(status="all"),
    DecisionsQuestion(),
    DecisionsQuestion(status="superseded"),
    DecisionsQuestion(topic="database for Project Kestrel"),
    DecisionsQuestion(topic="Postgres", person="Lena"),
    DecisionsQuestion(person="Lena Fischer-Braun", status="all"),
    DecisionsQuestion(person="Lena Fischer", date_from="2026-02-01"),
    CommitmentsQuestion(),
    CommitmentsQuestion(owner="Omar"),
    CommitmentsQuestion(owner="Omar Siddiqui", status="open"),
    CommitmentsQuestion(status="done"),
    CommitmentsQuestion(due_before="2026-02-22"),
    CommitmentsQuestion(status="overdue", due_before="2026-03-05"),
)


def stood(app: App) -> list[dict[str, Any]]:
    """Return the answers of the ledger as of then."""

    def answered(question: DecisionsQuestion | CommitmentsQuestion) -> dict[str, Any]:
        if isinstance(question, DecisionsQuestion):
            return dict(to_json(app.decisions(replace(question, as_of=THEN, detail="full"))))
        return dict(to_json(app.commitments(replace(question, as_of=THEN, detail="full"))))

    return [answered(question) for question in LEDGER]


@pytest.mark.exhaustive
def test_the_ledger_stood_as_in_a_store_of_then(app: App) -> None:
    """What superseded a decision or kept a promise later has done neither yet; on servers congruence shows the same."""
    ids = remember(app, [*LATE[:30], *EARLY, *LATE[30:]])
    today = {
        item.id: item.status for item in app.decisions(DecisionsQuestion(status="all", limit=99, detail="full")).items
    }
    then = stood(app)
    app.store.remove("default", list(ids.values()))
    app.worker.drain()
    remember(app, EARLY)
    for question, before, after in zip(LEDGER, then, stood(app), strict=True):
        assert same(before, after), (question, before, after)
    changed = [item["status"] for item in then[0]["items"] if today[item["id"]] != item["status"]]
    assert set(changed) == {"current"}
    assert then[0]["total_count"] == len(then[0]["items"]) >= 3
    assert then[7]["total_count"] >= 3


@pytest.mark.exhaustive
def test_what_only_later_items_told_does_not_exist(app: App) -> None:
    """Neither their events nor the people and things first named in them."""
    ids = remember(app, [*EARLY, *LATE])
    then, today = (set(known(app, list(ids.values())[: len(EARLY)])), set(known(app, list(ids.values()))))
    for id_ in sorted(today - then):
        with pytest.raises(NotFound):
            app.recall(Question(id=id_, as_of=THEN))
