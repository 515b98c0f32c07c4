"""Turns: how well each turn of a conversation answers, by speaker, neighbouring turns and kind of turn."""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.search import TermStatistics
from graph.text.term_vectors import Column, idf, saturate, terms
from graph.text.tokens import words
from retrieval.scoring.candidate_pool import Pool

#: Turns that feedback is taken from, terms taken from them, and how far a named author moves a turn up among them.
FEEDBACK_TURNS, FEEDBACK_TERMS, FEEDBACK_AUTHOR = 5, 30, 0.8
#: What the words of turns one, two and three places away count.
NEIGHBOURS: Final = (0.3, 0.2, 0.1)
#: Turns further apart in time belong to two sessions, and do not explain each other.
SESSION: Final = timedelta(hours=6)
#: Share of the questions at its end in a turn that matches in meaning only.
_UNMATCHED: Final = 0.5
#: Share of the text that questions are of a turn that only asks.
_ONLY: Final = 0.75
_I: Final = re.compile(r"\b(?:I|me|my|mine|we|our)\b")
_YOU: Final = re.compile(r"\b(?:you|your|yours)\b", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])\s+")


def author_scores(pool: Pool, names: frozenset[str]) -> Column:
    """Return 1 for each turn whose author has one of these names, in small letters, as a word of his own."""
    if not names:
        return np.zeros(len(pool))
    named: dict[str | None, float] = {None: 0.0}
    for one in pool.candidates:
        if one.author not in named:
            named[one.author] = float(not names.isdisjoint(words(one.author or "")))
    return np.array([named[one.author] if one.turn_index is not None else 0.0 for one in pool.candidates])


def add_feedback_terms(
    pool: Pool, scores: Column, own: Mapping[int, float], statistics: TermStatistics, share: float
) -> dict[int, float]:
    """Return the question's terms with the terms of the best turns, which get this share.

    RM3 (Abdul-Jaleel et al., UMass at TREC 2004), over BM25 vectors of length 1, weighed by the softmax of the scores.
    `statistics` must know the terms of those turns (`feedback_terms`).
    """
    rows = _best(scores)
    found: dict[int, float] = {}
    for row in rows:
        entries = pool.terms_at(row)
        rarity = np.array([idf(term, statistics) for term in entries["term"].tolist()])
        telling = rarity * saturate(entries["count"].astype(float), float(pool.lengths[row]), statistics)
        telling *= np.exp(scores[row] - scores[rows[0]]) / (np.linalg.norm(telling) or 1.0)
        for term, weight in zip(entries["term"].tolist(), telling.tolist(), strict=True):
            found[term] = found.get(term, 0.0) + weight
    kept = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:FEEDBACK_TERMS]
    highest = kept[0][1] if kept else 1.0
    weights = {term: share * weight / highest for term, weight in kept}
    for term, weight in own.items():
        weights[term] = weights.get(term, 0.0) + (1 - share) * weight
    return weights


def feedback_terms(pool: Pool, scores: Column) -> set[int]:
    """Return all terms of the turns that feedback is taken from."""
    return {term for row in _best(scores) for term in pool.terms_at(row)["term"].tolist()}


def _best(scores: Column) -> list[int]:
    best = np.argsort(-scores, kind="stable")[:FEEDBACK_TURNS]
    return [int(row) for row in best if np.isfinite(scores[row])]


def neighbour_rows(pool: Pool) -> dict[int, NDArray[np.intp]]:
    """Return for each step from -3 to 3 the row of the turn so many places on, -1 where that is no candidate.

    Turns of other sessions are not neighbours.
    """
    numbers: dict[str | None, int] = {}
    talks = [numbers.setdefault(one.conversation_id, len(numbers)) for one in pool.candidates]
    # Gaps beyond any step are shortened, so that keys stay small and exact.
    places, place = np.unique(pool.places, return_inverse=True)
    short = np.concatenate(([0], np.cumsum(np.minimum(np.diff(places), 10))))
    # Far enough apart that no step leads from one conversation into another.
    keys = np.array(talks) * (short[-1] + 20) + short[place]
    moments = np.array([one.happened_at.timestamp() for one in pool.candidates])
    order = np.argsort(keys, kind="stable")
    in_order, found = keys[order], {}
    for step in (step for step in range(-len(NEIGHBOURS), len(NEIGHBOURS) + 1) if step):
        at = np.minimum(np.searchsorted(in_order, keys + step), len(order) - 1)
        rows = order[at]
        is_there = (keys[rows] == keys + step) & pool.is_turn[rows] & pool.is_turn
        is_there &= np.abs(moments[rows] - moments) <= SESSION.total_seconds()
        found[step] = np.where(is_there, rows, -1)
    return found


def context_scores(near: Mapping[int, NDArray[np.intp]], scores: Column) -> Column:
    """Return the contribution of the matching turns around each one: an answer often follows the words asked for."""
    positive = np.append(np.maximum(scores, 0.0), 0.0)
    total = np.zeros(len(scores))
    for distance, weight in enumerate(NEIGHBOURS, start=1):
        total += weight * (positive[near[distance]] + positive[near[-distance]])
    return total


def answer_scores(
    near: Mapping[int, NDArray[np.intp]], scores: Column, asked: Column, is_asking: Column, named: Column | None
) -> Column:
    """Return for each turn the score of the one before it, as far as that asks for what it matches by
    (`question_shares`).

    A turn that asks back answers nothing. `named` says who is by an author that the question names, None if it names
    none: what others answer counts half.
    """
    before = np.append(np.maximum(scores, 0.0) * asked, 0.0)[near[-1]]
    return before * (1 - is_asking) * (1.0 if named is None else (1 + named) / 2)


def question_scores(pool: Pool, rows: Sequence[int]) -> Column:
    """Return 1 for each of these turns that ends in a question, ignoring brackets after it."""
    marks = np.zeros(len(pool))
    for row in rows:
        one = pool.candidates[row]
        marks[row] = one.turn_index is not None and ends_in_question(one.text)
    return marks


def ends_in_question(text: str) -> bool:
    """Whether a turn ends in a question, ignoring brackets after it."""
    return _without_aside(text).endswith(("?", "？", "؟"))


def only_asks(text: str) -> bool:
    """Whether a turn is questions, but for a word or two before them."""
    return len(_questions(text)) > _ONLY * len(_without_aside(text))


def speaks_to_another(text: str) -> bool:
    """Whether a turn speaks more of who listens than of who speaks."""
    return len(_YOU.findall(text)) > len(_I.findall(text))


def question_shares(pool: Pool, is_asking: Column, worth: Mapping[int, float]) -> Column:
    """Return for each asking turn the share of its matched terms that are in the questions at its end.

    `worth` has the terms of the query; a turn without any of them counts half.
    """
    shares = is_asking * _UNMATCHED
    for row in np.flatnonzero(is_asking).tolist():
        if matched := worth.keys() & set(pool.terms_at(row)["term"].tolist()):
            asked = matched & set(terms(_questions(pool.candidates[row].text)))
            shares[row] = sum(worth[term] for term in asked) / sum(worth[term] for term in matched)
    return shares


def _questions(text: str) -> str:
    """Return the questions that the text ends in, one after another."""
    sentences = _SENTENCE_END.split(_without_aside(text))
    told = next((number for number in range(len(sentences), 0, -1) if not sentences[number - 1].endswith("?")), 0)
    return " ".join(sentences[told:])


def _without_aside(text: str) -> str:
    """Return the text up to brackets at its end, which hold what was shared and not said."""
    text = text.rstrip()
    return text[: text.rfind("[")].rstrip() if text.endswith("]") and "[" in text else text
