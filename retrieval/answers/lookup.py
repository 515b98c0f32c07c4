"""Lookup: one artifact, event or entity by its id, complete."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from core.dates import is_after
from core.errors import NotFound
from core.filters import Filters
from core.interface.question import Question
from core.interface.results import Recall, Result
from core.knowledge.findings import CATEGORIES
from core.knowledge.ledger import num_held_back, shown_events
from core.records import Artifact
from graph.store import Store
from retrieval.answers import views
from retrieval.answers.exploration import current_entity_id, explain_merge

#: As good as all: a text of 10,000,000 characters has fewer sentences.
_ALL_EVENTS: Final = 1_000_000
#: Newest events of each category shown of one entity.
_EVENTS_OF_ENTITY: Final = 20
#: As good as all: a text of 10,000,000 characters names fewer.
_MAX_ENTITIES: Final = 1_000_000

#: A result, the ids of the entities in it, and how many of its events are held back.
_Found = tuple[Result, Sequence[str], int]


def look_up(store: Store, project_id: str, identity: str, question: Question, filters: Filters) -> Recall:
    """Return the one thing with this id, its events and entities with it; revisions are found as well.

    An entity that was merged into another is answered by that one, and the hint says so.

    Raises:
        NotFound: nothing has this id, or with `as_of` nothing had it then.
    """
    found: _Found | None = None
    onward = current_entity_id(store, project_id, identity) if identity.startswith("ent_") else identity
    if identity.startswith("art_"):
        found = _artifact(store, project_id, identity, question, filters)
    elif identity.startswith("evt_"):
        found = _event(store, project_id, identity, filters)
    elif identity.startswith("ent_"):
        found = _entity(store, project_id, onward, question, filters)
    if found is None:
        raise NotFound(
            f"Nothing is stored under id {identity[:80]!r}: ids look like art_0123456789ab, evt_… or ent_…; "
            "recall with a query to find one."
        )
    result, entity_ids, held_back = found
    known = store.entities(project_id, entity_ids, as_of=filters.as_of) if question.include_entities else {}
    entities = [known[entity_id] for entity_id in entity_ids if entity_id in known]
    hint = None if onward == identity else explain_merge(identity, onward)
    return Recall(
        results=[result], entities=entities, total_count=1, match_type="id", hint=hint, held_back=held_back or None
    )


def _artifact(store: Store, project_id: str, identity: str, question: Question, filters: Filters) -> _Found | None:
    artifact = store.get(project_id, [identity]).get(identity)
    if artifact is None or not _existed(artifact.happened_at, filters):
        return None
    every = store.events_of(project_id, [identity], _ALL_EVENTS, as_of=filters.as_of).get(identity, [])
    events = shown_events(every, question.min_confidence)
    cut = store.chunks(project_id, [identity]).get(identity, []) if question.expand_neighbors else None
    chunks = None if cut is None else [chunk for chunk in cut if not chunk.is_restatement]
    former = store.revisions(project_id, identity)
    revisions = [revision.id for revision in former if _existed(revision.happened_at, filters)]
    result = replace(
        views.make_result(artifact, score=1.0),
        events=[views.make_event_view(event) for event in events] if question.include_events else None,
        chunks=None if chunks is None else views.make_chunk_views(chunks),
        revisions=revisions or None,
    )
    mentioned = store.entities_of(project_id, [identity], _MAX_ENTITIES, as_of=filters.as_of, counted=False)
    acting = [actor.entity_id for event in events for actor in event.actors]
    involved = [*(entity.id for entity in mentioned), *acting, *_in_fields(store, project_id, artifact)]
    return result, list(dict.fromkeys(involved)), num_held_back(every, question.min_confidence)


def _in_fields(store: Store, project_id: str, artifact: Artifact) -> list[str]:
    """Return the people whom author and participants name, each where only one goes by the name."""
    names = [*filter(None, [artifact.memory.author]), *artifact.memory.participants]
    known = store.entities_by_name(project_id, names) if names else {}
    people = ([one.id for one in entities if one.type == "person"] for entities in known.values())
    return [ids[0] for ids in people if len(ids) == 1]


def _event(store: Store, project_id: str, identity: str, filters: Filters) -> _Found | None:
    event = store.events(project_id, [identity], as_of=filters.as_of).get(identity)
    if event is None:
        return None
    involved = [actor.entity_id for actor in event.actors] + [subject.entity_id for subject in event.subjects]
    return views.make_event_result(event), list(dict.fromkeys(involved)), 0


def _entity(store: Store, project_id: str, identity: str, question: Question, filters: Filters) -> _Found | None:
    entity = store.entities(project_id, [identity], as_of=filters.as_of).get(identity)
    if entity is None:
        return None
    links = store.links(project_id, [identity], CATEGORIES, _EVENTS_OF_ENTITY, as_of=filters.as_of)
    targets = list(dict.fromkeys(link.target for link in sorted(links, key=lambda link: (-link.weight, link.target))))
    known = store.events(project_id, targets, as_of=filters.as_of)
    linked = [known[target] for target in targets if target in known]
    resting_on = list({evidence.artifact_id for event in linked for evidence in event.evidence})
    current = store.matching_ids(project_id, resting_on, filters.visibility())
    every = [event for event in linked if any(evidence.artifact_id in current for evidence in event.evidence)]
    events = shown_events(every, question.min_confidence)
    return views.make_entity_result(entity, events), [identity], num_held_back(every, question.min_confidence)


def _existed(happened_at: datetime, filters: Filters) -> bool:
    return filters.as_of is None or not is_after(happened_at, filters.as_of)
