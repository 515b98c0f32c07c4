"""Which items an item has replaced under its key."""

from collections import defaultdict
from collections.abc import Sequence

from graph.neo4j_store.cypher import record_cypher
from graph.neo4j_store.database.connection import Transaction


def replaced(transaction: Transaction, project_id: str, ids: Sequence[str]) -> list[str]:
    """Return the ids of all that these items have replaced, directly or through others."""
    earlier: defaultdict[str, list[str]] = defaultdict(list)
    for row in transaction.rows(record_cypher.UNDER_THEIR_KEYS, project_id=project_id, ids=ids):
        earlier[row["replaced_by"]].append(row["id"])
    found: list[str] = []
    waiting = list(ids)
    while waiting:
        # What has been followed is taken out, so that nothing is followed twice.
        waiting = [id_ for successor in waiting for id_ in earlier.pop(successor, ())]
        found += waiting
    return found
