"""Sources: each finds chunks of one project in its own way, filters honoured before ranking.

A source that has just timed out is not asked. Former texts are items that were current under their keys as of a time,
and were replaced later.
"""

import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from threading import Event
from typing import Final

import numpy as np

from core.errors import MemoryServiceError
from core.filters import Filters
from core.records import Artifact, KeyHolder, Scored
from core.search import (
    Candidate,
    Embedder,
    QueryEmbedder,
    TermStatistics,
    TextStates,
    TokenEmbedder,
    Tokenizer,
    VectorIndex,
    Vectors,
)
from graph.store import Store
from graph.text.term_vectors import packed_counts, terms, word_counts
from graph.vector_checks import check_model, check_not_lost

#: Failures faster than this, in seconds, do not open the circuit: the next question may call again.
_SLOW: Final = 1.0
#: How long the circuit stays open after one that took longer, in seconds.
_OPEN_SECONDS: Final = 3.0


@dataclass(slots=True)
class CircuitBreaker:
    """Decides who may call: everybody, or after a slow failure one trial call every few seconds.

    Safe to call from several threads.
    """

    #: The longest that a call takes, in seconds: so long nobody else makes a trial call.
    timeout_seconds: float
    _open_until: float | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def may_call(self) -> bool:
        """Whether the caller may call now; it then reports `record_success` or `record_failure`, which others wait for
        if open."""
        with self._lock:
            if self._open_until is None:
                return True
            if time.monotonic() < self._open_until:
                return False
            self._open_until = time.monotonic() + self.timeout_seconds
            return True

    def record_success(self) -> None:
        """Close the circuit."""
        with self._lock:
            self._open_until = None

    def record_failure(self, seconds: float) -> None:
        """Open the circuit if the failure took long, or keep it open."""
        with self._lock:
            if seconds >= _SLOW or self._open_until is not None:
                self._open_until = time.monotonic() + _OPEN_SECONDS


#: How many times more the index is asked for at once where few of its answer pass a filter. Chroma's own filters cost
#: about 1 ms for every 1,000 rows of a collection, whatever they keep.
_STEP: Final = 16
#: Longest text whose vector is computed for a question, in characters.
_LONGEST_TEXT: Final = 20_000
#: Of up to so many chunks that pass a filter the vectors are compared one by one, from the record's cache, rather than
#: that the index is asked for more.
MOST_COPIED: Final = 4_000
#: Embeddings of a project that a question's cosines are compared with, and projects and times of which they are kept.
_SAMPLE, _SAMPLED = 128, 64


@dataclass(frozen=True, slots=True)
class EmbeddedQuestion:
    """A question's vector, and the states of its parts' tokens; none if the embedder keeps no states."""

    vector: Vectors
    states: Sequence[TextStates]


