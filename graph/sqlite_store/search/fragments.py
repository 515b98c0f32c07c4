"""Stashed items by what stands anywhere in them: item numbers in their order, merged, and a page read off."""

import sqlite3
from collections.abc import Sequence
from typing import Final

from core.filters import Filters
from graph.sqlite_store.database.rows import CURRENT, NEWEST, WITHIN_PROJECT, Parameters, current
from graph.sqlite_store.database.text_folding import folded, gram, trigram_phrase
from graph.sqlite_store.lists import EXPIRED, IN_ORDER, MARK, count, selects

_SHORT: Final = f"SELECT rowid AS item FROM grams WHERE grams MATCH :short AND rowid {WITHIN_PROJECT}"
_LONG: Final = f"SELECT rowid AS item FROM trigrams WHERE trigrams MATCH :long AND rowid {WITHIN_PROJECT}"
_STASHED: Final = "a.stashed = 1"
_MATCHED: Final = "WITH m (item) AS MATERIALIZED ({matched})"
_SORTED_PAGE: Final = f"""
{_MATCHED} SELECT a.id FROM m CROSS JOIN artifacts a ON a.item = m.item
ORDER BY {NEWEST} LIMIT :limit OFFSET :offset
"""
#: Goes through `listed` in its order, not through the matches: these lie all over the file.
_LISTED_PAGE: Final = f"""
{_MATCHED} SELECT a.id, (SELECT count(*) FROM m) FROM ({{listed}}) a WHERE +a.item IN (SELECT item FROM m)
ORDER BY {NEWEST} LIMIT :limit OFFSET :offset
"""
_ALL_STASHED: Final = f"SELECT {MARK.format('a')} FROM artifacts a WHERE {_STASHED} AND {CURRENT}"
_WALKED_PAGE: Final = f"""
SELECT a.id FROM artifacts a WHERE {_STASHED} AND {CURRENT} AND {{matching}}
ORDER BY {{order}} LIMIT :limit OFFSET :offset
"""
_OLDEST: Final = "a.happened_at, a.created_at, a.id DESC"
_NUM_CURRENT: Final = "SELECT sum(number) FROM facet_counts WHERE project_id = :project_id AND facet = 'type'"
_CONTENT: Final = "SELECT content FROM contents WHERE item = ?"
#: Where the filters leave no more items, and no more tokens of these, they are read; asking the index for a common
#: word takes as long as reading 200,000 tokens.
_FEW, _FEW_TOKENS = 2_000, 200_000
#: With more matches than this the page is found by going through the items from the newest, not by sorting matches.
_MANY: Final = 20_000
#: What it costs to ask the index about one item, in what reading one of its rows in order costs.
_PROBE: Final = 300


def containing(
    connection: sqlite3.Connection,
    project_id: str,
    fragments: Sequence[str],
    filters: Filters,
    limit: int,
    offset: int,
) -> tuple[list[str], int]:
    """Do what `Words.search_substrings` promises."""
    wanted = [folded(fragment) for fragment in fragments if fragment]
    indexes, queries = _indexes(wanted)
    parameters: Parameters = current(project_id, filters.at) | {"limit": limit, "offset": offset}
    if not indexes:
        return _all(connection, project_id, filters, parameters)
    if filters.selects:
        return _narrowed(connection, project_id, wanted, filters, indexes, parameters | queries)
    matched = f"{' INTERSECT '.join(indexes)} ORDER BY 1"
    parameters |= queries
    total = _number(connection, f"SELECT count(*) FROM ({matched})", parameters)
    expired = f"SELECT a.item FROM artifacts a WHERE {EXPIRED}"
    if total and _number(connection, f"SELECT EXISTS ({expired})", parameters):
        matched = f"SELECT item FROM ({matched}) EXCEPT {expired} ORDER BY 1"
        total = _number(connection, f"SELECT count(*) FROM ({matched})", parameters)
    if offset >= total:
        return [], total
    if total <= _MANY:
        return [row[0] for row in connection.execute(_SORTED_PAGE.format(matched=matched), parameters)], total
    if _is_cheap_walk(connection, min(limit + offset, total - offset), total, parameters):
        matching = " AND ".join(f"EXISTS ({index} AND rowid = a.item)" for index in indexes)
    else:
        matching = f"+a.item IN ({matched})"
    return _walked(connection, matching, total, parameters), total


