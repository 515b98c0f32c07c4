"""Repairing what is derived: what rests on nothing is dropped, the rest connected again. Inside one transaction."""

import sqlite3
from collections.abc import Iterable
from typing import Any, Final

from core.dates import now
from graph.sqlite_store.database.schema import FORMS
from graph.sqlite_store.knowledge.lessons import connect_event, delete_events_without_evidence, refresh
from graph.sqlite_store.upkeep import soundness_queries as queries
from graph.timestamps import to_microseconds

_LOSES_PARENT: Final = 'DELETE FROM "{table}" WHERE "{column}" NOT IN (SELECT "{key}" FROM "{parent}")'
_DROP_STEP: Final = "DELETE FROM adjacency WHERE source = ? AND kind = ? AND weight = ? AND target = ? AND relation = ?"
_CURRENT: Final = """
SELECT project_id, id FROM artifacts WHERE item = ? AND replaced_by IS NULL AND (expires_at IS NULL OR expires_at > ?)
"""
# What is left is from now on all that is expected.
_ACCEPT: Final = """
INSERT OR REPLACE INTO lessons SELECT :item,
    (SELECT json_group_array(id) FROM (
        SELECT DISTINCT n.id FROM evidence v JOIN nodes n ON n.node = v.event WHERE v.item = :item ORDER BY 1)),
    (SELECT json_group_array(id) FROM (
        SELECT DISTINCT iif(c.original = '', n.id, c.original) AS id
        FROM claims c JOIN nodes n ON n.node = c.entity WHERE c.item = :item ORDER BY 1)),
    (SELECT unread_language FROM lessons WHERE item = :item)
WHERE EXISTS (SELECT 1 FROM artifacts WHERE item = :item)
"""


def repair_graph(connection: sqlite3.Connection, misquoted: Iterable[tuple[str | None, str]]) -> dict[str, list[str]]:
    """Do what `Soundness.repair` promises of the graph; `misquoted` are the items that events quote wrongly."""
    items = set(_column(connection, queries.TO_EXTRACT))
    find = "SELECT item FROM artifacts WHERE project_id = ? AND id = ?"
    items |= {connection.execute(find, place).fetchone()[0] for place in set(misquoted)}
    _drop_dangling(connection)
    delete_events_without_evidence(connection, _column(connection, queries.UNPROVEN))
    misnamed = _column(connection, f"{queries.MISNAMED} UNION {queries.UNNAMED}")
    for entity in misnamed:
        # No entity has this name, so that its entries in `names` are written again.
        connection.execute("UPDATE entities SET name = '' WHERE node = ?", (entity,))
        refresh(connection, entity)
    connection.execute(
        f"UPDATE entities SET mention_count = {queries.NUM_MENTIONS} WHERE mention_count <> {queries.NUM_MENTIONS}"
    )
    _connect(connection)
    return _to_extract(connection, items)


def repair_lists(connection: sqlite3.Connection) -> None:
    """Rebuild the forms of tags, the lists by tag and the counts of facets."""
    connection.execute("DELETE FROM tag_forms")
    connection.execute(f"INSERT INTO tag_forms {FORMS}")
    connection.execute("DELETE FROM tag_lists")
    connection.execute(f"INSERT INTO tag_lists {queries.LISTED_TAGS}")
    connection.execute("DELETE FROM facet_counts")
    connection.execute(f"INSERT INTO facet_counts {queries.COUNTED_FACETS}")


def _drop_dangling(connection: sqlite3.Connection) -> None:
    # A row may be checked before the row that points to it goes, too.
    connection.execute("PRAGMA defer_foreign_keys = ON")
    while sum(map(_drop_dangling_of, [connection] * len(queries.DERIVED_TABLES), queries.DERIVED_TABLES)):
        pass
    connection.execute(f"DELETE FROM nodes WHERE (project_id, id) IN ({queries.ORPHANED})")


def _drop_dangling_of(connection: sqlite3.Connection, table: str) -> int:
    """Remove the rows of a table that point to what is not there; return how many."""
    number = 0
    for _, _, parent, column, key, *_ in connection.execute(f"PRAGMA foreign_key_list({table})").fetchall():
        sql = _LOSES_PARENT.format(table=table, column=column, key=key, parent=parent)
        number += connection.execute(sql).rowcount
    return number


def _connect(connection: sqlite3.Connection) -> None:
    connection.executemany(_DROP_STEP, connection.execute(queries.EXTRA_STEPS).fetchall())
    apart = {node for row in connection.execute(queries.MISSING_STEPS) for node in (row[0], row[3])}
    for event in apart & set(_column(connection, "SELECT node FROM events")):
        connect_event(connection, event)


def _to_extract(connection: sqlite3.Connection, items: Iterable[int]) -> dict[str, list[str]]:
    """Return those of the items that are current, by project; of the others what is left is all that is expected."""
    again: dict[str, list[str]] = {}
    at = to_microseconds(now())
    for item in sorted(items):
        place = connection.execute(_CURRENT, (item, at)).fetchone()
        if place is None:
            connection.execute(_ACCEPT, {"item": item})
        else:
            again.setdefault(place[0], []).append(place[1])
    return again


def _column(connection: sqlite3.Connection, sql: str) -> list[Any]:
    return [row[0] for row in connection.execute(sql)]
