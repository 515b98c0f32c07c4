"""`Runs` on SQLite: what extractors found in items, and the knowledge that was there before."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from core.knowledge.findings import IN_TEXT, Entity, Knowledge, Mention
from core.knowledge.runs import ExtractionResult, Findings, KnowledgeSnapshot, Run
from core.transfer import KeptReading
from graph import json_codec
from graph.sqlite_store.database.connection import Database
from graph.sqlite_store.database.rows import NAMED, as_events, by_column, id_list
from graph.sqlite_store.ledger import SqliteLedgerWriter
from graph.timestamps import from_microseconds, to_microseconds
from graph.writers.knowledge_writer import AnnotationWriter

_PUT: Final = """
INSERT INTO runs (project_id, id, extractor, scope, state, started_at, ended_at, tally)
VALUES (:project_id, :id, :extractor, :scope, :state, :started_at, :ended_at, :tally)
ON CONFLICT (project_id, id) DO UPDATE SET state = excluded.state, ended_at = excluded.ended_at, tally = excluded.tally
"""
_RUNS: Final = """
SELECT id, project_id, extractor, scope, started_at, state, ended_at, tally FROM runs WHERE project_id = :project_id
"""
_ITEMS: Final = f"SELECT a.id, a.item FROM {NAMED} WHERE a.project_id = :project_id ORDER BY a.item"
_CURRENT_ITEM: Final = "SELECT num_chunks FROM artifacts WHERE project_id = ? AND id = ? AND replaced_by IS NULL"
_PUT_READING: Final = """
INSERT INTO readings (run, item, waits, finished, found, standing)
SELECT number, :item, :waits, :finished, :found, :standing FROM runs WHERE project_id = :project_id AND id = :run_id
ON CONFLICT (item, run) DO UPDATE SET found = coalesce(iif(:replaces, NULL, found), excluded.found) RETURNING run
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
_ANNOTATIONS: Final = """
SELECT a.id AS artifact_id, r.id, r.extractor, d.found
FROM artifacts a JOIN readings d ON d.item = a.item JOIN runs r ON r.number = d.run
WHERE a.project_id = :project_id AND a.id IN (SELECT value FROM json_each(:ids)) AND d.found IS NOT NULL
    AND r.state NOT IN ('rolling_back', 'rolled_back') AND r.extractor = 'given'
ORDER BY r.number
"""
_UNREAD_LANGUAGE: Final = "SELECT unread_language FROM lessons WHERE item = ?"
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
WHERE k.item = ? ORDER BY 1, k.main > 0 DESC, k.name
"""
_NAMED_ENTITIES: Final = f"""
SELECT a.id, coalesce(nullif(k.original, ''), n.id), coalesce(k.type, e.type), k.name, k.main, k.role, k.organization,
    k.reason
FROM {NAMED} CROSS JOIN claims k ON k.item = a.item
    JOIN entities e ON e.node = k.entity JOIN nodes n ON n.node = k.entity
WHERE a.project_id = :project_id ORDER BY a.item, 2, k.main > 0 DESC, k.name
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
    """Fulfils `graph.protocols.knowledge.Runs`."""

    _database: Database

    def runs(self, project_id: str, limit: int) -> list[Run]:
        rows = self._select(f"{_RUNS} ORDER BY number DESC LIMIT :limit", project_id=project_id, limit=limit)
        return [_run(row) for row in rows]

    def run_items(self, project_id: str, run_id: str) -> dict[str, bool]:
        return {
            row["id"]: bool(row["finished"]) for row in self._select(_READINGS, project_id=project_id, run_id=run_id)
        }

    def latest_extraction(self, project_id: str, artifact_id: str) -> ExtractionResult | None:
        return next(map(_reading, self._select(_READING, project_id=project_id, id=artifact_id)), None)

    def snapshot_before(self, project_id: str, run_id: str, artifact_id: str) -> KnowledgeSnapshot | None:
        rows = self._select(_STANDING, project_id=project_id, run_id=run_id, id=artifact_id)
        return next(
            (KnowledgeSnapshot(json_codec.knowledge(row["standing"]), bool(row["waits"])) for row in rows), None
        )

    def delete_extractions(self, project_id: str, run_id: str) -> None:
        with self._database.writing() as connection:
            connection.execute(_DROP, {"project_id": project_id, "run_id": run_id})

    def later_runs(self, project_id: str, run_id: str) -> list[str]:
        return [row["id"] for row in self._select(_AFTER, project_id=project_id, run_id=run_id)]

    def named_entities(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, tuple[Entity, ...]]:
        with self._database.reading() as connection:
            rows = connection.execute(_NAMED_ENTITIES, {"project_id": project_id, "ids": id_list(artifact_ids)})
            return {id_: _entities(row[1:] for row in several) for id_, several in groupby(rows, itemgetter(0))}

    def changed_since(self, project_id: str, moment: datetime) -> bool:
        return bool(self._select(_CHANGED_SINCE, project_id=project_id, moment=to_microseconds(moment)))

    def cached_findings(self, project_id: str, artifact_id: str) -> list[Findings]:
        return [json_codec.findings(row) for row in self._select(_FINDINGS, project_id=project_id, id=artifact_id)]

    def _select(self, sql: str, **parameters: object) -> list[dict[str, Any]]:
        with self._database.reading() as connection:
            return by_column(connection.execute(sql, parameters))


