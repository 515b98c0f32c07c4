"""The Neo4j database seen without the store: plain Cypher through a driver of its own."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, LiteralString

from neo4j import Driver

from core.knowledge.findings import Entity, Event, Evidence, normalise_name
from core.knowledge.text import tag_forms
from core.records import Artifact, Chunk
from graph.text.term_vectors import pack_counts, tally, term
from graph.text.tokens import stems
from tests.contracts.raw import RawJob


class Neo4jRaw:
    """Fulfils `tests.contracts.raw.Raw`."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def plant(self, artifact: Artifact, chunks: Sequence[Chunk]) -> None:
        self._rows(
            """MERGE (p:Partition {project_id: $node.project_id, id: $node.project_id})
            SET p.number = coalesce(p.number, 0) + 1
            CREATE (a:Artifact) SET a = $node, a.number = p.number""",
            node=_artifact_node(artifact),
        )
        if artifact.replaced_by is None:
            num_with, num_terms = tally([pack_counts(chunk.indexed_text) for chunk in chunks])
            self._rows(
                """MATCH (p:Partition {project_id: $project_id, id: $project_id})
                MATCH (a:Artifact {project_id: $project_id, id: $id})
                SET p.num_chunks = coalesce(p.num_chunks, 0) + size($chunks),
                    p.num_terms = coalesce(p.num_terms, 0) + $num_terms
                FOREACH (chunk IN $chunks | CREATE (c:Chunk)-[:PART_OF]->(a) SET c = chunk)
                FOREACH (term IN $terms | MERGE (t:Term {project_id: $project_id, id: term[0]})
                    SET t.num_chunks = coalesce(t.num_chunks, 0) + term[1])""",
                project_id=artifact.project_id,
                id=artifact.id,
                chunks=[_chunk_node(artifact, chunk) for chunk in chunks],
                num_terms=num_terms,
                terms=[[str(term), number] for term, number in num_with.items()],
            )

    def plant_entity(self, artifact: Artifact, entity: Entity) -> None:
        starts = list(range(entity.mention_count))
        said = {"role": entity.role, "organization": entity.organization}
        names = {"name": entity.name, "aliases": list(entity.aliases)} | said
        at = {"happened_at": artifact.happened_at, "starts": starts, "ends": [start + 1 for start in starts]}
        self._rows(
            """MATCH (a:Artifact {project_id: $project_id, id: $artifact_id})
            CREATE (e:Entity {project_id: $project_id, id: $id, type: $type, mention_count: size($starts)})
            CREATE (a)-[n:NAMES]->(e)
            SET e += $names, n = $names, n += $at, n.number = a.number
            SET e.role_at = CASE WHEN e.role IS NOT NULL THEN a.happened_at END,
                e.role_number = CASE WHEN e.role IS NOT NULL THEN a.number END,
                e.organization_at = CASE WHEN e.organization IS NOT NULL THEN a.happened_at END,
                e.organization_number = CASE WHEN e.organization IS NOT NULL THEN a.number END
            WITH a, e MATCH (c:Chunk)-[:PART_OF]->(a)
            WHERE any(start IN $starts WHERE c.start_char <= start AND start < c.end_char)
            CREATE (c)-[:MENTIONS]->(e)""",
            project_id=artifact.project_id,
            artifact_id=artifact.id,
            id=entity.id,
            type=entity.type,
            names=names,
            at=at,
            starts=starts,
        )
        self._rows(
            """UNWIND $keys AS key MATCH (e:Entity {project_id: $project_id, id: $id})
            MERGE (n:Name {project_id: $project_id, id: key.id}) SET n.name = key.name CREATE (e)-[:KNOWN_AS]->(n)""",
            project_id=artifact.project_id,
            id=entity.id,
            keys=[{"id": key, "name": name} for key, name in _keys(entity.name, *entity.aliases).items()],
        )

    def plant_event(self, artifact: Artifact, event: Event) -> None:
        self._rows(
            """CREATE (v:Event) SET v = $node, v.project_id = $project_id,
                v.listed_at = coalesce(v.event_time, datetime({year: -9999})), v:$($node.category)
            WITH v UNWIND $evidence AS proof
            MATCH (a:Artifact {project_id: $project_id, id: proof.artifact_id})
            CREATE (v)-[p:EVIDENCED_BY]->(a) SET p = proof.place""",
            project_id=artifact.project_id,
            node=_event_node(event),
            evidence=[_proof(proof, position) for position, proof in enumerate(event.evidence)],
        )
        parts: list[tuple[LiteralString, str, str | None]] = [
            *(("(e)-[r:ACTED_IN]->(v)", one.entity_id, one.role) for one in event.actors),
            *(("(v)-[r:ABOUT]->(e)", one.entity_id, None) for one in event.subjects),
        ]
        for position, (way, entity_id, role) in enumerate(parts):
            hub = f"{artifact.project_id}/{entity_id}/{event.category}"
            self._rows(
                f"""MATCH (v:Event {{project_id: $project_id, id: $id}})
                MATCH (e:Entity {{project_id: $project_id, id: $entity}}) CREATE {way} SET r = $place""",
                project_id=artifact.project_id,
                id=event.id,
                entity=entity_id,
                place={"role": role, "position": position, "weight": 1.0, "hub": hub},
            )

    def knowledge_ids(self, project_id: str) -> list[str]:
        return self._column(
            "MATCH (n:Entity|Event {project_id: $project_id}) RETURN n.id ORDER BY n.id", project_id=project_id
        )

    def steps(self) -> int:
        return 2 * int(self._column("MATCH ()-[r:ACTED_IN|ABOUT]->() WHERE r.hub IS NOT NULL RETURN count(r)")[0])

    def check(self) -> None:
        for what, statement in _FAULTS.items():
            assert self._rows(statement) == [], what
        for id_, stored, known_as, given in self._rows(_CALLED):
            assert stored == _derived(given, stored["given_name"]), f"entity {id_} is not called what artifacts call it"
            assert sorted(known_as) == sorted(_keys(stored["name"], *stored["aliases"])), f"names of entity {id_}"
        for id_, speaker, author, turn_index in self._rows(_SPEAKERS):
            said = None if author is None or turn_index is None else re.sub("[A-Z]", lambda a: a[0].lower(), author)
            assert speaker == said, f"speaker of {id_}"
        self._check_terms()

    def artifact_ids(self, project_id: str) -> list[str]:
        return self._column(
            "MATCH (a:Artifact {project_id: $project_id}) RETURN a.id ORDER BY a.id", project_id=project_id
        )

    def chunk_texts(self, project_id: str) -> list[str]:
        return self._column(
            "MATCH (c:Chunk {project_id: $project_id}) RETURN c.text ORDER BY c.text", project_id=project_id
        )

    def indexed(self, word: str) -> int:
        stem = f"words:{stems(word)[0]}"
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
        return self._column(
            "MATCH (e:Embedding {model: $model}) RETURN left(e.hash, 24) AS hash ORDER BY hash", model=model
        )

    def ruin_words(self) -> None:
        self._rows("MATCH (c:Chunk) REMOVE c.words")
        self._rows("MATCH (p:Passage) DETACH DELETE p")

    def lose_words(self, project_id: str, chunk_ids: Sequence[str]) -> None:
        self._rows(
            "MATCH (c:Chunk {project_id: $project_id}) WHERE c.id IN $ids REMOVE c.words",
            project_id=project_id,
            ids=chunk_ids,
        )

    def lose_spelling(self, project_id: str, word: str) -> None:
        self._rows(
            "MATCH (t:Term {project_id: $project_id, id: $id}) REMOVE t.word", project_id=project_id, id=str(term(word))
        )

    def lose_nodes(self, project_id: str, ids: Sequence[str]) -> None:
        self._rows(
            "MATCH (n:Entity|Event {project_id: $project_id}) WHERE n.id IN $ids DETACH DELETE n",
            project_id=project_id,
            ids=ids,
        )

    def lose_evidence(self, project_id: str, ids: Sequence[str]) -> None:
        self._rows(
            """MATCH (n:Entity|Event {project_id: $project_id}) WHERE n.id IN $ids
            MATCH (n)-[r:EVIDENCED_BY|NAMES|MENTIONS]-() DELETE r""",
            project_id=project_id,
            ids=ids,
        )

    def everything(self) -> bytes:
        """Return all that the nodes and relations say, the words for the full-text index among it."""
        nodes = self._column("MATCH (n) RETURN properties(n)")
        relations = self._column("MATCH ()-[r]->() RETURN properties(r)")
        return repr([*nodes, *relations]).encode()

    def _check_terms(self) -> None:
        """Count anew what the nodes of terms and projects say."""
        vectors: dict[str, list[bytes]] = {}
        for project_id, id_, terms, text in self._rows(_TERMS_OF_CHUNKS):
            assert terms == pack_counts(text), f"terms of chunk {id_}"
            vectors.setdefault(project_id, []).append(terms)
        for project_id, num_chunks, num_terms, counted in self._rows(_COUNTED):
            found = vectors.pop(project_id, [])
            num_with, total = tally(found)
            told = {int(id_): number for id_, number in counted}
            assert (num_chunks, num_terms, told) == (len(found), total, num_with), f"counts of project {project_id}"
        assert vectors == {}, "chunks of no project"

    def _rows(self, statement: LiteralString, **parameters: object) -> list[list[Any]]:
        return [record.values() for record in self._driver.execute_query(statement, parameters).records]

    def _column(self, statement: LiteralString, **parameters: object) -> list[Any]:
        return [row[0] for row in self._rows(statement, **parameters)]


