"""What only the Neo4j engine promises of jobs and knowledge: what an index bounds, and what is derived."""

import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any, LiteralString

import pytest
from neo4j import Driver, Record

from core.dates import now
from core.knowledge.findings import CATEGORIES, Entity, Event, Evidence, Knowledge, Mention, event_id
from core.records import Artifact
from graph.neo4j_store import Neo4jStore
from graph.neo4j_store.database.connection import Transaction
from graph.sqlite_store import SqliteStore
from graph.store import Store
from tests.contracts.makers import PROJECT, at, entity, event, everything, item, lesson, mention, pieces
from tests.graph.neo4j_raw import Neo4jRaw

MINUTE = timedelta(minutes=1)
#: So many neighbours, jobs or events that reading them all would show.
MANY = 2_000
ANA, BO = entity("Ana"), entity("Bo")


@pytest.fixture
def neo4j_raw(neo4j_driver: Driver) -> Neo4jRaw:
    """Look into the database of the store."""
    return Neo4jRaw(neo4j_driver)


@pytest.fixture
def hits(monkeypatch: pytest.MonkeyPatch, neo4j_driver: Driver) -> Callable[[], Any]:
    """Return what measures how often the statements in a `with` block touch the database, as PROFILE counts it."""
    counted: list[int] = []

    def rows(self: Transaction, statement: LiteralString, /, **parameters: object) -> list[Record]:
        result = self._transaction.run(f"PROFILE {statement}", parameters)
        found = list(result)
        counted.append(_hits(result.consume().profile))
        return found

    def run(self: Transaction, statement: LiteralString, /, **parameters: object) -> None:
        rows(self, statement, **parameters)

    @contextmanager
    def counting() -> Iterator[list[int]]:
        counted.clear()
        # The server itself counts its indexes again, and plans again, some seconds after they have grown.
        neo4j_driver.execute_query("CALL db.prepareForReplanning()")
        with monkeypatch.context() as patch:
            patch.setattr(Transaction, "rows", rows)
            patch.setattr(Transaction, "run", run)
            yield counted

    return counting


def _hits(plan: dict[str, Any] | None) -> int:
    if plan is None:
        return 0
    return int(plan.get("dbHits", 0)) + sum(_hits(child) for child in plan.get("children", []))


def with_knowledge(store: Store, content: str, *entities: Entity, **fields: Any) -> Artifact:
    """Add an item that names these entities."""
    given = item(content, **fields)
    store.add(given, pieces(given), [])
    store.replace(PROJECT, given.id, lesson(given, entities))
    return given


def make_hub(store: Store, driver: Driver) -> Artifact:
    """Have Ana act in many decisions, and be named by as many items."""
    decided = with_knowledge(store, "Ana decided", ANA)
    driver.execute_query(
        """MATCH (a:Artifact {project_id: $project_id, id: $artifact}), (e:Entity {project_id: $project_id, id: $ana})
        UNWIND range(1, $many) AS n
        CREATE (v:Event:Decision {project_id: $project_id, id: 'evt_' + n, category: 'Decision', summary: 'decided',
            name: 'decided', confidence: 0.5, weight: n, event_time: datetime({epochSeconds: n * 86400}),
            listed_at: datetime({epochSeconds: n * 86400})})
        CREATE (v)-[:EVIDENCED_BY {quote: 'decided', start_char: 4, end_char: 11, position: 0}]->(a)
        CREATE (e)-[:ACTED_IN {role: 'owner', position: 0, weight: n, hub: $hub}]->(v)
        CREATE (o:Artifact {project_id: $project_id, id: 'art_' + n, fingerprint: 'f' + n, number: 100 + n})
        CREATE (o)-[:NAMES {name: 'Ana', aliases: [], starts: [], ends: [], number: 100 + n,
            happened_at: a.happened_at}]->(e)""",
        {"project_id": PROJECT, "artifact": decided.id, "ana": ANA.id, "many": MANY},
        hub=f"{PROJECT}/{ANA.id}/Decision",
    )
    return decided


