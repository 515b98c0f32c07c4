"""Metrics: how good one ranking of ids is, from the ids that were wanted."""

from collections.abc import Collection, Mapping, Sequence
from math import log2


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
