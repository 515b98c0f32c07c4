"""The vector index: what is written is found, kept over restarts and kills, and never opened by two processes."""

import inspect
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

import chromadb
import chromadb.errors
import numpy as np
import pytest

from core.embedding import IndexEntry, UnitKind, Vectors
from core.errors import Conflict, InvalidInput, Unavailable
from retrieval.vectors import ChromaIndex, EmbeddedChroma
from retrieval.vectors import index as module

DIMENSION = 16


@dataclass(slots=True)
class Model:
    """The name of an embedder; the index needs no more of it."""

    model: str = "model-a"
    dimension: int = DIMENSION

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return vectors that only depend on the text."""
        return np.concatenate([units(1, seed=len(text)) for text in texts])


def units(count: int, *, seed: int = 0) -> Vectors:
    """Return random unit vectors."""
    values = np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32)
    made: Vectors = values / np.linalg.norm(values, axis=1, keepdims=True)
    return made


def entries(count: int, *, first: int = 0) -> list[IndexEntry]:
    """Return entries `art_0:0`, `art_1:0` and so on."""
    return [
        IndexEntry(f"art_{number}:0", f"text {number}", {"artifact_id": f"art_{number}", "index": 0})
        for number in range(first, first + count)
    ]


def fill(index: ChromaIndex, count: int, *, project: str = "p", kind: UnitKind = "chunks", first: int = 0) -> Vectors:
    """Write `count` entries and return their vectors."""
    made = units(count, seed=first)
    index.upsert(project, kind, entries(count, first=first), made)
    return made


def only_hit(index: ChromaIndex, vector: Vectors) -> str:
    """Return the id of the one chunk there is, whose vector must be this one."""
    ((chunk_id, cosine),) = index.search("p", vector, 5)
    assert cosine == pytest.approx(1, abs=1e-5)
    return chunk_id


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the index of a test lives."""
    return tmp_path / "chroma"


@pytest.fixture
def index(folder: Path) -> Iterator[ChromaIndex]:
    """An empty index."""
    opened = ChromaIndex(EmbeddedChroma(folder), Model())
    yield opened
    opened.close()


def in_another_process(folder: Path, code: str) -> "subprocess.Popen[str]":
    """Run `code` with `index` open over `folder` and the words of this module."""
    head = "import sys, time; from pathlib import Path; from tests.retrieval.test_vectors import *\n"
    return subprocess.Popen(
        [sys.executable, "-c", f"{head}index = ChromaIndex(EmbeddedChroma(Path({str(folder)!r})), Model())\n{code}"],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
    )


def test_search_gives_the_true_neighbours_of_both_kinds_best_first(index: ChromaIndex) -> None:
    """Chunks and turns are two collections and one answer, scored by cosine."""
    made = np.concatenate([fill(index, 40), fill(index, 40, kind="turns", first=40)])
    query = units(1, seed=99)[0]
    expected = sorted(((f"art_{n}:0", float(made[n] @ query)) for n in range(80)), key=lambda hit: -hit[1])[:10]
    found = index.search("p", query, 10)
    assert [id_ for id_, _ in found] == [id_ for id_, _ in expected]
    assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=1e-5)


def test_a_search_may_ask_for_more_than_there_is(index: ChromaIndex) -> None:
    """An empty project, a limit of nothing and one over the count are no errors."""
    assert index.search("p", units(1)[0], 5) == []
    fill(index, 3)
    assert len(index.search("p", units(1)[0], 500)) == 3
    assert index.search("p", units(1)[0], 0) == []


def test_nearly_all_of_two_hundred_true_neighbours_are_found_among_thousands(index: ChromaIndex) -> None:
    """The widths of the graph are chosen for the 200 candidates that a recall asks for."""
    made = fill(index, 3_000)
    found = 0
    for query in units(10, seed=5):
        true = {f"art_{n}:0" for n in np.argsort(-(made @ query))[:200]}
        found += len(true & {id_ for id_, _ in index.search("p", query, 200)})
    assert found >= 1_980


