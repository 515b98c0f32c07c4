"""The same memory on both engines: the same answers, as far as two full-text engines agree on what a word is.

Filters, lists, look-ups, entities, events, expansion and scores are the same to the letter. What a word is may differ:
SQLite and Lucene stem and fold by code of their own. How far that reaches is bounded here.
"""

import json
import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from neo4j import Driver

from core.interface.ledger import CommitmentsQuestion, DecisionsQuestion
from core.interface.question import Question
from core.interface.results import to_json
from core.knowledge.findings import CATEGORIES, EntityType
from core.search import Embedder
from graph.neo4j_store import Neo4jStore
from graph.sqlite_store import SqliteStore
from graph.store import Store
from graph.text.term_vectors import tally, unpack_counts
from ingest.readers import read, walk
from retrieval.answers.expansion import Reach, expand
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.vectors import ChromaIndex, ChromaServer, EmbeddedChroma
from servers import ChromaServer as ChromaProcess
from servers import Neo4jServer
from service.app import App
from tests.contracts.makers import STORED_AT, at, entity, event, everything, item, lesson, pieces
from tests.real_servers import empty
from tests.shipped import assembled

SAMPLES = Path(__file__).parents[1] / "samples"

pytestmark = pytest.mark.timeout(240)


@dataclass(frozen=True)
class Pair:
    """One memory twice."""

    embedded: App
    servers: App
    project: str


@pytest.fixture(scope="module")
def pair(
    tmp_path_factory: pytest.TempPathFactory, neo4j_server: Neo4jServer, neo4j_driver: Driver,
    chroma_server: ChromaProcess, embedder: LocalEmbedder,
) -> Iterator[Pair]:  # fmt: skip
    """The sample corpus on embedded stores and on servers."""
    empty(neo4j_driver)
    folder, project = tmp_path_factory.mktemp("pair"), f"congruence-{uuid.uuid4().hex[:8]}"
    near_index = ChromaIndex(EmbeddedChroma(folder / "chroma"), embedder)
    far_index = ChromaIndex(ChromaServer(chroma_server.url), embedder)
    far_store = Neo4jStore(neo4j_server.uri, neo4j_server.username, neo4j_server.password)
    with (
        assembled(SqliteStore(folder / "record.db"), near_index) as near,
        assembled(far_store, far_index) as far,
    ):
        for number, memory in enumerate(
            memory for path in walk([SAMPLES / "corpus"]).files for memory in read(path, context=None)
        ):
            dated = memory if memory.moment() else replace(memory, date=f"2026-01-01T00:00:{number % 60:02}Z")
            for app in (near, far):
                app.remember(dated, project)
        for app in (near, far):
            app.worker.drain()
        yield Pair(near, far, project)
        far_index.drop(project)


