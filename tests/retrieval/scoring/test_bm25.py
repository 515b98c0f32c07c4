"""What ranking may rely on when it scores any chunk by words."""

from collections import Counter
from math import inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search import TermStatistics
from graph.text.term_vectors import K1, B, idf, terms
from retrieval.scoring.candidate_pool import bm25_scores
from tests.retrieval.ranking.candidate_parts import chunk, pool_of, statistics_of

TEXTS = st.lists(
    st.lists(st.sampled_from("boat mast sail pier crew the of".split()), max_size=9).map(" ".join), max_size=6
)
WEIGHTS = st.dictionaries(st.sampled_from("boat mast sail gull".split()), st.floats(0.1, 3), max_size=4)


def formula(text: str, weights: dict[int, float], statistics: TermStatistics) -> float:
    """Return BM25 term by term, as it is written in the paper."""
    counts, total = Counter(terms(text)), 0.0
    for term, weight in weights.items():
        with_it = statistics.num_with.get(term, 0)
        rarity = log(1 + (statistics.num_chunks - with_it + 0.5) / (with_it + 0.5))
        relative = counts.total() / max(statistics.mean_terms, 1.0)
        total += weight * rarity * counts[term] * (K1 + 1) / (counts[term] + K1 * (1 - B + B * relative))
    return total


@given(texts=TEXTS, weights=WEIGHTS)
def test_bm25_is_the_formula_for_every_chunk(texts: list[str], weights: dict[str, float]) -> None:
    """Exactly, not only for chunks that an engine's index finds; terms that no chunk has change nothing."""
    statistics = statistics_of(*texts)
    of_terms = {term: weight for word, weight in weights.items() for term in terms(word)}
    scores = bm25_scores(pool_of(*map(chunk, texts)), of_terms, statistics)
    assert scores.tolist() == pytest.approx([formula(text, of_terms, statistics) for text in texts])


def test_a_rare_term_tells_more_and_none_tells_nothing_against_a_chunk() -> None:
    """Lucene's idf is never negative, not even of a term that every chunk has."""
    statistics = statistics_of("boat", "boat mast", "boat sail")
    boat, mast, gull = terms("boat mast gull")
    assert 0 < idf(boat, statistics) < idf(mast, statistics) < idf(gull, statistics) < inf


def test_the_highest_term_number_is_found() -> None:
    """A term is a CRC-32 and needs all of 32 bits."""
    statistics = statistics_of("boat")
    pool = pool_of(chunk("boat"))
    asked = {0: 1.0, 2**32 - 1: 1.0} | dict.fromkeys(terms("boat"), 1.0)
    assert (
        bm25_scores(pool, asked, statistics).tolist()
        == bm25_scores(pool, dict.fromkeys(terms("boat"), 1.0), statistics).tolist()
    )


def test_no_terms_or_no_chunks_score_nothing() -> None:
    """A question of signs, a chunk of stop words, an empty project."""
    statistics = statistics_of()
    assert bm25_scores(pool_of(chunk("boat")), {}, statistics).tolist() == [0.0]
    assert bm25_scores(pool_of(chunk("the")), {1: 1.0}, statistics).tolist() == [0.0]
    assert bm25_scores(pool_of(), {1: 1.0}, statistics).tolist() == []
