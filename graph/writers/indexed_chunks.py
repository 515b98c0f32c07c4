"""What the word indexes hold of chunks, made of their texts before the transaction that writes them: others wait for
that one, and the words of ten million characters take seconds.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from core.records import Chunk
from graph.text.term_vectors import packed_counts, word_counts

#: Returns what the full-text index of an engine holds of a text with this term vector.
FullText = Callable[[str, bytes], str]


@dataclass(frozen=True, slots=True)
class IndexedChunk(Chunk):
    """A chunk with its term vector, the words and signs in that, and what the engine's full-text index holds of it."""

    terms: bytes
    words: tuple[str, ...]
    full_text: str


def index_chunks(chunks: Iterable[Chunk], full_text: FullText) -> list[IndexedChunk]:
    """Return the chunks of an item with their words; those that have them already as they are."""
    return [one if isinstance(one, IndexedChunk) else _indexed(one, full_text) for one in chunks]


def _indexed(chunk: Chunk, full_text: FullText) -> IndexedChunk:
    text = chunk.indexed_text
    counts = word_counts(text)
    terms = packed_counts(counts)
    fields = {name: getattr(chunk, name) for name in Chunk.__slots__}
    return IndexedChunk(**fields, terms=terms, words=tuple(counts), full_text=full_text(text, terms))
