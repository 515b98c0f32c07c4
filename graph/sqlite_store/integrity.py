"""What is derived compared with its source, and repaired."""

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from core.dates import now
from core.records import MISSPELT, UNCUT, IntegrityIssue, Part
from graph.sqlite_store.artifact_knowledge import connect_event, delete_events_without_evidence, refresh
from graph.sqlite_store.database.connection import Database, read_in_batches
from graph.sqlite_store.database.full_text import rebuild_full_text
from graph.sqlite_store.database.rows import PROJECT_BITS
from graph.sqlite_store.database.schema import FORMS, MONTH, SINCE
from graph.sqlite_store.database.term_counts import rebuild_terms, spellings
from graph.sqlite_store.database.word_schema import CHUNK_TEXT
from graph.text.term_vectors import lost_words, packed_counts, tally, word_counts, words_of
from graph.timestamps import to_microseconds

#: What nothing else could be made from; rows of all other tables that point to nothing are dropped.
RECORD_TABLES: Final = frozenset({"artifacts", "contents", "tags"})
DERIVED_TABLES: Final = (
    "chunks", "entities", "events", "claims", "names", "mentions", "evidence", "participants", "event_links",
    "event_terms", "likenesses", "readings", "findings", "sayings", "echoes", "lessons",
)  # fmt: skip

STASHED: Final = "SELECT item, project_id, id FROM artifacts WHERE stashed = 1 AND replaced_by IS NULL"
CONTENT: Final = "SELECT content FROM contents WHERE item = ?"
TOTALS: Final = "SELECT number, project_id, num_chunks, num_terms FROM projects"
TERMS: Final = f"""
SELECT a.id, c.position, c.terms, c.prefix || {CHUNK_TEXT} FROM chunks c JOIN artifacts a ON a.item = c.item
WHERE c.id BETWEEN ? AND ?
"""
QUOTES: Final = """
SELECT v.item, a.project_id, a.id, v.start_char, v.end_char, v.quote
FROM evidence v JOIN artifacts a ON a.item = v.item ORDER BY v.item
"""

# As graph.sqlite_store.artifact_knowledge makes them.
_STEPS: Final = """
    SELECT event AS source, n.type AS kind, 1.0 AS weight, entity AS target, relation FROM participants p
        JOIN entities n ON n.node = p.entity JOIN seen USING (event)
    UNION SELECT p.entity, e.category, e.weight, e.node, p.relation FROM participants p
        JOIN events e ON e.node = p.event JOIN entities n ON n.node = p.entity JOIN seen USING (event)
"""
_SEEN: Final = """
WITH seen (event) AS (
    SELECT DISTINCT v.event FROM evidence v JOIN artifacts a ON a.item = v.item WHERE a.replaced_by IS NULL
)
"""
_KEPT_STEPS: Final = "SELECT source, kind, weight, target, relation FROM adjacency"
MISSING_STEPS: Final = f"{_SEEN} SELECT * FROM ({_STEPS}) EXCEPT {_KEPT_STEPS}"
EXTRA_STEPS: Final = f"{_SEEN} {_KEPT_STEPS} EXCEPT SELECT * FROM ({_STEPS})"
_NAMED_STEP: Final = """
SELECT coalesce(one.project_id, other.project_id),
    coalesce(one.id, 'node ' || source) || ' > ' || coalesce(other.id, 'node ' || target) || ' ' || relation
FROM ({steps}) LEFT JOIN nodes one ON one.node = source LEFT JOIN nodes other ON other.node = target
"""

