"""`Runs` on Neo4j: what extractors found in items, and the knowledge that was there before."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from core.errors import InvalidInput
from core.knowledge.annotations import annotations_in, merged_annotations
from core.knowledge.findings import Entity, Event, Extraction, Knowledge, Mention
from core.knowledge.runs import CallerAnnotations, ExtractionResult, Findings, KnowledgeSnapshot, Run
from core.records import ANNOTATION_JOBS
from core.transfer import KeptItem, Outcome
from graph import knowledge_codec, run_codec
from graph.neo4j_store.cypher import knowledge_cypher, record_cypher, schema_cypher
from graph.neo4j_store.cypher import runs_cypher as cypher
from graph.neo4j_store.database.connection import Database, Transaction
from graph.neo4j_store.database.filters import storable
from graph.neo4j_store.database.job_queue import job_id, put_jobs
from graph.neo4j_store.database.rows import is_whole
from graph.neo4j_store.knowledge.knowledge_graph import as_events
from graph.neo4j_store.knowledge.ledger import links_of
from graph.timestamps import from_microseconds

#: Readings that are dropped in one transaction: each holds all that was found in an item.
_BATCH: Final = 500


class Neo4jRuns:
    """Fulfils `graph.protocols.runs.Runs`."""

    _database: Database

    def put_run(self, run: Run) -> None:
        self._database.write(lambda transaction: _put(transaction, run))

    def run(self, project_id: str, run_id: str) -> Run | None:
        rows = self._database.rows(cypher.RUN, project_id=project_id, id=run_id)
        return _run(rows[0]["run"]) if rows else None

    def runs(self, project_id: str, limit: int) -> list[Run]:
        return [_run(row["run"]) for row in self._database.rows(cypher.RUNS, project_id=project_id, limit=limit)]

    def save_extraction(self, run: Run, artifact_id: str, found: Extraction | None, *, waits: bool) -> bool:
        place = _place(run.project_id, run.id, artifact_id) | {"run_id": run.id, "id": artifact_id}

        def work(transaction: Transaction) -> bool:
            transaction.row(record_cypher.LOCK_KNOWN_PROJECT, project_id=run.project_id)
            standing = _standing(transaction, run.project_id, artifact_id)
            if standing is None:
                return False
            fields = run_codec.reading_fields(found, standing, waits=waits, finished=False)
            text = fields.pop("found")
            return transaction.row(cypher.KEEP_READING, **place, properties=fields, found=text) is not None

        return self._database.write(work)

    def finish_extraction(self, run: Run, artifact_id: str) -> None:
        def work(transaction: Transaction) -> None:
            _put(transaction, run)
            transaction.run(cypher.FINISH_READING, **_place(run.project_id, run.id, artifact_id))

        self._database.write(work)

    def run_items(self, project_id: str, run_id: str) -> dict[str, bool]:
        rows = self._database.rows(cypher.READINGS, project_id=project_id, id=run_id)
        return {row["id"]: row["finished"] for row in rows if is_whole(row)}

    def latest_extraction(self, project_id: str, artifact_id: str) -> ExtractionResult | None:
        rows = self._database.rows(cypher.READING, project_id=project_id, id=artifact_id)
        found = [
            ExtractionResult(row["run_id"], row["extractor"], knowledge_codec.extraction(row["found"])) for row in rows
        ]
        return next(iter(found), None)

    def annotations(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, list[ExtractionResult]]:
        found: dict[str, list[ExtractionResult]] = {}
        for row in self._database.rows(cypher.ANNOTATIONS, project_id=project_id, ids=storable(artifact_ids)):
            reading = ExtractionResult(row["run_id"], row["extractor"], knowledge_codec.extraction(row["found"]))
            found.setdefault(row["id"], []).append(reading)
        return found

    def annotate(self, project_id: str, artifact_id: str, annotations: CallerAnnotations) -> bool:
        def work(transaction: Transaction) -> bool:
            if transaction.row(record_cypher.LOCK_KNOWN_PROJECT, project_id=project_id) is None:
                return False
            row = transaction.row(cypher.CURRENT_ITEM, project_id=project_id, id=artifact_id)
            if row is None or not save_annotations(transaction, artifact_id, annotations):
                return False
            put_jobs(transaction, project_id, {artifact_id: row["num_chunks"]}, ANNOTATION_JOBS)
            return True

        return self._database.write(work)

    def snapshot_before(self, project_id: str, run_id: str, artifact_id: str) -> KnowledgeSnapshot | None:
        rows = self._database.rows(cypher.STANDING, **_place(project_id, run_id, artifact_id))
        return next((KnowledgeSnapshot(knowledge_codec.knowledge(row["standing"]), row["waits"]) for row in rows), None)

    def delete_extractions(self, project_id: str, run_id: str) -> None:
        def work(transaction: Transaction) -> int:
            row = transaction.row(cypher.DROP_READINGS, project_id=project_id, id=run_id, batch=_BATCH)
            return 0 if row is None else int(row["dropped"])

        while self._database.write(work):
            pass

    def later_runs(self, project_id: str, run_id: str) -> list[str]:
        return [row["id"] for row in self._database.rows(cypher.RUNS_AFTER, project_id=project_id, id=run_id)]

    def artifact_knowledge(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, Knowledge]:
        return self._database.read(lambda transaction: read_lessons(transaction, project_id, storable(artifact_ids)))

    def changed_since(self, project_id: str, moment: datetime) -> bool:
        rows = self._database.rows(cypher.CHANGED_SINCE, project_id=project_id, moment=moment)
        return bool(rows[0]["changed"])

    def cache_findings(self, project_id: str, artifact_id: str, findings: Findings) -> None:
        def work(transaction: Transaction) -> None:
            transaction.row(record_cypher.LOCK_KNOWN_PROJECT, project_id=project_id)
            _keep_findings(transaction, project_id, artifact_id, findings)

        self._database.write(work)

    def cached_findings(self, project_id: str, artifact_id: str) -> list[Findings]:
        rows = self._database.rows(cypher.FINDINGS, project_id=project_id, id=artifact_id)
        return [run_codec.findings(row) for row in rows if is_whole(row)]


def drop_readings_of(transaction: Transaction, project_id: str, artifact_ids: Sequence[str]) -> None:
    """Remove the readings and findings of artifacts, ahead of the artifacts themselves."""
    transaction.run(cypher.DROP_READINGS_OF, project_id=project_id, ids=artifact_ids)


def keep_run(transaction: Transaction, project_id: str, run: Run) -> Outcome:
    """Store a run if none has its id."""
    if transaction.row(cypher.HAS_RUN, project_id=project_id, id=run.id) is not None:
        return "unchanged"
    _put(transaction, replace(run, project_id=project_id))
    return "stored"


def keep_readings(transaction: Transaction, record: KeptItem) -> None:
    """Keep what runs keep of an item, and what extractors found in it, in place of what was kept of it."""
    artifact = record.artifact
    drop_readings_of(transaction, artifact.project_id, [artifact.id])
    for reading in record.readings:
        properties = run_codec.reading_fields(
            reading.found, reading.standing, waits=reading.waits, finished=reading.finished
        )
        place = _place(artifact.project_id, reading.run_id, artifact.id) | {"run_id": reading.run_id}
        if transaction.row(cypher.PUT_READING, id=artifact.id, properties=properties, **place) is None:
            raise InvalidInput(f"The item {artifact.id!r} was read by run {reading.run_id!r}, which is not here.")
    for findings in record.findings:
        _keep_findings(transaction, artifact.project_id, artifact.id, findings)


def save_annotations(transaction: Transaction, artifact_id: str, annotations: CallerAnnotations) -> bool:
    """Keep what a caller gives of an item as a reading of its run; return whether it says anything new."""
    run, project_id = annotations.run, annotations.run.project_id
    before = _annotations(transaction, project_id, artifact_id)
    if merged_annotations([*before.values(), annotations.found]) == merged_annotations(before.values()):
        return False
    again = [before[run.id]] if run.id in before else []
    stored = transaction.row(cypher.RUN, project_id=project_id, id=run.id)
    if stored is not None:
        own = replace(run.tally, items=0 if again else run.tally.items)
        run = replace(run, tally=_run(stored["run"]).tally + own)
    _put(transaction, run)
    standing = _standing(transaction, project_id, artifact_id)
    assert standing is not None, "its item is current"
    job = job_id(artifact_id, "extract")
    waits = transaction.row(cypher.WAITS_FOR_EXTRACTION, project_id=project_id, id=job) is not None
    _put_annotations(
        transaction,
        (project_id, run.id, artifact_id),
        merged_annotations([*again, annotations.found]),
        standing,
        waits=waits,
    )
    return True


def copy_annotations(transaction: Transaction, project_id: str, former: str, artifact_id: str, content: str) -> None:
    """Keep for an item what was given of the one that it replaces, as far as it holds for its content."""
    known = _annotations(transaction, project_id, artifact_id)
    for run_id, given in _annotations(transaction, project_id, former).items():
        found = annotations_in(given, content)
        if run_id not in known and (found.events or found.entities):
            _put_annotations(transaction, (project_id, run_id, artifact_id), found, Knowledge(), waits=True)


def _annotations(transaction: Transaction, project_id: str, artifact_id: str) -> dict[str, Extraction]:
    """Return what was given of an item by its run, earliest first."""
    rows = transaction.rows(cypher.ANNOTATIONS, project_id=project_id, ids=[artifact_id])
    return {row["run_id"]: knowledge_codec.extraction(row["found"]) for row in rows}


def _put_annotations(
    transaction: Transaction, place: tuple[str, str, str], found: Extraction, standing: Knowledge, *, waits: bool
) -> None:
    """Keep a finished reading at a project, run and item."""
    _, run_id, artifact_id = place
    fields = run_codec.reading_fields(found, standing, waits=waits, finished=True)
    at = _place(*place)
    text = fields.pop("found")
    transaction.row(cypher.KEEP_READING, **at, run_id=run_id, id=artifact_id, properties=fields, found=text)
    transaction.run(cypher.SET_FOUND, **at, found=text)


def _standing(transaction: Transaction, project_id: str, artifact_id: str) -> Knowledge | None:
    """Return the knowledge of an artifact with the links of its events; None if it is not stored."""
    lesson = read_lessons(transaction, project_id, [artifact_id]).get(artifact_id)
    if lesson is None:
        return None
    return replace(lesson, links=tuple(links_of(transaction, project_id, [event.id for event in lesson.events])))


def read_lessons(transaction: Transaction, project_id: str, artifact_ids: Sequence[str]) -> dict[str, Knowledge]:
    """Do what `graph.protocols.runs.Runs.artifact_knowledge` promises."""
    rows = transaction.rows(cypher.LESSONS, project_id=project_id, ids=artifact_ids)
    statuses = {id_: status for row in rows for id_, status in row["events"]}
    given = transaction.rows(knowledge_cypher.EVENTS, project_id=project_id, ids=sorted(statuses))
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


def _keep_findings(transaction: Transaction, project_id: str, artifact_id: str, findings: Findings) -> None:
    kind = "proposed" if findings.proposed else "learnt"
    place = {"project_id": project_id, "id": artifact_id, "findings_id": f"{artifact_id}/{findings.extractor}/{kind}"}
    transaction.run(cypher.KEEP_FINDINGS, properties=run_codec.findings_fields(findings), **place)


def _put(transaction: Transaction, run: Run) -> None:
    transaction.run(schema_cypher.LOCK_PROJECT, project_id=run.project_id)
    properties = run_codec.run_fields(run) | {"started": run.started, "ended": run.ended}
    transaction.run(cypher.PUT_RUN, project_id=run.project_id, id=run.id, properties=properties)


def _place(project_id: str, run_id: str, artifact_id: str) -> dict[str, Any]:
    return {"project_id": project_id, "reading_id": f"{run_id}/{artifact_id}"}


def _run(node: Mapping[str, Any]) -> Run:
    ended = from_microseconds(node["ended"])
    return run_codec.run(node, started=from_microseconds(node["started"]), ended=ended)


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
