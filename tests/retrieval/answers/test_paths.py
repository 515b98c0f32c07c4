"""Paths: the best few ways between two things, each step with the sentence that it rests on."""

from collections.abc import Sequence

import pytest

from core.dates import now
from core.errors import InvalidInput, NotFound
from core.interface.memory import Memory
from core.interface.question import Exploration, Neighbourhood
from core.knowledge.findings import Actor, Entity, Event, Evidence, Knowledge, Mention, Subject, entity_id, event_id
from core.knowledge.identities import MergeCandidate, MergeDecision
from graph.store import Store
from ingest.intake.artifacts import remember
from retrieval.answers.paths import find_paths
from retrieval.models.local_embedder import LocalEmbedder

ANA, BO, CY, HUB = (Entity(entity_id("p", "person", name), name, "person") for name in ("Ana", "Bo", "Cy", "Hub"))
FENCE = Entity(entity_id("p", "object", "fence"), "fence", "object")


def told(store: Store, embedder: LocalEmbedder, content: str, *people: Entity, about: Sequence[Entity] = ()) -> str:
    """Store an item in which these people decided the first sentence; return its id."""
    item = remember(Memory(content=content), "p", store, embedder.tokenizer).added.artifact_id
    named = (*people, *about)
    mentions = [Mention(e.id, item, content.index(e.name), content.index(e.name) + len(e.name)) for e in named]
    quote = content.partition(". ")[0]
    decided = Event(
        event_id("p", item, "Decision", 0, len(quote)),
        "Decision",
        quote,
        tuple(Actor(one.id, one.name, "owner") for one in people),
        tuple(Subject(one.id, one.name) for one in about),
        (Evidence(item, quote, 0, len(quote)),),
        0.9,
        now(),
    )
    store.replace("p", item, Knowledge(named, tuple(mentions), (decided,)))
    return item


def named_in(store: Store, embedder: LocalEmbedder, content: str, *named: Entity) -> str:
    """Store an item that only names these."""
    item = remember(Memory(content=content), "p", store, embedder.tokenizer).added.artifact_id
    mentions = [Mention(e.id, item, content.index(e.name), content.index(e.name) + len(e.name)) for e in named]
    store.replace("p", item, Knowledge(named, tuple(mentions)))
    return item


def path(store: Store, one: str, other: str, **more: object) -> Neighbourhood:
    return find_paths(store, "p", Exploration(name=one, to=other, **more))  # type: ignore[arg-type]  # its fields


def walked(found: Neighbourhood) -> list[list[str]]:
    """Return the names that each path leads over, from end to end."""
    names = {node.id: node.name for node in found.nodes}
    ways = []
    for steps in found.paths or ():
        at, way = found.nodes[0].id, [found.nodes[0].name]
        for edge in steps:
            at = edge.target if edge.source == at else edge.source
            way.append(names[at])
        ways.append(way)
    return ways


@pytest.mark.both_engines
def test_two_things_are_connected_by_what_they_did_with_the_sentence_of_each_step(
    store: Store, embedder: LocalEmbedder
) -> None:
    """The event that both have a part in is a better way than an item that names both; ends come first."""
    item = told(store, embedder, "Ana paints the fence. Nobody minds.", ANA, about=[FENCE])
    told(store, embedder, "Bo repairs the fence. It rained.", BO, about=[FENCE])
    found = path(store, "ana", "Fence")
    assert [node.id for node in found.nodes[:2]] == [ANA.id, FENCE.id]
    assert walked(found)[0] == ["Ana", "Ana paints the fence", "fence"]
    assert found.paths is not None
    quote = Evidence(item, "Ana paints the fence", 0, 20)
    assert [(edge.type, edge.evidence) for edge in found.paths[0]] == [("ACTED_IN", [quote]), ("ABOUT", [quote])]
    assert walked(path(store, "Ana", "Bo"))[0] == [
        "Ana", "Ana paints the fence", "fence", "Bo repairs the fence", "Bo",
    ]  # fmt: skip
    on_paths = {end for steps in found.paths for edge in steps for end in (edge.source, edge.target)}
    assert {node.id for node in found.nodes} == on_paths
    assert {(e.source, e.target, e.type) for e in found.edges} == {
        (e.source, e.target, e.type) for steps in found.paths for e in steps
    }


