"""The Cypher of entities and events, of identities, of runs, and of repeated sentences.

`Saying` nodes, one for each saying of each item, have its `hash`, and `since` and `first`, the moment and the number of
the first item under the same key that said it; `(Artifact)-[SAYS]->(Saying)` and `(Artifact)-[ECHOES]->(Artifact)`.
"""

from typing import Final

from core.knowledge.findings import CATEGORIES
from graph.neo4j_store.cypher.record_cypher import CURRENT, NEWEST

#: What `EntityNames.stored` reads; times in microseconds, as in `ARTIFACT`.
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
#: give it too, usually the first that is looked at. Without an artifact the name may be less used than another one, if
#: the entity has any.
RENAMED: Final = """
UNWIND $names AS said MATCH (e:Entity {project_id: $project_id, id: said.id})
WHERE NOT (coalesce(e.role_number, -1) <> said.number AND coalesce(e.organization_number, -1) <> said.number
    AND EXISTS { MATCH (e)<-[n:NAMES]-(:Artifact) WHERE n.name = said.name }
    AND (said.name <> e.name OR e.aliases = []
        OR NOT EXISTS { MATCH (e)<-[n:NAMES]-(:Artifact) WHERE n.name <> said.name })
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
#: Wanted are names where the words stand together, the last of them begun.
_IS_CALLED: Final = "n.name STARTS WITH $text OR n.name CONTAINS $inner"
#: The index finds names with all words, of the last its beginning; no more than `$most`, whose number tells.
CALLED_LIKE: Final = f"""
CALL db.index.fulltext.queryNodes('names', $query, {{limit: $most}}) YIELD node
WITH collect(node) AS found
RETURN size(found) AS number, COLLECT {{
    UNWIND CASE WHEN size(found) < $most THEN found ELSE [] END AS n WITH n WHERE {_IS_CALLED}
    MATCH (n)<-[:KNOWN_AS]-(e:Entity) WITH DISTINCT e
    ORDER BY e.mention_count DESC, e.name, e.id LIMIT $limit RETURN {_ENTITY}
}} AS entities
"""
#: The same for a beginning of many names, read in the order of the index until there are enough.
OFTEN_CALLED_LIKE: Final = f"""
MATCH (e:Entity) WHERE e.project_id = $project_id AND e.mention_count >= 0
    AND EXISTS {{ MATCH (e)-[:KNOWN_AS]->(n:Name) WHERE {_IS_CALLED} }}
RETURN {_ENTITY} ORDER BY e.project_id DESC, e.mention_count DESC, e.name, e.id LIMIT $limit
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
IS_MENTIONED_BY_MANY: Final = """
MATCH (e:Entity {project_id: $project_id, id: $id}) MATCH (p:Partition {project_id: $project_id, id: $project_id})
RETURN COUNT { (e)<-[:MENTIONS]-() } * $share > p.num_chunks AS is_hub
"""
#: Of one entity that many chunks mention: the newest items are read until there are enough.
MENTIONS_OF_HUB: Final = f"""
MATCH (a:Artifact) USING INDEX a:Artifact(listed_in, happened_at) WHERE a.happened_at IS NOT NULL AND CONDITION
MATCH (a)<-[:PART_OF]-(c:Chunk) WHERE EXISTS {{ (c)-[:MENTIONS]->(e:Entity) WHERE e.id = $id }}
RETURN a.id AS artifact_id, c.index AS index, 1 AS entities ORDER BY {NEWEST}, index LIMIT $limit
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


_LIKENESS: Final = """
RETURN CASE WHEN e.id < o.id THEN e.id ELSE o.id END AS one, CASE WHEN e.id < o.id THEN o.id ELSE e.id END AS other,
    l.confidence AS confidence, l.reason AS reason
