"""Knowledge, extractions and runs as JSON in the fields of a row or a node, and back. For every engine.

Knowledge holds no word of another artifact: actors and subjects are ids, since their names may be another's.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from core.dates import parse_iso
from core.interface.results import to_json
from core.knowledge.findings import (
    Actor,
    Bearing,
    Entity,
    Event,
    EventLink,
    Evidence,
    Extraction,
    FoundEntity,
    FoundEvent,
    Knowledge,
    Mention,
    Span,
    Subject,
)
from core.knowledge.runs import Findings, Run, RunScope, RunTally
from core.transfer import KeptReading


def extraction_text(found: Extraction) -> str:
    """Return what `extraction` reads; in ASCII, since a model may answer with half of a surrogate pair."""
    return json.dumps(to_json(found), separators=(",", ":"))


def extraction(text: str) -> Extraction:
    """Return what was found."""
    kept = json.loads(text)
    found = tuple(map(_found_entity, kept["entities"])), tuple(map(_found_event, kept["events"]))
    return Extraction(*found, replaces=kept.get("replaces", False), unread_language=kept.get("unread_language"))


def knowledge_text(knowledge: Knowledge) -> str:
    """Return what `knowledge` reads: all but the names of actors and subjects."""
    events = [
        to_json(event)
        | {
            "actors": [[actor.entity_id, actor.role] for actor in event.actors],
            "subjects": [subject.entity_id for subject in event.subjects],
        }
        for event in knowledge.events
    ]
    kept = {"entities": to_json(knowledge.entities), "mentions": to_json(knowledge.mentions), "events": events}
    if knowledge.unread_language is not None:
        kept["unread_language"] = knowledge.unread_language
    if knowledge.links:
        kept["links"] = to_json(knowledge.links)
    return json.dumps(kept, separators=(",", ":"))


def knowledge(text: str) -> Knowledge:
    """Return the knowledge of an artifact; actors and subjects have the names that it gives them itself."""
    kept = json.loads(text)
    entities = tuple(map(_entity, kept["entities"]))
    names = {entity.id: entity.name for entity in entities}
    mentions = tuple(Mention(**given) for given in kept["mentions"])
    events = tuple(_event(given, names) for given in kept["events"])
    links = tuple(EventLink(**given) for given in kept.get("links", ()))
    return Knowledge(entities, mentions, events, kept.get("unread_language"), links)


def _entity(given: Mapping[str, Any]) -> Entity:
    reasons = None if given.get("reasons") is None else tuple((name, reason) for name, reason in given["reasons"])
    return Entity(**{**given, "aliases": tuple(given["aliases"]), "reasons": reasons})


def _event(given: Mapping[str, Any], names: Mapping[str, str]) -> Event:
    return Event(
        **_timed(given)
        | {
            "actors": tuple(Actor(id_, names.get(id_, ""), role) for id_, role in given["actors"]),
            "subjects": tuple(Subject(id_, names.get(id_, "")) for id_ in given["subjects"]),
            "evidence": tuple(Evidence(**proof) for proof in given["evidence"]),
            "bears_on": bearings(given.get("bears_on", ())),
        }
    )


def _found_entity(given: Mapping[str, Any]) -> FoundEntity:
    spans = tuple(Span(**span) for span in given["mentions"])
    return FoundEntity(**{**given, "aliases": tuple(given["aliases"]), "mentions": spans})


def _found_event(given: Mapping[str, Any]) -> FoundEvent:
    actors = tuple((name, role) for name, role in given["actors"])
    bears_on = bearings(given.get("bears_on", ()))
    return FoundEvent(**_timed(given) | {"actors": actors, "subjects": tuple(given["subjects"]), "bears_on": bears_on})


def bearings(given: Iterable[Sequence[Any]]) -> tuple[Bearing, ...]:
    """Return what JSON has as lists."""
    return tuple((relation, target) for relation, target in given)


def _timed(given: Mapping[str, Any]) -> dict[str, Any]:
    return {**given} | {
        name: parse_iso(given[name], field=name) for name in ("event_time", "due") if given.get(name) is not None
    }


def run_fields(run: Run) -> dict[str, object]:
    """Return all fields of a run but its ids and times; scope and tally are JSON."""
    return {
        "extractor": run.extractor,
        "scope": json.dumps(to_json(run.scope)),
        "state": run.state,
        "tally": json.dumps(to_json(run.tally)),
    }


def run(fields: Mapping[str, Any], *, started: datetime, ended: datetime | None) -> Run:
    """Return a run of its `run_fields`, ids and times."""
    scope = json.loads(fields["scope"])
    return Run(
        id=fields["id"],
        project_id=fields["project_id"],
        extractor=fields["extractor"],
        scope=RunScope(**scope | {"ids": tuple(scope["ids"])}),
        started=started,
        state=fields["state"],
        ended=ended,
        tally=RunTally(**json.loads(fields["tally"])),
    )


def reading_fields(reading: KeptReading) -> dict[str, object]:
    """Return all fields of a reading; what was found and stood before is JSON."""
    return {
        "run_id": reading.run_id,
        "found": None if reading.found is None else extraction_text(reading.found),
        "standing": knowledge_text(reading.standing),
        "waits": reading.waits,
        "finished": reading.finished,
    }


def reading(fields: Mapping[str, Any]) -> KeptReading:
    """Return a reading of its `reading_fields`."""
    return KeptReading(
        run_id=fields["run_id"],
        found=None if fields["found"] is None else extraction(fields["found"]),
        standing=knowledge(fields["standing"]),
        waits=bool(fields["waits"]),
        finished=bool(fields["finished"]),
    )


def findings_fields(findings: Findings) -> dict[str, object]:
    """Return the fields of findings."""
    return {
        "extractor": findings.extractor,
        "proposed": findings.proposed,
        "text_hash": findings.text_hash,
        "found": extraction_text(findings.found),
    }


def findings(fields: Mapping[str, Any]) -> Findings:
    """Return findings of their fields."""
    return Findings(
        extractor=fields["extractor"],
        text_hash=fields["text_hash"],
        found=extraction(fields["found"]),
        proposed=bool(fields["proposed"]),
    )
