"""What every engine promises when several threads and processes share one store."""

import multiprocessing
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

import pytest

from core.records import Added
from graph.store import Store
from graph.text.term_vectors import word_counts
from graph.writers import indexed_chunks
from tests.contracts.makers import PROJECT, entity, event, everything, item, lesson, pieces
from tests.contracts.raw import Raw

#: Opens the store of a test once more; it can be sent to another process.
Opener = Callable[[], Store]
MINUTE = timedelta(minutes=1)
_SPAWN = multiprocessing.get_context("spawn")


def add_numbered(opener: Opener, pipe: Connection, name: str, numbers: range) -> None:
    """Add an item a number, then answer with what `add` returned. Runs in another process."""
    with opener() as store:
        pipe.send("ready")
        pipe.recv()
        for number in numbers:
            given = item(f"{name} number {number}")
            pipe.send(store.add(given, pieces(given), ["embed"]))
    pipe.send("done")


def claim_all(opener: Opener, pipe: Connection, name: str) -> None:
    """Claim and complete jobs until none is left, and answer with their ids. Runs in another process."""
    with opener() as store:
        pipe.send("ready")
        pipe.recv()
        ids: list[int] = []
        while jobs := store.claim(["embed"], 3, MINUTE, name):
            ids += [job.id for job in jobs]
            store.complete(jobs)
        pipe.send(ids)


@contextmanager
def running(task: Callable[..., None], opener: Opener, *values: object) -> Iterator[tuple[BaseProcess, Connection]]:
    """Run a task in another process, which has said "ready" and waits for a word; end it afterwards."""
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=task, args=(opener, theirs, *values), daemon=True)
    process.start()
    theirs.close()
    try:
        assert heard(ours) == "ready"
        yield process, ours
    finally:
        process.kill()
        process.join(5)
        process.close()
        ours.close()


def heard(pipe: Connection, seconds: float = 30) -> object:
    """Return the next word from another process; starting one takes seconds on a busy machine."""
    assert pipe.poll(seconds), "the other process said nothing"
    return pipe.recv()


def words_until_done(pipe: Connection) -> list[object]:
    """Return all that another process says before "done"."""
    said: list[object] = []
    while (word := heard(pipe)) != "done":
        said.append(word)
    return said


