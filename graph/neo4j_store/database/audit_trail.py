"""`Audit` on Neo4j, and what adds entries inside another part's transaction."""

from collections.abc import Sequence
from datetime import datetime

from core.interface.audit import Act, AuditEntry, make_audit_entries
from graph.neo4j_store.cypher import administration_cypher as cypher
from graph.neo4j_store.database.connection import Database, Transaction
from graph.neo4j_store.database.job_queue import next_number
from graph.timestamps import from_microseconds


def write_entries(transaction: Transaction, entries: Sequence[AuditEntry]) -> None:
    """Add entries with this transaction."""
    rows = []
    for one in entries:
        number = next_number()
        rows.append(
            {
                "project_id": one.project_id,
                "id": f"{number:x}",
                "name": one.act,
                "number": number,
                "at": one.at,
                "act": one.act,
                "by": one.by,
                "client": one.client,
                "things": one.number,
                "ids": list(one.ids),
            }
        )
    if rows:
        transaction.run(cypher.WRITE, entries=rows)


class Neo4jAudit:
    """Fulfils `graph.protocols.administration.Audit`; that nothing else changes entries is up to the server's users."""

    _database: Database

    def record_act(self, act: Act, project_id: str, ids: Sequence[str] = (), *, number: int | None = None) -> None:
        entries = make_audit_entries(act, project_id, ids, number=number)
        self._database.write(lambda transaction: write_entries(transaction, entries))

    def audit_trail(
        self, project_id: str | None = None, *, since: datetime | None = None, limit: int = 100
    ) -> list[AuditEntry]:
        statement = cypher.READ_ALL if project_id is None else cypher.READ_PROJECT
        rows = self._database.rows(statement, project_id=project_id, since=since, limit=limit)
        return [
            AuditEntry(
                at=from_microseconds(entry["at"]),
                act=entry["act"],
                by=entry["by"],
                client=entry["client"],
                project_id=entry["project_id"],
                number=entry["things"],
                ids=tuple(entry["ids"]),
            )
            for entry in (row["entry"] for row in rows)
            if entry["ids"] is not None  # one that is dropped while it is read has lost all
        ]

    def rotate_audit(self, before: datetime, most: int) -> int:
        row = self._database.write(lambda tx: tx.row(cypher.ROTATE, before=before, most=most))
        return 0 if row is None else int(row["dropped"])
