"""Ranking: from a query to artifacts in order, over every source that answers."""

import logging
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from math import inf
from typing import Final, TypeVar

from core.embedding import Vectors
from core.errors import Conflict, Unavailable
from core.filters import Filters
from core.records import Scored
from graph.store import Store
from retrieval.analysis import terms_of
from retrieval.fuse import Ranked, by_place, fold, fuse
from retrieval.rest import Rest
from retrieval.sources import VectorSource, by_words

T = TypeVar("T")

_log = logging.getLogger("remembrancer.ranking")

#: Fewest chunks each source is asked for: standardised scores need that many to mean something.
_CANDIDATES: Final = 200
#: Longest wait for vectors, in seconds: a remote embedder that limits its rate may ask for a minute.
_PATIENCE: Final = 10
#: Score of an item whose key or id is the query, above any fused score.
EXACT_SCORE: Final = 100.0


@dataclass(frozen=True, slots=True)
class Ranking:
    """Artifacts in order, how many of the first were named exactly, and which sources were missing."""

    ranked: list[Ranked]
    exact: int
    degraded: list[str]
    #: Why vectors were not looked at, for who asks; None if they were.
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Ranker:
    """Asks the sources side by side and fuses what they find. Safe to call from several threads."""

    store: Store
    vectors: VectorSource
    #: Threads that embed queries, and threads that search: an index that hangs holds up no embedding.
    embedding: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(4, "remembrancer-query"))
    searching: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(4, "remembrancer-search"))
    rest: Rest = field(default_factory=lambda: Rest(2 * _PATIENCE))

    def close(self) -> None:
        """Wait for what is under way."""
        for pool in (self.embedding, self.searching):
            pool.shutdown()

    def rank(self, project_id: str, query: str, filters: Filters, wanted: int) -> Ranking:
        """Return at least `wanted` artifacts whenever that many pass the filters and a vector source answers.

        What is asked for first is ranked first; whoever wants more gets more at the end, so that pages neither repeat
        nor leave out. Vectors that kept a question waiting in vain are left alone for some seconds.

        Raises:
            Unavailable: the record does not answer.
        """
        exact = self._exact(project_id, query.strip(), filters)
        vector = self.embedding.submit(self.vectors.vector, query) if self.rest.may_ask() else None
        terms = terms_of(query)
        ranked: dict[str, Ranked] = {}
        candidates = _CANDIDATES
        near: list[Scored] | None = None if vector is None else []
        missing = None if vector is not None else "They took too long just now and are left alone for some seconds."
        while True:
            words = by_words(self.store, project_id, terms, filters, candidates)
            if vector is not None and near is not None:  # vectors that did not answer once are not waited for again
                try:
                    near = self._near(project_id, vector, filters, candidates)
                except (Unavailable, Conflict) as error:
                    near, missing = None, str(error)
            _append(ranked, fold(fuse([by_place(found) for found in (words, near) if found is not None])))
            more = any(found is not None and len(found) >= candidates for found in (words, near))
            if len(ranked) >= wanted or not more:
                break
            candidates *= 4
        named = {item.artifact_id for item in exact}
        rest = [item for item in ranked.values() if item.artifact_id not in named]
        without = None if missing is None else f"Vectors were not looked at: {missing}"
        return Ranking(exact + rest, len(exact), [] if missing is None else ["vectors"], without)

    def _exact(self, project_id: str, query: str, filters: Filters) -> list[Ranked]:
        """Return the items whose key, or id, is the query."""
        keyed = [artifact.id for artifact in self.store.by_key(project_id, query, filters)]
        by_id = self.store.passing(project_id, [query], filters) if query.startswith("art_") else set()
        return [Ranked(identity, 0, EXACT_SCORE) for identity in dict.fromkeys([*keyed, *by_id])]

    def _near(self, project_id: str, vector: Future[Vectors], filters: Filters, candidates: int) -> list[Scored]:
        """Return the chunks nearest to the query's vector.

        Raises:
            Unavailable: the embedder or the index does not answer, or not in time.
            Conflict: the vectors are of another model.
        """
        begin = time.monotonic()
        try:
            made = _result(vector)
            found = _result(self.searching.submit(self.vectors.search, project_id, made, filters, candidates))
        except (Unavailable, Conflict) as error:
            _log.warning("Answering without vectors: %s", error)
            self.rest.failed(time.monotonic() - begin)
            raise
        self.rest.answered()
        return found


def _result(future: Future[T]) -> T:
    """Wait for a result, `_PATIENCE` at most; what has not begun by then never will."""
    try:
        return future.result(_PATIENCE)
    except TimeoutError as error:
        raise Unavailable(f"They took over {_PATIENCE} seconds: try again.") from error
    finally:
        future.cancel()


def _append(ranked: dict[str, Ranked], further: Sequence[Ranked]) -> None:
    """Put what is not ranked yet at the end, with no higher score than the last; each search has its own scale."""
    lowest = min((item.score for item in ranked.values()), default=inf)
    for item in further:
        ranked.setdefault(item.artifact_id, replace(item, score=min(item.score, lowest)))


def places_of(ranked: Sequence[Ranked]) -> list[tuple[str, int]]:
    """Return where each artifact's best chunk is."""
    return [(item.artifact_id, item.index) for item in ranked]
