"""Values as SQLite keeps them and returns them: numbers of rows, rows, and conditions of filters.

A bound of a day is compared with the local times of writers, any other one with instants: `graph.timestamps.bounds_of`
makes the parameters.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from json import dumps
from typing import Any, Final, Literal

from core.dates import now
from core.filters import Filters
from core.interface.memory import Memory
from core.knowledge.findings import Actor, Event, Evidence, Subject
from core.records import Artifact, Chunk
from graph.json_codec import bearings
from graph.sqlite_store.database.word_schema import CHUNK_TEXT
from graph.timestamps import bounds_of, from_microseconds, to_microseconds

#: A project has 2^40 numbers, and there is room for 2^22 projects.
PROJECT_BITS: Final = 40
#: The range of `:project_id`, for `rowid` and the like; empty for a project that was never written to.
WITHIN_PROJECT: Final = f"""
BETWEEN (SELECT number << {PROJECT_BITS} FROM projects WHERE project_id = :project_id)
    AND (SELECT (number + 1 << {PROJECT_BITS}) - 1 FROM projects WHERE project_id = :project_id)
"""
_LAST: Final = {
    "artifacts": "SELECT max(item) FROM artifacts WHERE item BETWEEN ? AND ?",
    "chunks": "SELECT max(id) FROM chunks WHERE id BETWEEN ? AND ?",
}


def project_number(connection: sqlite3.Connection, project_id: str) -> int:
    """Return the number of a project, giving it one if it has none."""
    find = "SELECT number FROM projects WHERE project_id = ?"
    row = connection.execute(find, (project_id,)).fetchone()
    if row is None:
        sql = "INSERT INTO projects (project_id) VALUES (?) RETURNING number"
        row = connection.execute(sql, (project_id,)).fetchone()
    return int(row[0])


def next_number(connection: sqlite3.Connection, table: Literal["artifacts", "chunks"], project: int) -> int:
    """Return the number of a project's next row, after all it has."""
    first, last = project << PROJECT_BITS, (project + 1 << PROJECT_BITS) - 1
    highest = connection.execute(_LAST[table], (first, last)).fetchone()[0]
    return int(highest or first) + 1


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
    f"SELECT a.id, c.position, c.start_char, c.end_char, {CHUNK_TEXT}, c.prefix, c.token_count"
    f" FROM {NAMED} CROSS JOIN chunks c ON c.item = a.item"
)
#: Values that most items have, which `given` leaves out: they are the defaults of `Memory`, with which it is read.
USUALLY_GIVEN: Final = {
    "importance": 0.5,
    "scope": "universal",
    "sensitivity": "normal",
    "visibility_scope": "me",
    "retention_policy": "forever",
}
#: Characters of the hash of a text in its rows, 96 bits; rows of earlier releases have all 64.
HASH_CHARS: Final = 24
#: What `embeddings.model` has for the model named `{0}`.
MODEL: Final = "coalesce((SELECT CAST(number AS BLOB) FROM models WHERE name = {0}), {0})"
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
    given = {name: value for name, value in memory.given().items() if USUALLY_GIVEN.get(name) != value}
    return values | {
        "expires_at": to_microseconds(expiry),
        "given": json.dumps(given, ensure_ascii=False, separators=(",", ":")),
    }


def since(time: str, offset: str, bound: str) -> str:
    """Return the condition that a time is not before a bound.

    In this and those that follow, the offset, which no index of items holds, is read only of times near the bound.
    """
    near = f"{time} >= :{bound}_last OR {time} + {offset} >= :{bound}_day"
    return f"({time} >= :{bound}_first AND (:{bound}_day IS NULL OR {near}))"


def until(time: str, offset: str, bound: str) -> str:
    """Return the condition that a time is not after a bound."""
    near = f"{time} <= :{bound}_first OR {time} + {offset} <= :{bound}_day"
    return f"({time} <= :{bound}_last AND (:{bound}_day IS NULL OR {near}))"


def before(time: str, offset: str, bound: str) -> str:
    """Return the condition that a time is before a bound."""
    near = f"{time} < :{bound}_first OR {time} + {offset} < :{bound}_day"
    return f"({time} < :{bound}_last AND (:{bound}_day IS NULL OR {near}))"


