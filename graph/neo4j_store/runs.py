"""`Runs` on Neo4j: what extractors found in items, and the knowledge that was there before."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from neo4j import Record

from core.knowledge.findings import IN_TEXT, Entity, Event, Knowledge, Mention
from core.knowledge.runs import ExtractionResult, Findings, KnowledgeSnapshot, Run
from core.transfer import KeptReading
from graph import json_codec
from graph.neo4j_store.cypher import knowledge_cypher, schema_cypher
from graph.neo4j_store.cypher import knowledge_cypher as cypher
from graph.neo4j_store.database.connection import Database, Transaction
from graph.neo4j_store.database.rows import has_required_fields, valid_utf8
from graph.neo4j_store.knowledge_graph import as_events
from graph.neo4j_store.ledger import Neo4jLedgerWriter
from graph.timestamps import from_microseconds
from graph.writers.knowledge_writer import AnnotationWriter

#: Readings that are dropped in one transaction: each holds all that was found in an item.
_BATCH: Final = 500


class Neo4jRuns:
    """Fulfils `graph.protocols.knowledge.Runs`."""

    _database: Database

    def runs(self, project_id: str, limit: int) -> list[Run]:
        return [_run(row["run"]) for row in self._database.rows(cypher.RUNS, project_id=project_id, limit=limit)]

    def run_items(self, project_id: str, run_id: str) -> dict[str, bool]:
        rows = self._database.rows(cypher.READINGS, project_id=project_id, id=run_id)
        return {row["id"]: row["finished"] for row in rows if has_required_fields(row)}

    def latest_extraction(self, project_id: str, artifact_id: str) -> ExtractionResult | None:
        rows = self._database.rows(cypher.READING, project_id=project_id, id=artifact_id)
        return next(map(_reading, rows), None)

    def snapshot_before(self, project_id: str, run_id: str, artifact_id: str) -> KnowledgeSnapshot | None:
        rows = self._database.rows(cypher.STANDING, **_place(project_id, run_id, artifact_id))
        return next((KnowledgeSnapshot(json_codec.knowledge(row["standing"]), row["waits"]) for row in rows), None)

    def delete_extractions(self, project_id: str, run_id: str) -> None:
        def work(transaction: Transaction) -> int:
            row = transaction.row(cypher.DROP_READINGS, project_id=project_id, id=run_id, batch=_BATCH)
            return 0 if row is None else int(row["dropped"])

        while self._database.write(work):
            pass

    def later_runs(self, project_id: str, run_id: str) -> list[str]:
        return [row["id"] for row in self._database.rows(cypher.RUNS_AFTER, project_id=project_id, id=run_id)]

    def changed_since(self, project_id: str, moment: datetime) -> bool:
        rows = self._database.rows(cypher.CHANGED_SINCE, project_id=project_id, moment=moment)
        return bool(rows[0]["changed"])

    def named_entities(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, tuple[Entity, ...]]:
        rows = self._database.rows(cypher.ENTITIES_OF_ARTIFACTS, project_id=project_id, ids=valid_utf8(artifact_ids))
        return {row["id"]: tuple(map(_entity, row["entities"])) for row in rows if row["entities"]}

    def cached_findings(self, project_id: str, artifact_id: str) -> list[Findings]:
        rows = self._database.rows(cypher.FINDINGS, project_id=project_id, id=artifact_id)
        return [json_codec.findings(row) for row in rows if has_required_fields(row)]


class Neo4jAnnotationWriter(Neo4jLedgerWriter, AnnotationWriter):
    """Fulfils `graph.writers.knowledge_writer.AnnotationWriter`."""

    def stored_run(self, run_id: str) -> Run | None:
        return next((_run(row["run"]) for row in self.rows(cypher.RUN, id=run_id)), None)

    def put_run(self, run: Run) -> None:
        self.run(schema_cypher.LOCK_PROJECT)
        properties = json_codec.run_fields(run) | {"started": run.started, "ended": run.ended}
        self.run(cypher.PUT_RUN, id=run.id, properties=properties)

    def put_findings(self, artifact_id: str, findings: Findings) -> None:
        kind = "proposed" if findings.proposed else "learnt"
        place = {"id": artifact_id, "findings_id": f"{artifact_id}/{findings.extractor}/{kind}"}
        self.run(cypher.KEEP_FINDINGS, properties=json_codec.findings_fields(findings), **place)

    def _chunks_of_current(self, artifact_id: str) -> int | None:
        return next((row["num_chunks"] for row in self.rows(cypher.CURRENT_ITEM, id=artifact_id)), None)

    def annotations(self, artifact_ids: Sequence[str]) -> dict[str, list[ExtractionResult]]:
        found: dict[str, list[ExtractionResult]] = {}
        for row in self.rows(cypher.ANNOTATIONS, ids=valid_utf8(artifact_ids)):
            found.setdefault(row["id"], []).append(_reading(row))
        return found

    def artifact_knowledge(self, artifact_ids: Sequence[str]) -> dict[str, Knowledge]:
        rows = self.rows(cypher.LESSONS, ids=valid_utf8(artifact_ids))
        statuses = {id_: status for row in rows for id_, status in row["events"]}
        given = self.rows(knowledge_cypher.EVENTS, ids=sorted(statuses))
        events = {one.id: replace(one, status=statuses[one.id]) for one in as_events(given, originals=True)}
        return {
            row["id"]: Knowledge(
                tuple(_entity(named) for named in row["entities"]),
                _mentions(row["id"], row["entities"]),
                tuple(_with_evidence_of(events[id_], row["id"]) for id_, _ in sorted(row["events"]) if id_ in events),
                row["unread_language"],
            )
            for row in rows
        }

    def _put_reading(self, artifact_id: str, reading: KeptReading, *, replaces: bool) -> bool:
        properties = json_codec.reading_fields(reading)
        text, run_id = properties.pop("found"), properties.pop("run_id")
        place = {"id": artifact_id, "run_id": run_id, "reading_id": f"{run_id}/{artifact_id}"}
        given = {"properties": properties, "found": text, "replaces": replaces}
        return bool(self.rows(cypher.PUT_READING, **place, **given))

    def _finish_reading(self, run_id: str, artifact_id: str) -> None:
        self.run(cypher.FINISH_READING, reading_id=f"{run_id}/{artifact_id}")

    def _drop_readings(self, artifact_ids: Sequence[str]) -> None:
        self.run(cypher.DROP_READINGS_OF, ids=artifact_ids)


def _reading(row: Record) -> ExtractionResult:
    return ExtractionResult(row["run_id"], row["extractor"], json_codec.extraction(row["found"]))


def _place(project_id: str, run_id: str, artifact_id: str) -> dict[str, Any]:
    return {"project_id": project_id, "reading_id": f"{run_id}/{artifact_id}"}


def _run(node: Mapping[str, Any]) -> Run:
    ended = from_microseconds(node["ended"])
    return json_codec.run(node, started=from_microseconds(node["started"]), ended=ended)


def _entity(named: Mapping[str, Any]) -> Entity:
    names = (named["name"], *sorted(named["aliases"]))
    reasons = tuple((name, reason) for name, reason in zip(names, named["reasons"] or (), strict=False) if reason)
    return Entity(
        named["id"],
        named["name"],
        named["type"],
        names[1:],
        named["role"],
        named["organization"],
        reasons=reasons or None,
        weight=named["weight"] if named["weight"] > IN_TEXT else None,
    )


def _mentions(artifact_id: str, entities: Iterable[Mapping[str, Any]]) -> tuple[Mention, ...]:
    found = [
        Mention(named["id"], artifact_id, start, end)
        for named in entities
        for start, end in zip(named["starts"], named["ends"], strict=True)
    ]
    return tuple(sorted(found, key=lambda one: (one.start_char, one.end_char, one.entity_id)))


def _with_evidence_of(event: Event, artifact_id: str) -> Event:
    """Return an event with the evidence of one artifact alone."""
    return replace(event, evidence=tuple(proof for proof in event.evidence if proof.artifact_id == artifact_id))