def test_the_steps_of_a_hub_cost_no_more_than_their_cap(
    neo4j_store: Neo4jStore, neo4j_driver: Driver, hits: Callable[[], Any]
) -> None:
    """They are read from the index in the order of their weight, not sorted."""
    make_hub(neo4j_store, neo4j_driver)
    with hits() as counted:
        links = neo4j_store.links(PROJECT, [ANA.id], ["Decision", "Commitment"], 20)

    assert [link.target for link in links] == [f"evt_{n}" for n in range(MANY, MANY - 20, -1)]
    assert sum(counted) < 100


def test_listed_events_are_read_in_the_order_of_the_list(
    neo4j_store: Neo4jStore, neo4j_driver: Driver, hits: Callable[[], Any]
) -> None:
    """A page costs what stands on it and before it, however many events there are."""
    make_hub(neo4j_store, neo4j_driver)
    with hits() as counted:
        events = neo4j_store.list_events(PROJECT, CATEGORIES, everything(), 10)

    assert [one.id for one in events] == [f"evt_{n}" for n in range(MANY, MANY - 10, -1)]
    assert sum(counted) < 800


def test_the_first_mention_of_a_hub_does_not_read_its_other_mentions(
    neo4j_store: Neo4jStore, neo4j_driver: Driver, hits: Callable[[], Any]
) -> None:
    """Nor does the same lesson once more: else a person whom everything names would slow every extraction."""
    make_hub(neo4j_store, neo4j_driver)
    given = item("Ana and Bo met")
    neo4j_store.add(given, pieces(given), [])
    knowledge = lesson(given, [ANA, BO], [event(given, "met", "Collaboration", actors=[ANA, BO])])
    for _ in range(2):
        with hits() as counted:
            neo4j_store.replace(PROJECT, given.id, knowledge)
        assert sum(counted) < MANY / 2


def test_forgetting_an_item_does_not_read_all_names_of_a_hub(
    neo4j_store: Neo4jStore, neo4j_driver: Driver, hits: Callable[[], Any]
) -> None:
    """A person of one name, whom everything names, is called the same afterwards."""
    make_hub(neo4j_store, neo4j_driver)
    given = with_knowledge(neo4j_store, "Ana came", ANA)
    with hits() as counted:
        neo4j_store.remove(PROJECT, [given.id])

    assert sum(counted) < MANY / 2


def test_a_claim_reads_no_more_jobs_than_it_takes(
    neo4j_store: Neo4jStore, neo4j_driver: Driver, hits: Callable[[], Any]
) -> None:
    """Not those of another project that wait behind the oldest, nor those that are done."""
    neo4j_driver.execute_query(
        """UNWIND range(1, $many) AS n CREATE (j:Job {project_id: CASE n WHEN 1 THEN $project_id ELSE 'other' END,
            id: 'art_' + n + ':embed', artifact_id: 'art_' + n, kind: 'embed', number: n, num_chunks: 1,
            state: 'pending', attempts: 0, due_at: datetime({epochSeconds: 1})})""",
        {"project_id": PROJECT, "many": MANY},
    )
    for expected in ([1], list(range(2, 12))):
        with hits() as counted:
            jobs = neo4j_store.claim(["extract", "embed"], 10, MINUTE, "w")
        neo4j_store.complete(jobs)
        assert [job.id for job in jobs] == expected
        assert sum(counted) < 400


def test_a_late_word_never_meets_a_new_claim(neo4j_store: Neo4jStore) -> None:
    """Of a worker whose lease ran out and one that claims at the same moment, one has the job."""
    given = item("one")
    neo4j_store.add(given, pieces(given), ["embed"])
    with ThreadPoolExecutor(2) as pool:
        for _ in range(10):
            late = neo4j_store.claim(["embed"], 1, timedelta(0), "late")
            claim = pool.submit(neo4j_store.claim, ["embed"], 1, MINUTE, "quick")
            pool.submit(neo4j_store.complete, late).result()
            held = claim.result()
            assert neo4j_store.job_reports(PROJECT, given.id)[0].state == ("running" if held else "done")
            neo4j_store.queue(PROJECT, [given.id], "embed")