#: That an item or claim `{0}` is of the time as of `:as_of`, and that it is of a later time.
THEN: Final = until("{0}.happened_at", "{0}.utc_offset", "as_of")
LATER: Final = (
    "({0}.happened_at > :as_of_first AND (:as_of_day IS NULL"
    " OR {0}.happened_at > :as_of_last OR {0}.happened_at + {0}.utc_offset > :as_of_day))"
)


#: No revisions among these, that are not expired at `:at`.
LISTED: Final = "a.project_id = :project_id AND (a.expires_at IS NULL OR a.expires_at > :at)"
#: Current items: no revision, not expired at `:at`.
CURRENT: Final = f"a.replaced_by IS NULL AND {LISTED}"
#: All other items of a project, which are few and found by their own indexes.
NOT_CURRENT: Final = """
SELECT item FROM artifacts WHERE project_id = :project_id AND replaced_by IS NOT NULL
UNION SELECT item FROM artifacts WHERE project_id = :project_id AND expires_at <= :at
"""
#: Newest first, as lists are read.
NEWEST: Final = "a.happened_at DESC, a.created_at DESC, a.id"
#: Each condition, by the field of `Filters` that asks for it.
_CONDITIONS: Final = {
    "context": "a.context = :context",
    "date_from": since("a.happened_at", "a.utc_offset", "date_from"),
    "date_to": until("a.happened_at", "a.utc_offset", "date_to"),
    "conversation_id": "a.conversation_id = :conversation_id",
    "source": "a.source = :source",
    "file_path": "a.file_path = :file_path",
    "task_id": "a.task_id = :task_id",
    "sensitivity": "a.sensitivity = :sensitivity",
    "as_of": THEN.format("a"),
    "stored_until": "a.created_at <= :stored_until",
    "stashes": "(a.context = 'stash' OR a.stashed = 1)",
}
_IMPORTANT: Final = "a.importance >= :min_importance"
_ACTIVE: Final = "a.stashed = 0"
_TAGGED: Final = "a.item IN (SELECT item FROM tag_forms WHERE project_id = :project_id AND form IN ({tags}))"
#: The same, looked up for each item: SQLite would list all items with the tags for each statement.
HAS_TAG: Final = (
    "EXISTS (SELECT 1 FROM tag_forms t WHERE t.project_id = :project_id AND t.form IN ({tags}) AND t.item = a.item)"
)

_NUL: Final = "\0"

Parameters = dict[str, Any]


def filter_condition(
    project_id: str, filters: Filters, *, of_named: bool = False, among: str = CURRENT
) -> tuple[str, Parameters]:
    """Return the condition that an item passes the filters, and its parameters.

    Of items that are named one by one the tags are looked up.
    """
    tagged = HAS_TAG if of_named else _TAGGED
    conditions, parameters = [among], current(project_id, filters.at)
    for field, condition in _CONDITIONS.items():
        # As on every engine, what is empty asks nothing.
        if value := getattr(filters, field):
            conditions.append(condition)
            parameters |= bounds_of(field, value) if isinstance(value, datetime) else {field: value}
    if filters.min_importance > 0:
        conditions.append(_IMPORTANT)
        parameters["min_importance"] = filters.min_importance
    if not filters.include_stashed:
        conditions.append(_ACTIVE)
    for number, tag in enumerate(filters.tags):
        conditions.append(tagged.format(tags=f":tag{number}"))
        parameters[f"tag{number}"] = tag
    if filters.any_tags:
        named = {f"any_tag{number}": tag for number, tag in enumerate(filters.any_tags)}
        conditions.append(tagged.format(tags=", ".join(f":{name}" for name in named)))
        parameters |= named
    return " AND ".join(conditions), parameters


def current(project_id: str, at: datetime | None = None) -> Parameters:
    """Return the parameters of `CURRENT`; `at` defaults to now."""
    return {"project_id": project_id, "at": to_microseconds(at or now())}


def id_list(ids: Sequence[str]) -> str:
    """Return ids as a JSON array for `json_each`, which would cut one at a NUL: no stored id has any."""
    return dumps([id_ for id_ in ids if _NUL not in id_])


def place_list(places: Sequence[tuple[str, int]]) -> str:
    """Return (id, index) pairs as the names and values of one JSON object; `json_each` finds those of one name all.

    Pairs within a JSON array would be parsed one by one, at twice the cost of all else.
    """
    return f"{{{','.join(f'{dumps(id_)}:{index}' for id_, index in places if _NUL not in id_)}}}"
