"""What a user may rely on when the background works: nothing is lost, and no failure stops the rest."""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from core.dates import now
from core.errors import Conflict, InvalidInput, Unavailable
from core.filters import Filters
from core.interface.memory import Memory
from core.knowledge.findings import NOTHING, Extraction, FoundEvent
from core.records import Artifact, JobReport
from core.search import IndexEntry, UnitKind, VectorIndex, Vectors
from core.timing import FOREGROUND_CALLS, MAX_ATTEMPTS
from graph.store import Store
from graph.vector_checks import switch_model
from ingest import worker as worker_module
from ingest.document.evidence import Verified
from ingest.extract.repeated_text import RepeatedText, Sentence
from ingest.indexing import indexer as indexer_module
from ingest.indexing.indexer import Indexer
from ingest.intake.artifacts import remember
from ingest.runs.pipeline import TextWorkHere
from ingest.worker import Worker
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.vectors import ChromaIndex
from tests.eventually import eventually
from tests.shipped import assembled

PROJECT = "default"


@dataclass
class FailingIndex:
    """A real index that raises `error` while it is set, and calls `before_upsert` in front of each write."""

    real: VectorIndex
    error: Exception | None = None
    before_upsert: Callable[[], None] = lambda: None
    asked: int = 0

    def _answer(self) -> VectorIndex:
        if self.error is not None:
            raise self.error
        return self.real

    def upsert(self, project_id: str, kind: UnitKind, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        self.before_upsert()
        self._answer().upsert(project_id, kind, entries, vectors)

    def delete(self, project_id: str, chunk_ids: Sequence[str]) -> None:
        self._answer().delete(project_id, chunk_ids)

    def search(self, project_id: str, vector: Vectors, limit: int) -> list[tuple[str, float]]:
        return self._answer().search(project_id, vector, limit)

    def entries(self, project_id: str, chunk_ids: Sequence[str], *, texts: bool = True) -> dict[str, IndexEntry]:
        return self._answer().entries(project_id, chunk_ids, texts=texts)

    def ids(self, project_id: str) -> set[str]:
        return self._answer().ids(project_id)

    def holds(self, project_id: str) -> bool:
        return self._answer().holds(project_id)

    def held(self) -> Mapping[tuple[str, str], int]:
        return self._answer().held()

    def discard(self, project_id: str, model: str) -> None:
        self._answer().discard(project_id, model)

    def drop(self, project_id: str) -> None:
        self._answer().drop(project_id)

    def reset(self) -> str | None:
        return self._answer().reset()

    def ping(self) -> str:
        self.asked += 1
        return self._answer().ping()

    def close(self) -> None:
        self.real.close()


@dataclass
class FailingEmbedder:
    """The real embedder, but it refuses texts that hold `poison`, and does not answer while `away`."""

    real: LocalEmbedder
    poison: str = "poison"
    away: bool = False
    during: Callable[[], None] = lambda: None
    model: str = LocalEmbedder.model
    dimension: int = LocalEmbedder.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.away:
            raise Unavailable("The embedder is away: try again.")
        if any(self.poison in text for text in texts):
            raise InvalidInput("The text is poison: leave it out.")
        made = self.real.embed(texts)
        self.during()
        return made

    def close(self) -> None:
        self.real.close()


@dataclass
class OneEvent:
    """An extractor that finds one decision in anything but poison."""

    name: str = "one event"

    def extract(self, artifact: Artifact) -> Extraction:
        content = artifact.memory.content
        if "poison" in content:
            raise ValueError("poison")
        return Extraction(events=(FoundEvent("Decision", content, content, 0),))


@dataclass
class Bench:
    """A worker over real stores, and what it can be disturbed with."""

    store: Store
    index: FailingIndex
    embedder: FailingEmbedder
    worker: Worker

    def remember(self, content: str, project_id: str = PROJECT, **fields: str) -> str:
        memory = Memory.from_fields(content, fields)
        return remember(memory, project_id, self.store, self.embedder.real.tokenizer).added.artifact_id

    def report(self, artifact_id: str, kind: str = "embed") -> JobReport:
        return next(report for report in self.store.job_reports(PROJECT, artifact_id) if report.kind == kind)

    def vectors(self) -> set[str]:
        return {chunk_id.partition(":")[0] for chunk_id in self.index.real.ids(PROJECT)}


@pytest.fixture
def bench(store: Store, index: ChromaIndex, embedder: LocalEmbedder, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A worker whose failed jobs are due again at once."""
    failing_index, failing_embedder = FailingIndex(index), FailingEmbedder(embedder)
    worker = Worker(store, Indexer(store, failing_index, failing_embedder, embedder.tokenizer), OneEvent())
    monkeypatch.setattr(worker_module, "next_attempt_at", lambda attempts: now() + timedelta(milliseconds=30))
    return Bench(store, failing_index, failing_embedder, worker)


# Doing the work


@pytest.mark.both_engines
def test_what_is_remembered_gets_vectors_and_knowledge(bench: Bench) -> None:
    """docs/interface.md `remember`: embedding and extraction follow in the background."""
    first, second = bench.remember("The harbour opens at nine."), bench.remember("Boats need a permit.")
    done: list[int] = []
    bench.worker.drain(done.append)
    assert bench.vectors() == {first, second}
    assert [bench.report(first, kind).state for kind in ("embed", "extract")] == ["done", "done"]
    assert len(bench.store.events_of(PROJECT, [first])[first]) == 1
    assert sum(done) >= 4  # an item that is left for later is taken up again
    assert bench.store.job_counts().pending == 0


def test_a_long_item_is_told_of_in_parts(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many of its chunks are embedded, before each batch of them."""
    monkeypatch.setattr(indexer_module, "_BATCH_CHUNKS", 4)
    bench.remember(" ".join(f"The harbour opens at nine on day {number}." for number in range(400)))
    told: list[tuple[int, int]] = []
    bench.worker.drain(tell=lambda done, total: told.append((done, total)))
    [total] = {total for _, total in told}
    assert total > 8
    assert [done for done, _ in told] == list(range(0, total, 4))


def test_vectors_wait_for_calls_that_are_answered_and_hold_nothing_meanwhile(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writing them would keep the call waiting; and `forget`, which is such a call, needs the lock of a write."""
    monkeypatch.setattr(indexer_module, "_LONGEST_WAIT", 60.0)
    waiting, give_way = threading.Event(), FOREGROUND_CALLS.wait_until_idle

    def noted(most_seconds: float) -> None:
        waiting.set()
        give_way(most_seconds)

    monkeypatch.setattr(FOREGROUND_CALLS, "wait_until_idle", noted)
    artifact_id = bench.remember("The harbour opens at nine.")
    with FOREGROUND_CALLS.count_call():
        bench.worker.start()
        assert waiting.wait(30)
        assert bench.vectors() == set()
        assert bench.worker.indexer.lock.acquire(timeout=30)
        bench.worker.indexer.lock.release()
    eventually(lambda: bench.vectors() == {artifact_id})
    bench.worker.stop()


def test_projects_are_worked_on_together_and_stay_apart(bench: Bench) -> None:
    """One claim has one project; the next takes the other."""
    bench.remember("The harbour opens at nine.")
    other = bench.remember("Boats need a permit.", "other")
    bench.worker.drain()
    assert other not in bench.vectors()
    assert bench.index.ids("other") == {f"{other}:0"}


def test_a_started_worker_takes_up_what_is_queued_later(bench: Bench) -> None:
    """It is woken, or looks by itself; stopping it twice is no error."""
    bench.worker.start()
    try:
        artifact_id = bench.remember("The harbour opens at nine.")
        bench.worker.wake()
        eventually(lambda: bench.store.job_counts().pending == 0)
        assert bench.vectors() == {artifact_id}
    finally:
        bench.worker.stop()
        bench.worker.stop()


# Failures


def test_jobs_that_wait_for_a_service_are_never_parked(bench: Bench) -> None:
    """An embedder that is away for a day must not cost a single vector."""
    artifact_id = bench.remember("The harbour opens at nine.")
    bench.embedder.away = True
    eventually(lambda: bench.report(artifact_id).attempts > MAX_ATTEMPTS + 1, bench.worker.drain)
    report = bench.report(artifact_id)
    assert (report.state, report.error) == ("pending", "The embedder is away: try again.")
    assert bench.report(artifact_id, "extract").state == "done"
    bench.embedder.away = False
    eventually(lambda: bench.report(artifact_id).state == "done", bench.worker.drain)
    assert bench.vectors() == {artifact_id}


@pytest.mark.both_engines
def test_one_bad_item_does_not_stop_the_others(bench: Bench) -> None:
    """Items are embedded in batches; the one that spoils it is parked with its reason, the rest is done."""
    good = {bench.remember("The harbour opens at nine."), bench.remember("Boats need a permit.")}
    bad = bench.remember("This one is poison.")
    bench.worker.drain()
    assert bench.vectors() == good
    eventually(lambda: bench.report(bad).state == "failed", bench.worker.drain)
    assert bench.report(bad) == JobReport("embed", "failed", MAX_ATTEMPTS, "The text is poison: leave it out.")
    eventually(lambda: bench.report(bad, "extract").state == "failed", bench.worker.drain)
    assert bench.report(bad, "extract") == JobReport("extract", "failed", MAX_ATTEMPTS, "ValueError: poison")
    assert bench.store.job_counts(PROJECT).failed == 2


def test_a_parked_job_is_done_when_it_is_queued_again(bench: Bench) -> None:
    """`reindex` gives failed items another chance, with all attempts."""
    bad = bench.remember("This one is poison.")
    eventually(lambda: bench.report(bad).state == "failed", bench.worker.drain)
    bench.embedder.poison = "nothing any more"
    bench.store.queue(PROJECT, [bad], "embed")
    bench.worker.drain()
    assert bench.report(bad) == JobReport("embed", "done", 1)
    assert bench.vectors() == {bad}


@pytest.mark.exhaustive
@pytest.mark.both_engines
def test_the_jobs_of_a_worker_that_was_killed_are_taken_up_after_the_lease(bench: Bench) -> None:
    """docs/interface.md: an acknowledged item survives `kill -9`, its background work too."""
    artifact_id = bench.remember("The harbour opens at nine.")
    killed = bench.store.claim(["embed"], 10, timedelta(seconds=2), "killed")
    assert [job.artifact_id for job in killed] == [artifact_id]
    bench.worker.drain()
    assert bench.vectors() == set()
    eventually(lambda: bench.report(artifact_id).state == "done", bench.worker.drain)
    assert bench.vectors() == {artifact_id}


def test_a_worker_keeps_its_lease_while_it_works(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch may take longer than the lease; another worker must not do it twice."""
    monkeypatch.setattr(worker_module, "LEASE", timedelta(seconds=1.2))
    artifact_id = bench.remember("The harbour opens at nine.")
    stolen: list[object] = []

    def take_long() -> None:
        end = time.monotonic() + 2.0
        while time.monotonic() < end:
            stolen.extend(bench.store.claim(["embed"], 10, timedelta(seconds=9), "thief"))
            time.sleep(0.02)

    bench.embedder.during = take_long
    bench.worker.drain()
    assert stolen == []
    assert bench.report(artifact_id).state == "done"


def test_a_worker_keeps_the_lease_of_a_batch_that_it_does_one_by_one(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a bad item the others wait for their turn; another worker must not do them twice, and count attempts."""
    bad, *others = [bench.remember(text) for text in ("This one is poison.", "Boats need a permit.", "It is late.")]
    monkeypatch.setattr(worker_module, "LEASE", timedelta(seconds=1.2))
    stolen: list[object] = []

    def take_long() -> None:
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            stolen.extend(bench.store.claim(["embed"], 10, timedelta(seconds=9), "thief"))
            time.sleep(0.02)

    bench.embedder.during = take_long
    monkeypatch.setattr(worker_module, "next_attempt_at", lambda attempts: now() + timedelta(minutes=1))
    bench.worker.step()
    assert stolen == []
    assert [bench.report(artifact_id) for artifact_id in others] == [JobReport("embed", "done", 1)] * 2
    assert bench.report(bad) == JobReport("embed", "pending", 1, "The text is poison: leave it out.")


def test_a_record_of_a_newer_release_is_waited_for_and_named_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Not a traceback twice a second until somebody updates this process."""
    tries: list[int] = []

    def refuse(worker: Worker) -> int:
        tries.append(1)
        raise Conflict("The record was written by a newer release: update this one.")

    monkeypatch.setattr(worker_module, "_ASK_AGAIN", 0.01)
    monkeypatch.setattr(Worker, "step", refuse)
    bench.worker.start()
    eventually(lambda: len(tries) > 3)
    bench.worker.stop()
    assert [(line.levelno, line.exc_info) for line in caplog.records] == [(logging.WARNING, None)]
    assert "newer release" in caplog.text


@dataclass
class Slow(OneEvent):
    """An extractor that reads long texts only when it may."""

    begun: threading.Event = field(default_factory=threading.Event)
    may_end: threading.Event = field(default_factory=threading.Event)

    def extract(self, artifact: Artifact) -> Extraction:
        if artifact.num_chunks > 1:
            self.begun.set()
            self.may_end.wait(20)
        return super().extract(artifact)


def test_a_long_item_keeps_no_other_waiting(bench: Bench) -> None:
    """Not its own project, nor another; further long ones come after it, at their first attempt."""
    slow = bench.worker.extractor = Slow()
    long = [bench.remember(f"{number}. " + "The harbour opens at nine. " * 2_000) for number in range(2)]
    bench.worker.start()
    try:
        assert slow.begun.wait(20)
        others = [bench.remember("Boats need a permit."), bench.remember("Boats need a permit.", "other")]
        bench.worker.wake()
        eventually(lambda: {bench.store.job_counts().pending, bench.store.job_counts("other").pending} == {2, 0})
        assert {bench.report(id_, "extract").state for id_ in others[:1]} == {"done"}
        assert len(bench.vectors()) == 3
    finally:
        slow.may_end.set()
        bench.worker.stop()
    assert {bench.report(id_, "extract").attempts for id_ in long} <= {0, 1}


@dataclass
class NextItem(OneEvent):
    """An extractor that tells when it reads the second item."""

    begun: threading.Event = field(default_factory=threading.Event)

    def extract(self, artifact: Artifact) -> Extraction:
        if "second" in artifact.memory.content:
            self.begun.set()
        return super().extract(artifact)


@dataclass
class SlowCheck(TextWorkHere):
    """Checks evidence once the next item is being read."""

    next_item: NextItem
    was_read_ahead: list[bool] = field(default_factory=list)

    def verify_extraction(
        self, artifact: Artifact, found: Extraction, repeated: RepeatedText, annotations: Extraction = NOTHING
    ) -> Verified:
        self.was_read_ahead.append(self.next_item.begun.wait(30))
        return super().verify_extraction(artifact, found, repeated, annotations)


def test_a_process_reads_the_next_item_while_the_knowledge_of_one_is_stored(bench: Bench) -> None:
    """And what is found in each is stored with it."""
    extractor = bench.worker.extractor = NextItem()
    texts = bench.worker.texts = SlowCheck(extractor)
    ids = [bench.remember("The first boat is painted blue."), bench.remember("The second boat is painted red.")]
    bench.worker.drain()
    assert texts.was_read_ahead == [True, True]
    assert [bench.store.events_of(PROJECT, [id_])[id_][0].summary.split()[1] for id_ in ids] == ["first", "second"]


def test_an_item_that_is_queued_again_while_it_waits_in_a_batch_is_extracted_once(bench: Bench) -> None:
    """Behind the batch: the order does not depend on how many are claimed at a time."""
    ids = [bench.remember(f"Boat {number} is painted blue.") for number in range(3)]
    read = list[str]()

    class Queuing(OneEvent):
        def extract(self, artifact: Artifact) -> Extraction:
            read.append(artifact.id)
            if len(read) == 1:
                bench.store.queue(PROJECT, [ids[1]], "extract")
            return super().extract(artifact)

    bench.worker.extractor = Queuing()
    bench.worker.drain()
    assert read == [ids[0], ids[2], ids[1]]
    assert [bench.report(id_, "extract").state for id_ in ids] == ["done"] * 3


def test_what_is_stored_is_embedded_while_more_is_read(bench: Bench) -> None:
    """On a separate thread, which leaves extraction to whoever comes next."""
    with bench.worker.embedding_meanwhile():
        id_ = bench.remember("The harbour opens at nine.")
        eventually(lambda: bench.report(id_).state == "done")
    bench.worker.stop()
    assert bench.vectors() == {id_}
    assert bench.report(id_, "extract").state == "pending"


def test_what_was_stored_last_is_extracted_while_the_rest_is_embedded(bench: Bench) -> None:
    """What drains meanwhile extracts, waits for the vectors however long they take, and tells how far they are."""
    begun, may_end, told = threading.Event(), threading.Event(), list[tuple[int, int]]()

    def wait() -> None:
        begun.set()
        assert may_end.wait(20), "nobody extracted meanwhile"

    bench.embedder.during = wait
    with bench.worker.embedding_meanwhile():
        first = bench.remember("The harbour opens at nine.")
        assert begun.wait(20)
        last = bench.remember("The crane lifts ten tons.")

    def look(_: int) -> None:
        if bench.report(last, "extract").state == "done":
            may_end.set()

    bench.worker.drain(look, lambda done, total: told.append((done, total)))
    assert may_end.is_set()
    assert {bench.report(id_, kind).state for id_ in (first, last) for kind in ("embed", "extract")} == {"done"}
    assert bench.vectors() == {first, last}
    assert told == [(0, 1)]


def test_extraction_waits_for_the_process_for_texts_that_is_being_started(bench: Bench) -> None:
    """Who asked meanwhile would have a second one started, which loads the same model."""
    begun, asked, was_asked_meanwhile = threading.Event(), threading.Event(), list[bool]()

    class Starting(TextWorkHere):
        def sentences(self, content: str) -> list[Sentence]:
            if not content:
                begun.set()
                was_asked_meanwhile.append(asked.wait(2))
            return super().sentences(content)

    class Looking(OneEvent):
        def extract(self, artifact: Artifact) -> Extraction:
            asked.set()
            return super().extract(artifact)

    bench.worker.texts, bench.worker.extractor = Starting(), Looking()
    with bench.worker.embedding_meanwhile():
        bench.remember("The harbour opens at nine.")
        eventually(begun.is_set)
    bench.worker.drain()
    assert asked.is_set()
    assert was_asked_meanwhile == [False]


def test_the_process_for_texts_is_started_once(bench: Bench) -> None:
    """However many ask for it: who reads files, and who embeds what was stored of them."""
    asked = list[str]()

    class Noting(TextWorkHere):
        def sentences(self, content: str) -> list[Sentence]:
            asked.append(content)
            return super().sentences(content)

    bench.worker.texts = Noting()
    bench.worker.prepare_texts()
    bench.worker.prepare_texts()
    with bench.worker.embedding_meanwhile():
        id_ = bench.remember("The harbour opens at nine.")
        eventually(lambda: bench.report(id_).state == "done")
    eventually(lambda: asked == [""])


def test_what_is_not_finished_when_the_worker_stops_is_due_at_once(bench: Bench) -> None:
    """A process that ends need not wait for an item; the attempt does not count."""
    slow = bench.worker.extractor = Slow()
    long = bench.remember("The harbour opens at nine. " * 2_000)
    bench.worker.start()
    assert slow.begun.wait(20)
    bench.worker.stop(timeout_seconds=0.1)
    try:
        assert bench.report(long, "extract") == JobReport("extract", "pending", 0)
    finally:
        slow.may_end.set()


# An index that another process holds


def test_while_the_index_is_away_vectors_wait_untouched_and_knowledge_goes_on(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    """A second process that can't open the index must not burn the attempts of jobs that the first one will do."""
    forgotten = bench.remember("Boats need a permit.")
    bench.worker.drain()
    bench.store.remove(PROJECT, [forgotten])
    artifact_id = bench.remember("The harbour opens at nine.")
    bench.index.error = Unavailable("Another process has the index open.")
    with caplog.at_level(logging.WARNING, "remembrancer.worker"):
        for _ in range(3):
            bench.worker.drain()
    assert bench.report(artifact_id) == JobReport("embed", "pending", 0)
    assert bench.report(artifact_id, "extract").state == "done"
    assert bench.store.job_reports(PROJECT, forgotten) == [JobReport("erase", "pending", 0)]
    assert bench.worker.no_vectors == "Another process has the index open."
    assert len(caplog.records) == 1
    bench.index.error = None
    bench.worker.drain()
    assert bench.vectors() == {artifact_id}
    assert bench.worker.no_vectors is None


def test_an_index_that_is_away_is_asked_again_only_after_a_while(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each question to a locked index costs; steps without work come twice a second."""
    bench.index.error = Unavailable("Another process has the index open.")
    for _ in range(5):
        bench.worker.step()
    assert bench.index.asked == 1
    monkeypatch.setattr(worker_module, "_ASK_AGAIN", 0.0)
    eventually(lambda: bench.index.asked > 1, bench.worker.drain)
    bench.index.error = None
    bench.worker.drain()
    asked = bench.index.asked
    for _ in range(5):
        bench.worker.step()
    assert bench.index.asked == asked


@pytest.mark.exhaustive
@pytest.mark.parametrize("lost", ["before the start", "in an outage"])
@pytest.mark.both_engines
def test_vectors_that_are_gone_with_their_index_are_made_again(
    bench: Bench, lost: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody needs to know the command for it when the index comes back empty."""
    monkeypatch.setattr(worker_module, "_ASK_AGAIN", 0.05)
    monkeypatch.setattr(worker_module, "_LOOK_AGAIN", 0.05)
    both = {bench.remember("The harbour opens at nine."), bench.remember("Boats need a permit.")}
    bench.worker.drain()
    if lost == "in an outage":
        bench.worker.start()
        bench.index.error = Unavailable("The volume is being changed.")
        eventually(lambda: bench.worker.no_vectors is not None)
    bench.index.real.reset()
    bench.index.error = None
    if lost == "before the start":
        bench.worker.start()
    eventually(lambda: bench.vectors() == both)
    bench.worker.stop()
    assert "2 items are indexed anew" in caplog.text


def test_vectors_of_another_model_keep_jobs_waiting(bench: Bench) -> None:
    """Until `reindex` the vectors of two models would be mixed; nothing is parked meanwhile."""
    switch_model(bench.store, "another-model")
    artifact_id = bench.remember("The harbour opens at nine.")
    for _ in range(3):
        bench.worker.drain()
    assert bench.report(artifact_id) == JobReport("embed", "pending", 0)
    assert "another-model" in (bench.worker.no_vectors or "")


@pytest.mark.parametrize("started", [False, True])
def test_waiting_for_an_item_ends_while_the_index_is_away(started: bool, store: Store, index: ChromaIndex) -> None:
    """`remember(wait=true)` names what will follow later instead of hanging, and its events are there."""
    away = FailingIndex(index, Unavailable("Another process has the index open."))
    parts = assembled(store, away, extractor=OneEvent())
    with parts as app:
        if started:
            app.start()
        receipt = app.remember(Memory(content="The harbour opens at nine."), wait=True)
        assert receipt.degraded == ["vectors"]
        assert len(store.events_of(PROJECT, [receipt.id])[receipt.id]) == 1


# Items that go while they are worked on


def test_an_item_forgotten_between_embedding_and_indexing_leaves_no_vector(bench: Bench) -> None:
    """A deletion removes vectors, also those that are just being made."""
    artifact_id = bench.remember("The harbour opens at nine.")

    def forget_meanwhile() -> None:
        bench.store.remove(PROJECT, [artifact_id])

    bench.embedder.during = forget_meanwhile
    bench.worker.drain()
    assert bench.vectors() == set()
    assert bench.store.job_counts().pending == 0


def test_an_item_forgotten_at_the_very_moment_of_indexing_leaves_no_vector(bench: Bench) -> None:
    """The erasure waits until the write is over, and then takes the vector with it."""
    artifact_id = bench.remember("The harbour opens at nine.")

    def forget_meanwhile() -> None:
        thread = threading.Thread(target=lambda: bench.store.remove(PROJECT, [artifact_id]))
        thread.start()
        thread.join(30)

    bench.index.before_upsert = forget_meanwhile
    bench.worker.drain()
    bench.index.before_upsert = lambda: None
    bench.worker.drain()
    assert bench.vectors() == set()


@pytest.mark.both_engines
def test_an_item_remembered_again_while_its_erasure_waits_keeps_its_vectors(bench: Bench) -> None:
    """The later word counts."""
    artifact_id = bench.remember("The harbour opens at nine.")
    bench.worker.drain()
    bench.store.remove(PROJECT, [artifact_id])
    erase = bench.store.claim(["erase"], 10, timedelta(seconds=30), "another")
    assert bench.remember("The harbour opens at nine.") == artifact_id
    bench.worker.indexer.erase(erase)
    bench.store.complete(erase)
    bench.worker.drain()
    assert bench.vectors() == {artifact_id}


def test_what_was_replaced_under_its_key_leaves_the_index(bench: Bench) -> None:
    """Else the old text would answer questions about the new one."""
    old = bench.remember("We open at nine.", key="hours")
    bench.worker.drain()
    new = bench.remember("We open at ten.", key="hours")
    bench.worker.drain()
    assert bench.vectors() == {new}
    again = bench.remember("We open at nine.", key="hours")
    bench.worker.drain()
    assert again == old
    assert bench.vectors() == {old}


def test_embeddings_are_made_once_a_text(bench: Bench) -> None:
    """The record keeps them by text and model; the same words in another item cost nothing."""
    calls: list[int] = []
    bench.embedder.during = lambda: calls.append(1)
    bench.remember("The harbour opens at nine.")
    bench.worker.drain()
    bench.remember("The harbour opens at nine.", source="elsewhere")
    bench.worker.drain()
    assert len(calls) == 1
    assert len(bench.vectors()) == 2
    filters = Filters(at=datetime(2999, 1, 1, tzinfo=UTC))
    assert len(bench.store.vectors(PROJECT, LocalEmbedder.model, filters)[0]) == 2