ORDER BY confidence DESC, one, other
"""
LIKENESSES_OF: Final = f"""
UNWIND $ids AS id MATCH (:Entity {{project_id: $project_id, id: id}})-[l:POSSIBLY_SAME]-(:Entity)
WITH DISTINCT l WITH l, startNode(l) AS e, endNode(l) AS o {_LIKENESS}
"""
#: Read in the order of its index.
OPEN: Final = f"""
MATCH (e)-[l:POSSIBLY_SAME]->(o) WHERE l.project_id = $project_id AND l.confidence > -1 {_LIKENESS}
SKIP $offset LIMIT $limit
"""
COUNT_OPEN: Final = """
MATCH ()-[l:POSSIBLY_SAME]->() WHERE l.project_id = $project_id AND l.confidence > -1 RETURN count(l) AS count
"""
STORED: Final = "UNWIND $ids AS id MATCH (e:Entity {project_id: $project_id, id: id}) RETURN DISTINCT e.id AS id"
DROP: Final = """
UNWIND $ids AS id MATCH (:Entity {project_id: $project_id, id: id})-[l:POSSIBLY_SAME]-(:Entity)
WITH DISTINCT l DELETE l
"""
DROP_PAIR: Final = """
MATCH (:Entity {project_id: $project_id, id: $one})-[l:POSSIBLY_SAME]-(:Entity {id: $other}) WITH DISTINCT l DELETE l
"""
PUT: Final = """
UNWIND $likenesses AS likeness
MATCH (e:Entity {project_id: $project_id, id: likeness.one})
MATCH (o:Entity {project_id: $project_id, id: likeness.other})
MERGE (e)-[l:POSSIBLY_SAME]->(o)
SET l.confidence = likeness.confidence, l.reason = likeness.reason, l.project_id = $project_id
"""

VERDICTS: Final = """
MATCH (d:Verdict) WHERE d.project_id = $project_id AND d.id IS NOT NULL
RETURN d {.id, .kind, .one, .other, .at, .by, .note, .name_hash, .artifact_id, .undone_at, .undone_by,
    name: d.given_name} AS verdict
ORDER BY d.number
"""
PUT_VERDICT: Final = """
OPTIONAL MATCH (former:Verdict) WHERE former.project_id = $project_id AND former.id IS NOT NULL
WITH coalesce(max(former.number), 0) + 1 AS number
CREATE (d:Verdict:Internal {project_id: $project_id, id: $id}) SET d += $properties, d.number = number
"""
UNDO_VERDICT: Final = """
MATCH (d:Verdict {project_id: $project_id, id: $id}) SET d.undone_at = $at, d.undone_by = $by
"""
DROP_VERDICTS: Final = "UNWIND $ids AS id MATCH (d:Verdict {project_id: $project_id, id: id}) DELETE d"
MUTE_VERDICTS: Final = "UNWIND $ids AS id MATCH (d:Verdict {project_id: $project_id, id: id}) SET d.note = null"
#: Originals are found by the entities that merge decisions may assign them to.
NAMED_ENTITIES: Final = """
UNWIND $ids AS id MATCH (e:Entity {project_id: $project_id, id: id})<-[n:NAMES]-(:Artifact)
RETURN DISTINCT coalesce(n.original, e.id) AS id
"""

#: Removes what artifacts say of entities; returns those whose names are stale.
WITHDRAW_NAMES: Final = """
UNWIND $ids AS id MATCH (:Artifact)-[n:NAMES]->(e:Entity {project_id: $project_id, id: id}) DELETE n
RETURN DISTINCT e.id AS id
"""
#: Items whose knowledge names one of the entities, though a person dismissed it.
WITHOUT: Final = """
MATCH (a:Artifact {project_id: $project_id})
WHERE a.replaced_by IS NULL AND any(id IN a.expected_entities WHERE id IN $ids)
RETURN a.id AS id, a.num_chunks AS num_chunks
"""
#: What artifacts call an entity, and what resolution found it to be.
CALLED: Final = """
MATCH (e:Entity {project_id: $project_id, id: $id})<-[n:NAMES]-(a:Artifact)
RETURN a.id AS artifact, coalesce(n.original, e.id) AS original, coalesce(n.type, e.type) AS type, n.name AS name,
    n.aliases AS aliases
"""
#: All that artifacts say of originals that are, or could be, assigned to these entities.
SAID: Final = """
UNWIND $ids AS id MATCH (e:Entity {project_id: $project_id, id: id})<-[n:NAMES]-(:Artifact)
RETURN e.id AS standing, coalesce(n.original, e.id) AS original, coalesce(n.type, e.type) AS type, n.name AS name,
    n.aliases AS aliases, coalesce(n.weight, 1) AS weight, n.organization AS organization,
    n.happened_at AS happened_at, n.number AS number
