"""Ledger: decisions and commitments with their status, what changed it, and the sentence that did."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final

from core.dates import is_before, to_local_text, to_text, to_zone_text, zone
from core.dates.recurrence import next_day, weekly_words
from core.errors import NotFound
from core.filters import Filters
from core.interface.ledger import (
    Cause,
    CommitmentsQuestion,
    DecisionsQuestion,
    Declaration,
    LedgerAnswer,
    LedgerItem,
    Quote,
)
from core.interface.results import describe_unread_languages
from core.knowledge.findings import Category, Entity, Event, EventLink, EventStatus, Evidence, normalise_name
from core.knowledge.ledger import LISTED, STALE_AFTER, LedgerPage, LedgerQuery, Resolution, is_overdue
from core.records import Artifact
from graph.store import Store
from graph.text.tokens import ledger_stems
from retrieval.answers.views import format_due
from retrieval.shapes.ledger_shape import shape_ledger

#: What each status asked for means in the record; a status that is not here is one of the record's own.
_ALL: Final = "all"
_OVERDUE: Final = "overdue"
_STALE: Final = "stale"
#: Names listed where one is that of several.
_NAMESAKES: Final = 5


def decisions(store: Store, project_id: str, question: DecisionsQuestion) -> LedgerAnswer:
    """Return the decisions asked for: of a topic the best match first, then newest first.

    Raises:
        Unavailable: the record does not answer.
    """
    filters = question.filters()
    date_from, date_to = question.date_range(filters)
    query = LedgerQuery(
        category="Decision",
        filters=filters,
        statuses=LISTED["Decision"] if question.status == _ALL else (question.status,),
        date_from=date_from,
        date_to=date_to,
        min_confidence=question.min_confidence,
    )
    return _answer(store, project_id, query, question, question.person)


def commitments(store: Store, project_id: str, question: CommitmentsQuestion) -> LedgerAnswer:
    """Return the commitments asked for: newest first, or the earliest due first if they are still to be kept.

    Raises:
        Unavailable: the record does not answer.
    """
    filters = question.filters()
    due_before = question.due_end(filters)
    statuses: dict[str | None, tuple[EventStatus, ...]] = {
        None: LISTED["Commitment"], _ALL: LISTED["Commitment"],
        "open": ("open",), _OVERDUE: ("open",), "done": ("done",), "cancelled": ("cancelled",), _STALE: ("open",),
    }  # fmt: skip
    query = LedgerQuery(
        category="Commitment",
        filters=filters,
        statuses=statuses[question.status],
        owners=True,
        due_before=due_before,
        weekly=() if due_before is None else weekly_words((filters.as_of or filters.at).astimezone(zone()), due_before),
        by_due=due_before is not None or question.status == "open",
        min_confidence=question.min_confidence,
        stale=None if question.status == _ALL else question.status == _STALE,
        stale_before=question.stale_before(filters),
    )
    if question.recipient is None:
        return _answer(store, project_id, query, question, question.owner)
    known = _entities_named(store, project_id, question.recipient, filters)
    query = replace(query, recipients=tuple(entity.id for entity in known))
    return _answer(store, project_id, query, question, question.owner, _about_namesakes(question.recipient, known))


def ledger_item(store: Store, project_id: str, event_id: str, filters: Filters) -> LedgerItem:
    """Return one decision or commitment.

    Raises:
        NotFound: nothing is stored under the id.
        Unavailable: the record does not answer.
    """
    items = _items(store, project_id, [event_id], filters)
    if not items:
        raise NotFound(
            f"Nothing is stored under id {event_id[:80]!r}: decisions and commitments list the evt_… ids there are."
        )
    return items[0]


def _answer(
    store: Store,
    project_id: str,
    query: LedgerQuery,
    question: DecisionsQuestion | CommitmentsQuestion,
    person: str | None,
    said: Sequence[str] = (),
) -> LedgerAnswer:
    hints = list(said)
    if person is not None:
        known = _entities_named(store, project_id, person, query.filters)
        query = replace(query, actors=tuple(entity.id for entity in known))
        hints += _about_namesakes(person, known)
    page, notes = _page(store, project_id, query, question)
    if not page.total and (waiting := store.job_counts(project_id).pending):
        notes = [*notes, f"{waiting} jobs still wait: what was stored lately may not be listed yet."]
    unread = "" if question.offset else describe_unread_languages(store.unread_languages(project_id))
    hint = " ".join(filter(None, [*hints, *notes, unread])) or None
    items = _items(store, project_id, page.ids, query.filters)
    found = LedgerAnswer(items, page.total, page.held_back, page.stale or None, hint)
    return shape_ledger(found, question)


def _entities_named(store: Store, project_id: str, name: str, filters: Filters) -> list[Entity]:
    """Return the entities with this name, alias or id as of the filters' date."""
    if name.startswith("ent_"):
        return list(store.entities(project_id, [name], as_of=filters.as_of).values())
    known = store.entities_by_name(project_id, [name]).get(normalise_name(name), [])
    if filters.as_of is None:
        return known
    then = store.entities(project_id, [entity.id for entity in known], as_of=filters.as_of).values()
    called = [one for one in then if normalise_name(name) in map(normalise_name, (one.name, *one.aliases))]
    return sorted(called, key=lambda entity: (-entity.mention_count, entity.name, entity.id))


