"""`Runs` on SQLite: what extractors found in items, and the knowledge that was there before."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from core.errors import InvalidInput
from core.knowledge.annotations import annotations_in, merged_annotations
from core.knowledge.findings import Entity, Extraction, Knowledge, Mention
from core.knowledge.runs import CallerAnnotations, ExtractionResult, Findings, KnowledgeSnapshot, Run
from core.records import ANNOTATION_JOBS
from core.transfer import KeptItem, Outcome
from graph import knowledge_codec, run_codec
from graph.sqlite_store.database.connections import Database
from graph.sqlite_store.database.filters import id_list
from graph.sqlite_store.database.job_queue import put_job
from graph.sqlite_store.database.rows import as_events, by_column
from graph.sqlite_store.knowledge.ledger import links_of
from graph.timestamps import from_microseconds, to_microseconds

_PUT: Final = """
INSERT INTO runs (project_id, id, extractor, scope, state, started_at, ended_at, tally)
VALUES (:project_id, :id, :extractor, :scope, :state, :started_at, :ended_at, :tally)
ON CONFLICT (project_id, id) DO UPDATE SET state = excluded.state, ended_at = excluded.ended_at, tally = excluded.tally
"""
_RUNS: Final = """
SELECT id, project_id, extractor, scope, started_at, state, ended_at, tally FROM runs WHERE project_id = :project_id
"""
_ITEM: Final = "SELECT item FROM artifacts WHERE project_id = ? AND id = ?"
_CURRENT_ITEM: Final = """
SELECT item, num_chunks FROM artifacts WHERE project_id = ? AND id = ? AND replaced_by IS NULL
"""
_KEEP: Final = """
INSERT INTO readings (run, item, waits, found, standing)
SELECT number, :item, :waits, :found, :standing FROM runs WHERE project_id = :project_id AND id = :run_id
ON CONFLICT (item, run) DO UPDATE SET found = coalesce(found, excluded.found)
"""
_PUT_READING: Final = """
INSERT INTO readings (run, item, waits, finished, found, standing)
SELECT number, :item, :waits, :finished, :found, :standing FROM runs WHERE project_id = :project_id AND id = :run_id
"""
_OF_RUN: Final = """
FROM readings d JOIN runs r ON r.number = d.run JOIN artifacts a ON a.item = d.item
WHERE r.project_id = :project_id AND r.id = :run_id
"""
_FINISH: Final = f"UPDATE readings SET finished = 1 WHERE id = (SELECT d.id {_OF_RUN} AND a.id = :id)"
_DROP: Final = """
DELETE FROM readings WHERE run = (SELECT number FROM runs WHERE project_id = :project_id AND id = :run_id)
"""
_READINGS: Final = f"SELECT a.id, d.finished {_OF_RUN} ORDER BY a.item"
_STANDING: Final = f"SELECT d.standing, d.waits {_OF_RUN} AND a.id = :id"
_READING: Final = """
SELECT r.id, r.extractor, d.found FROM artifacts a JOIN readings d ON d.item = a.item JOIN runs r ON r.number = d.run
WHERE a.project_id = :project_id AND a.id = :id AND d.found IS NOT NULL
    AND r.state NOT IN ('rolling_back', 'rolled_back') AND r.extractor <> 'given'
ORDER BY r.number DESC LIMIT 1
"""
_ANNOTATIONS_OF: Final = """
SELECT a.id AS artifact_id, r.id, r.extractor, d.found
FROM artifacts a JOIN readings d ON d.item = a.item JOIN runs r ON r.number = d.run
WHERE a.project_id = :project_id AND a.id IN (SELECT value FROM json_each(:ids)) AND d.found IS NOT NULL
    AND r.state NOT IN ('rolling_back', 'rolled_back') AND r.extractor = 'given'
ORDER BY r.number
"""
_ANNOTATIONS: Final = """
SELECT r.id, r.state, d.found FROM readings d JOIN runs r ON r.number = d.run
WHERE d.item = ? AND r.extractor = 'given' ORDER BY r.number
"""
_PUT_ANNOTATIONS: Final = """
INSERT INTO readings (run, item, waits, finished, found, standing)
SELECT number, :item, :waits, 1, :found, :standing FROM runs WHERE project_id = :project_id AND id = :run_id
ON CONFLICT (item, run) DO UPDATE SET found = excluded.found
"""
_UNREAD_LANGUAGE: Final = "SELECT unread_language FROM lessons WHERE item = ?"
_WAITS: Final = """
SELECT EXISTS (SELECT 1 FROM jobs WHERE project_id = ? AND artifact_id = ? AND kind = 'extract' AND state <> 'done')
"""
_AFTER: Final = """
SELECT later.id FROM runs later WHERE later.project_id = :project_id AND later.state <> 'rolled_back'
    AND later.number > (SELECT number FROM runs WHERE project_id = :project_id AND id = :run_id)
    AND EXISTS (
        SELECT 1 FROM readings theirs JOIN readings ours ON ours.item = theirs.item
        WHERE theirs.run = later.number
            AND ours.run = (SELECT number FROM runs WHERE project_id = :project_id AND id = :run_id))
