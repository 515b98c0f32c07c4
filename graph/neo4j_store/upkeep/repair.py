"""Repairing the graph: what rests on nothing is dropped, the rest connected again. Inside one transaction."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, LiteralString

from core.knowledge.findings import normalised
from graph.neo4j_store.cypher import knowledge_cypher, schema_cypher
from graph.neo4j_store.cypher import soundness_cypher as checks
from graph.neo4j_store.database.connection import Transaction
from graph.neo4j_store.knowledge.entity_names import name_id
from graph.neo4j_store.knowledge.lessons import connect_mentions, drop_unproven, rename

_TO_EXTRACT: Final = (
    checks.MISSING_EVENTS,
    checks.MISSING_ENTITIES,
    checks.UNEXPECTED_EVENTS,
    checks.UNEXPECTED_ENTITIES,
)
#: Entities read with one statement.
_BATCH: Final = 1_000


@dataclass(frozen=True, slots=True)
class FoundUnder:
    """An entity, its names by the ids of their nodes, and the nodes that it is found under."""

    id: str
    names: dict[str, str]
    nodes: tuple[str, ...]

    @property
    def is_wrong(self) -> bool:
        """Whether it is found under other names than it is given, or twice under one."""
        return sorted(self.names) != sorted(self.nodes)


def found_under(project_id: str, transaction: Transaction) -> list[FoundUnder]:
    """Return all entities of a project with what they are found under."""
    found: list[FoundUnder] = []
    last = ""
    while rows := transaction.rows(checks.FOUND_UNDER, project_id=project_id, last=last, batch=_BATCH):
        for row in rows:
            entity = row["entity"]
            names = {name_id(name): name for name in map(normalised, (entity["name"], *(entity["aliases"] or ())))}
            found.append(FoundUnder(entity["id"], names, tuple(row["names"])))
        last = found[-1].id
    return found


def repair_graph(project_id: str, misquoted: Iterable[str], at: datetime, transaction: Transaction) -> list[str]:
    """Do what `Soundness.repair` promises of the graph of a project; return the items to be extracted again."""
    transaction.run(schema_cypher.LOCK_PROJECT, project_id=project_id)
    items = {row["item"] for statement in _TO_EXTRACT for row in transaction.rows(statement, project_id=project_id)}
    drop_unproven(transaction, project_id, _column(transaction, checks.UNPROVEN, project_id, "id"))
    rename(transaction, project_id, _column(transaction, checks.UNNAMED, project_id, "id"))
    _write_names(transaction, project_id)
    transaction.run(checks.COUNT, project_id=project_id)
    for statement in (checks.UNMENTIONED, checks.OVERMENTIONED):
        for item in _column(transaction, statement, project_id, "item"):
            connect_mentions(transaction, project_id, item)
    events = _column(transaction, checks.MISCONNECTED, project_id, "item")
    transaction.run(knowledge_cypher.CONNECT_EVENTS, project_id=project_id, ids=events)
    items |= set(misquoted)
    rows = transaction.rows(checks.CURRENT, project_id=project_id, ids=sorted(items), at=at)
    current = [str(row["id"]) for row in rows]
    transaction.run(checks.ACCEPT, project_id=project_id, ids=sorted(items - set(current)))
    return sorted(current)


def _write_names(transaction: Transaction, project_id: str) -> None:
    """Have each entity found under the names that it is given, and under no others."""
    wrong = [one for one in found_under(project_id, transaction) if one.is_wrong]
    rows = [{"entity": one.id, "id": id_, "name": name} for one in wrong for id_, name in sorted(one.names.items())]
    transaction.run(checks.FORGET_NAMES, project_id=project_id, ids=[one.id for one in wrong])
    transaction.run(knowledge_cypher.GAIN_NAMES, project_id=project_id, names=rows)
    transaction.run(checks.DROP_NAMES, project_id=project_id)


def _column(transaction: Transaction, statement: LiteralString, project_id: str, name: str) -> Sequence[str]:
    return sorted({row[name] for row in transaction.rows(statement, project_id=project_id)})
