"""Extractions and knowledge of one artifact as JSON, and back. For every engine.

Knowledge holds no word of another artifact: actors and subjects are ids, since their names may be another's.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
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
