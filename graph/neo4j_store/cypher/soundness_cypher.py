"""The Cypher of `soundness` and `repair`."""

from typing import Final, LiteralString

from core.integrity import UNCUT, Part

PROJECTS: Final = """
MATCH (p:Partition) WHERE p.id IS NOT NULL
RETURN p.id AS id, p.num_chunks AS num_chunks, p.num_terms AS num_terms ORDER BY id
"""
WORD_INDEXES: Final = "SHOW INDEXES YIELD name, state WHERE name IN $names AND state = 'ONLINE' RETURN name"
_ITEMS: Final = "MATCH (a:Artifact) WHERE a.project_id = $project_id AND a.id IS NOT NULL"
_EVENTS: Final = "MATCH (v:Event) WHERE v.project_id = $project_id AND v.id IS NOT NULL"
_ENTITIES: Final = "MATCH (e:Entity) WHERE e.project_id = $project_id AND e.id IS NOT NULL"
_CHUNKS: Final = "MATCH (c:Chunk) WHERE c.project_id = $project_id AND c.id IS NOT NULL"

#: The events and entities that items are expected to have and lack, or have and are not expected to: item and id.
MISSING_EVENTS: Final = f"""
{_ITEMS} AND a.expected_events IS NOT NULL UNWIND a.expected_events AS id
WITH a, id WHERE NOT EXISTS {{ MATCH (a)<-[:EVIDENCED_BY]-(v:Event) WHERE v.id = id }} RETURN a.id AS item, id
"""
MISSING_ENTITIES: Final = f"""
{_ITEMS} AND a.expected_entities IS NOT NULL UNWIND a.expected_entities AS id
WITH a, id WHERE NOT EXISTS {{ MATCH (a)-[n:NAMES]->(e:Entity) WHERE coalesce(n.original, e.id) = id }}
    AND NOT EXISTS {{
        MATCH (d:Verdict {{project_id: $project_id, kind: 'dismissed'}}) WHERE d.undone_at IS NULL AND (d.one = id
            OR EXISTS {{ (s:Verdict {{project_id: $project_id, kind: 'same', one: d.one, other: id}})
                WHERE s.undone_at IS NULL }})
    }}
RETURN a.id AS item, id
"""
UNEXPECTED_EVENTS: Final = f"""
{_ITEMS} AND a.expected_events IS NOT NULL MATCH (a)<-[:EVIDENCED_BY]-(v:Event)
WITH DISTINCT a, v WHERE NOT EXISTS {{ MATCH (v)-[:EVIDENCED_BY]->(o:Artifact) WHERE v.id IN o.expected_events }}
RETURN a.id AS item, v.id AS id
"""
UNEXPECTED_ENTITIES: Final = f"""
{_ITEMS} AND a.expected_entities IS NOT NULL MATCH (a)-[n:NAMES]->(e:Entity)
WITH DISTINCT a, coalesce(n.original, e.id) AS id WHERE NOT id IN a.expected_entities RETURN a.id AS item, id
"""
UNPROVEN: Final = f"{_EVENTS} AND NOT EXISTS {{ (v)-[:EVIDENCED_BY]->(:Artifact) }} RETURN v.id AS id"
UNNAMED: Final = f"{_ENTITIES} AND NOT EXISTS {{ (e)<-[:NAMES]-(:Artifact) }} RETURN e.id AS id"
#: What is mentioned, by the items that are current.
_NUM_MENTIONS: Final = """
CALL (e) {
    OPTIONAL MATCH (e)<-[n:NAMES]-(a:Artifact) WHERE a.replaced_by IS NULL
    RETURN coalesce(sum(size(n.starts)), 0) AS times
}
WITH e, times WHERE e.mention_count <> times
"""
MISCOUNTED: Final = f"{_ENTITIES} {_NUM_MENTIONS} RETURN e.id AS id"
COUNT: Final = f"{_ENTITIES} {_NUM_MENTIONS} SET e.mention_count = times"
#: Chunks and entities: the name begins in the chunk, and no relation says so, or the other way round.
UNMENTIONED: Final = f"""
{_ITEMS} MATCH (a)-[n:NAMES]->(e:Entity) MATCH (a)<-[:PART_OF]-(c:Chunk)
WHERE any(start IN n.starts WHERE c.start_char <= start AND start < c.end_char)
WITH DISTINCT a, c, e WHERE NOT EXISTS {{ (c)-[:MENTIONS]->(e) }} RETURN a.id AS item, c.id + ' > ' + e.id AS id
"""
OVERMENTIONED: Final = f"""
{_CHUNKS} MATCH (c)-[:MENTIONS]->(e:Entity) MATCH (c)-[:PART_OF]->(a:Artifact)
WITH a, c, e WHERE NOT EXISTS {{
    MATCH (a)-[n:NAMES]->(e) WHERE any(start IN n.starts WHERE c.start_char <= start AND start < c.end_char)
}}
RETURN a.id AS item, c.id + ' > ' + e.id AS id
"""
#: Steps whose hub is not what `knowledge_cypher` makes it, with their event.
MISCONNECTED: Final = f"""
{_EVENTS} WITH v, EXISTS {{ MATCH (v)-[:EVIDENCED_BY]->(s:Artifact) WHERE s.replaced_by IS NULL }} AS is_seen
MATCH (v)-[r:ACTED_IN|ABOUT]-(e:Entity)
WITH v, r, e, CASE WHEN is_seen AND r.repeated IS NULL THEN e.project_id + '/' + e.id + '/' + v.category END AS hub
WHERE coalesce(r.hub, '') <> coalesce(hub, '') RETURN v.id AS item, v.id + ' > ' + e.id + ' ' + type(r) AS id
"""
NAMES_OF_NONE: Final = """
MATCH (n:Name) WHERE n.project_id = $project_id AND n.id IS NOT NULL AND NOT EXISTS { (n)<-[:KNOWN_AS]-() }
"""

