"""`DuplicateSentences` on SQLite: a row for each sentence of an item, in the order in which items had it."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Final

from graph.protocols.knowledge import SentenceHash
from graph.sqlite_store.administration import SqliteProjectWriter
from graph.sqlite_store.database.filters import id_list
from graph.sqlite_store.database.row_numbers import PROJECT_BITS
from graph.writers.item_writer import DuplicateSentenceWriter, SentenceOrigin, SentenceSource

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


class SqliteDuplicateSentenceWriter(SqliteProjectWriter, DuplicateSentenceWriter):
    """Fulfils `graph.writers.item_writer.DuplicateSentenceWriter`."""

    def _sentence_source(self, artifact_id: str) -> SentenceSource | None:
        for item, moment, expires in self._connection.execute(_FIND, (self.project_id, artifact_id)).fetchall():
            return SentenceSource(moment, item, bool(expires), self._sentences(item))
        return None

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

    def _earlier(self, artifact_id: str, limit: int) -> Iterator[tuple[int, int, str, SentenceHash]]:
        item = 0 if (source := self._sentence_source(artifact_id)) is None else source.number
        for hash_, since, first in self._connection.execute(_SHARED, (item,)).fetchall():
            left = limit
            for other_since, other_first, _, id_ in self._connection.execute(_WHO_SAID, (item >> PROJECT_BITS, hash_)):
                if left == 0 or (other_since, other_first) >= (since, first):
                    break
                yield other_since, other_first, id_, hash_
                left -= 1

    def link_echoes(self, artifact_id: str, origins: Sequence[str]) -> None:
        if (source := self._sentence_source(artifact_id)) is not None:
            self._connection.execute("DELETE FROM echoes WHERE item = ?", (source.number,))
            asked = {"project_id": self.project_id, "item": source.number, "ids": id_list(origins)}
            self._connection.execute(_LINK, asked)


def _followers(connection: sqlite3.Connection, item: int) -> Iterator[str]:
    """Yield the current items that said later what this one said first."""
    for hash_, since, first in connection.execute(_SHARED, (item,)).fetchall():
        for other_since, other_first, other, id_ in connection.execute(_WHO_SAID, (item >> PROJECT_BITS, hash_)):
            if other != item and (other_since, other_first) < (since, first):
                break
            if other != item:
                yield id_
