"""The vector index in a folder: kept over restarts and kills, for one process at a time, rid of what was removed."""

import ctypes
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Event, Thread

import chromadb
import pytest
from chromadb.config import Settings
from chromadb.errors import InvalidArgumentError

from core.errors import Unavailable
from core.search import IndexEntry, Vectors
from retrieval.vectors import ChromaIndex, EmbeddedChroma, connection
from retrieval.vectors import index as module
from retrieval.vectors.embedded import _HEADER, _M_PERTURB, _NAMES, _SAVE_USUALLY
from tests.retrieval.vectors.vector_parts import DIMENSION, Model, fill, units


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
    head = "import sys, time; from pathlib import Path; from tests.retrieval.vectors.test_vectors_embedded import *\n"
    return subprocess.Popen(
        [sys.executable, "-c", f"{head}index = ChromaIndex(EmbeddedChroma(Path({str(folder)!r})), Model())\n{code}"],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
    )


@pytest.mark.exhaustive
def test_what_was_written_is_there_after_a_clean_end(folder: Path) -> None:
    """Ten vectors are fewer than Chroma writes to its index files by itself (chroma issue 6975)."""
    for _ in range(2):
        with in_another_process(folder, "fill(index, 10); index.close()") as writer:
            assert writer.wait(timeout=30) == 0
    again = ChromaIndex(EmbeddedChroma(folder), Model())
    assert [again.search("p", vector, 1)[0][0] for vector in units(10)] == [f"art_{n}:0" for n in range(10)]
    assert len(again.ids("p")) == 10
    again.close()


@pytest.mark.exhaustive
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
        owner.wait(timeout=60)
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


def full_text_of(folder: Path) -> str:
    """The statement that made Chroma's table of its full-text index."""
    with closing(sqlite3.connect(folder / "chroma.sqlite3")) as database:
        [(made,)] = database.execute("SELECT sql FROM sqlite_master WHERE name = 'embedding_fulltext_search'")
        return str(made)


def check_answers(index: ChromaIndex, number: int) -> None:
    """Documents, metadata and vectors are there, and a filter that needs the full-text index is refused."""
    with index._open() as client:
        (collection,) = connection.list_collections(client)
        kept = collection.get(ids=["art_3:0"], include=["documents", "metadatas"])
        assert (kept["documents"], kept["metadatas"]) == (["text 3"], [{"number": 3, "name": "name 3"}])
        assert collection.get(where={"number": 3}, include=[])["ids"] == ["art_3:0"]
        assert collection.get(where={"name": "name 4"}, include=[])["ids"] == ["art_4:0"]
        with pytest.raises(InvalidArgumentError, match="full-text search because FTS indexing is disabled"):
            collection.get(where_document={"$contains": "text"})
    assert [index.search("p", vector, 1)[0][0] for vector in units(number)] == [f"art_{n}:0" for n in range(number)]


def test_a_new_folder_has_documents_without_an_index_of_their_characters(index: ChromaIndex, folder: Path) -> None:
    """The index of all trigrams takes a third of what Chroma keeps, and nothing here reads it."""
    made = [IndexEntry(f"art_{n}:0", f"text {n}", {"number": n, "name": f"name {n}"}) for n in range(20)]
    index.upsert("p", "chunks", made, units(20))
    check_answers(index, 20)
    index.delete("p", ["art_19:0"])
    index.close()
    assert "VIRTUAL" not in full_text_of(folder)
    again = ChromaIndex(EmbeddedChroma(folder), Model())
    check_answers(again, 19)
    again.close()


def test_the_files_of_a_dropped_collection_go_with_it(index: ChromaIndex, folder: Path) -> None:
    """Its vectors, which Chroma leaves on disk; those of other projects stay."""
    made = [IndexEntry(f"art_{n}:0", f"text {n}", {"number": n}) for n in range(20)]
    for project in ("p", "q"):
        index.upsert(project, "chunks", made, units(20))
        index.delete(project, ["art_19:0"])
    index.close()
    assert len(list(folder.glob("*/header.bin"))) == 2
    again = ChromaIndex(EmbeddedChroma(folder), Model())
    again.drop("p")
    again.close()
    [kept] = folder.glob("*/")
    assert (kept / "header.bin").is_file()
    third = ChromaIndex(EmbeddedChroma(folder), Model())
    assert (len(third.ids("p")), len(third.ids("q"))) == (0, 19)
    assert third.search("q", units(20)[7], 1)[0][0] == "art_7:0"
    third.close()


