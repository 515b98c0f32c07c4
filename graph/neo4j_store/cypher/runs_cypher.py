"""The Cypher of runs."""

from typing import Final

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
LESSONS: Final = """
UNWIND $ids AS id MATCH (a:Artifact {project_id: $project_id, id: id})
RETURN id, a.unread_language AS unread_language, COLLECT {
    MATCH (a)-[n:NAMES]->(e:Entity)
    WITH n, coalesce(n.original, e.id) AS original, coalesce(n.type, e.type) AS type ORDER BY original
    RETURN n {.name, .aliases, .role, .organization, .reasons, .starts, .ends, id: original, type: type,
        weight: coalesce(n.weight, 1)}
} AS entities, COLLECT { MATCH (a)<-[:EVIDENCED_BY]-(v:Event) RETURN DISTINCT [v.id, v.first_status] } AS events
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
RETURN EXISTS {
    MATCH (a:Artifact) WHERE a.project_id = $project_id AND a.id IS NOT NULL
        AND (a.created_at > $moment OR a.updated_at > $moment)
} AS changed
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
