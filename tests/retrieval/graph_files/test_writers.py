"""The graph as a file: it opens in NetworkX, loads into Neo4j, and has in it what the memory has."""

import io
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from neo4j import Driver

from core.interface.memory import Memory
from core.knowledge.findings import (
    Actor,
    Entity,
    Event,
    EventLink,
    Evidence,
    Knowledge,
    Mention,
    Subject,
    entity_id,
    event_id,
)
from core.knowledge.identities import MergeCandidate
from graph.store import Store
from ingest.intake.artifacts import remember
from retrieval.graph_files import Written, export_neighbourhood, export_whole_graph, write_graph
from retrieval.models.local_embedder import LocalEmbedder
from tests.contracts.makers import HOSTILE

NAMES = [
    *(name.strip() for name in HOSTILE),
    "]]> <b>&amp;</b> `x` \\",
    "a\\u0027b'}) DETACH DELETE n //",
    "\\\\u0041 $x \\n",
]


def read_json(path: Path) -> Any:
    return nx.node_link_graph(json.loads(path.read_text(encoding="utf-8")), edges="edges")


READERS: dict[str, Callable[[Path], Any]] = {"graphml": nx.read_graphml, "gexf": nx.read_gexf, "json": read_json}


@pytest.fixture
def people(store: Store, embedder: LocalEmbedder) -> list[Entity]:
    """People of hostile names, each deciding on the fence in an item of its own, the last two things linked."""
    fence = Entity(entity_id("p", "object", "fence"), "fence", "object", aliases=("the <wall>",))
    people, events = [], []
    for number, name in enumerate(NAMES):
        one = Entity(entity_id("p", "person", name), name, "person", role=name)
        content = f"{name} decided {number}. The fence stands."
        item = remember(Memory(content=content, title=f"On {name}"), "p", store, embedder.tokenizer).added.artifact_id
        quote = content[: content.index(". The fence")]
        decided = Event(event_id("p", item, "Decision", 0, len(quote)), "Decision", quote,
                        (Actor(one.id, name, "owner"),), (Subject(fence.id, "fence"),),
                        (Evidence(item, quote, 0, len(quote)),), 0.9)  # fmt: skip
        at = content.index("fence")
        mentions = (Mention(one.id, item, 0, len(name)), Mention(fence.id, item, at, at + 5))
        store.replace("p", item, Knowledge((one, fence), mentions, (decided,)))
        people.append(one)
        events.append(decided.id)
    store.set_event_links("p", events[:2], [EventLink(events[1], events[0], "SUPERSEDES", 0.8)])
    low, high = sorted(one.id for one in people[:2])
    store.set_merge_candidates("p", [low], [MergeCandidate(low, high, 0.4, "alike")])
    return people


def written(store: Store, form: str, path: Path) -> Written:
    with path.open("w", encoding="utf-8", newline="\n") as out:
        return write_graph(export_whole_graph(store, "p"), out, form)


def cleaned(text: str) -> str:
    return text.replace("\0", "\ufffd").replace("\r\n", "\n")


@pytest.mark.parametrize("form", READERS)
def test_a_file_opens_in_networkx_with_all_that_is_there(
    store: Store, people: list[Entity], tmp_path: Path, form: str
) -> None:
    """Counts are equal, names come back whatever signs are in them (what XML can't hold is replaced), edges have their
    quotes."""
    path = tmp_path / "graph"
    counts = written(store, form, path)
    graph = READERS[form](path)
    number = len(NAMES)
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (counts.nodes, counts.edges)
    assert counts == Written(3 * number + 1, number * 5 + 2)
    kinds = Counter(values["kind"] for _, values in graph.nodes(data=True))
    assert kinds == {"item": number, "event": number, "entity": number + 1}
    for one in people:
        assert cleaned(graph.nodes[one.id]["role"]) == cleaned(one.name)
    edges = [values for *_, values in graph.edges(data=True)]
    assert Counter(values["type"] for values in edges) == {
        "MENTIONS": 2 * number, "ACTED_IN": number, "ABOUT": number, "EVIDENCED_BY": number, "SUPERSEDES": 1,
        "POSSIBLY_SAME": 1,
    }  # fmt: skip
    quotes = {cleaned(values["quote"]) for values in edges if "quote" in values}
    assert quotes == {cleaned(f"{name} decided {at}") for at, name in enumerate(NAMES)}


@pytest.mark.servers
def test_a_script_loads_into_a_real_neo4j(
    store: Store, people: list[Entity], tmp_path: Path, neo4j_driver: Driver
) -> None:
    """A statement a line; loaded twice it is there once; names are data, whatever Cypher they hold."""
    path = tmp_path / "graph.cypher"
    counts = written(store, "cypher", path)
    statements = path.read_text(encoding="utf-8").split(";\n")[:-1]
    assert len(statements) == 1 + counts.nodes + counts.edges
    try:
        for statement in (*statements, *statements):
            neo4j_driver.execute_query(statement)
        [row] = neo4j_driver.execute_query(
            "MATCH (n:Remembered) RETURN count(n) AS nodes, sum(COUNT {(n)-->(:Remembered)}) AS edges"
        ).records
        assert (row["nodes"], row["edges"]) == (counts.nodes, counts.edges)
        names = neo4j_driver.execute_query("MATCH (n:Remembered:Entity:Person) RETURN n.name AS name").records
        assert sorted(row["name"] for row in names) == sorted(one.name.replace("\0", "\ufffd") for one in people)
    finally:
        neo4j_driver.execute_query("MATCH (n:Remembered) DETACH DELETE n")
        neo4j_driver.execute_query("DROP CONSTRAINT remembered_by_id IF EXISTS")


def test_labels_in_a_script_are_those_of_the_model(store: Store, embedder: LocalEmbedder) -> None:
    """As docs/graph.md has them, for types and categories of two words, too."""
    content = "Acme fears delays."
    acme = Entity(entity_id("p", "org", "Acme"), "Acme", "org")
    item = remember(Memory(content=content), "p", store, embedder.tokenizer).added.artifact_id
    risk = Event(event_id("p", item, "QualityRisk", 0, 18), "QualityRisk", content, (), (Subject(acme.id, "Acme"),),
                 (Evidence(item, content, 0, 18),), 0.9)  # fmt: skip
    store.replace("p", item, Knowledge((acme,), (Mention(acme.id, item, 0, 4),), (risk,)))
    out = io.StringIO()
    write_graph(export_whole_graph(store, "p"), out, "cypher")
    assert ":Entity:`Organization`" in out.getvalue()
    assert ":Event:`QualityRisk`" in out.getvalue()


def test_a_part_is_what_is_around_one_thing(store: Store, people: list[Entity]) -> None:
    """As `explore` has it; what a revision says is in neither."""
    out = io.StringIO()
    around = write_graph(export_neighbourhood(store, "p", people[0].id, 1), out, "json")
    assert around.nodes == len(json.loads(out.getvalue())["nodes"])
    assert 1 < around.nodes < 3 * len(NAMES)
    assert write_graph(export_whole_graph(store, "q"), io.StringIO(), "graphml") == Written(0, 0)