@pytest.mark.parametrize("has_schema", [True, False])
def test_a_folder_with_a_full_text_index_loses_it_when_it_is_cleaned(folder: Path, *, has_schema: bool) -> None:
    """It stays where a collection says nothing of it, so that Chroma never answers `where_document` with nothing."""
    client = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
    collection = client.create_collection(
        connection.collection_name("p", "chunks", Model().model),
        metadata={"project_id": "p", "model": Model().model, "dimension": DIMENSION, "kind": "chunks"},
        configuration={"hnsw": {"space": "cosine"}},
        embedding_function=None,
    )
    number = 30
    collection.add(
        ids=[f"art_{n}:0" for n in range(number)],
        embeddings=units(number),
        documents=[f"text {n}" for n in range(number)],
        metadatas=[{"number": n, "name": f"name {n}"} for n in range(number)],
    )
    client.close()  # type: ignore[attr-defined]  # every client but the interface has it
    if not has_schema:
        with closing(sqlite3.connect(folder / "chroma.sqlite3")) as database, database:
            database.execute("UPDATE collections SET schema_str = NULL")
    index = ChromaIndex(EmbeddedChroma(folder), Model())
    index.delete("p", ["art_none:0"])
    index.close()
    assert ("VIRTUAL" in full_text_of(folder)) is not has_schema
    again = ChromaIndex(EmbeddedChroma(folder), Model())
    if has_schema:
        check_answers(again, number)
    else:
        with again._open() as client:
            (collection,) = connection.list_collections(client)
            assert len(collection.get(where_document={"$contains": "text 2"})["ids"]) == 11
    again.close()


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
        go_on.wait(60)
        real(*args)  # type: ignore[arg-type]  # handed through

    monkeypatch.setattr(module, "_write", slow)
    with ThreadPoolExecutor(1) as pool:
        write = pool.submit(fill, index, 1)
        assert writing.wait(60)
        closing = Thread(target=index.close)
        closing.start()
        go_on.set()
        closing.join(60)
        assert not closing.is_alive()
        assert write.result(60).shape == (1, DIMENSION)


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


@pytest.mark.parametrize(
    ("name", "left"), [("index_metadata.pickle", 0), ("index_metadata.pickle", 999), ("header.bin", 0)]
)
def test_an_index_that_a_killed_process_left_half_written_is_dropped(
    index: ChromaIndex, folder: Path, name: str, left: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Chroma writes these files anew each time it saves, and can't read the half of one; others are kept."""
    fill(index, _SAVE_USUALLY + 1)
    fill(index, 1, project="other")
    index.close()
    [names] = folder.glob("*/index_metadata.pickle")
    os.truncate(names.with_name(name), left)
    again = ChromaIndex(EmbeddedChroma(folder), Model())
    assert (again.holds("p"), again.ids("other")) == (False, {"art_0:0"})
    assert "was not saved whole" in caplog.text
    fill(again, 2)
    assert again.search("p", units(2)[1], 1)[0][0] == "art_1:0"
    again.close()


def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    """The message names it."""
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Unavailable, match="file/chroma"):
        ChromaIndex(EmbeddedChroma(tmp_path / "file" / "chroma"), Model()).ping()


def test_files_and_variables_of_others_do_not_change_chroma(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chroma reads `.env` in the current folder; a project's own file there must not break the index."""
    (tmp_path / ".env").write_text("REMEMBRANCER_HOME=/elsewhere\nCHROMA_URL=http://elsewhere\n")
    monkeypatch.chdir(tmp_path)
    index = ChromaIndex(EmbeddedChroma(folder), Model())
    fill(index, 1)
    index.close()


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


@pytest.mark.exhaustive
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
        owner.wait(timeout=60)
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


def test_writes_get_shorter_while_they_take_long(folder: Path) -> None:
    """Chroma keeps every other thread waiting for as long as one takes; on an idle machine they are long again."""
    chroma = EmbeddedChroma(folder)
    client = chroma.open()
    usual = chroma.max_entries(client)
    for _ in range(9):
        chroma.yield_to_others(0.3)
    assert 1 < chroma.max_entries(client) < usual
    for _ in range(9):
        chroma.yield_to_others(0.001)
    assert chroma.max_entries(client) == usual
    chroma.close(client)


def memory_given_out() -> list[bytes]:
    """Return what is in blocks of memory that were full of text when they were given back."""
    libc, size = ctypes.CDLL(None), 4_000
    libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = (
        ctypes.c_void_p,
        [ctypes.c_size_t],
        [ctypes.c_void_p],
    )
    blocks = [libc.malloc(size) for _ in range(32)]
    for block in blocks:
        ctypes.memset(block, ord("s"), size)
    for block in blocks:
        libc.free(block)
    again = [libc.malloc(size) for _ in blocks]
    found = [ctypes.string_at(block, size) for block in again]
    for block in again:
        libc.free(block)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="other allocators have no such option")
