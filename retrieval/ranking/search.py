"""Search: the steps from one question, over the sources, to a ranking of artifacts."""

import logging
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from operator import itemgetter
from typing import Final, TypeVar

import numpy as np

from core.dates import today
from core.errors import Conflict, Unavailable, WordIndexUnavailable, one_line
from core.filters import Filters
from core.records import Scored
from core.search import (
    USUAL_BACKGROUND,
    Candidate,
    Embedder,
    MonolingualEmbedder,
    QueryEmbedder,
    ScaledEmbedder,
    TermStatistics,
    TextStates,
    TokenEmbedder,
    Vectors,
)
from graph.store import Store
from graph.text.languages import LANGUAGE_MARK, LANGUAGE_TERMS, question_forms
from graph.text.term_vectors import Column, idf, index_terms, term, terms
from graph.text.tokens import stems, words
from retrieval.ranking.fusion import Ranked, fuse
from retrieval.ranking.recency import Newer, Period
from retrieval.ranking.sources import MOST_COPIED, CircuitBreaker, EmbeddedQuestion, FormerTexts, VectorSource
from retrieval.scoring import turns
from retrieval.scoring.candidate_pool import Pool
from retrieval.scoring.excerpts import LONG, best_passages
from retrieval.scoring.likelihood import FIRST
from retrieval.scoring.query_analysis import Analysis, rephrase_for_authors
from retrieval.scoring.recipe import Recipe
from retrieval.scoring.rolls import MOSTLY, roll_share
from retrieval.scoring.scorer import Scorer, Signals, unit_weights

T = TypeVar("T")
Place = tuple[str, int]

_log = logging.getLogger("remembrancer.ranking")

#: The longest wait for vectors, in seconds: a remote embedder that limits its rate may ask for a minute.
TIMEOUT_SECONDS: Final = 10
#: Candidates of one text; further items with it are only named.
_OF_ONE_TEXT: Final = 64
#: How many of the best turns have their neighbours as candidates, too.
_EXPANDED_TURNS: Final = 8
#: Up to this many chunks that pass a filter are all candidates.
_MOST_FILTERED: Final = 400
#: The share of the candidates asked for, one in six, that is enough where a filter leaves more chunks than that.
_ENOUGH: Final = 6
#: What meaning counts where the embedder does not know the question's language, as a share of what it counts elsewhere.
_UNREAD: Final = 0.3
#: The highest likelihood where the nearest words are by another person than the one named.
_OF_ANOTHER: Final = 0.5
#: How far ahead of the best turn of who is named the best of another is, one of them that speaks of "you" aside.
_LEADS: Final = 0.25
#: Most entities of an item among which people are looked for.
_PEOPLE: Final = 20
#: Longest name in a hint, in characters.
_NAME_LENGTH: Final = 60
#: Longest document whose passages are compared, and most chunks read for that in one answer.
_MAX_CHUNKS, _MAX_CHUNKS_READ = 300, 1_200