# The events and entities (originals) that each item is expected to have, and those that it has.
_EXPECTED_EVENTS: Final = "SELECT l.item, one.value AS id FROM lessons l, json_each(l.events) one"
_EXPECTED_ENTITIES: Final = "SELECT l.item, one.value AS id FROM lessons l, json_each(l.entities) one"
_STORED_EVENTS: Final = """
SELECT v.item, n.id FROM evidence v JOIN events e ON e.node = v.event JOIN nodes n ON n.node = v.event
"""
_STORED_ENTITIES: Final = """
SELECT c.item, iif(c.original = '', n.id, c.original) AS id FROM claims c JOIN entities e ON e.node = c.entity
    JOIN nodes n ON n.node = c.entity
"""
_MISSING_EVENTS: Final = f"{_EXPECTED_EVENTS} EXCEPT {_STORED_EVENTS}"
# What a person dismissed, and what is merged into that.
_DISMISSED: Final = """
WITH RECURSIVE dismissed (project_id, id) AS (
    SELECT project_id, one FROM verdicts WHERE kind = 'dismissed' AND undone_at IS NULL
    UNION SELECT v.project_id, v.other FROM dismissed d JOIN verdicts v ON v.project_id = d.project_id
        AND v.one = d.id AND v.kind = 'same' AND v.undone_at IS NULL)
SELECT a.item, d.id FROM dismissed d JOIN artifacts a ON a.project_id = d.project_id
"""
_MISSING_ENTITIES: Final = f"""
{_EXPECTED_ENTITIES} EXCEPT {_STORED_ENTITIES} EXCEPT SELECT item, id FROM ({_DISMISSED})
"""
# Another item's knowledge may name an event that has evidence in this one.
_UNEXPECTED_EVENTS: Final = f"""
SELECT there.item, there.id FROM ({_STORED_EVENTS}) there JOIN lessons USING (item)
WHERE there.id NOT IN (SELECT id FROM ({_EXPECTED_EVENTS}))
"""
_UNEXPECTED_ENTITIES: Final = f"""
SELECT item, id FROM ({_STORED_ENTITIES} EXCEPT {_EXPECTED_ENTITIES}) JOIN lessons USING (item)
"""
_OF_ITEMS: Final = "SELECT DISTINCT a.project_id, x.id FROM ({}) x JOIN artifacts a ON a.item = x.item"

#: Items to extract again. A step without its participant is what is left of one.
TO_EXTRACT: Final = f"""
SELECT item FROM ({_MISSING_EVENTS})
UNION SELECT item FROM ({_MISSING_ENTITIES})
UNION SELECT item FROM ({_UNEXPECTED_EVENTS})
UNION SELECT item FROM ({_UNEXPECTED_ENTITIES})
UNION SELECT item FROM evidence WHERE event NOT IN (SELECT node FROM events)
UNION SELECT item FROM claims WHERE entity NOT IN (SELECT node FROM entities)
UNION SELECT item FROM mentions WHERE entity NOT IN (SELECT node FROM entities)
UNION SELECT v.item FROM participants p JOIN evidence v USING (event) WHERE p.entity NOT IN (SELECT node FROM entities)
UNION SELECT v.item FROM ({EXTRA_STEPS}) s JOIN evidence v ON v.event IN (s.source, s.target)
"""
ORPHANED: Final = """
SELECT project_id, id FROM nodes WHERE node NOT IN (SELECT node FROM entities UNION SELECT node FROM events)
"""
UNPROVEN: Final = "SELECT node FROM events WHERE node NOT IN (SELECT event FROM evidence)"
UNNAMED: Final = "SELECT node FROM entities WHERE node NOT IN (SELECT entity FROM claims)"
MISNAMED: Final = """
SELECT entity FROM (SELECT entity, name FROM claims EXCEPT SELECT entity, name FROM names)
UNION SELECT entity FROM (SELECT entity, name FROM names EXCEPT SELECT entity, name FROM claims
    EXCEPT SELECT node, given_name FROM entities WHERE given_name IS NOT NULL)
"""
NUM_MENTIONS: Final = """
(SELECT count(*) FROM mentions m JOIN artifacts a ON a.item = m.item
    WHERE m.entity = entities.node AND a.replaced_by IS NULL)
"""
MISDATED: Final = f"since IS NOT {SINCE.format('node')}"

# As the triggers of `schema` keep them.
LISTED_TAGS: Final = f"""
SELECT t.project_id, t.form, a.happened_at, a.created_at, a.id, a.item, a.context, a.expires_at,
    a.utc_offset
FROM ({FORMS}) t JOIN artifacts a ON a.item = t.item
"""
_KEPT_TAGS: Final = (
    "SELECT project_id, form, happened_at, created_at, id, item, context, expires_at, utc_offset FROM tag_lists"
)
_MONTH: Final = MONTH.format("happened_at + utc_offset")
COUNTED_FACETS: Final = f"""
SELECT project_id, 'tag' AS facet, tag AS value, count(*) AS number FROM tags GROUP BY project_id, tag
UNION ALL SELECT project_id, 'form', form, count(*) FROM ({FORMS}) GROUP BY project_id, form
UNION ALL SELECT project_id, 'type', context, count(*) FROM artifacts WHERE replaced_by IS NULL
    GROUP BY project_id, context
UNION ALL SELECT project_id, 'month', {_MONTH}, count(*) FROM artifacts WHERE replaced_by IS NULL
    GROUP BY project_id, {_MONTH}
"""
_KEPT_FACETS: Final = "SELECT project_id, facet, value, number FROM facet_counts"

