"""Explore: the bounded neighbourhood of a thing, and the pairs that wait for a merge decision."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from core.errors import InvalidInput, NotFound
from core.filters import Filters
from core.interface.memory import Memory
from core.interface.question import Edge, Exploration, Neighbourhood, Question
from core.knowledge.findings import Actor, Entity, Event, Evidence, Knowledge, Mention, Subject, entity_id, event_id
from core.knowledge.identities import MergeCandidate, MergeDecision
from graph.store import Store
from ingest.intake.artifacts import remember
from retrieval.answers.exploration import explore, find_name
from retrieval.answers.lookup import look_up
from retrieval.models.local_embedder import LocalEmbedder

NOW = datetime(2026, 3, 10, 9, tzinfo=UTC)
ANA, BO = (Entity(entity_id("p", "person", name), name, "person") for name in ("Ana", "Bo"))
FENCE = Entity(entity_id("p", "object", "fence"), "fence", "object", aliases=("the wall",))


def told(store: Store, embedder: LocalEmbedder, content: str, *people: Entity, about: Sequence[Entity] = ()) -> str:
    """Store an item in which these people decided, all of it being the evidence; return its id."""
    artifact_id = remember(
        Memory(content=content, title=f"On {content}"), "p", store, embedder.tokenizer
    ).added.artifact_id
    mentions = (Mention(one.id, artifact_id, content.index(one.name), content.index(one.name) + len(one.name))
                for one in (*people, *about))  # fmt: skip
    decided = Event(
        event_id("p", artifact_id, "Decision", 0, len(content)),
        "Decision",
        content,
        tuple(Actor(one.id, one.name, "owner") for one in people),
        tuple(Subject(one.id, one.name) for one in about),
        (Evidence(artifact_id, content, 0, len(content)),),
        0.9,
        NOW,
    )
    store.replace("p", artifact_id, Knowledge((*people, *about), tuple(mentions), (decided,)))
    return artifact_id


def asked(store: Store, **question: object) -> Neighbourhood:
    return explore(store, "p", Exploration(**question))  # type: ignore[arg-type]  # the fields of `Exploration`


def kinds(found: Neighbourhood) -> list[tuple[str, str]]:
    return [(node.kind, node.name) for node in found.nodes]


@pytest.mark.both_engines
def test_an_entity_has_its_events_and_items_around_it(store: Store, embedder: LocalEmbedder) -> None:
    """It comes first; edges have their own direction, and only the words there are."""
    item = told(store, embedder, "Ana and Bo paint the fence", ANA, BO, about=[FENCE])
    found = asked(store, name="The Wall")
    [event] = store.events_of("p", [item])[item]
    assert kinds(found) == [("entity", "fence"), ("event", event.summary), ("item", "On Ana and Bo paint the fence")]
    proof = [Evidence(item, event.summary, 0, len(event.summary))]
    assert sorted(found.edges, key=lambda edge: edge.type) == [
        Edge(event.id, FENCE.id, "ABOUT"),
        Edge(event.id, item, "EVIDENCED_BY", evidence=proof),
        Edge(item, FENCE.id, "MENTIONS"),
    ]
    assert not found.truncated
    deeper = asked(store, id=FENCE.id, depth=2)
    assert {name for kind, name in kinds(deeper) if kind == "entity"} == {"fence", "Ana", "Bo"}
    acted = {(edge.source, edge.role) for edge in deeper.edges if edge.type == "ACTED_IN"}
    assert acted == {(ANA.id, "owner"), (BO.id, "owner")}


def test_events_and_items_can_be_asked_for_as_well(store: Store, embedder: LocalEmbedder) -> None:
    """An event leads to its evidence and parts, also to events that take its place; an item to what it says."""
    item = told(store, embedder, "Ana paints the fence", ANA, about=[FENCE])
    [event] = store.events_of("p", [item])[item]
    assert {kind for kind, _ in kinds(asked(store, id=event.id))} == {"event", "item", "entity"}
    found = asked(store, id=item)
    assert found.nodes[0].id == item
    assert {node.id for node in found.nodes} == {item, event.id, ANA.id, FENCE.id}
    assert found.nodes[0].type == "document"


def test_the_budget_holds_and_is_told(store: Store, embedder: LocalEmbedder) -> None:
    """Nearest first, each kind in its turn; a hub costs no more than a cap; edges only between what is shown."""
    for number in range(40):
        told(store, embedder, f"Ana paints {number}", ANA)
    small = asked(store, id=ANA.id, budget=4, depth=3)
    assert (len(small.nodes), small.truncated) == (4, True)
    assert {node.kind for node in small.nodes[1:]} == {"event", "item"}
    shown = {node.id for node in small.nodes}
    assert all({edge.source, edge.target} <= shown for edge in small.edges)
    large = asked(store, id=ANA.id, budget=500)
    assert large.truncated
    assert len(large.nodes) <= 51
    assert not asked(store, id=large.nodes[1].id).truncated


def test_of_namesakes_the_most_mentioned_is_explored(store: Store, embedder: LocalEmbedder) -> None:
    """The others are nodes beside it, connected as what may be the same."""
    lee = Entity(entity_id("p", "person", "Ana Lee"), "Ana Lee", "person", aliases=("Ana",))
    told(store, embedder, "Ana paints", ANA)
    told(store, embedder, "Ana calls", ANA)
    told(store, embedder, "Ana Lee calls", lee)
    one, other = sorted((ANA.id, lee.id))
    store.set_merge_candidates("p", [ANA.id], [MergeCandidate(one, other, 0.3, "a first name")])
    found = asked(store, name="ana")
    assert [node.id for node in found.nodes[:2]] == [ANA.id, lee.id]
    assert Edge(one, other, "POSSIBLY_SAME", confidence=0.3, reason="a first name") in found.edges
    assert found.hint is not None
    assert "2 are called that" in found.hint


@pytest.mark.both_engines
def test_a_merged_entity_answers_for_the_one_it_took_in(store: Store, embedder: LocalEmbedder) -> None:
    """Its id still leads somewhere, and the answer says so."""
    told(store, embedder, "Ana paints", ANA)
    told(store, embedder, "Bo paints", BO)
    store.apply_decision("p", MergeDecision(id="ver_1", kind="same", one=ANA.id, other=BO.id, at=NOW))
    found = asked(store, id=BO.id)
    assert found.nodes[0].id == ANA.id
    assert found.hint is not None
    assert f"{BO.id} was merged into {ANA.id}" in found.hint
    answer = look_up(store, "p", BO.id, Question(id=BO.id), Filters(at=NOW))
    assert ([result.id for result in answer.results], answer.hint) == ([ANA.id], found.hint)


def test_revisions_and_other_projects_are_no_neighbours(store: Store, embedder: LocalEmbedder) -> None:
    """What only a text says that was replaced is seen when it is asked for, and not beside anything else."""
    first = remember(Memory(content="Ana paints", key="k"), "p", store, embedder.tokenizer).added.artifact_id
    store.replace("p", first, Knowledge((ANA,), (Mention(ANA.id, first, 0, 3),)))
    told(store, embedder, "Ana calls", ANA)
    remember(Memory(content="Bo paints", key="k"), "p", store, embedder.tokenizer)
    assert first not in {node.id for node in asked(store, id=ANA.id, depth=3).nodes}
    assert asked(store, id=first).nodes[0].id == first
    with pytest.raises(NotFound):
        explore(store, "q", Exploration(id=ANA.id))


@pytest.mark.parametrize("question", [{"name": "Nobody"}, {"id": "ent_ffffffffffff"}, {"id": "art_0"}, {"id": "x"}])
def test_what_is_not_there_is_not_found(store: Store, question: dict[str, str]) -> None:
    """By name or by id of any kind."""
    with pytest.raises(NotFound):
        asked(store, **question)


@pytest.mark.parametrize(
    "question",
    [{}, {"id": "ent_1", "name": "Ana"}, {"review": True, "name": "Ana"}, {"name": "Ana", "depth": 0},
     {"name": "Ana", "depth": 4}, {"name": "Ana", "budget": 0}, {"name": "Ana", "budget": 501}, {"name": " "}],
)  # fmt: skip
def test_a_question_that_says_too_much_or_too_little_is_refused(question: dict[str, object]) -> None:
    """One of id, name and review; depth and budget in their ranges."""
    with pytest.raises(InvalidInput):
        Exploration(**question)  # type: ignore[arg-type]  # what a caller may send


def test_pairs_to_review_come_surest_first_with_the_words_they_rest_on(store: Store, embedder: LocalEmbedder) -> None:
    """Each with both entities and a verbatim quote of either; how many wait in all is true whatever is shown."""
    one = told(store, embedder, "Ana paints", ANA)
    two = told(store, embedder, "Bo and the fence", BO, about=[FENCE])
    pairs = [
        MergeCandidate(min(ANA.id, other.id), max(ANA.id, other.id), sure, "because")
        for other, sure in ((BO, 0.4), (FENCE, 0.6))
    ]
    store.set_merge_candidates("p", [ANA.id], pairs)
    found = asked(store, review=True)
    assert [edge.confidence for edge in found.edges] == [0.6, 0.4]
    assert (found.total_count, found.truncated) == (2, False)
    words = {proof.artifact_id: proof.quote for edge in found.edges for proof in edge.evidence or ()}
    assert words == {one: "Ana paints", two: "Bo and the fence"}
    assert (len(asked(store, review=True, budget=2).edges), asked(store, review=True, budget=2).truncated) == (1, True)
    assert explore(store, "q", Exploration(review=True)).total_count == 0


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Bananas for Ana", (12, 15)),
        ("ANA LEE, not Ana", (0, 7)),
        ("昨日田中さんが", (2, 4)),
        ("Bananas", (1, 4)),
        ("nobody", None),
    ],
)
def test_a_name_stands_where_it_is_a_word(text: str, place: tuple[int, int] | None) -> None:
    """Within another only where it is nowhere else: some scripts have no blanks."""
    assert find_name(text, ["Ana", "Ana Lee", "田中", ""]) == place
