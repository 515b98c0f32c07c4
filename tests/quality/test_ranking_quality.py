"""Floors under the quality of ranking, on a made-up corpus: a changed weight that costs quality falls below one."""

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import pytest
import yaml

from core.interface.memory import Memory
from core.interface.question import Question
from core.interface.results import Receipt
from graph.sqlite_store import SqliteStore
from retrieval.evaluation.measurement import reciprocal_rank
from retrieval.vectors import ChromaIndex, EmbeddedChroma
from service.app import App
from tests.shipped import assembled, shipped_embedder

HERE: Final = Path(__file__).parent
#: Questions whose answer comes first, and is among the first three; the mean over all of 1 / place.
FIRST, IN_THREE, MEAN_RECIPROCAL_RANK = 48, 58, 0.885


def loaded(name: str) -> Any:
    return yaml.safe_load((HERE / name).read_text(encoding="utf-8"))


def memories() -> dict[str, Memory]:
    """Return the items of the corpus by the names that questions give them."""
    corpus = loaded("corpus.yaml")
    notes = {name: Memory(content=text, date=day.isoformat()) for name, day, text in corpus["notes"]}
    documents = {
        one["id"]: Memory(content=one["text"], context=one["context"], title=one["title"], date=one["date"].isoformat())
        for one in corpus["documents"]
    }
    turns = {
        f"chat-{index}": Memory(
            content=text,
            context="conversation",
            conversation_id="chat",
            turn_index=index,
            author=author,
            date=f"2026-03-14T10:{index:02}:00+00:00",
        )
        for index, (author, text) in enumerate(corpus["chat"])
    }
    return notes | documents | turns


@pytest.fixture(scope="module")
def remembered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[App, dict[str, str]]]:
    """The service over the whole corpus, and the names of the items by their ids."""
    home = tmp_path_factory.mktemp("quality")
    index = ChromaIndex(EmbeddedChroma(home / "chroma"), shipped_embedder())
    with SqliteStore(home / "record.db") as store, assembled(store, index) as app:
        corpus = memories()
        receipts = app.remember_many(list(corpus.values())).results
        app.worker.drain()
        ids = [receipt.id for receipt in receipts if isinstance(receipt, Receipt)]
        yield app, dict(zip(ids, corpus, strict=True))
    index.close()


def found(app: App, names: dict[str, str], query: str, wanted: list[str]) -> list[str]:
    """Return the names of the results, best first; a result of several turns has the name of one that is wanted."""
    question = Question(query=query, limit=10, expand=False, include_events=False, include_entities=False)
    shown = [
        [names[id_] for id_ in (result.id, *(turn.id for turn in result.turns or ()))]
        for result in app.recall(question).results
    ]
    return [next((name for name in several if name in wanted), several[0]) for several in shown]


def test_answers_come_first(remembered: tuple[App, dict[str, str]]) -> None:
    """The floors are one question below what is reached: 60 questions, each with the items that answer it."""
    questions = loaded("questions.yaml")
    ranked = [(query, found(*remembered, query, wanted), wanted) for query, *wanted in questions]
    first = [query for query, names, wanted in ranked if names[:1] and names[0] in wanted]
    third = [query for query, names, wanted in ranked if not set(names[:3]).isdisjoint(wanted)]
    missed = [(query, names[:3]) for query, names, _ in ranked if query not in first]

    assert len(questions) == 60
    assert len(first) >= FIRST, missed
    assert len(third) >= IN_THREE, missed
    assert fmean(reciprocal_rank(names, wanted) for _, names, wanted in ranked) >= MEAN_RECIPROCAL_RANK, missed
