"""Late interaction in a whole memory: states are kept with every text, go with it, and are made again."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from core.interface.memory import Memory
from core.interface.operations import ForgetRequest
from core.interface.question import Question
from graph.sqlite_store import SqliteStore
from graph.sqlite_store.database.rows import MODEL
from graph.store import Store
from ingest.indexing.rebuild import Part
from retrieval.models.local_embedder import LocalEmbedder
from service.app import App
from service.cli import main
from tests.contracts.transferring import exported, imported

STATES = LocalEmbedder.states_model
NOTES = (
    "The ferry to the island leaves at nine.",
    "A permit is needed for boats longer than ten metres.",
    "The harbour master has the keys of the gate.",
    "Crab pots are stored behind the fish market.",
    "The lighthouse gets a new lamp in spring.",
    "Visitors park their cars at the old cannery.",
    "The island's bakery opens before the first crossing.",
)
PROJECTS = ("default", "other")


@pytest.fixture
def filled(app: App) -> App:
    """Two projects with the same notes, and a conversation."""
    for project_id in PROJECTS:
        for text in NOTES:
            app.remember(Memory(content=text), project_id)
        for number, said in enumerate(("When does the boat to the island go?", "At nine, as always.")):
            turn = Memory(
                content=said, context="conversation", conversation_id="c", turn_index=number, author=f"Speaker{number}"
            )
            app.remember(turn, project_id)
    app.worker.drain()
    return app


def keys(store: Store, project_id: str) -> list[str]:
    """Return the keys of all texts of a project."""
    ids = [item.id for batch in store.each(project_id) for item in batch]
    return [chunk.embedding_key_in(project_id) for some in store.chunks(project_id, ids).values() for chunk in some]


def order(app: App, query: str = "When can I cross to the island by boat?") -> list[str]:
    return [result.id for result in app.recall(Question(query=query)).results]


@pytest.mark.both_engines
def test_every_text_has_its_states_and_loses_them_when_it_is_forgotten(filled: App) -> None:
    """Chunks and turns, each project for itself: equal texts of two projects share nothing."""
    own, others = (keys(filled.store, project_id) for project_id in PROJECTS)
    assert not set(own) & set(others)
    assert filled.store.keys_with_states(STATES, own + others) == {*own, *others}
    for item in [item for batch in filled.store.each("default") for item in batch]:
        filled.forget(ForgetRequest(id=item.id, confirm=True))
    assert filled.store.keys_with_states(STATES, own + others) == set(others)


@pytest.mark.both_engines
def test_a_memory_without_states_ranks_as_before_until_it_is_reindexed(filled: App) -> None:
    """One that an earlier release made; a part of it reindexed, and then all of it."""
    every = keys(filled.store, "default") + keys(filled.store, "other")
    model = filled.embedder.model
    with_states = order(filled)
    assert filled.store.count_without_states(model, STATES) == 0
    filled.store.drop_cached_vectors(STATES)
    assert set(order(filled)) == set(with_states)
    assert filled.store.count_without_states(model, STATES) == len(every)
    filled.reindex("vectors", Part(contexts=("conversation",), project_id="default"))
    assert len(filled.store.keys_with_states(STATES, every)) == 2
    assert set(order(filled)) == set(with_states)
    filled.reindex("vectors")
    assert filled.store.keys_with_states(STATES, every) == set(every)
    assert order(filled) == with_states


@pytest.mark.both_engines
def test_states_of_another_projection_are_made_again(filled: App) -> None:
    """They say nothing to this one; nothing of them is left."""
    every = keys(filled.store, "default")
    former = f"{filled.embedder.model}/former"
    filled.store.cache_states(former, dict.fromkeys(every, b"s" * 16))
    assert filled.store.keys_with_states(STATES, every) == set()
    filled.reindex("vectors")
    assert filled.store.keys_with_states(STATES, every) == set(every)
    assert filled.store.keys_with_states(former, every) == set()


@pytest.mark.both_engines
def test_a_question_meets_the_text_that_says_it_in_other_words(filled: App) -> None:
    """Nothing of the text's words is asked for."""
    asked = order(filled, "What time is the crossing by ship?")
    texts = {item.id: item.memory.content for batch in filled.store.each("default") for item in batch}
    assert "ferry" in texts[asked[0]] or "crossing" in texts[asked[0]] or "boat" in texts[asked[0]]


