"""Lists of items, newest first, how many there are, and how many of them have each tag, are of each type and month.

What the filters ask decides which index is walked: in a large project any other costs a hundred times as much.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Final

from core.filters import Filters
from core.interface.question import FacetCount, FacetCounts
from core.records import ListCursor
from graph.sqlite_store.database.connection import Database
from graph.sqlite_store.database.rows import CURRENT, HAS_TAG, LISTED, NEWEST, Parameters, filter_condition
from graph.sqlite_store.database.schema import MONTH
from graph.timestamps import to_microseconds

#: Items behind `:after_…` in the order of lists.
_BEHIND: Final = (
    "a.happened_at <= :after_happened AND (a.happened_at < :after_happened OR a.created_at <= :after_created"
    " AND (a.created_at < :after_created OR a.id > :after_id))"
)
#: Fields of `Filters` that the columns of `tag_lists` can tell of; they have the same names as those of `artifacts`.
_TOLD: Final = frozenset({"tags", "any_tags", "context", "date_from", "date_to", "as_of", "stored_until"})
_FROM_LISTS: Final = "FROM tag_lists a WHERE a.form = :{tag}"
_FROM_ITEMS: Final = (
    "FROM tag_lists l CROSS JOIN artifacts a ON a.item = l.item WHERE l.project_id = :project_id AND l.form = :{tag}"
)
# Both kinds by an index of their own: with one condition for both, all items would be read.
_FROM_STASHES: Final = """
FROM (
    SELECT item FROM artifacts WHERE project_id = :project_id AND context = 'stash' AND replaced_by IS NULL
    UNION SELECT item FROM artifacts WHERE project_id = :project_id AND stashed = 1 AND replaced_by IS NULL
) l CROSS JOIN artifacts a ON a.item = l.item
"""
#: The place of an item in lists, and its number; in this order with `IN_ORDER`.
MARK: Final = "{0}.happened_at, {0}.created_at, {0}.id, {0}.item"
IN_ORDER: Final = "ORDER BY 1 DESC, 2 DESC, 3"
_RAREST_FIRST: Final = """
SELECT value FROM facet_counts WHERE project_id = :project_id AND facet = 'form' AND value IN ({tags}) ORDER BY number
"""
_TAGGED: Final = "SELECT item FROM tag_forms WHERE project_id = :project_id AND form = :{tag}"
#: Items that would be there but for their expiry.
EXPIRED: Final = "a.project_id = :project_id AND a.expires_at <= :at AND a.replaced_by IS NULL"
_COUNTED: Final = "SELECT coalesce(sum(number), 0) FROM facet_counts WHERE project_id = :project_id AND facet = 'type'"
_MOST_COUNTED: Final = """
SELECT value, number FROM facet_counts WHERE project_id = :project_id AND facet = :facet
ORDER BY number DESC, value LIMIT :most
"""
_NUM_VALUES: Final = "SELECT count(*) FROM facet_counts WHERE project_id = :project_id AND facet = :facet"
_GROUPED: Final = f"""
WITH matched (item, context, local_at) AS MATERIALIZED ({{matched}})
SELECT 'type', context, count(*) FROM matched GROUP BY context
UNION ALL
SELECT 'month', {MONTH.format("local_at")} AS month, count(*) FROM matched GROUP BY month
UNION ALL
SELECT 'tag', t.tag, count(*) FROM matched CROSS JOIN tags t INDEXED BY tags_by_item ON t.item = matched.item
    GROUP BY t.tag
