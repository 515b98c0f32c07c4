"""Stashes, insights and decisions while parts are away, as step 13 of the popstash design has it, and their recovery.

The parts are real ones, taken away: an embedder that fails, an index that another holds, that is damaged, whose server
was stopped.
"""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from neo4j import Driver

from core.errors import Unavailable, WordIndexUnavailable
from core.interface.ledger import DecisionsQuestion
from core.interface.memory import Memory
from core.interface.question import Question
from core.interface.stash import PopQuestion
from core.search import TextStates, Vectors
from graph.neo4j_store.search import NO_SUCH_INDEX
from graph.store import Store
from ingest.indexing.drift import compare_vectors
from retrieval.models.local_embedder import LocalEmbedder
from retrieval.vectors import ChromaIndex, EmbeddedChroma
from retrieval.vectors import ChromaServer as ChromaAddress
from servers import ChromaServer
from service.app import App
from tests.eventually import eventually
from tests.shipped import assembled

AUTH = "User authentication implementation with JWT tokens."
LIFT = "The lift is serviced each May."
ONLY_WORDS = "Semantic search is temporarily unavailable: only exact names and words were looked at."


class Failing(LocalEmbedder):
    """The embedder of the install, which fails while it is told to."""

    fails = False

    def embed(self, texts: Sequence[str]) -> Vectors:
        self._check()
        return super().embed(texts)

    def embed_with_states(self, texts: Sequence[str]) -> tuple[Vectors, list[bytes]]:
        self._check()
        return super().embed_with_states(texts)

    def embed_question(self, texts: Sequence[str]) -> tuple[Vectors, list[TextStates]]:
        self._check()
        return super().embed_question(texts)

    def _check(self) -> None:
        if self.fails:
            raise Unavailable("The model does not answer: start it.")


def app_over(store: Store, index: ChromaIndex, embedder: LocalEmbedder) -> App:
    return assembled(store, index, embedder=embedder)


def stash(app: App, key: str, content: str) -> str:
    """Remember a stash and do what work can be done; return the status."""
    receipt = app.remember(Memory(content=content, context="stash", key=key))
    app.worker.drain()
    return receipt.status


def dark(app: App, *, missing: Sequence[str] = ()) -> None:
    """Assert what holds without vectors: writes succeed, exact names and words answer, and the answers say so.

    `missing` is what `pop` has to do without: few stashes are compared with the embeddings cached in the record, so
    that it needs the embedder only.
    """
    assert stash(app, "lift", LIFT) == "stored"
    assert stash(app, "auth-flow", AUTH) == "updated"
    decided = app.remember(Memory(content="We open at nine.", context="decision", key="hours"), wait=True)
    exact, words, none = (app.pop(PopQuestion(name=name)) for name in ("auth-flow", "serviced lift", "zebra"))
    recalled, near = app.recall(Question(query="hours")), app.recall(Question(query="serviced lift"))
    said = f" {ONLY_WORDS}" if missing else ""

    assert decided.degraded == ["vectors"]
    assert ([r.content for r in exact.results], exact.match_type, exact.degraded) == ([AUTH], "exact", [])
    assert ([r.content for r in words.results], words.match_type, words.degraded) == ([LIFT], "hybrid", [*missing])
    assert (words.message or "").startswith(said.strip())
    assert (none.results, none.degraded) == ([], [*missing])
    assert (none.message or "").startswith(
        f"No stashes found matching 'zebra'. Recent stashes: auth-flow, lift{said}"
    ), none.message
    assert (recalled.results[0].id, recalled.match_type, recalled.degraded) == (decided.id, "exact", ["vectors"])
    assert (near.results[0].content, near.degraded) == (LIFT, ["vectors"])
    assert [item.summary for item in app.decisions(DecisionsQuestion(topic="hours")).items] == ["We open at nine."]


def light(app: App) -> None:
    """Assert that everything is found by meaning again."""
    near = app.pop(PopQuestion(name="login system"))

    assert ([r.content for r in near.results], near.degraded, near.message) == ([AUTH, LIFT], [], None)
    assert app.status().pending_jobs == 0
    assert not compare_vectors(app.store, app.index, "default")


def test_an_embedder_that_fails_costs_meaning_and_nothing_else(store: Store, index: ChromaIndex) -> None:
    """What was written meanwhile is embedded once it answers again; a reindex does that at once."""
    embedder = Failing()
    with app_over(store, index, embedder) as app:
        stash(app, "auth-flow", "A first wording.")
        embedder.fails = True
        dark(app, missing=["vectors"])
        embedder.fails = False
        app.reindex("vectors")
        light(app)


def test_an_index_that_another_process_holds_costs_meaning_and_nothing_else(
    store: Store, index: ChromaIndex, embedder: LocalEmbedder, tmp_path: Path
) -> None:
    """Embedded, one process has the vectors: the second one writes, and finds by names and words."""
    index.ping()
    second = ChromaIndex(EmbeddedChroma(tmp_path / "chroma"), embedder)
    with app_over(store, second, embedder) as app:
        app.remember(Memory(content="A first wording.", context="stash", key="auth-flow"))
        dark(app)
        index.close()
        app.worker.look_at_once()
        app.reindex("vectors")
        light(app)


