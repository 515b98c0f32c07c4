"""`Transfer` on SQLite: reading everything a project holds, and putting it into another record."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, assert_never

from core.interface.audit import import_entries
from core.knowledge.findings import EventLink
from core.knowledge.identities import MergeCandidate, MergeDecision
from core.knowledge.ledger import Resolution
from core.knowledge.runs import Run
from core.transfer import KeptEchoes, KeptItem, KeptResolution, Outcome, Record
from graph import run_codec
from graph.sqlite_store.database.audit_trail import write_entries
from graph.sqlite_store.database.backup import back_up
from graph.sqlite_store.database.filters import id_list
from graph.sqlite_store.database.rows import ARTIFACTS, artifact, by_column
from graph.sqlite_store.knowledge.identities import SqliteIdentities, import_decision, import_merge_candidate
from graph.sqlite_store.knowledge.runs import SqliteRuns, keep_run
from graph.sqlite_store.knowledge.statuses import refresh_statuses
from graph.sqlite_store.transfer.item_copy import keep_item
from graph.timestamps import from_microseconds, to_microseconds

#: Runs of one project: all of them.
_ALL: Final = -1
_ITEMS: Final = "SELECT item, id FROM artifacts WHERE project_id = ? AND item > ? ORDER BY item LIMIT 1000"
_ITEM: Final = f"{ARTIFACTS} WHERE a.item = ?"
_WAITS: Final = """
SELECT EXISTS (SELECT 1 FROM jobs
    WHERE project_id = ? AND artifact_id = ? AND kind = 'extract' AND state <> 'done')
"""
# A saying that a revision had first has the time of that revision.
_SAYINGS: Final = """
SELECT s.hash, s.since, a.happened_at FROM sayings s JOIN artifacts a ON a.item = s.item
WHERE s.item = ? ORDER BY s.hash
"""
_READINGS: Final = """
SELECT r.id AS run_id, d.found, d.standing, d.waits, d.finished FROM readings d JOIN runs r ON r.number = d.run
WHERE d.item = ? ORDER BY r.number
"""
_LINKS: Final = """
SELECT s.id, t.id, l.relation, l.confidence
FROM events s JOIN event_links l ON l.source = s.node JOIN events t ON t.node = l.target
WHERE s.project_id = ? ORDER BY 1, 2, 3
"""
_RESOLUTIONS: Final = """
SELECT event_id, status, at, note, artifact_id FROM resolutions WHERE project_id = ? ORDER BY at, event_id, number
"""
_MERGE_CANDIDATES: Final = """
SELECT min(a.id, b.id), max(a.id, b.id), l.confidence, l.reason
FROM likenesses l JOIN nodes a ON a.node = l.one JOIN nodes b ON b.node = l.other
WHERE l.project_id = ? ORDER BY 1, 2
"""
_ECHOES: Final = """
SELECT a.id, json_group_array(o.id) FROM echoes e
JOIN artifacts a ON a.item = e.item JOIN artifacts o ON o.item = e.origin
WHERE a.project_id = ? GROUP BY a.item ORDER BY a.item
"""
_PUT_LINK: Final = """
INSERT OR IGNORE INTO event_links (source, target, relation, confidence)
SELECT s.node, t.node, :relation, :confidence FROM nodes s JOIN events se ON se.node = s.node, nodes t
JOIN events te ON te.node = t.node
WHERE s.project_id = :project_id AND s.id = :source AND t.project_id = :project_id AND t.id = :target
"""
_EVENT: Final = "SELECT e.node FROM events e WHERE e.node = (SELECT node FROM nodes WHERE project_id = ? AND id = ?)"
_PUT_RESOLUTION: Final = """
INSERT INTO resolutions (project_id, event_id, artifact_id, status, at, note)
SELECT :project_id, :event_id, :artifact_id, :status, :at, :note WHERE NOT EXISTS (
    SELECT 1 FROM resolutions WHERE project_id = :project_id AND event_id = :event_id AND at = :at
        AND status = :status AND note IS :note)
