"""`docs/graph.md`: its queries find what they ask for on a real Neo4j, and its labels are those of the nodes."""

import re
from datetime import date, timedelta
from pathlib import Path

import pytest
from neo4j import Driver

from core.dates import now
from core.filters import Filters
from core.knowledge.findings import EventLink
from core.knowledge.identities import MergeCandidate, MergeDecision
from core.records import Artifact
from graph.store import Store
from tests.contracts.makers import PROJECT, at, entity, event, item, lesson, pieces

pytestmark = pytest.mark.servers

PAGE = (Path(__file__).parents[1] / "docs" / "graph.md").read_text(encoding="utf-8")
QUERIES = {
    title.strip().splitlines()[-1]: query
    for title, query in re.findall(r"([^`]+)\n```cypher\n(.*?)```", PAGE.partition("## Queries")[2], re.DOTALL)
}
ANA, BO = entity("Ana Berg", organization="Acme", role="CTO"), entity("Bo Lund")
ROOF, NORTH = entity("solar roof", "object"), entity("North", "project")


def told(store: Store, content: str, **fields: object) -> Artifact:
    given = item(content, **fields)  # type: ignore[arg-type]  # the fields of `item`
    store.add(given, pieces(given), ["embed", "extract"])
    return given


@pytest.fixture
def memory(neo4j_store: Store) -> Store:
    """A memory in which each query of the page finds something."""
    plan = told(neo4j_store, "Ana Berg and Bo Lund chose the solar roof for North. The roof may leak.", author="Ana")
    chosen = event(plan, "chose the solar roof", actors=[ANA, BO], subjects=[ROOF, NORTH], event_time=at(1))
    risk = event(plan, "The roof may leak.", "QualityRisk", subjects=[NORTH], event_time=at(1))
    neo4j_store.replace(PROJECT, plan.id, lesson(plan, [ANA, BO, ROOF, NORTH], [chosen, risk]))
    content = "Ana Berg dropped the solar roof. Bo Lund will tell them. Bo Lund will pay. He told them."
    later = told(neo4j_store, content, context="conversation", conversation_id="c1", turn_index=0)
    dropped = event(later, "dropped the solar roof", actors=[ANA], subjects=[ROOF], event_time=at(2))
    tell = event(later, "will tell them", "Commitment", actors=[BO], due=now() - timedelta(days=3))
    pay = event(later, "will pay", "Commitment", actors=[BO], due=now() + timedelta(days=3))
    told_them = event(later, "He told them.", "Execution", actors=[BO], event_time=at(2))
    events = [dropped, tell, pay, told_them]
    neo4j_store.replace(PROJECT, later.id, lesson(later, [ANA, BO, ROOF], events))
    closed = event(later, "Bo Lund will pay", "Commitment", actors=[BO])
    neo4j_store.replace(PROJECT, later.id, lesson(later, [ANA, BO, ROOF], [*events, closed]))
    neo4j_store.set_event_links(PROJECT, [dropped.id, told_them.id], [
        EventLink(dropped.id, chosen.id, "SUPERSEDES", 0.9), EventLink(told_them.id, closed.id, "COMPLETES", 0.9),
    ])  # fmt: skip
    one, other = sorted((ANA.id, BO.id))
    neo4j_store.set_merge_candidates(PROJECT, [ANA.id], [MergeCandidate(one, other, 0.3, "alike")])
    return neo4j_store


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize("title", QUERIES)
def test_each_query_finds_what_it_asks_for(neo4j_driver: Driver, title: str) -> None:
    """A dozen of them and more; all of them only read."""
    assert len(QUERIES) >= 12
    result = neo4j_driver.execute_query(QUERIES[title])
    assert result.records
    assert not result.summary.counters.contains_updates


def test_the_labels_tell_the_graph_from_what_serves_it(memory: Store, neo4j_driver: Driver) -> None:
    """Of every node that the engine makes; entities have their type, also one that a merge decision made."""
    memory.apply_decision(PROJECT, MergeDecision(id="ver_1", kind="split", one=ANA.id, other=entity("Ann").id, at=at(9),
                                  artifact_id=memory.newest(PROJECT, Filters(at=now()), 1)[0].id))  # fmt: skip
    rows = neo4j_driver.execute_query("MATCH (n) RETURN DISTINCT labels(n) AS labels").records
    found = [set(row["labels"]) for row in rows]
    graph = {"Artifact", "Entity", "Event", "Conversation"}
    assert [labels for labels in found if bool(labels & graph) == ("Internal" in labels)] == []
    assert {"Chunk", "Term", "Job", "Name", "Partition", "Verdict", "Marker"} <= set().union(*found)
    types = neo4j_driver.execute_query("MATCH (e:Entity) RETURN labels(e) AS labels, e.type AS type").records
    expected = {"person": "Person", "object": "Object", "project": "Project"}
    assert {(expected[row["type"]], *sorted(set(row["labels"]) - {"Entity"})) for row in types} == {
        (label, label) for label in expected.values()
    }


def test_what_is_due_is_a_date(memory: Store, neo4j_driver: Driver) -> None:
    """Of the moment in UTC that the engine keeps beside it."""
    rows = neo4j_driver.execute_query("MATCH (v:Commitment) WHERE v.due IS NOT NULL RETURN v.due AS due").records
    days = sorted(row["due"].to_native() for row in rows)
    today: date = now().date()
    assert days == [today - timedelta(days=3), today + timedelta(days=3)]
    assert memory.node_ids(PROJECT, "event", 9)
