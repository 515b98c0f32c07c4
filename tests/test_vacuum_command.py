"""`vacuum`: memories of earlier releases take less room and answer as before; one that ends early does no harm."""

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import cast

import pytest

from core.dates import now
from core.errors import InvalidInput, Unavailable
from core.filters import Filters
from core.interface.caller import Caller, act_as
from core.interface.memory import Memory
from core.interface.operations import ForgetRequest
from core.interface.question import Question
from core.search import TokenEmbedder
from core.vector_format import is_half, unpack_vectors
from graph.sqlite_store import SqliteStore
from graph.sqlite_store import vacuum as vacuum_record
from graph.sqlite_store.database import connection as connections
from graph.sqlite_store.database.connection import connect
from graph.sqlite_store.database.rows import HASH_CHARS, USUALLY_GIVEN
from ingest.indexing.drift import compare_vectors
from retrieval.vectors import EmbeddedChroma
from service.app import App
from service.cli import main
from service.settings import load_settings
from service.wiring import measure_storage, vacuum
from tests.shipped import open_shipped

pytestmark = pytest.mark.timeout(300)

#: Notes, the last of which is of many chunks.
NOTES = [
    *(
        f"The {thing} of the boathouse was painted {colour}."
        for thing in ("door", "roof", "ramp")
        for colour in ("red", "blue")
    ),
    "\n\n".join(f"Step {number}: the mooring at berth {number} is checked for rust and wear." for number in range(60)),
]
QUESTIONS = ("Which colour has the roof?", "mooring at berth 41", '"painted red"')


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home of a memory as a release before this form of rows left it."""
    home = tmp_path / "home"
    with open_shipped(home) as app:
        for text in NOTES:
            app.remember(Memory(content=text))
        app.worker.drain()
        model = app.embedder.model
        ids = [one.id for one in app.store.newest("default", Filters(at=now()), len(NOTES))]
        chunks = chain.from_iterable(app.store.chunks("default", ids).values())
        hashes = [chunk.embedding_key_in("default") for chunk in chunks]
    as_before(home / "remembrancer.db", model, hashes)
    return home


def as_before(path: Path, model: str, hashes: Sequence[str]) -> None:
    """Give all rows the form that they had in releases before."""
    with opened(path) as connection:
        connection.execute("UPDATE artifacts SET given = json_patch(?, given)", (json.dumps(USUALLY_GIVEN),))
        connection.execute(
            "UPDATE chunks SET text = (SELECT content FROM contents o WHERE o.item = chunks.item) WHERE text = ''"
        )
        for table in ("chunks", "embeddings"):
            whole_hashes = [(hash_, hash_[:HASH_CHARS]) for hash_ in hashes]
            connection.executemany(f"UPDATE {table} SET hash = ? WHERE hash = ?", whole_hashes)
        connection.execute("UPDATE embeddings SET model = (SELECT name FROM models WHERE number = CAST(model AS TEXT))")
        connection.execute("DELETE FROM models")
        rows = connection.execute("SELECT rowid, vector FROM embeddings WHERE model = ?", (model,)).fetchall()
        whole = [(unpack_vectors([vector])[0].astype("<f4").tobytes(), row) for row, vector in rows]
        connection.executemany("UPDATE embeddings SET vector = ? WHERE rowid = ?", whole)
        assert len(whole) > len(NOTES)


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(connect(path)) as connection:
        yield connection


def count_short(path: Path) -> tuple[int, int, int]:
    """Return how many chunks and embeddings have a short hash, and how many embeddings have the number of a model."""
    with opened(path) as connection:
        short = f"length(hash) = {HASH_CHARS}"
        (chunks,) = connection.execute(f"SELECT count(*) FROM chunks WHERE {short}").fetchone()
        sql = f"SELECT sum({short}), sum(typeof(model) = 'blob') FROM embeddings"
        return chunks, *connection.execute(sql).fetchone()


def forms(path: Path) -> tuple[int, int, int]:
    """Return the chunks without a text of their own, the embeddings at half precision, and the size of pages."""
    with opened(path) as connection:
        (whole,) = connection.execute("SELECT count(*) FROM chunks WHERE text = ''").fetchone()
        vectors = connection.execute("SELECT vector FROM embeddings").fetchall()
        (page,) = connection.execute("PRAGMA page_size").fetchone()
    return whole, sum(is_half(vector) for (vector,) in vectors), page


def answers(app: App) -> list[object]:
    """Return what questions find, in order, with the words and roughly the scores."""
    found = [app.recall(Question(query=query, detail="full")).results for query in QUESTIONS]
    return [[(one.id, one.content, round(one.score, 3), one.chunk) for one in results] for results in found]


def check_sound(app: App) -> None:
    assert app.store.integrity_issues() == []
    assert not compare_vectors(app.store, app.index, "default")


def test_a_memory_of_an_earlier_release_answers_the_same_before_and_after(home: Path) -> None:
    """What is stored meanwhile has the new form, and stands beside the old one."""
    path = home / "remembrancer.db"
    with open_shipped(home) as app:
        before = answers(app)
        check_sound(app)
        assert app.store.count_without_states(app.embedder.model, cast("TokenEmbedder", app.embedder).states_model) == 0
    assert forms(path)[:2] == (0, 0)
    assert count_short(path) == (0, 0, 0)
    with open_shipped(home) as app:
        same = app.remember(Memory(content=NOTES[0], source="elsewhere")).id
        other = app.remember(Memory(content=f"{NOTES[0]} Twice.")).id
        app.worker.drain()
        assert count_short(path) == (1, 2, 0)
        check_sound(app)
        for id_ in (same, other):
            assert app.forget(ForgetRequest(id=id_, confirm=True)).deleted
        assert answers(app) == before
        check_sound(app)
    assert count_short(path) == (0, 0, 0)
    seen: list[tuple[int, int]] = []
    vacuum(load_settings(home), lambda done, total: seen.append((done, total)))
    whole, half, page = forms(path)
    assert (whole, page) == (len(NOTES) - 1, 4096)
    assert half > len(NOTES)
    with opened(path) as connection:
        every = connection.execute("SELECT given FROM artifacts").fetchall()
    assert [json.loads(given).keys() & USUALLY_GIVEN.keys() for (given,) in every] == [set()] * len(NOTES)
    chunks, embeddings, numbered = count_short(path)
    assert embeddings == numbered == 2 * chunks > 2 * len(NOTES)
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]
    with open_shipped(home) as app:
        assert answers(app) == before
        check_sound(app)
        gone = app.recall(Question(query=QUESTIONS[0])).results[0].id
        assert app.forget(ForgetRequest(id=gone, confirm=True)).deleted
        check_sound(app)
        assert gone not in str(answers(app))


def test_a_vacuum_that_ends_in_the_middle_is_continued(home: Path) -> None:
    """A process that is killed after any batch leaves rows of both forms, which are read alike."""
    path = home / "remembrancer.db"
    with open_shipped(home) as app:
        before = answers(app)
    code = (
        "import os, sys; from pathlib import Path; from graph.sqlite_store import vacuum\n"
        "sys.modules['graph.sqlite_store.vacuum']._BATCH, calls = 3, iter(range(1_000))\n"
        "vacuum(Path(sys.argv[1]), sys.argv[2], lambda done, total: next(calls) == int(sys.argv[3]) and os._exit(9))\n"
    )
    with open_shipped(home) as app:
        model = app.embedder.model
    states = set()
    for at in ("0", "1", "10"):
        killed = subprocess.run([sys.executable, "-c", code, str(path), model, at], timeout=120, check=False)
        assert killed.returncode == 9
        states.add(forms(path)[:2])
        with open_shipped(home) as app:
            assert answers(app) == before
            check_sound(app)
    assert len(states) == 3
    vacuum(load_settings(home), lambda done, total: None)
    assert forms(path)[0] == len(NOTES) - 1
    with open_shipped(home) as app:
        assert answers(app) == before


def test_a_disk_without_room_for_a_copy_is_refused_before_anything_changes(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says how much is needed and how much there is."""
    path = home / "remembrancer.db"
    monkeypatch.setattr(sys.modules["graph.sqlite_store.vacuum"], "free_bytes", lambda _: 1_000_000)
    with pytest.raises(Unavailable, match=r"needs \d+ MB of free space and has 1 MB.*Nothing was changed"):
        vacuum_record(path, None, lambda done, total: None)
    assert forms(path)[:2] == (0, 0)