@pytest.mark.parametrize("entries", [3, _SAVE_USUALLY + 5])
def test_memory_that_a_new_index_file_may_be_saved_from_holds_nothing_of_former_texts(
    folder: Path, entries: int
) -> None:
    """Chroma saves what it has not used of its blocks, too: a secret that was only read would be in the files.

    An index that was saved before is loaded as fast as it can be.
    """
    uncleared = partial(ctypes.CDLL(None).mallopt, _M_PERTURB, 0)
    uncleared()
    index = ChromaIndex(EmbeddedChroma(folder), Model())
    fill(index, entries)
    assert not any(b"ssssssss" in one for one in memory_given_out())
    index.close()
    is_saved = any(folder.glob(f"*/{_NAMES}"))
    assert is_saved == (entries > _SAVE_USUALLY)
    uncleared()
    again = ChromaIndex(EmbeddedChroma(folder), Model())
    again.search("p", units(1)[0], 1)
    assert any(b"ssssssss" in one for one in memory_given_out()) == is_saved
    again.close()


#: A program that opens an index, and prints what it then has imported that the service never uses.
_OPENING = """
import sys
from pathlib import Path
from core.own_process import claim_process
from retrieval.vectors import ChromaIndex, EmbeddedChroma, embedded
from tests.retrieval.vectors.vector_parts import Model
{before}
index = ChromaIndex(EmbeddedChroma(Path(sys.argv[1])), Model())
index.ping()
print(*{{"grpc", "rich", "jsonschema", "overrides", "opentelemetry.sdk"}} & set(sys.modules))
{after}
index.close()
"""


def opening(folder: Path, before: str, after: str = "") -> list[str]:
    code = _OPENING.format(before=before, after=after)
    return subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True
    ).stdout.split()


def test_a_process_of_the_service_imports_nothing_of_chroma_that_is_never_used(folder: Path) -> None:
    """It takes 25 MB in each owner, and half a second of each start; whoever wants it may import it."""
    after = "from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as exporter"
    assert opening(folder, "claim_process()", f"{after}; print(callable(exporter))") == ["True"]


def test_a_program_that_uses_the_package_has_all_of_chroma(folder: Path) -> None:
    """It may have collections of its own, with Chroma's own model or traces."""
    after = "from chromadb.utils.embedding_functions import ONNXMiniLM_L6_V2 as model; print(callable(model))"
    found = opening(folder, "", after)
    assert {"grpc", "overrides", "opentelemetry.sdk", "True"} <= set(found)


def test_a_chroma_that_imports_more_is_imported_whole(folder: Path) -> None:
    """Such as one of a later release, which a person may install."""
    assert "opentelemetry.sdk" in opening(
        folder, "claim_process(); del embedded._UNUSED['opentelemetry.sdk.trace'].TracerProvider"
    )


def test_a_removal_opens_the_collections_of_its_project_alone(folder: Path) -> None:
    """At the end, too, it costs the same in one project and beside others; one of any has all of them saved."""

    def saved() -> list[int]:
        """Return how many entries each index file holds, but for empty ones."""
        numbers = (_HEADER.unpack_from(header.read_bytes())[3] for header in folder.glob("*/header.bin"))
        return sorted(number for number in numbers if number)

    index = ChromaIndex(EmbeddedChroma(folder), Model())
    for number, project in enumerate(("one", "two", "three")):
        fill(index, 3 + number, project=project)
    index.delete("two", ["art_0:0"])
    index.close()
    assert saved() == [4]

    again = ChromaIndex(EmbeddedChroma(folder), Model())
    assert [len(again.ids(project)) for project in ("one", "two", "three")] == [3, 3, 5]
    again.drop("two")
    again.close()
    assert {3, 5} <= set(saved())


def test_what_many_projects_wrote_is_found_however_few_are_kept_in_memory(
    index: ChromaIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chroma's cache of collections is never full: it would lose what is not saved yet."""
    monkeypatch.setattr(EmbeddedChroma, "most_used", 4)
    made = {f"p{number}": fill(index, 3, project=f"p{number}", first=3 * number) for number in range(9)}
    with ThreadPoolExecutor(3) as pool:
        for _ in range(2):
            found = list(pool.map(lambda one: index.search(one[0], one[1][0], 1), made.items()))
            assert [hits[0][0] for hits in found] == [f"art_{3 * number}:0" for number in range(9)]
    assert len(index._used) < 9
    index.delete("p0", ["art_0:0"])
    assert index.search("p0", made["p0"][0], 1)[0][0] != "art_0:0"


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limit")
def test_a_process_may_have_enough_open_files_for_the_cache(folder: Path) -> None:
    """Whatever it was started with, as far as the system allows it."""
    code = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (256, 8192)); fill(index, 1)"
    with in_another_process(folder, f"{code}; print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])") as process:
        assert process.communicate(timeout=60)[0].strip() == str(8 * EmbeddedChroma.most_used * 5)  # type: ignore[operator]