def test_until_the_index_is_open_few_items_are_compared_without_it(
    store: Store, index: ChromaIndex, embedder: LocalEmbedder
) -> None:
    """A process that has just started answers as later, by what the record has; that the index fails is told later."""
    with app_over(store, index, embedder) as app:
        stash(app, "auth-flow", AUTH)
        stash(app, "lift", LIFT)
        question = Question(query="login system", limit=1)
        usual = app.recall(question)
        index.close()
        opening = app.recaller.ranker.vectors.opening
        opening.set()
        early = app.recall(question)
        app.start_deferred()
        eventually(lambda: not opening.is_set())
        late = app.recall(question)

    assert [result.content for result in usual.results] == [AUTH]
    assert (early.results, early.degraded) == (usual.results, [])
    assert late.degraded == ["vectors"]


def test_an_item_without_a_vector_is_not_passed_over_while_the_index_opens(
    store: Store, index: ChromaIndex, embedder: LocalEmbedder
) -> None:
    """Where the record has not all vectors the index is waited for."""
    with app_over(store, index, embedder) as app:
        stash(app, "auth-flow", AUTH)
        app.store.drop_cached_vectors(embedder.model)
        app.recaller.ranker.vectors.opening.set()

        assert app.recall(Question(query="login system")).degraded == []
        index.close()
        assert app.recall(Question(query="login system")).degraded == ["vectors"]


def ruined(folder: Path) -> None:
    database = folder / "chroma.sqlite3"
    database.write_bytes(b"\xff" * 4096 + database.read_bytes()[4096:])


def replaced_by_a_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("not a folder", encoding="utf-8")


@pytest.mark.parametrize("away", [ruined, replaced_by_a_file])
def test_an_index_whose_folder_is_damaged_costs_meaning_and_nothing_else(
    store: Store, embedder: LocalEmbedder, tmp_path: Path, away: Callable[[Path], None]
) -> None:
    """Reindexing recovers, once a folder can be there."""
    folder = tmp_path / "vectors"
    with app_over(store, ChromaIndex(EmbeddedChroma(folder), embedder), embedder) as app:
        stash(app, "auth-flow", "A first wording.")
        app.index.close()
        away(folder)
        second = ChromaIndex(EmbeddedChroma(folder), embedder)
        with app_over(store, second, embedder) as after:
            dark(after)
            if folder.is_file():
                folder.unlink()
            after.reindex("vectors")
            light(after)


@contextmanager
def stopped(server: ChromaServer) -> Iterator[None]:
    server.kill()
    yield
    server.start()


@pytest.mark.exhaustive
def test_a_stopped_server_costs_meaning_and_nothing_else(
    store: Store, embedder: LocalEmbedder, own_chroma: ChromaServer
) -> None:
    """While the search engine is stopped, memory operations still succeed."""
    with app_over(store, ChromaIndex(ChromaAddress(own_chroma.url), embedder), embedder) as app:
        stash(app, "auth-flow", "A first wording.")
        with stopped(own_chroma):
            dark(app)
        app.reindex("vectors")
        light(app)


@pytest.mark.parametrize("engine", ["servers"], indirect=True)
def test_an_index_of_words_that_is_made_anew_costs_words_and_nothing_else(app: App, neo4j_driver: Driver) -> None:
    """On Neo4j `reindex --what keywords` begins with no full-text index: names and meaning answer meanwhile."""
    stash(app, "auth-flow", AUTH)
    stash(app, "lift", LIFT)
    neo4j_driver.execute_query("DROP INDEX words")
    exact, near = app.pop(PopQuestion(name="lift")), app.pop(PopQuestion(name="login system"))
    recalled = app.recall(Question(query="elevator maintenance"))
    with pytest.raises(WordIndexUnavailable, match="reindex --what keywords") as raised:
        app.store.search("default", ["lift"], Question(query="any").filters(), 5)
    assert NO_SUCH_INDEX in str(raised.value.__cause__), "what Neo4j says even if the index is back a moment later"
    app.reindex("keywords")

    assert (exact.match_type, [r.content for r in exact.results]) == ("exact", [LIFT])
    assert (near.results[0].content, recalled.results[0].content) == (AUTH, LIFT)
    assert recalled.degraded == ["words"]
    assert (recalled.hint or "").startswith("Words were not searched: The full-text index of Neo4j is being made")
    assert len(app.store.search("default", ["lift"], Question(query="any").filters(), 5)) == 1
    light(app)


def lost_vectors(app: App) -> None:
    app.index.drop("default")


def left_over_vectors(app: App) -> None:
    app.index.reset()


def lost_cache(app: App) -> None:
    app.store.drop_cached_vectors(app.embedder.model)


def lost_words(app: App) -> None:
    for batch in app.store.each("default"):
        for item in batch:
            app.store.rechunk("default", item.id, [])


def failed_jobs(app: App) -> None:
    app.store.queue("default", [item.id for batch in app.store.each("default") for item in batch], "embed")
    jobs = app.store.claim(["embed"], 100, timedelta(seconds=20), "a test")
    app.store.fail(jobs, "It broke.")


def interrupted_rebuild(app: App) -> None:
    app.store.set_metadata_value("rebuilding_vectors", "reuse")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "break_it", [lost_vectors, left_over_vectors, lost_cache, lost_words, failed_jobs, interrupted_rebuild]
)
@pytest.mark.both_engines
def test_a_reindex_recovers_from_any_state(app: App, break_it: Callable[[App], None]) -> None:
    """Step 13: whatever became of what is derived, it is made again from the record."""
    stash(app, "auth-flow", AUTH)
    stash(app, "lift", LIFT)
    break_it(app)
    app.reindex("all")
    light(app)
    hits = app.store.search("default", ["lift"], Question(query="lift").filters(), 5)
    [lift] = [item.id for batch in app.store.each("default") for item in batch if item.memory.key == "lift"]
    assert [hit.artifact_id for hit in hits] == [lift]
    assert app.status().failed_jobs == 0