#: A part, what goes on after the number of what the statement finds, and the statement: project and name.
CHECKS: Final[tuple[tuple[Part, str, str], ...]] = (
    (
        "record",
        "items have no content",
        "SELECT project_id, id FROM artifacts WHERE item NOT IN (SELECT item FROM contents)",
    ),
    (
        "words",
        UNCUT,
        """SELECT project_id, id FROM artifacts a
        WHERE (SELECT count(*) FROM chunks c WHERE c.item = a.item) <> iif(replaced_by IS NULL, num_chunks, 0)""",
    ),
    (
        "words",
        "chunks have no words",
        """SELECT a.project_id, a.id || ':' || c.position FROM chunks c JOIN artifacts a ON a.item = c.item
        WHERE c.id NOT IN (SELECT id FROM words_docsize)""",
    ),
    (
        "words",
        "entries of words have no chunk",
        f"""SELECT p.project_id, 'entry ' || d.id FROM words_docsize d
        LEFT JOIN projects p ON p.number = d.id >> {PROJECT_BITS} WHERE d.id NOT IN (SELECT id FROM chunks)""",
    ),
    (
        "lists",
        "tags are not in the lists",
        f"SELECT project_id, form || ' ' || id FROM ({LISTED_TAGS} EXCEPT {_KEPT_TAGS})",
    ),
    (
        "lists",
        "tags in the lists are no item's",
        f"SELECT project_id, form || ' ' || id FROM ({_KEPT_TAGS} EXCEPT {LISTED_TAGS})",
    ),
    (
        "lists",
        "facets are counted wrongly",
        f"""SELECT project_id, facet || ' ' || value FROM (
            SELECT * FROM ({COUNTED_FACETS}) EXCEPT {_KEPT_FACETS}
            UNION SELECT * FROM ({_KEPT_FACETS} EXCEPT SELECT * FROM ({COUNTED_FACETS}))
        )""",
    ),
    ("graph", "events of items are missing", _OF_ITEMS.format(_MISSING_EVENTS)),
    ("graph", "entities of items are missing", _OF_ITEMS.format(_MISSING_ENTITIES)),
    ("graph", "events belong to no item", _OF_ITEMS.format(_UNEXPECTED_EVENTS)),
    ("graph", "entities belong to no item", _OF_ITEMS.format(_UNEXPECTED_ENTITIES)),
    ("graph", "nodes are neither event nor entity", ORPHANED),
    ("graph", "events rest on no evidence", f"SELECT project_id, id FROM nodes WHERE node IN ({UNPROVEN})"),
    ("graph", "entities are named by nothing", f"SELECT project_id, id FROM nodes WHERE node IN ({UNNAMED})"),
    (
        "graph",
        "entities are not found under the names they are given",
        f"SELECT project_id, id FROM nodes WHERE node IN ({MISNAMED})",
    ),
    (
        "graph",
        "entities count more or fewer mentions than there are",
        f"""SELECT n.project_id, n.id FROM nodes n JOIN entities USING (node) WHERE mention_count <> {NUM_MENTIONS}""",
    ),
    (
        "graph",
        "events have another time than their earliest item",
        f"SELECT project_id, id FROM events WHERE {MISDATED}",
    ),
    ("graph", "steps between events and entities are missing", _NAMED_STEP.format(steps=MISSING_STEPS)),
    ("graph", "steps lead to no participant", _NAMED_STEP.format(steps=EXTRA_STEPS)),
)


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
    items = set(_column(connection, TO_EXTRACT))
    find = "SELECT item FROM artifacts WHERE project_id = ? AND id = ?"
    items |= {connection.execute(find, place).fetchone()[0] for place in set(misquoted)}
    _drop_dangling(connection)
    delete_events_without_evidence(connection, _column(connection, UNPROVEN))
    misnamed = _column(connection, f"{MISNAMED} UNION {UNNAMED}")
    for entity in misnamed:
        # No entity has this name, so that its entries in `names` are written again.
        connection.execute("UPDATE entities SET name = '' WHERE node = ?", (entity,))
        refresh(connection, entity)
    connection.execute(f"UPDATE entities SET mention_count = {NUM_MENTIONS} WHERE mention_count <> {NUM_MENTIONS}")
    connection.execute(f"UPDATE events SET since = {SINCE.format('node')} WHERE {MISDATED}")
    _connect(connection)
    return _to_extract(connection, items)