class Search:
    """Searches one project for one question. Used by one thread, while others embed and search the index."""

    def __init__(
        self,
        store: Store,
        source: VectorSource,
        *,
        recipe: Recipe,
        project_id: str,
        filters: Filters,
        analysis: Analysis,
        embedding: ThreadPoolExecutor,
        searching: ThreadPoolExecutor,
        breaker: CircuitBreaker,
        former: FormerTexts,
    ) -> None:
        """Start to embed the question, unless the circuit breaker is open."""
        self._store, self._source, self._recipe = store, source, recipe
        self._project_id, self._filters = project_id, filters
        embedder = source.embedder
        self._states_model = embedder.states_model if recipe.late and isinstance(embedder, TokenEmbedder) else None
        #: What the question was read as.
        self.analysis = analysis
        self._searching, self._breaker = searching, breaker
        self._former = former
        self._former_candidates: list[Candidate] | None = None
        asks_turns = recipe.author and filters.context in (None, "conversation")
        #: The names in the question that are authors of turns.
        self.authors = (
            frozenset(store.known_authors(project_id, analysis.names, as_of=filters.as_of))
            if asks_turns
            else frozenset()
        )
        self._embedding_query: Future[EmbeddedQuestion] | None = None
        #: Why vectors were not searched; None if they were.
        self.vectors_error: str | None = None
        #: Why words were not searched; None if they were.
        self.words_error: str | None = None
        #: Whether asking for more candidates may bring more.
        self.has_more = False
        #: The texts of the candidates, by place; texts of turns with their speaker.
        self.texts: dict[Place, str] = {}
        #: The conversation of each turn among them, and where it is in it.
        self.turn_places: dict[str, Place] = {}
        #: The chunks found that are whole items, by the hash of their text, those found first first.
        self._of_texts: defaultdict[str, dict[Place, None]] = defaultdict(dict)
        #: How likely the first of the first ranking hold an answer; 0 while nothing is found.
        self.likelihood = 0.0
        #: Says that another person said what is nearest than the only one named; None if it is not so.
        self.premise: str | None = None
        self._term_statistics: dict[frozenset[int], TermStatistics] = {}
        self._word_scores: dict[Place, float] = {}
        self.analysis = self._in_languages()
        if not _reads(source.embedder, self.analysis.language):
            of_model = ("meaning", "turn_meaning", "late", "turn_late")
            self._recipe = recipe = replace(recipe, **{name: getattr(recipe, name) * _UNREAD for name in of_model})
        self._query_vector: Vectors | None = None
        self._query_states: Sequence[TextStates] = ()
        self._sample = np.empty((0, 0), dtype=np.float32)
        if recipe.meaning and breaker.may_call():
            query = rephrase_for_authors(analysis.query, self.authors)
            self._embedding_query = embedding.submit(source.embed_question, query)
            self._sample = source.sample(project_id, self._statistics(()), as_of=filters.as_of)
        elif recipe.meaning:
            self.vectors_error = "They took too long just now and are not asked again for some seconds."
        day = today(filters.as_of or filters.at)
        self._period = Period.of(store, project_id, analysis.query, filters, day) if recipe.date else Period((), (), ())
        # As of a date alone, the candidates are those that a memory of then would have.
        self._is_narrowed = replace(filters, as_of=None).selects
        places = store.chunk_refs(project_id, filters, _MOST_FILTERED + 1) if self._is_narrowed else []
        #: Where all chunks are that pass, if a filter leaves few enough to be candidates.
        self._all_places = places if self._is_narrowed and len(places) <= _MOST_FILTERED else None
        self._reading: Future[None] | None = None
        if self._all_places is None and len(self._sample) and self._statistics(()).num_chunks > MOST_COPIED:
            self._reading = source.begin_reading(project_id, self._sample[0], searching)

    def rank_candidates(self, number: int, enough: int) -> list[Ranked]:
        """Return artifacts in order, from up to `number` candidates of each source and the turns around the best.

        Common words may be left out where rarer ones find `enough` chunks. Where few chunks pass all are candidates.
        """
        by_word = self._find_words(number, enough)
        # While the question is embedded.
        found = self._candidates(self._without_repeats(by_word) if self._all_places is None else self._all_places)
        near = self._search_vectors(number)
        found += self._candidates(set(self._without_repeats(near)) - set(by_word))
        found += self._former_found()
        known = {(one.artifact_id, one.index) for one in found}
        found += self._candidates({(item.id, 0) for item in self._period.items} - known)
        self.has_more = self._all_places is None and (
            len(by_word) >= min(number, enough) or len(near) >= self._enough_near(number)
        )
        scorer = self._scorer()
        pool = Pool.of(found, 0 if self._query_vector is None else len(self._query_vector))
        signals = scorer.signals(pool)
        if self._recipe.context and self._all_places is None and pool.is_turn.any() and (more := self._around(signals)):
            pool = Pool.of([*found, *more], pool.vectors.shape[1])
            signals = scorer.signals(pool)
        if not len(pool):
            return []
        placed = zip(pool.candidates, pool.places.tolist(), strict=True)
        self.turn_places.update(
            {one.artifact_id: (one.conversation_id or "", place) for one, place in placed if one.turn_index is not None}
        )
        scores = scorer.scores(signals)
        ranked = fuse(pool, *scores, self._recipe.second_chunk)
        if self._recipe.newer:
            ranked = self._newer_first(ranked, pool)
        ranked = self._period.put_period_first(ranked)
        if not self.likelihood:
            first = _rows(pool, ranked[:FIRST])
            self.likelihood = self._likely(scorer, pool, first)
            self.premise = self._check_premise(pool, scores[0], first[0])
            if self.premise is not None:
                self.likelihood = min(self.likelihood, _OF_ANOTHER)
        return ranked

    def repeats(self) -> dict[str, list[str]]:
        """Return the items that are no candidates since so many others with their text are, by the first of these."""
        of_texts = ([id_ for id_, _ in several] for several in self._of_texts.values())
        return {ids[0]: ids[_OF_ONE_TEXT:] for ids in of_texts if len(ids) > _OF_ONE_TEXT}

    def _without_repeats(self, places: Sequence[Place]) -> Sequence[Place]:
        """Return the places without those of texts of which enough are candidates: ranking them costs most."""
        if len(places) <= _OF_ONE_TEXT or self._filters.conversation_id is not None:
            return places
        hashes = self._store.text_hashes(self._project_id, places, self._filters)
        for place in places:
            if place in hashes and place[0] not in self._former.hidden:
                self._of_texts[hashes[place]].setdefault(place)
        further = {place for several in self._of_texts.values() for place in islice(several, _OF_ONE_TEXT, None)}
        return [place for place in places if place not in further]

    def _check_premise(self, pool: Pool, scores: Column, first: int) -> str | None:
        """Return a hint where one person is named, and what is nearest is by or about another."""
        if self._query_vector is not None and not pool.has_vector.all():
            return None  # what has no vector yet may be what is nearest
        another = self._another_author(pool, scores) if pool.is_turn[first] else self._another_person(pool, first)
        if another is None:
            return None
        name, by, other = another
        said = one_line(other)[:_NAME_LENGTH]
        return (
            f'The question names {name}, but the nearest words are {by} "{said}": it may be true of "{said}" instead.'
        )

    def _another_author(self, pool: Pool, scores: Column) -> tuple[str, str, str] | None:
        """Return the one author that the question names, and another whose turns are nearer.

        Who only asks says nothing of themselves, and what somebody says to "you" is about the other.
        """
        named = {word for name in self.authors for word in words(name)}
        if len(self.authors) != 1 or not self._recipe.author:
            return None
        best: dict[bool, int] = {}
        for row in np.argsort(-scores, kind="stable").tolist():
            one = pool.candidates[row]
            if pool.is_turn[row] and one.author is not None and not turns.only_asks(one.text):
                best.setdefault(not named.isdisjoint(words(one.author)), row)
            if len(best) == 2:
                break
        if False not in best:
            return None
        own, other = (None if one not in best else pool.candidates[best[one]] for one in (True, False))
        assert other is not None, "it is there"
        is_to_you = turns.speaks_to_another(other.text)
        if is_to_you and not named.isdisjoint(words(other.text)):
            return None
        leads = np.inf
        if own is not None:
            leads = scores[best[False]] - scores[best[True]] + turns.speaks_to_another(own.text) - is_to_you
        (name,) = self.authors
        return (name, "by", other.author or "") if leads >= _LEADS else None

    def _another_person(self, pool: Pool, first: int) -> tuple[str, str, str] | None:
        """Return the one person that the question names, and another whom the nearest short text names instead."""
        one, query = pool.candidates[first], self.analysis.query.lstrip()
        names = [name for name in self.analysis.names if name[0].isupper() and not query.startswith(name)]
        if one.num_chunks > 1 or len(names) != 1 or self.analysis.near:
            return None
        known = self._store.entities_by_name(self._project_id, names)
        asked = {entity.id for several in known.values() for entity in several if entity.type == "person"}
        own = set(pool.terms_at(first)["term"].tolist())
        if not asked or any(term in own for term in terms(names[0])):
            return None
        people = self._store.entities_of(
            self._project_id, [one.artifact_id], _PEOPLE, as_of=self._filters.as_of, counted=False
        )
        said = set(words(one.text))
        others = (entity.name for entity in people if entity.type == "person" and said.intersection(words(entity.name)))
        other = next(others, None)
        return None if other is None else (names[0], "about", other)

    def _likely(self, scorer: Scorer, pool: Pool, first: Sequence[int]) -> float:
        """Return how likely these rows hold an answer; of a time asked about the words that name it say nothing."""
        likely = scorer.likelihood(pool, first)
        if not (of_time := self._period.rows(pool, first)):
            return likely
        return max(likely, scorer.likelihood_at_time(pool, of_time, self._period.words))

    def _newer_first(self, ranked: list[Ranked], pool: Pool) -> list[Ranked]:
        asked = [stem for word in self.analysis.words for stem in stems(word)]
        wholes = {one.artifact_id: one for one in pool.candidates if one.num_chunks == 1}
        newer = Newer(
            asked,
            read=lambda ids: self._store.get(self._project_id, ids),
            events=lambda ids: self._store.events_of(self._project_id, ids, as_of=self._filters.as_of),
        )
        return newer.put_newer_first(ranked, wholes)

    def _former_found(self) -> list[Candidate]:
        """Return as candidates what was replaced since the time asked about."""
        if self._former_candidates is None:
            has_vector = self._query_vector is not None
            asked = unit_weights(self.analysis)
            self._former_candidates = (
                self._former.load_candidates(self._source, asked, with_vectors=has_vector) if self._former.items else []
            )
            self._keep_texts(self._former_candidates)
        return self._former_candidates

    def _keep_texts(self, candidates: Iterable[Candidate]) -> None:
        self.texts.update(
            {
                (one.artifact_id, one.index): one.text if one.turn_index is None else f"{one.author}\n{one.text}"
                for one in candidates
            }
        )

    def choose_passages(self, ranked: Sequence[Ranked]) -> list[Ranked]:
        """Return the same artifacts, the chunk of each long document chosen among all of its chunks.

        So is that of a shorter one of which a list of names was found.
        """
        if not self._recipe.passages:
            return list(ranked)
        read, chosen = 0, []
        for item in ranked:
            least = 2 if roll_share(self.texts.get((item.artifact_id, item.index), "")) > MOSTLY else LONG
            if not least <= item.num_chunks <= min(_MAX_CHUNKS, _MAX_CHUNKS_READ - read):
                chosen.append(item)
                continue
            read += item.num_chunks
            chosen.append(self._with_passages(item))
        return chosen

    def term_weights(self) -> dict[int, float]:
        """Return the question's terms, each with how rare it is in the project."""
        every = unit_weights(self.analysis)
        statistics = self._statistics(every)
        return {term: weight * idf(term, statistics) for term, weight in every.items()}

    def _with_passages(self, item: Ranked) -> Ranked:
        chunks = self._candidates((item.artifact_id, index) for index in range(item.num_chunks))
        chunks = [one for one in chunks if one.turn_index is None]
        if not chunks:
            return item
        pool = Pool.of(chunks, 0 if self._query_vector is None else len(self._query_vector))
        weights = unit_weights(self.analysis)
        asked = [stem for word in self.analysis.words for stem in stems(word)]
        met = self._scorer().met_tokens(pool)
        rows = best_passages(pool, weights, self._statistics(weights), self._query_vector, asked, met)
        first, *others = (chunks[row].index for row in rows)
        return item._replace(index=first, second=others[0] if others else None)

    def _find_words(self, number: int, enough: int) -> list[Place]:
        if not self._recipe.words:
            return []
        # In a large project common words are slow and add little: where rarer ones match, vectors find the rest.
        enough = 1 if self._embedding_query is not None else enough
        try:
            self.analysis = self._with_near()
            if self._all_places and unit_weights(self.analysis):
                return []
            forms = (form for found in self.analysis.forms.values() for form in found)
            asked = dict.fromkeys((*self.analysis.words, *self.analysis.signs, *self.analysis.near, *forms))
            found = self._store.search(self._project_id, list(asked), self._filters, number, enough=enough)
            if phrases := self.analysis.phrases:
                found = [*self._store.search(self._project_id, phrases, self._filters, number), *found]
        except WordIndexUnavailable as error:
            _log.warning("Answering without words: %s", error)
            self.words_error = str(error)
            return []
        self._word_scores = {(hit.artifact_id, hit.index): hit.score for hit in found}
        return list(self._word_scores)

    def _in_languages(self) -> Analysis:
        """Return the analysis with the further words by which the project's texts in other languages are found."""
        marked = {term(marked): marked.removeprefix(LANGUAGE_MARK) for marked in LANGUAGE_TERMS}
        # With the question's own terms and those of all its words, which are asked for next.
        own = unit_weights(self.analysis).keys() | set(terms(self.analysis.query))
        if self._filters.as_of is not None:
            # What was known then is asked for once, as it costs more: with the forms in all languages of today.
            today = self._store.term_statistics(self._project_id, list(marked)).num_with
            own |= self._forms({marked[one] for one in today})
        num_with = self._statistics(marked.keys() | own).num_with
        languages = {marked[one] for one in num_with.keys() & marked.keys()}
        forms = self._forms(languages)
        known = self._statistics(forms).num_with if forms else {}
        return self.analysis.in_languages(languages, known)

    def _forms(self, languages: Collection[str]) -> set[int]:
        return {term(form) for word in self.analysis.words for form in question_forms(word, languages)}

    def _with_near(self) -> Analysis:
        """Return the analysis with what the words may be typing errors of that no chunk has."""
        analysis = self.analysis
        num_with = self._statistics(unit_weights(analysis)).num_with
        words = (word for word in (*analysis.words, *analysis.signs) if word not in analysis.forms)
        spelled = dict.fromkeys(one for word in words for one in index_terms(word))
        unknown = [word for word in spelled if term(word) not in num_with]
        found = self._store.spelling_variants(self._project_id, unknown) if unknown else {}
        return replace(analysis, near=list(dict.fromkeys(word for some in found.values() for word in some)))

    def _search_vectors(self, number: int) -> list[Place]:
        """Return the chunks nearest to the question's vector; none if vectors are unavailable.

        None either where every chunk that passes is a candidate: then only the question's vector is waited for.
        """
        if self._embedding_query is None:
            return []
        begin = time.monotonic()
        try:
            question = _result(self._embedding_query)
            self._query_vector, self._query_states = question.vector, question.states
            if self._reading is not None:
                _result(self._reading)
            found = [] if self._all_places is not None else _result(self._searching.submit(self._nearest, number))
        except (Unavailable, Conflict) as error:
            _log.warning("Answering without vectors: %s", error)
            self._breaker.record_failure(time.monotonic() - begin)
            self._embedding_query, self._query_vector, self.vectors_error = None, None, str(error)
            self._query_states = ()
            return []
        self._breaker.record_success()
        return _places(found)

    def _nearest(self, number: int) -> list[Scored]:
        assert self._query_vector is not None, "the question is embedded"
        enough = self._enough_near(number)
        return self._source.search(self._project_id, self._query_vector, self._filters, number, enough=enough)

    def _enough_near(self, number: int) -> int:
        return number // _ENOUGH if self._is_narrowed else number

    def _around(self, signals: Signals) -> list[Candidate]:
        """Return the turns around the best ones that are no candidates yet."""
        pool = signals.pool
        best = (pool.candidates[row] for row in np.argsort(-signals.first, kind="stable") if pool.is_turn[row])
        ids = list(dict.fromkeys(one.artifact_id for one in islice(best, _EXPANDED_TURNS)))
        around = self._store.nearby_turns(self._project_id, ids, len(turns.NEIGHBOURS), self._filters)
        known = {(one.artifact_id, one.index) for one in pool.candidates}
        return self._candidates({(id_, 0) for id_ in around} - known)

    def _scorer(self) -> Scorer:
        embedder = self._source.embedder
        return Scorer(
            recipe=self._recipe,
            analysis=self.analysis,
            authors=frozenset(part for name in self.authors for part in words(name)),
            vector=self._query_vector,
            states=self._query_states,
            sample=self._sample,
            statistics=self._statistics,
            word_hits=self._word_scores,
            today=today(self._filters.as_of or self._filters.at),
            background=embedder.background if isinstance(embedder, ScaledEmbedder) else USUAL_BACKGROUND,
            is_multilingual=isinstance(embedder, QueryEmbedder),
        )

    def _statistics(self, terms: Collection[int]) -> TermStatistics:
        """Return how common terms are, at least these; the record is asked once."""
        wanted = frozenset(terms)
        if known := next((found for asked, found in self._term_statistics.items() if asked >= wanted), None):
            return known
        as_of = self._filters.as_of
        found = self._store.term_statistics(self._project_id, list(wanted), as_of=as_of)
        self._term_statistics[wanted] = found
        return found

    def _candidates(self, places: Iterable[Place]) -> list[Candidate]:
        wanted = sorted(places)
        found = self._read(wanted) if wanted else []
        found = [one for one in found if one.artifact_id not in self._former.hidden]
        self._keep_texts(found)
        return sorted(found, key=itemgetter(0, 1))  # so that ties fall in one way on every engine

    def _read(self, places: Sequence[Place]) -> list[Candidate]:
        model, states_model = self._source.embedder.model, self._states_model
        return self._store.candidates(self._project_id, model, places, self._filters, states_model=states_model)


def _reads(embedder: Embedder, language: str | None) -> bool:
    return language is None or not isinstance(embedder, MonolingualEmbedder) or language == embedder.language


def _places(found: Sequence[Scored]) -> list[Place]:
    return list(dict.fromkeys((hit.artifact_id, hit.index) for hit in found))


def _rows(pool: Pool, ranked: Sequence[Ranked]) -> list[int]:
    """Return the rows of the artifacts' best chunks."""
    rows = {(one.artifact_id, one.index): row for row, one in enumerate(pool.candidates)}
    return [rows[item.artifact_id, item.index] for item in ranked]


def _result(future: Future[T]) -> T:
    """Wait for a result, `TIMEOUT_SECONDS` at most; what has not started by then is cancelled."""
    try:
        return future.result(TIMEOUT_SECONDS)
    except TimeoutError as error:
        raise Unavailable(f"They took over {TIMEOUT_SECONDS} seconds: try again.") from error
    finally:
        future.cancel()
