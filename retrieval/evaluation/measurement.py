"""Measurement: the questions asked with the graph and without it, for answers of the same size, and the figures."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log2
from statistics import fmean, median
from typing import Final

from core.interface.question import Question
from core.interface.results import Recall, Result
from retrieval.evaluation.sample import Sampled, Wanted
from retrieval.recall import Recaller


def recall_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Return which share of the relevant ids is among the first `k`; 0 if none is relevant.

    An id ranked twice counts once. Manning, Raghavan & Schütze 2008, section 8.4,
    https://nlp.stanford.edu/IR-book/html/htmledition/evaluation-of-ranked-retrieval-results-1.html
    """
    wanted = frozenset(relevant)
    return len(wanted.intersection(ranked[: max(0, k)])) / len(wanted) if wanted else 0.0


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """Return one over the place of the first relevant id, counted from 1; 0 if none is ranked.

    Its mean over questions is the MRR: Voorhees, TREC-8 question answering track report, 1999, section 2,
    https://trec.nist.gov/pubs/trec8/papers/qa_report.pdf
    """
    wanted = frozenset(relevant)
    return next((1 / place for place, found in enumerate(ranked, start=1) if found in wanted), 0.0)


def ndcg_at(ranked: Sequence[str], grades: Mapping[str, float], k: int) -> float:
    """Return the gain of the first `k`, discounted by place, divided by the gain of the best order; 0 if no grade is
    above 0.

    Gain is `2**grade - 1` and its discount `log2(place + 1)`, places counted from 1: Burges et al., Learning to rank
    using gradient descent, ICML 2005, after Järvelin & Kekäläinen, ACM TOIS 20(4), 2002. An id without a grade has 0,
    and so has one ranked before.
    """
    best = _discounted(sorted(grades.values(), reverse=True)[: max(0, k)])
    first = ranked[: max(0, k)]
    gained = [0.0 if found in first[:place] else grades.get(found, 0.0) for place, found in enumerate(first)]
    return _discounted(gained) / best if best > 0 else 0.0


def _discounted(grades: Sequence[float]) -> float:
    return sum((2**grade - 1) / log2(place + 1) for place, grade in enumerate(grades, start=1))


