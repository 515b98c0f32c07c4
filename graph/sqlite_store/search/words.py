"""`Words` on SQLite: FTS5 by stem over chunks, by trigram and pair over stashed items."""

import sqlite3
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from core.filters import Filters
from core.records import Scored
from graph.sqlite_store.database.connection import Database
from graph.sqlite_store.database.rows import WITHIN_PROJECT, Parameters, filter_condition
from graph.sqlite_store.database.term_counts import rebuild_terms, spelling_variants, term_statistics
from graph.sqlite_store.database.text_folding import quoted
from graph.sqlite_store.items.full_text import rebuild_full_text
from graph.sqlite_store.search.fragments import containing
from graph.text.term_vectors import Column, forms, rarest_first, scores
from graph.text.term_vectors import terms as terms_of_text

_IN_INDEX: Final = f"words MATCH :query AND words.rowid {WITHIN_PROJECT}"
#: All chunks that hold a word; filters that most pass are checked afterwards, of the best.
_HOLDING: Final = f"SELECT c.id, c.terms FROM words CROSS JOIN chunks c ON c.id = words.rowid WHERE {_IN_INDEX}"
#: Where a filter leaves few, only what passes is scored.
_PASSING: Final = f"""
SELECT c.id, c.terms FROM words CROSS JOIN chunks c ON c.id = words.rowid CROSS JOIN artifacts a ON a.item = c.item
WHERE {_IN_INDEX} AND {{condition}}
"""
_HOLDING_STOP_WORD: Final = f"SELECT words.rowid FROM words WHERE {_IN_INDEX}"
_PLACES: Final = """
SELECT c.id, a.id, c.position FROM json_each(:chunks) w CROSS JOIN chunks c ON c.id = w.value
CROSS JOIN artifacts a ON a.item = c.item WHERE {condition}
"""


class SqliteWords:
    """Fulfils `graph.protocols.search.Words`.

    FTS5 finds; its own BM25 is not used, whose statistics are those of all projects of the file.
    """

    _database: Database

    def search(
        self, project_id: str, terms: Sequence[str], filters: Filters, limit: int, *, enough: int | None = None
    ) -> list[Scored]:
        phrases = {term: phrase for term in dict.fromkeys(terms) if (phrase := quoted(term)) is not None}
        if not phrases or limit < 1:
            return []
        of_words = {word: terms_of_text(word) for word in phrases}
        found: list[Scored] = []
        with self._database.reading() as connection:
            every = list({term for of_word in of_words.values() for term in of_word})
            statistics = term_statistics(connection, project_id, every)
            queries = {word: " OR ".join(forms(word, phrases[word], statistics.num_with)) for word in phrases}
            for some in rarest_first(of_words, statistics.num_with, limit):
                ids, vectors, num_stop_words = _matches(
                    connection, project_id, {queries[word]: of_words[word] for word in some}, filters
                )
                wanted = [term for word in some for term in of_words[word]]
                column = scores(vectors, num_stop_words, wanted, statistics)
                found = _best(connection, project_id, ids, column, filters, limit)
                if len(found) >= (limit if enough is None else min(enough, limit)):
                    break
        return found

    def spelling_variants(self, project_id: str, words: Sequence[str]) -> dict[str, list[str]]:
        with self._database.reading() as connection:
            return spelling_variants(connection, project_id, words)

    def search_substrings(
        self, project_id: str, fragments: Sequence[str], filters: Filters, limit: int, offset: int = 0
    ) -> tuple[list[str], int]:
        with self._database.reading() as connection:
            return containing(connection, project_id, fragments, filters, limit, offset)

    def rebuild(self) -> int:
        with self._database.writing() as connection:
            rebuild_full_text(connection)
            return rebuild_terms(connection)


def _matches(
    connection: sqlite3.Connection, project_id: str, phrases: dict[str, list[int]], filters: Filters
) -> tuple[list[int], list[bytes], list[int]]:
    """Return the chunks that hold one of the phrases, given with their terms: numbers, term vectors, and how many of
    the phrases without terms each holds.
    """
    parameters: Parameters = {"project_id": project_id, "query": " OR ".join(phrases)}
    sql = _HOLDING
    if filters.selects:
        condition, named = filter_condition(project_id, filters)
        sql, parameters = _PASSING.format(condition=condition), parameters | named
    rows: list[tuple[int, bytes]] = connection.execute(sql, parameters).fetchall()
    held = Counter[int]()
    for phrase in (phrase for phrase, terms in phrases.items() if not terms):
        held.update(row[0] for row in connection.execute(_HOLDING_STOP_WORD, parameters | {"query": phrase}))
    return [row[0] for row in rows], [row[1] for row in rows], [held[row[0]] for row in rows]


def _best(
    connection: sqlite3.Connection, project_id: str, ids: Sequence[int], column: Column, filters: Filters, limit: int
) -> list[Scored]:
    """Return the best chunks that pass; of equal ones those stored first."""
    condition, parameters = filter_condition(project_id, filters, of_named=True)
    sql = _PLACES.format(condition=condition)
    order = np.lexsort((np.array(ids, dtype=np.int64), -column))
    best: list[Scored] = []
    step = limit
    for start in range(0, len(order), step):
        some = {ids[row]: float(column[row]) for row in order[start : start + step].tolist()}
        rows = connection.execute(sql, parameters | {"chunks": str(list(some))}).fetchall()
        places = {id_: (artifact_id, index) for id_, artifact_id, index in rows}
        best += [Scored(*places[id_], score) for id_, score in some.items() if id_ in places]
        if len(best) >= limit:
            break
    return best[:limit]
