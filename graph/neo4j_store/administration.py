"""Jobs, the audit trail and access tokens on Neo4j, and what every writer to a project does."""

import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import Any, Final, LiteralString, Self, get_args

from neo4j import Record

from core.dates import now
from core.interface.audit import NO_PROJECT, Act, AuditEntry, make_audit_entries
from core.interface.caller import AccessToken
from core.records import FARTHEST_DUE, PASSING_JOBS, Job, JobCounts, JobKind, JobReport, ParkedJob
from core.timing import LOST, split_stuck_jobs
from graph.neo4j_store.cypher import administration_cypher, record_cypher, schema_cypher
from graph.neo4j_store.database.connection import Database, Transaction
from graph.neo4j_store.database.rows import current, has_required_fields, native_time, valid_utf8
from graph.timestamps import from_microseconds

#: When a job that nobody has tried is due, whatever the clock is set to.
AT_ONCE: Final = datetime(1970, 1, 1, tzinfo=UTC)
#: The lock of a rotation, so that no other one drops entries between its count and its look.
_ROTATION: Final = "audit"
_NUMBERING: Final = threading.Lock()
_last = 0


def put_jobs(
    transaction: Transaction, project_id: str, num_chunks: Mapping[str, int], kinds: Sequence[JobKind]
) -> None:
    """Set these jobs of several artifacts, given with their number of chunks, to pending; in the order given."""
    jobs = [
        # A new number each time: what still holds the job as it was can no longer finish it.
        {"id": job_id(id_, kind), "artifact_id": id_, "kind": kind, "num_chunks": chunks, "number": next_number()}
        for id_, chunks in num_chunks.items()
        for kind in kinds
    ]
    if jobs:
        transaction.run(administration_cypher.PUT_JOBS, project_id=project_id, jobs=jobs, due_at=AT_ONCE)


def job_id(artifact_id: str, kind: JobKind) -> str:
    """Return the id that a job has in its project."""
    return f"{artifact_id}:{kind}"


def next_number() -> int:
    """Return nanoseconds since 1970, so that the numbers of all hosts are in order, higher than any before here."""
    global _last
    with _NUMBERING:
        _last = max(time.time_ns(), _last + 1)
        return _last


def write_entries(transaction: Transaction, entries: Sequence[AuditEntry]) -> None:
    """Add entries with this transaction."""
    rows = []
    for one in entries:
        number = next_number()
        rows.append(
            {
                "project_id": one.project_id,
                "id": f"{number:x}",
                "name": one.act,
                "number": number,
                "at": one.at,
                "act": one.act,
                "by": one.by,
                "client": one.client,
                "things": one.number,
                "ids": list(one.ids),
            }
        )
    if rows:
        transaction.run(administration_cypher.WRITE, entries=rows)


class Neo4jAudit:
    """Fulfils `graph.protocols.administration.Audit`; that nothing else changes entries is up to the server's users."""

    _database: Database

    def record_act(self, act: Act, project_id: str, ids: Sequence[str] = (), *, number: int | None = None) -> None:
        entries = make_audit_entries(act, project_id, ids, number=number)
        self._database.write(lambda transaction: write_entries(transaction, entries))

    def audit_trail(
        self, project_id: str | None = None, *, since: datetime | None = None, limit: int = 100
    ) -> list[AuditEntry]:
        statement = administration_cypher.READ_ALL if project_id is None else administration_cypher.READ_PROJECT
        rows = self._database.rows(statement, project_id=project_id, since=since, limit=limit)
        return [
            AuditEntry(
                at=from_microseconds(entry["at"]),
                act=entry["act"],
                by=entry["by"],
                client=entry["client"],
                project_id=entry["project_id"],
                number=entry["things"],
                ids=tuple(entry["ids"]),
            )
            for entry in (row["entry"] for row in rows)
            if entry["ids"] is not None  # one that is dropped while it is read has lost all
        ]

    def rotate_audit(self, before: datetime, most: int) -> int:
        def work(transaction: Transaction) -> int:
            transaction.run(schema_cypher.LOCK, name=_ROTATION)
            [counted] = transaction.rows(administration_cypher.COUNT_ENTRIES)
            excess = max(counted["entries"] - most, 0)
            [row] = transaction.rows(administration_cypher.ROTATE, before=before, excess=excess)
            return int(row["dropped"])

        return self._database.write(work)


