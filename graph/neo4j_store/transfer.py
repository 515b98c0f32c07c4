"""Copies of a project out of the record and into it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from neo4j import Record as Row

from core.errors import Conflict
from core.knowledge.findings import EventLink, Knowledge
from core.knowledge.identities import MergeCandidate
from core.knowledge.ledger import Resolution
from core.records import Artifact, Chunk
from core.transfer import KeptEchoes, KeptItem, KeptResolution, Outcome, Record
from graph import json_codec
from graph.neo4j_store.administration import job_id
from graph.neo4j_store.artifact_knowledge import replace_knowledge
from graph.neo4j_store.cypher import administration_cypher as cypher
from graph.neo4j_store.cypher.record_cypher import GET
from graph.neo4j_store.cypher.schema_cypher import LOCK_PROJECT
from graph.neo4j_store.database.connection import LONG_SECONDS, SHORT_SECONDS, Transaction
from graph.neo4j_store.database.rows import artifact, has_required_fields
from graph.neo4j_store.identities import Neo4jIdentities
from graph.neo4j_store.item_writer import Neo4jItemWriter, index
from graph.neo4j_store.runs import Neo4jRuns
from graph.timestamps import from_microseconds, to_microseconds
from graph.writers.indexed_chunks import IndexedChunk
from graph.writers.store_writes import Importer, StoreWrites, T

#: Items that one transaction reads, and characters of text in them.
_TOGETHER, _CHARACTERS = 100, 1_000_000
_MANY_RUNS: Final = 1_000_000
#: Fields of an item that may be missing.
_OPTIONAL: Final = frozenset({"replaced_by"})


class Neo4jTransfer(Neo4jIdentities, Neo4jRuns, StoreWrites):
    """Fulfils `graph.protocols.administration.Transfer`.

    Each transaction is one snapshot: a few items with all that is kept of them, all links, and so on.
    """

    def export_records(self, project_id: str) -> Iterator[Record]:
        yield from reversed(self.runs(project_id, _MANY_RUNS))
        yield from self.merge_decisions(project_id)
        for ids in self._groups(project_id):
            yield from self._items(project_id, ids)
        rows = self._database.rows
        yield from (
            EventLink(**row.data()) for row in rows(cypher.LINKS, project_id=project_id) if has_required_fields(row)
        )
        yield from (_resolution(row["resolution"]) for row in rows(cypher.RESOLUTIONS, project_id=project_id))
        yield from (
            MergeCandidate(**row.data())
            for row in rows(cypher.MERGE_CANDIDATES, project_id=project_id)
            if has_required_fields(row)
        )
        yield from (KeptEchoes(row["id"], tuple(row["origins"])) for row in rows(cypher.ECHOES, project_id=project_id))

    def count_items(self, project_id: str) -> int:
        return int(self._database.rows(cypher.COUNT_ITEMS, project_id=project_id)[0]["items"])

    def _read(self, project_id: str, work: Callable[[Importer], T]) -> T:
        return self._database.read(lambda transaction: work(Neo4jImporter(transaction, project_id)))

    def _index(self, project_id: str, chunks: Sequence[Chunk]) -> list[IndexedChunk]:
        return index(project_id, chunks)

    def _write(self, project_id: str, work: Callable[[Importer], T], *, locks: bool = True, is_long: bool = False) -> T:
        def within(transaction: Transaction) -> T:
            writer = Neo4jImporter(transaction, project_id)
            return work(writer.locked() if locks else writer)

        return self._database.write(within, seconds=LONG_SECONDS if is_long else SHORT_SECONDS)

    def backup(self, path: Path) -> None:  # noqa: ARG002 - the interface of every engine
        raise Conflict(
            f"The record is in Neo4j at {self._database.uri}: dump it with neo4j-admin (docs/operations.md says how), "
            "or use `remembrancer export`."
        )

    def _groups(self, project_id: str) -> Iterator[list[str]]:
        """Yield the ids of all items in the order of storing, few enough at a time to be read together."""
        last = -1
        while rows := self._database.rows(cypher.ITEMS_AFTER, project_id=project_id, last=last):
            group, characters = list[str](), 0
            for row in rows:
                if group and (len(group) == _TOGETHER or characters + (row["characters"] or 0) > _CHARACTERS):
                    yield group
                    group, characters = [], 0
                if has_required_fields(row):
                    group.append(row["id"])
                    characters += row["characters"]
            if group:
                yield group
            # Those that were removed meanwhile have no number any more.
            last = max((row["number"] for row in rows if row["number"] is not None), default=last)

    def _items(self, project_id: str, ids: Sequence[str]) -> Iterator[KeptItem]:
        def work(transaction: Transaction) -> tuple[list[Row], dict[str, Knowledge]]:
            rows = transaction.rows(cypher.KEPT, project_id=project_id, ids=ids)
            return rows, Neo4jImporter(transaction, project_id).artifact_knowledge(ids)

        rows, lessons = self._database.read(work)
        for row in rows:
            if has_required_fields(row["artifact"], _OPTIONAL) and row["artifact"]["id"] in lessons:
                yield _item(row, lessons[row["artifact"]["id"]])


def _item(row: Row, knowledge: Knowledge) -> KeptItem:
    given = artifact(row["artifact"])
    return KeptItem(
        artifact=given,
        knowledge=knowledge,
        waits=row["waits"],
        readings=tuple(map(json_codec.reading, row["readings"])),
        findings=tuple(map(json_codec.findings, row["findings"])),
        sentence_hashes=_inherited(row["sayings"], given.happened_at),
    )


def _inherited(sentence_hashes: Sequence[Any], happened_at: datetime) -> tuple[tuple[int, datetime], ...] | None:
    own = to_microseconds(happened_at)
    return (
        tuple((sentence_hash, from_microseconds(at)) for sentence_hash, at in sentence_hashes if at != own)
        if sentence_hashes
        else None
    )


def _resolution(node: Mapping[str, Any]) -> KeptResolution:
    resolution = Resolution(node["event_id"], node["status"], from_microseconds(node["at"]), node["note"])
    return KeptResolution(resolution, node["artifact_id"])


class Neo4jImporter(Neo4jItemWriter, Importer):
    """Fulfils `graph.writers.store_writes.Importer`."""

    def import_all(self, records: Sequence[Record]) -> list[Outcome]:
        self.run(LOCK_PROJECT)
        return super().import_all(records)

    def _artifact(self, artifact_id: str) -> Artifact:
        [row] = self.rows(GET, ids=[artifact_id])
        return artifact(row["artifact"])

    def replace_knowledge(self, artifact_id: str, knowledge: Knowledge) -> bool:
        return replace_knowledge(self._transaction, self.project_id, artifact_id, knowledge)

    def _finish_extraction(self, artifact_id: str) -> None:
        self.run(cypher.LEARNT, id=job_id(artifact_id, "extract"))

    def _import_echoes(self, record: KeptEchoes) -> bool:
        [row] = self.rows(cypher.PUT_ECHOES, id=record.artifact_id, origins=list(record.origins))
        return bool(row["linked"])
