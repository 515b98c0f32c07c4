"""`DuplicateSentences` on SQLite: a row for each sentence of an item, in the order in which items had it."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Final

from graph.protocols.duplicate_sentences import EarlierSentence, SentenceHash
from graph.sqlite_store.database.connections import Database
from graph.sqlite_store.database.filters import id_list
from graph.sqlite_store.database.project_writer import SqliteProjectWriter
from graph.sqlite_store.database.row_numbers import PROJECT_BITS
from graph.writers.duplicate_sentence_writer import DuplicateSentenceWriter, SentenceOrigin, SentenceSource

_FIND: Final = """
SELECT item, happened_at, expires_at IS NOT NULL FROM artifacts WHERE project_id = ? AND id = ? AND replaced_by IS NULL
"""
_SAYINGS: Final = "SELECT hash, since, first FROM sayings WHERE item = ?"
#: The revisions of an item that have sayings left, or that a current item echoes: those replaced since it was last
#: extracted.
_FORMER: Final = """
WITH RECURSIVE former (item, id) AS (
    SELECT item, id FROM artifacts WHERE project_id = :project_id AND replaced_by = :id
    UNION
    SELECT a.item, a.id FROM former JOIN artifacts a ON a.project_id = :project_id AND a.replaced_by = former.id
)
SELECT item, id FROM former WHERE EXISTS (SELECT 1 FROM sayings s WHERE s.item = former.item)
    OR EXISTS (SELECT 1 FROM echoes e JOIN artifacts a ON a.item = e.item AND a.replaced_by IS NULL
        WHERE e.origin = former.item)
"""
_DROP: Final = "DELETE FROM sayings WHERE item = ?"
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
        with self._database.writing() as connection:
            return SqliteDuplicateSentenceWriter(connection, project_id).save_sentence_hashes(
                artifact_id, sentence_hashes
            )

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


class SqliteDuplicateSentenceWriter(SqliteProjectWriter, DuplicateSentenceWriter):
    """Fulfils `graph.writers.duplicate_sentence_writer.DuplicateSentenceWriter`."""

    def _sentence_source(self, artifact_id: str) -> SentenceSource | None:
        found = _found(self._connection, self.project_id, artifact_id)
        return None if found is None else SentenceSource(found[1], found[0], bool(found[2]), self._sentences(found[0]))

    def _former_sentences(self, artifact_id: str) -> dict[str, Sequence[SentenceOrigin]]:
        rows = self._connection.execute(_FORMER, {"project_id": self.project_id, "id": artifact_id}).fetchall()
        return {id_: self._sentences(item) for item, id_ in rows}

    def _sentences(self, item: int) -> list[SentenceOrigin]:
        return self._connection.execute(_SAYINGS, (item,)).fetchall()

    def _put_sentences(self, artifact_id: str, sentences: Sequence[tuple[SentenceHash, int, int | None]]) -> None:
        item = self.item(artifact_id)
        rows = [(item >> PROJECT_BITS, sentence, since, first or item, item) for sentence, since, first in sentences]
        self._connection.executemany(_PUT, rows)

    def _drop_sentences(self, artifact_ids: Sequence[str]) -> None:
        self._connection.executemany(_DROP, [(item,) for item in self.items(artifact_ids)])

    def _later_duplicates(self, artifact_id: str, sentences: Sequence[SentenceOrigin]) -> list[str]:  # noqa: ARG002
        # Read again: of most sentences there is no duplicate, which one statement tells.
        return list(_followers(self._connection, self.item(artifact_id)))

    def _duplicates(self, artifact_ids: Sequence[str]) -> dict[str, int]:
        return dict(self._connection.execute(_ECHOING, (str(self.items(artifact_ids)),)).fetchall())


def _found(connection: sqlite3.Connection, project_id: str, artifact_id: str) -> tuple[int, int, int] | None:
    """Return the number and the time of a current item, and whether it expires."""
    row: tuple[int, int, int] | None = connection.execute(_FIND, (project_id, artifact_id)).fetchone()
    return row


def _followers(connection: sqlite3.Connection, item: int) -> Iterator[str]:
    """Yield the current items that said later what this one said first."""
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