class Neo4jAccessTokens:
    """Fulfils `graph.protocols.administration.AccessTokens`."""

    _database: Database

    def add_token(self, token: AccessToken) -> bool:
        properties = {
            "name": token.name,
            "digest": token.digest,
            "projects": None if token.projects is None else list(token.projects),
            "read_only": token.read_only,
            "created_at": token.created_at,
            "expires_at": token.expires_at,
            "last_used": token.last_used,
        }

        def work(transaction: Transaction) -> bool:
            row = transaction.row(schema_cypher.ADD_ACCESS, id=token.name, properties=properties)
            is_new = row is not None and bool(row["added"])
            write_entries(transaction, make_audit_entries("create_token", NO_PROJECT, [token.name] * is_new))
            return is_new

        return self._database.write(work)

    def tokens(self) -> list[AccessToken]:
        nodes = [row["token"] for row in self._database.rows(schema_cypher.ALL_ACCESS)]
        # What another transaction removes meanwhile has no fields any more.
        return [_token(node) for node in nodes if node["digest"] is not None and node["created_at"] is not None]

    def remove_token(self, name: str) -> bool:
        if not valid_utf8([name]):
            return False

        def work(transaction: Transaction) -> bool:
            row = transaction.row(schema_cypher.REMOVE_ACCESS, id=name)
            was_there = row is not None and bool(row["removed"])
            write_entries(transaction, make_audit_entries("revoke_token", NO_PROJECT, [name] * was_there))
            return was_there

        return self._database.write(work)

    def touch_token(self, digest: str, at: datetime) -> None:
        self._database.write(lambda transaction: transaction.run(schema_cypher.TOUCH_ACCESS, digest=digest, at=at))


def _token(node: Mapping[str, Any]) -> AccessToken:
    return AccessToken(
        name=node["id"],
        digest=node["digest"],
        projects=None if node["projects"] is None else tuple(node["projects"]),
        read_only=bool(node["read_only"]),
        created_at=native_time(node["created_at"]),
        expires_at=None if node["expires_at"] is None else native_time(node["expires_at"]),
        last_used=None if node["last_used"] is None else native_time(node["last_used"]),
    )


class Neo4jProjectWriter:
    """Fulfils `graph.writers.knowledge_writer.ProjectWriter`."""

    def __init__(self, transaction: Transaction, project_id: str) -> None:
        self._transaction = transaction
        self.project_id = project_id

    def locked(self) -> Self:
        """Take the lock of the project, if anything was ever written to it."""
        self._transaction.row(record_cypher.LOCK_KNOWN_PROJECT, project_id=self.project_id)
        return self

    def run(self, statement: LiteralString, /, **parameters: object) -> None:
        """Run a statement on the project for its effect."""
        self._transaction.run(statement, project_id=self.project_id, **parameters)

    def rows(self, statement: LiteralString, /, **parameters: object) -> list[Record]:
        """Run a statement on the project and return its rows."""
        return self._transaction.rows(statement, project_id=self.project_id, **parameters)

    def put_jobs(self, num_chunks: Mapping[str, int], kinds: Sequence[JobKind]) -> None:
        put_jobs(self._transaction, self.project_id, num_chunks, kinds)

    def drop_jobs(self, artifact_ids: Sequence[str], kinds: Sequence[JobKind]) -> None:
        self.run(administration_cypher.DROP_JOBS, ids=[job_id(id_, kind) for id_ in artifact_ids for kind in kinds])

    def awaits_extraction(self, artifact_id: str) -> bool:
        return bool(self.rows(administration_cypher.UNDONE, id=job_id(artifact_id, "extract")))

    def write_entries(self, entries: Sequence[AuditEntry]) -> None:
        write_entries(self._transaction, entries)

    def replaced(self, artifact_ids: Sequence[str]) -> list[str]:
        """Return the ids of all that these items have replaced, directly or through others."""
        earlier: defaultdict[str, set[str]] = defaultdict(set)
        found: dict[str, None] = {}
        asked: list[str] = list(artifact_ids)
        while asked:
            for row in self.rows(record_cypher.REPLACED, ids=asked):
                earlier[row["replaced_by"]].add(row["id"])
            waiting, asked = asked, []
            while waiting := [id_ for one in waiting for id_ in sorted(earlier.pop(one, ())) if id_ not in found]:
                found |= dict.fromkeys(waiting)
                asked += waiting
        return list(found)


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
    """Claim due jobs, and park the ones that were lost too often."""
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
