"""The Cypher of what was known at a time, `$as_of`.

Each statement answers as the one of that name in `record_cypher` or `knowledge_cypher`, without later items.
"""

from typing import Final, LiteralString

from core.knowledge.findings import GIVEN
from graph.derivations import NAME_TITLES
from graph.neo4j_store.cypher.ledger_cypher import STATUS_THEN
from graph.neo4j_store.cypher.record_cypher import TERMS
from graph.neo4j_store.cypher.schema_cypher import later, then

#: An item that was there then; what has replaced one since is no part of the past.
_KNOWN: Final = f"a.replaced_by IS NULL AND {then('a')}"
#: As `graph.derivations.main_name` chooses; what a person decided holds for the past, too.
_FULLNESS: Final = f"""
CASE WHEN name CONTAINS '@' THEN 0 WHEN size([word IN split(name, ' ') WHERE size(replace(word, '.', '')) > 1
    AND NOT toLower(replace(word, '.', '')) IN {sorted(NAME_TITLES)}]) > 1 THEN 2 ELSE 1 END
"""
_NAME: Final = f"""
head(COLLECT {{
    MATCH (e)<-[n:NAMES]-(:Artifact) WHERE {then("n")}
    WITH DISTINCT e, coalesce(e.given_name, n.name) AS name
    WITH name, COLLECT {{
        MATCH (e)<-[m:NAMES]-(:Artifact) WHERE m.name = name AND {then("m")} RETURN coalesce(m.weight, 1)
    }} AS uses
    RETURN name ORDER BY any(use IN uses WHERE use >= {GIVEN}) DESC, {_FULLNESS} DESC,
        reduce(total = 0, use IN uses | total + use) DESC, size(name) DESC, name LIMIT 1
}})
"""


def _newest(said: LiteralString) -> LiteralString:
    return f"""
head(COLLECT {{
    MATCH (e)<-[n:NAMES]-(:Artifact) WHERE n.{said} IS NOT NULL AND {then("n")}
    RETURN n.{said} AS said ORDER BY n.happened_at DESC, n.number DESC LIMIT 1
}})
"""