def test_writing_a_chunk_again_replaces_vector_text_and_all_metadata(index: ChromaIndex, folder: Path) -> None:
    """Chroma merges metadata; a field that is gone must not stay."""
    one, two = units(2)
    index.upsert("p", "chunks", [IndexEntry("art_0:0", "before", {"author": "Ann", "index": 0})], one[None])
    index.upsert("p", "chunks", [IndexEntry("art_0:0", "after", {"index": 1})], two[None])
    assert only_hit(index, two) == "art_0:0"
    index.upsert("p", "chunks", [IndexEntry("art_1:0", "bare", {"author": "Ann"})], one[None])
    index.upsert("p", "chunks", [IndexEntry("art_1:0", "bare", {})], one[None])
    index.close()
    kept = chromadb.PersistentClient(str(folder)).list_collections()[0].get(include=["documents", "metadatas"])
    documents, metadatas = kept["documents"] or [], kept["metadatas"] or []
    assert dict(zip(kept["ids"], zip(documents, metadatas, strict=True), strict=True)) == {
        "art_0:0": ("after", {"index": 1}),
        "art_1:0": ("bare", None),
    }


def test_entries_come_back_as_they_were_written(index: ChromaIndex) -> None:
    """What answers when the record is away: text and metadata of both kinds, of this project only."""
    written = [
        IndexEntry("art_0:0", "Grüße\n\n  ", {"title": "Æ", "index": 0, "importance": 0.5, "kept": True}),
        IndexEntry("art_1:0", "bare", {}),
    ]
    index.upsert("p", "chunks", written, units(2))
    fill(index, 1, kind="turns", first=2)
    fill(index, 4, project="q")
    asked = ["art_2:0", "art_0:0", "art_3:0", "art_1:0", "art_0:0"]
    assert index.entries("p", asked) == {entry.chunk_id: entry for entry in [*written, *entries(1, first=2)]}
    assert index.entries("p", []) == {}
    assert index.entries("never", ["art_0:0"]) == {}


def test_the_later_of_two_entries_with_one_id_counts(index: ChromaIndex) -> None:
    """Chroma would refuse the whole batch."""
    made = units(2)
    index.upsert("p", "chunks", [*entries(1), *entries(1)], made)
    assert only_hit(index, made[1]) == "art_0:0"


def test_more_entries_than_one_batch_of_chroma_are_written(index: ChromaIndex) -> None:
    """Chroma takes 5,461 at a time."""
    fill(index, 5_500)
    assert len(index.ids("p")) == 5_500


def test_entries_and_vectors_must_be_as_many(index: ChromaIndex) -> None:
    """Nothing is written of what does not fit."""
    with pytest.raises(InvalidInput, match="2 entries"):
        index.upsert("p", "chunks", entries(2), units(1))
    index.upsert("p", "chunks", [], np.zeros((0, DIMENSION), np.float32))
    assert index.ids("p") == set()


@pytest.mark.parametrize("project", [".", "..", "-", "_", "a..b", "A" * 64, "a.b", "a_b", "a-b", "Ab", "aB"])
def test_every_project_id_has_collections_of_its_own(project: str, index: ChromaIndex) -> None:
    """Ids that look alike to Chroma's rules for names stay apart."""
    fill(index, 2, project=project)
    fill(index, 1, project="other", first=7)
    for other in {".", "..", "-", "_", "a..b", "a__b", "A" * 64, "a.b", "a_b", "a-b", "Ab", "aB"} - {project}:
        assert index.ids(other) == set()
    assert index.ids(project) == {"art_0:0", "art_1:0"}


