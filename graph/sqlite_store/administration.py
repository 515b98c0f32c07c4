"""Jobs, the audit trail and access tokens on SQLite, and what every writer to a project does."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any, Final

from core.dates import now
from core.interface.audit import NO_PROJECT, Act, AuditEntry, make_audit_entries
from core.interface.caller import AccessToken
from core.records import FARTHEST_DUE, PASSING_JOBS, Job, JobCounts, JobKind, JobReport, ParkedJob
from core.timing import LOST, split_stuck_jobs
from graph.sqlite_store.database.connection import Database
from graph.sqlite_store.database.rows import CURRENT, NAMED, current, id_list
from graph.timestamps import from_microseconds, to_microseconds

_INSERT: Final = "INSERT INTO audit (at, act, by, client, project_id, things, ids) VALUES (?, ?, ?, ?, ?, ?, ?)"
_READ: Final = """
SELECT at, act, by, client, project_id, things, ids FROM audit {where} ORDER BY number DESC LIMIT :limit
"""
# Entries are numbered in the order of writing; the first to stay ends what goes, also where the clock was set back.
_ROTATE: Final = """
DELETE FROM audit WHERE number < max(
    coalesce((SELECT min(number) FROM audit WHERE at >= :before), 9223372036854775807),
    coalesce((SELECT number + 1 FROM audit ORDER BY number DESC LIMIT 1 OFFSET :most), 0)
)
"""


def write_entries(connection: sqlite3.Connection, entries: Sequence[AuditEntry]) -> None:
    """Add entries with this transaction."""
    rows = [
        (to_microseconds(one.at), one.act, one.by, one.client, one.project_id, one.number, json.dumps(one.ids))
        for one in entries
    ]
    connection.executemany(_INSERT, rows)


class SqliteAudit:
    """Fulfils `graph.protocols.administration.Audit`."""

    _database: Database

    def record_act(self, act: Act, project_id: str, ids: Sequence[str] = (), *, number: int | None = None) -> None:
        with self._database.writing() as connection:
            write_entries(connection, make_audit_entries(act, project_id, ids, number=number))

    def audit_trail(
        self, project_id: str | None = None, *, since: datetime | None = None, limit: int = 100
    ) -> list[AuditEntry]:
        conditions = ["project_id = :project_id"] * (project_id is not None) + ["at >= :since"] * (since is not None)
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        asked = {"project_id": project_id, "since": to_microseconds(since), "limit": limit}
        with self._database.reading() as connection:
            return [_entry(row) for row in connection.execute(_READ.format(where=where), asked)]

    def rotate_audit(self, before: datetime, most: int) -> int:
        with self._database.writing() as connection:
            asked = {"before": to_microseconds(before), "most": most}
            return connection.execute(_ROTATE, asked).rowcount


def _entry(row: Sequence[Any]) -> AuditEntry:
    moment, act, by, client, project_id, number, ids = row
    return AuditEntry(
        at=from_microseconds(moment),
        act=act,
        by=by,
        client=client,
        project_id=project_id,
        number=number,
        ids=tuple(json.loads(ids)),
    )


_ADD: Final = "INSERT INTO access_tokens VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING"
_ALL: Final = (
    "SELECT name, digest, projects, read_only, created_at, expires_at, last_used FROM access_tokens ORDER BY name"
)
_REMOVE: Final = "DELETE FROM access_tokens WHERE name = ?"
_TOUCH: Final = "UPDATE access_tokens SET last_used = max(coalesce(last_used, ?1), ?1) WHERE digest = ?2"


class SqliteAccessTokens:
    """Fulfils `graph.protocols.administration.AccessTokens`."""

    _database: Database

    def add_token(self, token: AccessToken) -> bool:
        row = (
            token.name,
            token.digest,
            None if token.projects is None else json.dumps(token.projects),
            token.read_only,
            to_microseconds(token.created_at),
            to_microseconds(token.expires_at),
            to_microseconds(token.last_used),
        )
        with self._database.writing() as connection:
            is_new = connection.execute(_ADD, row).rowcount == 1
            write_entries(connection, make_audit_entries("create_token", NO_PROJECT, [token.name] * is_new))
        return is_new

    def tokens(self) -> list[AccessToken]:
        with self._database.reading() as connection:
            return [_token(row) for row in connection.execute(_ALL)]

    def remove_token(self, name: str) -> bool:
        with self._database.writing() as connection:
            was_there = connection.execute(_REMOVE, (name,)).rowcount == 1
            write_entries(connection, make_audit_entries("revoke_token", NO_PROJECT, [name] * was_there))
        return was_there

    def touch_token(self, digest: str, at: datetime) -> None:
        with self._database.writing() as connection:
            connection.execute(_TOUCH, (to_microseconds(at), digest))


def _token(row: sqlite3.Row) -> AccessToken:
    name, digest, projects, read_only, created_at, expires_at, last_used = row
    return AccessToken(
        name=name,
        digest=digest,
        projects=None if projects is None else tuple(json.loads(projects)),
        read_only=bool(read_only),
        created_at=from_microseconds(created_at),
        expires_at=from_microseconds(expires_at),
        last_used=from_microseconds(last_used),
    )


# A new row each time: what still holds the row it replaces can no longer finish it.
_PUT_JOB: Final = """
INSERT OR REPLACE INTO jobs (project_id, artifact_id, kind, num_chunks, due_at) VALUES (?, ?, ?, ?, 0)
"""
_DROP_JOB: Final = "DELETE FROM jobs WHERE project_id = ? AND artifact_id = ? AND kind = ?"
_WAITS: Final = """
SELECT 1 FROM jobs WHERE project_id = ? AND artifact_id = ? AND kind = 'extract' AND state <> 'done'
"""
_ITEMS: Final = f"SELECT a.item FROM {NAMED} WHERE a.project_id = :project_id"


class SqliteProjectWriter:
    """Fulfils `graph.writers.knowledge_writer.ProjectWriter`."""

    def __init__(self, connection: sqlite3.Connection, project_id: str) -> None:
        self._connection = connection
        self.project_id = project_id

    def put_jobs(self, num_chunks: Mapping[str, int], kinds: Sequence[JobKind]) -> None:
        rows = [(self.project_id, id_, kind, chunks) for id_, chunks in num_chunks.items() for kind in kinds]
        self._connection.executemany(_PUT_JOB, rows)

    def drop_jobs(self, artifact_ids: Sequence[str], kinds: Sequence[JobKind]) -> None:
        rows = [(self.project_id, id_, kind) for id_ in artifact_ids for kind in kinds]
        self._connection.executemany(_DROP_JOB, rows)

    def awaits_extraction(self, artifact_id: str) -> bool:
        return self._connection.execute(_WAITS, (self.project_id, artifact_id)).fetchone() is not None

    def write_entries(self, entries: Sequence[AuditEntry]) -> None:
        write_entries(self._connection, entries)

    def items(self, artifact_ids: Sequence[str], condition: str = "true") -> list[int]:
        """Return the numbers of those items `a` that are stored and of which the condition is true."""
        asked = {"project_id": self.project_id, "ids": id_list(artifact_ids)}
        return [row[0] for row in self._connection.execute(f"{_ITEMS} AND {condition}", asked)]

    def item(self, artifact_id: str) -> int:
        """Return the number of an item that is stored."""
        sql = "SELECT item FROM artifacts WHERE project_id = ? AND id = ?"
        [(item,)] = self._connection.execute(sql, (self.project_id, artifact_id)).fetchall()
        return int(item)


# That it is not null lets SQLite use the indexes of those that wait, in their order.
_WAITING: Final = "due_at IS NOT NULL AND (due_at <= :now OR due_at > :farthest)"
_ANY_DUE: Final = f"SELECT 1 FROM jobs WHERE kind = :kind AND {_WAITING} ORDER BY id LIMIT 1"
_NEXT_PROJECT: Final = f"""
SELECT project_id FROM jobs WHERE kind = :kind AND project_id > :last AND {_WAITING} ORDER BY project_id, id LIMIT 1
"""
_DUE: Final = f"""
SELECT jobs.id, jobs.project_id, jobs.artifact_id, jobs.kind, jobs.attempts + 1, :owner,
    CASE jobs.kind WHEN 'erase' THEN jobs.num_chunks ELSE coalesce(a.num_chunks, jobs.num_chunks) END,
    jobs.lost + (jobs.state = 'running')
