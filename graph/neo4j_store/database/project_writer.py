"""A transaction that writes to one project, with what each part of the record needs in it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import LiteralString, Self

from neo4j import Record

from core.interface.audit import AuditEntry
from core.records import JobKind
from graph.neo4j_store.cypher import administration_cypher, record_cypher
from graph.neo4j_store.database.audit_trail import write_entries
from graph.neo4j_store.database.connection import Transaction
from graph.neo4j_store.database.job_queue import job_id, put_jobs


class Neo4jProjectWriter:
    """Fulfils `graph.writers.knowledge_writer.ProjectWriter`."""

    def __init__(self, transaction: Transaction, project_id: str) -> None:
        self._transaction = transaction
        self.project_id = project_id

    def locked(self) -> Self:
        """Take the lock of the project, if anything was ever written to it."""
        self._transaction.row(record_cypher.LOCK_KNOWN_PROJECT, project_id=self.project_id)
        return self

    def run(self, statement: LiteralString, /, **parameters: object) -> None:
        """Run a statement on the project for its effect."""
        self._transaction.run(statement, project_id=self.project_id, **parameters)

    def rows(self, statement: LiteralString, /, **parameters: object) -> list[Record]:
        """Run a statement on the project and return its rows."""
        return self._transaction.rows(statement, project_id=self.project_id, **parameters)

    def put_jobs(self, num_chunks: Mapping[str, int], kinds: Sequence[JobKind]) -> None:
        put_jobs(self._transaction, self.project_id, num_chunks, kinds)

    def drop_jobs(self, artifact_ids: Sequence[str], kinds: Sequence[JobKind]) -> None:
        self.run(administration_cypher.DROP_JOBS, ids=[job_id(id_, kind) for id_ in artifact_ids for kind in kinds])

    def awaits_extraction(self, artifact_id: str) -> bool:
        return bool(self.rows(administration_cypher.UNDONE, id=job_id(artifact_id, "extract")))

    def write_entries(self, entries: Sequence[AuditEntry]) -> None:
        write_entries(self._transaction, entries)

    def replaced(self, artifact_ids: Sequence[str]) -> list[str]:
        """Return the ids of all that these items have replaced, directly or through others."""
        earlier: defaultdict[str, list[str]] = defaultdict(list)
        for row in self.rows(record_cypher.UNDER_THEIR_KEYS, ids=artifact_ids):
            earlier[row["replaced_by"]].append(row["id"])
        found: list[str] = []
        waiting = list(artifact_ids)
        while waiting:
            # What has been followed is taken out, so that nothing is followed twice.
            waiting = [id_ for successor in waiting for id_ in earlier.pop(successor, ())]
            found += waiting
        return found
