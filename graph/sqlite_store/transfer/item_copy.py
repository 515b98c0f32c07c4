"""Putting an item into the record as another one kept it, with all that is known of it. Runs inside one transaction.

What the parts promise is said at `graph.protocols.transfer.Transfer.import_records`.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from core.errors import Conflict
from core.records import Artifact
from core.transfer import KeptItem, Merge, Outcome
from graph.sqlite_store.database.job_queue import drop_job, put_job
from graph.sqlite_store.database.row_numbers import PROJECT_BITS
from graph.sqlite_store.database.rows import (
    ARTIFACTS,
    MEMORY_COLUMNS,
    artifact,
    memory_values,
    write_chunks,
    write_tags,
)
from graph.sqlite_store.items.insertion import bring_back, insert, retire_under_key
from graph.sqlite_store.items.stash_index import index_stashed, set_stashed
from graph.sqlite_store.knowledge.lessons import replace_knowledge
from graph.sqlite_store.knowledge.runs import keep_readings
from graph.timestamps import to_microseconds

_STORED: Final = f"{ARTIFACTS} WHERE a.project_id = ? AND a.fingerprint = ?"
_PLACE: Final = """
SELECT item, EXISTS (SELECT 1 FROM jobs j
    WHERE j.project_id = a.project_id AND j.artifact_id = a.id AND j.kind = 'extract' AND j.state <> 'done')
FROM artifacts a WHERE a.project_id = ? AND a.id = ?
"""
_HOLDER: Final = """
SELECT id, updated_at FROM artifacts WHERE project_id = ? AND key = ? AND context = ? AND replaced_by IS NULL
"""
_RENEW: Final = f"""
UPDATE artifacts SET frequency = :frequency, last_occurred = :last_occurred, updated_at = :updated_at,
    {", ".join(f"{name} = :{name}" for name in MEMORY_COLUMNS)}
WHERE item = :item
"""
_LEARNT: Final = """
INSERT OR REPLACE INTO jobs (project_id, artifact_id, kind, state, num_chunks) VALUES (?, ?, 'extract', 'done', ?)
"""
_PUT_SAYING: Final = "INSERT OR IGNORE INTO sayings (project, hash, since, first, item) VALUES (?, ?, ?, ?, ?)"


def keep_item(connection: sqlite3.Connection, project_id: str, record: KeptItem) -> Outcome:
    """Store an item, or join it with the one that is stored."""
    row = connection.execute(_STORED, (project_id, record.artifact.fingerprint)).fetchone()
    if row is not None and record.is_apart_from(artifact(row)):
        record = record.apart()
        row = connection.execute(_STORED, (project_id, record.artifact.fingerprint)).fetchone()
    if row is None:
        _store(connection, record)
        return "stored"
    return "updated" if _merge(connection, record, artifact(row)) else "unchanged"


def _store(connection: sqlite3.Connection, record: KeptItem) -> None:
    given = record.artifact
    if connection.execute(_PLACE, (given.project_id, given.id)).fetchone() is not None:
        raise Conflict(f"The id {given.id!r} belongs to another item here: leave this one out, or remember it again.")
    if given.replaced_by is None and (holder := _newer_holder(connection, given)) is not None:
        given = replace(given, replaced_by=holder)
    if given.replaced_by is None:
        retire_under_key(connection, given, given.id)
        drop_job(connection, given.project_id, given.id, "erase")
    else:
        given = replace(given, stashed=False)
    item = insert(connection, given, given.id, given.num_chunks)
    if given.replaced_by is None:
        _make_findable(connection, item, record, given)
    _learn(connection, item, record, given)


def _merge(connection: sqlite3.Connection, record: KeptItem, stored: Artifact) -> bool:
    """Merge an item into the stored one; return whether that changed anything."""
    item, waits = connection.execute(_PLACE, (stored.project_id, stored.id)).fetchone()
    merge = Merge.of(stored, record, holder=_newer_holder(connection, record.artifact), waits=bool(waits))
    if merge is None:
        return False
    after = merge.after
    times = {name: to_microseconds(getattr(after, name)) for name in ("last_occurred", "updated_at")}
    facts: dict[str, Any] = {"item": item, "frequency": after.frequency}
    connection.execute(_RENEW, facts | times | memory_values(after.memory))
    if merge.returns:
        retire_under_key(connection, after, after.id)
        drop_job(connection, after.project_id, after.id, "erase")
        bring_back(connection, item, after, len(record.chunks))
        _make_findable(connection, item, record, after)
    elif merge.is_renewed:
        if after.stashed != stored.stashed:
            set_stashed(connection, item, stashed=after.stashed)
        put_job(connection, after.project_id, after.id, "embed", after.num_chunks)
    if after.replaced_by is None:
        write_tags(connection, item, after.project_id, after.memory.tags)
    if merge.learns:
        _learn(connection, item, record, after)
    return True


def _newer_holder(connection: sqlite3.Connection, given: Artifact) -> str | None:
    """Return the id of the other current item with this one's key and context, if that is at least as new."""
    memory = given.memory
    row = connection.execute(_HOLDER, (given.project_id, memory.key, memory.context)).fetchone()
    return None if row is None or row[1] < to_microseconds(given.updated_at) else str(row[0])


def _make_findable(connection: sqlite3.Connection, item: int, record: KeptItem, given: Artifact) -> None:
    """Write chunks and words of an item that has become current, and queue its vectors."""
    write_chunks(connection, given.project_id, item, record.chunks)
    if given.stashed:
        index_stashed(connection, item, given.memory.content)
    put_job(connection, given.project_id, given.id, "embed", len(record.chunks))


def _learn(connection: sqlite3.Connection, item: int, record: KeptItem, given: Artifact) -> None:
    """Store the knowledge that came with an item, or queue its extraction."""
    replace_knowledge(connection, given.project_id, given.id, record.knowledge)
    keep_readings(connection, item, record)
    if record.sentence_hashes is not None:
        connection.execute("DELETE FROM sayings WHERE item = ?", (item,))
        connection.executemany(_PUT_SAYING, _saying_rows(item, record))
    if record.waits:
        put_job(connection, given.project_id, given.id, "extract", given.num_chunks)
    else:
        connection.execute(_LEARNT, (given.project_id, given.id, given.num_chunks))


def _saying_rows(item: int, record: KeptItem) -> Sequence[tuple[int, int, int, int, int]]:
    return [
        (item >> PROJECT_BITS, sentence_hash, to_microseconds(since), item, item)
        for sentence_hash, since in record.sentence_hashes or ()
    ]
