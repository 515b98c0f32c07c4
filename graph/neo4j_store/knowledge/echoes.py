"""`DuplicateSentences` on Neo4j: a node for each sentence of an item, in the order in which items had it."""

from collections.abc import Sequence

from graph.neo4j_store.administration import Neo4jProjectWriter
from graph.neo4j_store.cypher import knowledge_cypher as cypher
from graph.neo4j_store.database.filters import valid_utf8
from graph.neo4j_store.database.rows import slices
from graph.protocols.knowledge import SentenceHash
from graph.writers.item_writer import DuplicateSentenceWriter, SentenceOrigin, SentenceSource


class Neo4jDuplicateSentenceWriter(Neo4jProjectWriter, DuplicateSentenceWriter):
    """Fulfils `graph.writers.item_writer.DuplicateSentenceWriter`."""

    def _sentence_source(self, artifact_id: str) -> SentenceSource | None:
        rows = self.rows(cypher.SAYER, id=artifact_id) if valid_utf8([artifact_id]) else ()
        return next((SentenceSource(*row) for row in rows), None)

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

    def _earlier(self, artifact_id: str, limit: int) -> list[tuple[int, int, str, SentenceHash]]:
        source = self._sentence_source(artifact_id)
        parts = slices([] if source is None else source.sentences)
        asked = {"id": artifact_id, "limit": limit}
        rows = (row for part in parts for row in self.rows(cypher.SAID_BEFORE, sayings=part, **asked))
        return [(row["since"], row["first"], row["id"], row["hash"]) for row in rows]

    def link_echoes(self, artifact_id: str, origins: Sequence[str]) -> None:
        if valid_utf8([artifact_id]):
            self.run(cypher.LINK, id=artifact_id, origins=valid_utf8(origins))
