"""MergeDecisions as nodes. Runs inside one transaction."""

from core.knowledge.identities import MergeDecision
from graph.neo4j_store.cypher import identities_cypher as cypher
from graph.neo4j_store.database.connection import Transaction
from graph.neo4j_store.database.rows import native_time


def decisions_of(transaction: Transaction, project_id: str) -> list[MergeDecision]:
    """Return all merge decisions of a project in the order they were made."""
    found = []
    for row in transaction.rows(cypher.VERDICTS, project_id=project_id):
        node = row["verdict"]
        undone_at = node["undone_at"]
        times = {"at": native_time(node["at"]), "undone_at": None if undone_at is None else native_time(undone_at)}
        found.append(MergeDecision(**{**node, **times}))
    return found