def test_a_lease_begins_when_the_job_is_taken(neo4j_store: Neo4jStore, neo4j_driver: Driver) -> None:
    """Not when the worker began to wait for somebody who changes it."""
    given = item("one")
    neo4j_store.add(given, pieces(given), ["embed"])
    blocked = "SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked' RETURN count(*) AS number"
    with ThreadPoolExecutor(1) as pool, neo4j_driver.session() as session:
        with session.begin_transaction() as changing:
            changing.run("MATCH (j:Job) SET j.num_chunks = 1").consume()
            claim = pool.submit(neo4j_store.claim, ["embed"], 1, MINUTE, "w")
            end = time.monotonic() + 60
            while not neo4j_driver.execute_query(blocked).records[0]["number"]:
                assert time.monotonic() < end, "nobody waits for the job"
            changed_at = now()
            changing.commit()
        assert len(claim.result()) == 1

    [[due_at]] = neo4j_driver.execute_query("MATCH (j:Job) RETURN j.due_at").records
    assert due_at.to_native() >= changed_at + MINUTE


def test_workers_that_finish_the_same_erasure_at_once_all_may(neo4j_store: Neo4jStore) -> None:
    """The job disappears under the others, which is no error."""
    given = item("one")
    neo4j_store.add(given, pieces(given), [])
    neo4j_store.remove(PROJECT, [given.id])
    jobs = neo4j_store.claim(["erase"], 1, MINUTE, "w")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: neo4j_store.complete(jobs), range(8)))

    assert neo4j_store.job_counts().pending == 0


def test_a_long_item_mentions_entities_where_they_stand(neo4j_store: Neo4jStore, neo4j_raw: Neo4jRaw) -> None:
    """Thousands of chunks and mentions are written in slices; chunks written again mention again."""
    given = item("Ana. " * 3_000, num_chunks=1_500)
    chunks = pieces(given, size=12, overlap=2)
    neo4j_store.add(given, chunks, [])
    spans = tuple(Mention(ANA.id, given.id, start, start + 3) for start in range(0, 15_000, 5))
    neo4j_store.replace(PROJECT, given.id, Knowledge((ANA,), spans))

    assert len(neo4j_store.mentions(PROJECT, [ANA.id], everything(), 5_000)) == len(chunks)
    assert neo4j_store.entities(PROJECT, [ANA.id])[ANA.id].mention_count == 3_000
    neo4j_store.rechunk(PROJECT, given.id, pieces(given, size=5_000))
    assert len(neo4j_store.mentions(PROJECT, [ANA.id], everything(), 5_000)) == 3
    neo4j_raw.check()


def test_an_entity_that_stands_twice_in_an_event_is_one_step(neo4j_store: Neo4jStore, neo4j_raw: Neo4jRaw) -> None:
    """Both its roles are kept; a hub's cap counts it once."""
    given = with_knowledge(neo4j_store, "Ana decided", ANA)
    decided = event(given, "decided", actors=[ANA, ANA])
    roles = (decided.actors[0], replace(decided.actors[1], role="reviewer"))
    decided = replace(decided, actors=roles, status="current")
    neo4j_store.replace(PROJECT, given.id, lesson(given, [ANA], [decided]))

    assert neo4j_store.events(PROJECT, [decided.id]) == {decided.id: decided}
    assert len(neo4j_store.links(PROJECT, [ANA.id, decided.id], ["Decision", "person"], 9)) == 2
    assert neo4j_raw.steps() == 2
    neo4j_raw.check()