#: A part, what goes on after the number of what the statement finds, and the statement.
CHECKS: Final[tuple[tuple[Part, str, LiteralString], ...]] = (
    ("record", "items have no content", f"{_ITEMS} AND a.content IS NULL RETURN a.id AS id"),
    (
        "words",
        UNCUT,
        f"""{_ITEMS} WITH a, CASE WHEN a.replaced_by IS NULL THEN a.num_chunks ELSE 0 END AS cut
        WHERE COUNT {{ (a)<-[:PART_OF]-(:Chunk) }} <> cut RETURN a.id AS id""",
    ),
    ("words", "chunks are of no item", f"{_CHUNKS} AND NOT EXISTS {{ (c)-[:PART_OF]->(:Artifact) }} RETURN c.id AS id"),
    ("graph", "events of items are missing", MISSING_EVENTS),
    ("graph", "entities of items are missing", MISSING_ENTITIES),
    ("graph", "events belong to no item", UNEXPECTED_EVENTS),
    ("graph", "entities belong to no item", UNEXPECTED_ENTITIES),
    ("graph", "events rest on no evidence", UNPROVEN),
    ("graph", "entities are named by nothing", UNNAMED),
    ("graph", "entities count more or fewer mentions than there are", MISCOUNTED),
    ("graph", "mentions are missing", UNMENTIONED),
    ("graph", "mentions are of what is not named there", OVERMENTIONED),
    ("graph", "steps between events and entities are wrong", MISCONNECTED),
    ("graph", "names are nobody's", f"{NAMES_OF_NONE} RETURN n.name AS id"),
)

#: What each entity is called, and under which names it is found.
FOUND_UNDER: Final = f"""
{_ENTITIES} AND e.id > $last
RETURN e {{.id, .name, .aliases}} AS entity, COLLECT {{ MATCH (e)-[:KNOWN_AS]->(n:Name) RETURN n.id }} AS names
ORDER BY e.project_id, e.id LIMIT $batch
"""
FORGET_NAMES: Final = """
UNWIND $ids AS id MATCH (:Entity {project_id: $project_id, id: id})-[k:KNOWN_AS]->(:Name) DELETE k
"""
DROP_NAMES: Final = f"{NAMES_OF_NONE} DELETE n"
DROP_CHUNKS: Final = f"{_CHUNKS} AND NOT EXISTS {{ (c)-[:PART_OF]->(:Artifact) }} DETACH DELETE c"
#: Those of the items that are current; of the others what is left becomes all that is expected.
CURRENT: Final = """
UNWIND $ids AS id MATCH (a:Artifact {project_id: $project_id, id: id})
WHERE a.replaced_by IS NULL AND (a.expires_at IS NULL OR a.expires_at > $at) RETURN a.id AS id
"""
ACCEPT: Final = """
UNWIND $ids AS id MATCH (a:Artifact {project_id: $project_id, id: id})
SET a.expected_events = COLLECT { MATCH (a)<-[:EVIDENCED_BY]-(v:Event) RETURN DISTINCT v.id },
    a.expected_entities = COLLECT { MATCH (a)-[n:NAMES]->(e:Entity) RETURN DISTINCT coalesce(n.original, e.id) }
"""
QUOTES: Final = f"""
{_ITEMS} AND a.id > $last AND EXISTS {{ (a)<-[:EVIDENCED_BY]-() }}
RETURN a.id AS id, a.content AS content,
    COLLECT {{ MATCH (a)<-[p:EVIDENCED_BY]-(:Event) RETURN [p.start_char, p.end_char, p.quote] }} AS quotes
ORDER BY a.project_id, a.id LIMIT $batch
"""
CHUNKS: Final = f"""
{_CHUNKS} AND c.id > $last
RETURN c.id AS id, c.prefix + c.text AS text, c.words AS words, c.terms AS terms
ORDER BY c.project_id, c.id LIMIT $batch
"""
#: Chunks as the full-text index has them.
INDEXED: Final = "CALL db.index.fulltext.queryNodes('words', $query) YIELD node RETURN node.id AS id"
TERMS: Final = """
MATCH (t:Term) WHERE t.project_id = $project_id AND t.id IS NOT NULL
RETURN t.id AS id, t.num_chunks AS num_chunks, t.word AS word
"""
#: Terms as the index of spellings has them.
SPELT: Final = "CALL db.index.fulltext.queryNodes('spellings', $query) YIELD node RETURN node.id AS id"
STASHED: Final = f"""
{_ITEMS} AND a.stashed AND a.replaced_by IS NULL RETURN a.id AS id, a.content AS content,
    COLLECT {{ MATCH (a)<-[:OF]-(p:Passage) RETURN [p.id, p.folded] }} AS passages
"""
PASSAGES_OF_NONE: Final = """
MATCH (p:Passage) WHERE p.project_id = $project_id AND p.id IS NOT NULL
    AND NOT EXISTS { MATCH (p)-[:OF]->(a:Artifact) WHERE a.stashed AND a.replaced_by IS NULL }
"""
STRAY_PASSAGES: Final = f"{PASSAGES_OF_NONE} RETURN p.id AS id"
DROP_PASSAGES: Final = f"{PASSAGES_OF_NONE} DETACH DELETE p"