ORDER BY n.happened_at, n.number
"""
MAKE: Final = """
UNWIND $moves AS move
MERGE (o:Entity {project_id: $project_id, id: move.onward})
ON CREATE SET o.type = move.type, o.mention_count = 0, o.name = '', o.aliases = [], o:$(move.label)
"""
MOVE_NAMES: Final = """
UNWIND $moves AS move
MATCH (a:Artifact {project_id: $project_id, id: move.artifact})-[n:NAMES]->(e:Entity {id: move.entity})
WHERE coalesce(n.original, e.id) = move.original
MATCH (o:Entity {project_id: $project_id, id: move.onward})
WITH move, n, e, o, CASE WHEN a.replaced_by IS NULL THEN size(n.starts) ELSE 0 END AS times, a
CREATE (a)-[m:NAMES]->(o)
SET m = properties(n), m.original = move.named, m.type = CASE WHEN move.named IS NOT NULL THEN move.type END
SET e.mention_count = e.mention_count - times
SET o.mention_count = o.mention_count + times
DELETE n
"""
MOVE_ACTORS: Final = """
UNWIND $moves AS move
MATCH (:Artifact {project_id: $project_id, id: move.artifact})<-[:EVIDENCED_BY]-(v:Event)
WITH DISTINCT move, v
MATCH (v)<-[r:ACTED_IN]-(e:Entity {id: move.entity}) WHERE coalesce(r.original, e.id) = move.original
MATCH (o:Entity {project_id: $project_id, id: move.onward})
CREATE (o)-[m:ACTED_IN]->(v) SET m = properties(r), m.original = move.named
DELETE r
RETURN DISTINCT v.id AS id
"""
MOVE_SUBJECTS: Final = """
UNWIND $moves AS move
MATCH (:Artifact {project_id: $project_id, id: move.artifact})<-[:EVIDENCED_BY]-(v:Event)
WITH DISTINCT move, v
MATCH (v)-[r:ABOUT]->(e:Entity {id: move.entity}) WHERE coalesce(r.original, e.id) = move.original
MATCH (o:Entity {project_id: $project_id, id: move.onward})
CREATE (v)-[m:ABOUT]->(o) SET m = properties(r), m.original = move.named
DELETE r
RETURN DISTINCT v.id AS id
"""
#: Which parts repeat another of the same entity, after some have moved.
REPEAT: Final = """
UNWIND $ids AS id MATCH (v:Event {project_id: $project_id, id: id})-[r:ACTED_IN|ABOUT]-(e:Entity)
WITH v, type(r) AS relation, e, r ORDER BY r.position
WITH v, relation, e, collect(r) AS parts
FOREACH (part IN parts[..1] | SET part.repeated = null)
FOREACH (part IN parts[1..] | SET part.repeated = true)
"""


_RUN: Final = """
r {.id, .project_id, .extractor, .scope, .state, .tally,
    started: r.started.epochMillis * 1000 + r.started.microsecond % 1000,
    ended: r.ended.epochMillis * 1000 + r.ended.microsecond % 1000} AS run
"""
PUT_RUN: Final = """
WITH COUNT { MATCH (other:Run) WHERE other.project_id = $project_id AND other.id IS NOT NULL } AS number
MERGE (r:Run {project_id: $project_id, id: $id}) ON CREATE SET r.name = $id, r.number = number, r:Internal
SET r += $properties
"""
RUN: Final = f"MATCH (r:Run {{project_id: $project_id, id: $id}}) RETURN {_RUN}"
RUNS: Final = f"""
MATCH (r:Run) WHERE r.project_id = $project_id AND r.id IS NOT NULL
RETURN {_RUN} ORDER BY r.number DESC LIMIT $limit
"""
#: What a lesson says of its artifact's entities, and the events that rest on it, with the status they were given.
_ENTITIES_OF: Final = """COLLECT {
    MATCH (a)-[n:NAMES]->(e:Entity)
    WITH n, coalesce(n.original, e.id) AS original, coalesce(n.type, e.type) AS type ORDER BY original
    RETURN n {.name, .aliases, .role, .organization, .reasons, .starts, .ends, id: original, type: type,
        weight: coalesce(n.weight, 1)}
} AS entities"""
ENTITIES_OF_ARTIFACTS: Final = f"""
UNWIND $ids AS id MATCH (a:Artifact {{project_id: $project_id, id: id}}) RETURN id, {_ENTITIES_OF}
"""
LESSONS: Final = f"""
UNWIND $ids AS id MATCH (a:Artifact {{project_id: $project_id, id: id}})
RETURN id, a.unread_language AS unread_language, {_ENTITIES_OF},
    COLLECT {{ MATCH (a)<-[:EVIDENCED_BY]-(v:Event) RETURN DISTINCT [v.id, v.first_status] }} AS events