def test_deleting_reaches_every_kind_and_model_and_only_this_project(index: ChromaIndex, folder: Path) -> None:
    """A chunk that is forgotten is in no collection any more; unknown ids are no error."""
    fill(index, 3)
    fill(index, 1, kind="turns", first=3)
    fill(index, 3, project="q")
    index.close()
    other = ChromaIndex(EmbeddedChroma(folder), Model("model-b"))
    fill(other, 3)
    other.delete("p", ["art_0:0", "art_3:0", "art_99:0"])
    assert other.ids("p") == {"art_1:0", "art_2:0"}
    other.close()
    first = ChromaIndex(EmbeddedChroma(folder), Model())
    assert (first.ids("p"), len(first.ids("q"))) == ({"art_1:0", "art_2:0"}, 3)
    first.close()


def test_dropping_removes_the_collections_of_every_model(index: ChromaIndex, folder: Path) -> None:
    """What is written afterwards starts from nothing."""
    fill(index, 3)
    fill(index, 3, kind="turns", first=3)
    fill(index, 1, project="q")
    index.close()
    other = ChromaIndex(EmbeddedChroma(folder), Model("model-b"))
    fill(other, 3)
    other.drop("p")
    other.drop("never")
    assert other.search("p", units(1)[0], 5) == []
    fill(other, 2)
    assert other.ids("p") == {"art_0:0", "art_1:0"}
    other.close()
    former = ChromaIndex(EmbeddedChroma(folder), Model())
    assert (former.ids("p"), former.ids("q")) == (set(), {"art_0:0"})
    former.close()


def test_a_collection_says_whose_it_is(index: ChromaIndex, folder: Path) -> None:
    """Project, model, dimension and kind stand in its metadata, as the contract promises."""
    fill(index, 1, kind="turns")
    index.close()
    (collection,) = chromadb.PersistentClient(str(folder)).list_collections()
    assert collection.metadata == {"project_id": "p", "model": "model-a", "dimension": DIMENSION, "kind": "turns"}


def test_vectors_of_another_dimension_are_a_conflict_that_names_both(index: ChromaIndex) -> None:
    """A model that changed under its name needs a reindex, not a retry."""
    fill(index, 1)
    wrong = np.ones((1, 3), np.float32)
    with pytest.raises(Conflict, match=r"of 3 numbers and the index keeps 16"):
        index.upsert("p", "chunks", entries(1), wrong)
    with pytest.raises(Conflict, match=r"of 3 numbers and the index keeps 16"):
        index.search("p", wrong[0], 1)


def test_what_was_written_is_there_after_a_clean_end(folder: Path) -> None:
    """Ten vectors are fewer than Chroma writes to its index files by itself (chroma issue 6975)."""
    for _ in range(2):
        with in_another_process(folder, "fill(index, 10); index.close()") as writer:
            assert writer.wait(timeout=30) == 0
    again = ChromaIndex(EmbeddedChroma(folder), Model())
    assert [again.search("p", vector, 1)[0][0] for vector in units(10)] == [f"art_{n}:0" for n in range(10)]
    assert len(again.ids("p")) == 10
    again.close()


def test_another_process_is_told_who_has_the_index_and_gets_it_when_that_one_is_killed(folder: Path) -> None:
    """Two processes over one folder lose data without an error; a dead owner leaves nothing locked and nothing lost."""
    code = "fill(index, 1_500); print('ready', flush=True); sys.stdin.read()"
    with in_another_process(folder, code) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "ready\n"
        index = ChromaIndex(EmbeddedChroma(folder), Model())
        for call in (index.ping, lambda: index.ids("p"), lambda: index.search("p", units(1)[0], 1)):
            with pytest.raises(Unavailable, match=f"pid {owner.pid}"):
                call()
        owner.send_signal(signal.SIGKILL)
        owner.wait(timeout=5)
    assert len(index.ids("p")) == 1_500
    found = [index.search("p", vector, 1)[0][0] for vector in units(1_500)]
    assert found == [f"art_{n}:0" for n in range(1_500)]
    index.close()