def test_a_file_that_another_process_reads_is_not_rewritten(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told that the file is locked, and the file stays in the mode that processes share it in."""
    monkeypatch.setattr(connections, "BUSY_SECONDS", 0.1)
    path = home / "remembrancer.db"
    with SqliteStore(path) as store, store._database.reading() as reader:
        reader.execute("SELECT count(*) FROM chunks").fetchone()
        with pytest.raises(Unavailable, match="locked"):
            vacuum_record(path, None, lambda done, total: None)
    with opened(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    monkeypatch.setattr(sys.modules["graph.sqlite_store.vacuum"], "_LARGE", 0)
    vacuum_record(path, None, lambda done, total: None)
    assert forms(path)[2] == 8192


def test_the_command_gives_back_what_was_forgotten(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It prints the size of each part before and after, which `status` knows, too."""
    monkeypatch.setenv("REMEMBRANCER_HOME", str(home))
    assert main(["vacuum", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["after"] == measure_storage(load_settings(home))
    assert told["before"].keys() == told["after"].keys() == {"record", "vectors"}
    assert told["after"]["record"] < told["before"]["record"]
    assert told["after"]["vectors"] < told["before"]["vectors"]
    assert main(["status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["storage"].keys() == {"record", "vectors"}
    assert main(["vacuum"]) == 0
    assert "Now: record" in capsys.readouterr().out


def test_clients_of_some_projects_do_not_see_what_the_others_take(home: Path) -> None:
    """The size of the whole home would tell how much is stored in other projects."""
    with open_shipped(home) as app:
        app.storage = lambda: {"record": 5}
        assert app.status().storage == {"record": 5}
        with act_as(Caller("guest", projects=frozenset({"default"}))):
            assert app.status().storage is None


def test_a_folder_without_a_database_is_left_as_it_is(tmp_path: Path) -> None:
    """A process that was killed before Chroma made it, or a memory that was never embedded."""
    (tmp_path / "chroma").mkdir()
    vacuum(load_settings(tmp_path), lambda done, total: None)
    assert list((tmp_path / "chroma").iterdir()) == []


def test_a_disk_without_room_for_a_copy_of_the_index_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says how much is needed and how much there is."""
    usage = shutil.disk_usage(home)._replace(free=1_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(Unavailable, match=r"vector index .* needs \d+ MB of free space and has 0 MB"):
        EmbeddedChroma(home / "chroma").vacuum()


def test_servers_have_their_own_ways(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The message names them."""
    for name, value in (("GRAPH", "neo4j"), ("VECTORS", "server"), ("HOME", str(tmp_path))):
        monkeypatch.setenv(f"REMEMBRANCER_{name}", value)
    with pytest.raises(InvalidInput, match="chroma vacuum"):
        vacuum(load_settings(), lambda done, total: None)