@pytest.mark.parametrize("seed", range(2))
def test_both_engines_learn_the_same(neo4j_store: Neo4jStore, neo4j_raw: Neo4jRaw, store: Store, seed: int) -> None:
    """Lessons, edits and removals in any order leave the same knowledge, and Neo4j derives its parts rightly."""
    assert isinstance(store, SqliteStore)
    chance, items = random.Random(seed), [_written(n) for n in range(8)]
    for step in range(30):
        given, action = chance.choice(items), chance.choice(["add", "add", "learn", "learn", "learn", "remove"])
        knowledge = _lesson(chance, given)
        gone = [one.id for one in chance.sample(items, chance.randint(1, 3))]
        stored = store.get(PROJECT, [one.id for one in items])
        knowledge = replace(knowledge, events=tuple(_resting(one, stored) for one in knowledge.events))
        for one in (store, neo4j_store):
            if action == "add":
                again = replace(given, updated_at=at(step))
                one.add(again, pieces(again, size=12, overlap=3), [])
            elif action == "learn":
                one.replace(PROJECT, given.id, knowledge)
            else:
                one.remove(PROJECT, gone)
        assert _seen(neo4j_store, items) == _seen(store, items)
    neo4j_raw.check()


NAMES = ("Ana", "Bo", "Cy", "Dee")


def _written(number: int) -> Artifact:
    """Return an item that names everyone; some share a key."""
    content = f"Ana Bo Cy Dee decided {number} and feared {number}"
    return item(content, key=f"k{number % 2}" if number < 5 else None, date=f"2026-01-{number // 2 + 1:02d}")


def _lesson(chance: random.Random, given: Artifact) -> Knowledge:
    """Return what an extractor may find, this time."""
    roles, aliases = [None, "CTO", "Cook"], [(), ("Annie",), ("Annie", "A.")]
    known = {name: entity(name, role=chance.choice(roles), organization=chance.choice(roles)) for name in NAMES}
    entities = [
        replace(known[name], name=chance.choice([name, f"{name} Li"]), aliases=chance.choice(aliases))
        for name in chance.sample(NAMES, chance.randint(0, 4))
    ]
    events = []
    for quote, category in (("decided", CATEGORIES[2]), ("feared", CATEGORIES[4]), ("and", CATEGORIES[0])):
        if chance.random() < 0.6:
            people = chance.sample(entities, chance.randint(0, len(entities)))
            told = event(given, quote, category, actors=people[:2], subjects=people[1:], confidence=chance.random())
            elsewhere = Evidence(_written(chance.randrange(8)).id, "Ana", 0, 3)
            # One event in two places has one id, whichever item it is learned from.
            shared = event_id(PROJECT, "art_0", category, 0, chance.randrange(3))
            told = replace(told, id=chance.choice([told.id, shared]), event_time=chance.choice([None, at(-1), at(-2)]))
            events.append(replace(told, evidence=(*told.evidence, elsewhere)))
    spots = tuple(mention(known[name], given) for name in NAMES if known[name].id in {one.id for one in entities})
    return Knowledge(tuple(entities), spots, tuple({one.id: one for one in events}.values()))


def _resting(told: Event, stored: dict[str, Artifact]) -> Event:
    """Return an event without the evidence in what is not stored."""
    proven = tuple(proof for proof in told.evidence[1:] if proof.artifact_id in stored)
    return replace(told, evidence=(told.evidence[0], *proven))


def _seen(store: Store, items: list[Artifact]) -> list[object]:
    """Return all that the reading methods say, without the order where none is promised."""
    ids, people = [one.id for one in items], [entity(name).id for name in NAMES]
    told = store.events_of(PROJECT, ids)
    events = sorted({one.id for listed in told.values() for one in listed})
    links = store.links(PROJECT, [*people, *events], ["person", *CATEGORIES], 50)
    return [
        store.entities(PROJECT, people),
        store.events(PROJECT, events),
        {id_: sorted(one.id for one in listed) for id_, listed in told.items()},
        store.list_events(PROJECT, CATEGORIES, everything(), 50),
        sorted((link.source, link.target, link.relation, link.kind, round(link.weight, 9)) for link in links),
        store.entities_by_name(PROJECT, ["ana", "ana li", "annie", "a", "bo", "cy li"]),
        store.mentions(PROJECT, people, everything(), 50),
        store.entities_of(PROJECT, ids, 10),
        store.counts(PROJECT),
    ]