"""
_FACETS: Final = ("tag", "type", "month")


class SqliteListing:
    """Fulfils what `graph.protocols.records.Records` promises of lists: `count` and `facets`."""

    _database: Database

    def count(self, project_id: str, filters: Filters) -> int:
        with self._database.reading() as connection:
            return count(connection, project_id, filters)

    def facets(self, project_id: str, filters: Filters, most: int) -> FacetCounts:
        with self._database.reading() as connection:
            if filters.selects:
                columns = "a.item, a.context, a.happened_at + a.utc_offset"
                found, parameters = selects(connection, project_id, filters, columns)
                counted = _grouped(connection, " UNION ".join(found), parameters)
                tags, types, months = (_best(counted[facet], most) for facet in _FACETS)
            else:
                condition, parameters = filter_condition(project_id, filters, among=EXPIRED)
                expired = f"SELECT a.item, a.context, a.happened_at + a.utc_offset FROM artifacts a WHERE {condition}"
                less = _grouped(connection, expired, parameters)
                tags, types, months = (
                    _most_counted(connection, project_id, facet, less[facet], most) for facet in _FACETS
                )
        return FacetCounts(tags, types, months)


def page(
    connection: sqlite3.Connection, project_id: str, filters: Filters, limit: int, offset: int, after: ListCursor | None
) -> tuple[str, Parameters]:
    """Return the statement that finds the numbers of the items of a page of a list, in no order."""
    paged = {"limit": limit, "offset": offset}
    if not (filters.tags or filters.any_tags):
        condition, parameters = filter_condition(project_id, filters)
        behind, marked = _behind(after)
        return (
            f"SELECT a.item {_source(filters)} WHERE {condition}{behind} ORDER BY {NEWEST} LIMIT :limit OFFSET :offset",
            parameters | marked | paged,
        )
    found, parameters = selects(connection, project_id, filters, MARK, after=after)
    listed = f"{' UNION '.join(found)} {IN_ORDER} LIMIT :limit OFFSET :offset"
    return f"SELECT item FROM ({listed})", parameters | paged


def _behind(after: ListCursor | None) -> tuple[str, Parameters]:
    if after is None:
        return "", {}
    happened, created = to_microseconds(after.happened_at), to_microseconds(after.created_at)
    return f" AND {_BEHIND}", {"after_happened": happened, "after_created": created, "after_id": after.id}


def selects(
    connection: sqlite3.Connection,
    project_id: str,
    filters: Filters,
    columns: str,
    *,
    after: ListCursor | None = None,
    also: str = "",
) -> tuple[list[str], Parameters]:
    """Return statements that together find the items that pass, and their parameters; one may be found by several.

    With tags they walk the lists of these, of all tags that must be there that of the rarest. `columns` may leave it
    open from which table `{0}` they come. `also` is one more condition on an artifact `a`.
    """
    behind, marked = _behind(after)
    behind += f" AND {also}" if also else ""
    if not (filters.tags or filters.any_tags):
        condition, parameters = filter_condition(project_id, filters)
        return [f"SELECT {columns.format('a')} {_source(filters)} WHERE {condition}{behind}"], parameters | marked
    walked, checked, parameters = list(dict.fromkeys(filters.any_tags)), "", dict[str, Any]()
    if filters.tags:
        rarest, *others = _rarest_first(connection, project_id, filters.tags)
        checked, parameters = _has_tags(others, walked)
        walked = [rarest]
    is_told = not also and _asked(filters) <= _TOLD
    source, table, among = (_FROM_LISTS, "a", LISTED) if is_told else (_FROM_ITEMS, "l", CURRENT)
    condition, more = filter_condition(project_id, replace(filters, tags=(), any_tags=()), among=among)
    names = {f"walked{number}": tag for number, tag in enumerate(walked)}
    return [
        f"SELECT {columns.format(table)} {source.format(tag=name)} AND {condition}{behind}{checked}" for name in names
    ], parameters | more | marked | names


def passing(connection: sqlite3.Connection, project_id: str, filters: Filters, most: int) -> tuple[str, Parameters]:
    """Return a statement that finds the ids and numbers of `most` of the items that pass, each once."""
    found, parameters = selects(connection, project_id, filters, "{0}.id AS id, {0}.item AS item")
    some = " UNION ".join(f"SELECT * FROM ({one} LIMIT :most)" for one in found)  # so few are soon merged
    return f"SELECT * FROM ({some}) LIMIT :most", parameters | {"most": most}


def _source(filters: Filters) -> str:
    return _FROM_STASHES if filters.stashes else "FROM artifacts a"


def _has_tags(every: Sequence[str], some: Sequence[str]) -> tuple[str, Parameters]:
    """Return the condition that an item has each of some tags, and one of others if there are any."""
    groups = [*([tag] for tag in every), *([some] if some else [])]
    named = {f"has{n}_{m}": tag for n, tags in enumerate(groups) for m, tag in enumerate(tags)}
    lists = (", ".join(f":has{n}_{m}" for m in range(len(tags))) for n, tags in enumerate(groups))
    return "".join(f" AND {HAS_TAG.format(tags=tags)}" for tags in lists), named


def _rarest_first(connection: sqlite3.Connection, project_id: str, tags: Sequence[str]) -> list[str]:
    """Return the tags, each once, the ones with the fewest items first; one that no item has is the first."""
    tags = list(dict.fromkeys(tags))
    named, listed = _named(tags)
    sql = _RAREST_FIRST.format(tags=listed)
    known = [row[0] for row in connection.execute(sql, named | {"project_id": project_id})]
    return [tag for tag in tags if tag not in set(known)] + known


def _named(tags: Sequence[str]) -> tuple[Parameters, str]:
    named = {f"tag{number}": tag for number, tag in enumerate(tags)}
    return named, ", ".join(f":{name}" for name in named)


def _asked(filters: Filters) -> set[str]:
    """Return the fields that are not the default."""
    nothing = Filters(at=filters.at)
    return {item.name for item in fields(Filters) if getattr(filters, item.name) != getattr(nothing, item.name)}


def count(connection: sqlite3.Connection, project_id: str, filters: Filters) -> int:
    """Return how many current items pass."""
    asked = _asked(filters)
    if asked <= {"context"}:
        parameters: Parameters = {"project_id": project_id, "context": filters.context}
        total = _number(connection, _COUNTED + (" AND value = :context" if filters.context else ""), parameters)
        return total - _num_expired(connection, project_id, filters)
    if asked in ({"tags"}, {"any_tags"}):
        # Numbers in their order are merged, and no other row is read.
        parameters, _ = _named(tags := list(dict.fromkeys(filters.tags or filters.any_tags)))
        merge = " INTERSECT " if filters.tags else " UNION "
        merged = merge.join(_TAGGED.format(tag=f"tag{number}") for number in range(len(tags)))
        total = _number(
            connection, f"SELECT count(*) FROM ({merged} ORDER BY 1)", parameters | {"project_id": project_id}
        )
        return total - _num_expired(connection, project_id, filters)
    found, parameters = selects(connection, project_id, filters, MARK)
    if len(found) == 1:
        return _number(connection, f"SELECT count(*) FROM ({found[0]})", parameters)
    return _number(connection, f"SELECT count(*) FROM ({' UNION '.join(found)} {IN_ORDER})", parameters)


def _num_expired(connection: sqlite3.Connection, project_id: str, filters: Filters) -> int:
    """Return how many items pass but are expired: mostly none, and that is seen at once."""
    _, parameters = filter_condition(project_id, filters)
    if _number(connection, f"SELECT EXISTS (SELECT 1 FROM artifacts a WHERE {EXPIRED})", parameters) == 0:
        return 0
    condition, parameters = filter_condition(project_id, filters, of_named=True, among=EXPIRED)
    return _number(connection, f"SELECT count(*) FROM artifacts a WHERE {condition}", parameters)


def _number(connection: sqlite3.Connection, sql: str, parameters: Parameters) -> int:
    return int(connection.execute(sql, parameters).fetchone()[0])


def _grouped(connection: sqlite3.Connection, matched: str, parameters: Parameters) -> dict[str, dict[str, int]]:
    """Return by facet how many of the matched items have each of its values."""
    counted: dict[str, dict[str, int]] = {facet: {} for facet in _FACETS}
    for facet, value, number in connection.execute(_GROUPED.format(matched=matched), parameters):
        counted[facet][value] = number
    return counted


def _best(counted: Mapping[str, int], most: int, *, num_values: int | None = None) -> FacetCount:
    """Return the most frequent values, and how many more there are of the `num_values` in all."""
    best = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:most]
    return FacetCount(tuple(best), (len(counted) if num_values is None else num_values) - len(best))


def _most_counted(
    connection: sqlite3.Connection, project_id: str, facet: str, expired: Mapping[str, int], most: int
) -> FacetCount:
    """Return what `_best` would of all current items.

    As many more values are read as the expired items have: those left are the most frequent without them.
    """
    parameters: Parameters = {"project_id": project_id, "facet": facet, "most": most + len(expired)}
    rows = dict(connection.execute(_MOST_COUNTED, parameters).fetchall())
    left = {value: number - expired.get(value, 0) for value, number in rows.items()}
    gone = sum(number == 0 for number in left.values())
    some = {value: number for value, number in left.items() if number > 0}
    return _best(some, most, num_values=_number(connection, _NUM_VALUES, parameters) - gone)