FROM jobs LEFT JOIN artifacts a ON a.project_id = jobs.project_id AND a.id = jobs.artifact_id
WHERE jobs.kind = :kind AND jobs.project_id = :project_id AND {_WAITING}
ORDER BY jobs.id LIMIT :limit
"""
_DUE_OF: Final = f"""
SELECT jobs.id, jobs.project_id, jobs.artifact_id, jobs.kind, jobs.attempts + 1, :owner,
    CASE jobs.kind WHEN 'erase' THEN jobs.num_chunks ELSE coalesce(a.num_chunks, jobs.num_chunks) END,
    jobs.lost + (jobs.state = 'running')
FROM json_each(:ids) AS asked
CROSS JOIN jobs ON jobs.project_id = :project_id AND jobs.artifact_id = asked.value AND jobs.kind = :kind
LEFT JOIN artifacts a ON a.project_id = jobs.project_id AND a.id = jobs.artifact_id
WHERE {_WAITING} ORDER BY jobs.id
"""
#: By how much the id of a job is lowered that is put first: more than there are ids.
_AHEAD: Final = 2**50
_PUT_FIRST: Final = f"""
UPDATE jobs SET id = id - {_AHEAD}
WHERE project_id = ? AND artifact_id IN (SELECT value FROM json_each(?)) AND state = 'pending' AND id > 0
"""
_TAKE: Final = """
UPDATE jobs SET state = 'running', attempts = attempts + 1, lost = ?, due_at = ?, lease_owner = ? WHERE id = ?
"""
_PARK: Final = """
UPDATE jobs SET state = 'failed', lost = 0, due_at = NULL, lease_owner = NULL, error = ? WHERE id = ?
"""
# The number of attempts tells a claim from a later one of the same owner.
_HELD: Final = "WHERE id = ? AND lease_owner = ? AND attempts = ? AND state = 'running'"
_FINISH: Final = f"UPDATE jobs SET state = 'done', lost = 0, due_at = NULL, lease_owner = NULL, error = NULL {_HELD}"
_DELETE: Final = f"DELETE FROM jobs {_HELD}"
_EXTEND: Final = f"UPDATE jobs SET due_at = ? {_HELD}"
_RETRY: Final = f"UPDATE jobs SET state = 'pending', lost = 0, due_at = ?, lease_owner = NULL, error = ? {_HELD}"
_FAIL: Final = f"UPDATE jobs SET state = 'failed', lost = 0, due_at = NULL, lease_owner = NULL, error = ? {_HELD}"
_RELEASE: Final = f"""
UPDATE jobs SET state = 'pending', attempts = attempts - 1, lost = 0, due_at = ?, lease_owner = NULL {_HELD}
"""
_FAILED: Final = """
state = 'failed' AND (:project_id IS NULL OR project_id = :project_id) AND (:kind IS NULL OR kind = :kind)
"""
_QUEUE_FAILED: Final = f"UPDATE jobs SET state = 'pending', due_at = 0, attempts = 0, error = NULL WHERE {_FAILED}"
_PARKED: Final = """
SELECT jobs.project_id, jobs.artifact_id, jobs.kind, json_extract(a.given, '$.title'), jobs.error
FROM jobs LEFT JOIN artifacts a ON a.project_id = jobs.project_id AND a.id = jobs.artifact_id
WHERE jobs.state = 'failed' AND (:project_id IS NULL OR jobs.project_id = :project_id) ORDER BY jobs.id LIMIT :limit
"""


class SqliteJobs:
    """Fulfils `graph.protocols.administration.Jobs`."""

    _database: Database

    def queue(self, project_id: str, artifact_ids: Sequence[str], kind: JobKind) -> int:
        sql = (
            "SELECT a.id, a.num_chunks FROM json_each(:ids) wanted CROSS JOIN artifacts a ON a.id = wanted.value"
            f" WHERE {CURRENT} ORDER BY a.item"
        )
        with self._database.writing() as connection:
            rows = connection.execute(sql, current(project_id) | {"ids": id_list(artifact_ids)}).fetchall()
            SqliteProjectWriter(connection, project_id).put_jobs(dict(rows), [kind])
        return len(rows)

    def claim(self, kinds: Sequence[JobKind], limit: int, lease: timedelta, owner: str) -> list[Job]:
        if limit < 1 or not self._any_due(kinds):
            return []
        with self._database.writing() as connection:
            for kind in kinds:
                last = self._database.last_claimed.get(kind, "")
                if jobs := _take(connection, kind, limit, lease, owner, last):
                    self._database.last_claimed[kind] = jobs[0].project_id
                    return jobs
        return []

    def claim_of(
        self, project_id: str, artifact_ids: Sequence[str], kind: JobKind, lease: timedelta, owner: str
    ) -> list[Job]:
        moment = now()
        asked = {"project_id": project_id, "ids": id_list(artifact_ids), "kind": kind, "owner": owner}
        with self._database.writing() as connection:
            rows = connection.execute(_DUE_OF, asked | _moments(moment)).fetchall()
            return _held_by(connection, rows, to_microseconds(moment + lease), owner)

    def put_first(self, project_id: str, artifact_ids: Sequence[str]) -> None:
        with self._database.writing() as connection:
            connection.execute(_PUT_FIRST, (project_id, id_list(artifact_ids)))

    def _any_due(self, kinds: Sequence[JobKind]) -> bool:
        """Look without the writer's lock: idle workers must not hold up those who write."""
        moments = _moments(now())
        with self._database.reading() as connection:
            return any(connection.execute(_ANY_DUE, moments | {"kind": kind}).fetchone() for kind in kinds)

    def release(self, jobs: Sequence[Job], not_before: datetime | None = None) -> None:
        self._update(_RELEASE, jobs, 0 if not_before is None else to_microseconds(not_before))

    def extend(self, jobs: Sequence[Job], lease: timedelta) -> None:
        self._update(_EXTEND, jobs, to_microseconds(now() + lease))

    def complete(self, jobs: Sequence[Job]) -> None:
        self._update(_DELETE, [job for job in jobs if job.kind in PASSING_JOBS])
        self._update(_FINISH, [job for job in jobs if job.kind not in PASSING_JOBS])

    def retry(self, jobs: Sequence[Job], error: str, not_before: datetime) -> None:
        self._update(_RETRY, jobs, to_microseconds(not_before), error)

    def fail(self, jobs: Sequence[Job], error: str) -> None:
        self._update(_FAIL, jobs, error)

    def queue_failed(self, project_id: str | None = None, kind: JobKind | None = None) -> int:
        with self._database.writing() as connection:
            return connection.execute(_QUEUE_FAILED, {"project_id": project_id, "kind": kind}).rowcount

    def parked_jobs(self, project_id: str | None, limit: int) -> list[ParkedJob]:
        with self._database.reading() as connection:
            return [ParkedJob(*row) for row in connection.execute(_PARKED, {"project_id": project_id, "limit": limit})]

    def parked_counts(self) -> dict[JobKind, int]:
        sql = "SELECT kind, count(*) FROM jobs WHERE state = 'failed' GROUP BY kind"
        with self._database.reading() as connection:
            return dict(connection.execute(sql).fetchall())

    def job_counts(self, project_id: str | None = None) -> JobCounts:
        # Those that are done, one or two for each item, are passed over by the index.
        where, parameters = ("", ()) if project_id is None else ("AND project_id = ?", (project_id,))
        sql = f"SELECT state, count(*) FROM jobs WHERE state IN ('pending', 'running', 'failed') {where} GROUP BY state"
        with self._database.reading() as connection:
            found: dict[str, int] = dict(connection.execute(sql, parameters).fetchall())
        running = found.get("running", 0)
        return JobCounts(found.get("pending", 0) + running, found.get("failed", 0), running)

    def job_reports(self, project_id: str, artifact_id: str) -> list[JobReport]:
        sql = "SELECT kind, state, attempts, error FROM jobs WHERE project_id = ? AND artifact_id = ? ORDER BY kind"
        with self._database.reading() as connection:
            return [JobReport(*row) for row in connection.execute(sql, (project_id, artifact_id))]

    def _update(self, sql: str, jobs: Sequence[Job], *values: str | int) -> None:
        if jobs:
            with self._database.writing() as connection:
                rows = [(*values, job.id, job.lease_owner, job.attempts) for job in jobs]
                connection.executemany(sql, rows)


