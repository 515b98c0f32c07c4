"""The Cypher of jobs, the audit trail, integrity and transfer."""

from typing import Final, LiteralString

from core.records import UNCUT, Part
from graph.neo4j_store.cypher.record_cypher import ARTIFACT, CURRENT

# `due_at` is a pending job's not-before and a running one's end of lease; done and failed jobs have none.
PUT_JOBS: Final = """
UNWIND $jobs AS job MERGE (j:Job {project_id: $project_id, id: job.id})
SET j:Internal, j = {project_id: $project_id, id: job.id, artifact_id: job.artifact_id, kind: job.kind,
    number: job.number, num_chunks: job.num_chunks, state: 'pending', attempts: 0, due_at: $due_at}
"""
DROP_JOBS: Final = "UNWIND $ids AS id MATCH (j:Job {project_id: $project_id, id: id}) DELETE j"
UNDONE: Final = "MATCH (j:Job {project_id: $project_id, id: $id}) WHERE j.state <> 'done' RETURN j.id AS id"
CURRENT_ARTIFACTS: Final = f"""
UNWIND $ids AS id MATCH (a:Artifact {{project_id: $project_id, id: id}}) WHERE {CURRENT}
RETURN a.id AS id, a.num_chunks AS num_chunks ORDER BY a.number
"""
# An OR in the place of the CASE would have the planner read two indexes and sort.
_WAITING: Final = """j.number > 0
        AND j.due_at IS NOT NULL AND CASE WHEN j.due_at <= $now THEN true ELSE j.due_at > $farthest END"""
_NEXT_PROJECT: Final = f"""
    MATCH (j:Job) USING INDEX j:Job(kind, project_id, number, due_at)
    WHERE j.kind = $kinds[position] AND j.project_id > %s AND {_WAITING}
    RETURN j.kind AS kind, j.project_id AS project_id, %s AS turn ORDER BY j.kind, j.project_id LIMIT 1
"""
#: The oldest due jobs of the first kind that has any, all of the project whose turn it is: the next by its id after the
#: last one of that kind.
DUE_JOBS: Final = f"""
UNWIND range(0, size($kinds) - 1) AS position
CALL (position) {{
    {_NEXT_PROJECT % ("$last[position]", 0)} UNION ALL {_NEXT_PROJECT % ("''", 1)}
}}
WITH kind, project_id ORDER BY position, turn LIMIT 1
CALL (kind, project_id) {{
    MATCH (j:Job) USING INDEX j:Job(kind, project_id, number, due_at)
    WHERE j.kind = kind AND j.project_id = project_id AND {_WAITING}
    RETURN j ORDER BY j.kind, j.project_id, j.number LIMIT $limit
}}
RETURN project_id, j.id AS id, j.number AS number,
    coalesce(j.lost, 0) + CASE j.state WHEN 'running' THEN 1 ELSE 0 END AS lost
"""
#: The due jobs of one kind of these artifacts.
DUE_JOBS_OF: Final = """
UNWIND $ids AS id MATCH (j:Job {project_id: $project_id, id: id})
WHERE j.number > 0 AND (j.due_at <= $now OR j.due_at > $farthest)
RETURN j.project_id AS project_id, j.id AS id, j.number AS number,
    coalesce(j.lost, 0) + CASE j.state WHEN 'running' THEN 1 ELSE 0 END AS lost ORDER BY number
"""
#: Numbers are nanoseconds since 1970: those that were lowered before are below any that was not.
PUT_FIRST: Final = """
UNWIND $ids AS id MATCH (j:Job {project_id: $project_id, id: id}) SET j.artifact_id = j.artifact_id
WITH j WHERE j.state = 'pending' AND j.number > $ahead SET j.number = j.number - $ahead
"""
#: Takes the jobs' locks and changes nothing.
LOCK_JOBS: Final = """
UNWIND $jobs AS job MATCH (j:Job {project_id: job.project_id, id: job.id}) SET j.artifact_id = j.artifact_id
"""
# A condition before the first SET is checked without the job's lock.
_LOCKED_JOBS: Final = f"{LOCK_JOBS} WITH j, job WHERE j.number = job.number"
_STILL_DUE: Final = f"{_LOCKED_JOBS} AND (j.due_at <= $now OR j.due_at > $farthest)"
TAKE_JOBS: Final = f"""
{_STILL_DUE}
SET j.lost = coalesce(j.lost, 0) + CASE j.state WHEN 'running' THEN 1 ELSE 0 END,
    j.state = 'running', j.attempts = j.attempts + 1, j.due_at = $due_at, j.lease_owner = $owner
WITH j OPTIONAL MATCH (a:Artifact {{project_id: j.project_id, id: j.artifact_id}})
RETURN j.number AS number, j.project_id AS project_id, j.artifact_id AS artifact_id, j.kind AS kind,
    j.attempts AS attempts, j.lease_owner AS owner,
    CASE j.kind WHEN 'erase' THEN j.num_chunks ELSE coalesce(a.num_chunks, j.num_chunks) END AS num_chunks
ORDER BY number
"""
PARK_JOBS: Final = f"""
{_STILL_DUE} AND j.state = 'running'
SET j.state = 'failed', j.error = $error REMOVE j.due_at, j.lease_owner, j.lost
"""
# The number of attempts tells a claim from a later one of the same owner.
_HELD_JOBS: Final = (
    f"{_LOCKED_JOBS} AND j.lease_owner = job.owner AND j.attempts = job.attempts AND j.state = 'running'"
)
FINISH_JOBS: Final = f"{_HELD_JOBS} SET j.state = 'done' REMOVE j.due_at, j.lease_owner, j.error, j.lost"
DELETE_JOBS: Final = f"{_HELD_JOBS} DELETE j"
EXTEND_JOBS: Final = f"{_HELD_JOBS} SET j.due_at = $due_at"
RETRY_JOBS: Final = f"""
{_HELD_JOBS} SET j.state = 'pending', j.due_at = $due_at, j.error = $error REMOVE j.lease_owner, j.lost
"""
RELEASE_JOBS: Final = f"""
{_HELD_JOBS} SET j.state = 'pending', j.due_at = $due_at, j.attempts = j.attempts - 1 REMOVE j.lease_owner, j.lost
"""
FAIL_JOBS: Final = f"{_HELD_JOBS} SET j.state = 'failed', j.error = $error REMOVE j.due_at, j.lease_owner, j.lost"
QUEUE_FAILED_JOBS: Final = """
MATCH (j:Job) WHERE j.state = 'failed' AND j.project_id IS NOT NULL
    AND ($project_id IS NULL OR j.project_id = $project_id) AND ($kind IS NULL OR j.kind = $kind)
SET j.artifact_id = j.artifact_id
WITH j WHERE j.state = 'failed'
SET j.state = 'pending', j.attempts = 0, j.due_at = $due_at REMOVE j.error
RETURN count(j) AS jobs
"""
PARKED_JOBS: Final = """
MATCH (j:Job) WHERE j.state = 'failed' AND j.project_id IS NOT NULL
    AND ($project_id IS NULL OR j.project_id = $project_id)
WITH j ORDER BY j.number LIMIT $limit
OPTIONAL MATCH (a:Artifact {project_id: j.project_id, id: j.artifact_id})
RETURN j.project_id AS project_id, j.artifact_id AS artifact_id, j.kind AS kind, a.title AS title, j.error AS error
ORDER BY j.number
"""
COUNT_PARKED_JOBS: Final = """
MATCH (j:Job) WHERE j.state = 'failed' AND j.project_id IS NOT NULL RETURN j.kind AS kind, count(*) AS jobs
"""
COUNT_JOBS: Final = """
MATCH (j:Job) WHERE j.state IN ['pending', 'running', 'failed'] AND j.project_id = $project_id
RETURN j.state AS state, count(*) AS jobs
"""
COUNT_ALL_JOBS: Final = """
MATCH (j:Job) WHERE j.state IN ['pending', 'running', 'failed'] AND j.project_id IS NOT NULL
RETURN j.state AS state, count(*) AS jobs
"""
JOB_REPORTS: Final = """
MATCH (j:Job) WHERE j.project_id = $project_id AND j.id IN $ids
RETURN j.kind AS kind, j.state AS state, j.attempts AS attempts, j.error AS error ORDER BY kind
"""


