"""The Cypher of jobs."""

from typing import Final

from graph.neo4j_store.cypher.record_cypher import CURRENT

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