@dataclass(frozen=True, slots=True)
class VectorSource:
    """Finds chunks near a question in meaning."""

    store: Store
    index: VectorIndex
    embedder: Embedder
    tokenizer: Tokenizer
    #: Set while the index is opened for the first time: few chunks are searched without it, if all have a vector.
    opening: Event = field(default_factory=Event)
    #: By project and time, how large it was, and its sample.
    _samples: "OrderedDict[tuple[str, datetime | None], tuple[TermStatistics, Vectors]]" = field(
        default_factory=OrderedDict
    )
    #: The projects whose index files were read, or are being read.
    _read: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def embed_question(self, query: str) -> EmbeddedQuestion:
        """Return the query's vector, of a query longer than the model's window the mean of its parts, and its states.

        Raises:
            Unavailable: the embedder does not answer.
            Conflict: the store's vectors were made with another model.
        """
        parts, states = self._parts(query), list[TextStates]()
        if isinstance(self.embedder, TokenEmbedder):
            vectors, states = self.embedder.embed_question(parts)
        else:
            vectors = self._embed_parts(parts)
        check_model(self.store, self.embedder.model)
        return EmbeddedQuestion(_mean(vectors), states)

    def embed_query_unchecked(self, query: str) -> Vectors:
        """Return the query's vector without asking the record whether the index's vectors are of the same model.

        Raises:
            Unavailable: the embedder does not answer.
        """
        return _mean(self._embed_parts(self._parts(query)))

    def _embed_parts(self, parts: Sequence[str]) -> Vectors:
        if isinstance(self.embedder, QueryEmbedder):
            return self.embedder.embed_queries(parts)
        return self.embedder.embed(parts)

    def sample(self, project_id: str, size: TermStatistics, *, as_of: datetime | None) -> Vectors:
        """Return embeddings of the project's chunks of a time, read again when its `size` then has changed.

        Raises:
            Unavailable: the record does not answer.
        """
        size = replace(size, num_with={})
        with self._lock:
            known = self._samples.get((project_id, as_of))
        if known is not None and known[0] == size:
            return known[1]
        sample = self.store.sample(project_id, self.embedder.model, _SAMPLE, as_of=as_of)
        if len(sample) == _SAMPLE:  # of fewer, embeddings of others may come
            with self._lock:
                self._samples[project_id, as_of] = size, sample
                if len(self._samples) > _SAMPLED:
                    self._samples.popitem(last=False)
        return sample

    def begin_reading(self, project_id: str, vector: Vectors, pool: Executor) -> Future[None] | None:
        """Have the index read a project's files by a search for any vector; None if they were asked for before.

        A first search waits for that, seconds where a project has a million chunks; the question is embedded meanwhile.
        """
        if project_id in self._read:
            return None
        self._read.add(project_id)
        return pool.submit(self._read_index, project_id, vector)

    def _read_index(self, project_id: str, vector: Vectors) -> None:
        with suppress(MemoryServiceError):  # the search for the question meets it again
            self.index.search(project_id, vector, 1)

    def embed_texts(self, texts: Mapping[str, str], most_parts: int) -> dict[str, Vectors]:
        """Return the vectors of texts by their names, of the first whose parts are not more than so many.

        Raises:
            Unavailable: the embedder does not answer.
        """
        parts: list[str] = []
        spans: dict[str, tuple[int, int]] = {}
        for name, text in texts.items():
            if len(text) > _LONGEST_TEXT or len(parts) + len(some := self._parts(text)) > most_parts:
                continue
            spans[name] = len(parts), len(parts) + len(some)
            parts += some
        if not parts:
            return {}
        vectors = self.embedder.embed(parts)
        return {name: _mean(vectors[start:stop]) for name, (start, stop) in spans.items()}

    def _parts(self, text: str) -> list[str]:
        """Return `text`, halved at a token until each part fits the model's window."""
        bounds = self.tokenizer.token_bounds(text)
        fits = len(bounds) <= self.tokenizer.window_tokens and len(text.encode()) <= self.tokenizer.window_bytes
        middle = 0 if fits else int(bounds[len(bounds) // 2, 0])
        return [*self._parts(text[:middle]), *self._parts(text[middle:])] if middle else [text]

    def search(self, project_id: str, vector: Vectors, filters: Filters, limit: int, *, enough: int) -> list[Scored]:
        """Return up to `limit` chunks by cosine with `vector`, nearest first; of many that pass at least `enough`.

        Without a filter that selects, items that have expired may be among them: reading them tells.

        Raises:
            Unavailable: the index does not answer, or has lost all of the project.
        """
        if self.opening.is_set() and (copied := self._among_copies(project_id, vector, filters, limit)) is not None:
            return copied
        wanted = limit
        while True:
            hits = [Scored(*_place(id_), cosine) for id_, cosine in self.index.search(project_id, vector, wanted)]
            if not hits:
                check_not_lost(self.store, self.index, project_id)
            if not filters.selects:
                return hits
            passing = self.store.matching_ids(project_id, list({hit.artifact_id for hit in hits}), filters)
            found = [hit for hit in hits if hit.artifact_id in passing]
            if len(found) >= enough or len(hits) < wanted:
                return found[:limit]
            # As many as hold enough if as large a part of them passes, with some to spare.
            needed = 5 * enough * wanted // (4 * max(len(found), 1))
            is_rare = needed > MOST_COPIED or not found
            if is_rare and len(self.store.chunk_refs(project_id, filters, MOST_COPIED + 1)) <= MOST_COPIED:
                return self._among_few(project_id, vector, filters, limit)
            wanted = min(max(needed, 2 * wanted), _STEP * wanted)

    def _among_copies(self, project_id: str, vector: Vectors, filters: Filters, limit: int) -> list[Scored] | None:
        """Search the record's copies; None if many chunks pass, or one of them has no vector there."""
        passing = len(self.store.chunk_refs(project_id, filters, MOST_COPIED + 1))
        if passing > MOST_COPIED:
            return None
        places, vectors = self.store.vectors(project_id, self.embedder.model, filters)
        return _nearest(places, vectors, vector, limit) if len(places) == passing else None

    def _among_few(self, project_id: str, vector: Vectors, filters: Filters, limit: int) -> list[Scored]:
        places, vectors = self.store.vectors(project_id, self.embedder.model, filters)
        return _nearest(places, vectors, vector, limit)


def _mean(vectors: Vectors) -> Vectors:
    mean = vectors.mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean), np.float32)


def _nearest(places: Sequence[tuple[str, int]], vectors: Vectors, vector: Vectors, limit: int) -> list[Scored]:
    if not places:
        return []
    cosines = vectors @ vector
    order = np.argsort(-cosines, kind="stable")[:limit]
    return [Scored(places[row][0], places[row][1], float(cosines[row])) for row in order]


def _place(chunk_id: str) -> tuple[str, int]:
    artifact_id, _, index = chunk_id.rpartition(":")
    return artifact_id, int(index)


#: Most former texts that are read for a question.
_MOST: Final = 400
#: Most parts of former texts, each as long as the embedder's window, whose vectors are computed for a question.
_MOST_PARTS: Final = 128


