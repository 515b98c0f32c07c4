"""`Candidates` on Neo4j."""

from collections.abc import Sequence
from typing import Any

from core.candidates import Candidate, TermStatistics
from core.embedding import Vectors
from core.filters import Filters
from graph.neo4j_store import cypher
from graph.neo4j_store.database import Database
from graph.neo4j_store.embeddings import matrix
from graph.neo4j_store.filtering import among, condition_of, storable
from graph.neo4j_store.moments import from_microseconds
from graph.neo4j_store.rows import chunk_id
from graph.neo4j_store.text import speaker
from graph.term_vectors import packed


class Neo4jCandidates:
    """Fulfils `graph.store.Candidates`."""

    _database: Database

    def candidates(
        self, project_id: str, model: str, places: Sequence[tuple[str, int]], filters: Filters
    ) -> list[Candidate]:
        condition, parameters = condition_of(project_id, filters)
        parameters |= {"ids": storable(chunk_id(*place) for place in places), "model": model}
        [row] = self._database.rows(among(cypher.CANDIDATES, condition), **parameters)
        # What was removed meanwhile has no text or no item any more.
        return [_candidate(values) for values in row["candidates"] if None not in values[:4]]

    def turns_near(self, project_id: str, artifact_ids: Sequence[str], reach: int, filters: Filters) -> list[str]:
        condition, parameters = condition_of(project_id, filters)
        parameters |= {"ids": storable(artifact_ids), "reach": reach}
        [row] = self._database.rows(among(cypher.TURNS_NEAR, condition), **parameters)
        return list(row["ids"])

    def authors(self, project_id: str, names: Sequence[str]) -> list[str]:
        asked = [{"name": name, "speaker": speaker(name)} for name in storable(names)]
        [row] = self._database.rows(cypher.SPEAKERS, project_id=project_id, names=asked)
        return list(row["names"])

    def term_statistics(self, project_id: str, terms: Sequence[int]) -> TermStatistics:
        ids = [str(term) for term in dict.fromkeys(terms)]
        [row] = self._database.rows(cypher.TERM_STATISTICS, project_id=project_id, ids=ids)
        num_chunks, num_terms = row["totals"]
        num_with = {int(id_): number for id_, number in row["num_with"] if number is not None}
        return TermStatistics(num_chunks, num_terms / num_chunks if num_chunks else 0.0, num_with)

    def sample(self, project_id: str, model: str, number: int) -> Vectors:
        [row] = self._database.rows(cypher.SAMPLE, project_id=project_id, model=model, number=number)
        return matrix(row["vectors"])


def _candidate(values: Sequence[Any]) -> Candidate:
    *told, number, terms, vector, indexed_text = values
    return Candidate._make((*told, from_microseconds(number), packed(indexed_text) if terms is None else terms, vector))