def test_closing_lets_the_next_one_in_and_nobody_back(index: ChromaIndex, folder: Path) -> None:
    """A late job of the old owner must not take the folder from the new one."""
    fill(index, 2)
    index.close()
    index.close()
    with pytest.raises(Unavailable, match="was closed"):
        index.ids("p")
    following = ChromaIndex(EmbeddedChroma(folder), Model())
    assert len(following.ids("p")) == 2
    following.close()
    with in_another_process(folder, "print(len(index.ids('p'))); index.close()") as other:
        assert other.communicate(timeout=30)[0] == "2\n"


def test_closing_before_the_first_use_touches_nothing(folder: Path) -> None:
    """An index that was never needed leaves no folder."""
    ChromaIndex(EmbeddedChroma(folder), Model()).close()
    assert not folder.exists()


def test_closing_waits_for_calls_under_way(index: ChromaIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that began is finished before the folder is let go."""
    writing, go_on = Event(), Event()
    real = module._write

    def slow(*args: object) -> None:
        writing.set()
        go_on.wait(5)
        real(*args)  # type: ignore[arg-type]  # handed through

    monkeypatch.setattr(module, "_write", slow)
    with ThreadPoolExecutor(1) as pool:
        write = pool.submit(fill, index, 1)
        assert writing.wait(5)
        closing = Thread(target=index.close)
        closing.start()
        go_on.set()
        closing.join(5)
        assert not closing.is_alive()
        assert write.result(5).shape == (1, DIMENSION)


def test_threads_write_search_and_delete_at_once(index: ChromaIndex) -> None:
    """Requests and the background worker share one index from its very first call."""

    def work(number: int) -> int:
        fill(index, 50, first=number * 50, kind="turns" if number % 2 else "chunks")
        index.delete("p", [f"art_{number * 50}:0"])
        return len(index.search("p", units(1)[0], 10))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
    assert index.ids("p") == {f"art_{n}:0" for n in range(400) if n % 50}


def test_a_damaged_index_is_unavailable_until_it_is_mended(index: ChromaIndex, folder: Path) -> None:
    """Each call says so, and the folder can be replaced while the service runs."""
    folder.mkdir()
    damaged = folder / "chroma.sqlite3"
    damaged.write_bytes(b"not a database" * 1_000)
    for _ in range(2):
        with pytest.raises(Unavailable, match="not a database"):
            index.ping()
    damaged.unlink()
    fill(index, 1)
    assert index.ids("p") == {"art_0:0"}


def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    """The message names it."""
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Unavailable, match="file/chroma"):
        ChromaIndex(EmbeddedChroma(tmp_path / "file" / "chroma"), Model()).ping()


def test_a_collection_deleted_behind_its_back_is_looked_up_again(index: ChromaIndex) -> None:
    """Handles are kept; one that is stale fails no call."""
    fill(index, 1)
    with index._open() as client:
        client.delete_collection(client.list_collections()[0].name)
    assert index.search("p", units(1)[0], 1) == []


def test_files_and_variables_of_others_do_not_change_chroma(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chroma reads `.env` in the current folder; a project's own file there must not break the index."""
    (tmp_path / ".env").write_text("REMEMBRANCER_HOME=/elsewhere\nCHROMA_URL=http://elsewhere\n")
    monkeypatch.chdir(tmp_path)
    index = ChromaIndex(EmbeddedChroma(folder), Model())
    fill(index, 1)
    index.close()


def test_every_error_of_chroma_is_translated(index: ChromaIndex) -> None:
    """A new family of errors in another version of Chroma must be looked at."""
    index.ping()
    raised = {cls for _, cls in inspect.getmembers(chromadb.errors, inspect.isclass) if issubclass(cls, Exception)}
    assert {cls for cls in raised if not issubclass(cls, index._chroma.errors)} == set()
    for cls in raised:
        with pytest.raises(Unavailable, match=cls.__name__), index._open():
            raise cls("reason")


def test_the_lock_and_the_name_of_the_owner_are_beside_the_folder(index: ChromaIndex, folder: Path) -> None:
    """Chroma's own folder holds nothing of ours, so it can be deleted and rebuilt."""
    index.ping()
    assert folder.with_name("chroma.pid").read_text() == str(os.getpid())
    assert folder.with_name("chroma.lock").exists()


def holding(folder: Path, word: str) -> list[str]:
    """Return the names of the files under `folder` that hold the word."""
    return [path.name for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


def with_secrets(index: ChromaIndex, count: int) -> tuple[list[str], Vectors]:
    """Write `count` entries, every tenth with a secret in text and metadata; return their ids, and all vectors."""
    made = units(count)
    written = [
        IndexEntry(
            f"art_{n}:0", "zyxquark" if n % 10 == 0 else "plain", {"title": "zyxquark" if n % 10 == 0 else "plain"}
        )
        for n in range(count)
    ]
    index.upsert("p", "chunks", written, made)
    return [entry.chunk_id for entry in written if entry.text == "zyxquark"], made


@pytest.mark.parametrize("count", [1, 2, 7, 999, 1_000, 1_001])
def test_what_was_deleted_is_in_no_file_once_the_index_is_closed(folder: Path, count: int) -> None:
    """Chroma leaves it in its log and in free pages; what stays loses nothing, whether Chroma had saved it or not."""
    index = ChromaIndex(EmbeddedChroma(folder), Model())
    secret, made = with_secrets(index, count)
    index.delete("p", secret)
    index.close()
    assert holding(folder.parent, "zyxquark") == []
    again = ChromaIndex(EmbeddedChroma(folder), Model())
    kept = [n for n in range(count) if n % 10]
    assert again.ids("p") == {f"art_{n}:0" for n in kept}
    assert [again.search("p", made[n], 1)[0][0] for n in kept] == [f"art_{n}:0" for n in kept]
    fill(again, 1, first=count)
    again.close()
    third = ChromaIndex(EmbeddedChroma(folder), Model())
    assert f"art_{count}:0" in third.ids("p")
    third.close()


@pytest.mark.parametrize("method", ["drop", "reset"])
def test_what_was_dropped_is_in_no_file_once_the_index_is_closed(folder: Path, method: str) -> None:
    """A collection that goes takes its texts along; others stay."""
    index = ChromaIndex(EmbeddedChroma(folder), Model())
    with_secrets(index, 30)
    fill(index, 5, project="q")
    if method == "drop":
        index.drop("p")
    else:
        index.reset()
    index.close()
    assert holding(folder.parent, "zyxquark") == []
    again = ChromaIndex(EmbeddedChroma(folder), Model())
    assert len(again.ids("q")) == (5 if method == "drop" else 0)
    again.close()


def test_what_a_killed_process_deleted_is_cleaned_up_by_the_next(folder: Path) -> None:
    """Killed before it could close, with what it wrote unsaved."""
    code = "index.delete('p', with_secrets(index, 20)[0]); print('done', flush=True); time.sleep(60)"
    with in_another_process(folder, code) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "done\n"
        owner.send_signal(signal.SIGKILL)
        owner.wait(timeout=5)
    assert holding(folder, "zyxquark") == ["chroma.sqlite3"]
    index = ChromaIndex(EmbeddedChroma(folder), Model())
    assert len(index.ids("p")) == 18
    index.close()
    assert holding(folder.parent, "zyxquark") == []


def test_a_collection_that_was_never_written_does_not_keep_the_others_from_being_cleaned(folder: Path) -> None:
    """A process may be killed between making it and its first write."""
    index = ChromaIndex(EmbeddedChroma(folder), Model())
    with index._open() as client:
        index._made(client, "empty", "chunks", DIMENSION)
    secret, _ = with_secrets(index, 20)
    index.delete("p", secret)
    index.close()
    assert holding(folder.parent, "zyxquark") == []