WRITE: Final = "UNWIND $entries AS entry CREATE (t:AuditEntry:Internal) SET t = entry"
_ENTRIES: Final = """
t.number > 0 AND ($since IS NULL OR t.at >= $since)
RETURN t {.act, .by, .client, .project_id, .things, .ids,
    at: t.at.epochMillis * 1000 + t.at.microsecond % 1000} AS entry
"""
READ_ALL: Final[LiteralString] = f"MATCH (t:AuditEntry) WHERE {_ENTRIES} ORDER BY t.number DESC LIMIT $limit"
READ_PROJECT: Final[LiteralString] = f"""
MATCH (t:AuditEntry) WHERE t.project_id = $project_id AND {_ENTRIES}
ORDER BY t.project_id DESC, t.number DESC LIMIT $limit
"""
#: From the count store.
COUNT_ENTRIES: Final = "MATCH (t:AuditEntry) RETURN count(t) AS entries"
#: What goes ends before the first entry that is to stay, in the order of writing; read from the oldest on, in the order
#: of its index, so that no more is read than goes.
ROTATE: Final = """
WITH head(COLLECT {
        MATCH (t:AuditEntry) WHERE t.number > 0 AND t.at >= $before RETURN t.number ORDER BY t.number LIMIT 1
    }) AS first,
    head(COLLECT { MATCH (t:AuditEntry) WHERE t.number > 0 RETURN t.number ORDER BY t.number SKIP $excess LIMIT 1 })
        AS longest,
    head(COLLECT { MATCH (t:AuditEntry) WHERE t.number > 0 RETURN t.number ORDER BY t.number DESC LIMIT 1 }) AS last
WITH coalesce(first, last + 1) AS first, coalesce(longest, last + 1) AS longest
MATCH (t:AuditEntry) WHERE t.number < CASE WHEN first > longest THEN first ELSE longest END
DELETE t RETURN count(*) AS dropped
"""


ITEMS_AFTER: Final = """
MATCH (a:Artifact) WHERE a.project_id = $project_id AND a.number > $last
RETURN a.id AS id, a.number AS number, size(a.content) AS characters ORDER BY a.project_id, a.number LIMIT 1000
"""
COUNT_ITEMS: Final = """
MATCH (a:Artifact) WHERE a.project_id = $project_id AND a.number IS NOT NULL RETURN count(*) AS items
"""
#: What is kept of items besides their knowledge; of sayings the time since when the items of the key have them.
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
CURRENT_ITEMS: Final = """
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
