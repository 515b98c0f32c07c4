"""Statuses of events: what resolutions and links make of them. Runs inside one transaction."""

from collections.abc import Iterable, Sequence

from graph.neo4j_store.cypher import ledger_cypher as cypher
from graph.neo4j_store.database.connection import Transaction


def linked_from(transaction: Transaction, project_id: str, event_ids: Sequence[str]) -> set[str]:
    """Return the events that links from these lead to."""
    return {row["id"] for row in transaction.rows(cypher.LINKED_FROM, project_id=project_id, ids=event_ids)}


def refresh_statuses(transaction: Transaction, project_id: str, event_ids: Iterable[str]) -> None:
    """Recompute the statuses of these events."""
    if ids := sorted(event_ids):
        transaction.run(cypher.REFRESH, project_id=project_id, ids=ids)
