"""The Cypher of entities and events."""

from typing import Final

from core.knowledge.findings import CATEGORIES
from graph.neo4j_store.cypher.record_cypher import CURRENT

#: What `naming.Called.stored` reads; times in microseconds, as those of `ARTIFACT`.
_CALLED: Final = """
e {.id, .name, .given_name, .aliases, .role, .role_number, .organization, .organization_number,
    role_at: e.role_at.epochMillis * 1000 + e.role_at.microsecond % 1000,
    organization_at: e.organization_at.epochMillis * 1000 + e.organization_at.microsecond % 1000}
"""
#: An artifact's chunks and what they mention.
_PLACES: Final = """
COLLECT { MATCH (a)<-[:PART_OF]-(c:Chunk) RETURN [c.id, c.start_char, c.end_char] ORDER BY c.start_char } AS chunks,
COLLECT { MATCH (a)<-[:PART_OF]-(c:Chunk)-[:MENTIONS]->(e:Entity) RETURN [c.id, e.id] } AS mentioned
"""
#: An artifact with its knowledge so far, and what is stored of the entities and events of the new one.
LESSON: Final = f"""
MATCH (a:Artifact {{project_id: $project_id, id: $id}})
RETURN a.happened_at AS happened_at, a.utc_offset AS utc_offset, a.number AS number,
    a.replaced_by IS NULL AS is_current, a.key AS key, a.given AS given,
    COLLECT {{
        MATCH (a)-[n:NAMES]->(e:Entity)
        RETURN n {{.name, .aliases, .role, .organization, id: e.id, number: a.number, times: size(n.starts),
            weight: coalesce(n.weight, 1), original: coalesce(n.original, e.id),
            is_dated: n.happened_at = a.happened_at}}
    }} AS named,
    COLLECT {{ MATCH (a)<-[:EVIDENCED_BY]-(v:Event) RETURN DISTINCT v.id }} AS events,
    COLLECT {{ MATCH (a)<-[:EVIDENCED_BY]-(v:Event) RETURN DISTINCT v.summary }} AS summaries,
    {_PLACES},
    COLLECT {{
        UNWIND $entities AS entity MATCH (e:Entity {{project_id: $project_id, id: entity}}) RETURN {_CALLED}
    }} AS known,
    COLLECT {{
        UNWIND $events AS event MATCH (v:Event {{project_id: $project_id, id: event}})-[p:EVIDENCED_BY]->(s:Artifact)
        WHERE s.id <> $id WITH v, p, s ORDER BY p.position
        RETURN p {{.quote, .start_char, .end_char, event: v.id, artifact_id: s.id, is_current: s.replaced_by IS NULL}}
    }} AS proofs,
    COLLECT {{
        UNWIND $sources AS source MATCH (s:Artifact {{project_id: $project_id, id: source}})
        RETURN {{artifact_id: s.id, is_current: s.replaced_by IS NULL}}
    }} AS sources
"""
#: The names and events of artifacts that are removed.
KNOWLEDGE_OF: Final = """
UNWIND $ids AS id MATCH (a:Artifact {project_id: $project_id, id: id})
RETURN id, COLLECT { MATCH (a)-[n:NAMES]->(e:Entity) RETURN n {.name, .aliases, id: e.id, number: a.number} } AS named,
    COLLECT { MATCH (a)<-[:EVIDENCED_BY]-(v:Event) RETURN DISTINCT v.id } AS events
"""
#: What artifacts say of entities and events, except of those that are kept, entities by original and
#: entity: those are written over, so that readers never miss what does not change.
WITHDRAW: Final = """
UNWIND $ids AS id MATCH (a:Artifact {project_id: $project_id, id: id})
CALL (a) {
    MATCH (a)-[n:NAMES]->(e:Entity) WHERE NOT [coalesce(n.original, e.id), e.id] IN $entities
    SET e.mention_count = e.mention_count - CASE WHEN a.replaced_by IS NULL THEN size(n.starts) ELSE 0 END
    DELETE n
}
CALL (a) { MATCH (a)<-[p:EVIDENCED_BY]-(v:Event) WHERE NOT v.id IN $events DELETE p }
"""
PUT_ENTITIES: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id})
UNWIND $entities AS entity
MERGE (e:Entity {project_id: $project_id, id: entity.id})
ON CREATE SET e.type = entity.type, e.mention_count = 0, e:$(entity.label)
SET e += entity.properties, e.mention_count = e.mention_count + entity.counted
WITH a, e, entity
OPTIONAL MATCH (a)-[n:NAMES]->(e) WHERE coalesce(n.original, e.id) = entity.original
FOREACH (_ IN CASE WHEN n IS NULL THEN [] ELSE [1] END | SET n = entity.names)
FOREACH (_ IN CASE WHEN n IS NULL THEN [1] ELSE [] END | CREATE (a)-[m:NAMES]->(e) SET m = entity.names)
"""
SET_EXPECTED: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id})
SET a.expected_events = $events, a.expected_entities = $entities, a.unread_language = $unread_language
"""
GAIN_NAMES: Final = """
UNWIND $names AS gained
MATCH (e:Entity {project_id: $project_id, id: gained.entity})
MERGE (n:Name {project_id: $project_id, id: gained.id}) ON CREATE SET n.name = gained.name, n:Internal
CREATE (e)-[:KNOWN_AS]->(n)
"""
LOSE_NAMES: Final = """
UNWIND $names AS lost
MATCH (e:Entity {project_id: $project_id, id: lost.entity})-[k:KNOWN_AS]->(n:Name) WHERE n.id = lost.id
DELETE k WITH collect(DISTINCT n) AS names UNWIND names AS n
WITH n WHERE NOT EXISTS { (n)<-[:KNOWN_AS]-() } DELETE n
"""
#: The entities whose names, role or organisation change without what these artifacts give. Most stay the same: others
#: give it too, usually the first that is looked at. Without an artifact the name may be less used than another one.
RENAMED: Final = """
UNWIND $names AS said MATCH (e:Entity {project_id: $project_id, id: said.id})
WHERE NOT (coalesce(e.role_number, -1) <> said.number AND coalesce(e.organization_number, -1) <> said.number
    AND EXISTS { MATCH (e)<-[n:NAMES]-(:Artifact) WHERE n.name = said.name }
    AND (said.name <> e.name OR NOT EXISTS { MATCH (e)<-[n:NAMES]-(:Artifact) WHERE n.name <> said.name })
    AND all(alias IN said.aliases WHERE EXISTS {
        MATCH (e)<-[n:NAMES]-(:Artifact) WHERE n.name = alias OR alias IN n.aliases
    }))
RETURN DISTINCT e.id AS id
"""
#: The latest decision on a name of an entity or of one that is merged into it.
_DECIDED: Final = """
head(COLLECT {
    MATCH (v:Verdict {project_id: $project_id, kind: 'name'})
    WHERE v.undone_at IS NULL AND (v.one = e.id OR EXISTS { (e)<-[:NAMES {original: v.one}]-(:Artifact) })
    RETURN v.given_name ORDER BY v.number DESC LIMIT 1
})
"""
#: All names of entities, and the newest role and organisation.
ALL_NAMES: Final = f"""
UNWIND $ids AS id MATCH (e:Entity {{project_id: $project_id, id: id}})
CALL (e) {{
    OPTIONAL MATCH (e)<-[n:NAMES]-(:Artifact)
    RETURN collect(DISTINCT n.aliases) AS aliases
}}
RETURN id, {_CALLED} AS entity, aliases, {_DECIDED} AS decided, COLLECT {{
        MATCH (e)<-[n:NAMES]-(:Artifact)
        WITH n.name AS name, sum(coalesce(n.weight, 1)) AS total, max(coalesce(n.weight, 1)) AS best
        RETURN [name, total, best]
    }} AS names,
    COLLECT {{
        MATCH (e)<-[n:NAMES]-(:Artifact) WHERE n.role IS NOT NULL
        WITH n ORDER BY n.happened_at DESC, n.number DESC LIMIT 1
        RETURN {{role: n.role, role_number: n.number,
            role_at: n.happened_at.epochMillis * 1000 + n.happened_at.microsecond % 1000}}
    }} AS roles,
    COLLECT {{
        MATCH (e)<-[n:NAMES]-(:Artifact) WHERE n.organization IS NOT NULL
        WITH n ORDER BY n.happened_at DESC, n.number DESC LIMIT 1
        RETURN {{organization: n.organization, organization_number: n.number,
            organization_at: n.happened_at.epochMillis * 1000 + n.happened_at.microsecond % 1000}}
    }} AS organizations
"""
RENAME: Final = """
UNWIND $entities AS entity MATCH (e:Entity {project_id: $project_id, id: entity.id}) SET e += entity.properties
"""
#: With the steps of events that have other evidence; collecting makes it look for unused names afterwards.
DROP_ENTITIES: Final = """
UNWIND $ids AS id MATCH (e:Entity {project_id: $project_id, id: id})
OPTIONAL MATCH (e)-[:KNOWN_AS]->(n:Name)
DETACH DELETE e
WITH collect(DISTINCT n) AS names UNWIND names AS n
WITH n WHERE NOT EXISTS { (n)<-[:KNOWN_AS]-() } DELETE n
"""
COUNT_MENTIONS: Final = """
MATCH (:Artifact {project_id: $project_id, id: $id})-[n:NAMES]->(e:Entity)
WITH e, sum(size(n.starts)) AS times SET e.mention_count = e.mention_count + $sign * times
"""
MENTIONED: Final = f"""
MATCH (a:Artifact {{project_id: $project_id, id: $id}})
RETURN COLLECT {{ MATCH (a)-[n:NAMES]->(e:Entity) RETURN n {{.starts, id: e.id}} }} AS named, {_PLACES}
"""
#: Without the entity's project, which would have the planner begin with all that mentions it.
DISCONNECT_MENTIONS: Final = """
UNWIND $pairs AS pair
MATCH (c:Chunk {project_id: $project_id, id: pair.chunk})-[m:MENTIONS]->(e:Entity {id: pair.entity}) DELETE m
"""
CONNECT_MENTIONS: Final = """
UNWIND $pairs AS pair
MATCH (c:Chunk {project_id: $project_id, id: pair.chunk})
MATCH (e:Entity {project_id: $project_id, id: pair.entity})
CREATE (c)-[:MENTIONS]->(e)
"""
#: `listed_at` puts undated events last; no time that is stored is as early. Relations that are right stay as they are:
#: others read the event meanwhile.
PUT_EVENTS: Final = f"""
UNWIND $events AS event
MERGE (v:Event {{project_id: $project_id, id: event.id}}) ON CREATE SET v.status = event.first_status
SET v += event.properties, v.first_status = event.first_status,
    v.listed_at = coalesce(event.properties.event_time, datetime({{year: -9999}}))
REMOVE v:{":".join(CATEGORIES)}
SET v:$(event.category)
WITH v, event
CALL (v, event) {{
    MATCH (v)-[p:EVIDENCED_BY]->(s:Artifact)
    WHERE NOT [s.id, p.quote, p.start_char, p.end_char] IN [one IN event.evidence | one.proof] DELETE p
}}
CALL (v, event) {{
    MATCH (v)<-[r:ACTED_IN]-(e:Entity) WHERE NOT [e.id, r.position] IN [one IN event.actors | one.part] DELETE r
}}
CALL (v, event) {{
    MATCH (v)-[r:ABOUT]->(e:Entity) WHERE NOT [e.id, r.position] IN [one IN event.subjects | one.part] DELETE r
}}
CALL (v, event) {{
    UNWIND event.evidence AS one MATCH (s:Artifact {{project_id: $project_id, id: one.proof[0]}})
    MERGE (v)-[p:EVIDENCED_BY {{quote: one.proof[1], start_char: one.proof[2], end_char: one.proof[3]}}]->(s)
    SET p.position = one.position
}}
CALL (v, event) {{
    UNWIND event.actors AS one MATCH (e:Entity {{project_id: $project_id, id: one.part[0]}})
    MERGE (e)-[r:ACTED_IN {{position: one.part[1]}}]->(v) SET r += one.step, r.weight = v.weight
}}
CALL (v, event) {{
    UNWIND event.subjects AS one MATCH (e:Entity {{project_id: $project_id, id: one.part[0]}})
    MERGE (v)-[r:ABOUT {{position: one.part[1]}}]->(e) SET r += one.step, r.weight = v.weight
}}
"""
DROP_UNPROVEN: Final = """
UNWIND $ids AS id MATCH (v:Event {project_id: $project_id, id: id})
WHERE NOT EXISTS { (v)-[:EVIDENCED_BY]->(:Artifact) }
DETACH DELETE v RETURN count(*) AS dropped
"""
# Without a hub for an event with evidence in revisions only: it would take the place of others under the cap.
_CONNECT: Final = """
WITH v, EXISTS { MATCH (v)-[:EVIDENCED_BY]->(s:Artifact) WHERE s.replaced_by IS NULL } AS is_seen
MATCH (v)-[r:ACTED_IN|ABOUT]-(e:Entity)
SET r.hub = CASE WHEN is_seen AND r.repeated IS NULL THEN e.project_id + '/' + e.id + '/' + v.category END
"""
CONNECT_EVENTS: Final = f"""
UNWIND $ids AS id MATCH (v:Event {{project_id: $project_id, id: id}}) {_CONNECT}
"""
CONNECT_EVENTS_OF: Final = f"""
MATCH (:Artifact {{project_id: $project_id, id: $id}})<-[:EVIDENCED_BY]-(v:Event) WITH DISTINCT v {_CONNECT}
"""

