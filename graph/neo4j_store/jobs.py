"""`Jobs` on Neo4j: nodes, claimed by one worker at a time."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any, Final, LiteralString, get_args

from core.backoff import LOST, split_stuck_jobs
from core.dates import now
from core.records import FARTHEST_DUE, PASSING_JOBS, Job, JobCounts, JobKind, JobReport, ParkedJob
from graph.neo4j_store.cypher import administration_cypher, record_cypher, schema_cypher
from graph.neo4j_store.database.connection import Database, Transaction
from graph.neo4j_store.database.filters import current, valid_utf8
from graph.neo4j_store.database.job_queue import AT_ONCE, job_id, put_jobs
from graph.neo4j_store.database.rows import has_required_fields

_KINDS: Final[tuple[JobKind, ...]] = get_args(JobKind)
#: The lock that a claim takes, so that two workers never look for jobs at the same time.
_CLAIM: Final = "claim"
#: By how much the number of a job is lowered that is put first, in nanoseconds: 40 years.
_AHEAD: Final = 40 * 365 * 86_400 * 10**9


class Neo4jJobs:
    """Fulfils `graph.protocols.administration.Jobs`."""

    _database: Database

    def queue(self, project_id: str, artifact_ids: Sequence[str], kind: JobKind) -> int:
        def work(transaction: Transaction) -> int:
            if transaction.row(record_cypher.LOCK_KNOWN_PROJECT, project_id=project_id) is None:
                return 0
            rows = transaction.rows(administration_cypher.CURRENT_ARTIFACTS, ids=ids, **current(project_id))
            put_jobs(transaction, project_id, {row["id"]: row["num_chunks"] for row in rows}, [kind])
            return len(rows)

        ids = valid_utf8(artifact_ids)
        return self._database.write(work) if ids else 0

    def claim(self, kinds: Sequence[JobKind], limit: int, lease: timedelta, owner: str) -> list[Job]:
        last = dict(self._database.last_claimed)
        # Looks without the lock first: idle workers must not hold up those who claim.
        if limit < 1 or not self._database.read(lambda transaction: _due(transaction, kinds, 1, now(), last)):
            return []
        jobs = self._database.write(lambda transaction: _take(transaction, kinds, limit, lease, owner, last))
        self._database.last_claimed |= {job.kind: job.project_id for job in jobs[:1]}
        return jobs

    def claim_of(
        self, project_id: str, artifact_ids: Sequence[str], kind: JobKind, lease: timedelta, owner: str
    ) -> list[Job]:
        asked = {"project_id": project_id, "ids": valid_utf8(job_id(id_, kind) for id_ in dict.fromkeys(artifact_ids))}

        def take(transaction: Transaction) -> list[Job]:
            transaction.run(schema_cypher.LOCK, name=_CLAIM)
            due = [dict(row) for row in transaction.rows(administration_cypher.DUE_JOBS_OF, **asked, **_moments(now()))]
            return _held_by(transaction, due, lease, owner)

        return self._database.write(take)

    def put_first(self, project_id: str, artifact_ids: Sequence[str]) -> None:
        ids = valid_utf8(job_id(id_, kind) for id_ in dict.fromkeys(artifact_ids) for kind in _KINDS)
        self._database.write(
            lambda transaction: transaction.run(
                administration_cypher.PUT_FIRST, project_id=project_id, ids=ids, ahead=_AHEAD
            )
        )

    def release(self, jobs: Sequence[Job], not_before: datetime | None = None) -> None:
        self._update(administration_cypher.RELEASE_JOBS, jobs, due_at=not_before or AT_ONCE)

    def extend(self, jobs: Sequence[Job], lease: timedelta) -> None:
        self._update(administration_cypher.EXTEND_JOBS, jobs, due_at=now() + lease)

    def complete(self, jobs: Sequence[Job]) -> None:
        self._update(administration_cypher.DELETE_JOBS, [job for job in jobs if job.kind in PASSING_JOBS])
        self._update(administration_cypher.FINISH_JOBS, [job for job in jobs if job.kind not in PASSING_JOBS])

    def retry(self, jobs: Sequence[Job], error: str, not_before: datetime) -> None:
        self._update(administration_cypher.RETRY_JOBS, jobs, due_at=not_before, error=error)

    def fail(self, jobs: Sequence[Job], error: str) -> None:
        self._update(administration_cypher.FAIL_JOBS, jobs, error=error)

    def queue_failed(self, project_id: str | None = None, kind: JobKind | None = None) -> int:
        asked = {"project_id": project_id, "kind": kind, "due_at": AT_ONCE}
        row = self._database.write(
            lambda transaction: transaction.row(administration_cypher.QUEUE_FAILED_JOBS, **asked)
        )
        return 0 if row is None else int(row["jobs"])

    def parked_jobs(self, project_id: str | None, limit: int) -> list[ParkedJob]:
        rows = self._database.rows(administration_cypher.PARKED_JOBS, project_id=project_id, limit=limit)
        return [ParkedJob(*row) for row in rows]

    def parked_counts(self) -> dict[JobKind, int]:
        return {row["kind"]: row["jobs"] for row in self._database.rows(administration_cypher.COUNT_PARKED_JOBS)}

    def job_counts(self, project_id: str | None = None) -> JobCounts:
        statement = administration_cypher.COUNT_ALL_JOBS if project_id is None else administration_cypher.COUNT_JOBS
        rows = self._database.rows(statement, project_id=project_id)
        found: dict[str, int] = {row["state"]: row["jobs"] for row in rows}
        running = found.get("running", 0)
        return JobCounts(found.get("pending", 0) + running, found.get("failed", 0), running)

    def job_reports(self, project_id: str, artifact_id: str) -> list[JobReport]:
        ids = valid_utf8(job_id(artifact_id, kind) for kind in _KINDS)
        rows = self._database.read(
            lambda transaction: transaction.rows(administration_cypher.JOB_REPORTS, project_id=project_id, ids=ids)
        )
        return [JobReport(*row) for row in rows if has_required_fields(row, {"error"})]

    def _update(self, statement: LiteralString, jobs: Sequence[Job], **values: object) -> None:
        held = [_held(job) for job in sorted(jobs, key=lambda job: job.id)]
        if held:
            self._database.write(lambda transaction: transaction.run(statement, jobs=held, **values))


def _take(
    transaction: Transaction,
    kinds: Sequence[JobKind],
    limit: int,
    lease: timedelta,
    owner: str,
    last: Mapping[str, str],
) -> list[Job]:
    """Claim jobs of the next project after the `last` one of their kind that has any."""
    transaction.run(schema_cypher.LOCK, name=_CLAIM)
    while due := _due(transaction, kinds, limit, now(), last):
        if taken := _held_by(transaction, due, lease, owner):
            return taken
    return []


def _held_by(transaction: Transaction, due: Sequence[Mapping[str, Any]], lease: timedelta, owner: str) -> list[Job]:
    """Claim due jobs, and park those of them that were lost too often."""
    transaction.run(administration_cypher.LOCK_JOBS, jobs=due)
    # The lease begins here: who changes one of these jobs may have kept this waiting.
    moment = now()
    taken, parked = split_stuck_jobs(due, itemgetter("lost"))
    if parked:
        transaction.run(administration_cypher.PARK_JOBS, jobs=parked, error=LOST, **_moments(moment))
    asked = {"due_at": moment + lease, "owner": owner, **_moments(moment)}
    return [_job(row) for row in transaction.rows(administration_cypher.TAKE_JOBS, jobs=taken, **asked)]


def _due(
    transaction: Transaction, kinds: Sequence[JobKind], limit: int, moment: datetime, last: Mapping[str, str]
) -> list[dict[str, Any]]:
    asked = {"kinds": list(kinds), "last": [last.get(kind, "") for kind in kinds], "limit": limit}
    return [dict(row) for row in transaction.rows(administration_cypher.DUE_JOBS, **asked, **_moments(moment))]


def _moments(moment: datetime) -> dict[str, datetime]:
    return {"now": moment, "farthest": moment + FARTHEST_DUE}


def _held(job: Job) -> dict[str, Any]:
    return {
        "project_id": job.project_id,
        "id": job_id(job.artifact_id, job.kind),
        "number": job.id,
        "owner": job.lease_owner,
        "attempts": job.attempts,
    }


def _job(row: Mapping[str, Any]) -> Job:
    return Job(
        id=row["number"],
        project_id=row["project_id"],
        artifact_id=row["artifact_id"],
        kind=row["kind"],
        attempts=row["attempts"],
        lease_owner=row["owner"],
        num_chunks=row["num_chunks"],
    )
