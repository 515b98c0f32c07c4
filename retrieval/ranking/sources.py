"""Sources: each finds chunks of one project in its own way, filters honoured before ranking."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Final

import numpy as np

from core.embedding import Embedder, Tokenizer, VectorIndex, Vectors
from core.filters import Filters
from core.records import Scored
from graph.store import Store
from graph.vector_checks import check_model, check_not_lost

#: How many times more the index is asked for at once where few of its answer pass a filter. Chroma's own filters cost
#: about 1 ms for every 1,000 rows of a collection, whatever they keep.
_STEP: Final = 16
#: Longest text whose vector is computed for a question, in characters.
_LONGEST_TEXT: Final = 20_000
#: Of up to so many chunks that pass a filter the vectors are compared one by one, from the record's cache.
_FEW: Final = 1_000


@dataclass(frozen=True, slots=True)
class VectorSource:
    """Finds chunks near a question in meaning."""

    store: Store
    index: VectorIndex
    embedder: Embedder
    tokenizer: Tokenizer
    #: Set while the index is opened for the first time: few chunks are searched without it, if all have a vector.
    opening: Event = field(default_factory=Event)

    def vector(self, query: str) -> Vectors:
        """Return the query's vector; of a query longer than the model's window the mean of its parts.

        Raises:
            Unavailable: the embedder does not answer.
            Conflict: the store's vectors were made with another model.
        """
        vector = self.embed_query_unchecked(query)
        check_model(self.store, self.embedder.model)
        return vector

    def embed_query_unchecked(self, query: str) -> Vectors:
        """Return the query's vector without asking the record whether the index's vectors are of the same model.

        Raises:
            Unavailable: the embedder does not answer.
        """
        vectors = self.embedder.embed(self._parts(query))
        mean = vectors.mean(axis=0)
        return np.asarray(mean / np.linalg.norm(mean), np.float32)

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
        means = {name: vectors[start:stop].mean(axis=0) for name, (start, stop) in spans.items()}
        return {name: np.asarray(mean / np.linalg.norm(mean), np.float32) for name, mean in means.items()}

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
            if not found and len(self.store.chunk_refs(project_id, filters, _FEW + 1)) <= _FEW:
                return self._among_few(project_id, vector, filters, limit)
            # As many as hold enough if as large a part of them passes, with some to spare.
            needed = 5 * enough * wanted // (4 * max(len(found), 1))
            wanted = min(max(needed, 2 * wanted), _STEP * wanted)

    def _among_copies(self, project_id: str, vector: Vectors, filters: Filters, limit: int) -> list[Scored] | None:
        """Search the record's copies; None if many chunks pass, or one of them has no vector there."""
        passing = len(self.store.chunk_refs(project_id, filters, _FEW + 1))
        if passing > _FEW:
            return None
        places, vectors = self.store.vectors(project_id, self.embedder.model, filters)
        return _nearest(places, vectors, vector, limit) if len(places) == passing else None

    def _among_few(self, project_id: str, vector: Vectors, filters: Filters, limit: int) -> list[Scored]:
        places, vectors = self.store.vectors(project_id, self.embedder.model, filters)
        return _nearest(places, vectors, vector, limit)


def _nearest(places: Sequence[tuple[str, int]], vectors: Vectors, vector: Vectors, limit: int) -> list[Scored]:
    if not places:
        return []
    cosines = vectors @ vector
    order = np.argsort(-cosines, kind="stable")[:limit]
    return [Scored(places[row][0], places[row][1], float(cosines[row])) for row in order]


def _place(chunk_id: str) -> tuple[str, int]:
    artifact_id, _, index = chunk_id.rpartition(":")
    return artifact_id, int(index)