@pytest.mark.both_engines
@pytest.mark.parametrize("query", ["of the", "?!", "ferry " * 800, "Wann fährt das Schiff zur Insel?", "🚢🚢"])
def test_any_question_is_answered(filled: App, query: str) -> None:
    """Of stop words, of signs, of 5,000 characters, in another language."""
    assert filled.recall(Question(query=query[:5_000])).degraded == []


def test_an_export_holds_no_states_and_an_import_makes_them(
    filled: App, embedder: LocalEmbedder, tmp_path: Path
) -> None:
    """With its vectors or without; so an imported memory ranks as the one it came from."""
    for model in (None, filled.embedder.model):
        written = exported(filled.store, model=model)
        assert STATES.encode() not in written
        with SqliteStore(tmp_path / f"{model}.db") as target:
            imported(target, written, embedder)
            assert target.keys_with_states(STATES, keys(target, "default")) == set()
            assert target.job_counts().pending > 0


def test_doctor_says_that_states_are_missing_and_what_mends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A warning: answers are right without them, and better with them."""
    monkeypatch.setenv("REMEMBRANCER_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("REMEMBRANCER_EMBEDDER", raising=False)
    assert main(["remember", "The ferry leaves at nine."]) == 0
    capsys.readouterr()
    assert main(["doctor"]) == 0
    assert "have no states" not in capsys.readouterr().out
    with sqlite3.connect(tmp_path / "home" / "remembrancer.db") as record:
        record.execute(f"DELETE FROM embeddings WHERE model = {MODEL.format('?1')}", (STATES,))
    assert main(["doctor"]) == 0
    [told] = [line for line in capsys.readouterr().out.splitlines() if "have no states" in line]
    assert told.startswith("warning vectors   1 texts have no states")
    assert told.endswith("run `remembrancer reindex --what vectors`.")
    assert main(["reindex", "--what", "vectors"]) == 0
    capsys.readouterr()
    assert main(["doctor"]) == 0
    assert "have no states" not in capsys.readouterr().out


_KILLED = """
import os, signal, sys
from pathlib import Path
from graph.sqlite_store import SqliteStore
from graph.sqlite_store.item_writer import SqliteEmbeddings
from service.cli import main
kept = getattr(SqliteEmbeddings, sys.argv[1])
def kill(self, *given):
    if sys.argv[2] == "behind":
        kept(self, *given)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(SqliteStore, sys.argv[1], kill)
main(["remember", "The ferry leaves at nine.", "--wait"])
"""


@pytest.mark.parametrize("write", ["cache_states", "cache_vectors"])
@pytest.mark.parametrize("when", ["before", "behind"])
def test_a_process_that_is_killed_between_states_and_vectors_leaves_neither_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: str, when: str
) -> None:
    """The job of the item is done again, and then the text has both."""
    monkeypatch.setenv("REMEMBRANCER_HOME", str(tmp_path / "home"))
    killed = subprocess.run([sys.executable, "-c", _KILLED, write, when], capture_output=True, text=True, check=False)
    assert killed.returncode == -9, killed.stderr
    assert main(["reindex", "--what", "vectors"]) == 0
    with SqliteStore(tmp_path / "home" / "remembrancer.db") as store:
        every = keys(store, "default")
        assert len(every) == 1
        assert store.keys_with_states(STATES, every) == store.cached_vectors(LocalEmbedder.model, every).keys()


def test_a_text_takes_no_more_than_is_promised(embedder: LocalEmbedder) -> None:
    """2.5 kB a chunk, whatever the text."""
    texts = [json.dumps({f"k{number}": number for number in range(40)}), " ".join(NOTES * 4)[:900], "0x4f " * 60]
    _, states = embedder.embed_with_states(texts)
    assert max(map(len, states)) <= 2_500
