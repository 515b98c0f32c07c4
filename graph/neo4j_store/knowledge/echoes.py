"""`DuplicateSentences` on Neo4j: a node for each sentence of an item, in the order in which items had it."""

from collections.abc import Sequence

from graph.neo4j_store.cypher import echoes_cypher as cypher
from graph.neo4j_store.cypher import record_cypher
from graph.neo4j_store.database.connection import Database, Transaction
from graph.neo4j_store.database.filters import storable
from graph.neo4j_store.database.project_writer import Neo4jProjectWriter
from graph.neo4j_store.database.rows import slices
from graph.protocols.duplicate_sentences import EarlierSentence, SentenceHash
from graph.writers.duplicate_sentence_writer import DuplicateSentenceWriter, SentenceOrigin, SentenceSource


class Neo4jEchoes:
    """Fulfils `graph.protocols.duplicate_sentences.DuplicateSentences`."""

    _database: Database

    def save_sentence_hashes(
        self, project_id: str, artifact_id: str, sentence_hashes: Sequence[SentenceHash]
    ) -> list[str]:
        def work(transaction: Transaction) -> list[str]:
            return (
                Neo4jDuplicateSentenceWriter(transaction, project_id)
                .locked()
                .save_sentence_hashes(artifact_id, sentence_hashes)
            )

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


class Neo4jDuplicateSentenceWriter(Neo4jProjectWriter, DuplicateSentenceWriter):
    """Fulfils `graph.writers.duplicate_sentence_writer.DuplicateSentenceWriter`."""

    def _sentence_source(self, artifact_id: str) -> SentenceSource | None:
        return next((SentenceSource(*row) for row in self.rows(cypher.SAYER, id=artifact_id)), None)

    def _former_sentences(self, artifact_id: str) -> dict[str, Sequence[SentenceOrigin]]:
        ids = self.replaced([artifact_id])
        return {row["id"]: row["sayings"] for row in (self.rows(cypher.FORMER, ids=ids) if ids else ())}

    def _put_sentences(self, artifact_id: str, sentences: Sequence[tuple[SentenceHash, int, int | None]]) -> None:
        for part in slices(list(map(list, sentences))):
            self.run(cypher.PUT_SAYINGS, id=artifact_id, sayings=part)

    def _drop_sentences(self, artifact_ids: Sequence[str]) -> None:
        self.run(cypher.DROP_SAYINGS, ids=artifact_ids)

    def _later_duplicates(self, artifact_id: str, sentences: Sequence[SentenceOrigin]) -> list[str]:
        parts = slices(list(map(list, sentences)))
        return [row["id"] for part in parts for row in self.rows(cypher.SAID_LATER, id=artifact_id, sayings=part)]

    def _duplicates(self, artifact_ids: Sequence[str]) -> dict[str, int]:
        return {row["id"]: row["num_chunks"] for row in self.rows(cypher.ECHOING, ids=artifact_ids)}