def repair_lists(connection: sqlite3.Connection) -> None:
    """Rebuild the forms of tags, the lists by tag and the counts of facets."""
    connection.execute("DELETE FROM tag_forms")
    connection.execute(f"INSERT INTO tag_forms {FORMS}")
    connection.execute("DELETE FROM tag_lists")
    connection.execute(f"INSERT INTO tag_lists {LISTED_TAGS}")
    connection.execute("DELETE FROM facet_counts")
    connection.execute(f"INSERT INTO facet_counts {COUNTED_FACETS}")


def _drop_dangling(connection: sqlite3.Connection) -> None:
    # A row may be checked before the row that points to it goes, too.
    connection.execute("PRAGMA defer_foreign_keys = ON")
    while sum(map(_drop_dangling_of, [connection] * len(DERIVED_TABLES), DERIVED_TABLES)):
        pass
    connection.execute(f"DELETE FROM nodes WHERE (project_id, id) IN ({ORPHANED})")


def _drop_dangling_of(connection: sqlite3.Connection, table: str) -> int:
    """Remove the rows of a table that point to what is not there; return how many."""
    number = 0
    for _, _, parent, column, key, *_ in connection.execute(f"PRAGMA foreign_key_list({table})").fetchall():
        sql = _LOSES_PARENT.format(table=table, column=column, key=key, parent=parent)
        number += connection.execute(sql).rowcount
    return number


def _connect(connection: sqlite3.Connection) -> None:
    connection.executemany(_DROP_STEP, connection.execute(EXTRA_STEPS).fetchall())
    apart = {node for row in connection.execute(MISSING_STEPS) for node in (row[0], row[3])}
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


_INDEXES: Final = ("words", "trigrams", "grams")
#: Lines of SQLite's own report that are shown.
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
                *(issue for check in CHECKS for issue in _asked(connection, *check)),
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
                rebuild_terms(connection)
                rebuild_full_text(connection)  # which asks the term vectors
        return again

    def _spoilt_indexes(self) -> list[IntegrityIssue]:
        """Have FTS5 check its indexes, which counts as a write; the index of words is compared with the chunks."""
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
            "words", "full-text indexes do not hold what they index", [(None, one) for one in spoilt]
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
        part: Part = "record" if table in RECORD_TABLES else "graph"
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
    known = {item: (project, id_) for item, project, id_ in connection.execute(STASHED)}
    for item, place in known.items():
        # Two characters have no trigram; folding may make three of them.
        text = connection.execute(CONTENT, (item,)).fetchone()
        if item not in grams or (item not in trigrams and len(text[0]) > 2):
            yield place
    names = dict(connection.execute("SELECT number, project_id FROM projects"))
    for item in (trigrams | grams) - known.keys():
        yield names.get(item >> PROJECT_BITS), f"entry {item}"


def _miscounted(connection: sqlite3.Connection) -> Iterator[IntegrityIssue]:
    """Yield what is wrong with the terms of chunks and how they are counted."""
    for number, project_id, num_chunks, num_terms in connection.execute(TOTALS).fetchall():
        num_with, total, chunks, wrong, known = Counter[int](), 0, 0, [], set[int]()
        for id_, position, kept, text in read_in_batches(connection.execute(TERMS, _range(number))):
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
    for item, rows in groupby(connection.execute(QUOTES).fetchall(), key=lambda row: row[0]):
        content = connection.execute(CONTENT, (item,)).fetchone()
        for _, project_id, id_, start, end, quote in rows:
            if content is not None and content[0][start:end] != quote:
                yield project_id, id_
