"""What is given with an item is known when the call returns, before anything is extracted from its text."""

import json
import os
import signal
from pathlib import Path

import pytest

from core.interface.learning import AnnotatedMemory, GivenEntity, GivenEvent
from core.interface.ledger import CommitmentsQuestion, DecisionsQuestion
from core.interface.memory import Memory
from core.interface.question import Exploration, Question
from core.interface.results import Receipt
from service.app import App
from tests.running_processes import Bridged, owner

TEXT = "Mira Solberg will paint the boathouse by 2026-05-04. The rowing club agreed to buy two oars."
_EVENTS = (
    GivenEvent(
        category="Commitment", quote="Mira Solberg will paint the boathouse by 2026-05-04", owners=("Mira Solberg",)
    ),
    GivenEvent(category="Decision", quote="The rowing club agreed to buy two oars", owners=("Rowing Club",)),
)
_ENTITIES = (GivenEntity(name="Mira Solberg", type="person", aliases=("Miri",)),)


def given(app: App, *, many: bool) -> str:
    memory = AnnotatedMemory(content=TEXT, context="note", date="2026-04-01", events=_EVENTS, entities=_ENTITIES)
    if many:
        (receipt,) = app.remember_many([memory]).results
        assert isinstance(receipt, Receipt)
        return receipt.id
    return app.remember(memory).id


@pytest.mark.both_engines
@pytest.mark.parametrize("many", [False, True])
def test_given_events_and_entities_are_known_at_once(app: App, many: bool) -> None:
    id_ = given(app, many=many)

    for name in ("Mira Solberg", "miri"):
        nodes = app.explore(Exploration(name=name)).nodes
        assert nodes[0].name == "Mira Solberg"
        assert any(node.kind == "event" for node in nodes)
    assert [one.artifact_id for one in app.commitments(CommitmentsQuestion(owner="Mira Solberg")).items] == [id_]
    assert [one.artifact_id for one in app.decisions(DecisionsQuestion(topic="oars")).items] == [id_]
    found = app.recall(Question(query="Who paints the boathouse?"))
    assert "Mira Solberg" in [entity.name for entity in found.entities]
    assert {report.kind: report.state for report in app.store.job_reports("default", id_)} == {
        "embed": "pending",
        "extract": "pending",
    }
    app.worker.drain()
    assert [one.artifact_id for one in app.commitments(CommitmentsQuestion(owner="Mira Solberg")).items] == [id_]


@pytest.mark.both_engines
def test_items_that_are_a_decision_or_a_task_are_listed_at_once(app: App) -> None:
    decided = app.remember(Memory(content="We name branches after tickets.", context="decision", key="branches")).id
    asked = app.remember_many([Memory(content="Sweep the boathouse.", context="task")]).results[0]

    assert [one.artifact_id for one in app.decisions(DecisionsQuestion()).items] == [decided]
    assert isinstance(asked, Receipt)
    assert [one.artifact_id for one in app.commitments(CommitmentsQuestion()).items] == [asked.id]


@pytest.mark.both_engines
def test_what_is_given_of_a_stored_item_is_known_at_once(app: App) -> None:
    """The second call is answered as a duplicate, and what was extracted stays."""
    first = app.remember(Memory(content=TEXT, context="note", date="2026-04-01"), wait=True).id
    listed = app.store.counts("default").events

    assert given(app, many=False) == first
    assert app.explore(Exploration(name="Miri")).nodes[0].name == "Mira Solberg"
    assert app.store.counts("default").events >= listed


def test_what_was_given_survives_a_kill_right_after_the_answer(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Bridged(home) as client:
        client.call(
            "remember",
            content=TEXT,
            context="note",
            date="2026-04-01",
            entities=[{"name": "Mira Solberg", "type": "person", "aliases": ["Miri"]}],
            events=[
                {"category": "Decision", "quote": "The rowing club agreed to buy two oars", "owners": ["Rowing Club"]}
            ],
        )
        os.kill(int((owner(home) or {})["pid"]), signal.SIGKILL)
        explored = client.call("explore", name="Miri")
        decided = client.call("decisions", topic="oars")

    assert explored["nodes"][0]["name"] == "Mira Solberg", json.dumps(explored)
    assert len(decided["items"]) == 1


@pytest.mark.both_engines
def test_nothing_is_called_absent_while_it_may_not_be_indexed(app: App) -> None:
    """A low likelihood is given only once every item of the project can be found by its meaning."""
    app.remember(Memory(content="The ferry to the island leaves at noon."))
    question = Question(query="Which vaccine does the cat need?")
    early = app.recall(question).answer_likelihood
    app.worker.drain()

    assert early is None
    assert (app.recall(question).answer_likelihood or 0) < 0.2