#: What there is none of in a sound database.
_FAULTS: Final[dict[str, LiteralString]] = {
    "a chunk, a passage or a name of nothing": """
        MATCH (n:Chunk|Passage|Name|Event|Entity) WHERE NOT EXISTS {
            (n)-[:PART_OF|OF|EVIDENCED_BY]->(:Artifact) } AND NOT EXISTS { (n)<-[:KNOWN_AS]-(:Entity) }
            AND NOT EXISTS { (n)<-[:NAMES]-(:Artifact) } RETURN n.id""",
    "chunks of a revision, or another number of them than is told": """
        MATCH (a:Artifact) WITH a, COUNT { (:Chunk)-[:PART_OF]->(a) } AS chunks
        WHERE chunks <> CASE WHEN a.replaced_by IS NULL THEN a.num_chunks ELSE 0 END RETURN a.id, chunks""",
    "a revision that is listed, or an item that is not": """
        MATCH (a:Artifact) WHERE coalesce(a.listed_in, '') <> CASE WHEN a.replaced_by IS NULL THEN a.project_id
            ELSE '' END RETURN a.id, a.listed_in""",
    "an embedding of no text": """
        MATCH (e:Embedding) WHERE NOT EXISTS { (:Chunk {hash: e.hash}) } RETURN e.id""",
    "an entity that an artifact names twice": """
        MATCH (a:Artifact)-[n:NAMES]->(e:Entity)
        WITH a, coalesce(n.original, e.id) AS original, count(n) AS relations WHERE relations > 1 RETURN original""",
    "a mention count that is not that of the current artifacts": """
        MATCH (e:Entity) WITH e, COLLECT {
            MATCH (e)<-[n:NAMES]-(a:Artifact) WHERE a.replaced_by IS NULL RETURN size(n.starts) } AS counts
        WHERE reduce(sum = 0, one IN counts | sum + one) <> e.mention_count RETURN e.id, counts""",
    "a chunk that does not mention, once, what begins in it": """
        MATCH (c:Chunk)-[:PART_OF]->(a:Artifact)-[n:NAMES]->(e:Entity)
        WITH c, e, collect(any(start IN n.starts WHERE c.start_char <= start AND start < c.end_char)) AS each
        WITH c, e, any(one IN each WHERE one) AS mentioned
        WHERE COUNT { (c)-[:MENTIONS]->(e) } <> CASE WHEN mentioned THEN 1 ELSE 0 END RETURN c.id, e.id""",
    "a chunk that mentions what its artifact does not name": """
        MATCH (a:Artifact)<-[:PART_OF]-(c:Chunk)-[:MENTIONS]->(e:Entity)
        WHERE NOT EXISTS { (a)-[:NAMES]->(e) } RETURN c.id, e.id""",
    "a step that is not that of an event with current evidence": """
        MATCH (v:Event)-[r:ACTED_IN|ABOUT]-(e:Entity)
        WITH v, r, e, EXISTS { MATCH (v)-[:EVIDENCED_BY]->(a:Artifact) WHERE a.replaced_by IS NULL } AS seen
        WITH v, r, e, CASE WHEN seen AND r.repeated IS NULL
            THEN v.project_id + '/' + e.id + '/' + v.category ELSE '' END AS hub
        WHERE coalesce(r.hub, '') <> hub OR r.weight <> v.weight OR v.project_id <> e.project_id
        RETURN v.id, e.id, r.hub, r.weight""",
    "an event that is listed at another time or as another category": """
        MATCH (v:Event) WHERE v.listed_at <> coalesce(v.event_time, datetime({year: -9999}))
            OR labels(v) <> ['Event', v.category] AND labels(v) <> [v.category, 'Event'] RETURN v.id""",
}
_SPEAKERS: Final[LiteralString] = "MATCH (a:Artifact) RETURN a.id, a.speaker, a.author, a.turn_index"
_TERMS_OF_CHUNKS: Final[LiteralString] = "MATCH (c:Chunk) RETURN c.project_id, c.id, c.terms, c.prefix + c.text"
_COUNTED: Final[LiteralString] = """
MATCH (p:Partition) RETURN p.id, coalesce(p.num_chunks, 0), coalesce(p.num_terms, 0),
    COLLECT { MATCH (t:Term {project_id: p.id}) RETURN [t.id, t.num_chunks] }
"""
_CALLED: Final[LiteralString] = """
MATCH (e:Entity)
RETURN e.id, e {.name, .given_name, .aliases, .role, .role_at, .role_number, .organization, .organization_at,
        .organization_number},
    COLLECT { MATCH (e)-[:KNOWN_AS]->(n:Name) RETURN n.id },
    COLLECT { MATCH (e)<-[n:NAMES]-(:Artifact) RETURN n {.*} }
"""