def _walked(connection: sqlite3.Connection, matching: str, total: int, parameters: Parameters) -> list[str]:
    """Return a page of the `total` stashed items that match, found from the end of the list that is nearer to it."""
    offset = parameters["offset"]
    end = min(offset + parameters["limit"], total)
    order, step = NEWEST, 1
    if total - end < offset:
        order, step = _OLDEST, -1
        parameters |= {"offset": total - end, "limit": end - offset}
    rows = connection.execute(_WALKED_PAGE.format(matching=matching, order=order), parameters)
    return [row[0] for row in rows][::step]


def _narrowed(
    connection: sqlite3.Connection,
    project_id: str,
    wanted: Sequence[str],
    filters: Filters,
    indexes: Sequence[str],
    parameters: Parameters,
) -> tuple[list[str], int]:
    """Find those that pass filters: few of them by reading them, else by merging them with what the indexes find."""
    number = count(connection, project_id, filters)
    if number <= _FEW:
        read = _read(connection, project_id, wanted, filters)
        if read is not None:
            offset = parameters["offset"]
            return read[offset : offset + parameters["limit"]], len(read)
    found, named = selects(connection, project_id, filters, "a.item AS item")
    matched = " INTERSECT ".join((*indexes, f"SELECT item FROM ({' UNION '.join(found)})")) + " ORDER BY 1"
    listed, _ = selects(connection, project_id, filters, MARK)
    if len(listed) > 1 and number > _MANY:  # lists of several tags are sorted first
        listed = [_ALL_STASHED]
    page = _LISTED_PAGE.format(matched=matched, listed=" UNION ".join(listed))
    rows = connection.execute(page, parameters | named).fetchall()
    # No row tells of the total behind the last page.
    total = rows[0][1] if rows else _number(connection, f"SELECT count(*) FROM ({matched})", parameters | named)
    return [row[0] for row in rows], total


def _read(connection: sqlite3.Connection, project_id: str, wanted: Sequence[str], filters: Filters) -> list[str] | None:
    """Return the ids of the items that hold the folded fragments, by reading each that passes; None if that is much."""
    found, parameters = selects(connection, project_id, filters, MARK + ", a.token_count", also=_STASHED)
    rows = connection.execute(f"{' UNION '.join(found)} {IN_ORDER}", parameters).fetchall()
    if sum(row[-1] for row in rows) > _FEW_TOKENS:
        return None
    texts = ((id_, folded(connection.execute(_CONTENT, (item,)).fetchone()[0])) for _, _, id_, item, _ in rows)
    return [id_ for id_, text in texts if all(fragment in text for fragment in wanted)]


def _indexes(fragments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return the statements that find stashed items with all folded fragments, none for all, and their parameters."""
    short = " ".join(gram(fragment) for fragment in fragments if len(fragment) < 3)
    long = " ".join(trigram_phrase(fragment) for fragment in fragments if len(fragment) >= 3)
    asked = {"long": (_LONG, long), "short": (_SHORT, short)}
    return [statement for statement, query in asked.values() if query], {n: q for n, (_, q) in asked.items() if q}


def _is_cheap_walk(connection: sqlite3.Connection, places: int, total: int, parameters: Parameters) -> bool:
    """Whether asking of each item from the newest on costs less than making a set of all that match."""
    probes = places * _number(connection, _NUM_CURRENT, parameters) // total
    return probes * _PROBE <= total


def _all(connection: sqlite3.Connection, project_id: str, filters: Filters, paged: Parameters) -> tuple[list[str], int]:
    found, parameters = selects(connection, project_id, filters, MARK, also=_STASHED)
    listed = " UNION ".join(found)
    total = _number(connection, f"SELECT count(*) FROM ({listed})", parameters)
    page = f"SELECT id FROM ({listed} {IN_ORDER} LIMIT :limit OFFSET :offset)"
    return [row[0] for row in connection.execute(page, parameters | paged)], total


def _number(connection: sqlite3.Connection, sql: str, parameters: Parameters) -> int:
    return int(connection.execute(sql, parameters).fetchone()[0])
