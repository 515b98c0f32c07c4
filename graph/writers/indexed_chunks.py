"""What the word indexes hold of chunks, made of their texts before the transaction that writes them: others wait for
that one, and the words of ten million characters take seconds.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from core.errors import InvalidInput
from core.records import Chunk
from graph.text.term_vectors import packed_counts, word_counts

#: Returns what the full-text index of an engine holds of a chunk with this term vector, a text a column.
FullText = Callable[[Chunk, bytes], Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedChunk(Chunk):
    """A chunk with the cache key of its embedding, its term vector, the words and signs in that, and what the engine's
    full-text index holds of it."""

    embedding_key: str
    terms: bytes
    words: tuple[str, ...]
    full_text: Sequence[str]


def index_chunks(project_id: str, chunks: Iterable[Chunk], full_text: FullText) -> list[IndexedChunk]:
    """Return the chunks of an item of a project with their words; those that have them already as they are.

    Raises:
        InvalidInput: a text has half of a surrogate pair.
    """
    try:
        return [one if isinstance(one, IndexedChunk) else _indexed(project_id, one, full_text) for one in chunks]
    except UnicodeEncodeError as error:
        raise InvalidInput(f"A text can't be stored ({error}): send valid Unicode.") from error


def _indexed(project_id: str, chunk: Chunk, full_text: FullText) -> IndexedChunk:
    counts = word_counts(chunk.indexed_text)
    terms = packed_counts(counts)
    return IndexedChunk(
        **{name: getattr(chunk, name) for name in Chunk.__slots__},
        embedding_key=chunk.embedding_key_in(project_id),
        terms=terms,
        words=tuple(counts),
        full_text=full_text(chunk, terms),
    )