"""
PUT_READING: Final = """
MATCH (r:Run {project_id: $project_id, id: $run_id}) MATCH (a:Artifact {project_id: $project_id, id: $id})
MERGE (d:Reading {project_id: $project_id, id: $reading_id}) ON CREATE SET d += $properties, d:Internal
SET d.found = coalesce(CASE WHEN $replaces THEN null ELSE d.found END, $found)
MERGE (d)-[:READ_BY]->(r) MERGE (d)-[:READS]->(a)
RETURN d.id AS id
"""
FINISH_READING: Final = "MATCH (d:Reading {project_id: $project_id, id: $reading_id}) SET d.finished = true"
DROP_READINGS: Final = """
MATCH (:Run {project_id: $project_id, id: $id})<-[:READ_BY]-(d:Reading)
WITH d LIMIT $batch DETACH DELETE d RETURN count(*) AS dropped
"""
READINGS: Final = """
MATCH (:Run {project_id: $project_id, id: $id})<-[:READ_BY]-(d:Reading)-[:READS]->(a:Artifact)
RETURN a.id AS id, d.finished AS finished ORDER BY a.number
"""
READING: Final = """
MATCH (:Artifact {project_id: $project_id, id: $id})<-[:READS]-(d:Reading)-[:READ_BY]->(r:Run)
WHERE d.found IS NOT NULL AND NOT r.state IN ['rolling_back', 'rolled_back'] AND r.extractor <> 'given'
RETURN r.id AS run_id, r.extractor AS extractor, d.found AS found ORDER BY r.number DESC LIMIT 1
"""
#: What was given of items, earliest first.
ANNOTATIONS: Final = """
UNWIND $ids AS id MATCH (:Artifact {project_id: $project_id, id: id})<-[:READS]-(d:Reading)-[:READ_BY]->(r:Run)
WHERE d.found IS NOT NULL AND NOT r.state IN ['rolling_back', 'rolled_back'] AND r.extractor = 'given'
RETURN id, r.id AS run_id, r.extractor AS extractor, d.found AS found ORDER BY r.number
"""
CURRENT_ITEM: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id}) WHERE a.replaced_by IS NULL RETURN a.num_chunks AS num_chunks
"""
STANDING: Final = """
MATCH (d:Reading {project_id: $project_id, id: $reading_id}) RETURN d.standing AS standing, d.waits AS waits
"""
RUNS_AFTER: Final = """
MATCH (r:Run {project_id: $project_id, id: $id})<-[:READ_BY]-(:Reading)-[:READS]->(:Artifact)
    <-[:READS]-(:Reading)-[:READ_BY]->(later:Run)
WHERE later.number > r.number AND later.state <> 'rolled_back'
WITH DISTINCT later RETURN later.id AS id ORDER BY later.number DESC
"""
CHANGED_SINCE: Final = """
RETURN EXISTS { MATCH (a:Artifact) WHERE a.project_id = $project_id AND a.created_at > $moment }
    OR EXISTS { MATCH (a:Artifact) WHERE a.project_id = $project_id AND a.updated_at > $moment } AS changed
"""
#: `number` tells which were kept later: of one item, so few that counting them is cheap.
KEEP_FINDINGS: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id})
OPTIONAL MATCH (a)<-[:FOUND_IN]-(other:Findings)
WITH a, coalesce(max(other.number), 0) + 1 AS number
MERGE (f:Findings {project_id: $project_id, id: $findings_id})
SET f:Internal, f += $properties, f.number = number
MERGE (f)-[:FOUND_IN]->(a)
"""
FINDINGS: Final = """
MATCH (:Artifact {project_id: $project_id, id: $id})<-[:FOUND_IN]-(f:Findings)
RETURN f.extractor AS extractor, f.text_hash AS text_hash, f.found AS found, f.proposed AS proposed ORDER BY f.number
"""
#: Before their artifacts go.
DROP_READINGS_OF: Final = """
UNWIND $ids AS id MATCH (:Artifact {project_id: $project_id, id: id})<-[:READS|FOUND_IN]-(d) DETACH DELETE d
"""


#: A current item with its sayings.
SAYER: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id}) WHERE a.replaced_by IS NULL
RETURN a.happened_at.epochMillis * 1000 + a.happened_at.microsecond % 1000 AS since, a.number AS first,
    a.expires_at IS NOT NULL AS expires,
    COLLECT { MATCH (a)-[:SAYS]->(s:Saying) RETURN [s.hash, s.since, s.first] } AS sayings
"""
#: Of the revisions of an item those with sayings, or that a current item echoes: replaced since it was last extracted.
FORMER: Final = """
UNWIND $ids AS id MATCH (a:Artifact {project_id: $project_id, id: id})
WHERE EXISTS { (a)-[:SAYS]->(:Saying) } OR EXISTS { (a)<-[:ECHOES]-(e:Artifact) WHERE e.replaced_by IS NULL }
RETURN a.id AS id, COLLECT { MATCH (a)-[:SAYS]->(s:Saying) RETURN [s.hash, s.since, s.first] } AS sayings
"""
DROP_SAYINGS: Final = """
UNWIND $ids AS id MATCH (:Artifact {project_id: $project_id, id: id})-[:SAYS]->(s:Saying) DETACH DELETE s
"""
PUT_SAYINGS: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id})
UNWIND $sayings AS saying
CREATE (a)-[:SAYS]->(:Saying:Internal {project_id: $project_id, id: $id + ':' + toString(saying[0]), artifact_id: $id,
    hash: saying[0], since: saying[1], first: coalesce(saying[2], a.number)})
