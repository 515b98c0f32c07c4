"""Verdicts as nodes. Runs inside one transaction."""

from collections.abc import Sequence
from dataclasses import asdict

from core.knowledge.identities import MergeDecision, MergeDecisions, orphaned
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


def insert_decision(transaction: Transaction, project_id: str, decision: MergeDecision) -> None:
    """Store a merge decision."""
    properties = asdict(decision) | {"name": decision.kind}
    transaction.run(cypher.PUT_VERDICT, project_id=project_id, id=decision.id, properties=properties)


def delete_orphaned_decisions(transaction: Transaction, project_id: str) -> None:
    """Drop merge decisions, and notes of merge decisions, on entities that no artifact names any more."""
    given = decisions_of(transaction, project_id)
    if not given:
        return
    ids = _assignable(given)
    named = {row["id"] for row in transaction.rows(cypher.NAMED, project_id=project_id, ids=ids)}
    gone, muted = orphaned(given, named)
    if gone:
        transaction.run(cypher.DROP_VERDICTS, project_id=project_id, ids=gone)
    if muted:
        transaction.run(cypher.MUTE_VERDICTS, project_id=project_id, ids=muted)


def _assignable(given: Sequence[MergeDecision]) -> list[str]:
    """Return all entities to which an original of these merge decisions can be assigned."""
    decisions = MergeDecisions(given)
    ids = {id_ for decision in given for id_ in (decision.one, decision.other)}
    return sorted(ids | {decisions.standing(id_) for id_ in ids})
