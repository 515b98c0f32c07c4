"""`Words` on SQLite: FTS5 by stem over chunks, by trigram and pair over stashed items."""

from collections.abc import Sequence
from typing import Any, Final

from core.filters import Filters
from core.records import Scored
from graph.sqlite_store.connections import Database
from graph.sqlite_store.filtering import NEWEST, passing
from graph.sqlite_store.stashing import rebuild_stashed
from graph.sqlite_store.text import folded, gram, project_word, quoted, trigram_phrase

# Rows come out of the index best first, so that filters are checked only until enough have passed.
_SEARCH: Final = """
SELECT a.id, c.position, -words.rank FROM words CROSS JOIN chunks c ON c.id = words.rowid
CROSS JOIN artifacts a ON a.item = c.item
"""
_MATCHING: Final = "SELECT a.id, a.happened_at, a.created_at FROM {source} WHERE a.stashed = 1 AND {condition}"
# The number and the page from one pass over the matches.
_COUNTED_PAGE: Final = f"""
WITH a AS MATERIALIZED ({{matching}})
SELECT count(*) FROM a
UNION ALL
SELECT id FROM (SELECT a.id FROM a ORDER BY {NEWEST} LIMIT :limit OFFSET :offset)
"""


class SqliteWords:
    """Fulfils `graph.store.Words`.

    BM25 with k1 = 1.2 and b = 0.75 (FTS5 has no others); how rare a term is comes from all projects of the file.
    """

    _database: Database

    def search(self, project_id: str, terms: Sequence[str], filters: Filters, limit: int) -> list[Scored]:
        phrases = [phrase for phrase in map(quoted, dict.fromkeys(terms)) if phrase is not None]
        if not phrases:
            return []
        condition, parameters = passing(project_id, filters)
        query = f"project : {project_word(project_id)} AND {{prefix text}} : ({' OR '.join(phrases)})"
        sql = f"{_SEARCH} WHERE words MATCH :query AND {condition} ORDER BY words.rank LIMIT :limit"
        with self._database.reading() as connection:
            rows = connection.execute(sql, parameters | {"query": query, "limit": limit}).fetchall()
        return [Scored(*row) for row in rows]

    def containing(
        self, project_id: str, fragments: Sequence[str], filters: Filters, limit: int, offset: int = 0
    ) -> tuple[list[str], int]:
        condition, parameters = passing(project_id, filters)
        source, queries = _source(project_id, [folded(fragment) for fragment in fragments])
        sql = _COUNTED_PAGE.format(matching=_MATCHING.format(source=source, condition=condition))
        with self._database.reading() as connection:
            rows = connection.execute(sql, parameters | queries | {"limit": limit, "offset": offset}).fetchall()
        return [row[0] for row in rows[1:]], rows[0][0]

    def rebuild(self) -> int:
        with self._database.writing() as connection:
            connection.execute("INSERT INTO words (words) VALUES ('rebuild')")
            rebuild_stashed(connection)
            return int(connection.execute("SELECT count(*) FROM chunks").fetchone()[0])


def _source(project_id: str, fragments: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Return where stashed items with all fragments come from, as `a`, and its parameters."""
    source, queries = "artifacts a", {}
    short = [gram(fragment) for fragment in fragments if 0 < len(fragment) < 3]
    long = [trigram_phrase(fragment) for fragment in fragments if len(fragment) >= 3]
    if short:
        queries["grams"] = " ".join([project_word(project_id), *short])
        source = f"(SELECT rowid AS item FROM grams WHERE grams MATCH :grams) g CROSS JOIN {source} ON a.item = g.item"
    if long:
        queries["trigrams"] = " ".join(long)
        inner = "(SELECT rowid AS item FROM trigrams WHERE trigrams MATCH :trigrams) t"
        source = (
            f"{inner} CROSS JOIN {source} ON a.item = t.item"
            if not short
            else f"{inner} JOIN {source} AND g.item = t.item"
        )
    return source, queries