_ENTITY: Final = f"""
e {{.id, .type, name: name,
    aliases: COLLECT {{
        MATCH (e)<-[n:NAMES]-(:Artifact) WHERE {then("n")}
        UNWIND [n.name] + n.aliases AS given WITH DISTINCT given WHERE given <> name RETURN given ORDER BY given
    }},
    role: {_newest("role")}, organization: {_newest("organization")},
    mention_count: mention_count
}} AS entity
"""
_COUNTS: Final = (
    f"CALL (e) {{ MATCH (e)<-[n:NAMES]-(a:Artifact) WHERE {_KNOWN} RETURN sum(size(n.starts)) AS mention_count }}",
    "CALL () { RETURN 0 AS mention_count }",
)
ENTITIES, UNCOUNTED_ENTITIES = (
    f"""
UNWIND $ids AS id MATCH (e:Entity {{project_id: $project_id, id: id}}) WITH e, {_NAME} AS name
{count} RETURN {_ENTITY}
"""
    for count in _COUNTS
)
ENTITIES_OF, UNCOUNTED_ENTITIES_OF = (
    f"""
UNWIND $ids AS id MATCH (:Artifact {{project_id: $project_id, id: id}})-[n:NAMES]->(e:Entity)
WITH e, sum(size(n.starts)) AS times WHERE times > 0
WITH e, times, {_NAME} AS name ORDER BY times DESC, name, e.id LIMIT $limit
{count} RETURN {_ENTITY} ORDER BY times DESC, name, e.id
"""
    for count in _COUNTS
)
#: Evidence of later items is left out, and an event that has no other has none.
_EVENT: Final = f"""
v {{.id, .category, .summary, .confidence, .origin, .bears_on, .time_offset, .due_offset, status: {STATUS_THEN},
    event_time: v.event_time.epochMillis * 1000 + v.event_time.microsecond % 1000,
    due: v.due_at.epochMillis * 1000 + v.due_at.microsecond % 1000,
    actors: COLLECT {{
        MATCH (v)<-[r:ACTED_IN]-(e:Entity) WITH e, r ORDER BY r.position
        RETURN [e.id, {_NAME}, r.role, coalesce(r.original, e.id)]
    }},
    subjects: COLLECT {{
        MATCH (v)-[r:ABOUT]->(e:Entity) WITH e, r ORDER BY r.position RETURN [e.id, {_NAME}, coalesce(r.original, e.id)]
    }},
    evidence: COLLECT {{
        MATCH (v)-[p:EVIDENCED_BY]->(s:Artifact) WHERE {then("s")} WITH p, s ORDER BY p.position
        RETURN [s.id, p.quote, p.start_char, p.end_char]
    }}
}} AS event
"""
EVENTS: Final = f"""
UNWIND $ids AS id MATCH (v:Event {{project_id: $project_id, id: id}}) RETURN {_EVENT}
"""
EVENTS_OF: Final = f"""
UNWIND $ids AS id MATCH (a:Artifact {{project_id: $project_id, id: id}}) WHERE {then("a")}
CALL (a) {{
    MATCH (a)<-[p:EVIDENCED_BY]-(v:Event) WITH v, min(p.start_char) AS start_char, min(p.end_char) AS end_char
    RETURN v, start_char, end_char ORDER BY v.confidence DESC, start_char, end_char, v.id LIMIT $limit
}}
RETURN id, {_EVENT} ORDER BY v.confidence DESC, start_char, end_char, v.id
"""
_NAMED: Final = f"EXISTS {{ MATCH (v)-[:EVIDENCED_BY]->(a:Artifact) WHERE {_KNOWN} }}"
HUB_LINKS: Final = f"""
UNWIND $hubs AS hub
CALL (hub) {{
    MATCH ()-[r:ACTED_IN]->(v) WHERE r.hub = hub AND r.weight > -1e12 AND {_NAMED}
    RETURN 'ACTED_IN' AS relation, r.weight AS weight, v.id AS target ORDER BY r.hub DESC, r.weight DESC LIMIT $limit
    UNION ALL
    MATCH (v)-[r:ABOUT]->() WHERE r.hub = hub AND r.weight > -1e12 AND {_NAMED}
    RETURN 'ABOUT' AS relation, r.weight AS weight, v.id AS target ORDER BY r.hub DESC, r.weight DESC LIMIT $limit
}}
WITH hub, relation, weight, target ORDER BY weight DESC
RETURN hub, collect([target, relation, weight]) AS steps
"""
EVENT_LINKS: Final = f"""
UNWIND $ids AS id UNWIND $kinds AS kind
MATCH (v:Event {{project_id: $project_id, id: id}}) WHERE {_NAMED}
CALL (v, kind) {{
    MATCH (v)-[r:ACTED_IN|ABOUT]-(e:Entity) WHERE r.hub IS NOT NULL AND e.type = kind
    RETURN type(r) AS relation, e.id AS target ORDER BY r.position LIMIT $limit
}}
RETURN id, kind, relation, target
"""
#: How many items were there and how many came later, of those that are current, up to `$most` each.
SIDES: Final = f"""
RETURN COUNT {{ MATCH (a:Artifact) WHERE a.listed_in = $project_id AND {then("a")} RETURN a LIMIT $most }} AS earlier,
    COUNT {{ MATCH (a:Artifact) WHERE a.listed_in = $project_id AND {later("a")} RETURN a LIMIT $most }} AS later
"""
TERM_VECTORS, LATER_TERM_VECTORS = (
    f"""
MATCH (a:Artifact) WHERE a.listed_in = $project_id AND {side}
MATCH (c:Chunk)-[:PART_OF]->(a) RETURN {TERMS} AS terms
"""
    for side in (then("a"), later("a"))
)
#: As `SAMPLE`: by id, a digest, and of a long document each eighth chunk.
SAMPLED_TERM_VECTORS: Final = f"""
MATCH (c:Chunk) WHERE c.project_id = $project_id AND c.id IS NOT NULL AND c.index % 8 = 0
WITH c ORDER BY c.project_id, c.id LIMIT $most
MATCH (c)-[:PART_OF]->(a:Artifact) RETURN {then("a")} AS was_there, {TERMS} AS terms
"""
SPEAKERS: Final = f"""
UNWIND $names AS name WITH name WHERE EXISTS {{
    MATCH (a:Artifact) WHERE a.project_id = $project_id AND a.speaker = name.speaker AND {then("a")}
}} OR EXISTS {{
    MATCH (a:Artifact) WHERE a.project_id = $project_id AND a.speaker STARTS WITH name.speaker + ' '
        AND {then("a")}
}}
RETURN collect(name.name) AS names
"""
SAMPLE: Final = f"""
MATCH (c:Chunk) WHERE c.project_id = $project_id AND c.id IS NOT NULL AND c.index % 8 = 0
    AND EXISTS {{ MATCH (c)-[:PART_OF]->(a:Artifact) WHERE {then("a")} }}
WITH c ORDER BY c.project_id, c.id LIMIT $number * 8
MATCH (e:Embedding {{project_id: '*', id: $model + '/' + c.hash}})
WITH e.vector AS vector ORDER BY c.project_id, c.id LIMIT $number RETURN collect(vector) AS vectors
"""
