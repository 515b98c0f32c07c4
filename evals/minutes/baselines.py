"""What one gets by hand: paragraphs up to 1,000 characters with the file's name before, by words, by vectors, by both.

The words are those of `graph.text.tokens`, the vectors the local embedder's, the sum that of z-scores over all pieces
(CombSUM: Fox & Shaw, TREC-2, 1994); a document's score is that of its best piece.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from core.records import embedding_key
from core.search import Embedder, TermStatistics, Tokenizer, Vectors
from evals.client import Answer, Asking, Passage
from evals.minutes.documents import Document
from graph.text.term_vectors import Column, pack_counts, scores, tally, terms
from service.app import App

WORDS: Final = "BM25 by hand"
VECTORS: Final = "vectors by hand"
SUM: Final = "plain sum by hand"
_PIECE_CHARS: Final = 1_000
#: A paragraph with the blank lines after it.
_PARAGRAPH: Final = re.compile(r".+?(?:\n\s*\n|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Pieces:
    """All pieces of all documents, with what words and vectors see of them."""

    passages: Sequence[Passage]
    term_vectors: Sequence[bytes]
    statistics: TermStatistics
    vectors: Vectors

    @classmethod
    def of(cls, documents: Sequence[Document], ids: Mapping[str, str], app: App) -> Self:
        """Cut the documents and embed the pieces, each as far as the model's window reaches."""
        cut = [(document, *span) for document in documents for span in _paragraphs(document.text)]
        passages = [Passage(ids[one.name], start, stop, one.text[start:stop]) for one, start, stop in cut]
        told = [f"{document.name}\n{one.text}" for (document, *_), one in zip(cut, passages, strict=True)]
        term_vectors = [pack_counts(text) for text in told]
        num_with, total = tally(term_vectors)
        statistics = TermStatistics(len(told), total / len(told), num_with)
        return cls(passages, term_vectors, statistics, _embedded([_seen(text, app.tokenizer) for text in told], app))

    def answers(self, askings: Sequence[Asking], embedder: Embedder) -> dict[str, list[Answer]]:
        """Return what each baseline answers."""
        given: dict[str, list[Answer]] = {WORDS: [], VECTORS: [], SUM: []}
        for asking, vector in zip(askings, embedder.embed([one.query for one in askings]), strict=True):
            asked = sorted(set(terms(asking.query)))
            words = scores(self.term_vectors, [0] * len(self.passages), asked, self.statistics)
            meaning = (self.vectors @ vector).astype(np.float64)
            both = _standard(words) + _standard(meaning)
            for name, column in ((WORDS, words), (VECTORS, meaning), (SUM, both)):
                given[name].append(self._best(column, asking.limit))
        return given

    def _best(self, column: Column, limit: int) -> Answer:
        best: dict[str, Passage] = {}
        for row in np.argsort(-column, kind="stable").tolist():
            best.setdefault(self.passages[row].artifact_id, self.passages[row])
            if len(best) == limit:
                break
        return Answer(tuple(best.values()))


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Yield where pieces start and stop: as many paragraphs as 1,000 characters hold, a longer one in parts."""
    start = stop = 0
    for found in _PARAGRAPH.finditer(text):
        if found.end() - start > _PIECE_CHARS and stop > start:
            yield start, stop
            start = stop
        while found.end() - start > _PIECE_CHARS:
            yield start, start + _PIECE_CHARS
            start += _PIECE_CHARS
        stop = found.end()
    yield start, stop


def _seen(text: str, tokenizer: Tokenizer) -> str:
    bounds = tokenizer.token_bounds(text)
    window = tokenizer.window_tokens
    return text if len(bounds) <= window else text[: bounds[window, 0]]


def _embedded(texts: Sequence[str], app: App) -> Vectors:
    """Return a vector a text, kept in the memory's cache for the next time."""
    keys, model = [embedding_key("by hand", text) for text in texts], app.embedder.model
    known = app.store.cached_vectors(model, keys)
    if missing := {key: text for key, text in zip(keys, texts, strict=True) if key not in known}:
        made = dict(zip(missing, app.embedder.embed(list(missing.values())), strict=True))
        app.store.cache_vectors(model, made)
        known = {**known, **made}
    return np.stack([known[key] for key in keys])


def _standard(column: Column) -> Column:
    return np.asarray((column - column.mean()) / (column.std() or 1.0), dtype=np.float64)
