"""Repairing the graph: what rests on nothing is dropped, the rest connected again. Inside one transaction."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, LiteralString

from graph.neo4j_store.cypher import administration_cypher as checks
from graph.neo4j_store.cypher import knowledge_cypher, schema_cypher
from graph.neo4j_store.database.connection import Transaction
from graph.neo4j_store.database.name_nodes import write_names
from graph.neo4j_store.knowledge.lessons import connect_mentions, delete_events_without_evidence, rename

_TO_EXTRACT: Final = (
    checks.MISSING_EVENTS,
    checks.MISSING_ENTITIES,
    checks.UNEXPECTED_EVENTS,
    checks.UNEXPECTED_ENTITIES,
)


def repair_graph(project_id: str, misquoted: Iterable[str], at: datetime, transaction: Transaction) -> list[str]:
    """Do what `Soundness.repair` promises of the graph of a project; return the items to be extracted again."""
    transaction.run(schema_cypher.LOCK_PROJECT, project_id=project_id)
    items = {row["item"] for statement in _TO_EXTRACT for row in transaction.rows(statement, project_id=project_id)}
    delete_events_without_evidence(transaction, project_id, _column(transaction, checks.UNPROVEN, project_id, "id"))
    rename(transaction, project_id, _column(transaction, checks.UNNAMED, project_id, "id"))
    write_names(transaction, project_id)
    transaction.run(checks.COUNT, project_id=project_id)
    for statement in (checks.UNMENTIONED, checks.OVERMENTIONED):
        for item in _column(transaction, statement, project_id, "item"):
            connect_mentions(transaction, project_id, item)
    events = _column(transaction, checks.MISCONNECTED, project_id, "item")
    transaction.run(knowledge_cypher.CONNECT_EVENTS, project_id=project_id, ids=events)
    items |= set(misquoted)
    rows = transaction.rows(checks.CURRENT_ITEMS, project_id=project_id, ids=sorted(items), at=at)
    current = [str(row["id"]) for row in rows]
    transaction.run(checks.ACCEPT, project_id=project_id, ids=sorted(items - set(current)))
    return sorted(current)


def _column(transaction: Transaction, statement: LiteralString, project_id: str, name: str) -> Sequence[str]:
    return sorted({row[name] for row in transaction.rows(statement, project_id=project_id)})
