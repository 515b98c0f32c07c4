"""`Transfer` on Neo4j: reading everything a project holds, and putting it into another database."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, Final, assert_never

from neo4j import Record as Row

from core.errors import Conflict
from core.interface.audit import import_entries
from core.knowledge.findings import EventLink, Knowledge
from core.knowledge.identities import MergeCandidate, MergeDecision
from core.knowledge.ledger import Resolution
from core.knowledge.runs import Run
from core.transfer import KeptEchoes, KeptItem, KeptResolution, Outcome, Record
from graph import run_codec
from graph.neo4j_store.cypher import ledger_cypher
from graph.neo4j_store.cypher import transfer_cypher as cypher
from graph.neo4j_store.cypher.schema_cypher import LOCK_PROJECT
from graph.neo4j_store.database.audit_trail import write_entries
from graph.neo4j_store.database.connection import LONG_SECONDS, Transaction
from graph.neo4j_store.database.rows import artifact, is_whole
from graph.neo4j_store.items.embeddings import drop_unused
from graph.neo4j_store.knowledge.identities import Neo4jIdentities, import_decision, import_merge_candidate
from graph.neo4j_store.knowledge.runs import Neo4jRuns, keep_run, read_lessons
from graph.neo4j_store.knowledge.statuses import refresh_statuses
from graph.neo4j_store.transfer.item_copy import keep_item
from graph.timestamps import from_microseconds, to_microseconds

#: Items that one transaction reads, and characters of text in them.
_TOGETHER, _CHARACTERS = 100, 1_000_000
_MANY_RUNS: Final = 1_000_000
#: Fields of an item that may be missing.
_OPTIONAL: Final = frozenset({"replaced_by"})


class Neo4jTransfer(Neo4jIdentities, Neo4jRuns):
    """Fulfils `graph.protocols.transfer.Transfer`.

    Each transaction is one snapshot: a few items with all that is kept of them, all links, and so on.
    """

    def export_records(self, project_id: str) -> Iterator[Record]:
        yield from reversed(self.runs(project_id, _MANY_RUNS))
        yield from self.merge_decisions(project_id)
        for ids in self._groups(project_id):
            yield from self._items(project_id, ids)
        rows = self._database.rows
        yield from (EventLink(**row.data()) for row in rows(cypher.LINKS, project_id=project_id) if is_whole(row))
        yield from (_resolution(row["resolution"]) for row in rows(cypher.RESOLUTIONS, project_id=project_id))
        yield from (
            MergeCandidate(**row.data())
            for row in rows(cypher.MERGE_CANDIDATES, project_id=project_id)
            if is_whole(row)
        )
        yield from (KeptEchoes(row["id"], tuple(row["origins"])) for row in rows(cypher.ECHOES, project_id=project_id))

    def count_items(self, project_id: str) -> int:
        return int(self._database.rows(cypher.COUNT_ITEMS, project_id=project_id)[0]["items"])

    def import_records(self, project_id: str, records: Sequence[Record]) -> list[Outcome]:
        def work(transaction: Transaction) -> list[Outcome]:
            transaction.run(LOCK_PROJECT, project_id=project_id)
            hashes: list[str] = []
            outcomes = [_keep(transaction, project_id, record, hashes) for record in records]
            write_entries(transaction, import_entries(project_id, records, outcomes))
            # Last, because all projects wait for who does this.
            drop_unused(transaction, hashes)
            return outcomes

        return self._database.write(work, seconds=LONG_SECONDS)

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
                if is_whole(row):
                    group.append(row["id"])
                    characters += row["characters"]
            if group:
                yield group
            # Those that were removed meanwhile have no number any more.
            last = max((row["number"] for row in rows if row["number"] is not None), default=last)

    def _items(self, project_id: str, ids: Sequence[str]) -> Iterator[KeptItem]:
        def work(transaction: Transaction) -> tuple[list[Row], dict[str, Knowledge]]:
            rows = transaction.rows(cypher.KEPT, project_id=project_id, ids=ids)
            return rows, read_lessons(transaction, project_id, ids)

        rows, lessons = self._database.read(work)
        for row in rows:
            if is_whole(row["artifact"], _OPTIONAL) and row["artifact"]["id"] in lessons:
                yield _item(row, lessons[row["artifact"]["id"]])


def _item(row: Row, knowledge: Knowledge) -> KeptItem:
    given = artifact(row["artifact"])
    return KeptItem(
        artifact=given,
        knowledge=knowledge,
        waits=row["waits"],
        readings=tuple(map(run_codec.reading, row["readings"])),
        findings=tuple(map(run_codec.findings, row["findings"])),
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


def _keep(transaction: Transaction, project_id: str, record: Record, hashes: list[str]) -> Outcome:
    match record:
        case KeptItem():
            return keep_item(transaction, record, hashes)
        case Run():
            return keep_run(transaction, project_id, record)
        case MergeDecision():
            return import_decision(transaction, project_id, record)
        case EventLink():
            return _keep_link(transaction, project_id, record)
        case KeptResolution():
            return _keep_resolution(transaction, project_id, record)
        case MergeCandidate():
            return import_merge_candidate(transaction, project_id, record)
        case KeptEchoes():
            place = {"project_id": project_id, "id": record.artifact_id, "origins": list(record.origins)}
            row = transaction.row(cypher.PUT_ECHOES, **place)
            return "stored" if row is not None and row["linked"] else "unchanged"
        case _:
            assert_never(record)


def _keep_link(transaction: Transaction, project_id: str, link: EventLink) -> Outcome:
    ends = [link.source, link.target]
    there = {row["id"] for row in transaction.rows(ledger_cypher.STORED, project_id=project_id, ids=ends)}
    if there != set(ends) or transaction.row(
        cypher.HAS_LINK, project_id=project_id, source=link.source, target=link.target, relation=link.relation
    ):
        return "unchanged"
    transaction.run(ledger_cypher.LINK[link.relation], project_id=project_id, links=[asdict(link)])
    refresh_statuses(transaction, project_id, [link.target])
    return "stored"


def _keep_resolution(transaction: Transaction, project_id: str, record: KeptResolution) -> Outcome:
    resolution = asdict(record.resolution)
    row = transaction.row(cypher.DECLARED, project_id=project_id, **resolution)
    if row is None or row["is_known"]:
        return "unchanged"
    number = row["number"] + 1
    kept = {"id": f"{record.resolution.event_id}/{number}", "number": number, "artifact_id": record.artifact_id}
    node = {"project_id": project_id, "name": record.resolution.status} | resolution | kept
    transaction.run(ledger_cypher.RESOLVE, resolution=node)
    refresh_statuses(transaction, project_id, [record.resolution.event_id])
    return "stored"
