"""Exports and imports: what a line may be, what is said of one that it may not be, and what a whole memory becomes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.errors import Conflict, InvalidInput, MemoryServiceError
from core.interface.memory import Memory
from core.interface.question import Question
from core.interface.results import to_json
from core.knowledge.findings import Extraction, FoundEntity
from core.knowledge.runs import Findings
from graph.sqlite_store import SqliteStore
from graph.store import Store
from ingest.indexing.rebuild import EVERYTHING, queue_graph
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.vectors import ChromaIndex, EmbeddedChroma
from service.app import App
from tests.contracts.makers import everything
from tests.contracts.transferring import MINUTES, exported, imported, lived, put
from tests.ingest.running import PROJECT, drain
from tests.shipped import assembled

Change = Callable[[dict[str, Any]], object]


def lines_of(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.split(b"\n") if line]


def written(lines: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


@pytest.fixture
def source(tmp_path: Path, embedder: LocalEmbedder) -> bytes:
    """An export of one meeting that was learnt, and one note."""
    with SqliteStore(tmp_path / "source.db") as store:
        put(store, Memory(content=MINUTES, date="2026-03-02"), embedder)
        put(store, Memory(content="A plain note."), embedder)
        drain(store)
        return exported(store)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "target.db"


def test_the_first_line_tells_what_follows_and_nothing_of_when_it_was_written(source: bytes) -> None:
    """docs/transfer.md: the newest moment is that of what is held."""
    first, *rest = lines_of(source)

    assert source.index(b"\n") == 511
    assert first == {
        "format": "remembrancer-export",
        "number": 1,
        "service": "tests",
        "latest": max(line["last_occurred"] for line in rest),
        "lines": {"item": 2},
    }
    assert [line["line"] for line in rest] == ["item", "item"]
    assert rest[0]["content"] == MINUTES
    assert rest[0]["memory"]["date"] == "2026-03-02"


@pytest.mark.parametrize(
    ("first", "error", "says"),
    [
        (b"", InvalidInput, "first line"),
        (b"not JSON\n", InvalidInput, "first line"),
        (b'"text"\n', InvalidInput, "first line"),
        (b'{"format":"another","number":1,"service":"1","lines":{}}\n', InvalidInput, "first line"),
        (b'{"format":"remembrancer-export","number":1,"service":"1"}\n', InvalidInput, "first line"),
        (b'{"format":"remembrancer-export","number":2,"service":"9.0"}\n', Conflict, r"format 2 \(release 9\.0\)"),
    ],
)
def test_what_is_no_export_is_refused_by_its_first_line(
    target: Path, embedder: LocalEmbedder, first: bytes, error: type[MemoryServiceError], says: str
) -> None:
    """A newer format is not guessed at."""
    with SqliteStore(target) as store, pytest.raises(error, match=says):
        imported(store, first, embedder)


def _set(name: str, value: object) -> Change:
    return lambda line: line.__setitem__(name, value)


def _in_event(name: str, value: object) -> Change:
    return lambda line: line["knowledge"]["events"][0].__setitem__(name, value)


def _in_evidence(name: str, value: object) -> Change:
    return lambda line: line["knowledge"]["events"][0]["evidence"][0].__setitem__(name, value)


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        (_set("line", "dream"), Conflict, "'dream' comes from a newer release"),
        (_set("project", "two words"), InvalidInput, "project_id"),
        (_set("mood", "good"), InvalidInput, "mood"),
        (_set("id", "art_1"), InvalidInput, "'art_1' is not the id"),
        (_set("content", ""), InvalidInput, "content"),
        (_set("content", 5), InvalidInput, "content"),
        (_set("content", "Other words."), InvalidInput, "mention|quote"),
        (_set("memory", {"context": "dream"}), InvalidInput, "context"),
        (_set("memory", {"mood": "good"}), InvalidInput, "memory"),
        (_set("frequency", "often"), InvalidInput, "frequency"),
        (_set("updated_at", "yesterday"), InvalidInput, "updated_at"),
        (_set("knowledge", {}), InvalidInput, "KeyError"),
        (_set("readings", [{"run_id": "run_0"}]), InvalidInput, "standing"),
        (_in_event("category", "Dream"), InvalidInput, "category"),
        (_in_event("confidence", "sure"), InvalidInput, "confidence"),
        (_in_event("evidence", []), InvalidInput, "has no evidence"),
        (_in_event("mood", "good"), InvalidInput, "mood|knowledge"),
        (_in_event("actors", [["ent_000000000000", "owner"]]), InvalidInput, "ent_000000000000"),
        (_in_evidence("quote", "Never said."), InvalidInput, "not in the item at the offset"),
        (_in_evidence("artifact_id", "art_000000000000"), InvalidInput, "not in the item at the offset"),
        (lambda line: line.pop("id"), InvalidInput, "id"),
        (lambda line: line.pop("line"), InvalidInput, "line"),
    ],
)
def test_a_line_that_can_not_be_is_refused_by_its_number_and_nothing_of_it_is_kept(
    target: Path, embedder: LocalEmbedder, source: bytes, change: Change, error: type[MemoryServiceError], says: str
) -> None:
    """What came before it is in, so that mending the line and doing it again finishes."""
    first, meeting, note = lines_of(source)
    broken = json.loads(json.dumps(meeting))
    change(broken)
    with SqliteStore(target) as store:
        with pytest.raises(error, match=f"Line 3.*(?:{says})"):
            imported(store, written([first, note, broken]), embedder)
        assert store.counts(PROJECT).entities == 0
        assert meeting["id"] not in store.get(PROJECT, [meeting["id"], note["id"]])
        imported(store, written([first, note, meeting]), embedder)
        assert set(store.get(PROJECT, [meeting["id"], note["id"]])) == {meeting["id"], note["id"]}


@pytest.mark.parametrize("raw", [b"\n", b"{}\n", b"[1]\n", b"{\n", b"\xff\xfe\n", b"[" * 100_000 + b"\n"])
def test_what_is_no_object_is_refused_by_its_number(
    target: Path, embedder: LocalEmbedder, source: bytes, raw: bytes
) -> None:
    """Whatever bytes they are."""
    first = source[: source.index(b"\n") + 1]
    with SqliteStore(target) as store, pytest.raises(InvalidInput, match="Line 2"):
        imported(store, first + raw, embedder)


def test_a_run_that_is_not_there_is_named(target: Path, embedder: LocalEmbedder, source: bytes) -> None:
    """A reading without its run would be lost."""
    first, meeting, note = lines_of(source)
    note["readings"] = [{"run_id": "run_0", "standing": note["knowledge"], "waits": False, "finished": True}]
    with SqliteStore(target) as store:
        with pytest.raises(InvalidInput, match=r"Line 3: .*run_0"):
            imported(store, written([first, meeting, note]), embedder)
        assert store.count_items(PROJECT) == 1


def test_items_whose_id_is_another_ones_are_told_and_the_others_go_in(
    target: Path, embedder: LocalEmbedder, source: bytes
) -> None:
    """48 bits collide once in a while."""
    first, meeting, note = lines_of(source)
    with SqliteStore(target) as store:
        imported(store, written([first | {"lines": {"item": 1}}, note]), embedder)
        clash = note | {"content": "Another note.", "knowledge": {"entities": [], "mentions": [], "events": []}}
        done = imported(store, written([first, clash, meeting]), embedder)

        assert dict(done.items) == {"stored": 1}
        assert [reason[:8] for reason in done.refused] == ["Line 2: "]
        assert store.get(PROJECT, [note["id"]])[note["id"]].memory.content == "A plain note."


def test_half_of_a_surrogate_pair_that_a_model_answered_survives(target: Path, embedder: LocalEmbedder) -> None:
    """It can't be written as UTF-8, so that line is in ASCII."""
    with SqliteStore(target.with_name("source.db")) as store:
        id_ = put(store, Memory(content="Grüße."), embedder)
        odd = Extraction((FoundEntity("half \ud83d", "other"),))
        store.cache_findings(PROJECT, id_, Findings(extractor="a:b", text_hash="1", found=odd))
        given = exported(store)
    with SqliteStore(target) as store:
        imported(store, given, embedder)
        assert [one.found for one in store.cached_findings(PROJECT, id_)] == [odd]
        assert exported(store) == given


