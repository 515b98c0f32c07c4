"""Scoring: how the steps of the recipe come to one score a candidate.

What a question names exactly and hardly anything holds outweighs any likeness of vectors.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.interface.results import UNLIKELY
from core.search import USUAL_BACKGROUND, Background, Matrix, TermStatistics, TextStates, Vectors
from graph.text.languages import LANGUAGE_MARK, LANGUAGE_TERMS, UNKNOWN_CODE
from graph.text.term_vectors import Column, idf, term, terms
from graph.text.tokens import stems, words
from retrieval.scoring import turns
from retrieval.scoring.candidate_pool import Pool, indexed_scores, meaning_scores, word_scores
from retrieval.scoring.late_interaction import late_scores, max_sims, question_states
from retrieval.scoring.likelihood import (
    OF_TIME,
    answer_likelihood,
    likelihood_by_nearness,
    likelihood_features,
    likelihood_in_another_language,
)
from retrieval.scoring.query_analysis import Analysis, find_periods_in_query, find_periods_in_text, periods_overlap
from retrieval.scoring.recipe import Recipe

#: What a sign counts that is held whole, and one of which only the words are held: both above what other steps come to.
WHOLE, PARTS = 40.0, 20.0
#: What one counts that may have been meant.
_NEAR_SIGN: Final = 10.0
#: What more chunks than this hold is a word like others; so is what may be a name, as "Node.js" or "docs-and-tools",
#: in more than the fewer: the topic of a whole folder is named in some of its texts only.
_MOST, _MOST_NAMES = 64, 4
_NAME: Final = re.compile(r"[^\W\d_]+(?:[.-][^\W\d_]+)+")
_DIGIT: Final = re.compile(r"\d")
#: Small numbers and years date and count.
_COUNTING: Final = re.compile(r"\d{1,2}|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)", re.IGNORECASE)


def sign_scores(pool: Pool, analysis: Analysis, statistics: TermStatistics) -> Column:
    """Return `WHOLE` for each sign and quoted phrase that a row holds, `PARTS` for each that it only has the words of.

    The only word of a question is a sign, too. A sign counts only if few chunks of the project hold it.
    """
    scores = np.zeros(len(pool))
    for sign, (worth, most) in dict(_signs(analysis)).items():
        if min(statistics.num_with.get(one, 0) for one in sign) <= most:
            scores += worth * _holds(pool, sign)
    for word in analysis.near:
        if len(analysis.words) == 1 or not word.isalpha():
            scores += _NEAR_SIGN * _holds(pool, frozenset([term(word)]))
    for phrase in analysis.phrases:
        scores += _phrase_scores(pool, phrase)
    return scores


def _signs(analysis: Analysis) -> Iterator[tuple[frozenset[int], tuple[float, int]]]:
    """Yield the terms of each sign, all of which a row must have, what that counts, and in how many chunks at most."""
    is_bare = len(analysis.words) == 1
    if is_bare:
        only = analysis.words[0]
        forms = [] if len(words(only)) == 1 else [term(form) for form in analysis.forms.get(only, ())]
        yield frozenset(forms or terms(only)) or frozenset([term(only.casefold())]), (WHOLE, _MOST)
    for word in analysis.words:
        if _DIGIT.search(word) and not _COUNTING.fullmatch(word) and len(found := terms(word)) == 1:
            yield frozenset(found), (PARTS, _MOST)
    for sign in analysis.signs:
        number, most = term(sign), _MOST if is_bare or not _NAME.fullmatch(sign) else _MOST_NAMES
        yield frozenset([number]), (WHOLE, most)
        if own := frozenset(terms(sign)) - {number}:
            yield own, (PARTS, most)


def _holds(pool: Pool, sign: frozenset[int]) -> Column:
    found, _ = pool.matches(np.array(sorted(sign), dtype=np.uint32))
    return np.asarray(np.bincount(pool.rows[found], minlength=len(pool)) == len(sign), dtype=np.float64)


def _phrase_scores(pool: Pool, phrase: str) -> Column:
    own, scores = frozenset(terms(phrase)), np.zeros(len(pool))
    exact, stemmed = _spaced(words(phrase)), _spaced(stems(phrase))
    for row in np.flatnonzero(_holds(pool, own)).tolist() if own else range(len(pool)):
        text = pool.candidates[row].text
        if exact in _spaced(words(text)):
            scores[row] = WHOLE
        elif stemmed in _spaced(stems(text)):
            scores[row] = PARTS
    return scores


def _spaced(parts: list[str]) -> str:
    return f" {' '.join(parts)} "


#: The least likelihood of a first result in another language than the question: neither its words nor the distance of
#: vectors tells there that nothing is in memory.
_UNCERTAIN: Final = 0.3
_NO_LANGUAGE: Final = LANGUAGE_MARK + UNKNOWN_CODE
#: Candidates whose text is read for what it is; those that words and meaning rank lower stay as they are.
_READ: Final = 100
#: The part of the weights of a question's tokens in which all are equal where the passages of a document are compared.
_EQUAL: Final = 1 / 3
#: What a word counts that may have been meant by one that no chunk has.
_NEAR: Final = 0.5


@dataclass(frozen=True, slots=True)
class Signals:
    """What words, meaning and names say of each candidate of a pool; `first` is their sum, the same for every kind."""

    pool: Pool
    words: Column
    meaning: Column
    named: Column
    first: Column


@dataclass(frozen=True, slots=True)
class Scorer:
    """Scores the candidates of one question."""

    recipe: Recipe
    analysis: Analysis
    #: Words of the question, in small letters, that are authors' names.
    authors: frozenset[str]
    #: The question's vector and a sample of the project's; None if there are none.
    vector: Vectors | None
    sample: Vectors
    #: The states of the question's tokens, part by part; none if there are none.
    states: Sequence[TextStates]
    #: Asks the record how common terms are.
    statistics: Callable[[Collection[int]], TermStatistics]
    #: Full-text scores of the candidates, by place: the only scores of a question of stop words.
    word_hits: Mapping[tuple[str, int], float]
    #: The day the question is asked on.
    today: date
    #: On what scale the embedder's cosines are.
    background: Background = USUAL_BACKGROUND
    #: Whether the embedder compares texts across languages.
    is_multilingual: bool = False

    def signals(self, pool: Pool) -> Signals:
        """Return the scores by words and meaning alone, and by named authors."""
        words, meaning, named = self._words(pool), self._meaning(pool), self._named(pool)
        if self.is_multilingual and self.recipe.words:
            words = np.where(self._is_foreign(pool), np.maximum(words, meaning), words)
        first = self.recipe.words * words + self.recipe.meaning * meaning + turns.FEEDBACK_AUTHOR * named
        return Signals(pool, words, meaning, named, first)

    def scores(self, signals: Signals) -> tuple[Column, Column, Column]:
        """Return the scores of all steps, the scores that compare turns with documents, and the scores of signs.

        The second are by words, meaning and named authors, and by what turns answer: a short answer has none of the
        words. Signs that the question names are in neither: they outweigh all.
        """
        recipe, pool = self.recipe, signals.pool
        total, level = recipe.words * signals.words + recipe.meaning * signals.meaning, signals.first
        late = self._late(pool, signals.first)
        total, level = total + recipe.late * late, level + recipe.turn_late * late
        if pool.is_turn.any():
            of_turns, answering = self._of_turns(signals, recipe.turn_late * late)
            total, level = np.where(pool.is_turn, of_turns + answering, total), level + answering
        if recipe.date:
            total = total + recipe.date * self._dates(pool, _best(total))
        if not recipe.words:
            return total, level, np.zeros(len(pool))
        return total, level, sign_scores(pool, self.analysis, self.statistics(unit_weights(self.analysis)))

    def _of_turns(self, signals: Signals, late: Column) -> tuple[Column, Column]:
        """Return what the other steps say of turns, and what they answer."""
        recipe, pool, meaning, words = self.recipe, signals.pool, signals.meaning, signals.words
        near = turns.neighbour_rows(pool)
        first = recipe.turn_meaning * meaning + turns.FEEDBACK_AUTHOR * signals.named
        first += late + (recipe.turn_words * words if recipe.words else 0.0)
        if recipe.feedback:
            words = self._with_feedback(pool, np.where(pool.is_turn, first, -np.inf))
        total = recipe.turn_meaning * meaning + late
        total += signals.named * (recipe.author + recipe.author_meaning * np.maximum(meaning, 0.0))
        total += recipe.turn_words * words if recipe.words else 0.0
        total += recipe.context * turns.context_scores(near, words) if recipe.context else 0.0
        asking = turns.question_scores(pool, _best(total))
        total += recipe.asking * asking
        if not recipe.answering:
            return total, np.zeros(len(pool))
        asked = turns.question_shares(pool, asking, self._turn_worth())
        named = signals.named if self.authors and recipe.author else None
        return total, recipe.answering * turns.answer_scores(near, first, asked, asking, named)

    def likelihood(self, pool: Pool, best: Sequence[int]) -> float:
        """Return how likely the first of a ranking, whose rows these are, hold an answer."""
        statistics = self.statistics(unit_weights(self.analysis))
        beside = {one for word in self.analysis.forms for one in terms(word)}
        asked = {one: weight for one, weight in self._turn_weights().items() if one not in beside}
        features = likelihood_features(
            pool, best, asked, statistics, vector=self.vector, sample=self.sample, usual=self.background
        )
        likelihood = answer_likelihood(features)
        if likelihood < UNLIKELY and not self.analysis.is_read:
            likelihood = likelihood_in_another_language(features)
        elif self.analysis.language is None and features.closeness is not None and self._knows_names(statistics):
            likelihood = max(likelihood, likelihood_by_nearness(features.closeness, statistics.num_chunks))
        if self.is_multilingual and self._is_foreign(pool)[best[0]]:
            return max(likelihood, _UNCERTAIN)
        return likelihood

    def _knows_names(self, statistics: TermStatistics) -> bool:
        """Whether the project has each word that the question writes as a name, first word aside."""
        query = self.analysis.query.lstrip()
        names = (name for name in self.analysis.names if name[0].isupper() and not query.startswith(name))
        return all(one in statistics.num_with for name in names for one in terms(name)) or bool(self.analysis.near)

    def likelihood_at_time(self, pool: Pool, rows: Sequence[int], beside: Sequence[str]) -> float:
        """Return how likely these rows, from a time asked about, contain an answer, by the question's other words."""
        if not beside:
            return OF_TIME
        asked = {one: 1.0 for word in beside for one in terms(word)}
        return answer_likelihood(
            likelihood_features(pool, rows, asked, self.statistics(asked), vector=None, sample=self.sample)
        )

    def _is_foreign(self, pool: Pool) -> NDArray[np.bool_]:
        """Return which rows are in another language than the question, whose words they do not have."""
        language = self.analysis.language
        marks = [LANGUAGE_MARK + language] if language else [one for one in LANGUAGE_TERMS if one != _NO_LANGUAGE]
        found, _ = pool.matches(np.array(sorted(map(term, marks)), dtype=np.uint32))
        has_mark = np.bincount(pool.rows[found], minlength=len(pool)) > 0
        return ~has_mark if language else has_mark

    def _turn_weights(self) -> dict[int, float]:
        """Return the terms without the authors' names, which precede each of their turns, unless nothing else is
        left."""
        names = {term for name in self.authors for term in terms(name)}
        every = unit_weights(self.analysis)
        return {term: weight for term, weight in every.items() if term not in names} or every

    def _turn_worth(self) -> dict[int, float]:
        weights = self._turn_weights()
        statistics = self.statistics(weights)
        return {term: weight * idf(term, statistics) for term, weight in weights.items()}

    def _named(self, pool: Pool) -> Column:
        return turns.author_scores(pool, self.authors) if self.recipe.author else np.zeros(len(pool))

    def _words(self, pool: Pool) -> Column:
        if not self.recipe.words:
            return np.zeros(len(pool))
        near = {term(word): _NEAR for word in self.analysis.near}
        every, of_turns = near | unit_weights(self.analysis), near | self._turn_weights()
        if not every:
            return indexed_scores(pool, self.word_hits)
        statistics = self.statistics(every)
        of_chunks = word_scores(pool, every, statistics)
        if every == of_turns:
            return of_chunks
        return np.where(pool.is_turn, word_scores(pool, of_turns, statistics), of_chunks)

    def _meaning(self, pool: Pool) -> Column:
        if self.vector is None or not self.recipe.meaning:
            return np.zeros(len(pool))
        return meaning_scores(pool, self.vector, self.sample, self.background)

    def _late(self, pool: Pool, first: Column) -> Column:
        if not self.states or not self.recipe.late:
            return np.zeros(len(pool))
        return late_scores(pool, first, *self._asked_states())

    def met_tokens(self, pool: Pool) -> Column | None:
        """Return how well each row meets the question's tokens; None while one has no states."""
        if not self.states or not self.recipe.late:
            return None
        states, weights = self._asked_states()
        # What sets the passages of a document apart is less often what is rare in the project.
        return max_sims(pool, states, (1 - _EQUAL) * weights + _EQUAL / max(1, len(weights)))

    def _asked_states(self) -> tuple[Matrix, Column]:
        asked = {one for part in self.states for word in part.words for one in terms(word)}
        statistics = self.statistics(asked)
        return question_states(self.states, lambda one: idf(one, statistics))

    def _with_feedback(self, pool: Pool, first: Column) -> Column:
        own = self._turn_weights()
        statistics = self.statistics({*own, *turns.feedback_terms(pool, first)})
        return word_scores(
            pool, turns.add_feedback_terms(pool, first, own, statistics, self.recipe.feedback), statistics
        )

    def _dates(self, pool: Pool, rows: Sequence[int]) -> Column:
        """Return 1 for each row whose item is of a time that the question names, and 1 if its text mentions one."""
        found = np.zeros(len(pool))
        years = {pool.candidates[row].happened_at.year for row in rows}
        asked = find_periods_in_query(self.analysis.query, self.today, sorted(years))
        for row in rows if asked else ():
            day = pool.candidates[row].happened_at.date()
            found[row] += any(periods_overlap(days, (day, day)) for days in asked)
            spoken = list(find_periods_in_text(pool.candidates[row].text, day)) if pool.is_turn[row] else []
            found[row] += any(periods_overlap(days, others) for days in asked for others in spoken)
        return found


#: What a word as it is written counts where texts are found by a further word for it, which counts 1.
_BESIDE_FORMS: Final = 0.5


def unit_weights(analysis: Analysis) -> dict[int, float]:
    """Return the terms of the question, each with the weight 1; of words that have further words with less."""
    forms = tuple((word, tuple(several)) for word, several in analysis.forms.items())
    return dict(_unit_weights((*analysis.words, *analysis.signs), forms))


@lru_cache(64)
def _unit_weights(words: tuple[str, ...], forms: tuple[tuple[str, tuple[str, ...]], ...]) -> Mapping[int, float]:
    """Kept for the many steps of one question."""
    with_forms = {word for word, _ in forms}
    weights = {one: _BESIDE_FORMS for word, _ in forms for one in terms(word)}
    weights |= dict.fromkeys((one for word in words if word not in with_forms for one in terms(word)), 1.0)
    return weights | dict.fromkeys((term(form) for _, several in forms for form in several), 1.0)


def _best(scores: Column) -> list[int]:
    """Return the rows whose texts are read."""
    return [int(row) for row in np.argsort(-scores, kind="stable")[:_READ]]