#: What `knowledge.event` reads.
_EVENT: Final = """
v {.id, .category, .summary, .confidence, .status, .origin, .bears_on, .time_offset, .due_offset,
    event_time: v.event_time.epochMillis * 1000 + v.event_time.microsecond % 1000,
    due: v.due_at.epochMillis * 1000 + v.due_at.microsecond % 1000,
    actors: COLLECT {
        MATCH (v)<-[r:ACTED_IN]-(e:Entity) WITH e, r ORDER BY r.position
        RETURN [e.id, e.name, r.role, coalesce(r.original, e.id)]
    },
    subjects: COLLECT {
        MATCH (v)-[r:ABOUT]->(e:Entity) WITH e, r ORDER BY r.position
        RETURN [e.id, e.name, coalesce(r.original, e.id)]
    },
    evidence: COLLECT {
        MATCH (v)-[p:EVIDENCED_BY]->(s:Artifact) WITH p, s ORDER BY p.position
        RETURN [s.id, p.quote, p.start_char, p.end_char]
    }
} AS event
"""
#: What `knowledge.entity` reads.
_ENTITY: Final = "e {.id, .name, .type, .aliases, .role, .organization, .mention_count} AS entity"
EVENTS: Final = f"""
UNWIND $ids AS id MATCH (v:Event {{project_id: $project_id, id: id}}) RETURN {_EVENT}
"""
EVENTS_OF: Final = f"""
UNWIND $ids AS id MATCH (a:Artifact {{project_id: $project_id, id: id}})
CALL (a) {{
    MATCH (a)<-[p:EVIDENCED_BY]-(v:Event) WITH v, min(p.start_char) AS start_char, min(p.end_char) AS end_char
    RETURN v, start_char, end_char ORDER BY v.confidence DESC, start_char, end_char, v.id LIMIT $limit
}}
RETURN id, {_EVENT} ORDER BY v.confidence DESC, start_char, end_char, v.id
"""
#: Categories are read one by one, since each alone has an order in the index.
LIST_EVENTS: Final = f"""
UNWIND $categories AS category
CALL (category) {{
    MATCH (v:Event) WHERE v.project_id = $project_id AND v.category = category AND v.listed_at IS NOT NULL
        AND EXISTS {{ MATCH (v)-[:EVIDENCED_BY]->(a:Artifact) WHERE CONDITION }}
    RETURN v ORDER BY v.project_id DESC, v.category DESC, v.listed_at DESC, v.id LIMIT $offset + $limit
}}
WITH v ORDER BY v.listed_at DESC, v.id SKIP $offset LIMIT $limit RETURN {_EVENT}
"""
ENTITIES: Final = f"""
UNWIND $ids AS id MATCH (e:Entity {{project_id: $project_id, id: id}}) RETURN {_ENTITY}
"""
ENTITIES_OF: Final = f"""
UNWIND $ids AS id MATCH (:Artifact {{project_id: $project_id, id: id}})-[n:NAMES]->(e:Entity)
WITH e, sum(size(n.starts)) AS times WHERE times > 0
RETURN {_ENTITY} ORDER BY times DESC, e.name, e.id LIMIT $limit
"""
MENTIONED_BY: Final = """
UNWIND $ids AS id MATCH (a:Artifact {project_id: $project_id, id: id})-[n:NAMES]->(e:Entity) WHERE size(n.starts) > 0
WITH DISTINCT id, e.id AS entity ORDER BY entity WHERE entity IS NOT NULL RETURN id, collect(entity) AS entities
"""
ENTITY_IDS: Final = f"""
MATCH (e:Entity) WHERE e.project_id = $project_id AND e.id > $after
    AND EXISTS {{ MATCH (a:Artifact)-[:NAMES]->(e) WHERE {CURRENT} }}
RETURN e.id AS id ORDER BY e.project_id, e.id LIMIT $limit
"""
EVENT_IDS: Final = f"""
MATCH (v:Event) WHERE v.project_id = $project_id AND v.id > $after
    AND EXISTS {{ MATCH (v)-[:EVIDENCED_BY]->(a:Artifact) WHERE {CURRENT} }}
RETURN v.id AS id ORDER BY v.project_id, v.id LIMIT $limit
"""
MARK: Final = "MATCH (p:Partition {project_id: $project_id, id: $project_id}) RETURN p.mark AS mark"
NAMED: Final = f"""
UNWIND $ids AS id MATCH (n:Name {{project_id: $project_id, id: id}})<-[:KNOWN_AS]-(e:Entity)
RETURN id, {_ENTITY} ORDER BY e.mention_count DESC, e.name, e.id
"""
#: The index finds names with all words, of the last its beginning; wanted are those where they stand together.
CALLED_LIKE: Final = f"""
CALL db.index.fulltext.queryNodes('names', $query) YIELD node AS n
WITH n WHERE n.name STARTS WITH $text OR n.name CONTAINS $inner
MATCH (n)<-[:KNOWN_AS]-(e:Entity) WITH DISTINCT e
ORDER BY e.mention_count DESC, e.name, e.id LIMIT $limit RETURN {_ENTITY}
"""
MOST_MENTIONED: Final = f"""
MATCH (e:Entity) WHERE e.project_id = $project_id AND e.mention_count >= 0
RETURN {_ENTITY} ORDER BY e.project_id DESC, e.mention_count DESC, e.name, e.id LIMIT $limit
"""
#: A chunk mentions an entity if the name begins in it.
MENTIONS: Final = """
UNWIND $ids AS id
MATCH (:Entity {project_id: $project_id, id: id})<-[:MENTIONS]-(c:Chunk)-[:PART_OF]->(a:Artifact) WHERE CONDITION
WITH a, c, count(*) AS entities
RETURN a.id AS artifact_id, c.index AS index, entities
ORDER BY entities DESC, a.happened_at DESC, a.created_at DESC, artifact_id, index LIMIT $limit
"""
#: Labels on the far ends would have the planner read all of a hub's steps instead of the index, in its order.
HUB_LINKS: Final = """
UNWIND $hubs AS hub
CALL (hub) {
    MATCH ()-[r:ACTED_IN]->(v) WHERE r.hub = hub AND r.weight > -1e12
    RETURN 'ACTED_IN' AS relation, r.weight AS weight, v.id AS target ORDER BY r.hub DESC, r.weight DESC LIMIT $limit
    UNION ALL
    MATCH (v)-[r:ABOUT]->() WHERE r.hub = hub AND r.weight > -1e12
    RETURN 'ABOUT' AS relation, r.weight AS weight, v.id AS target ORDER BY r.hub DESC, r.weight DESC LIMIT $limit
}
WITH hub, relation, weight, target ORDER BY weight DESC
RETURN hub, collect([target, relation, weight]) AS steps
"""
EVENT_LINKS: Final = """
UNWIND $ids AS id UNWIND $kinds AS kind
MATCH (v:Event {project_id: $project_id, id: id})
CALL (v, kind) {
    MATCH (v)-[r:ACTED_IN|ABOUT]-(e:Entity) WHERE r.hub IS NOT NULL AND e.type = kind
    RETURN type(r) AS relation, e.id AS target ORDER BY r.position LIMIT $limit
}
RETURN id, kind, relation, target
"""
