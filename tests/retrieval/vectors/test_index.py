"""The vector index: what is written is found and kept apart by project, in a folder and on a server alike."""

import inspect
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import chromadb.errors
import numpy as np
import pytest

import servers
from core.errors import Conflict, InvalidInput, Unavailable
from core.search import IndexEntry, Vectors
from retrieval.vectors import ChromaIndex, ChromaServer, EmbeddedChroma, connection
from retrieval.vectors import index as module
from tests.retrieval.vectors.vector_parts import DIMENSION, Model, entries, fill, units

Opener = Callable[[], EmbeddedChroma | ChromaServer]


@pytest.fixture(scope="module")
def emptied_chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.ChromaServer]:
    """A server that nobody else uses: every test empties it."""
    with servers.ChromaServer(tmp_path_factory.mktemp("server")) as started:
        yield started


@pytest.fixture(params=["folder", pytest.param("server", marks=pytest.mark.servers)])
def chroma(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    """Where the index of a test lives; the server is emptied first."""
    if request.param == "folder":
        return lambda: EmbeddedChroma(tmp_path / "chroma")
    server: servers.ChromaServer = request.getfixturevalue("emptied_chroma")
    former = ChromaIndex(ChromaServer(server.url), Model())
    former.reset()
    former.close()
    return lambda: ChromaServer(server.url)


@pytest.fixture
def index(chroma: Opener) -> Iterator[ChromaIndex]:
    """An empty index."""
    opened = ChromaIndex(chroma(), Model())
    yield opened
    opened.close()


def only_hit(index: ChromaIndex, vector: Vectors) -> str:
    """Return the id of the one chunk there is, whose vector must be this one."""
    ((chunk_id, cosine),) = index.search("p", vector, 5)
    assert cosine == pytest.approx(1, abs=1e-5)
    return chunk_id


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


@pytest.mark.exhaustive
def test_nearly_all_of_two_hundred_true_neighbours_are_found_among_thousands(index: ChromaIndex) -> None:
    """The widths of the graph are chosen for the 200 candidates that a recall asks for."""
    made = fill(index, 3_000)
    found = 0
    for query in units(10, seed=5):
        true = {f"art_{n}:0" for n in np.argsort(-(made @ query))[:200]}
        found += len(true & {id_ for id_, _ in index.search("p", query, 200)})
    assert found >= 1_980


def test_writing_a_chunk_again_replaces_vector_text_and_all_metadata(index: ChromaIndex) -> None:
    """Chroma merges metadata; a field that is gone must not stay."""
    one, two = units(2)
    index.upsert("p", "chunks", [IndexEntry("art_0:0", "before", {"author": "Ann", "index": 0})], one[None])
    index.upsert("p", "chunks", [IndexEntry("art_0:0", "after", {"index": 1})], two[None])
    assert only_hit(index, two) == "art_0:0"
    index.upsert("p", "chunks", [IndexEntry("art_1:0", "bare", {"author": "Ann"})], one[None])
    index.upsert("p", "chunks", [IndexEntry("art_1:0", "bare", {})], one[None])
    assert index.entries("p", ["art_0:0", "art_1:0"]) == {
        "art_0:0": IndexEntry("art_0:0", "after", {"index": 1}),
        "art_1:0": IndexEntry("art_1:0", "bare", {}),
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
    assert index.entries("p", asked, texts=False) == {
        entry.chunk_id: replace(entry, text="") for entry in [*written, *entries(1, first=2)]
    }
    assert index.entries("p", []) == {}
    assert index.entries("never", ["art_0:0"]) == {}


def test_the_later_of_two_entries_with_one_id_counts(index: ChromaIndex) -> None:
    """Chroma would refuse the whole batch."""
    made = units(2)
    index.upsert("p", "chunks", [*entries(1), *entries(1)], made)
    assert only_hit(index, made[1]) == "art_0:0"


@pytest.mark.exhaustive
def test_more_entries_than_one_batch_of_chroma_are_written_and_listed(index: ChromaIndex) -> None:
    """Chroma takes 5,461 at a time, and ids are read 5,000 at a time."""
    fill(index, 5_500)
    assert index.ids("p") == {f"art_{n}:0" for n in range(5_500)}


def test_texts_of_many_megabytes_are_written_in_parts(index: ChromaIndex) -> None:
    """A proxy before a server refuses large bodies; one entry over the limit still goes alone."""
    sizes = [5_000_000, *[900_000] * 8]
    written = [IndexEntry(f"art_{n}:0", "x" * size, {}) for n, size in enumerate(sizes)]
    parts = list(module._batches(range(9), written, units(9), lambda: 100))
    assert parts == [[0], [1, 2, 3, 4], [5, 6, 7, 8]]
    index.upsert("p", "chunks", written[:3], units(3))
    assert {id_: len(entry.text) for id_, entry in index.entries("p", ["art_0:0", "art_2:0"]).items()} == {
        "art_0:0": 5_000_000,
        "art_2:0": 900_000,
    }


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


def test_deleting_reaches_every_kind_and_model_and_only_this_project(index: ChromaIndex, chroma: Opener) -> None:
    """A chunk that is forgotten is in no collection any more; unknown ids are no error."""
    fill(index, 3)
    fill(index, 1, kind="turns", first=3)
    fill(index, 3, project="q")
    index.close()
    other = ChromaIndex(chroma(), Model("model-b"))
    fill(other, 3)
    other.delete("p", ["art_0:0", "art_3:0", "art_99:0"])
    assert other.ids("p") == {"art_1:0", "art_2:0"}
    other.close()
    first = ChromaIndex(chroma(), Model())
    assert (first.ids("p"), len(first.ids("q"))) == ({"art_1:0", "art_2:0"}, 3)
    first.close()


def test_dropping_removes_the_collections_of_every_model(index: ChromaIndex, chroma: Opener) -> None:
    """What is written afterwards starts from nothing."""
    fill(index, 3)
    fill(index, 3, kind="turns", first=3)
    fill(index, 1, project="q")
    index.close()
    other = ChromaIndex(chroma(), Model("model-b"))
    fill(other, 3)
    other.drop("p")
    other.drop("never")
    assert other.search("p", units(1)[0], 5) == []
    fill(other, 2)
    assert other.ids("p") == {"art_0:0", "art_1:0"}
    other.close()
    former = ChromaIndex(chroma(), Model())
    assert (former.ids("p"), former.ids("q")) == (set(), {"art_0:0"})
    former.close()


def test_a_collection_says_whose_it_is(index: ChromaIndex) -> None:
    """Project, model, dimension and kind stand in its metadata: docs/interface.md."""
    fill(index, 1, kind="turns")
    with index._open() as client:
        (collection,) = connection.list_collections(client)
    assert collection.metadata == {"project_id": "p", "model": "model-a", "dimension": DIMENSION, "kind": "turns"}


def test_vectors_of_another_dimension_are_a_conflict_that_names_both(index: ChromaIndex) -> None:
    """A model that changed under its name needs a reindex, not a retry."""
    fill(index, 1)
    wrong = np.ones((1, 3), np.float32)
    with pytest.raises(Conflict, match=r"of 3 numbers and the index keeps 16"):
        index.upsert("p", "chunks", entries(1), wrong)
    with pytest.raises(Conflict, match=r"of 3 numbers and the index keeps 16"):
        index.search("p", wrong[0], 1)


def test_threads_write_search_and_delete_at_once(index: ChromaIndex) -> None:
    """Requests and the background worker share one index from its very first call."""

    def work(number: int) -> int:
        fill(index, 50, first=number * 50, kind="turns" if number % 2 else "chunks")
        index.delete("p", [f"art_{number * 50}:0"])
        return len(index.search("p", units(1)[0], 10))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
    assert index.ids("p") == {f"art_{n}:0" for n in range(400) if n % 50}


@pytest.mark.parametrize("others", [0, pytest.param(300, marks=pytest.mark.exhaustive)])
def test_deleting_asks_for_as_many_collections_however_many_projects_there_are(
    others: int, index: ChromaIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Collections of two kinds and two models are looked up by name; nothing lists those of other projects."""
    fill(index, 2)
    index._model = "model-b"
    with index._open() as client:
        for number in range(others or 3):
            fill(index, 1, project=f"other-{number}")
        monkeypatch.setattr(client, "list_collections", lambda **_: pytest.fail("all collections were listed"))
        asked = Mock(wraps=client.get_collection)
        monkeypatch.setattr(client, "get_collection", asked)
        index.delete("p", ["art_0:0"])
        index.discard("p", "model-b")
    # The register of two models and its end, two collections of each model, and those that are discarded.
    assert asked.call_count == 3 + 4 + 2
    index._model = "model-a"
    assert index.ids("p") == {"art_1:0"}


def test_collections_without_a_register_are_found_and_entered(index: ChromaIndex, chroma: Opener) -> None:
    """An index may have been made by a release that kept no register of models."""
    fill(index, 2)
    with index._open() as client:
        connection.delete_register(client, index._chroma.missing)
    index.close()
    other = ChromaIndex(chroma(), Model("model-b"))
    fill(other, 2)
    other.delete("p", ["art_0:0"])
    assert other.ids("p") == {"art_1:0"}
    other.close()
    former = ChromaIndex(chroma(), Model())
    assert former.ids("p") == {"art_1:0"}
    former.close()


@pytest.mark.exhaustive
def test_a_collection_deleted_behind_its_back_is_looked_up_again(index: ChromaIndex) -> None:
    """Handles are kept; one that is stale fails no call."""
    fill(index, 1)
    with index._open() as client:
        client.delete_collection(next(connection.list_collections(client)).name)
    assert index.search("p", units(1)[0], 1) == []


def test_every_error_of_chroma_is_translated(index: ChromaIndex) -> None:
    """A new family of errors in another version of Chroma must be looked at."""
    index.ping()
    raised = {cls for _, cls in inspect.getmembers(chromadb.errors, inspect.isclass) if issubclass(cls, Exception)}
    assert {cls for cls in raised if not issubclass(cls, index._chroma.errors)} == set()
    for cls in raised:
        with pytest.raises(Unavailable, match=cls.__name__), index._open():
            raise cls("reason")


def test_an_index_knows_whether_it_holds_anything_of_a_project(index: ChromaIndex, chroma: Opener) -> None:
    """Of this model and either kind; what was emptied holds nothing."""
    assert not index.holds("p")
    fill(index, 1, kind="turns")
    assert (index.holds("p"), index.holds("q")) == (True, False)
    index.delete("p", ["art_0:0"])
    assert not index.holds("p")
    fill(index, 1)
    assert index.holds("p")
    index.close()
    other = ChromaIndex(chroma(), Model("model-b"))
    assert not other.holds("p")
    other.close()


def test_resetting_leaves_collections_that_no_index_made(index: ChromaIndex) -> None:
    """A team's server may hold others' collections, even some with metadata like ours."""
    fill(index, 2)
    fill(index, 2, project="q", kind="turns")
    with index._open() as client:
        for name, metadata in (("theirs", None), ("chunks-p-theirs", {"project_id": "p", "model": "model-a"})):
            client.create_collection(name, metadata=metadata, embedding_function=None)
        assert index.reset() is None
        assert {each.name for each in client.list_collections()} == {"theirs", "chunks-p-theirs"}
        assert (index.ids("p"), index.ids("q")) == (set(), set())
        index.drop("p")
        assert len(client.list_collections()) == 2
        for name in ("theirs", "chunks-p-theirs"):
            client.delete_collection(name)


def test_a_collection_made_anew_behind_its_back_is_looked_up_again(index: ChromaIndex) -> None:
    """Another process may drop and fill it; the handle that was kept then names a collection that is no more."""
    made = fill(index, 3)
    for call in (
        lambda: index.search("p", made[0], 5),
        lambda: index.ids("p"),
        lambda: index.entries("p", ["art_0:0"]),
        lambda: fill(index, 3),
        lambda: index.delete("p", ["art_0:0"]),
    ):
        with index._open() as client:
            (former,) = connection.list_collections(client)
            client.delete_collection(former.name)
            client.create_collection(
                former.name, metadata=former.metadata, embedding_function=None, configuration={"hnsw": module._HNSW}
            )
        call()


def test_threads_make_one_collection_at_the_same_moment(index: ChromaIndex) -> None:
    """All get the one that came first, and nothing is lost."""
    for round_ in range(5):
        project = f"p{round_}"
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda n, project=project: fill(index, 2, project=project, first=n * 2), range(4)))
        assert len(index.ids(project)) == 8
