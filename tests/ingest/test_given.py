"""What callers told of a text is found in their own words."""

from collections.abc import Sequence
from typing import Any

import pytest

from core.interface.learning import AnnotatedMemory, GivenEvent, LearnRequest
from core.interface.memory import Memory
from core.interface.operations import ForgetRequest
from core.interface.question import Question
from core.interface.results import Result
from core.knowledge.findings import Extraction, FoundEvent
from core.records import Chunk
from ingest.given import add_restatements
from ingest.indexing.drift import compare_vectors
from ingest.intake.chunker import split_into_chunks
from ingest.runs.run import get_run, roll_back
from retrieval.models.local_embedder import LocalEmbedder
from service.app import App

PROJECT = "default"
TEXT = (
    "Minutes of the harbour board.\n\n"
    + "The weather was fair. " * 80
    + "\nWe'll go with the second offer.\n"
    + "Tea. " * 90
)
QUOTE = "We'll go with the second offer."
CHOSEN = GivenEvent(category="Decision", quote=QUOTE, summary="Kelvin Brothers supply the crane")
OTHERS = ("The crane was painted.", "Brothers and sisters met.", "A supply of tea came in.")


def chunks_of(app: App, id_: str) -> Sequence[Chunk]:
    return app.store.chunks(PROJECT, [id_])[id_]


def said(app: App, id_: str) -> list[tuple[str, str]]:
    """Return the end of each restatement's prefix, and its text."""
    return [(chunk.prefix.splitlines()[-1], chunk.text) for chunk in chunks_of(app, id_) if chunk.is_restatement]


def first(app: App, **asked: Any) -> Result:
    query = Question(query="who supplies the crane: Kelvin Brothers?", expand_neighbors=True, **asked)
    return app.recall(query, PROJECT).results[0]


def test_an_item_is_found_by_what_was_told_of_it_and_shows_its_own_words(app: App) -> None:
    """Words and vectors both have it; what is shown is the text, around the quote."""
    id_ = app.remember(Memory(content=TEXT), PROJECT, wait=True).id
    for other in OTHERS:
        app.remember(Memory(content=other), PROJECT, wait=True)
    assert first(app).id != id_
    app.learn(LearnRequest(id=id_, events=(CHOSEN,)), PROJECT)
    app.worker.drain()

    assert said(app, id_) == [("Kelvin Brothers supply the crane — ", QUOTE)]
    brief, full = first(app), first(app, detail="full")
    assert (brief.id, full.id) == (id_, id_)
    assert QUOTE in brief.content
    assert "Kelvin" not in brief.content
    assert QUOTE in full.content
    assert full.chunk is not None
    assert full.content == TEXT[full.chunk.start_char : full.chunk.end_char] != QUOTE
    assert full.neighbors is not None
    assert all(len(neighbour.content) > len(QUOTE) for neighbour in full.neighbors)
    assert not compare_vectors(app.store, app.index, PROJECT)


def test_restatements_go_with_what_was_told(app: App) -> None:
    """Told anew, rolled back, in an edited text, cut again, forgotten: they are what holds then."""
    kept = app.remember(AnnotatedMemory(content=TEXT, key="minutes", events=(CHOSEN,)), PROJECT, wait=True)
    before = chunks_of(app, kept.id)
    assert len(said(app, kept.id)) == 1
    again = GivenEvent(category="Decision", quote=QUOTE, summary="Moss & Sons supply it")
    learnt = app.learn(LearnRequest(id=kept.id, events=(again,)), PROJECT)
    app.worker.drain()
    assert said(app, kept.id) == [("Moss & Sons supply it — ", QUOTE)]

    assert learnt.run_id is not None
    roll_back(get_run(PROJECT, learnt.run_id, app.store), app.store)
    app.worker.drain()
    assert chunks_of(app, kept.id) == before
    edited = app.remember(Memory(content=f"Harbour board, edited.\n\n{TEXT}", key="minutes"), PROJECT, wait=True)
    assert said(app, edited.id) == [("Kelvin Brothers supply the crane — ", QUOTE)]
    assert kept.run_id is not None
    roll_back(get_run(PROJECT, kept.run_id, app.store), app.store)
    app.worker.drain()
    assert said(app, edited.id) == []
    assert not compare_vectors(app.store, app.index, PROJECT)
    app.forget(ForgetRequest(id=edited.id, confirm=True), PROJECT)
    app.worker.drain()
    assert app.index.ids(PROJECT) == set()


@pytest.mark.parametrize("signs", ["word ", "字", "🦆", "ᄒ", "x"])
def test_long_summaries_and_quotes_are_cut_to_the_window(embedder: LocalEmbedder, signs: str) -> None:
    """Each has its share of it; what is a quote stays one."""
    tokenizer, content = embedder.tokenizer, f"Board.\n\n## {signs * 50}\n\n{signs * 1000}"
    chunks, _ = split_into_chunks("art_0123456789ab", Memory(content=content, title=signs * 40), tokenizer)
    event = FoundEvent("Decision", signs * 700, content[chunks[-1].start_char :], chunks[-1].start_char)
    *texts, last = add_restatements(chunks, Extraction((), (event,)), tokenizer)

    assert texts == chunks
    assert last.text == content[last.start_char : last.end_char]
    assert len(tokenizer.token_bounds(last.embedded_text)) <= tokenizer.window_tokens
    assert len(last.embedded_text.encode()) <= tokenizer.window_bytes


def test_a_summary_that_is_the_quote_adds_nothing(embedder: LocalEmbedder) -> None:
    """The text has these words."""
    chunks, _ = split_into_chunks("art_0123456789ab", Memory(content="We sell\nthe boat."), embedder.tokenizer)
    told = Extraction((), (FoundEvent("Decision", "We sell the boat.", "We sell\nthe boat.", 0),))
    assert add_restatements(chunks, told, embedder.tokenizer) == chunks
