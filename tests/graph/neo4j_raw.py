"""The Neo4j database seen without the store: plain Cypher through a driver of its own."""

import json
from collections.abc import Sequence
from typing import Any, LiteralString

from neo4j import Driver

from core.records import Artifact, Chunk, text_hash
from graph.neo4j_store.text import words
from tests.contracts.raw import RawJob


class Neo4jRaw:
    """Fulfils `tests.contracts.raw.Raw`."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def plant(self, artifact: Artifact, chunks: Sequence[Chunk]) -> None:
        self._rows(
            """MERGE (p:Project {project_id: $node.project_id, id: $node.project_id})
            SET p.number = coalesce(p.number, 0) + 1
            CREATE (a:Artifact) SET a = $node, a.number = p.number""",
            node=_artifact_node(artifact),
        )
        if artifact.replaced_by is None:
            self._rows(
                """MATCH (a:Artifact {project_id: $project_id, id: $id})
                UNWIND $chunks AS chunk CREATE (c:Chunk)-[:PART_OF]->(a) SET c = chunk""",
                project_id=artifact.project_id,
                id=artifact.id,
                chunks=[_chunk_node(artifact, chunk) for chunk in chunks],
            )

    def artifact_ids(self, project_id: str) -> list[str]:
        return self._column(
            "MATCH (a:Artifact {project_id: $project_id}) RETURN a.id ORDER BY a.id", project_id=project_id
        )

    def chunk_texts(self, project_id: str) -> list[str]:
        return self._column(
            "MATCH (c:Chunk {project_id: $project_id}) RETURN c.text ORDER BY c.text", project_id=project_id
        )

    def indexed(self, word: str) -> int:
        stem = f"words:{words(word)[0]}"
        count = "CALL db.index.fulltext.queryNodes('words', $query) YIELD node RETURN count(node)"
        return int(self._column(count, query=stem)[0])

    def substring_entries(self) -> int:
        return int(self._column("MATCH (:Passage)-[:OF]->(a) RETURN count(DISTINCT a)")[0])

    def jobs(self) -> list[RawJob]:
        rows = self._rows(
            """MATCH (j:Job) RETURN j.project_id, j.artifact_id, j.kind, j.state
            ORDER BY j.project_id, j.artifact_id, j.kind"""
        )
        return [RawJob(*row) for row in rows]

    def embedded(self, model: str) -> list[str]:
        return self._column("MATCH (e:Embedding {model: $model}) RETURN e.hash ORDER BY e.hash", model=model)

    def ruin_words(self) -> None:
        self._rows("MATCH (c:Chunk) REMOVE c.words")
        self._rows("MATCH (p:Passage) DETACH DELETE p")

    def everything(self) -> bytes:
        """Return all that the nodes, relations and the words of the full-text index say."""
        nodes = self._column("MATCH (n) RETURN properties(n)")
        relations = self._column("MATCH ()-[r]->() RETURN properties(r)")
        return repr([*nodes, *relations]).encode()

    def _rows(self, statement: LiteralString, **parameters: object) -> list[list[Any]]:
        return [record.values() for record in self._driver.execute_query(statement, parameters).records]

    def _column(self, statement: LiteralString, **parameters: object) -> list[Any]:
        return [row[0] for row in self._rows(statement, **parameters)]


def _artifact_node(artifact: Artifact) -> dict[str, object]:
    memory = artifact.memory
    return {
        "project_id": artifact.project_id,
        "id": artifact.id,
        "name": memory.title or memory.key or memory.content[:60],
        "fingerprint": artifact.fingerprint,
        "content": memory.content,
        "context": memory.context,
        "key": memory.key,
        "conversation_id": memory.conversation_id,
        "turn_index": memory.turn_index,
        "source": memory.source,
        "sensitivity": memory.sensitivity,
        "importance": memory.importance,
        "tags": list(memory.tags),
        "happened_at": artifact.happened_at,
        "created_at": artifact.created_at,
        "updated_at": artifact.updated_at,
        "last_occurred": artifact.last_occurred,
        "expires_at": memory.expiry(),
        "token_count": artifact.token_count,
        "num_chunks": artifact.num_chunks,
        "frequency": artifact.frequency,
        "stashed": artifact.stashed,
        "replaced_by": artifact.replaced_by,
        "given": json.dumps(memory.given()),
    }


def _chunk_node(artifact: Artifact, chunk: Chunk) -> dict[str, object]:
    return {
        "project_id": artifact.project_id,
        "id": chunk.id,
        "name": chunk.id,
        "artifact_id": artifact.id,
        "index": chunk.index,
        "start_char": chunk.start_char,
        "end_char": chunk.end_char,
        "token_count": chunk.token_count,
        "prefix": chunk.prefix,
        "text": chunk.text,
        "hash": text_hash(chunk.indexed_text),
        "words": " ".join(words(chunk.indexed_text)),
    }
