"""`DuplicateSentences` on SQLite: a row for each saying of an item, in the order in which it was first said."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Final

from graph.protocols.duplicate_sentences import EarlierSentence, SentenceHash
from graph.sqlite_store.database.connections import Database
from graph.sqlite_store.database.filters import id_list
from graph.sqlite_store.database.job_queue import put_job
from graph.sqlite_store.database.row_numbers import PROJECT_BITS

_FIND: Final = """
SELECT item, happened_at FROM artifacts WHERE project_id = ? AND id = ? AND replaced_by IS NULL
"""
_KEPT: Final = "SELECT hash FROM sayings WHERE item = ?"
#: The revisions of an item that have sayings left, or that a current item echoes: those replaced since it was last
#: extracted.
_FORMER: Final = """
WITH RECURSIVE former (item, id) AS (
    SELECT item, id FROM artifacts WHERE project_id = :project_id AND replaced_by = :id
    UNION
    SELECT a.item, a.id FROM former JOIN artifacts a ON a.project_id = :project_id AND a.replaced_by = former.id
)
SELECT item FROM former WHERE EXISTS (SELECT 1 FROM sayings s WHERE s.item = former.item)
    OR EXISTS (SELECT 1 FROM echoes e JOIN artifacts a ON a.item = e.item AND a.replaced_by IS NULL
        WHERE e.origin = former.item)
"""
_FIRST_SAID: Final = """
SELECT hash, since, first FROM sayings WHERE item IN (SELECT value FROM json_each(?)) ORDER BY since DESC, first DESC
"""
_DROP: Final = "DELETE FROM sayings WHERE item IN (SELECT value FROM json_each(?))"
_PUT: Final = "INSERT OR IGNORE INTO sayings (project, hash, since, first, item) VALUES (?, ?, ?, ?, ?)"
_ECHOING: Final = """
SELECT DISTINCT a.id, a.num_chunks FROM json_each(?) o CROSS JOIN echoes e ON e.origin = o.value CROSS JOIN artifacts a
    ON a.item = e.item AND a.replaced_by IS NULL
"""
# In the order of the key; callers stop reading at what is enough.
_WHO_SAID: Final = """
SELECT s.since, s.first, s.item, a.id FROM sayings s CROSS JOIN artifacts a ON a.item = s.item
WHERE s.project = ? AND s.hash = ? AND a.replaced_by IS NULL AND a.expires_at IS NULL ORDER BY s.since, s.first, s.item
"""
#: The sayings that an item shares with others: most are unique.
_SHARED: Final = """
SELECT o.hash, o.since, o.first FROM sayings o WHERE o.item = ? AND EXISTS (
    SELECT 1 FROM sayings s WHERE s.project = o.project AND s.hash = o.hash AND s.item <> o.item)
"""
_LINK: Final = """
INSERT OR IGNORE INTO echoes (item, origin) SELECT :item, o.item FROM json_each(:ids) w
CROSS JOIN artifacts o ON o.project_id = :project_id AND o.id = w.value WHERE o.item <> :item
"""


class SqliteEchoes:
    """Fulfils `graph.protocols.duplicate_sentences.DuplicateSentences`."""

    _database: Database

    def save_sentence_hashes(
        self, project_id: str, artifact_id: str, sentence_hashes: Sequence[SentenceHash]
    ) -> list[str]:
        wanted = set(sentence_hashes)
        with self._database.writing() as connection:
            found = _found(connection, project_id, artifact_id)
            if found is None or _is_kept(connection, project_id, artifact_id, found[0], wanted):
                return []
            linked = _keep(connection, project_id, artifact_id, *found, wanted)
            return sorted({*linked, *_followers(connection, found[0])} - {artifact_id})

    def earlier_sentences(self, project_id: str, artifact_id: str, limit: int) -> list[EarlierSentence]:
        with self._database.reading() as connection:
            found = _found(connection, project_id, artifact_id)
            if found is None:
                return []
            rows = sorted(_earlier(connection, found[0], limit))
        return [EarlierSentence(sentence_hash, id_) for _, _, id_, sentence_hash in rows]

    def link_echoes(self, project_id: str, artifact_id: str, origins: Sequence[str]) -> None:
        with self._database.writing() as connection:
            found = _found(connection, project_id, artifact_id)
            if found is not None:
                connection.execute("DELETE FROM echoes WHERE item = ?", (found[0],))
                parameters = {"project_id": project_id, "item": found[0], "ids": id_list(origins)}
                connection.execute(_LINK, parameters)


def queue_echoing(connection: sqlite3.Connection, project_id: str, item: int) -> None:
    """Queue the extraction of what echoes an item that goes, or whose events have other summaries.

    Runs inside one transaction, before the item is gone.
    """
    for id_, num_chunks in connection.execute(_ECHOING, (f"[{item}]",)).fetchall():
        put_job(connection, project_id, id_, "extract", num_chunks)


def _found(connection: sqlite3.Connection, project_id: str, artifact_id: str) -> tuple[int, int] | None:
    """Return the number and the time of a current item."""
    row: tuple[int, int] | None = connection.execute(_FIND, (project_id, artifact_id)).fetchone()
    return row


def _is_kept(
    connection: sqlite3.Connection, project_id: str, artifact_id: str, item: int, wanted: set[SentenceHash]
) -> bool:
    kept = {row[0] for row in connection.execute(_KEPT, (item,))}
    return kept == wanted and not _former(connection, project_id, artifact_id)


def _former(connection: sqlite3.Connection, project_id: str, artifact_id: str) -> list[int]:
    rows = connection.execute(_FORMER, {"project_id": project_id, "id": artifact_id})
    return [row[0] for row in rows]


def _keep(
    connection: sqlite3.Connection, project_id: str, artifact_id: str, item: int, moment: int, wanted: set[SentenceHash]
) -> list[str]:
    """Replace the sayings of an item and of its revisions; return the ids of items that echo those."""
    former = _former(connection, project_id, artifact_id)
    # Its own as well, which know of revisions that have none left.
    sayers = str([item, *former])
    first = {hash_: (since, number) for hash_, since, number in connection.execute(_FIRST_SAID, (sayers,))}
    connection.execute(_DROP, (sayers,))
    own = (moment, item)
    rows = [(item >> PROJECT_BITS, hash_, *min(own, first.get(hash_, own)), item) for hash_ in sorted(wanted)]
    connection.executemany(_PUT, rows)
    return [row[0] for row in connection.execute(_ECHOING, (str(former),))]


def _followers(connection: sqlite3.Connection, item: int) -> Iterator[str]:
    """Yield the current items that said later what this one said first; an item that expires has no echoes."""
    if connection.execute("SELECT 1 FROM artifacts WHERE item = ? AND expires_at IS NULL", (item,)).fetchone() is None:
        return
    for hash_, since, first in connection.execute(_SHARED, (item,)).fetchall():
        for other_since, other_first, other, id_ in connection.execute(_WHO_SAID, (item >> PROJECT_BITS, hash_)):
            if other != item and (other_since, other_first) < (since, first):
                break
            if other != item:
                yield id_


def _earlier(connection: sqlite3.Connection, item: int, limit: int) -> Iterator[tuple[int, int, str, SentenceHash]]:
    for hash_, since, first in connection.execute(_SHARED, (item,)).fetchall():
        left = limit
        for other_since, other_first, _, id_ in connection.execute(_WHO_SAID, (item >> PROJECT_BITS, hash_)):
            if left == 0 or (other_since, other_first) >= (since, first):
                break
            yield other_since, other_first, id_, hash_
            left -= 1