@dataclass(frozen=True, slots=True)
class FormerTexts:
    """The items that were current under their keys then and are not now, newest first, and the current ones that were
    not."""

    items: Sequence[Artifact] = ()
    hidden: frozenset[str] = frozenset()
    #: How many more there are.
    left_out: int = 0

    @property
    def hint(self) -> str | None:
        """What to know of the answer; None if all were read."""
        if not self.left_out:
            return None
        return (
            f"{self.left_out} more texts that were replaced since were not searched: narrow the question with context, "
            "tags or a key."
        )

    def find_by_key(self, key: str) -> list[str]:
        """Return the ids of the items that were current under a key."""
        return [item.id for item in self.items if item.memory.key == key]

    def load_candidates(self, source: VectorSource, asked: Collection[int], *, with_vectors: bool) -> list[Candidate]:
        """Return each as one candidate; vectors are computed of those first that have most of the terms asked for."""
        texts = {item.id: _text(item) for item in self.items}
        wanted = frozenset(asked)
        shared = {id_: len(wanted.intersection(terms(text))) for id_, text in texts.items()} if wanted else {}
        by_words = sorted(texts, key=lambda id_: -shared.get(id_, 0))
        vectors = source.embed_texts({id_: texts[id_] for id_ in by_words}, _MOST_PARTS) if with_vectors else {}
        return [_candidate(item, texts[item.id], vectors.get(item.id)) for item in self.items]


def find_former_texts(store: Store, project_id: str, filters: Filters, key: str = "") -> FormerTexts:
    """Return the items that were current under their keys as of the filters' time and pass the filters; none without
    such a time.

    The item that was current under `key` is always included.

    Raises:
        Unavailable: the record does not answer.
    """
    if filters.as_of is None:
        return FormerTexts()
    under_keys: defaultdict[tuple[str, str], list[KeyHolder]] = defaultdict(list)
    for one in store.key_holders(project_id, filters):
        under_keys[one.key, one.context].append(one)
    found: list[KeyHolder] = []
    hidden: set[str] = set()
    for holders in under_keys.values():
        holder = _holder(holders, filters.as_of)
        if holder.replaced_by is not None:
            hidden.update(one.id for one in holders if one.replaced_by is None)
            found += [holder] if holder.passes and filters.has_tags(holder.tags) else []
    found = _without_moved(store, project_id, found, filters.as_of)
    found.sort(key=lambda one: (one.key == key, one.created_at), reverse=True)
    items = store.get(project_id, [one.id for one in found[:_MOST]]).values()
    return FormerTexts(sorted(items, key=_newest, reverse=True), frozenset(hidden), max(0, len(found) - _MOST))


def _without_moved(store: Store, project_id: str, found: list[KeyHolder], as_of: datetime) -> list[KeyHolder]:
    """Return the former items without those whose successor has another key and was there by then, as of a file that
    was moved."""
    after = store.get(project_id, [one.replaced_by for one in found if one.replaced_by is not None])
    moved = {id_ for id_, one in after.items() if one.happened_at <= as_of}
    return [one for one in found if one.replaced_by not in moved or after[one.replaced_by].memory.key == one.key]


def _holder(holders: Iterable[KeyHolder], as_of: datetime) -> KeyHolder:
    """Return which of the items dated until then, all under one key, was stored there last.

    One that replaced a later one was stored again: it counts from then on, too.
    """
    every = list(holders)
    stored = [(one.created_at, one) for one in every]
    stored += [
        (one.updated_at, one)
        for one in every
        if one.updated_at <= as_of
        and any(other.replaced_by == one.id and other.created_at > one.created_at for other in every)
    ]
    return max(stored, key=lambda pair: (pair[0], pair[1].id))[1]


def _newest(item: Artifact) -> tuple[datetime, datetime, str]:
    return item.happened_at, item.created_at, item.id


def _text(item: Artifact) -> str:
    memory = item.memory
    return "\n".join(filter(None, (memory.title, memory.key, memory.content)))


def _candidate(item: Artifact, text: str, vector: Vectors | None) -> Candidate:
    memory = item.memory
    is_turn = memory.conversation_id is not None and memory.turn_index is not None
    return Candidate(
        artifact_id=item.id,
        index=0,
        num_chunks=1,
        text=memory.content,
        author=memory.author,
        conversation_id=memory.conversation_id if is_turn else None,
        turn_index=memory.turn_index if is_turn else None,
        happened_at=item.happened_at,
        terms=packed_counts(word_counts(text)),
        vector=None if vector is None else np.asarray(vector, dtype="<f4").tobytes(),
    )


def merge_page(current: Sequence[Artifact], former: FormerTexts, limit: int, offset: int) -> list[Artifact]:
    """Return a page of the list of current items, of which these are the first, and former ones, newest first."""
    shown = [item for item in current if item.id not in former.hidden]
    every: Mapping[str, Artifact] = {item.id: item for item in (*shown, *former.items)}
    return sorted(every.values(), key=_newest, reverse=True)[offset : offset + limit]
