"""What every engine promises to those who read while others write."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count, takewhile

import pytest

from core.knowledge.findings import CATEGORIES, Entity, Event, Link
from core.records import Artifact
from graph.store import Store
from tests.contracts.makers import PROJECT, entity, event, everything, item, lesson, pieces

#: How long writers write, in seconds; a first round may take longer on a busy machine.
WRITING = 2.0


def rounds() -> Iterator[int]:
    """Count rounds until the time is up, at least one."""
    end = time.monotonic() + WRITING
    return takewhile(lambda number: number == 0 or time.monotonic() < end, count())


def write(store: Store, given: Artifact, people: list[Entity], events: list[Event]) -> None:
    """Store an item and its knowledge."""
    store.add(given, pieces(given, size=20), ["embed", "extract"])
    store.replace(PROJECT, given.id, lesson(given, people, events))


def read_until_written(writer: Callable[[], None], readers: list[Callable[[], None]]) -> None:
    """Run every reader over and over, each in a thread of its own, until the writer is done, and once more."""
    with ThreadPoolExecutor(1 + len(readers)) as pool:
        written = pool.submit(writer)

        def read(reader: Callable[[], None]) -> None:
            while not written.done():
                reader()
            reader()

        for reading in [pool.submit(read, reader) for reader in readers]:
            reading.result()
        written.result()


class ReadersContract:
    """Takes the fixture `store` (empty)."""

    @pytest.mark.exhaustive
    def test_readers_see_whole_things_while_others_come_and_go(self, store: Store) -> None:
        """What stays is seen all the time, as it is; what comes and goes is whole or not there."""
        ana, bo = entity("Ana"), entity("Bo")
        steady = item("Ana decided to stay", key="steady", conversation_id="c", turn_index=0)
        decided = event(steady, "decided", actors=[ana], subjects=[ana], status="current")
        knowledge = lesson(steady, [ana], [decided])
        write(store, steady, [ana], [decided])
        passing = [item(f"Ana and Bo decided number {n}", conversation_id="c", turn_index=n) for n in range(1, 500)]
        others = [[ana, bo, *(entity(f"Guest {n} {m}") for m in range(20))] for n in range(len(passing))]
        told = [[event(one, quote, actors=[ana, bo]) for quote in one.memory.content.split()] for one in passing]
        ids, events = [one.id for one in passing], [one.id for listed in told for one in listed]
        people = [one.id for listed in others for one in listed]

        def come_and_go() -> None:
            for number in rounds():
                write(store, passing[number], others[number], told[number])
                store.replace(PROJECT, steady.id, knowledge)
                if number % 3 == 2:
                    store.remove(PROJECT, ids[number - 2 : number + 1])

        def read_items() -> None:
            assert store.get(PROJECT, [steady.id, *ids])[steady.id] == steady
            assert steady in store.newest(PROJECT, everything(), 500)
            assert steady in [one for batch in store.each(PROJECT, batch=5) for one in batch]
            assert steady in store.turns(PROJECT, "c", everything(), 500, 0)
            assert steady.id in store.conversation_ids(PROJECT, "c")
            assert store.by_key(PROJECT, "steady", everything()) == [steady]
            assert store.recent_keys(PROJECT, 5) == ["steady"]

        def read_text() -> None:
            assert len(store.chunks(PROJECT, [steady.id, *ids])[steady.id]) == 1
            assert steady.id in {hit.artifact_id for hit in store.search(PROJECT, ["decided"], everything(), 500)}
            assert {report.kind for report in store.job_reports(PROJECT, steady.id)} == {"embed", "extract"}
            for one in ids[:20]:
                assert all(report.state == "pending" for report in store.job_reports(PROJECT, one))

        def read_events() -> None:
            found = store.events(PROJECT, [decided.id, *events])
            assert found[decided.id] == decided
            assert all(one.evidence and one.id == id_ for id_, one in found.items())
            assert store.events_of(PROJECT, [steady.id, *ids])[steady.id] == [decided]
            assert decided in store.list_events(PROJECT, CATEGORIES, everything(), 500)

        def read_entities() -> None:
            assert store.entities(PROJECT, people)[ana.id].name == "Ana"
            assert [one.name for one in store.entities_by_name(PROJECT, ["ana", "bo"])["ana"]] == ["Ana"]
            assert ana.id in {one.id for one in store.entities_of(PROJECT, [steady.id, *ids], 5)}
            hits = store.mentions(PROJECT, [ana.id, bo.id], everything(), 500)
            assert steady.id in {hit.artifact_id for hit in hits}

        def read_links() -> None:
            links = store.links(PROJECT, [ana.id, bo.id, decided.id, *events[:20]], ["Decision", "person"], 500)
            assert all(isinstance(link.target, str) for link in links)
            assert Link(decided.id, ana.id, "ACTED_IN", "person", 1.0) in links
            assert (ana.id, decided.id) in {(link.source, link.target) for link in links}
            counts = store.counts(PROJECT)
            assert min(counts.artifacts, counts.events, counts.entities) >= 1

        read_until_written(come_and_go, [read_items, read_text, read_events, read_entities, read_links])

    @pytest.mark.exhaustive
    def test_a_key_has_an_item_while_it_is_replaced(self, store: Store) -> None:
        """Whoever reads it finds the one before or the one after, however long storing that takes."""
        texts = ["zebra " * 350_000 + str(number) for number in range(2)]
        given = [item(text, key="plan") for text in texts]
        cut = [pieces(one, size=2_000) for one in given]
        store.add(given[0], cut[0], [])

        def replace_over_and_over() -> None:
            for number in rounds():
                store.add(given[(number + 1) % 2], cut[(number + 1) % 2], [])

        def read() -> None:
            [found] = store.by_key(PROJECT, "plan", everything())
            assert found.id in {one.id for one in given}
            assert found.replaced_by is None

        read_until_written(replace_over_and_over, [read, read])