class ConcurrencyContract:
    """Takes the fixtures `store` (empty), `raw` and `reopen`."""

    def test_threads_add_search_and_remove_side_by_side(self, store: Store, raw: Raw) -> None:
        """Every add is acknowledged once, every reader sees whole items, and what is left is sound."""

        def work(name: int) -> list[Added]:
            done = []
            for number in range(12):
                given = item(f"shared word {name} {number}")
                done.append(store.add(given, pieces(given), ["embed"]))
                ids = [hit.artifact_id for hit in store.search(PROJECT, ["shared"], everything(), 20)]
                assert all(one.memory.content.startswith("shared") for one in store.get(PROJECT, ids).values())
                if number % 3 == 0:
                    store.remove(PROJECT, [done[-1].artifact_id])
            return done

        with ThreadPoolExecutor(12) as pool:
            added = [one for done in pool.map(work, range(12)) for one in done]

        assert len({one.artifact_id for one in added}) == len(added) == 144
        assert store.count(PROJECT, everything()) == 144 - 48
        raw.check()

    def test_threads_that_add_the_same_thing_store_it_once(self, store: Store) -> None:
        """One of them stores it, the others find a duplicate, and all are counted."""
        given = item("the same")
        barrier = threading.Barrier(8)

        def work(_: int) -> str:
            barrier.wait(60)
            return store.add(given, pieces(given), ["embed"]).status

        with ThreadPoolExecutor(8) as pool:
            statuses = sorted(pool.map(work, range(8)))

        assert statuses == ["duplicate"] * 7 + ["stored"]
        assert store.get(PROJECT, [given.id])[given.id].frequency == 8

    def test_nobody_waits_while_the_words_of_a_long_text_are_counted(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Others write to the same project before each of its parts is read, which is done once."""
        given = item("Each of the tide tables names the harbour. " * 50)
        counted = list[str]()

        def counting_beside_a_write(text: str) -> Counter[str]:
            if text in given.memory.content:
                counted.append(text)
                other = item(f"other note {len(counted)}")
                pool.submit(store.add, other, pieces(other), ["embed"]).result(60)
            return word_counts(text)

        monkeypatch.setattr(indexed_chunks, "word_counts", counting_beside_a_write)
        parts = pieces(given, size=500)
        with ThreadPoolExecutor(1) as pool:
            store.add(given, parts, ["embed"])
            store.rechunk(PROJECT, given.id, parts)

        assert counted == [part.text for part in parts] * 2
        assert {hit.artifact_id for hit in store.search(PROJECT, ["harbour"], everything(), 20)} == {given.id}

    def test_threads_never_share_a_job(self, store: Store) -> None:
        """All jobs are claimed, each by one."""
        for number in range(60):
            given = item(f"item {number}")
            store.add(given, pieces(given), ["embed"])

        def work(name: int) -> list[int]:
            ids = []
            while jobs := store.claim(["embed"], 4, MINUTE, f"thread {name}"):
                ids += [job.id for job in jobs]
            return ids

        with ThreadPoolExecutor(8) as pool:
            claimed = [id_ for ids in pool.map(work, range(8)) for id_ in ids]

        assert len(claimed) == len(set(claimed)) == 60

    def test_of_threads_that_claim_a_marker_one_gets_it(self, store: Store) -> None:
        """All are told which; the next round is decided among those who know what it was."""
        former: str | None = None
        for number in range(5):
            names = [f"{number}.{thread}" for thread in range(8)]
            with ThreadPoolExecutor(8) as threads:
                told = set(
                    threads.map(lambda name, was=former: store.compare_and_set("m", name, instead_of=was), names)
                )
            former = store.metadata_value("m")
            assert told == {former}
            assert former in names

    def test_threads_that_store_the_same_names_lose_no_mention(self, store: Store) -> None:
        """Counts, names and steps are those of all items together."""
        ana = entity("Ana")
        given = [item(f"Ana decided {n}") for n in range(24)]

        def work(n: int) -> None:
            store.add(given[n], pieces(given[n]), [])
            told = event(given[n], f"decided {n}", actors=[ana])
            assert store.replace(PROJECT, given[n].id, lesson(given[n], [ana], [told]))

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(24)))

        assert store.entities(PROJECT, [ana.id])[ana.id].mention_count == 24
        assert len(store.links(PROJECT, [ana.id], ["Decision"], 50)) == 24

    def test_two_processes_write_one_store(self, store: Store, raw: Raw, reopen: Opener) -> None:
        """Adding the same and other things at once: each thing is stored by one of the two, and nothing is lost."""
        with (
            running(add_numbered, reopen, "same", range(40)) as (_, one),
            running(add_numbered, reopen, "same", range(39, -1, -1)) as (_, two),
        ):
            one.send("go")
            two.send("go")
            answers = [word for pipe in (one, two) for word in words_until_done(pipe)]

        statuses = sorted(word.status for word in answers if isinstance(word, Added))
        assert statuses == ["duplicate"] * 40 + ["stored"] * 40
        assert store.count(PROJECT, everything()) == len(store.search(PROJECT, ["same"], everything(), 100)) == 40
        assert {one.frequency for one in store.newest(PROJECT, everything(), 100)} == {2}
        raw.check()

    def test_two_processes_never_share_a_job(self, store: Store, reopen: Opener) -> None:
        """All jobs are claimed, each by one."""
        for number in range(60):
            given = item(f"item {number}")
            store.add(given, pieces(given), ["embed"])
        with (
            running(claim_all, reopen, "one") as (_, one),
            running(claim_all, reopen, "two") as (_, two),
        ):
            one.send("go")
            two.send("go")
            claimed = [id_ for pipe in (one, two) for id_ in _ids(heard(pipe))]

        assert len(claimed) == len(set(claimed)) == 60
        assert store.job_counts().pending == 0

    def test_what_was_acknowledged_survives_a_kill(self, store: Store, raw: Raw, reopen: Opener) -> None:
        """A process killed while it writes loses nothing it was told was stored, and leaves the store sound."""
        with running(add_numbered, reopen, "doomed", range(100_000)) as (process, pipe):
            pipe.send("go")
            acknowledged = [heard(pipe) for _ in range(60)]
            process.kill()
            process.join(5)
            acknowledged += _rest(pipe)

        ids = [one.artifact_id for one in acknowledged if isinstance(one, Added)]
        assert len(ids) == len(acknowledged) >= 60
        with reopen() as again:
            assert set(again.get(PROJECT, ids)) == set(again.chunks(PROJECT, ids)) == set(ids)
            found = {hit.artifact_id for hit in again.search(PROJECT, ["doomed"], everything(), 200_000)}
            assert set(ids) <= found
            assert again.job_counts().pending == len(found) == again.count(PROJECT, everything())
        raw.check()


def _ids(word: object) -> list[int]:
    assert isinstance(word, list)
    return word


def _rest(pipe: Connection) -> list[object]:
    """Return what was said before the end of a process that is no more."""
    said: list[object] = []
    try:
        while pipe.poll(0):
            said.append(pipe.recv())
    except EOFError:
        pass
    return said
