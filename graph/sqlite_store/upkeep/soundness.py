"""`Soundness` on SQLite: the file by its own checks, and each derived table set against what it is derived from."""

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from core.integrity import MISSPELT, IntegrityIssue, Part
from graph.sqlite_store.database.connections import Database
from graph.sqlite_store.database.row_numbers import PROJECT_BITS
from graph.sqlite_store.database.term_counts import rebuild_terms, spellings
from graph.sqlite_store.items.full_text import rebuild_full_text
from graph.sqlite_store.upkeep import soundness_queries as queries
from graph.sqlite_store.upkeep.repair import repair_graph, repair_lists
from graph.text.term_vectors import lost_words, packed_counts, tally, word_counts, words_of

_INDEXES: Final = ("words", "trigrams", "grams")
#: Lines of SQLite's own report that are told.
_MOST_LINES: Final = 5

#: A project, None if it is not known, and what is wrong in it.
_Found = tuple[str | None, str]


class SqliteSoundness:
    """Fulfils `graph.protocols.administration.Soundness`."""

    _database: Database

    def integrity_issues(self) -> list[IntegrityIssue]:
        with self._database.reading() as connection:
            if damage := _damage(connection):
                return damage
            found = [
                *_dangling(connection),
                *(issue for check in queries.CHECKS for issue in _asked(connection, *check)),
                *IntegrityIssue.by_project(
                    "words", "stashed items can't be found by fragments", _unfound_fragments(connection)
                ),
                *_miscounted(connection),
                *IntegrityIssue.by_project("graph", "quotes are not in their item", _misquoted(connection)),
            ]
        return [*found, *self._spoilt_indexes()]

    def repair(self, parts: Collection[Part]) -> Mapping[str, Sequence[str]]:
        again: Mapping[str, Sequence[str]] = {}
        with self._database.writing() as connection:
            if "graph" in parts:
                again = repair_graph(connection, _misquoted(connection))
            if "lists" in parts:
                repair_lists(connection)
            if "words" in parts:
                rebuild_full_text(connection)
                rebuild_terms(connection)
        return again

    def _spoilt_indexes(self) -> list[IntegrityIssue]:
        """Have FTS5 check its indexes, which it does as if it wrote; that of words is compared with the chunks."""
        spoilt = []
        for index in _INDEXES:
            check = f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', {int(index == 'words')})"
            with self._database.writing(keep=False) as connection:
                try:
                    connection.execute(check)
                except sqlite3.DatabaseError as error:
                    if not error.sqlite_errorname.startswith("SQLITE_CORRUPT"):
                        raise
                    spoilt.append(index)
        return IntegrityIssue.by_project(
            "words", "full-text indexes do not hold what they stand for", [(None, one) for one in spoilt]
        )


def _damage(connection: sqlite3.Connection) -> list[IntegrityIssue]:
    """Return what SQLite says of the file itself; the rest of a damaged file is not looked at."""
    rows = connection.execute(f"PRAGMA integrity_check({_MOST_LINES})").fetchall()
    # A newer SQLite names spoilt full-text indexes here, which can be rebuilt.
    lines = [str(row[0]) for row in rows if row[0] != "ok" and "FTS5" not in row[0]]
    return IntegrityIssue.by_project("record", "faults are in the file", [(None, line) for line in lines])


def _dangling(connection: sqlite3.Connection) -> Iterator[IntegrityIssue]:
    """Yield how many rows of each table point to what is not there."""
    rows = Counter((row[0], row[2]) for row in connection.execute("PRAGMA foreign_key_check"))
    for (table, parent), number in sorted(rows.items()):
        part: Part = "record" if table in queries.RECORD_TABLES else "graph"
        yield IntegrityIssue(part, f"rows of {table} point to nothing in {parent}", unnamed=number)


def _asked(connection: sqlite3.Connection, part: Part, what: str, sql: str) -> list[IntegrityIssue]:
    return IntegrityIssue.by_project(part, what, connection.execute(sql))


def _unfound_fragments(connection: sqlite3.Connection) -> Iterator[_Found]:
    """Yield the stashed items that are not in both indexes of fragments, and entries of others."""
    held = []
    for index in ("trigrams", "grams"):
        connection.execute(f"CREATE VIRTUAL TABLE temp.entries USING fts5vocab ('main', '{index}', 'instance')")
        held.append({row[0] for row in connection.execute("SELECT DISTINCT doc FROM temp.entries")})
        connection.execute("DROP TABLE temp.entries")
    trigrams, grams = held
    known = {item: (project, id_) for item, project, id_ in connection.execute(queries.STASHED)}
    for item, place in known.items():
        # Two characters have no trigram; folding may make three of them.
        text = connection.execute(queries.CONTENT, (item,)).fetchone()
        if item not in grams or (item not in trigrams and len(text[0]) > 2):
            yield place
    names = dict(connection.execute("SELECT number, project_id FROM projects"))
    for item in (trigrams | grams) - known.keys():
        yield names.get(item >> PROJECT_BITS), f"entry {item}"


def _miscounted(connection: sqlite3.Connection) -> Iterator[IntegrityIssue]:
    """Yield what is wrong with the terms of chunks and how they are counted."""
    for number, project_id, num_chunks, num_terms in connection.execute(queries.TOTALS).fetchall():
        num_with, total, chunks, wrong, known = Counter[int](), 0, 0, [], set[int]()
        for id_, position, kept, text in connection.execute(queries.TERMS, _range(number)):
            counts = word_counts(text)
            vector = packed_counts(counts)
            if vector != kept:
                wrong.append((project_id, f"{id_}:{position}"))
            counted, terms = tally([vector])
            num_with.update(counted)
            known.update(words_of(counted, [counts]))
            total, chunks = total + terms, chunks + 1
        yield from IntegrityIssue.by_project("words", "chunks have other terms than their text", wrong)
        stored = dict(connection.execute("SELECT term, num_chunks FROM terms WHERE project = ?", (number,)))
        off = [str(term) for term in stored.keys() | num_with.keys() if stored.get(term) != num_with.get(term)]
        if (num_chunks, num_terms) != (chunks, total):
            off.append("all together")
        yield from IntegrityIssue.by_project("words", "terms are counted wrongly", [(project_id, term) for term in off])
        unfound = [(project_id, str(term)) for term in _misspelt(connection, number, known)]
        yield from IntegrityIssue.by_project("words", MISSPELT, unfound)


def _misspelt(connection: sqlite3.Connection, project: int, known: Collection[int]) -> set[int]:
    """Return the terms whose word is lost or another's, and those that are not kept under just what it is found by."""
    words = dict(connection.execute("SELECT term, word FROM terms WHERE project = ?", (project,)))
    kept = set(connection.execute("SELECT project, variant, term FROM spellings WHERE project = ?", (project,)))
    return lost_words(words, known) | {term for _, _, term in kept.symmetric_difference(spellings(project, words))}


def _range(project: int) -> tuple[int, int]:
    return project << PROJECT_BITS, (project + 1 << PROJECT_BITS) - 1


def _misquoted(connection: sqlite3.Connection) -> Iterator[_Found]:
    """Yield the items that events quote otherwise than they read."""
    for item, rows in groupby(connection.execute(queries.QUOTES).fetchall(), key=lambda row: row[0]):
        content = connection.execute(queries.CONTENT, (item,)).fetchone()
        for _, project_id, id_, start, end, quote in rows:
            if content is not None and content[0][start:end] != quote:
                yield project_id, id_
