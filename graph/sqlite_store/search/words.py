"""`Words` on SQLite: FTS5 by stem over chunks, by trigram and pair over stashed items."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Final

from core.filters import Filters
from core.records import Scored
from graph.sqlite_store.database.connections import Database
from graph.sqlite_store.database.filters import passing
from graph.sqlite_store.database.row_numbers import WITHIN_PROJECT
from graph.sqlite_store.database.term_counts import NUM_WITH, rebuild_terms
from graph.sqlite_store.database.text_folding import quoted
from graph.sqlite_store.items.stash_index import rebuild_stashed
from graph.sqlite_store.search.fragments import containing
from graph.text.term_vectors import terms as terms_of_text

_FOUND: Final = f"""
FROM words CROSS JOIN chunks c ON c.id = words.rowid CROSS JOIN artifacts a ON a.item = c.item
WHERE words MATCH :query AND words.rowid {WITHIN_PROJECT} AND {{condition}}
"""
# Rows come out of the index best first; filters that most pass are checked only until enough have passed.
_BEST_FIRST: Final = f"SELECT a.id, c.position, -words.rank {_FOUND} ORDER BY words.rank LIMIT :limit"
# Filters that few pass are checked first, and only what passes is scored.
_PASSING_FIRST: Final = f"SELECT a.id, c.position, -bm25(words) AS score {_FOUND} ORDER BY score DESC LIMIT :limit"

#: A search looks at common words only if the rarer ones together are in fewer chunks than this.
_MANY_HITS: Final = 500


class SqliteWords:
    """Fulfils `graph.protocols.words.Words`.

    BM25 with k1 = 1.2 and b = 0.75 (FTS5 has no others); how rare a term is, and the average length, come from all
    projects of the file (docs/decisions/word-candidates-count-all-projects.md).
    """

    _database: Database

    def search(
        self, project_id: str, terms: Sequence[str], filters: Filters, limit: int, *, enough: int | None = None
    ) -> list[Scored]:
        phrases = {term: phrase for term in dict.fromkeys(terms) if (phrase := quoted(term)) is not None}
        if not phrases:
            return []
        condition, parameters = passing(project_id, filters)
        sql = (_PASSING_FIRST if filters.selects else _BEST_FIRST).format(condition=condition)
        rows: list[tuple[str, int, float]] = []
        with self._database.reading() as connection:
            for some in _rarest_first(connection, project_id, list(phrases), max(_MANY_HITS, 8 * limit)):
                query = {"query": " OR ".join(phrases[term] for term in some), "limit": limit}
                rows = connection.execute(sql, parameters | query).fetchall()
                if len(rows) >= (limit if enough is None else min(enough, limit)):
                    break
        return [Scored(*row) for row in rows]

    def containing(
        self, project_id: str, fragments: Sequence[str], filters: Filters, limit: int, offset: int = 0
    ) -> tuple[list[str], int]:
        with self._database.reading() as connection:
            return containing(connection, project_id, fragments, filters, limit, offset)

    def rebuild(self) -> int:
        with self._database.writing() as connection:
            connection.execute("INSERT INTO words (words) VALUES ('rebuild')")
            rebuild_stashed(connection)
            return rebuild_terms(connection)


def _rarest_first(
    connection: sqlite3.Connection, project_id: str, words: Sequence[str], most: int
) -> Iterator[Sequence[str]]:
    """Yield the rarest of the words, as many as at most `most` chunks have in all, but one at least.

    Then more of them, as many as eight times that many chunks have, and so on; at last all words. Scoring a chunk costs
    two microseconds, and in a large project nearly each chunk has some common word.
    """
    of_words = {word: terms_of_text(word) for word in words}
    asked = {"project_id": project_id, "terms": str([term for several in of_words.values() for term in several])}
    num_with: dict[int, int] = dict(connection.execute(NUM_WITH, asked).fetchall())
    # A stop word has no terms, and more chunks than are counted.
    rarity = {word: min((num_with.get(term, 0) for term in of_words[word]), default=most + 1) for word in words}
    total, rarest = 0, list[str]()
    for word in sorted(words, key=rarity.__getitem__):
        total += rarity[word]
        if rarest and total > most:
            yield tuple(rarest)
        while total > most:
            most *= 8
        rarest.append(word)
    yield rarest
