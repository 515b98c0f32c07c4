"""The Cypher of transfer."""

from typing import Final

from graph.neo4j_store.cypher.record_cypher import ARTIFACT

ITEMS_AFTER: Final = """
MATCH (a:Artifact) WHERE a.project_id = $project_id AND a.number > $last
RETURN a.id AS id, a.number AS number, size(a.content) AS characters ORDER BY a.project_id, a.number LIMIT 1000
"""
COUNT_ITEMS: Final = """
MATCH (a:Artifact) WHERE a.project_id = $project_id AND a.number IS NOT NULL RETURN count(*) AS items
"""
#: What is kept of items beside their knowledge; of sayings the time since when the items of the key have them.
KEPT: Final = f"""
UNWIND $ids AS id MATCH (a:Artifact {{project_id: $project_id, id: id}})
RETURN {ARTIFACT},
    EXISTS {{ MATCH (j:Job {{project_id: $project_id, id: id + ':extract'}}) WHERE j.state <> 'done' }} AS waits,
    COLLECT {{
        MATCH (a)<-[:READS]-(d:Reading)-[:READ_BY]->(r:Run) WITH d, r ORDER BY r.number
        RETURN d {{.found, .standing, .waits, .finished, run_id: r.id}}
    }} AS readings,
    COLLECT {{
        MATCH (a)<-[:FOUND_IN]-(f:Findings) WITH f ORDER BY f.number
        RETURN f {{.extractor, .text_hash, .found, .proposed}}
    }} AS findings,
    COLLECT {{ MATCH (a)-[:SAYS]->(s:Saying) WITH s ORDER BY s.hash RETURN [s.hash, s.since] }} AS sayings
"""
LINKS: Final = """
MATCH (s:Event)-[l:SUPERSEDES|COMPLETES|CANCELS]->(t:Event) WHERE s.project_id = $project_id AND s.id IS NOT NULL
RETURN s.id AS source, t.id AS target, type(l) AS relation, l.confidence AS confidence
ORDER BY source, target, relation
"""
RESOLUTIONS: Final = """
MATCH (r:Resolution) WHERE r.project_id = $project_id AND r.event_id IS NOT NULL
RETURN r {.event_id, .status, .note, .artifact_id, at: r.at.epochMillis * 1000 + r.at.microsecond % 1000} AS resolution
ORDER BY r.at, r.event_id, r.number
"""
MERGE_CANDIDATES: Final = """
MATCH (e)-[l:POSSIBLY_SAME]->(o) WHERE l.project_id = $project_id AND l.confidence > -1
RETURN CASE WHEN e.id < o.id THEN e.id ELSE o.id END AS one, CASE WHEN e.id < o.id THEN o.id ELSE e.id END AS other,
    l.confidence AS confidence, l.reason AS reason ORDER BY one, other
"""
ECHOES: Final = """
MATCH (a:Artifact)-[:ECHOES]->(o:Artifact) WHERE a.project_id = $project_id AND a.number IS NOT NULL
WITH a, o ORDER BY o.id WITH a, collect(o.id) AS origins ORDER BY a.number RETURN a.id AS id, origins
"""

#: The item with a fingerprint and whether its extraction waits, the current item with its key, and whether something
#: has its id.
FIND: Final = f"""
OPTIONAL MATCH (a:Artifact {{project_id: $project_id, fingerprint: $fingerprint}})
OPTIONAL MATCH (holder:Artifact {{listed_in: $project_id, key: $key, context: $context}})
RETURN a.id AS known, {ARTIFACT},
    EXISTS {{ MATCH (j:Job {{project_id: $project_id, id: a.id + ':extract'}}) WHERE j.state <> 'done' }} AS waits,
    holder {{.id, .num_chunks, .given,
        updated_at: holder.updated_at.epochMillis * 1000 + holder.updated_at.microsecond % 1000}} AS holder,
    EXISTS {{ (:Artifact {{project_id: $project_id, id: $id}}) }} AS is_id_taken
"""
JOIN: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id})
SET a += $memory, a.frequency = $frequency, a.last_occurred = $last_occurred, a.updated_at = $updated_at
"""
PUT_SAYINGS: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id})
UNWIND $sayings AS saying
CREATE (a)-[:SAYS]->(:Saying:Internal {project_id: $project_id, id: $id + ':' + toString(saying[0]), artifact_id: $id,
    hash: saying[0], since: saying[1], first: a.number})
"""
LEARNT: Final = """
MATCH (j:Job {project_id: $project_id, id: $id}) SET j.state = 'done' REMOVE j.due_at
"""
HAS_LINK: Final = """
MATCH (:Event {project_id: $project_id, id: $source})-[l]->(:Event {project_id: $project_id, id: $target})
WHERE type(l) = $relation RETURN type(l) AS relation
"""
#: What was declared of an event before: whether the very same was, and the highest number.
DECLARED: Final = """
OPTIONAL MATCH (r:Resolution) WHERE r.project_id = $project_id AND r.event_id = $event_id
RETURN coalesce(max(r.number), 0) AS number,
    count(CASE
        WHEN r.at = $at AND r.status = $status AND (r.note = $note OR r.note IS NULL AND $note IS NULL) THEN 1
    END) > 0 AS is_known
"""
PUT_ECHOES: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id})
UNWIND $origins AS origin MATCH (o:Artifact {project_id: $project_id, id: origin})
WHERE o <> a AND NOT EXISTS { (a)-[:ECHOES]->(o) }
CREATE (a)-[:ECHOES]->(o) RETURN count(*) AS linked
"""
