"""Copies of a project out of the record and into it, and of the whole file."""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from core.errors import Conflict, InvalidInput, NotFound, Unavailable
from core.interface.audit import Act
from core.knowledge.findings import EventLink, Knowledge
from core.knowledge.identities import MergeCandidate
from core.knowledge.ledger import Resolution
from core.knowledge.runs import CallerAnnotations
from core.records import Added, Artifact, Chunk, JobKind
from core.transfer import KeptEchoes, KeptItem, KeptResolution, Record
from graph import json_codec
from graph.atomic_file import sync, write_atomically
from graph.sqlite_store import words_ahead
from graph.sqlite_store.administration import SqliteProjectWriter
from graph.sqlite_store.artifact_knowledge import replace_knowledge
from graph.sqlite_store.database.connection import connect, read_in_batches, translated
from graph.sqlite_store.database.full_text import erase_words
from graph.sqlite_store.database.rows import ARTIFACTS, artifact, by_column, id_list
from graph.sqlite_store.database.schema import MIGRATIONS
from graph.sqlite_store.identities import SqliteIdentities
from graph.sqlite_store.item_writer import SqliteItemWriter, index
from graph.sqlite_store.runs import SqliteRuns
from graph.timestamps import from_microseconds
from graph.writers.indexed_chunks import IndexedChunk
from graph.writers.store_writes import Importer, StoreWrites, T

_MAGIC: Final = b"SQLite format 3\0"
#: Suffixes of the files next to one that is in use, or was not closed.
_LOGS: Final = ("-wal", "-shm", "-journal")


def back_up(source: Path, target: Path) -> None:
    """Do what `graph.protocols.administration.Transfer.backup` promises; `target` is replaced at the end."""
    if target.exists() and target.samefile(source):
        raise InvalidInput(f"{str(target)!r} is the record itself: name another file.")
    with write_atomically(target) as part:
        with translated(source), closing(connect(source)) as connection:
            connection.execute("VACUUM INTO ?", (str(part),))
        _check_whole(part)


@contextmanager
def incoming(source: Path, target: Path) -> Iterator[Path]:
    """Lend the place of a copy of a backup that becomes the record at `target` when the block ends without an error.

    Until then nothing is at `target`; the caller that opens the copy must close it.

    Raises:
        Conflict: there is a record already, another process restores one, or a newer release wrote the backup.
        NotFound: there is no such backup.
        InvalidInput: it is no backup of a record, or damaged.
        Unavailable: it can't be read, or not be copied.
    """
    _check_free(target)
    check_backup(source)
    copy = target.with_name(f"{target.name}.restoring")
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(target.with_name(f"{copy.name}.lock"), timeout=0):
            try:
                _remove(copy)  # left by a process that was killed
                _copy(source, copy)
                yield copy
                sync(copy)
                _check_free(target)
                os.link(copy, target)  # unlike a renaming it fails where somebody else made one meanwhile
                copy.unlink()
                sync(target.parent)
            finally:
                _remove(copy)
    except Timeout as error:
        raise Conflict(f"Another process restores a record at {str(target)!r}: wait until it is done.") from error
    except OSError as error:
        raise Unavailable(f"{str(source)!r} can't be restored to {str(target)!r} ({error}): check the disk.") from error


def check_backup(path: Path) -> None:
    """Make sure that a file is a whole record that this release can open; nothing is written, beside it neither.

    Raises:
        NotFound, InvalidInput, Conflict, Unavailable: as `incoming` has them.
    """
    if not path.is_file():
        raise NotFound(f"There is no backup at {str(path)!r}: name the file that `remembrancer backup` wrote.")
    if any(log.exists() and log.stat().st_size for log in _logs(path)):
        raise InvalidInput(
            f"{str(path)!r} is in use: close the program that has it open, or restore from a backup of it."
        )
    try:
        with path.open("rb") as file:
            is_database = file.read(len(_MAGIC)) == _MAGIC
    except OSError as error:
        raise Unavailable(f"The backup {str(path)!r} can't be read ({error}): check its permissions.") from error
    if not is_database:
        raise InvalidInput(f"{str(path)!r} is not a backup: name the file that `remembrancer backup` wrote.")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)) as connection:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            tables = connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'artifacts'").fetchone()[0]
            found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        raise InvalidInput(f"The backup {str(path)!r} is damaged ({error}): use another one.") from error
    if not (version and tables):
        raise InvalidInput(f"{str(path)!r} is a database, but not a Remembrancer record: name another file.")
    if version > len(MIGRATIONS):
        raise Conflict(
            f"The backup {str(path)!r} has version {version}, and this program knows {len(MIGRATIONS)}: update it."
        )
    if found != "ok":
        raise InvalidInput(f"The backup {str(path)!r} is damaged ({found}): use another one.")


def _check_free(target: Path) -> None:
    for path in (target, *_logs(target)):
        if path.exists():
            raise Conflict(
                f"There is a record already ({str(path)!r}): set REMEMBRANCER_HOME to another folder, or end its "
                "processes and move it away with the files next to it."
            )