"""
ECHOING: Final = """
UNWIND $ids AS id MATCH (:Artifact {project_id: $project_id, id: id})<-[:ECHOES]-(a:Artifact)
WHERE a.replaced_by IS NULL RETURN DISTINCT a.id AS id, a.num_chunks AS num_chunks ORDER BY id
"""
# Who says it, found first and by itself: of a database that was empty a moment ago the server would rather read all
# sayings for each one than look it up, and join them with the items.
_SAYINGS: Final = """
MATCH (s:Saying) USING INDEX SEEK s:Saying(project_id, hash, since, first)
WHERE s.project_id = $project_id AND s.hash = own[0] AND s.since IS NOT NULL AND s.first IS NOT NULL
"""
# That of the index.
_IN_ORDER: Final = "ORDER BY s.project_id, s.hash, s.since, s.first"
# Items that are not current, or expire, do not count.
_SAYERS: Final = f"""
WITH s {_IN_ORDER}
MATCH (s)<-[:SAYS]-(a:Artifact) WHERE a.replaced_by IS NULL AND a.expires_at IS NULL AND a.id <> $id
"""
SAID_BEFORE: Final = f"""
UNWIND $sayings AS own
CALL (own) {{
    {_SAYINGS} AND (s.since < own[1] OR s.since = own[1] AND s.first < own[2])
    {_SAYERS} RETURN s.since AS since, s.first AS first, a.id AS id {_IN_ORDER} LIMIT $limit
}}
RETURN since, first, id, own[0] AS hash
"""
#: The items that said later what this item said first.
SAID_LATER: Final = f"""
UNWIND $sayings AS own
CALL (own) {{
    {_SAYINGS} {_SAYERS}
    RETURN s.since < own[1] OR s.since = own[1] AND s.first < own[2] AS is_before {_IN_ORDER} LIMIT 1
}}
WITH own WHERE NOT is_before
CALL (own) {{ {_SAYINGS} {_SAYERS} RETURN a.id AS id }}
RETURN DISTINCT id
"""
LINK: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id}) WHERE a.replaced_by IS NULL
CALL (a) { MATCH (a)-[e:ECHOES]->(o:Artifact) WHERE NOT o.id IN $origins DELETE e }
UNWIND $origins AS origin MATCH (o:Artifact {project_id: $project_id, id: origin}) WHERE o <> a
MERGE (a)-[:ECHOES]->(o)
"""
