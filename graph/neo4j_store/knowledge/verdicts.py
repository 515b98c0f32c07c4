"""Verdicts as nodes. Runs inside one transaction."""

from collections.abc import Sequence
from dataclasses import asdict

from core.knowledge.identities import Verdict, Verdicts, orphaned
from graph.neo4j_store.cypher import identities_cypher as cypher
from graph.neo4j_store.database.connection import Transaction
from graph.neo4j_store.database.rows import native_time


def verdicts_of(transaction: Transaction, project_id: str) -> list[Verdict]:
    """Return all verdicts of a project in the order they were made."""
    found = []
    for row in transaction.rows(cypher.VERDICTS, project_id=project_id):
        node = row["verdict"]
        undone_at = node["undone_at"]
        times = {"at": native_time(node["at"]), "undone_at": None if undone_at is None else native_time(undone_at)}
        found.append(Verdict(**{**node, **times}))
    return found


def insert_verdict(transaction: Transaction, project_id: str, verdict: Verdict) -> None:
    """Store a verdict."""
    properties = asdict(verdict) | {"name": verdict.kind}
    transaction.run(cypher.PUT_VERDICT, project_id=project_id, id=verdict.id, properties=properties)


def forget_verdicts(transaction: Transaction, project_id: str) -> None:
    """Drop verdicts, and notes of verdicts, on entities that no artifact names any more."""
    given = verdicts_of(transaction, project_id)
    if not given:
        return
    ids = _assignable(given)
    named = {row["id"] for row in transaction.rows(cypher.NAMED, project_id=project_id, ids=ids)}
    gone, muted = orphaned(given, named)
    if gone:
        transaction.run(cypher.DROP_VERDICTS, project_id=project_id, ids=gone)
    if muted:
        transaction.run(cypher.MUTE_VERDICTS, project_id=project_id, ids=muted)


def _assignable(given: Sequence[Verdict]) -> list[str]:
    """Return all entities to which an original of these verdicts can be assigned."""
    verdicts = Verdicts(given)
    ids = {id_ for verdict in given for id_ in (verdict.one, verdict.other)}
    return sorted(ids | {verdicts.standing(id_) for id_ in ids})