def _check_whole(part: Path) -> None:
    """Make a copy one file without a log, and make sure that it is whole."""
    with translated(part), closing(connect(part)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE").fetchone()
        found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        raise Unavailable(f"The copy of the record is damaged ({found}): check the disk and the record, and try again.")


def _copy(source: Path, copy: Path) -> None:
    copy.touch(mode=0o600)
    with source.open("rb") as given, copy.open("wb") as taken:
        shutil.copyfileobj(given, taken, 1 << 20)


def _logs(path: Path) -> list[Path]:
    return [path.with_name(path.name + suffix) for suffix in _LOGS]


def _remove(path: Path) -> None:
    for one in (path, *_logs(path)):
        one.unlink(missing_ok=True)


#: Runs of one project: all of them.
_ALL: Final = -1
_ITEMS: Final = "SELECT item, id FROM artifacts WHERE project_id = ? AND item > ? ORDER BY item LIMIT 1000"
_ITEM: Final = f"{ARTIFACTS} WHERE a.item = ?"
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
_ARTIFACT: Final = f"{ARTIFACTS} WHERE a.project_id = ? AND a.id = ?"
_LEARNT: Final = """
UPDATE jobs SET state = 'done', due_at = NULL WHERE project_id = ? AND artifact_id = ? AND kind = 'extract'
"""
_PUT_ECHOES: Final = """
INSERT OR IGNORE INTO echoes (item, origin) SELECT a.item, o.item FROM artifacts a, json_each(:origins) w
JOIN artifacts o ON o.project_id = :project_id AND o.id = w.value
WHERE a.project_id = :project_id AND a.id = :id AND o.item <> a.item
"""


class SqliteTransfer(SqliteIdentities, SqliteRuns, StoreWrites):
    """Fulfils `graph.protocols.administration.Transfer`."""

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

    def add_all(
        self,
        items: Sequence[tuple[Artifact, Sequence[Chunk]]],
        jobs: Sequence[JobKind],
        annotations: Sequence[CallerAnnotations | None] = (),
    ) -> list[Added]:
        project_id = items[0][0].project_id if items else ""
        with words_ahead.of_added(self._database, project_id, [artifact for artifact, _ in items]):
            return super().add_all(items, jobs, annotations)

    def stash(self, project_id: str, ids: Sequence[str], *, stashed: bool) -> list[str]:
        with words_ahead.of_stashed(self._database, project_id, ids):
            return super().stash(project_id, ids, stashed=stashed)

    def rechunk(self, project_id: str, artifact_id: str, chunks: Sequence[Chunk]) -> None:
        with words_ahead.of_removed(self._database, project_id, [artifact_id]):
            super().rechunk(project_id, artifact_id, chunks)

    def _read(self, project_id: str, work: Callable[[Importer], T]) -> T:
        with self._database.reading() as connection:
            return work(SqliteImporter(connection, project_id))

    def _index(self, project_id: str, chunks: Sequence[Chunk]) -> list[IndexedChunk]:
        return index(project_id, chunks)

    def _write(
        self,
        project_id: str,
        work: Callable[[Importer], T],
        *,
        locks: bool = True,  # noqa: ARG002 - SQLite has one writer at a time
        is_long: bool = False,  # noqa: ARG002
    ) -> T:
        with self._database.writing() as connection:
            return work(SqliteImporter(connection, project_id))

    def redact(self, project_id: str, ids: Sequence[str], records: Sequence[Record], act: Act = "redact") -> None:
        with self._database.writing() as connection:
            SqliteImporter(connection, project_id).replace_items(ids, records, act)
            erase_words(connection)
        self._database.checkpoint()

    def backup(self, path: Path) -> None:
        back_up(self._database.path, path)

    def _each(self, sql: str, project_id: str, made: Callable[[Sequence[Any]], Record]) -> Iterator[Record]:
        with self._database.reading() as connection:
            for row in read_in_batches(connection.execute(sql, (project_id,))):
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
            waits = SqliteProjectWriter(connection, project_id).awaits_extraction(id_)
            readings = by_column(connection.execute(_READINGS, (item,)))
            sentence_hashes = connection.execute(_SAYINGS, (item,)).fetchall()
        if row is None or id_ not in lessons:
            return None
        return KeptItem(
            artifact=artifact(row),
            knowledge=lessons[id_],
            waits=waits,
            readings=tuple(map(json_codec.reading, readings)),
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


class SqliteImporter(SqliteItemWriter, Importer):
    """Fulfils `graph.writers.store_writes.Importer`."""

    def _artifact(self, artifact_id: str) -> Artifact:
        return artifact(self._connection.execute(_ARTIFACT, (self.project_id, artifact_id)).fetchone())

    def replace_knowledge(self, artifact_id: str, knowledge: Knowledge) -> bool:
        return replace_knowledge(self._connection, self.project_id, artifact_id, knowledge)

    def _finish_extraction(self, artifact_id: str) -> None:
        self._connection.execute(_LEARNT, (self.project_id, artifact_id))

    def _import_echoes(self, record: KeptEchoes) -> bool:
        asked = {"project_id": self.project_id, "id": record.artifact_id, "origins": id_list(record.origins)}
        return self._connection.execute(_PUT_ECHOES, asked).rowcount > 0
