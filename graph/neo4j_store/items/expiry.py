"""Items whose time has come: past their `expires_at`, or kept until what is in them is settled, and that is."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from core.knowledge.ledger import SETTLED
from core.records import SETTLED_FOR
from graph.neo4j_store.cypher import record_cypher
from graph.neo4j_store.database.connection import Transaction

#: More items than there are.
_ALL: Final = 2**62


def expired(
    transaction: Transaction, at: datetime, limit: int, project_id: str | None = None
) -> tuple[str, list[str]] | None:
    """Return a project, or this one, and up to `limit` of its items whose time has come; None if there are none."""
    rows = transaction.rows(record_cypher.EXPIRED, at=at, limit=limit, project_id=project_id)
    found = [(row["project_id"], row["id"]) for row in rows]
    if len(found) < limit:
        found += _settled(transaction, at, project_id)
    return (found[0][0], [id_ for project, id_ in found if project == found[0][0]][:limit]) if found else None


def num_expired(transaction: Transaction, at: datetime) -> int:
    """Return how many items of all projects there are whose time had come by then."""
    [row] = transaction.rows(record_cypher.COUNT_EXPIRED, at=at, limit=_ALL, project_id=None)
    return int(row["number"]) + sum(1 for _ in _settled(transaction, at, None))


def _settled(transaction: Transaction, at: datetime, project_id: str | None) -> Iterator[tuple[str, str]]:
    parameters = {"at": at, "settled_at": at - SETTLED_FOR, "settled": list(SETTLED), "project_id": project_id}
    for row in transaction.rows(record_cypher.SETTLED, **parameters):
        yield row["project_id"], row["id"]