def _about_namesakes(name: str, known: Sequence[Entity]) -> list[str]:
    if not known:
        return [f"Nobody is known as {name[:80]!r} here."]
    if len(known) == 1:
        return []
    listed = ", ".join(f"{entity.name} ({entity.id})" for entity in known[:_NAMESAKES])
    more = f" and {len(known) - _NAMESAKES} more" if len(known) > _NAMESAKES else ""
    return [f"{name[:80]!r} may be any of {listed}{more}: the entries of all are listed; give an id for one of them."]


def _page(
    store: Store, project_id: str, query: LedgerQuery, question: DecisionsQuestion | CommitmentsQuestion
) -> tuple[LedgerPage, list[str]]:
    """Return a page of events, and what is to be said about it.

    Of a topic it has what has all words or is about what is called so; else what has half of them.
    """
    read = partial(store.ledger_page, project_id, limit=question.limit, offset=question.offset)
    topic = question.topic
    if topic is None:
        return read(query), []
    about = tuple(entity.id for entity in _entities_named(store, project_id, topic, query.filters))
    number = len(ledger_stems(topic))
    query = replace(query, words=(topic,), about=about, shared=max(1, number))
    page = read(query)
    if page.total or number < 2:
        return page, []
    half = (number + 1) // 2
    page = read(replace(query, shared=half))
    note = f"None has all words of the topic: those with at least {half} of {number} are listed."
    return page, [note] * bool(page.ids)


@dataclass(frozen=True, slots=True)
class _PageData:
    """What the record holds about a page of events, as of one moment."""

    filters: Filters
    statuses: Mapping[str, EventStatus]
    links: Sequence[EventLink]
    #: The events of the page and those linked with them.
    events: Mapping[str, Event]
    history: Mapping[str, Sequence[Resolution]]
    #: The items that contain the evidence.
    artifacts: Mapping[str, Artifact]


def _items(store: Store, project_id: str, ids: Sequence[str], filters: Filters) -> list[LedgerItem]:
    if not ids:
        return []
    links = store.event_links(project_id, ids)
    involved = {*ids, *(end for link in links for end in (link.source, link.target))}
    events = store.events(project_id, sorted(involved), as_of=filters.as_of)
    evidence_of = _visible_evidence(store, project_id, events, filters)
    made = store.resolutions(project_id, ids)
    at = filters.as_of or filters.at
    data = _PageData(
        filters=filters,
        statuses=store.statuses(project_id, ids, filters),
        links=[link for link in links if link.source in evidence_of and link.target in events],
        events={id_: replace(event, evidence=evidence_of.get(id_, event.evidence)) for id_, event in events.items()},
        history={id_: [one for one in several if one.at <= at] for id_, several in made.items()},
        artifacts=store.get(project_id, sorted({one.artifact_id for proofs in evidence_of.values() for one in proofs})),
    )
    return [_item(data.events[id_], data) for id_ in ids if id_ in events]


def _visible_evidence(
    store: Store, project_id: str, events: Mapping[str, Event], filters: Filters
) -> dict[str, tuple[Evidence, ...]]:
    """Return the evidence of each event that is current and passes the filters; events without any are left out.

    As of a date what has been replaced since was current, too.
    """
    artifacts = {proof.artifact_id for event in events.values() for proof in event.evidence}
    passing = store.matching_ids(project_id, sorted(artifacts), filters)
    if filters.as_of is not None:
        origins = store.origins(project_id, sorted(events)).values()
        passing |= {origin.artifact_id for origin in origins if origin.successor is not None}
    seen = {
        id_: tuple(proof for proof in event.evidence if proof.artifact_id in passing) for id_, event in events.items()
    }
    return {id_: evidence for id_, evidence in seen.items() if evidence}