#: Entries of an answer: ten results and ten related events, or twenty results.
_HALF, _WHOLE = 10, 20
#: Placeholder in a ranking for every id that answers the question.
_ANSWER: Final = "the answer"


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one kind of question, asked one way: shares of the questions, and milliseconds a question took.

    Ranks count results first and related events behind them.
    """

    recall_at_1: float
    recall_at_5: float
    recall_at_10: float
    recall_at_20: float
    mrr: float
    median_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """One kind of question, with the graph (10 results, 10 related events) and without it (20 results)."""

    questions: int
    graph_on: Figures
    graph_off: Figures
    #: Questions answered within the twenty one way and not the other.
    only_on: int
    only_off: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What `evaluate` found out about a project; `bridges` is None if no two items are connected in its graph.

    Of the known items that were among the first ten, `passage_shown` is the share whose passage shown was the right
    one; None if none was. `degraded` names what some answer had to do without.
    """

    project_id: str
    seed: int
    items: int
    known_items: Comparison
    passage_shown: float | None
    bridges: Comparison | None
    degraded: list[str]


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question, asked both ways."""

    on: list[str]
    off: list[str]
    on_ms: float
    off_ms: float
    #: Whether the right passage of the item was shown; None if the item was not among the first ten.
    shown: bool | None
    degraded: frozenset[str]


def evaluate(recaller: Recaller, sampled: Sampled, progress: Callable[[int], None] | None = None) -> Evaluation:
    """Ask each question both ways, one after the other, in alternating order; `progress` is called after each.

    Raises:
        Unavailable: the record does not answer.
    """
    project_id = sampled.project_id
    _ask(recaller, project_id, _with_graph(sampled.known_items[0]))  # the first question ever loads the model

    def asked(questions: Sequence[Wanted]) -> list[_Asked]:
        answers = []
        for number, wanted in enumerate(questions):
            answers.append(_both(recaller, project_id, wanted, on_first=number % 2 == 0))
            if progress is not None:
                progress(1)
        return answers

    known, bridges = asked(sampled.known_items), asked(sampled.bridges)
    shown = [answer.shown for answer in known if answer.shown is not None]
    return Evaluation(
        project_id=project_id,
        seed=sampled.seed,
        items=sampled.items,
        known_items=_compared(known),
        passage_shown=round(fmean(shown), 4) if shown else None,
        bridges=_compared(bridges) if bridges else None,
        degraded=sorted(frozenset[str]().union(*(answer.degraded for answer in (*known, *bridges)))),
    )


def _with_graph(wanted: Wanted) -> Question:
    return Question(query=wanted.query, limit=_HALF, graph_budget=_WHOLE - _HALF, detail="full")


def _without_graph(wanted: Wanted) -> Question:
    return Question(query=wanted.query, limit=_WHOLE, expand=False, detail="full")


def _both(recaller: Recaller, project_id: str, wanted: Wanted, *, on_first: bool) -> _Asked:
    """Ask both ways, in alternating order, because the second finds warm caches."""
    if on_first:
        on, on_ms = _ask(recaller, project_id, _with_graph(wanted))
        off, off_ms = _ask(recaller, project_id, _without_graph(wanted))
    else:
        off, off_ms = _ask(recaller, project_id, _without_graph(wanted))
        on, on_ms = _ask(recaller, project_id, _with_graph(wanted))
    found = next((result for result in on.results if _answers(result, wanted)), None)
    shown = None if found is None or wanted.span is None else _shows(found, wanted)
    degraded = frozenset((*on.degraded, *off.degraded))
    return _Asked(_ranked(on, wanted), _ranked(off, wanted), on_ms, off_ms, shown, degraded)


def _ask(recaller: Recaller, project_id: str, question: Question) -> tuple[Recall, float]:
    begin = time.perf_counter()
    answer = recaller.recall(question, project_id)
    return answer, (time.perf_counter() - begin) * 1000


def _ranked(answer: Recall, wanted: Wanted) -> list[str]:
    """Return the ids of results, then of related events, with `_ANSWER` for whichever answers."""
    results = [_ANSWER if _answers(result, wanted) else result.id for result in answer.results]
    related = [
        _ANSWER if event.id == wanted.event_id or event.artifact_id in wanted.artifact_ids else event.id
        for event in answer.related
    ]
    return results + related


def _answers(result: Result, wanted: Wanted) -> bool:
    """Whether this is a wanted item, or another that holds the same sentence."""
    return result.id in wanted.artifact_ids or (wanted.sentence is not None and wanted.sentence in result.content)


def _shows(result: Result, wanted: Wanted) -> bool:
    """Whether at least half of the sentence is in the passage shown."""
    if wanted.span is None or wanted.sentence is None or wanted.sentence in result.content:
        return True
    if result.chunk is None or result.id not in wanted.artifact_ids:
        return True
    start = max(result.chunk.start_char, wanted.span.start_char)
    end = min(result.chunk.end_char, wanted.span.end_char)
    return 2 * (end - start) >= wanted.span.end_char - wanted.span.start_char


def _compared(answers: Sequence[_Asked]) -> Comparison:
    found = [(_ANSWER in answer.on, _ANSWER in answer.off) for answer in answers]
    return Comparison(
        questions=len(answers),
        graph_on=_figures([answer.on for answer in answers], [answer.on_ms for answer in answers]),
        graph_off=_figures([answer.off for answer in answers], [answer.off_ms for answer in answers]),
        only_on=found.count((True, False)),
        only_off=found.count((False, True)),
    )


def _figures(rankings: Sequence[Sequence[str]], elapsed: Sequence[float]) -> Figures:
    def recall(k: int) -> float:
        return round(fmean(recall_at(ranked, {_ANSWER}, k) for ranked in rankings), 4)

    return Figures(
        recall_at_1=recall(1),
        recall_at_5=recall(5),
        recall_at_10=recall(10),
        recall_at_20=recall(20),
        mrr=round(fmean(reciprocal_rank(ranked, {_ANSWER}) for ranked in rankings), 4),
        median_ms=round(median(elapsed), 2),
        p95_ms=round(sorted(elapsed)[ceil(0.95 * len(elapsed)) - 1], 2),
    )