def test_an_item_that_names_both_shows_the_sentence_of_each_name(store: Store, embedder: LocalEmbedder) -> None:
    """Verbatim, at its place in the text."""
    text = "It rained. Ana was away.\nLater Bo came."
    item = named_in(store, embedder, text, ANA, BO)
    [steps] = path(store, "Ana", "Bo").paths or [[]]
    assert [edge.evidence for edge in steps] == [
        [Evidence(item, "Ana was away.", 11, 24)],
        [Evidence(item, "Later Bo came.", 25, 39)],
    ]


def test_what_two_were_only_listed_in_connects_them_least(store: Store, embedder: LocalEmbedder) -> None:
    """Not who was there, but who was spoken of; the sentence is not the list if there is another."""
    for number in range(3):
        named_in(store, embedder, f"## Attendees\n\n- Ana\n- Bo\n\n## Notes\n\nRoom {number} is cold.", ANA, BO)
    spoken = "Present: Ana, Bo\n\nAna showed the gate to Bo. It is green."
    item = named_in(store, embedder, spoken, ANA, BO)
    told(store, embedder, "Ana paints the fence. Nobody minds.", ANA, about=[FENCE])
    told(store, embedder, "Bo repairs the fence. It rained.", BO, about=[FENCE])
    found = path(store, "Ana", "Bo")
    assert found.paths is not None
    start = spoken.index("Ana showed")
    quote = Evidence(item, "Ana showed the gate to Bo.", start, start + 26)
    assert [edge.evidence for edge in found.paths[0]] == [[quote], [quote]]
    ways = walked(found)
    assert ["Ana", "Ana paints the fence", "fence", "Bo repairs the fence", "Bo"] in ways[:2]


def test_the_sentence_of_a_name_has_it_as_a_word(store: Store, embedder: LocalEmbedder) -> None:
    """Not as a part of another."""
    text = "Bananas are out. Bones were found. Today Ana and Bo came."
    item = remember(Memory(content=text), "p", store, embedder.tokenizer).added.artifact_id
    mentions = [
        Mention(e.id, item, text.index(f"{e.name} "), text.index(f"{e.name} ") + len(e.name)) for e in (ANA, BO)
    ]
    store.replace("p", item, Knowledge((ANA, BO), tuple(mentions)))
    [steps] = path(store, "Ana", "Bo").paths or [[]]
    assert {proof.quote for edge in steps for proof in edge.evidence or ()} == {"Today Ana and Bo came."}


@pytest.mark.exhaustive
def test_a_longer_way_is_better_than_one_over_what_is_connected_with_all(store: Store, embedder: LocalEmbedder) -> None:
    """And what two hubs did together is found however much came after it."""
    told(store, embedder, "Ana asked Hub. Fine.", ANA, HUB)
    told(store, embedder, "Hub and Bo met. Fine.", HUB, BO)
    told(store, embedder, "Ana visits Cy. Fine.", ANA, CY)
    told(store, embedder, "Cy calls Bo. Fine.", CY, BO)
    for number in range(60):
        named_in(store, embedder, f"Hub does {number}.", HUB)
    assert walked(path(store, "Ana", "Bo"))[0][2] == "Cy"
    for number in range(60):
        told(store, embedder, f"Ana goes {number}. Fine.", ANA)
        told(store, embedder, f"Hub goes {number}. Fine.", HUB)
    assert walked(path(store, "Ana", "Hub"))[0] == ["Ana", "Ana asked Hub", "Hub"]


