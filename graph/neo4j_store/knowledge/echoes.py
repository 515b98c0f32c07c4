"""`DuplicateSentences` on Neo4j: a node for each saying of an item, in the order in which it was first said."""

from collections.abc import Sequence

from neo4j import Record

from graph.neo4j_store.cypher import echoes_cypher as cypher
from graph.neo4j_store.cypher import record_cypher
from graph.neo4j_store.database.connection import Database, Transaction
from graph.neo4j_store.database.filters import storable
from graph.neo4j_store.database.job_queue import put_jobs
from graph.neo4j_store.database.lineage import replaced
from graph.neo4j_store.database.rows import slices
from graph.protocols.duplicate_sentences import EarlierSentence, SentenceHash

#: A saying with the time (microseconds since 1970) and number of the item that said it first.
_Told = list[int]


class Neo4jEchoes:
    """Fulfils `graph.protocols.duplicate_sentences.DuplicateSentences`."""

    _database: Database

    def save_sentence_hashes(
        self, project_id: str, artifact_id: str, sentence_hashes: Sequence[SentenceHash]
    ) -> list[str]:
        def work(transaction: Transaction) -> list[str]:
            if transaction.row(record_cypher.LOCK_KNOWN_PROJECT, project_id=project_id) is None:
                return []
            sayer = transaction.row(cypher.SAYER, project_id=project_id, id=artifact_id)
            return [] if sayer is None else _keep(transaction, project_id, artifact_id, sayer, set(sentence_hashes))

        return self._database.write(work) if storable([artifact_id]) else []

    def earlier_sentences(self, project_id: str, artifact_id: str, limit: int) -> list[EarlierSentence]:
        def work(transaction: Transaction) -> list[tuple[int, int, str, SentenceHash]]:
            sayer = transaction.row(cypher.SAYER, project_id=project_id, id=artifact_id)
            place = {"project_id": project_id, "id": artifact_id, "limit": limit}
            return [
                (row["since"], row["first"], row["id"], row["hash"])
                for part in slices([] if sayer is None else sayer["sayings"])
                for row in transaction.rows(cypher.SAID_BEFORE, sayings=part, **place)
            ]

        if not storable([artifact_id]):
            return []
        return [EarlierSentence(sentence_hash, id_) for _, _, id_, sentence_hash in sorted(self._database.read(work))]

    def link_echoes(self, project_id: str, artifact_id: str, origins: Sequence[str]) -> None:
        def work(transaction: Transaction) -> None:
            if transaction.row(record_cypher.LOCK_KNOWN_PROJECT, project_id=project_id) is not None:
                place = {"project_id": project_id, "id": artifact_id}
                transaction.run(cypher.LINK, origins=storable(origins), **place)

        if storable([artifact_id]):
            self._database.write(work)


def release_echoes(transaction: Transaction, project_id: str, ids: Sequence[str]) -> None:
    """Drop the sayings of items about to be removed, and queue the extraction of what echoes them."""
    queue_echoing(transaction, project_id, ids)
    transaction.run(cypher.DROP_SAYINGS, project_id=project_id, ids=ids)


def queue_echoing(transaction: Transaction, project_id: str, ids: Sequence[str]) -> None:
    """Queue the extraction of what echoes items that go, or whose events have other summaries."""
    echoing = transaction.rows(cypher.ECHOING, project_id=project_id, ids=ids)
    put_jobs(transaction, project_id, {row["id"]: row["num_chunks"] for row in echoing}, ["extract"])


def _keep(
    transaction: Transaction, project_id: str, artifact_id: str, sayer: Record, wanted: set[SentenceHash]
) -> list[str]:
    """Replace the sayings of an item and of its revisions; return the ids of items whose echoes that may change."""
    ids = replaced(transaction, project_id, [artifact_id])
    former = transaction.rows(cypher.FORMER, project_id=project_id, ids=ids) if ids else []
    if not former and {told[0] for told in sayer["sayings"]} == wanted:
        return []
    first: dict[SentenceHash, tuple[int, int]] = {}
    for row in (sayer, *former):  # its own as well, which know of revisions that have none left
        for sentence_hash, since, number in row["sayings"]:
            first[sentence_hash] = min((since, number), first.get(sentence_hash, (since, number)))
    place = {"project_id": project_id, "id": artifact_id}
    emptied = [artifact_id, *(row["id"] for row in former)]
    if former or sayer["sayings"]:
        transaction.run(cypher.DROP_SAYINGS, project_id=project_id, ids=emptied)
    own = (sayer["since"], sayer["first"])
    told: list[_Told] = [[sentence_hash, *min(own, first.get(sentence_hash, own))] for sentence_hash in sorted(wanted)]
    for part in slices(told):
        transaction.run(cypher.PUT_SAYINGS, sayings=part, **place)
    # Nobody echoes an item that expires.
    parts = () if sayer["expires"] else slices(told)
    changed = {row["id"] for part in parts for row in transaction.rows(cypher.SAID_LATER, sayings=part, **place)}
    if former:
        changed |= {row["id"] for row in transaction.rows(cypher.ECHOING, project_id=project_id, ids=emptied[1:])}
    return sorted(changed - {artifact_id})
