"""The SQLite file seen without the store: plain statements against its tables."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.knowledge.findings import FIRST_STATUS, Entity, Event, normalise_name
from core.knowledge.text import tag_forms
from core.records import Artifact, Chunk
from graph.sqlite_store.database.rows import PROJECT_BITS, next_number, project_number
from graph.sqlite_store.database.term_counts import count_terms
from graph.sqlite_store.database.word_schema import CHUNK_TEXT
from graph.text.term_vectors import index_terms, pack_counts, sign_words, tally, term, variants
from graph.text.tokens import separate_unspaced
from graph.timestamps import from_microseconds, to_microseconds
from tests.contracts.raw import RawJob


class SqliteRaw:
    """Fulfils `tests.contracts.raw.Raw`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection, committed at the end."""
        connection = sqlite3.connect(self._path, timeout=30)
        connection.execute("PRAGMA synchronous = OFF")
        connection.create_function("separated", 1, separate_unspaced, deterministic=True)
        connection.create_function("sign_words", -1, sign_words, deterministic=True)
        try:
            with connection:
                yield connection
        finally:
            connection.close()

    def plant(self, artifact: Artifact, chunks: Sequence[Chunk]) -> None:
        memory = artifact.memory
        columns = {
            "project_id": artifact.project_id,
            "id": artifact.id,
            "fingerprint": artifact.fingerprint,
            "context": memory.context,
            "key": memory.key,
            "conversation_id": memory.conversation_id,
            "turn_index": memory.turn_index,
            "source": memory.source,
            "sensitivity": memory.sensitivity,
            "importance": memory.importance,
            "file_path": memory.file_path,
            "task_id": memory.task_id,
            "happened_at": to_microseconds(artifact.happened_at),
            "created_at": to_microseconds(artifact.created_at),
            "updated_at": to_microseconds(artifact.updated_at),
            "last_occurred": to_microseconds(artifact.last_occurred),
            "expires_at": (expiry := memory.expiry()) and to_microseconds(expiry),
            "token_count": artifact.token_count,
            "num_chunks": artifact.num_chunks,
            "frequency": artifact.frequency,
            "stashed": int(artifact.stashed),
            "replaced_by": artifact.replaced_by,
            "given": json.dumps(memory.given()),
        }
        with self.opened() as connection:
            project = project_number(connection, artifact.project_id)
            item = next_number(connection, "artifacts", project)
            first_chunk = next_number(connection, "chunks", project)
            _insert(connection, "artifacts", {"item": item} | columns)
            _insert(connection, "contents", {"item": item, "content": memory.content})
            for tag in memory.tags:
                _insert(connection, "tags", {"project_id": artifact.project_id, "tag": tag, "item": item})
            for form in tag_forms(memory.tags):
                _insert(connection, "tag_forms", {"project_id": artifact.project_id, "form": form, "item": item})
            for chunk in chunks if artifact.replaced_by is None else ():
                number = first_chunk + chunk.index
                _insert(
                    connection,
                    "chunks",
                    {
                        "id": number,
                        "item": item,
                        "position": chunk.index,
                        "start_char": chunk.start_char,
                        "end_char": chunk.end_char,
                        "token_count": chunk.token_count,
                        "hash": chunk.embedding_key_in(artifact.project_id),
                        "terms": pack_counts(chunk.indexed_text),
                        "prefix": chunk.prefix,
                        "text": chunk.text,
                    },
                )
                entries = (
                    "SELECT id, prefix, text, signs FROM indexed_chunks WHERE id = ?"
                    " AND NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'chunks_inserted')"  # formerly
                )
                connection.execute(f"INSERT INTO words (rowid, prefix, text, signs) {entries}", (number,))
            if artifact.replaced_by is None:
                texts = [chunk.indexed_text for chunk in chunks]
                count_terms(connection, project, [pack_counts(text) for text in texts], map(index_terms, texts))

    def plant_entity(self, artifact: Artifact, entity: Entity) -> None:
        with self.opened() as connection:
            node = _node(connection, artifact.project_id, entity.id)
            columns = {
                "node": node,
                "project_id": artifact.project_id,
                "type": entity.type,
                "name": entity.name,
                "aliases": json.dumps(entity.aliases),
                "role": entity.role,
                "organization": entity.organization,
                "mention_count": entity.mention_count,
            }
            _insert(connection, "entities", columns)
            item = _item(connection, artifact)
            for name in (entity.name, *entity.aliases):
                named = {
                    "project_id": artifact.project_id,
                    "normalised": normalise_name(name),
                    "entity": node,
                    "name": name,
                }
                _insert(connection, "names", named)
                claim = {"entity": node, "name": name, "item": item, "main": int(name == entity.name)}
                _insert(connection, "claims", claim | {"happened_at": to_microseconds(artifact.happened_at)})
            for start in range(entity.mention_count):
                _insert(
                    connection, "mentions", {"entity": node, "item": item, "start_char": start, "end_char": start + 1}
                )

    def plant_event(self, artifact: Artifact, event: Event) -> None:
        with self.opened() as connection:
            node = _node(connection, artifact.project_id, event.id)
            columns = {
                "node": node,
                "project_id": artifact.project_id,
                "id": event.id,
                "category": event.category,
                "summary": event.summary,
                "confidence": event.confidence,
                "event_time": to_microseconds(event.event_time),
                "due": to_microseconds(event.due),
                "status": event.status or FIRST_STATUS.get(event.category),
                "weight": 1.0,
            }
            _insert(connection, "events", columns)
            item = _item(connection, artifact)
            for position, proof in enumerate(event.evidence):
                place = {"event": node, "position": position, "item": item}
                quote = {"start_char": proof.start_char, "end_char": proof.end_char, "quote": proof.quote}
                _insert(connection, "evidence", place | quote)
            actors = [(one.entity_id, "ACTED_IN", one.role) for one in event.actors]
            subjects = [(one.entity_id, "ABOUT", None) for one in event.subjects]
            for position, (entity_id, relation, role) in enumerate([*actors, *subjects]):
                entity = _node(connection, artifact.project_id, entity_id)
                part = {"event": node, "position": position, "entity": entity, "relation": relation}
                _insert(connection, "participants", part | {"role": role})
                step = {"weight": 1.0, "relation": relation}
                _insert(connection, "adjacency", step | {"source": entity, "target": node, "kind": event.category})
                kind = connection.execute("SELECT type FROM entities WHERE node = ?", (entity,)).fetchone()[0]
                _insert(connection, "adjacency", step | {"source": node, "target": entity, "kind": kind})

    def artifact_ids(self, project_id: str) -> list[str]:
        return self._column("SELECT id FROM artifacts WHERE project_id = ? ORDER BY id", project_id)

    def chunk_texts(self, project_id: str) -> list[str]:
        return self._column(
            f"SELECT {CHUNK_TEXT} AS text FROM chunks c JOIN artifacts USING (item) WHERE project_id = ? ORDER BY text",
            project_id,
        )

    def indexed(self, word: str) -> int:
        count: int = self._column("SELECT count(*) FROM words WHERE words MATCH ?", f'{{prefix text}} : "{word}"')[0]
        return count

    def substring_entries(self) -> int:
        counts = [
            self._column(
                "SELECT count(DISTINCT doc) FROM temp.entries",
                before=f"CREATE VIRTUAL TABLE temp.entries USING fts5vocab ('main', '{name}', 'instance')",
            )[0]
            for name in ("trigrams", "grams")
        ]
        assert counts[0] <= counts[1], "items of one or two characters have no trigram"
        return int(counts[1])

    def jobs(self) -> list[RawJob]:
        with self.opened() as connection:
            rows = connection.execute("SELECT project_id, artifact_id, kind, state FROM jobs ORDER BY 1, 2, 3")
            return [RawJob(*row) for row in rows]

    def embedded(self, model: str) -> list[str]:
        numbered = "SELECT e.hash FROM embeddings e JOIN models m ON m.name = ? AND e.model = CAST(m.number AS BLOB)"
        return self._column(f"{numbered} ORDER BY e.hash", model)

    def knowledge_ids(self, project_id: str) -> list[str]:
        return self._column("SELECT id FROM nodes WHERE project_id = ? ORDER BY id", project_id)

    def steps(self) -> int:
        count: int = self._column("SELECT count(*) FROM adjacency")[0]
        return count

    def ruin_words(self) -> None:
        with self.opened() as connection:
            for table in ("words", "trigrams", "grams"):
                connection.execute(f"INSERT INTO {table} ({table}) VALUES ('delete-all')")

    def lose_words(self, project_id: str, chunk_ids: Sequence[str]) -> None:
        lost = """INSERT INTO words (words, rowid, prefix, text, signs)
        SELECT 'delete', i.id, i.prefix, i.text, i.signs FROM indexed_chunks i JOIN chunks c ON c.id = i.id
        JOIN artifacts a ON a.item = c.item WHERE a.project_id = ? AND a.id || ':' || c.position = ?"""
        with self.opened() as connection:
            connection.executemany(lost, [(project_id, id_) for id_ in chunk_ids])

    def lose_spelling(self, project_id: str, word: str) -> None:
        lost = "project = (SELECT number FROM projects WHERE project_id = ?) AND term = ?"
        with self.opened() as connection:
            assert connection.execute(f"DELETE FROM spellings WHERE {lost}", (project_id, term(word))).rowcount

    def lose_nodes(self, project_id: str, ids: Sequence[str]) -> None:
        with self.opened() as connection:
            connection.execute("PRAGMA foreign_keys = ON")
            for node in [_node(connection, project_id, id_) for id_ in ids]:
                connection.execute("DELETE FROM participants WHERE entity = ?", (node,))
                connection.execute("DELETE FROM adjacency WHERE source = ? OR target = ?", (node, node))
                connection.execute("DELETE FROM nodes WHERE node = ?", (node,))

    def lose_evidence(self, project_id: str, ids: Sequence[str]) -> None:
        with self.opened() as connection:
            for node in [_node(connection, project_id, id_) for id_ in ids]:
                connection.execute("DELETE FROM evidence WHERE event = ?", (node,))
                connection.execute("DELETE FROM claims WHERE entity = ?", (node,))
                connection.execute("DELETE FROM mentions WHERE entity = ?", (node,))

    def check(self) -> None:
        with self.opened() as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
            for table in ("words", "trigrams", "grams"):
                # With rank 1 FTS5 compares the index with the rows it stands for.
                rank = int(table == "words")
                connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', {rank})")
            _check_terms(connection)
            _check_lists(connection)
            _check_times(connection)

    def _column(self, sql: str, *values: str, before: str | None = None) -> list[Any]:
        with self.opened() as connection:
            if before is not None:
                connection.execute(before)
            return [row[0] for row in connection.execute(sql, values)]


def _check_terms(connection: sqlite3.Connection) -> None:
    """Count anew what the tables of terms say."""
    for number, num_chunks, num_terms in connection.execute("SELECT number, num_chunks, num_terms FROM projects"):
        rows = connection.execute(
            f"SELECT terms, prefix || {CHUNK_TEXT} FROM chunks c WHERE id >> ? = ?", (PROJECT_BITS, number)
        )
        vectors = [(stored, pack_counts(text)) for stored, text in rows]
        assert all(stored == anew for stored, anew in vectors)
        counted = connection.execute("SELECT term, num_chunks FROM terms WHERE project = ?", (number,))
        assert (dict(counted), num_terms) == tally([anew for _, anew in vectors])
        assert num_chunks == len(vectors)
        words = dict(connection.execute("SELECT term, word FROM terms WHERE project = ?", (number,)))
        assert all(word is not None and term(word) == id_ for id_, word in words.items())
        kept = connection.execute("SELECT variant, term FROM spellings WHERE project = ?", (number,)).fetchall()
        assert sorted(kept) == sorted((one, id_) for id_, word in words.items() for one in set(variants(word)))


def _check_times(connection: sqlite3.Connection) -> None:
    """Find the earliest item of each event anew."""
    rows = connection.execute("SELECT event, happened_at FROM evidence JOIN artifacts USING (item)").fetchall()
    earliest = {event: min(moment for one, moment in rows if one == event) for event, _ in rows}
    assert dict(connection.execute("SELECT node, since FROM events").fetchall()) == earliest


def _check_lists(connection: sqlite3.Connection) -> None:
    """Make anew what the lists by tag and the counts of facets say."""
    of_list = "happened_at, created_at, id, context, expires_at, utc_offset"
    listed = connection.execute(f"SELECT project_id, form, {of_list}, item FROM tag_lists").fetchall()
    told = f"SELECT {of_list} FROM artifacts WHERE item = ? AND replaced_by IS NULL"
    tagged = connection.execute("SELECT project_id, tag, item FROM tags").fetchall()
    of_items: dict[tuple[str, int], list[str]] = {}
    for project, tag, number in tagged:
        of_items.setdefault((project, number), []).append(tag)
    expected = [
        (project, form, *row, number)
        for (project, number), tags in of_items.items()
        for form in tag_forms(tags)
        for row in connection.execute(told, (number,))
    ]
    assert sorted(listed) == sorted(expected)
    formed = connection.execute("SELECT project_id, form, item FROM tag_forms").fetchall()
    assert sorted(formed) == sorted((project, form, number) for project, form, *_, number in expected)
    current = connection.execute(
        "SELECT project_id, context, happened_at + utc_offset FROM artifacts WHERE replaced_by IS NULL"
    ).fetchall()
    counted = Counter((project, "tag", tag) for project, tag, _ in tagged)
    counted += Counter((project, "form", form) for project, form, *_ in listed)
    counted += Counter((project, "type", context) for project, context, _ in current)
    counted += Counter((project, "month", f"{from_microseconds(moment):%Y-%m}") for project, _, moment in current)
    stored = connection.execute("SELECT project_id, facet, value, number FROM facet_counts")
    assert {tuple(names): number for *names, number in stored} == counted


def _insert(connection: sqlite3.Connection, table: str, columns: dict[str, Any]) -> int:
    names, places = ", ".join(columns), ", ".join("?" * len(columns))
    cursor = connection.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", list(columns.values()))
    return cursor.lastrowid or 0


def _item(connection: sqlite3.Connection, artifact: Artifact) -> int:
    sql = "SELECT item FROM artifacts WHERE project_id = ? AND id = ?"
    return int(connection.execute(sql, (artifact.project_id, artifact.id)).fetchone()[0])


def _node(connection: sqlite3.Connection, project_id: str, id_: str) -> int:
    connection.execute("INSERT OR IGNORE INTO nodes (project_id, id) VALUES (?, ?)", (project_id, id_))
    row = connection.execute("SELECT node FROM nodes WHERE project_id = ? AND id = ?", (project_id, id_)).fetchone()
    return int(row[0])
