"""The `Name` nodes under which entities are found: their ids, and writing anew those that are wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from core.knowledge.findings import normalise_name
from core.knowledge.identities import hash_normalised_name
from graph.neo4j_store.cypher import administration_cypher as checks
from graph.neo4j_store.cypher import knowledge_cypher
from graph.neo4j_store.database.connection import Transaction

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


def keys_of(*names: str) -> dict[str, str]:
    """Return the normalised names, by the ids of their nodes: a key of the index may not be as long as a name."""
    return {hash_normalised_name(name): name for name in map(normalise_name, names)}


def found_under(project_id: str, transaction: Transaction) -> list[FoundUnder]:
    """Return all entities of a project with what they are found under."""
    found: list[FoundUnder] = []
    last = ""
    while rows := transaction.rows(checks.FOUND_UNDER, project_id=project_id, last=last, batch=_BATCH):
        for row in rows:
            entity = row["entity"]
            names = keys_of(entity["name"], *(entity["aliases"] or ()))
            found.append(FoundUnder(entity["id"], names, tuple(row["names"])))
        last = found[-1].id
    return found


def write_names(transaction: Transaction, project_id: str) -> None:
    """Have each entity found under the names that it is given, and under no others."""
    wrong = [one for one in found_under(project_id, transaction) if one.is_wrong]
    for start in range(0, len(wrong), _BATCH):
        _rewrite(transaction, project_id, wrong[start : start + _BATCH])
    transaction.run(checks.DROP_NAMES, project_id=project_id)


def _rewrite(transaction: Transaction, project_id: str, wrong: Sequence[FoundUnder]) -> None:
    rows = [{"entity": one.id, "id": id_, "name": name} for one in wrong for id_, name in sorted(one.names.items())]
    transaction.run(checks.FORGET_NAMES, project_id=project_id, ids=[one.id for one in wrong])
    transaction.run(knowledge_cypher.GAIN_NAMES, project_id=project_id, names=rows)