def test_embeddings_come_with_an_export_that_asks_for_them(target: Path, embedder: LocalEmbedder) -> None:
    """As the record keeps them, and only those of the model; one that can't be an embedding is refused."""
    with SqliteStore(target.with_name("source.db")) as store:
        id_ = put(store, Memory(content="Embedded once."), embedder)
        [chunk] = store.chunks(PROJECT, [id_])[id_]
        [vector], key = embedder.embed([chunk.embedded_text]), chunk.embedding_key_in(PROJECT)
        store.cache_vectors(embedder.model, {key: vector})
        store.cache_vectors("another", {key: vector})
        assert b"vectors" not in exported(store)
        given = exported(store, model=embedder.model)
    with SqliteStore(target) as store:
        imported(store, given, embedder)
        assert np.allclose(store.cached_vectors(embedder.model, [key])[key], vector, rtol=0, atol=1e-4)
        assert store.cached_vectors("another", [key]) == {}
        lines = lines_of(given)
        for broken in ("AAAA", "AACAfw==", "?"):
            lines[2]["vectors"][key] = broken
            with pytest.raises(InvalidInput, match="Line 3"):
                imported(store, written(lines), embedder)


def test_two_memories_that_were_joined_are_connected_by_learning_them_anew(
    target: Path, embedder: LocalEmbedder
) -> None:
    """docs/transfer.md: until then decisions of one do not bear on those of the other."""
    later = "We decided to paint the harbour office green instead of blue."
    with SqliteStore(target.with_name("source.db")) as store:
        put(store, Memory(content=later, date="2026-04-02"), embedder)
        drain(store)
        given = exported(store)
    with SqliteStore(target) as store:
        put(store, Memory(content="We decided to paint the harbour office blue.", date="2026-03-02"), embedder)
        drain(store)
        imported(store, given, embedder)

        def statuses() -> list[str | None]:
            return [one.status for one in store.list_events(PROJECT, ["Decision"], everything(), 9)]

        assert statuses() == ["current", "current"]
        queue_graph(store, EVERYTHING)
        drain(store)
        assert statuses() == ["current", "superseded"]
        assert set(imported(store, given, embedder).items) == {"unchanged"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("content", ["x" * 300_000, "word " * 100_000, '\u2028\x85\0\\"' * 50])
def test_long_and_odd_texts_come_through(target: Path, embedder: LocalEmbedder, content: str) -> None:
    """Chunks are cut anew, as they were."""
    with SqliteStore(target.with_name("source.db")) as store, SqliteStore(target) as other:
        id_ = put(store, Memory(content=content), embedder)
        given = exported(store)
        imported(other, given, embedder)

        assert other.get(PROJECT, [id_]) == store.get(PROJECT, [id_])
        assert other.chunks(PROJECT, [id_]) == store.chunks(PROJECT, [id_])
        assert exported(other) == given


@pytest.fixture
def apart(tmp_path: Path, embedder: LocalEmbedder) -> App:
    """A second service, over empty embedded stores."""
    index = ChromaIndex(EmbeddedChroma(tmp_path / "apart" / "chroma"), embedder)
    return assembled(SqliteStore(tmp_path / "apart" / "record.db"), index)


@pytest.mark.exhaustive
@pytest.mark.both_engines
def test_an_import_into_an_empty_memory_answers_alike(
    app: App, apart: App, store: Store, embedder: LocalEmbedder
) -> None:
    """docs/interface.md: the same recall results, to the last digit of every score."""
    lived(store, embedder)
    app.worker.drain()
    with apart:
        imported(apart.store, exported(store), embedder)
        apart.worker.drain()
        for query in ("Who sends the contract?", "archive", "What was decided about the office?", "lift", "turn 1"):
            question = Question(query=query, limit=20)
            assert to_json(apart.recall(question, PROJECT)) == to_json(app.recall(question, PROJECT))
        assert apart.status(project_id=PROJECT).counts == app.status(project_id=PROJECT).counts
