"""The shape of a project's graph: communities, who matters, components; kept until the graph changes."""

import threading
from collections.abc import Sequence

import pytest

from core.errors import Unavailable
from core.interface.memory import Memory
from core.knowledge.findings import Actor, Entity, Event, Evidence, Knowledge, Mention, entity_id, event_id
from graph.store import Store
from ingest.intake.artifacts import remember
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.overview import Overviews
from retrieval.overview.overviews import load_bounded_graph

LIMIT = 100


def person(name: str) -> Entity:
    return Entity(entity_id("p", "person", name), name, "person")


def met(store: Store, embedder: LocalEmbedder, *names: str, number: int = 0) -> str:
    """Store an item in which these people met; return its id."""
    content = f"{' and '.join(names)} met for the {number}. time"
    item = remember(Memory(content=content), "p", store, embedder.tokenizer).added.artifact_id
    people = [person(name) for name in names]
    mentions = [
        Mention(one.id, item, content.index(one.name), content.index(one.name) + len(one.name)) for one in people
    ]
    event = Event(
        event_id("p", item, "Collaboration", 0, len(content)),
        "Collaboration",
        content,
        tuple(Actor(one.id, one.name, "contributor") for one in people),
        (),
        (Evidence(item, content, 0, len(content)),),
        0.9,
    )
    store.replace("p", item, Knowledge(tuple(people), tuple(mentions), (event,)))
    return item


def two_circles(store: Store, embedder: LocalEmbedder) -> None:
    """Two circles around Ana and Bo, whom one meeting connects, and a pair beside them."""
    circles: Sequence[Sequence[str]] = (("Ana", "Cy", "Di"), ("Bo", "Ed", "Flo"))
    for circle in circles:
        for number, other in enumerate((*circle[1:], *circle[1:])):
            met(store, embedder, circle[0], other, number=number)
    met(store, embedder, "Ana", "Bo")
    met(store, embedder, "Gus", "Hal")


@pytest.mark.both_engines
def test_communities_are_named_by_their_central_people_and_components_are_apart(
    store: Store, embedder: LocalEmbedder
) -> None:
    """What nothing connects is in no community with the rest; the same graph has the same shape."""
    two_circles(store, embedder)
    shape = Overviews().shape(store, "p", LIMIT)
    leaders = {community.name.split(", ")[0] for community in shape.communities}
    assert leaders >= {"Ana", "Bo"}
    assert {community.size for community in shape.communities} == {len(one.node_ids) for one in shape.communities}
    assert {node.name for node in shape.central[:2]} == {"Ana", "Bo"}
    assert shape.central[0].score == max(node.score for node in shape.central)
    assert [component.size for component in shape.components] == [24, 4]
    assert (shape.num_nodes, shape.left_out) == (28, 0)
    again = Overviews().shape(store, "p", LIMIT)
    assert (again.communities, again.central) == (shape.communities, shape.central)


def test_a_shape_is_kept_until_the_graph_changes(store: Store, embedder: LocalEmbedder) -> None:
    """Whatever else is stored; an empty project has an empty shape."""
    overviews = Overviews()
    met(store, embedder, "Ana", "Bo")
    first = overviews.shape(store, "p", LIMIT)
    assert overviews.shape(store, "p", LIMIT) is first
    met(store, embedder, "Ana", "Cy")
    assert {node.name for node in overviews.shape(store, "p", LIMIT).central} == {"Ana", "Bo", "Cy"}
    empty = overviews.shape(store, "q", LIMIT)
    assert (empty.communities, empty.central, empty.components, empty.num_nodes) == ([], [], [], 0)


def test_the_newest_part_of_a_large_graph_is_looked_at(store: Store, embedder: LocalEmbedder) -> None:
    """Up to the limit, and how much is left out is said."""
    for number in range(20):
        met(store, embedder, f"Ana{number:02}", f"Bo{number:02}", number=number)
    graph = load_bounded_graph(store, "p", 12)
    assert len(graph.nodes) == 12
    assert None not in graph.nodes.values()
    shape = Overviews().shape(store, "p", 12)
    assert (shape.num_nodes, shape.left_out) == (12, 80 - 12)
    assert "Ana19" in {node.name for node in shape.central}


def test_who_comes_while_several_wait_is_told_to_ask_again(store: Store) -> None:
    """Waiting for shapes takes no more threads than a few."""
    with pytest.raises(Unavailable, match="ask again"):
        Overviews(_room=threading.Semaphore(0)).shape(store, "p", LIMIT)