ORDER BY later.number DESC
"""
_CLAIMS: Final = """
SELECT coalesce(nullif(k.original, ''), n.id), coalesce(k.type, e.type), k.name, k.main, k.role, k.organization,
    k.reason
FROM claims k JOIN entities e ON e.node = k.entity JOIN nodes n ON n.node = k.entity
WHERE k.item = ? ORDER BY 1, k.main DESC, k.name
"""
_MENTIONS: Final = """
SELECT coalesce(nullif(m.original, ''), n.id), m.start_char, m.end_char
FROM mentions m JOIN nodes n ON n.node = m.entity WHERE m.item = ? ORDER BY 2, 3, 1
"""
_EVENTS: Final = """
SELECT e.node, e.id, e.category, e.summary, e.confidence, e.event_time, e.due, e.first_status, e.origin, e.bears_on,
    e.time_offset, e.due_offset
FROM events e WHERE e.node IN (SELECT event FROM evidence WHERE item = ?) ORDER BY e.id
"""
_PARTICIPANTS: Final = """
SELECT p.event, coalesce(nullif(p.original, ''), n.id), p.relation, e.name, p.role, ''
FROM participants p JOIN nodes n ON n.node = p.entity JOIN entities e ON e.node = p.entity
WHERE p.event IN (SELECT event FROM evidence WHERE item = ?) ORDER BY p.event, p.position
"""
_EVIDENCE: Final = """
SELECT v.event, a.id, v.quote, v.start_char, v.end_char FROM evidence v JOIN artifacts a ON a.item = v.item
WHERE v.item = ? ORDER BY v.event, v.position
"""
_CHANGED_SINCE: Final = """
SELECT 1 FROM artifacts WHERE project_id = :project_id AND max(created_at, updated_at) > :moment LIMIT 1
"""
_KEEP_FINDINGS: Final = """
INSERT OR REPLACE INTO findings (item, extractor, proposed, text_hash, found)
SELECT item, :extractor, :proposed, :text_hash, :found FROM artifacts WHERE project_id = :project_id AND id = :id
"""
_FINDINGS: Final = """
SELECT f.extractor, f.text_hash, f.found, f.proposed FROM artifacts a JOIN findings f ON f.item = a.item
WHERE a.project_id = :project_id AND a.id = :id ORDER BY f.id
"""


class SqliteRuns:
    """Fulfils `graph.protocols.runs.Runs`."""

    _database: Database

    def put_run(self, run: Run) -> None:
        with self._database.writing() as connection:
            connection.execute(_PUT, _columns(run))

    def run(self, project_id: str, run_id: str) -> Run | None:
        rows = self._select(f"{_RUNS} AND id = :run_id", project_id=project_id, run_id=run_id)
        return _run(rows[0]) if rows else None

    def runs(self, project_id: str, limit: int) -> list[Run]:
        rows = self._select(f"{_RUNS} ORDER BY number DESC LIMIT :limit", project_id=project_id, limit=limit)
        return [_run(row) for row in rows]

    def save_extraction(self, run: Run, artifact_id: str, found: Extraction | None, *, waits: bool) -> bool:
        place = {"project_id": run.project_id, "run_id": run.id}
        with self._database.writing() as connection:
            item = _item(connection, run.project_id, artifact_id)
            if item is None:
                return False
            standing = _standing(connection, run.project_id, item, artifact_id)
            fields = run_codec.reading_fields(found, standing, waits=waits, finished=False)
            connection.execute(_KEEP, place | fields | {"item": item})
            rows = connection.execute(f"SELECT 1 {_OF_RUN} AND a.id = :id", place | {"id": artifact_id})
            return rows.fetchone() is not None

    def finish_extraction(self, run: Run, artifact_id: str) -> None:
        with self._database.writing() as connection:
            connection.execute(_FINISH, {"project_id": run.project_id, "run_id": run.id, "id": artifact_id})
            connection.execute(_PUT, _columns(run))

    def run_items(self, project_id: str, run_id: str) -> dict[str, bool]:
        return {
            row["id"]: bool(row["finished"]) for row in self._select(_READINGS, project_id=project_id, run_id=run_id)
        }

    def latest_extraction(self, project_id: str, artifact_id: str) -> ExtractionResult | None:
        return next(map(_reading, self._select(_READING, project_id=project_id, id=artifact_id)), None)

    def annotations(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, list[ExtractionResult]]:
        found: dict[str, list[ExtractionResult]] = {}
        for row in self._select(_ANNOTATIONS_OF, project_id=project_id, ids=id_list(artifact_ids)):
            found.setdefault(row["artifact_id"], []).append(_reading(row))
        return found

    def annotate(self, project_id: str, artifact_id: str, annotations: CallerAnnotations) -> bool:
        with self._database.writing() as connection:
            row = connection.execute(_CURRENT_ITEM, (project_id, artifact_id)).fetchone()
            if row is None or not save_annotations(connection, row[0], artifact_id, annotations):
                return False
            for kind in ANNOTATION_JOBS:
                put_job(connection, project_id, artifact_id, kind, row[1])
            return True

    def snapshot_before(self, project_id: str, run_id: str, artifact_id: str) -> KnowledgeSnapshot | None:
        rows = self._select(_STANDING, project_id=project_id, run_id=run_id, id=artifact_id)
        return next(
            (KnowledgeSnapshot(knowledge_codec.knowledge(row["standing"]), bool(row["waits"])) for row in rows), None
        )

    def delete_extractions(self, project_id: str, run_id: str) -> None:
        with self._database.writing() as connection:
            connection.execute(_DROP, {"project_id": project_id, "run_id": run_id})

    def later_runs(self, project_id: str, run_id: str) -> list[str]:
        return [row["id"] for row in self._select(_AFTER, project_id=project_id, run_id=run_id)]

    def artifact_knowledge(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, Knowledge]:
        sql = (
            "SELECT id, item FROM artifacts"
            " WHERE project_id = :project_id AND id IN (SELECT value FROM json_each(:ids)) ORDER BY item"
        )
        with self._database.reading() as connection:
            rows = connection.execute(sql, {"project_id": project_id, "ids": id_list(artifact_ids)}).fetchall()
            return {id_: _lesson(connection, item, id_) for id_, item in rows}

    def changed_since(self, project_id: str, moment: datetime) -> bool:
        return bool(self._select(_CHANGED_SINCE, project_id=project_id, moment=to_microseconds(moment)))

    def cache_findings(self, project_id: str, artifact_id: str, findings: Findings) -> None:
        place = {"project_id": project_id, "id": artifact_id}
        with self._database.writing() as connection:
            connection.execute(_KEEP_FINDINGS, place | run_codec.findings_fields(findings))

    def cached_findings(self, project_id: str, artifact_id: str) -> list[Findings]:
        return [run_codec.findings(row) for row in self._select(_FINDINGS, project_id=project_id, id=artifact_id)]

    def _select(self, sql: str, **parameters: object) -> list[dict[str, Any]]:
        with self._database.reading() as connection:
            return by_column(connection.execute(sql, parameters))


def keep_run(connection: sqlite3.Connection, project_id: str, run: Run) -> Outcome:
    """Store a run if none has its id."""
    known = connection.execute("SELECT 1 FROM runs WHERE project_id = ? AND id = ?", (project_id, run.id)).fetchone()
    if known is not None:
        return "unchanged"
    connection.execute(_PUT, _columns(replace(run, project_id=project_id)))
    return "stored"


def _reading(row: Mapping[str, Any]) -> ExtractionResult:
    return ExtractionResult(row["id"], row["extractor"], knowledge_codec.extraction(row["found"]))


def keep_readings(connection: sqlite3.Connection, item: int, record: KeptItem) -> None:
    """Keep what runs keep of an item, and what extractors found in it, in place of what was kept of it."""
    project_id = record.artifact.project_id
    connection.execute("DELETE FROM readings WHERE item = ?", (item,))
    connection.execute("DELETE FROM findings WHERE item = ?", (item,))
    for reading in record.readings:
        fields = run_codec.reading_fields(
            reading.found, reading.standing, waits=reading.waits, finished=reading.finished
        )
        place = {"project_id": project_id, "run_id": reading.run_id, "item": item}
        if connection.execute(_PUT_READING, place | fields).rowcount != 1:
            raise InvalidInput(
                f"The item {record.artifact.id!r} was read by run {reading.run_id!r}, which is not here."
            )
    for findings in record.findings:
        place = {"project_id": project_id, "id": record.artifact.id}
        connection.execute(_KEEP_FINDINGS, place | run_codec.findings_fields(findings))


def save_annotations(
    connection: sqlite3.Connection, item: int, artifact_id: str, annotations: CallerAnnotations
) -> bool:
    """Keep what a caller gives of an item as a reading of its run; return whether it says anything new."""
    run = annotations.run
    before = [(row[0], knowledge_codec.extraction(row[2])) for row in _annotations(connection, item)]
    found = [one for _, one in before]
    if merged_annotations([*found, annotations.found]) == merged_annotations(found):
        return False
    again = [one for id_, one in before if id_ == run.id]
    stored = connection.execute(f"{_RUNS} AND id = :id", {"project_id": run.project_id, "id": run.id})
    for row in by_column(stored):
        run = replace(run, tally=_run(row).tally + replace(run.tally, items=0 if again else run.tally.items))
    connection.execute(_PUT, _columns(run))
    waits = bool(connection.execute(_WAITS, (run.project_id, artifact_id)).fetchone()[0])
    standing = _standing(connection, run.project_id, item, artifact_id)
    fields = run_codec.reading_fields(
        merged_annotations([*again, annotations.found]), standing, waits=waits, finished=True
    )
    connection.execute(_PUT_ANNOTATIONS, {"project_id": run.project_id, "run_id": run.id, "item": item} | fields)
    return True


def copy_annotations(connection: sqlite3.Connection, project_id: str, former: int, item: int, content: str) -> None:
    """Keep for an item what was given of the one that it replaces, as far as it holds for its content."""
    known = {row[0] for row in _annotations(connection, item)}
    for run_id, _, text in _annotations(connection, former):
        found = annotations_in(knowledge_codec.extraction(text), content)
        if run_id not in known and (found.events or found.entities):
            fields = run_codec.reading_fields(found, Knowledge(), waits=True, finished=True)
            connection.execute(_PUT_ANNOTATIONS, {"project_id": project_id, "run_id": run_id, "item": item} | fields)


def _annotations(connection: sqlite3.Connection, item: int) -> list[tuple[str, str, str]]:
    """Return the runs by which something was given of an item, earliest first, their states, and what."""
    rows = connection.execute(_ANNOTATIONS, (item,)).fetchall()
    return [row for row in rows if row[1] not in ("rolling_back", "rolled_back") and row[2] is not None]


def _item(connection: sqlite3.Connection, project_id: str, artifact_id: str) -> int | None:
    row = connection.execute(_ITEM, (project_id, artifact_id)).fetchone()
    return None if row is None else int(row[0])


def _columns(run: Run) -> dict[str, Any]:
    return run_codec.run_fields(run) | {
        "id": run.id,
        "project_id": run.project_id,
        "started_at": to_microseconds(run.started),
        "ended_at": to_microseconds(run.ended),
    }


def _run(row: Mapping[str, Any]) -> Run:
    ended = from_microseconds(row["ended_at"])
    return run_codec.run(row, started=from_microseconds(row["started_at"]), ended=ended)


def _standing(connection: sqlite3.Connection, project_id: str, item: int, artifact_id: str) -> Knowledge:
    """Return the knowledge of an artifact with the links of its events."""
    lesson = _lesson(connection, item, artifact_id)
    return replace(lesson, links=tuple(links_of(connection, project_id, [event.id for event in lesson.events])))


def _lesson(connection: sqlite3.Connection, item: int, artifact_id: str) -> Knowledge:
    mentions = (Mention(row[0], artifact_id, row[1], row[2]) for row in connection.execute(_MENTIONS, (item,)))
    events, parts, proofs = (connection.execute(sql, (item,)) for sql in (_EVENTS, _PARTICIPANTS, _EVIDENCE))
    entities = _entities(connection.execute(_CLAIMS, (item,)))
    unread = connection.execute(_UNREAD_LANGUAGE, (item,)).fetchone()
    known = tuple(as_events(events, parts, proofs).values())
    return Knowledge(entities, tuple(mentions), known, unread[0] if unread else None)


def _entities(rows: Iterable[Sequence[Any]]) -> tuple[Entity, ...]:
    """Return what an artifact calls its entities: their rows together, names before aliases."""
    entities: dict[str, Entity] = {}
    further: list[Entity] = []
    aliases: dict[str, list[str]] = {}
    reasons: dict[str, list[tuple[str, str]]] = {}
    for id_, type_, name, main, role, organization, reason in rows:
        if reason is not None:
            reasons.setdefault(id_, []).append((name, reason))
        if not main:
            aliases.setdefault(id_, []).append(name)
        elif id_ in entities:
            further.append(Entity(id_, name, type_, (), role, organization))
        else:
            entities[id_] = Entity(id_, name, type_, (), role, organization)
    first = (
        replace(one, aliases=tuple(aliases.get(id_, ())), reasons=tuple(reasons[id_]) if id_ in reasons else None)
        for id_, one in entities.items()
    )
    return (*first, *further)