"""
_PUT_ECHOES: Final = """
INSERT OR IGNORE INTO echoes (item, origin) SELECT a.item, o.item FROM artifacts a, json_each(:origins) w
JOIN artifacts o ON o.project_id = :project_id AND o.id = w.value
WHERE a.project_id = :project_id AND a.id = :id AND o.item <> a.item
"""


class SqliteTransfer(SqliteIdentities, SqliteRuns):
    """Fulfils `graph.protocols.transfer.Transfer`."""

    def export_records(self, project_id: str) -> Iterator[Record]:
        yield from reversed(self.runs(project_id, _ALL))
        yield from self.merge_decisions(project_id)
        yield from self._items(project_id)
        yield from self._each(_LINKS, project_id, lambda row: EventLink(*row))
        yield from self._each(_RESOLUTIONS, project_id, _resolution)
        yield from self._each(_MERGE_CANDIDATES, project_id, lambda row: MergeCandidate(*row))
        yield from self._each(_ECHOES, project_id, lambda row: KeptEchoes(row[0], tuple(sorted(json.loads(row[1])))))

    def count_items(self, project_id: str) -> int:
        with self._database.reading() as connection:
            sql = "SELECT count(*) FROM artifacts WHERE project_id = ?"
            return int(connection.execute(sql, (project_id,)).fetchone()[0])

    def import_records(self, project_id: str, records: Sequence[Record]) -> list[Outcome]:
        with self._database.writing() as connection:
            outcomes = [_keep(connection, project_id, record) for record in records]
            write_entries(connection, import_entries(project_id, records, outcomes))
            return outcomes

    def backup(self, path: Path) -> None:
        back_up(self._database.path, path)

    def _each(self, sql: str, project_id: str, made: Callable[[Sequence[Any]], Record]) -> Iterator[Record]:
        with self._database.reading() as connection:
            for row in connection.execute(sql, (project_id,)):
                yield made(row)

    def _items(self, project_id: str) -> Iterator[KeptItem]:
        last = -1
        while page := self._page(project_id, last):
            for item, id_ in page:
                if (kept := self._item(project_id, item, id_)) is not None:
                    yield kept
            last = page[-1][0]

    def _page(self, project_id: str, last: int) -> list[tuple[int, str]]:
        with self._database.reading() as connection:
            return connection.execute(_ITEMS, (project_id, last)).fetchall()

    def _item(self, project_id: str, item: int, id_: str) -> KeptItem | None:
        """Return all that is kept of an item; None if it was removed meanwhile."""
        lessons, findings = self.artifact_knowledge(project_id, [id_]), self.cached_findings(project_id, id_)
        with self._database.reading() as connection:
            row = connection.execute(_ITEM, (item,)).fetchone()
            waits = connection.execute(_WAITS, (project_id, id_)).fetchone()[0]
            readings = by_column(connection.execute(_READINGS, (item,)))
            sentence_hashes = connection.execute(_SAYINGS, (item,)).fetchall()
        if row is None or id_ not in lessons:
            return None
        return KeptItem(
            artifact=artifact(row),
            knowledge=lessons[id_],
            waits=bool(waits),
            readings=tuple(map(run_codec.reading, readings)),
            findings=tuple(findings),
            sentence_hashes=_inherited(sentence_hashes),
        )


def _inherited(rows: Sequence[Any]) -> tuple[tuple[int, datetime], ...] | None:
    return (
        tuple((sentence_hash, from_microseconds(since)) for sentence_hash, since, own in rows if since != own)
        if rows
        else None
    )


def _resolution(row: Sequence[Any]) -> KeptResolution:
    return KeptResolution(Resolution(row[0], row[1], from_microseconds(row[2]), row[3]), row[4])


def _keep(connection: sqlite3.Connection, project_id: str, record: Record) -> Outcome:
    match record:
        case KeptItem():
            return keep_item(connection, project_id, record)
        case Run():
            return keep_run(connection, project_id, record)
        case MergeDecision():
            return import_decision(connection, project_id, record)
        case EventLink():
            return _keep_link(connection, project_id, record)
        case KeptResolution():
            return _keep_resolution(connection, project_id, record)
        case MergeCandidate():
            return import_merge_candidate(connection, project_id, record)
        case KeptEchoes():
            place = {"project_id": project_id, "id": record.artifact_id, "origins": id_list(record.origins)}
            return _stored(connection.execute(_PUT_ECHOES, place).rowcount)
        case _:
            assert_never(record)


def _keep_link(connection: sqlite3.Connection, project_id: str, link: EventLink) -> Outcome:
    values = {"project_id": project_id, "source": link.source, "target": link.target}
    kept = connection.execute(_PUT_LINK, values | {"relation": link.relation, "confidence": link.confidence})
    if kept.rowcount > 0:
        _refresh(connection, project_id, link.target)
    return _stored(kept.rowcount)


def _keep_resolution(connection: sqlite3.Connection, project_id: str, record: KeptResolution) -> Outcome:
    resolution = record.resolution
    values = {
        "project_id": project_id,
        "event_id": resolution.event_id,
        "artifact_id": record.artifact_id,
        "status": resolution.status,
        "at": to_microseconds(resolution.at),
        "note": resolution.note,
    }
    kept = connection.execute(_PUT_RESOLUTION, values)
    if kept.rowcount > 0:
        _refresh(connection, project_id, resolution.event_id)
    return _stored(kept.rowcount)


def _refresh(connection: sqlite3.Connection, project_id: str, event_id: str) -> None:
    refresh_statuses(connection, [row[0] for row in connection.execute(_EVENT, (project_id, event_id))])


def _stored(count: int) -> Outcome:
    return "stored" if count > 0 else "unchanged"
