"""`Candidates` on Neo4j."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from core.embedding import Vectors
from core.filters import Filters
from core.ranking import Candidate, TermStatistics
from graph.neo4j_store.cypher import history_cypher, record_cypher
from graph.neo4j_store.database.connection import Database, Transaction
from graph.neo4j_store.database.rows import among, bounds_of, chunk_id, condition_of, speaker, valid_utf8
from graph.neo4j_store.database.term_counts import term_vector
from graph.neo4j_store.item_writer import matrix
from graph.text.term_vectors import counted, without
from graph.timestamps import from_microseconds


class Neo4jCandidates:
    """Fulfils `graph.protocols.search.Candidates`."""

    _database: Database

    def candidates(
        self, project_id: str, model: str, places: Sequence[tuple[str, int]], filters: Filters
    ) -> list[Candidate]:
        condition, parameters = condition_of(project_id, filters)
        parameters |= {"ids": valid_utf8(chunk_id(*place) for place in places), "model": model}
        statement = among(record_cypher.CANDIDATES, condition)
        [row] = self._database.rows(statement, **parameters)
        if not all(map(_is_whole, row["candidates"])):  # removed meanwhile, or cut anew: then it is there again
            [row] = self._database.rows(statement, **parameters)
        return [_candidate(values) for values in row["candidates"] if _is_whole(values)]

    def nearby_turns(self, project_id: str, artifact_ids: Sequence[str], reach: int, filters: Filters) -> list[str]:
        condition, parameters = condition_of(project_id, filters)
        parameters |= {"ids": valid_utf8(artifact_ids), "reach": reach}
        [row] = self._database.rows(among(record_cypher.TURNS_NEAR, condition), **parameters)
        return list(row["ids"])

    def known_authors(self, project_id: str, names: Sequence[str], *, as_of: datetime | None = None) -> list[str]:
        asked = [{"name": name, "speaker": speaker(name)} for name in valid_utf8(names)]
        statement = record_cypher.SPEAKERS if as_of is None else history_cypher.SPEAKERS
        [row] = self._database.rows(statement, project_id=project_id, names=asked, **bounds_of("as_of", as_of))
        return list(row["names"])

    def term_statistics(
        self, project_id: str, terms: Sequence[int], *, as_of: datetime | None = None
    ) -> TermStatistics:
        if as_of is not None:
            return self._database.read(lambda transaction: _statistics_then(transaction, project_id, terms, as_of))
        return self._database.read(lambda transaction: term_statistics(transaction, project_id, terms))

    def sample(self, project_id: str, model: str, number: int, *, as_of: datetime | None = None) -> Vectors:
        statement = record_cypher.SAMPLE if as_of is None else history_cypher.SAMPLE
        [row] = self._database.rows(
            statement, project_id=project_id, model=model, number=number, **bounds_of("as_of", as_of)
        )
        return matrix(row["vectors"])


def term_statistics(transaction: Transaction, project_id: str, terms: Sequence[int]) -> TermStatistics:
    """Return how common these terms are in the project now."""
    num_chunks, num_terms, num_with = _statistics(transaction, project_id, terms)
    return TermStatistics(num_chunks, num_terms / num_chunks if num_chunks else 0.0, num_with)


def _statistics(transaction: Transaction, project_id: str, terms: Sequence[int]) -> tuple[int, int, dict[int, int]]:
    """Return how many chunks the project has, how many terms these have, and how many have each of the terms."""
    ids = [str(term) for term in dict.fromkeys(terms)]
    [row] = transaction.rows(record_cypher.TERM_STATISTICS, project_id=project_id, ids=ids)
    num_chunks, num_terms = row["totals"]
    return num_chunks, num_terms, {int(id_): number for id_, number in row["num_with"] if number is not None}


def _statistics_then(
    transaction: Transaction, project_id: str, terms: Sequence[int], as_of: datetime
) -> TermStatistics:
    """Count the chunks on that side of the time which has fewer items."""
    [sides] = transaction.rows(history_cypher.SIDES, project_id=project_id, **bounds_of("as_of", as_of))
    are_later = sides["later"] < sides["earlier"]
    statement = history_cypher.LATER_TERM_VECTORS if are_later else history_cypher.TERM_VECTORS
    rows = transaction.rows(statement, project_id=project_id, **bounds_of("as_of", as_of))
    vectors = [term_vector(row["terms"]) for row in rows if row["terms"] is not None]
    if not are_later:
        return counted(terms, vectors)
    num_chunks, num_terms, num_with = _statistics(transaction, project_id, terms)
    return without(terms, (num_chunks, num_terms), num_with, vectors)


def _is_whole(values: Sequence[Any]) -> bool:
    """Whether the chunk and its item were there until all of it was read."""
    return None not in (*values[:4], values[9])


def _candidate(values: Sequence[Any]) -> Candidate:
    *told, number, offset, terms, vector = values
    return Candidate._make((*told, from_microseconds(number, offset), term_vector(terms), vector))