def _item(event: Event, data: _PageData) -> LedgerItem:
    status = data.statuses.get(event.id)
    at = data.filters.as_of or data.filters.at
    earlier = _ends(data, (link.target for link in data.links if link.source == event.id), "Decision")[::-1]
    later = _causes(event.id, "SUPERSEDES", data)
    done, dropped = _causes(event.id, "COMPLETES", data), _causes(event.id, "CANCELS", data)
    declared = data.history.get(event.id, ())
    superseded = [one.id for one in earlier] if event.category == "Decision" else []
    return LedgerItem(
        id=event.id,
        category=event.category,
        summary=event.summary,
        status=status,
        event_time=_moment(event.event_time),
        owners=owners_of(event),
        recipients=[actor.name for actor in event.actors if actor.role == "recipient"],
        origin=event.origin,
        subjects=[subject.name for subject in event.subjects],
        evidence=_quotes(event, data),
        artifact_id=event.evidence[0].artifact_id,
        confidence=event.confidence,
        due=_due(event, status, at),
        stale=True if _is_stale(event, status, at) else None,
        said_at=_moment(event.event_time) if event.category == "Commitment" else None,
        title=_title(event, data),
        overdue=is_overdue(event.due, status, at),
        supersedes=superseded[0] if superseded else None,
        superseded_by=later[0].id if later else None,
        also_supersedes=superseded[1:] or None,
        also_superseded_by=[one.id for one in later[1:]] or None,
        superseding=_cause(later, data),
        completed_by=_cause(done, data),
        cancelled_by=_cause(dropped, data),
        history=[Declaration(one.status, to_zone_text(one.at), one.note) for one in declared] or None,
    )


def _due(event: Event, status: EventStatus | None, at: datetime) -> str | None:
    """Return by when something is to be done: of what comes back every week the next day, while it is open."""
    if event.due is not None:
        return format_due(event.due)
    is_open = event.category == "Commitment" and status == "open"
    following = next_day(event.evidence[0].quote, at.astimezone(zone())) if is_open else None
    return None if following is None else following.date().isoformat()


def _is_stale(event: Event, status: EventStatus | None, at: datetime) -> bool:
    """Whether an event is an open commitment that is overdue, or without a day, for more than a year."""
    since = event.due or event.event_time
    is_open = event.category == "Commitment" and status == "open"
    return is_open and since is not None and is_before(since, at - STALE_AFTER)


def _title(event: Event, data: _PageData) -> str | None:
    found = data.artifacts.get(event.evidence[0].artifact_id)
    return None if found is None else found.memory.title


def _ends(data: _PageData, ids: Iterable[str], category: Category) -> list[Event]:
    """Return linked events of a category, the earliest first."""
    events = (data.events[id_] for id_ in ids)
    return sorted((one for one in events if one.category == category), key=_when)


def _causes(event_id: str, relation: str, data: _PageData) -> list[Event]:
    """Return what made an event superseded, done or cancelled, the earliest first."""
    sources = (link.source for link in data.links if link.target == event_id and link.relation == relation)
    return sorted((data.events[id_] for id_ in sources), key=_when)


def _when(event: Event) -> tuple[str, str]:
    return "" if event.event_time is None else to_text(event.event_time), event.id


def _cause(events: Sequence[Event], data: _PageData) -> Cause | None:
    if not events:
        return None
    first = events[0]
    return Cause(
        first.id,
        first.summary,
        first.evidence[0].artifact_id,
        _quotes(first, data),
        _moment(first.event_time),
    )


def _quotes(event: Event, data: _PageData) -> list[Quote]:
    artifacts = [data.artifacts.get(proof.artifact_id) for proof in event.evidence]
    return [
        Quote.of(proof, None if found is None else found.memory)
        for proof, found in zip(event.evidence, artifacts, strict=True)
    ]


def owners_of(event: Event) -> list[str]:
    """Return who owns it; who contributes to what nobody owns."""
    owners = [actor.name for actor in event.actors if actor.role == "owner"]
    return owners or [actor.name for actor in event.actors if actor.role == "contributor"]


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else to_local_text(moment)
