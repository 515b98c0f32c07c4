"""Artifacts, their text, chunks and turns on SQLite, what has expired, and the items that count as rules."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from json import dumps
from typing import Any, Final

from core.dates import now
from core.filters import Filters
from core.knowledge.ledger import SETTLED
from core.knowledge.rules import STANDING_CONTEXTS, TASKS, Rule, RuleQuery, RuleWeights
from core.records import SETTLED_FOR, Artifact, Chunk, Counts, DeletionCounts, KeyHolder, ListCursor
from graph.sqlite_store import words_ahead
from graph.sqlite_store.database.connection import Database
from graph.sqlite_store.database.full_text import erase_words
from graph.sqlite_store.database.rows import (
    ARTIFACT_COLUMNS,
    ARTIFACTS,
    CHUNKS_OF,
    CONTENTS,
    CURRENT,
    LISTED,
    NAMED,
    NEWEST,
    NOT_CURRENT,
    THEN,
    WITHIN_PROJECT,
    Parameters,
    artifact,
    chunk,
    current,
    filter_condition,
    id_list,
    place_list,
)
from graph.sqlite_store.database.word_schema import CHUNK_TEXT
from graph.sqlite_store.item_writer import SqliteItemWriter
from graph.sqlite_store.lists import SqliteListing, count, page, passing
from graph.timestamps import MICROSECONDS_A_DAY, from_microseconds, to_microseconds

# Every decision and commitment in the item was declared settled last, long enough ago. Only declarations count. Read by
# the items, which go when they are settled; resolutions of others stay for good. Nothing is read before the first
# resolution is old enough.
_SETTLED: Final = """
SELECT a.item FROM artifacts a
WHERE a.given ->> '$.retention_policy' = 'until_resolved' AND EXISTS (SELECT 1 FROM resolutions WHERE at <= :settled_at)
AND EXISTS (
    SELECT 1 FROM evidence v CROSS JOIN events e ON e.node = v.event
    CROSS JOIN resolutions r ON r.project_id = e.project_id AND r.event_id = e.id
    WHERE v.item = a.item AND r.at <= :settled_at
) AND NOT EXISTS (
    SELECT 1 FROM evidence w JOIN events e ON e.node = w.event WHERE w.item = a.item AND e.status IS NOT NULL
    AND NOT coalesce((
        SELECT s.at <= :settled_at AND s.status IN (SELECT value FROM json_each(:settled)) FROM resolutions s
        WHERE s.project_id = e.project_id AND s.event_id = e.id ORDER BY s.at DESC, s.number DESC LIMIT 1
    ), 0)
)
"""
_EXPIRED: Final = f"""
SELECT a.project_id, a.id FROM artifacts a
WHERE a.item IN (
    SELECT item FROM (SELECT item FROM artifacts WHERE expires_at <= :at ORDER BY expires_at LIMIT :limit)
    UNION {_SETTLED}
) ORDER BY a.item LIMIT :limit
"""
#: No limit.
_ALL: Final = -1


def expired(connection: sqlite3.Connection, at: datetime, limit: int) -> tuple[str, list[str]] | None:
    """Return a project and up to `limit` of its items whose time has come; None if there are none."""
    rows = connection.execute(_EXPIRED, _parameters(at, limit)).fetchall()
    return (rows[0][0], [id_ for project_id, id_ in rows if project_id == rows[0][0]]) if rows else None


def num_expired(connection: sqlite3.Connection, at: datetime) -> int:
    """Return how many items of all projects there are whose time had come by then."""
    return int(connection.execute(f"SELECT count(*) FROM ({_EXPIRED})", _parameters(at, _ALL)).fetchone()[0])


def _parameters(at: datetime, limit: int) -> dict[str, Any]:
    return {
        "limit": limit,
        "at": to_microseconds(at),
        "settled_at": to_microseconds(at - SETTLED_FOR),
        "settled": id_list(SETTLED),
    }


_IDS: Final = "(SELECT value FROM json_each(:ids))"
_REPLACED: Final = f"""
WITH RECURSIVE replaced (id) AS (
    SELECT id FROM artifacts WHERE project_id = :project_id AND replaced_by = :id
    UNION
    SELECT earlier.id FROM replaced JOIN artifacts earlier
        ON earlier.project_id = :project_id AND earlier.replaced_by = replaced.id
)
{ARTIFACTS} WHERE a.project_id = :project_id AND a.id IN (SELECT id FROM replaced)
ORDER BY a.updated_at DESC, a.created_at DESC, a.id
"""
_STANDING: Final = "a.id, a.key, a.context, a.created_at, a.updated_at, a.replaced_by, a.given ->> '$.tags', {passes}"
_STANDINGS: Final = f"""
SELECT {_STANDING} FROM artifacts a INDEXED BY artifacts_replaced
WHERE a.project_id = :project_id AND a.replaced_by IS NOT NULL AND a.key IS NOT NULL AND {THEN.format("a")}
UNION ALL
SELECT {_STANDING} FROM (
    SELECT DISTINCT key, context FROM artifacts INDEXED BY artifacts_replaced
    WHERE project_id = :project_id AND replaced_by IS NOT NULL
) k CROSS JOIN artifacts a INDEXED BY artifacts_by_key
    ON a.project_id = :project_id AND a.key = k.key AND a.context = k.context AND a.replaced_by IS NULL
