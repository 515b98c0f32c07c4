"""Rows of the file as the words of `core.records`, and back."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, Final

from core.interface.memory import Memory
from core.knowledge.findings import Actor, Event, Evidence, Subject
from core.records import Artifact, Chunk
from graph.json_codec import bearings
from graph.timestamps import from_microseconds, to_microseconds

#: What `artifact` reads, from `artifacts` as `a` joined with `contents` as `body`.
ARTIFACT_COLUMNS: Final = (
    "a.id, a.project_id, a.fingerprint, a.happened_at, a.created_at, a.updated_at, a.last_occurred, a.token_count,"
    " a.num_chunks, a.frequency, a.stashed, a.replaced_by, a.given, body.content,"
    " (SELECT json_group_array(o.id) FROM echoes e JOIN artifacts o ON o.item = e.origin WHERE e.item = a.item),"
    " a.utc_offset"
)
CONTENTS: Final = "JOIN contents body ON body.item = a.item"
ARTIFACTS: Final = f"SELECT {ARTIFACT_COLUMNS} FROM artifacts a {CONTENTS}"
#: The artifacts with `:ids`, in this order of joins: left to choose, SQLite may read an index of all items instead.
NAMED: Final = "(SELECT DISTINCT value FROM json_each(:ids)) w CROSS JOIN artifacts a ON a.id = w.value"
#: What `chunk` reads, of the artifacts with `:ids`.
CHUNKS_OF: Final = (
    "SELECT a.id, c.position, c.start_char, c.end_char, c.text, c.prefix, c.token_count"
    f" FROM {NAMED} CROSS JOIN chunks c ON c.item = a.item"
)
#: The columns that follow from a memory's fields, as assignments.
MEMORY_COLUMNS: Final = (
    "context", "key", "conversation_id", "turn_index", "source", "sensitivity", "importance", "file_path", "task_id",
    "rule_scope", "rule_category", "rule_words", "expires_at", "given",
)  # fmt: skip


def by_column(cursor: sqlite3.Cursor) -> list[dict[str, Any]]:
    """Return all rows of an answer as values by the names of their columns."""
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def artifact(row: Sequence[Any]) -> Artifact:
    """Return the artifact of a row of `ARTIFACTS`."""
    return Artifact(
        id=row[0],
        project_id=row[1],
        fingerprint=row[2],
        happened_at=from_microseconds(row[3], row[15]),
        created_at=from_microseconds(row[4]),
        updated_at=from_microseconds(row[5]),
        last_occurred=from_microseconds(row[6]),
        token_count=row[7],
        num_chunks=row[8],
        frequency=row[9],
        stashed=bool(row[10]),
        replaced_by=row[11],
        memory=Memory.from_fields_unchecked(row[13], json.loads(row[12])),
        echoes=() if row[14] == "[]" else tuple(sorted(json.loads(row[14]))),
    )


def as_events(
    rows: Iterable[Sequence[Any]], parts: Iterable[Sequence[Any]], proofs: Iterable[Sequence[Any]]
) -> dict[int, Event]:
    """Return whole events by their node, in the order of their rows.

    Parts are participants in order, one without a name left out; of two that were merged, the first in the event stands
    for both.
    """
    actors: dict[int, list[Actor]] = {}
    subjects: dict[int, list[Subject]] = {}
    evidence: dict[int, list[Evidence]] = {}
    originals: dict[tuple[int, str, str], str] = {}
    for node, id_, relation, name, role, original in parts:
        if name is None or originals.setdefault((node, id_, relation), original) != original:
            continue
        if relation == "ACTED_IN":
            actors.setdefault(node, []).append(Actor(id_, name, role))
        else:
            subjects.setdefault(node, []).append(Subject(id_, name))
    for node, *proof in proofs:
        evidence.setdefault(node, []).append(Evidence(*proof))
    return {
        row[0]: Event(
            id=row[1],
            category=row[2],
            summary=row[3],
            actors=tuple(actors.get(row[0], ())),
            subjects=tuple(subjects.get(row[0], ())),
            evidence=tuple(evidence.get(row[0], ())),
            confidence=row[4],
            event_time=from_microseconds(row[5], row[10]),
            due=from_microseconds(row[6], row[11]),
            status=row[7],
            origin=row[8],
            bears_on=bearings(json.loads(row[9])),
        )
        for row in rows
    }


def chunk(row: Sequence[Any]) -> Chunk:
    """Return the chunk of a row of `CHUNKS_OF`."""
    return Chunk(
        artifact_id=row[0],
        index=row[1],
        start_char=row[2],
        end_char=row[3],
        text=row[4],
        prefix=row[5],
        token_count=row[6],
    )


def memory_values(memory: Memory) -> dict[str, object]:
    """Return the values of `MEMORY_COLUMNS`."""
    values: dict[str, Any] = {
        name: getattr(memory, name) for name in MEMORY_COLUMNS if name not in ("given", "expires_at")
    }
    expiry = memory.expiry()
    return values | {
        "expires_at": to_microseconds(expiry),
        "given": json.dumps(memory.given(), ensure_ascii=False, separators=(",", ":")),
    }
