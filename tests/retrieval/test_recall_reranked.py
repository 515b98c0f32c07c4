"""What a reranker of the user's own changes in an answer, over real stores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.errors import Unavailable
from core.interface.memory import Memory
from core.interface.question import Question
from graph.store import Store
from retrieval.vectors import ChromaIndex
from service.app import App
from tests.shipped import assembled


@dataclass(frozen=True, slots=True)
class Judge:
    """A reranker that scores a passage as the test says."""

    score: Callable[[str], float]
    name: str = "judge"

    def scores(self, query: str, passages: Sequence[str]) -> Sequence[float]:
        return [self.score(passage) for passage in passages]


def sleeps(passage: str) -> float:
    raise Unavailable("The judge sleeps: wake it.")


def boats(store: Store, index: ChromaIndex, score: Callable[[str], float]) -> App:
    app = assembled(store, index, reranker=Judge(score))
    for number in range(40):
        app.remember(Memory(content=f"Boat {number:02} is moored at pier {number % 7}.", title=f"Boat {number:02}"))
    app.remember(Memory(content="Something else.", key="boat is moored"))
    app.worker.drain()
    return app


def test_the_reranker_orders_the_first_and_no_page_repeats(store: Store, index: ChromaIndex) -> None:
    """It sees passages with their titles; what is named exactly stays first; scores fall over all pages."""
    with boats(store, index, lambda passage: float(passage[5:7])) as app:
        whole = app.recall(Question(query="boat is moored", limit=41, detail="full"))
        pages = [app.recall(Question(query="boat is moored", limit=7, offset=offset)) for offset in range(0, 41, 7)]
    assert (whole.results[0].content, whole.match_type, whole.degraded) == ("Something else.", "exact", [])
    looked_at = [result.title or "" for result in whole.results[1:31]]
    assert looked_at == sorted(looked_at, reverse=True)
    assert [result.score for result in whole.results] == sorted((r.score for r in whole.results), reverse=True)
    assert [result.id for page in pages for result in page.results] == [result.id for result in whole.results]


def test_without_the_reranker_the_answer_is_as_it_was_and_says_so(store: Store, index: ChromaIndex) -> None:
    """`degraded` names it, `hint` says why."""
    with boats(store, index, sleeps) as app:
        answer = app.recall(Question(query="boat is moored"))
        app.recaller = type(app.recaller)(app.store, app.recaller.ranker, app.tokenizer)
        plain = app.recall(Question(query="boat is moored"))
    assert answer.degraded == ["reranker"]
    assert (answer.hint or "").startswith("Results were not reranked by 'judge': The judge sleeps: wake it.")
    assert [result.id for result in answer.results] == [result.id for result in plain.results]
