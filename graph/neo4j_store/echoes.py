"""`Echoes` on Neo4j: one node a saying of an item, in the order in which it was first said."""

from collections.abc import Sequence
from typing import Any, Final

from graph.echoes import Said, Saying
from graph.neo4j_store import cypher as records_cypher
from graph.neo4j_store import echoes_cypher as cypher
from graph.neo4j_store.database import Database, Transaction
from graph.neo4j_store.filtering import storable
from graph.neo4j_store.lineage import replaced
from graph.neo4j_store.queueing import put_jobs
from graph.neo4j_store.rows import slices

#: A saying with the moment (microseconds since 1970) and number of the item that was the first to say it.
_Told = list[int]
_NOTHING: Final[list[str]] = []


class Neo4jEchoes:
    """Fulfils `graph.echoes.Echoes`."""

    _database: Database

    def keep_sayings(self, project_id: str, artifact_id: str, sayings: Sequence[Saying]) -> list[str]:
        wanted = set(sayings)

        def is_kept(transaction: Transaction) -> bool:
            own = {told[0] for told in _own(transaction, project_id, artifact_id)}
            return own == wanted and not _former(transaction, project_id, artifact_id)

        def keep(transaction: Transaction) -> list[str] | None:
            if transaction.row(records_cypher.LOCK_KNOWN_PROJECT, project_id=project_id) is None:
                return None
            return _keep(transaction, project_id, artifact_id, wanted)

        if not storable([artifact_id]) or self._database.read(is_kept):
            return []
        linked = self._database.write(keep)
        if linked is None:
            return []
        later = self._database.read(lambda transaction: _later(transaction, project_id, artifact_id))
        return sorted({*linked, *later} - {artifact_id})

    def said_before(self, project_id: str, artifact_id: str, limit: int) -> list[Said]:
        def work(transaction: Transaction) -> list[tuple[int, int, str, Saying]]:
            if _current(transaction, project_id, artifact_id) is None:
                return []
            place = {"project_id": project_id, "id": artifact_id, "limit": limit}
            return [
                (row["since"], row["first"], row["id"], row["hash"])
                for part in slices(_own(transaction, project_id, artifact_id))
                for row in transaction.rows(cypher.SAID_BEFORE, sayings=part, **place)
            ]

        if not storable([artifact_id]):
            return []
        return [Said(saying, id_) for _, _, id_, saying in sorted(self._database.read(work))]

    def link_echoes(self, project_id: str, artifact_id: str, origins: Sequence[str]) -> None:
        def work(transaction: Transaction) -> None:
            if transaction.row(records_cypher.LOCK_KNOWN_PROJECT, project_id=project_id) is not None:
                place = {"project_id": project_id, "id": artifact_id}
                transaction.run(cypher.LINK, origins=storable(origins), **place)

        if storable([artifact_id]):
            self._database.write(work)


def release_echoes(transaction: Transaction, project_id: str, ids: Sequence[str]) -> None:
    """Drop what items that go have said, and queue the extraction of what echoes them. Before they are gone."""
    echoing = transaction.rows(cypher.ECHOING, project_id=project_id, ids=ids)
    transaction.run(cypher.DROP_SAYINGS, project_id=project_id, ids=ids)
    put_jobs(transaction, project_id, {row["id"]: row["num_chunks"] for row in echoing}, ["extract"])


def _current(transaction: Transaction, project_id: str, artifact_id: str) -> dict[str, Any] | None:
    row = transaction.row(cypher.CURRENT_ITEM, project_id=project_id, id=artifact_id)
    return None if row is None else row.data()


def _own(transaction: Transaction, project_id: str, artifact_id: str) -> list[_Told]:
    rows = transaction.rows(cypher.OWN, project_id=project_id, id=artifact_id)
    return [[row["hash"], row["since"], row["first"]] for row in rows]


def _former(transaction: Transaction, project_id: str, artifact_id: str) -> list[str]:
    ids = replaced(transaction, project_id, [artifact_id])
    return [row["id"] for row in transaction.rows(cypher.FORMER, project_id=project_id, ids=ids)] if ids else _NOTHING


def _keep(transaction: Transaction, project_id: str, artifact_id: str, wanted: set[Saying]) -> list[str] | None:
    """Write what an item says in place of what its former texts said; return what echoes those, None if it is gone."""
    found = _current(transaction, project_id, artifact_id)
    if found is None:
        return None
    former = _former(transaction, project_id, artifact_id)
    first: dict[Saying, tuple[int, int]] = {}
    for id_ in former:
        for saying, since, number in _own(transaction, project_id, id_):
            first[saying] = min((since, number), first.get(saying, (since, number)))
    transaction.run(cypher.DROP_SAYINGS, project_id=project_id, ids=[artifact_id, *former])
    own = (found["since"], found["first"])
    rows = [[saying, *min(own, first.get(saying, own))] for saying in sorted(wanted)]
    for part in slices(rows):
        transaction.run(cypher.PUT_SAYINGS, project_id=project_id, id=artifact_id, sayings=part)
    return [row["id"] for row in transaction.rows(cypher.ECHOING, project_id=project_id, ids=former)]


def _later(transaction: Transaction, project_id: str, artifact_id: str) -> list[str]:
    """Return the current items that said later what nobody said before this one; nobody echoes one that expires."""
    found = _current(transaction, project_id, artifact_id)
    if found is None or found["expires"]:
        return []
    place = {"project_id": project_id, "id": artifact_id}
    parts = slices(_own(transaction, project_id, artifact_id))
    return [row["id"] for part in parts for row in transaction.rows(cypher.SAID_LATER, sayings=part, **place)]