WHERE a.key IS NOT NULL AND {THEN.format("a")}
"""
# CROSS JOIN keeps the given order of the joins: from the places asked for to their rows.
_CHUNKS_AT: Final = f"""
WITH places (id, position) AS (SELECT key, value FROM json_each(:places))
SELECT a.id, c.position, c.start_char, c.end_char, {CHUNK_TEXT}, c.prefix, c.token_count
FROM places p CROSS JOIN artifacts a ON a.project_id = :project_id AND a.id = p.id
CROSS JOIN chunks c ON c.item = a.item AND c.position = p.position WHERE {CURRENT}
"""
#: From indexes alone: no row is read.
_PASSING_CHUNKS: Final = """
SELECT p.id, c.position FROM ({found}) p CROSS JOIN chunks c ON c.item = p.item LIMIT :most
"""
_TURNS: Final = "a.conversation_id = :turns_of AND a.turn_index IS NOT NULL"
_IN_TURN: Final = "a.turn_index, a.created_at, a.item"
# Each decision and commitment has a status, and with it a place in the index of the ledger.
_EACH: Final = """
(SELECT count(*) FROM events WHERE project_id = :project_id AND category = '{0}' AND status IS NOT NULL)
    - (SELECT count(*) FROM gone WHERE category = '{0}')
"""
# All of a project but for the few that are not current: reading each takes long in a large one.
_COUNTS: Final = f"""
SELECT coalesce((SELECT num_chunks FROM projects WHERE project_id = :project_id), 0)
        - (SELECT count(*) FROM ({NOT_CURRENT}) g CROSS JOIN chunks c ON c.item = g.item)
        - (SELECT coalesce(sum(a.num_chunks), 0) FROM artifacts a INDEXED BY artifacts_by_context
            WHERE {CURRENT} AND a.context = 'conversation'),
    (SELECT count(*) FROM artifacts a INDEXED BY artifacts_stashed WHERE {CURRENT} AND a.stashed = 1)
"""
_EVENT_COUNTS: Final = f"""
WITH gone (category) AS (
    SELECT e.category FROM (
        SELECT DISTINCT h.event FROM ({NOT_CURRENT}) g CROSS JOIN evidence h ON h.item = g.item WHERE NOT EXISTS (
            SELECT 1 FROM evidence v JOIN artifacts a ON a.item = v.item WHERE v.event = h.event AND {CURRENT})
    ) w CROSS JOIN events e ON e.node = w.event
)
SELECT (SELECT count(*) FROM events WHERE project_id = :project_id) - (SELECT count(*) FROM gone),
    {_EACH.format("Decision")}, {_EACH.format("Commitment")}
