"""`Jobs` on SQLite: rows, claimed in the writer's transaction."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from core.dates import now
from core.records import FARTHEST_DUE, PASSING_JOBS, Job, JobCounts, JobKind, JobReport
from graph.sqlite_store.database.connections import Database
from graph.sqlite_store.database.filters import CURRENT, current, id_list
from graph.sqlite_store.database.job_queue import put_job
from graph.timestamps import to_microseconds

# That it is not null lets SQLite use the index of those that wait, in its order.
_FIRST_DUE: Final = """
SELECT project_id FROM jobs WHERE kind = ? AND due_at IS NOT NULL AND (due_at <= ? OR due_at > ?) ORDER BY id LIMIT 1
"""
_DUE: Final = """
SELECT jobs.id, jobs.project_id, jobs.artifact_id, jobs.kind, jobs.attempts + 1, :owner,
    CASE jobs.kind WHEN 'erase' THEN jobs.num_chunks ELSE coalesce(a.num_chunks, jobs.num_chunks) END
FROM jobs LEFT JOIN artifacts a ON a.project_id = jobs.project_id AND a.id = jobs.artifact_id
WHERE jobs.kind = :kind AND jobs.project_id = :project_id AND jobs.due_at IS NOT NULL
    AND (jobs.due_at <= :now OR jobs.due_at > :farthest)
ORDER BY jobs.id LIMIT :limit
"""
_TAKE: Final = """
UPDATE jobs SET state = 'running', attempts = attempts + 1, due_at = ?, lease_owner = ? WHERE id = ?
"""
# The number of attempts tells a claim from a later one of the same owner.
_HELD: Final = "WHERE id = ? AND lease_owner = ? AND attempts = ? AND state = 'running'"
_FINISH: Final = f"UPDATE jobs SET state = 'done', due_at = NULL, lease_owner = NULL, error = NULL {_HELD}"
_DELETE: Final = f"DELETE FROM jobs {_HELD}"
_EXTEND: Final = f"UPDATE jobs SET due_at = ? {_HELD}"
_RETRY: Final = f"UPDATE jobs SET state = 'pending', due_at = ?, lease_owner = NULL, error = ? {_HELD}"
_FAIL: Final = f"UPDATE jobs SET state = 'failed', due_at = NULL, lease_owner = NULL, error = ? {_HELD}"
_QUEUE_FAILED: Final = (
    "UPDATE jobs SET state = 'pending', due_at = 0, attempts = 0, error = NULL WHERE state = 'failed'"
)


class SqliteJobs:
    """Fulfils `graph.protocols.jobs.Jobs`."""

    _database: Database

    def queue(self, project_id: str, artifact_ids: Sequence[str], kind: JobKind) -> int:
        sql = (
            "SELECT a.id, a.num_chunks FROM artifacts a"
            f" WHERE a.id IN (SELECT value FROM json_each(:ids)) AND {CURRENT} ORDER BY a.item"
        )
        with self._database.writing() as connection:
            rows = connection.execute(sql, current(project_id) | {"ids": id_list(artifact_ids)}).fetchall()
            for id_, num_chunks in rows:
                put_job(connection, project_id, id_, kind, num_chunks)
        return len(rows)

    def claim(self, kinds: Sequence[JobKind], limit: int, lease: timedelta, owner: str) -> list[Job]:
        if limit < 1 or not self._any_due(kinds):
            return []
        with self._database.writing() as connection:
            for kind in kinds:
                if jobs := _take(connection, kind, limit, lease, owner):
                    return jobs
        return []

    def _any_due(self, kinds: Sequence[JobKind]) -> bool:
        """Look without the writer's lock: idle workers must not hold up those who write."""
        moment = now()
        with self._database.reading() as connection:
            return any(_first_due(connection, kind, moment) for kind in kinds)

    def extend(self, jobs: Sequence[Job], lease: timedelta) -> None:
        self._update(_EXTEND, jobs, to_microseconds(now() + lease))

    def complete(self, jobs: Sequence[Job]) -> None:
        self._update(_DELETE, [job for job in jobs if job.kind in PASSING_JOBS])
        self._update(_FINISH, [job for job in jobs if job.kind not in PASSING_JOBS])

    def retry(self, jobs: Sequence[Job], error: str, not_before: datetime) -> None:
        self._update(_RETRY, jobs, to_microseconds(not_before), error)

    def fail(self, jobs: Sequence[Job], error: str) -> None:
        self._update(_FAIL, jobs, error)

    def queue_failed(self) -> int:
        with self._database.writing() as connection:
            return connection.execute(_QUEUE_FAILED).rowcount

    def job_counts(self, project_id: str | None = None) -> JobCounts:
        where, parameters = ("", ()) if project_id is None else ("WHERE project_id = ?", (project_id,))
        sql = f"SELECT state, count(*) FROM jobs {where} GROUP BY state"
        with self._database.reading() as connection:
            found: dict[str, int] = dict(connection.execute(sql, parameters).fetchall())
        return JobCounts(found.get("pending", 0) + found.get("running", 0), found.get("failed", 0))

    def job_reports(self, project_id: str, artifact_id: str) -> list[JobReport]:
        sql = "SELECT kind, state, attempts, error FROM jobs WHERE project_id = ? AND artifact_id = ? ORDER BY kind"
        with self._database.reading() as connection:
            return [JobReport(*row) for row in connection.execute(sql, (project_id, artifact_id))]

    def _update(self, sql: str, jobs: Sequence[Job], *values: str | int) -> None:
        if jobs:
            with self._database.writing() as connection:
                rows = [(*values, job.id, job.lease_owner, job.attempts) for job in jobs]
                connection.executemany(sql, rows)


def _first_due(connection: sqlite3.Connection, kind: JobKind, moment: datetime) -> tuple[str] | None:
    parameters = (kind, to_microseconds(moment), to_microseconds(moment + FARTHEST_DUE))
    found: tuple[str] | None = connection.execute(_FIRST_DUE, parameters).fetchone()
    return found


def _take(connection: sqlite3.Connection, kind: JobKind, limit: int, lease: timedelta, owner: str) -> list[Job]:
    moment = now()
    first = _first_due(connection, kind, moment)
    if first is None:
        return []
    due = {"now": to_microseconds(moment), "farthest": to_microseconds(moment + FARTHEST_DUE)}
    parameters = due | {"kind": kind, "project_id": first[0], "limit": limit, "owner": owner}
    jobs = [Job(*row) for row in connection.execute(_DUE, parameters)]
    until = to_microseconds(moment + lease)
    connection.executemany(_TAKE, [(until, owner, job.id) for job in jobs])
    return jobs
