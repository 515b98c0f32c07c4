"""Ranking: from a query to artifacts in order, over every source that answers."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from math import inf
from typing import Final

from core.filters import Filters
from graph.store import Store
from retrieval.ranking.fusion import Folding, Ranked
from retrieval.ranking.search import TIMEOUT_SECONDS, Search
from retrieval.ranking.sources import CircuitBreaker, VectorSource, find_former_texts
from retrieval.scoring.query_analysis import Analysis, analyse_query
from retrieval.scoring.recipe import SHIPPED, Recipe

#: Fewest chunks each source is asked for.
_CANDIDATES: Final = 64
#: Chunks found by the rarest words that are enough at first, whatever page is asked for, so that pages fit together.
_ENOUGH: Final = 10
#: Candidates of each source, and how many times those wanted, after which no more are looked for among repeated texts.
_MOST_REPEATED, _MOST_TIMES = 4_096, 16
#: Score of an item whose key or id is the query, above any fused score.
EXACT_SCORE: Final = 100.0


@dataclass(frozen=True, slots=True)
class Ranking:
    """Artifacts in order, how many of the first were named exactly, and which sources were missing."""

    ranked: list[Ranked]
    exact: int
    degraded: list[str]
    #: How likely the first ones hold an answer: 1 if any was named exactly, 0 if there are none.
    likelihood: float
    #: Which source was not searched and why, for the caller; None if all were.
    hint: str | None = None
    #: The question's terms and how rare each is, by which the sentences to show are chosen.
    worth: Mapping[int, float] = field(default_factory=dict)
    #: The ids of further items with the same text as a ranked one, by its id.
    also: Mapping[str, list[str]] = field(default_factory=dict)
    #: The conversation of each turn, and where it is in it (`Pool.places`), by its id.
    turn_places: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    #: What the question was read as, and which of its names are authors of turns; None if nothing was searched.
    analysis: Analysis | None = None
    authors: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Ranker:
    """Searches the sources in parallel and ranks what they find. Safe to call from several threads."""

    store: Store
    vectors: VectorSource
    recipe: Recipe = SHIPPED
    #: Threads that embed queries, and threads that search: an index that hangs holds up no embedding.
    embedding: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(4, "remembrancer-query"))
    searching: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(4, "remembrancer-search"))
    breaker: CircuitBreaker = field(default_factory=lambda: CircuitBreaker(2 * TIMEOUT_SECONDS))

    def close(self) -> None:
        """Wait for running calls."""
        for pool in (self.embedding, self.searching):
            pool.shutdown()

    def rank(self, project_id: str, query: str, filters: Filters, wanted: int, *, skip: int = 0) -> Ranking:
        """Return at least `wanted` artifacts whenever that many of different texts pass and a vector source answers.

        Where thousands of items repeat a few texts it may be fewer, and a hint says so.

        A larger `wanted` only adds artifacts at the end, so that pages neither repeat nor skip one. After a timeout
        vectors are not searched for some seconds. The passages of the artifacts to be shown, those after the first
        `skip`, are chosen among all chunks of a long document.

        Raises:
            Unavailable: the record does not answer.
        """
        former = find_former_texts(self.store, project_id, filters, query.strip())
        named = [id_ for id_ in self.find_by_key(project_id, query.strip(), filters) if id_ not in former.hidden]
        named += former.find_by_key(query.strip())
        search = Search(
            self.store,
            self.vectors,
            recipe=self.recipe,
            project_id=project_id,
            filters=filters,
            analysis=analyse_query(query),
            embedding=self.embedding,
            searching=self.searching,
            breaker=self.breaker,
            former=former,
        )
        ranked: dict[str, Ranked] = {id_: Ranked(id_, 0, EXACT_SCORE) for id_ in named}
        folding = Folding(lambda ids: self.store.get(project_id, ids))
        candidates, enough, repeated = _CANDIDATES, _ENOUGH, None
        while True:
            _append(ranked, search.rank_candidates(candidates, enough), len(named))
            found, also = list(ranked.values()), dict[str, list[str]]()
            if filters.conversation_id is None:  # each turn of a conversation has its place in it
                found, also = folding.fold(found, search.texts, search.repeats())
            if len(found) >= wanted or not search.has_more:
                break
            if candidates == _CANDIDATES and len(ranked) >= self.store.count(project_id, filters):
                break  # a few long documents are all there is to find
            if candidates >= max(_MOST_REPEATED, _MOST_TIMES * wanted):
                num_repeated = sum(map(len, also.values()))
                repeated = (
                    f"{num_repeated} of the {num_repeated + len(found)} items found repeat the text of others, and no "
                    "further ones were looked for: narrow the question with a filter."
                )
                break
            candidates = enough = 4 * candidates
        exact = sum(item.artifact_id in set(named) for item in found)
        found[skip:wanted] = search.choose_passages(found[skip:wanted])
        errors = {"vectors": search.vectors_error, "words": search.words_error}
        degraded = [source for source, error in errors.items() if error is not None]
        missing = [f"{source.capitalize()} were not searched: {errors[source]}" for source in degraded]
        hint = " ".join(filter(None, (*missing, former.hint, search.premise, repeated)))
        likelihood = 1.0 if exact else search.likelihood
        return Ranking(
            found,
            exact,
            degraded,
            likelihood,
            hint or None,
            worth=search.term_weights(),
            also=also,
            turn_places=search.turn_places,
            analysis=search.analysis,
            authors=search.authors,
        )

    def find_by_key(self, project_id: str, query: str, filters: Filters) -> list[str]:
        """Return the items whose key, or id, is the query."""
        keyed = [artifact.id for artifact in self.store.by_key(project_id, query, filters)]
        by_id = self.store.matching_ids(project_id, [query], filters) if query.startswith("art_") else set()
        return list(dict.fromkeys([*keyed, *by_id]))


def _append(ranked: dict[str, Ranked], further: Sequence[Ranked], num_named: int) -> None:
    """Append what is not ranked yet, with no higher score than the last; each search has its own scale.

    The first `num_named` were named, and keep their place and score.
    """
    lowest = min((item.score for item in islice(ranked.values(), num_named, None)), default=inf)
    for item in further:
        if item.artifact_id in ranked:
            if ranked[item.artifact_id].score == EXACT_SCORE:
                ranked[item.artifact_id] = item._replace(score=EXACT_SCORE)
        else:
            ranked[item.artifact_id] = item if item.score <= lowest else item._replace(score=lowest)


def chunk_refs_of(ranked: Sequence[Ranked]) -> list[tuple[str, int]]:
    """Return where each artifact's best chunk is."""
    return [(item.artifact_id, item.index) for item in ranked]


def second_chunk_refs_of(ranked: Sequence[Ranked]) -> list[tuple[str, int]]:
    """Return where the chunks are that are shown with the best of an artifact."""
    return [(item.artifact_id, item.second) for item in ranked if item.second is not None]