"""
_ENTITY_COUNT: Final = f"""
SELECT count(*) FROM entities e WHERE e.project_id = :project_id AND EXISTS (
    SELECT 1 FROM claims k JOIN artifacts a ON a.item = k.item WHERE k.entity = e.node AND {CURRENT})
"""
# Ranges of an index are counted, one a language, and what is not current is taken off: no item is read.
_UNREAD_COUNTS: Final = f"""
WITH RECURSIVE languages (language) AS (
    SELECT min(unread_language) FROM lessons INDEXED BY lessons_unread WHERE unread_language IS NOT NULL
    UNION ALL
    SELECT (SELECT min(unread_language) FROM lessons INDEXED BY lessons_unread WHERE unread_language > language)
    FROM languages WHERE language IS NOT NULL
), gone (language, number) AS (
    SELECT l.unread_language, count(*) FROM ({NOT_CURRENT}) g CROSS JOIN lessons l ON l.item = g.item
    WHERE l.unread_language IS NOT NULL GROUP BY l.unread_language
), counted (language, number) AS MATERIALIZED (
    SELECT language, (
        SELECT count(*) FROM lessons INDEXED BY lessons_unread
        WHERE unread_language = language AND item {WITHIN_PROJECT}
    ) - coalesce((SELECT number FROM gone WHERE gone.language = languages.language), 0)
    FROM languages WHERE language IS NOT NULL
)
SELECT language, number FROM counted WHERE number > 0 ORDER BY language
"""
# One probe of the index a project, however many items each has.
_PROJECTS: Final = """
WITH RECURSIVE found (id) AS (
    SELECT min(project_id) FROM artifacts
    UNION ALL
    SELECT (SELECT min(project_id) FROM artifacts WHERE project_id > found.id) FROM found WHERE found.id IS NOT NULL
)
SELECT id FROM found WHERE id IS NOT NULL
"""


class SqliteRecords(SqliteListing):
    """Fulfils `graph.protocols.records.Records`, except for the embeddings."""

    _database: Database

    def get(self, project_id: str, ids: Sequence[str]) -> dict[str, Artifact]:
        where = f"a.project_id = :project_id AND a.id IN {_IDS}"
        found = self._artifacts(f"{ARTIFACTS} WHERE {where}", {"project_id": project_id, "ids": id_list(ids)})
        return {item.id: item for item in found}

    def by_fingerprint(self, project_id: str, fingerprint: str, *, revisions: bool = False) -> Artifact | None:
        where = "a.project_id = :project_id AND a.fingerprint = :fingerprint"
        where += "" if revisions else " AND a.replaced_by IS NULL"
        parameters = {"project_id": project_id, "fingerprint": fingerprint}
        return next(iter(self._artifacts(f"{ARTIFACTS} WHERE {where}", parameters)), None)

    def by_key(self, project_id: str, key: str, filters: Filters) -> list[Artifact]:
        condition, parameters = filter_condition(project_id, filters)
        # Left to choose, SQLite may read all items of a span of time instead.
        keyed = f"SELECT {ARTIFACT_COLUMNS} FROM artifacts a INDEXED BY artifacts_by_key {CONTENTS}"
        sql = f"{keyed} WHERE a.key = :key AND {condition} ORDER BY a.updated_at DESC, a.id"
        return self._artifacts(sql, parameters | {"key": key})

    def key_holders(self, project_id: str, filters: Filters) -> list[KeyHolder]:
        condition, parameters = filter_condition(project_id, replace(filters, tags=(), any_tags=()), among=LISTED)
        rows = self._rows(_STANDINGS.format(passes=condition), parameters)
        return [_key_holder(row) for row in rows]

    def revisions(self, project_id: str, artifact_id: str) -> list[Artifact]:
        return self._artifacts(_REPLACED, {"project_id": project_id, "id": artifact_id})

    def chunks(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, list[Chunk]]:
        sql = f"{CHUNKS_OF} WHERE {CURRENT} ORDER BY a.item, c.position"
        found: dict[str, list[Chunk]] = {}
        with self._database.reading() as connection:
            for row in connection.execute(sql, current(project_id) | {"ids": id_list(artifact_ids)}):
                found.setdefault(row[0], []).append(chunk(row))
        return found

    def chunks_at(self, project_id: str, places: Sequence[tuple[str, int]]) -> dict[tuple[str, int], Chunk]:
        rows = self._rows(_CHUNKS_AT, current(project_id) | {"places": place_list(places)})
        return {(row[0], row[1]): chunk(row) for row in rows}

    def matching_ids(self, project_id: str, artifact_ids: Sequence[str], filters: Filters) -> set[str]:
        condition, parameters = filter_condition(project_id, filters, of_named=True)
        sql = f"SELECT a.id FROM {NAMED} WHERE {condition}"
        return {row[0] for row in self._rows(sql, parameters | {"ids": id_list(artifact_ids)})}

    def newest(
        self, project_id: str, filters: Filters, limit: int, offset: int = 0, *, after: ListCursor | None = None
    ) -> list[Artifact]:
        with self._database.reading() as connection:
            items, parameters = page(connection, project_id, filters, limit, offset, after)
            rows = connection.execute(f"{ARTIFACTS} WHERE a.item IN ({items}) ORDER BY {NEWEST}", parameters).fetchall()
        return [artifact(row) for row in rows]

    def chunk_refs(self, project_id: str, filters: Filters, most: int) -> list[tuple[str, int]]:
        with self._database.reading() as connection:
            found, parameters = passing(connection, project_id, filters, most)
            return connection.execute(_PASSING_CHUNKS.format(found=found), parameters).fetchall()

    def turns(self, project_id: str, conversation_id: str, filters: Filters, limit: int, offset: int) -> list[Artifact]:
        condition, parameters = filter_condition(project_id, filters)
        sql = f"{ARTIFACTS} WHERE {_TURNS} AND {condition} ORDER BY {_IN_TURN} LIMIT :limit OFFSET :offset"
        return self._artifacts(sql, parameters | {"turns_of": conversation_id, "limit": limit, "offset": offset})

    def count_turns(self, project_id: str, conversation_id: str, filters: Filters) -> int:
        condition, parameters = filter_condition(project_id, filters)
        sql = f"SELECT count(*) FROM artifacts a WHERE {_TURNS} AND {condition}"
        return int(self._rows(sql, parameters | {"turns_of": conversation_id})[0][0])

    def turns_around(self, project_id: str, conversation_id: str, turn_index: int, filters: Filters) -> list[Artifact]:
        condition, parameters = filter_condition(project_id, filters)
        turns = f"{_TURNS} AND {condition}"
        before = f"SELECT max(a.turn_index) FROM artifacts a WHERE {turns} AND a.turn_index < :turn_index"
        after = f"SELECT min(a.turn_index) FROM artifacts a WHERE {turns} AND a.turn_index > :turn_index"
        sql = f"{ARTIFACTS} WHERE {turns} AND a.turn_index IN (({before}), ({after})) ORDER BY {_IN_TURN}"
        return self._artifacts(sql, parameters | {"turns_of": conversation_id, "turn_index": turn_index})

    def recent_keys(self, project_id: str, limit: int) -> list[str]:
        sql = (
            f"SELECT a.key FROM artifacts a WHERE a.key IS NOT NULL AND {CURRENT}"
            " GROUP BY a.key ORDER BY max(a.updated_at) DESC, a.key LIMIT :limit"
        )
        return [row[0] for row in self._rows(sql, current(project_id) | {"limit": limit})]

    def longest(self, project_id: str, limit: int) -> list[str]:
        sql = f"SELECT a.id FROM artifacts a WHERE {CURRENT} ORDER BY a.token_count DESC, a.id LIMIT :limit"
        return [row[0] for row in self._rows(sql, current(project_id) | {"limit": limit})]

    def counts(self, project_id: str) -> Counts:
        parameters = current(project_id, at := now())
        with self._database.reading() as connection:
            artifacts, turns = (
                count(connection, project_id, Filters(at=at, context=context)) for context in (None, "conversation")
            )
            chunks, stashed = connection.execute(_COUNTS, parameters).fetchone()
            events, decisions, commitments = connection.execute(_EVENT_COUNTS, parameters).fetchone()
            entities = connection.execute(_ENTITY_COUNT, parameters).fetchone()[0]
            unread = dict(connection.execute(_UNREAD_COUNTS, parameters).fetchall())
        return Counts(artifacts, chunks, turns, entities, events, decisions, commitments, stashed, unread)

    def unread_languages(self, project_id: str) -> dict[str, int]:
        return dict(self._rows(_UNREAD_COUNTS, current(project_id)))

    def projects(self) -> list[str]:
        return [row[0] for row in self._rows(_PROJECTS, {})]

    def each(self, project_id: str, *, batch: int = 200) -> Iterator[list[Artifact]]:
        items = f"SELECT a.item, {ARTIFACT_COLUMNS} FROM artifacts a {CONTENTS}"
        sql = f"{items} WHERE a.item > :last AND {CURRENT} ORDER BY a.item LIMIT :batch"
        last = 0
        while rows := self._rows(sql, current(project_id) | {"last": last, "batch": batch}):
            yield [artifact(row[1:]) for row in rows]
            last = rows[-1][0]

    def remove(self, project_id: str, ids: Sequence[str], *, dry_run: bool = False) -> DeletionCounts:
        words = words_ahead.of_removed(self._database, project_id, ids)
        with words, self._database.writing(keep=not dry_run) as connection:
            before = connection.total_changes
            cascade = SqliteItemWriter(connection, project_id).remove(ids)
            if not dry_run and connection.total_changes > before:
                erase_words(connection)
        if not dry_run:
            self._database.checkpoint()
        return cascade

    def remove_expired(self, at: datetime, limit: int) -> list[str]:
        with self._database.reading() as connection:
            project_id, ids = expired(connection, at, limit) or ("", [])
        words = words_ahead.of_removed(self._database, project_id, ids)
        with words, self._database.writing() as connection:
            found = expired(connection, at, limit)
            if found is None:
                return []
            SqliteItemWriter(connection, found[0]).remove(found[1], "expire")
            erase_words(connection)
        self._database.checkpoint()
        return found[1]

    def num_expired(self, at: datetime) -> int:
        with self._database.reading() as connection:
            return num_expired(connection, at)

    def conversation_ids(self, project_id: str, conversation_id: str) -> list[str]:
        sql = (
            "SELECT a.id FROM artifacts a WHERE a.project_id = :project_id AND a.conversation_id = :id ORDER BY a.item"
        )
        return [row[0] for row in self._rows(sql, {"project_id": project_id, "id": conversation_id})]

    def metadata_value(self, name: str) -> str | None:
        rows = self._rows("SELECT value FROM markers WHERE name = :name", {"name": name})
        return str(rows[0][0]) if rows else None

    def set_metadata_value(self, name: str, value: str) -> None:
        with self._database.writing() as connection:
            connection.execute("INSERT OR REPLACE INTO markers VALUES (?, ?)", (name, value))

    def compare_and_set(self, name: str, value: str, *, instead_of: str | None = None) -> str | None:
        with self._database.writing() as connection:
            row = connection.execute("SELECT value FROM markers WHERE name = ?", (name,)).fetchone()
            kept = None if row is None else str(row[0])
            if kept != instead_of:
                return kept
            connection.execute("INSERT OR REPLACE INTO markers VALUES (?, ?)", (name, value))
            return value

    def _rows(self, sql: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
        return self._database.rows(sql, parameters)

    def _artifacts(self, sql: str, parameters: dict[str, Any]) -> list[Artifact]:
        return [artifact(row) for row in self._rows(sql, parameters)]


def _key_holder(row: Sequence[Any]) -> KeyHolder:
    id_, key, context, created, updated, successor, tags, passes = row
    times = from_microseconds(created), from_microseconds(updated)
    return KeyHolder(id_, key, context, *times, successor, tuple(json.loads(tags or "[]")), bool(passes))


# The index holds every column, so that the rows themselves are not read. The first row is how many apply. Points are
# whole millionths, since `round` takes a third of the time; what is not asked is left out for the same reason.
_RULES: Final = f"""
WITH scored AS (
    SELECT a.id, a.context, a.token_count, a.last_occurred, CAST(0.5 + 1000000 * (
        :per_occurrence * min(a.frequency, :most_occurrences)
        + CASE WHEN a.context IN ({", ".join(f"'{context}'" for context in STANDING_CONTEXTS)})
            THEN max({{recency}}, :standing) ELSE {{recency}} END{{words}}) AS INTEGER) AS points
    FROM artifacts a INDEXED BY artifacts_rules
    WHERE {CURRENT} AND a.stashed = 0 AND a.rule_scope IN (SELECT value FROM json_each(:scopes)){{category}}
)
SELECT NULL, NULL, count(*), 0 FROM scored WHERE points >= :least
UNION ALL
SELECT * FROM (
    SELECT id, context, token_count, points / 1000000.0 FROM scored
    WHERE points >= :least AND token_count <= :most_tokens ORDER BY points DESC, last_occurred DESC, id LIMIT :limit
)
"""
_WORDS: Final = " + :per_word * substr(a.rule_words, :task, 1)"
_OF_CATEGORY: Final = " AND (a.rule_category = :category OR a.context = :category)"
_SCOPES: Final = f"""
SELECT a.rule_scope, count(*) FROM artifacts a INDEXED BY artifacts_rules
WHERE {CURRENT} AND a.stashed = 0 AND a.rule_scope IS NOT NULL GROUP BY a.rule_scope
"""


class SqliteRules:
    """Fulfils `graph.protocols.knowledge.Rules`."""

    _database: Database

    def rules(self, project_id: str, query: RuleQuery) -> tuple[list[Rule], int]:
        ranking = query.ranking
        recency, parameters = _recency(ranking)
        parameters |= current(project_id, query.at) | {
            "per_occurrence": ranking.per_occurrence,
            "most_occurrences": ranking.most_occurrences,
            "standing": ranking.standing,
            "per_word": ranking.per_word,
            "least": round(ranking.least * 1_000_000),
            "task": 1 + TASKS.index(query.task or TASKS[0]),
            "scopes": dumps(query.scopes),
            "category": query.category,
            "most_tokens": query.most_tokens,
            "limit": query.limit,
        }
        sql = _RULES.format(
            recency=recency, words=_WORDS if ranking.per_word else "", category=_OF_CATEGORY if query.category else ""
        )
        with self._database.reading() as connection:
            (_, _, applying, _), *rows = connection.execute(sql, parameters)
        return [Rule(*row) for row in rows], applying

    def rule_scopes(self, project_id: str, at: datetime) -> dict[str, int]:
        with self._database.reading() as connection:
            return dict(connection.execute(_SCOPES, current(project_id, at)).fetchall())


def _recency(ranking: RuleWeights) -> tuple[str, Parameters]:
    """Return the points for having occurred lately, as an expression on `a`, and its parameters."""
    parameters: Parameters = {"long_ago": ranking.long_ago}
    steps = []
    for number, (days, points) in enumerate(ranking.recent):
        parameters |= {f"span{number}": days * MICROSECONDS_A_DAY, f"points{number}": points}
        steps.append(f"WHEN :at - a.last_occurred < :span{number} THEN :points{number}")
    return f"CASE {' '.join(steps)} ELSE :long_ago END" if steps else ":long_ago", parameters