def _take(
    connection: sqlite3.Connection, kind: JobKind, limit: int, lease: timedelta, owner: str, last: str
) -> list[Job]:
    """Claim jobs of the next project after the `last` one that has any."""
    moment = now()
    asked = _moments(moment) | {"kind": kind, "limit": limit, "owner": owner}
    until = to_microseconds(moment + lease)
    while (found := _next_project(connection, asked, last) or _next_project(connection, asked, "")) is not None:
        rows = connection.execute(_DUE, asked | {"project_id": found[0]}).fetchall()
        if taken := _held_by(connection, rows, until, owner):
            return taken
    return []


def _held_by(connection: sqlite3.Connection, rows: list[tuple[Any, ...]], until: int, owner: str) -> list[Job]:
    """Claim due jobs, and park the ones that were lost too often."""
    taken, parked = split_stuck_jobs(rows, itemgetter(-1))
    connection.executemany(_PARK, [(LOST, row[0]) for row in parked])
    connection.executemany(_TAKE, [(row[-1], until, owner, row[0]) for row in taken])
    return [Job(*row[:-1]) for row in taken]


def _next_project(connection: sqlite3.Connection, asked: Mapping[str, str | int], last: str) -> tuple[str] | None:
    found: tuple[str] | None = connection.execute(_NEXT_PROJECT, {**asked, "last": last}).fetchone()
    return found


def _moments(moment: datetime) -> dict[str, str | int]:
    return {"now": to_microseconds(moment), "farthest": to_microseconds(moment + FARTHEST_DUE)}
