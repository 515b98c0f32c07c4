"""How many chunks of a project have each term: kept with every chunk written or dropped. Runs inside a transaction."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Final

from core.candidates import TermStatistics
from graph.sqlite_store.database.row_numbers import PROJECT_BITS
from graph.text.term_vectors import packed, tally

#: How many chunks of `:project_id` have each of the `:terms`, a JSON array.
_NUM_WITH: Final = """
SELECT t.term, t.num_chunks FROM json_each(:terms) w CROSS JOIN terms t
    ON t.project = (SELECT number FROM projects WHERE project_id = :project_id) AND t.term = w.value
"""
_COUNT: Final = """
INSERT INTO terms (project, term, num_chunks) VALUES (:project, :term, :num_chunks)
ON CONFLICT (project, term) DO UPDATE SET num_chunks = num_chunks + excluded.num_chunks
"""
_DISCOUNT: Final = "UPDATE terms SET num_chunks = num_chunks - :num_chunks WHERE project = :project AND term = :term"
_FORGET: Final = "DELETE FROM terms WHERE project = :project AND term = :term AND num_chunks <= 0"
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


def count_terms(connection: sqlite3.Connection, project: int, vectors: Sequence[bytes]) -> None:
    """Count the term vectors of chunks that were written."""
    num_with, total = tally(vectors)
    connection.executemany(_COUNT, _rows(project, num_with))
    connection.execute(_TOTALS, (len(vectors), total, project))


def discount_terms(connection: sqlite3.Connection, project: int, vectors: Sequence[bytes]) -> None:
    """Take back the term vectors of chunks that were dropped; no number is left of a term that no chunk has."""
    num_with, total = tally(vectors)
    connection.executemany(_DISCOUNT, _rows(project, num_with))
    connection.executemany(_FORGET, _rows(project, num_with))
    connection.execute(_TOTALS, (-len(vectors), -total, project))


def rebuild_terms(connection: sqlite3.Connection) -> int:
    """Rebuild the term vectors of all chunks and their counts; return how many chunks there are."""
    connection.execute("DELETE FROM terms")
    connection.execute("UPDATE projects SET num_chunks = 0, num_terms = 0")
    number = 0
    read = "SELECT id, prefix || text FROM chunks WHERE id > ? AND id < ? ORDER BY id LIMIT ?"
    for (project,) in connection.execute("SELECT number FROM projects ORDER BY number").fetchall():
        last = (project << PROJECT_BITS) - 1
        while rows := connection.execute(read, (last, project + 1 << PROJECT_BITS, _BATCH)).fetchall():
            vectors = [packed(text) for _, text in rows]
            updates = [(vector, id_) for vector, (id_, _) in zip(vectors, rows, strict=True)]
            connection.executemany("UPDATE chunks SET terms = ? WHERE id = ?", updates)
            count_terms(connection, project, vectors)
            number, last = number + len(rows), rows[-1][0]
    return number


def _rows(project: int, num_with: dict[int, int]) -> Iterator[dict[str, int]]:
    return ({"project": project, "term": term, "num_chunks": count} for term, count in num_with.items())
