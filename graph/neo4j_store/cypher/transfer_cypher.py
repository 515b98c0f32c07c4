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

LEARNT: Final = """
MATCH (j:Job {project_id: $project_id, id: $id}) SET j.state = 'done' REMOVE j.due_at
"""
PUT_ECHOES: Final = """
MATCH (a:Artifact {project_id: $project_id, id: $id})
UNWIND $origins AS origin MATCH (o:Artifact {project_id: $project_id, id: origin})
WHERE o <> a AND NOT EXISTS { (a)-[:ECHOES]->(o) }
CREATE (a)-[:ECHOES]->(o) RETURN count(*) AS linked
"""