def _derived(given: Sequence[dict[str, Any]], decided: str | None) -> dict[str, Any]:
    """Return what an entity is called by all that artifacts say of it, and by what a person decided."""
    uses = Counter[str]()
    for one in given:
        uses[one["name"]] += one.get("weight") or 1
    name = decided or min(uses, key=lambda one: (-min(len(one.split()), 2), -uses[one], -len(one), one))
    names = {one["name"] for one in given} | {alias for one in given for alias in one["aliases"]}
    derived: dict[str, Any] = {"name": name, "given_name": decided, "aliases": sorted(names - {name})}
    for field in ("role", "organization"):
        said = [one for one in given if one.get(field) is not None]
        last = max(said, key=lambda one: (one["happened_at"], one["number"]), default=None)
        derived |= {
            field: last and last[field],
            f"{field}_at": last and last["happened_at"],
            f"{field}_number": last and last["number"],
        }
    return derived


def _keys(*names: str) -> dict[str, str]:
    """Return the normalised names by the ids of their nodes."""
    return {hashlib.sha256(name.encode()).hexdigest(): name for name in map(normalise_name, names)}


def _event_node(event: Event) -> dict[str, object]:
    return {
        "id": event.id,
        "name": event.summary[:80],
        "category": event.category,
        "summary": event.summary,
        "confidence": event.confidence,
        "event_time": event.event_time,
        "due_at": event.due,
        "status": event.status,
        "weight": 1.0,
    }


def _proof(proof: Evidence, position: int) -> dict[str, object]:
    place = {"quote": proof.quote, "start_char": proof.start_char, "end_char": proof.end_char, "position": position}
    return {"artifact_id": proof.artifact_id, "place": place}


def _artifact_node(artifact: Artifact) -> dict[str, object]:
    memory = artifact.memory
    return {
        "project_id": artifact.project_id,
        "listed_in": artifact.project_id if artifact.replaced_by is None else None,
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
        "file_path": memory.file_path,
        "task_id": memory.task_id,
        "tags": list(memory.tags),
        "tag_forms": tag_forms(memory.tags),
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
        "author": memory.author,
        "speaker": memory.author and memory.author.lower() if memory.turn_index is not None else None,
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
        "hash": chunk.embedding_key_in(artifact.project_id),
        "words": " ".join(stems(chunk.indexed_text)),
        "terms": pack_counts(chunk.indexed_text),
    }
