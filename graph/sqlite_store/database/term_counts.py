"""How many chunks of a project have each term: kept with every chunk written or dropped. Runs inside a transaction.

With each term that is new its word is kept, and what `graph.text.term_vectors` finds that by.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from core.search import TermStatistics
from graph.sqlite_store.database.rows import PROJECT_BITS
from graph.sqlite_store.database.word_schema import CHUNK_TEXT
from graph.text import term_vectors
from graph.text.term_vectors import packed_counts, tally, word_counts, words_of

#: How many chunks of `:project_id` have each of the `:terms`, a JSON array.
_NUM_WITH: Final = """
SELECT t.term, t.num_chunks FROM json_each(:terms) w CROSS JOIN terms t
    ON t.project = (SELECT number FROM projects WHERE project_id = :project_id) AND t.term = w.value
"""
#: `:counts` is a JSON array of terms, each with how many chunks more have it.
_COUNT: Final = """
INSERT INTO terms (project, term, num_chunks) SELECT :project, value ->> 0, value ->> 1 FROM json_each(:counts) WHERE 1
ON CONFLICT (project, term) DO UPDATE SET num_chunks = num_chunks + excluded.num_chunks RETURNING term, num_chunks
"""
_NAME: Final = "UPDATE terms SET word = ? WHERE project = ? AND term = ?"
_SPELL: Final = "INSERT OR IGNORE INTO spellings (project, variant, term) VALUES (?, ?, ?)"
_UNSPELL: Final = "DELETE FROM spellings WHERE project = ? AND variant = ? AND term = ?"
#: The words of `:project_id` kept under each of the `:variants`, a JSON array.
_SPELT: Final = """
SELECT s.variant, t.word, t.num_chunks FROM json_each(:variants) w CROSS JOIN spellings s
    ON s.project = (SELECT number FROM projects WHERE project_id = :project_id) AND s.variant = w.value
CROSS JOIN terms t ON t.project = s.project AND t.term = s.term
"""
_DISCOUNT: Final = "UPDATE terms SET num_chunks = num_chunks - :num_chunks WHERE project = :project AND term = :term"
_FORGET: Final = """
DELETE FROM terms WHERE project = ? AND term IN (SELECT value FROM json_each(?)) AND num_chunks <= 0
RETURNING term, word
"""
_TOTALS: Final = "UPDATE projects SET num_chunks = num_chunks + ?, num_terms = num_terms + ? WHERE number = ?"
_TOTALS_OF: Final = "SELECT num_chunks, num_terms FROM projects WHERE project_id = ?"
#: Chunks of one step of `rebuild_terms`.
_BATCH: Final = 1_000


def term_statistics(connection: sqlite3.Connection, project_id: str, terms: Sequence[int]) -> TermStatistics:
    """Return how common these terms are in the project now."""
    num_chunks, num_terms = connection.execute(_TOTALS_OF, (project_id,)).fetchone() or (0, 0)
    asked = {"project_id": project_id, "terms": str(list(terms))}
    num_with: dict[int, int] = dict(connection.execute(_NUM_WITH, asked).fetchall())
    return TermStatistics(num_chunks, num_terms / num_chunks if num_chunks else 0.0, num_with)


def spelling_variants(connection: sqlite3.Connection, project_id: str, words: Sequence[str]) -> dict[str, list[str]]:
    """Do what `Words.spelling_variants` promises."""
    wanted = {word: term_vectors.query_ngrams(word) for word in words}
    every = sorted({number for sets in wanted.values() for one in sets for number in one})
    if not every:
        return {}
    kept: dict[str, set[int]] = {}
    num_with: dict[str, int] = {}
    for variant, word, number in connection.execute(_SPELT, {"project_id": project_id, "variants": str(every)}):
        kept.setdefault(word, set()).add(variant)
        num_with[word] = number
    found = {
        word: {other: num_with[other] for other, own in kept.items() if any(one <= own for one in sets)}
        for word, sets in wanted.items()
    }
    return {word: some for word, others in found.items() if (some := term_vectors.choose_variants(word, others))}


def count_terms(
    connection: sqlite3.Connection, project: int, vectors: Sequence[bytes], words: Iterable[Iterable[str]]
) -> None:
    """Count the term vectors of chunks that were written, whose texts have these words and signs."""
    num_with, total = tally(vectors)
    counts = str([list(pair) for pair in num_with.items()])
    rows = connection.execute(_COUNT, {"project": project, "counts": counts}).fetchall()
    new = {term for term, number in rows if number == num_with[term]}
    if new:
        named = words_of(new, words)
        connection.executemany(_NAME, [(word, project, term) for term, word in named.items()])
        connection.executemany(_SPELL, spellings(project, named))
    connection.execute(_TOTALS, (len(vectors), total, project))


def discount_terms(connection: sqlite3.Connection, project: int, vectors: Sequence[bytes]) -> None:
    """Take back the term vectors of chunks that were dropped; no number is left of a term that no chunk has."""
    num_with, total = tally(vectors)
    connection.executemany(_DISCOUNT, _rows(project, num_with))
    gone = dict(connection.execute(_FORGET, (project, str(list(num_with)))).fetchall())
    connection.executemany(_UNSPELL, spellings(project, gone))
    connection.execute(_TOTALS, (-len(vectors), -total, project))


def rebuild_terms(connection: sqlite3.Connection) -> int:
    """Rebuild the term vectors of all chunks and their counts; return how many chunks there are."""
    connection.execute("DELETE FROM terms")
    connection.execute("DELETE FROM spellings")
    connection.execute("UPDATE projects SET num_chunks = 0, num_terms = 0")
    number = 0
    read = f"SELECT c.id, c.prefix || {CHUNK_TEXT} FROM chunks c WHERE c.id > ? AND c.id < ? ORDER BY c.id LIMIT ?"
    for (project,) in connection.execute("SELECT number FROM projects ORDER BY number").fetchall():
        last = (project << PROJECT_BITS) - 1
        while rows := connection.execute(read, (last, project + 1 << PROJECT_BITS, _BATCH)).fetchall():
            counts = [word_counts(text) for _, text in rows]
            vectors = [packed_counts(each) for each in counts]
            updates = [(vector, id_) for vector, (id_, _) in zip(vectors, rows, strict=True)]
            connection.executemany("UPDATE chunks SET terms = ? WHERE id = ?", updates)
            count_terms(connection, project, vectors, counts)
            number, last = number + len(rows), rows[-1][0]
    return number


def spellings(project: int, words: Mapping[int, str | None]) -> Iterator[tuple[int, int, int]]:
    """Yield the rows by which these words are found: project, number, and term."""
    return ((project, variant, term) for term, word in words.items() for variant in term_vectors.variants(word or ""))


def _rows(project: int, num_with: dict[int, int]) -> Iterator[dict[str, int]]:
    return ({"project": project, "term": term, "num_chunks": count} for term, count in num_with.items())