def test_events_and_items_are_ends_as_well(store: Store, embedder: LocalEmbedder) -> None:
    """By their ids, on either side; of an item that was forgotten there is nothing to say."""
    item = told(store, embedder, "Ana paints the fence. Fine.", ANA, about=[FENCE])
    [event] = store.events_of("p", [item])[item]
    [steps, *_] = find_paths(store, "p", Exploration(id=item, to=event.id)).paths or [[]]
    assert [edge.type for edge in steps] == ["EVIDENCED_BY"]
    assert find_paths(store, "p", Exploration(id=event.id, to="fence")).paths
    with pytest.raises(NotFound):
        find_paths(store, "p", Exploration(name="Ana", to="art_000000000000"))
    with pytest.raises(NotFound):
        find_paths(store, "q", Exploration(id=item, to=event.id))


def test_what_is_not_connected_unknown_or_the_same_is_said(store: Store, embedder: LocalEmbedder) -> None:
    """In a sentence that says what to do."""
    told(store, embedder, "Ana paints. Fine.", ANA)
    told(store, embedder, "Bo paints. Fine.", BO)
    found = path(store, "Ana", "Bo")
    assert (found.paths, [node.name for node in found.nodes]) == ([], ["Ana", "Bo"])
    assert "No way of up to 6 steps" in (found.hint or "")
    with pytest.raises(NotFound, match="Nothing is called 'Nobody'"):
        path(store, "Ana", "Nobody")
    with pytest.raises(InvalidInput, match="name two different things"):
        path(store, "Ana", "ana")
    with pytest.raises(InvalidInput, match="leave one of them out"):
        Exploration(review=True, to="Ana")


def test_no_path_leads_over_a_guess(store: Store, embedder: LocalEmbedder) -> None:
    """Where it would be the only one, the pair and the call that settles it are named."""
    told(store, embedder, "Ana paints the fence. Fine.", ANA, about=[FENCE])
    told(store, embedder, "Bo paints. Fine.", BO)
    one, other = sorted((ANA.id, BO.id))
    store.set_merge_candidates("p", [ANA.id], [MergeCandidate(one, other, 0.6, "alike")])
    found = path(store, "Bo", "fence")
    assert found.paths == []
    assert "are the same, which review asks" in (found.hint or "")
    assert {"Ana", "Bo"} <= set((found.hint or "").split())


def test_of_namesakes_the_most_mentioned_is_meant_and_the_others_have_their_ids_told(
    store: Store, embedder: LocalEmbedder
) -> None:
    """A merged id leads to the one that took it in."""
    lee = Entity(entity_id("p", "person", "Ana Lee"), "Ana Lee", "person", aliases=("Ana",))
    named_in(store, embedder, "Ana and Bo", ANA, BO)
    named_in(store, embedder, "Ana calls", ANA)
    named_in(store, embedder, "Ana Lee calls", lee)
    found = path(store, "Bo", "Ana")
    assert found.nodes[1].id == ANA.id
    assert f"To mean another, give its id: Ana Lee ({lee.id})." in (found.hint or "")
    named_in(store, embedder, "Cy is here", CY)
    store.apply_decision("p", MergeDecision(id="ver_1", kind="same", one=ANA.id, other=CY.id, at=now()))
    found = find_paths(store, "p", Exploration(id=CY.id, to="Bo"))
    assert f"{CY.id} was merged into {ANA.id}" in (found.hint or "")


def test_a_small_answer_has_the_best_path_and_says_what_it_lacks(store: Store, embedder: LocalEmbedder) -> None:
    """Within its tokens, whole paths first, then their sentences."""
    for number in range(3):
        told(store, embedder, f"Ana paints the fence {number} times {'again and ' * 20}. Fine.", ANA, about=[FENCE])
    whole = path(store, "Ana", "fence", detail="full")
    assert len(whole.paths or ()) == 3
    small = path(store, "Ana", "fence", max_tokens=600)
    assert len(small.paths or ()) == 1
    assert small.truncated
    assert "2 paths" in (small.hint or "")