def answers(pair: Pair, question: Question) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return both answers without what differs by nature: when something was stored, and its score."""
    return tuple(stripped(to_json(app.recall(question, pair.project))) for app in (pair.embedded, pair.servers))


def stripped(answer: Any, *less: str) -> Any:
    """Return JSON without times of storing, scores, and fields of these names."""
    if isinstance(answer, dict):
        left_out = {"created_at", "updated_at", "last_occurred", "score", *less}
        return {name: stripped(value, *less) for name, value in answer.items() if name not in left_out}
    return [stripped(value, *less) for value in answer] if isinstance(answer, list) else answer


def test_counts_are_the_same(pair: Pair) -> None:
    """Items, chunks, turns, entities, events, decisions and commitments."""
    near, far = (app.store.counts(pair.project) for app in (pair.embedded, pair.servers))

    assert near == far
    assert near.decisions > 10


@pytest.mark.parametrize(
    "conditions",
    [
        {"context": "meeting"},
        {"context": "email", "limit": 3, "offset": 2},
        {"date_from": "2026-01-20", "date_to": "2026-02-15", "limit": 50},
        {"min_importance": 0.5, "source": "file", "limit": 50},
        {"date_from": "2020-01-01", "as_of": "2026-01-31", "limit": 50, "graph_depth": 2, "graph_budget": 50},
    ],
)
def test_lists_are_the_same_with_all_that_stands_beside_them(pair: Pair, conditions: dict[str, Any]) -> None:
    """Items in order, their events, related events with reasons and quotes, entities, totals."""
    near, far = answers(pair, Question(**conditions))

    assert near == far
    assert near["results"]


def test_every_item_event_and_entity_is_the_same(pair: Pair) -> None:
    """Each by its id, complete; conversations turn by turn."""
    everything_there = pair.embedded.recall(Question(date_from="2020-01-01", limit=100), pair.project)
    listed = pair.embedded.store.list_events(pair.project, CATEGORIES, everything(), 1_000)
    ids = [result.id for result in everything_there.results] + [one.id for one in listed]
    ids += [one.id for one in everything_there.entities]
    conversations = {str(result.metadata.get("conversation_id")) for result in everything_there.results} - {"None"}

    assert len(ids) > 100
    assert conversations
    for identity in ids:
        near, far = answers(pair, Question(id=identity, expand_neighbors=True))
        assert near == far
    for conversation_id in conversations:
        near, far = answers(pair, Question(conversation_id=conversation_id, limit=100))
        assert near == far


def test_the_ledger_is_the_same(pair: Pair) -> None:
    """Decisions and commitments in order, with status, links, sentences and totals; of a topic, a person and a date."""
    decisions: list[dict[str, Any]] = [
        {"status": "all", "limit": 100},
        {"topic": "Lantern alerts", "status": "all"},
        {"topic": "alerts by text message or push"},
        {"person": "Priya", "status": "all", "as_of": "2026-02-05"},
    ]
    commitments: list[dict[str, Any]] = [
        {"limit": 100},
        {"owner": "Tomasz Wieczorek", "status": "open"},
        {"status": "overdue", "as_of": "2026-03-10", "topic": "report"},
        {"due_before": "2026-03-01", "limit": 5, "offset": 2},
    ]
    for asked in decisions:
        near, far = (app.decisions(DecisionsQuestion(**asked), pair.project) for app in (pair.embedded, pair.servers))
        assert near == far
    for asked in commitments:
        near, far = (
            app.commitments(CommitmentsQuestion(**asked), pair.project) for app in (pair.embedded, pair.servers)
        )
        assert near == far
        assert near.items


def test_questions_find_the_same(pair: Pair) -> None:
    """The graded questions of the sample corpus: nine of ten results are the same, and three of four first ones.

    Where the results are the same, so is all that stands beside them.
    """
    graded = json.loads((SAMPLES / "questions.json").read_text(encoding="utf-8"))["graded"]
    shared: list[float] = []
    same_first = same_order = 0
    for asked in graded:
        near, far = answers(pair, Question(query=asked["query"], limit=10))
        ids = [[result["id"] for result in answer["results"]] for answer in (near, far)]
        shared.append(len(set(ids[0]) & set(ids[1])) / max(len(ids[0]), 1))
        same_first += ids[0][:1] == ids[1][:1]
        if ids[0] == ids[1]:
            same_order += 1
            # The best passage of a long item may be another one.
            assert stripped(near, "content", "chunk") == stripped(far, "content", "chunk")
        assert near["total_count"] == pytest.approx(far["total_count"], abs=2)

    assert sum(shared) / len(shared) >= 0.9
    assert same_first >= len(graded) * 3 / 4
    assert same_order > 0


@pytest.fixture
def stores(tmp_path: Path, neo4j_server: Neo4jServer) -> Iterator[tuple[Store, Store]]:
    """One store of each engine."""
    with (
        SqliteStore(tmp_path / "record.db") as near,
        Neo4jStore(neo4j_server.uri, neo4j_server.username, neo4j_server.password) as far,
    ):
        yield near, far


def grown(stores: tuple[Store, Store], project: str, *, items: int, seed: int) -> list[str]:
    """Fill both stores with the same random graph, hubs included; return the ids of its events."""
    chance = random.Random(seed)
    types = get_args(EntityType)
    things = [entity(f"Name{n}", types[n % len(types)], project=project) for n in range(items // 3)]
    ids: list[str] = []
    for number in range(items):
        involved = [things[min(int(chance.expovariate(0.15)), len(things) - 1)] for _ in range(chance.randint(1, 4))]
        involved = list(dict.fromkeys(involved))
        told = f"{' and '.join(one.name for one in involved)} did {number}"
        given = item(told, project=project, stored=STORED_AT + timedelta(minutes=number))
        happened = event(
            given, told, chance.choice(CATEGORIES), actors=involved[:2], subjects=involved[2:],
            event_time=at(chance.randrange(10_000) / 10), confidence=number / items,
        )  # fmt: skip
        for store in stores:
            store.add(given, pieces(given), [])
            assert store.replace(project, given.id, lesson(given, involved, [happened]))
        ids.append(happened.id)
    return ids


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_expansion_over_a_random_graph_is_the_same(stores: tuple[Store, Store], depth: int) -> None:
    """Events, reasons, hops, scores, order and quotes, from any seeds, at any depth."""
    project = f"congruence-{uuid.uuid4().hex[:8]}"
    ids = grown(stores, project, items=80, seed=depth)
    chance = random.Random(depth)
    for _ in range(10):
        seeds = dict.fromkeys(chance.sample(ids, 3), 1.0)
        wanted = chance.sample(CATEGORIES, 4)
        near, far = (
            expand(
                store, project, seeds,
                shown=frozenset(), reach=Reach(wanted, depth, 50), filters=everything(),
            )
            for store in stores
        )  # fmt: skip

        assert near == far
        assert near


def test_words_and_filters_find_the_same_on_random_texts(stores: tuple[Store, Store]) -> None:
    """Which chunks hold a term does not depend on the engine, whatever the filters."""
    project = f"congruence-{uuid.uuid4().hex[:8]}"
    chance = random.Random(9)
    vocabulary = ["running", "Ran", "café", "naïve", "decided", "decision", "2.5", "e-mail", "東京", "the", "will", "x"]
    for number in range(120):
        text = f"{' '.join(chance.choices(vocabulary, k=6))} {number}"
        given = item(text, project=project, source=chance.choice(["a", "b"]), importance=chance.random())
        for store in stores:
            store.add(given, pieces(given), [])
    questions = [everything(), everything(source="a"), everything(source="b", min_importance=0.5)]
    for term in [*vocabulary, "decided decision", "will x", "nothing at all"]:
        for filters in questions:
            near, far = (store.search(project, [term], filters, 500) for store in stores)
            assert {(hit.artifact_id, hit.index) for hit in near} == {(hit.artifact_id, hit.index) for hit in far}, term


def test_candidates_are_the_same(pair: Pair) -> None:
    """All that ranking sees of each chunk: text, author, time, place, terms and embedding."""
    asked = everything()
    places, _ = pair.embedded.store.vectors(pair.project, pair.embedded.embedder.model, asked)
    near, far = (
        {
            (one.artifact_id, one.index): one
            for one in app.store.candidates(pair.project, app.embedder.model, [*places, (places[0][0], 999)], asked)
        }
        for app in (pair.embedded, pair.servers)
    )

    assert len(near) == len(places)
    assert near == far


def test_what_is_around_a_turn_is_the_same(pair: Pair) -> None:
    """From every item, within any reach."""
    near, far = (app.store for app in (pair.embedded, pair.servers))
    ids = {artifact_id for artifact_id, _ in near.vectors(pair.project, pair.embedded.embedder.model, everything())[0]}

    for reach in (0, 1, 3):
        assert {*near.nearby_turns(pair.project, sorted(ids), reach, everything())} == {
            *far.nearby_turns(pair.project, sorted(ids), reach, everything())
        }


def test_term_statistics_and_samples_are_the_same(pair: Pair) -> None:
    """How many chunks have each of the terms of all chunks, and how long these are."""
    near, far = (app.store for app in (pair.embedded, pair.servers))
    model = pair.embedded.embedder.model
    candidates = near.candidates(pair.project, model, near.vectors(pair.project, model, everything())[0], everything())
    terms, _ = unpack_counts([one.terms for one in candidates])
    asked = [*set(terms["term"].tolist()), 0]
    told = near.term_statistics(pair.project, asked)

    assert told == far.term_statistics(pair.project, asked)
    assert dict(told.num_with) == tally([one.terms for one in candidates])[0]
    assert np.array_equal(near.sample(pair.project, model, 20), far.sample(pair.project, model, 20))


def test_one_embedder_is_enough_for_both(pair: Pair) -> None:
    """What the two share is the model: their vectors are those of the same texts."""
    embedder: Embedder = pair.embedded.embedder
    near, far = (
        dict(zip(*app.store.vectors(pair.project, embedder.model, everything()), strict=True))
        for app in (pair.embedded, pair.servers)
    )

    assert near.keys() == far.keys()
    assert all((near[place] == far[place]).all() for place in near)