class SqliteAnnotationWriter(SqliteLedgerWriter, AnnotationWriter):
    """Fulfils `graph.writers.knowledge_writer.AnnotationWriter`."""

    def stored_run(self, run_id: str) -> Run | None:
        asked = {"project_id": self.project_id, "id": run_id}
        return next(map(_run, by_column(self._connection.execute(f"{_RUNS} AND id = :id", asked))), None)

    def put_run(self, run: Run) -> None:
        times = {"started_at": to_microseconds(run.started), "ended_at": to_microseconds(run.ended)}
        ids = {"id": run.id, "project_id": run.project_id}
        self._connection.execute(_PUT, json_codec.run_fields(run) | ids | times)

    def put_findings(self, artifact_id: str, findings: Findings) -> None:
        place = {"project_id": self.project_id, "id": artifact_id}
        self._connection.execute(_KEEP_FINDINGS, place | json_codec.findings_fields(findings))

    def _chunks_of_current(self, artifact_id: str) -> int | None:
        row = self._connection.execute(_CURRENT_ITEM, (self.project_id, artifact_id)).fetchone()
        return None if row is None else int(row[0])

    def annotations(self, artifact_ids: Sequence[str]) -> dict[str, list[ExtractionResult]]:
        found: dict[str, list[ExtractionResult]] = {}
        asked = {"project_id": self.project_id, "ids": id_list(artifact_ids)}
        for row in by_column(self._connection.execute(_ANNOTATIONS, asked)):
            found.setdefault(row["artifact_id"], []).append(_reading(row))
        return found

    def artifact_knowledge(self, artifact_ids: Sequence[str]) -> dict[str, Knowledge]:
        asked = {"project_id": self.project_id, "ids": id_list(artifact_ids)}
        return {
            id_: _artifact_knowledge(self._connection, item, id_)
            for id_, item in self._connection.execute(_ITEMS, asked)
        }

    def _put_reading(self, artifact_id: str, reading: KeptReading, *, replaces: bool) -> bool:
        fields = json_codec.reading_fields(reading) | {"project_id": self.project_id, "replaces": replaces}
        rows = [fields | {"item": item} for item in self.items([artifact_id])]
        return any(self._connection.execute(_PUT_READING, row).fetchall() for row in rows)

    def _finish_reading(self, run_id: str, artifact_id: str) -> None:
        self._connection.execute(_FINISH, {"project_id": self.project_id, "run_id": run_id, "id": artifact_id})

    def _drop_readings(self, artifact_ids: Sequence[str]) -> None:
        for table in ("readings", "findings"):
            rows = [(item,) for item in self.items(artifact_ids)]
            self._connection.executemany(f"DELETE FROM {table} WHERE item = ?", rows)


def _reading(row: Mapping[str, Any]) -> ExtractionResult:
    return ExtractionResult(row["id"], row["extractor"], json_codec.extraction(row["found"]))


def _run(row: Mapping[str, Any]) -> Run:
    ended = from_microseconds(row["ended_at"])
    return json_codec.run(row, started=from_microseconds(row["started_at"]), ended=ended)


def _artifact_knowledge(connection: sqlite3.Connection, item: int, artifact_id: str) -> Knowledge:
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
            further.append(Entity(id_, name, type_, (), role, organization, weight=main if main > IN_TEXT else None))
        else:
            entities[id_] = Entity(id_, name, type_, (), role, organization, weight=main if main > IN_TEXT else None)
    first = (
        replace(one, aliases=tuple(aliases.get(id_, ())), reasons=tuple(reasons[id_]) if id_ in reasons else None)
        for id_, one in entities.items()
    )
    return (*first, *further)
