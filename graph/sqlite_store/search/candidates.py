"""`Candidates` on SQLite."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import numpy as np

from core.embedding import Vectors
from core.filters import Filters
from core.ranking import Candidate, TermStatistics
from graph.sqlite_store import history
from graph.sqlite_store.database.connection import Database
from graph.sqlite_store.database.rows import THEN, filter_condition, id_list, place_list
from graph.sqlite_store.database.schema import AUTHOR
from graph.sqlite_store.database.term_counts import term_statistics
from graph.timestamps import bounds_of, from_microseconds

_CANDIDATES: Final = """
WITH places (id, position) AS (SELECT key, value FROM json_each(:places))
SELECT a.id, c.position, a.num_chunks, c.text, a.given ->> '$.author', {turn}, a.happened_at, c.terms, e.vector,
    a.utc_offset
FROM places p CROSS JOIN artifacts a ON a.project_id = :project_id AND a.id = p.id
CROSS JOIN chunks c ON c.item = a.item AND c.position = p.position
LEFT JOIN embeddings e ON e.hash = c.hash AND e.model = :model WHERE {condition}
"""
_TURN: Final = (
    "CASE WHEN a.turn_index IS NULL THEN NULL ELSE a.conversation_id END,"
    " CASE WHEN a.conversation_id IS NULL THEN NULL ELSE a.turn_index END"
)
_TURNS_NEAR: Final = """
SELECT DISTINCT a.id FROM json_each(:ids) o CROSS JOIN artifacts t ON t.project_id = :project_id AND t.id = o.value
CROSS JOIN artifacts a ON a.project_id = :project_id AND a.conversation_id = t.conversation_id
    AND a.turn_index BETWEEN t.turn_index - :reach AND t.turn_index + :reach
WHERE {condition}
"""
# `artifacts_by_author` holds what AUTHOR says.
_AUTHORS: Final = f"""
SELECT w.value FROM json_each(:names) w WHERE EXISTS (
    SELECT 1 FROM artifacts a WHERE a.project_id = :project_id AND a.turn_index IS NOT NULL
        AND {AUTHOR} = lower(w.value) {{then}}
) OR EXISTS (
    SELECT 1 FROM artifacts a WHERE a.project_id = :project_id AND a.turn_index IS NOT NULL
        AND {AUTHOR} > lower(w.value) || ' ' AND {AUTHOR} < lower(w.value) || '!' {{then}}
)
"""
# By id, a digest: as good as random, and the same each time; of a long document each eighth chunk.
_SAMPLE: Final = """
SELECT e.vector FROM (
    SELECT c.hash FROM artifacts a CROSS JOIN chunks c ON c.item = a.item
    WHERE a.project_id = :project_id AND a.replaced_by IS NULL AND c.position % 8 = 0 {then}
    ORDER BY a.id, c.position LIMIT :looked_at
) w CROSS JOIN embeddings e ON e.hash = w.hash AND e.model = :model LIMIT :number
"""
_THEN: Final = f"AND {THEN.format('a')}"


class SqliteCandidates:
    """Fulfils `graph.protocols.search.Candidates`."""

    _database: Database

    def candidates(
        self, project_id: str, model: str, places: Sequence[tuple[str, int]], filters: Filters
    ) -> list[Candidate]:
        condition, parameters = filter_condition(project_id, filters, of_named=True)
        sql = _CANDIDATES.format(turn=_TURN, condition=condition)
        parameters |= {"places": place_list(places), "model": model}
        with self._database.reading() as connection:
            rows = connection.execute(sql, parameters).fetchall()
        return [_candidate(row) for row in rows]

    def nearby_turns(self, project_id: str, artifact_ids: Sequence[str], reach: int, filters: Filters) -> list[str]:
        condition, parameters = filter_condition(project_id, filters, of_named=True)
        parameters |= {"ids": id_list(artifact_ids), "reach": reach}
        with self._database.reading() as connection:
            rows = connection.execute(_TURNS_NEAR.format(condition=condition), parameters).fetchall()
        return [row[0] for row in rows]

    def known_authors(self, project_id: str, names: Sequence[str], *, as_of: datetime | None = None) -> list[str]:
        sql, parameters = _then(_AUTHORS, {"project_id": project_id, "names": id_list(names)}, as_of)
        with self._database.reading() as connection:
            return [row[0] for row in connection.execute(sql, parameters).fetchall()]

    def term_statistics(
        self, project_id: str, terms: Sequence[int], *, as_of: datetime | None = None
    ) -> TermStatistics:
        with self._database.reading() as connection:
            now = term_statistics(connection, project_id, terms)
            return now if as_of is None else history.term_statistics(connection, project_id, terms, now.num_with, as_of)

    def sample(self, project_id: str, model: str, number: int, *, as_of: datetime | None = None) -> Vectors:
        sql, parameters = _then(_SAMPLE, {"project_id": project_id, "model": model, "number": number}, as_of)
        with self._database.reading() as connection:
            rows = connection.execute(sql, parameters | {"looked_at": number}).fetchall()
            if len(rows) < number:  # some have no embedding yet
                rows = connection.execute(sql, parameters | {"looked_at": 8 * number}).fetchall()
        vectors = np.frombuffer(b"".join(row[0] for row in rows), dtype="<f4")
        return vectors.reshape(len(rows), -1) if rows else np.empty((0, 0), dtype=np.float32)


def _then(sql: str, parameters: dict[str, Any], as_of: datetime | None) -> tuple[str, dict[str, Any]]:
    """Return a statement over items, those of then alone if there is an `as_of`."""
    if as_of is None:
        return sql.format(then=""), parameters
    return sql.format(then=_THEN), parameters | bounds_of("as_of", as_of)


def _candidate(row: Sequence[Any]) -> Candidate:
    return Candidate._make((*row[:7], from_microseconds(row[7], row[10]), *row[8:10]))
