"""Links between events, supersession and completion; the questions about uncertain ones; and declared statuses."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final, Literal

from core.dates import now
from core.filters import Filters
from core.interface.learning import LinkQuestion
from core.knowledge.findings import (
    FIRST_STATUS,
    UNLINKED,
    BearingRelation,
    Category,
    Event,
    EventLink,
    FoundEvent,
    Knowledge,
    LedgerRelation,
    Span,
)
from core.knowledge.ledger import LEDGER_CATEGORIES, RESOLVABLE, EventSearch, Resolution
from core.knowledge.runs import mostly_overlap
from core.regex import regex
from graph.store import Store
from ingest.document.evidence import fold_quote
from ingest.ledger.completion import cancels, completes, may_complete
from ingest.ledger.statements import CONFIDENCE, EXPLICIT, Basis, Statement, file_number, is_record
from ingest.ledger.supersession import may_supersede, supersedes

#: Categories that an event of each category may be linked with, in either direction.
_OTHERS: Final[dict[Category, tuple[Category, ...]]] = {
    "Decision": ("Decision", "Commitment", "Change"),
    "Commitment": ("Execution", "Change", "Decision"),
    "Execution": ("Commitment",),
    "Change": ("Commitment", "Decision"),
}
#: The category of what a giver says an event bears on.
_TARGETS: Final[dict[BearingRelation, Category]] = {"SUPERSEDES": "Decision", "COMPLETES": "Commitment"}
#: Events that one event is compared with, the most similar ones by words; beyond these a link may be missed.
_CANDIDATES: Final = 40
#: Events of one artifact in one batch, which bounds the memory that a long artifact needs.
_BATCH: Final = 50
#: Events of a replaced revision that those of its successor are compared with.
_FORMER: Final = 200
#: Attempts to write links while other processes write too.
_ROUNDS: Final = 5
#: Longest text read for what a decision record says of others, in characters.
_RECORD: Final = 20_000
#: Most characters of a status.
_LONGEST_STATUS: Final = 300
#: Above an entry of a log of decisions: "## DL-11 · 5 October", "**D-14 Heater plate.** …".
_NUMBERED_HEADING: Final = regex(r"^[ \t]*(?:#{2,4}[ \t]|\*\*|[A-Z]{1,4}-?\d+[.:) ])(?=[^\n]*\d)", re.M)
_FEWEST_ENTRIES: Final = 2


def link_events(project_id: str, artifact_id: str, knowledge: Knowledge, store: Store) -> None:
    """Bring the links of all events of an artifact up to date, in both directions.

    Each process checks again after it wrote, so that of several linking similar events the last one sees all.

    Raises:
        Unavailable: the record does not answer; doing it again finishes it.
    """
    events = [event for event in knowledge.events if event.category in LEDGER_CATEGORIES]
    if not events:
        return
    former = _former(project_id, artifact_id, store)
    for first in range(0, len(events), _BATCH):
        some = events[first : first + _BATCH]
        for _ in range(_ROUNDS):
            if not _relink(project_id, some, former, store):
                break


def _relink(project_id: str, events: Sequence[Event], former: Sequence[str], store: Store) -> bool:
    """Write the links of events if they differ from what is stored; return whether anything changed."""
    ids = [event.id for event in events]
    stored = store.event_links(project_id, ids)
    likes = store.similar_events(project_id, [_search(event) for event in events], _CANDIDATES)
    near: dict[str, set[str]] = {
        event.id: {*found, *former, *_named(event)} for event, found in zip(events, likes, strict=True)
    }
    for link in stored:
        for one, other in ((link.source, link.target), (link.target, link.source)):
            near.setdefault(one, set()).add(other)
    statements = statements_of(project_id, {*ids, *(other for others in near.values() for other in others)}, store)
    pairs = ((id_, other) for id_ in ids for other in near[id_] if {id_, other} <= statements.keys())
    found = (link_between(statements[one], statements[other]) for one, other in pairs)
    links = {link for link in found if link is not None}
    return links != set(stored) and store.set_event_links(project_id, ids, sorted(links, key=_ends))


def link_between(one: Statement, other: Statement) -> EventLink | None:
    """Return how the later of two events certainly bears on the earlier; None if it does not, or neither is later.

    What was given is changed only by what was given.
    """
    if one.event.id == other.event.id:
        return None
    if (said := _said(one, other) or _said(other, one)) is not None:
        return said
    found = certain_link(one, other)
    if found is None:
        return None
    source, target, relation, basis = found
    if any(said == relation for said, _ in source.event.bears_on):
        return None  # its giver said what it bears on
    confidence = CONFIDENCE[basis]
    may_change = not target.is_given or (source.is_given and confidence >= EXPLICIT)
    return EventLink(source.event.id, target.event.id, relation, confidence) if may_change else None


def certain_link(one: Statement, other: Statement) -> tuple[Statement, Statement, LedgerRelation, Basis] | None:
    """Return which of two events certainly bears on which, how and why, by what both say; None if neither does."""
    both = {one.event.category: one, other.event.category: other}
    if len(both) == 1:
        return _superseding(one, other) if "Decision" in both else None
    promise = both.pop("Commitment", None)
    if promise is None:
        change, decision = both.get("Change"), both.get("Decision")
        is_after = change is not None and decision is not None and is_later(change, decision)
        basis = supersedes(change, decision) if change and decision and is_after else None
        return None if not (change and decision and basis) else (change, decision, "SUPERSEDES", basis)
    [report] = both.values()
    if is_later(promise, report):
        return None
    if report.event.category == "Decision":
        basis = cancels(report, promise)
        return None if basis is None else (report, promise, "CANCELS", basis)
    basis = completes(report, promise)
    return None if basis is None else (report, promise, "COMPLETES", basis)


def restore_links(project_id: str, knowledge: Knowledge, store: Store) -> None:
    """Put back the links that restored knowledge had with events of revisions, which `link_events` looks for no more.

    Raises:
        Unavailable: the record does not answer; doing it again finishes it.
    """
    if not knowledge.links:
        return
    ids = [event.id for event in knowledge.events]
    stored = store.event_links(project_id, ids)
    known = {_ends(link) for link in stored}
    origins = store.origins(project_id, sorted({end for link in knowledge.links for end in (link.source, link.target)}))
    past = [
        link
        for link in knowledge.links
        if _ends(link) not in known
        and {link.source, link.target} <= origins.keys()
        and (origins[link.source].successor or origins[link.target].successor)
    ]
    if past:
        store.set_event_links(project_id, ids, sorted([*stored, *past], key=_ends))


def find_unresolved_references(project_id: str, events: Sequence[FoundEvent], store: Store) -> list[int]:
    """Return the places in the list of given events that bear on an earlier one by words which no event's quote has.

    What waits to be extracted has no events yet: once it has, the two are linked.

    Raises:
        Unavailable: the record does not answer.
    """
    aimed = [
        (index, EventSearch("", (_TARGETS[relation],), words))
        for index, event in enumerate(events)
        for relation, words in event.bears_on
        if not words.startswith("evt_")
        and words != UNLINKED
        and not any(one.category == _TARGETS[relation] and fold_quote(words) in fold_quote(one.quote) for one in events)
    ]
    if not aimed:
        return []
    likes = store.similar_events(project_id, [search for _, search in aimed], _CANDIDATES)
    stored = store.events(project_id, sorted({id_ for found in likes for id_ in found}))
    pairs = zip(aimed, likes, strict=True)
    missed = (
        index
        for (index, search), found in pairs
        if not any(_stands_in(search.text, stored[id_]) for id_ in found if id_ in stored)
    )
    return list(dict.fromkeys(missed))


def _said(later: Statement, earlier: Statement) -> EventLink | None:
    """Return the link that the giver of an event says it has to an earlier one; wording cannot refer to a later
    event."""
    for relation, target in later.event.bears_on:
        if earlier.event.category != _TARGETS[relation]:
            continue
        if target == UNLINKED:
            continue
        named = target == earlier.event.id
        if named or (_stands_in(target, earlier.event) and not is_later(earlier, later)):
            return EventLink(later.event.id, earlier.event.id, relation, 1.0)
    return None


def _named(event: Event) -> Iterable[str]:
    """Return the events that the giver of one names by id: they need not have a word in common."""
    return (target for _, target in event.bears_on if target.startswith("evt_"))


def _stands_in(words: str, event: Event) -> bool:
    """Whether a quote of an event has these words, whatever their white space, case and typographic signs."""
    return any(fold_quote(words) in fold_quote(proof.quote) for proof in event.evidence)


def _superseding(one: Statement, other: Statement) -> tuple[Statement, Statement, LedgerRelation, Basis] | None:
    if not is_later(one, other) and not is_later(other, one):
        return _of_one_moment(one, other)
    later, earlier = (one, other) if is_later(one, other) else (other, one)
    basis = supersedes(later, earlier)
    return None if basis is None else (later, earlier, "SUPERSEDES", basis)


def _of_one_moment(one: Statement, other: Statement) -> tuple[Statement, Statement, LedgerRelation, Basis] | None:
    """Return the link of decisions of one moment, if one of them names the other as what was before, and not both."""
    sure = [pair for pair in ((one, other), (other, one)) if supersedes(*pair) == "former choice named"]
    if len(sure) != 1:
        return None
    [(later, earlier)] = sure
    return later, earlier, "SUPERSEDES", "former choice named"


def is_later(one: Statement, other: Statement) -> bool:
    """Whether `one` came after `other`: by time, else by place in one text, else as what replaced it under its key."""
    if one.order != other.order:
        return one.order > other.order
    if one.origin.artifact_id == other.origin.artifact_id:
        return one.start_char > other.start_char
    return other.origin.successor == one.origin.artifact_id


def _search(event: Event) -> EventSearch:
    quotes = " ".join(proof.quote for proof in event.evidence[:1])
    subjects = " ".join(subject.name for subject in event.subjects)
    # Its id, too: an event that names it is found by that.
    targets = " ".join([event.id, *(target for _, target in event.bears_on)])
    return EventSearch(event.id, _OTHERS[event.category], f"{event.summary}\n{quotes}\n{subjects}\n{targets}")


def _former(project_id: str, artifact_id: str, store: Store) -> list[str]:
    """Return the events of what an artifact replaced under its key, and what those bore on in their turn."""
    replaced = [one.id for one in store.revisions(project_id, artifact_id) if one.replaced_by == artifact_id]
    told = store.events_of(project_id, replaced, _FORMER) if replaced else {}
    ids = [event.id for events in told.values() for event in events]
    linked = [link.target for link in store.event_links(project_id, ids)] if ids else []
    return list(dict.fromkeys([*ids, *linked]))


def statements_of(project_id: str, ids: Iterable[str], store: Store) -> dict[str, Statement]:
    """Return stored events in the form in which they are compared, by their ids.

    Raises:
        Unavailable: the record does not answer.
    """
    wanted = sorted(ids)
    events = store.events(project_id, wanted)
    origins = store.origins(project_id, wanted)
    known = [id_ for id_ in wanted if id_ in events and id_ in origins]
    decided = [origins[id_] for id_ in known if events[id_].category == "Decision"]
    records = _records(
        project_id, {origin.artifact_id for origin in decided if is_record(origin) or file_number(origin)}, store
    )
    starts = {id_: [match.start() for match in _NUMBERED_HEADING.finditer(text)] for id_, text in records.items()}
    found: dict[str, Statement] = {}
    for id_ in known:
        event, origin = events[id_], origins[id_]
        record = records.get(origin.artifact_id, "")
        found[id_] = Statement(event, origin, _entry(record, starts.get(origin.artifact_id, ()), event))
    return found


def _entry(record: str, starts: Sequence[int], event: Event) -> str:
    """Return what a record says around an event: of a log of decisions, whose entries start there, the one entry."""
    if len(starts) < _FEWEST_ENTRIES:
        return record
    at = bisect_right(starts, event.evidence[0].start_char)
    return record[starts[at - 1] if at else 0 : starts[at] if at < len(starts) else len(record)]


def _records(project_id: str, artifact_ids: Iterable[str], store: Store) -> Mapping[str, str]:
    found = store.get(project_id, sorted(artifact_ids))
    return {id_: f"{one.memory.content[:_RECORD]}{_status(one.memory.metadata)}" for id_, one in found.items()}


def _status(metadata: Mapping[str, object] | None) -> str:
    """Return the status that a record has in the fields above its text, as a line."""
    status = (metadata or {}).get("status")
    return f"\n\nStatus: {status[:_LONGEST_STATUS]}" if isinstance(status, str) else ""


def _ends(link: EventLink) -> tuple[str, str, str]:
    return link.source, link.target, link.relation


#: The newest events that are looked at, and the earlier decisions and commitments that each is compared with.
_EVENTS: Final = 300
_QUESTION_CANDIDATES: Final = 12
#: They are compared newest first, so many at a time, until so many earlier ones are found; each time so many events are
#: read by their words.
_AT_ONCE, _ENOUGH, _MOST_READ = 50, 500, 10_000
#: From this confidence on a later event may be asked about: less than what is shown, since its text is read then.
_ASKED: Final = 0.4
_RELATIONS: Final[dict[LedgerRelation, Literal["supersedes", "completes"]]] = {
    "SUPERSEDES": "supersedes",
    "COMPLETES": "completes",
}
#: A stem is common in more statements than this number, and than one of so many.
_FEW_STATEMENTS: Final = 10
_COMMON_SHARE: Final = 25
#: The categories of events that one of a category may bear on.
_QUESTION_CATEGORIES: Final[dict[Category, tuple[Category, ...]]] = {
    "Decision": ("Decision",),
    "Execution": ("Commitment",),
    "Change": ("Commitment", "Decision"),
}


def link_questions(project_id: str, store: Store) -> list[LinkQuestion]:
    """Return which open commitments the newest events may complete, which current decisions they may supersede, and
    their extracted links.

    An earlier event is asked about once, with the likeliest later one, until that is answered with `resolve`: by a
    link, by "none", or by a status of the earlier one.

    Raises:
        Unavailable: the record does not answer.
    """
    seen = Filters(at=now())
    newest = store.list_events(project_id, list(_QUESTION_CATEGORIES), seen, _EVENTS)
    asking = [event for event in newest if event.confidence >= _ASKED and event.status in (None, "current")]
    likes: list[list[str]] = []
    found = set[str]()
    while len(likes) < len(asking) and len(found) < _ENOUGH:
        searches = [_question_search(event) for event in asking[len(likes) :][:_AT_ONCE]]
        likes += store.similar_events(project_id, searches, _QUESTION_CANDIDATES, _MOST_READ)
        found = {id_ for ids in likes for id_ in ids}
    asking = asking[: len(likes)]
    statements = statements_of(project_id, {*found, *(event.id for event in asking)}, store)
    declared = store.resolutions(project_id, sorted(found))
    common = _common_words(statements.values())
    best: dict[str, LinkQuestion] = {}
    for event, ids in zip(asking, likes, strict=True):
        for id_ in ids:
            asked = None if declared.get(id_) else _question(statements.get(event.id), statements.get(id_), common)
            if asked is not None and (id_ not in best or _rank(best[id_]) < _rank(asked)):
                best[id_] = asked
    return [*best.values(), *_extracted_links(project_id, asking, store)]


def _extracted_links(project_id: str, events: Sequence[Event], store: Store) -> list[LinkQuestion]:
    """Return the links of these events with earlier ones that nobody confirmed."""
    later = {event.id: event for event in events}
    links = [
        link for link in store.event_links(project_id, list(later)) if link.source in later and link.confidence < 1
    ]
    earlier = store.events(project_id, sorted({link.target for link in links}))
    return [
        LinkQuestion(
            _RELATIONS[link.relation], later[link.source], earlier[link.target], link.confidence, is_linked=True
        )
        for link in links
        if link.relation in _RELATIONS and link.target in earlier
    ]


def _common_words(statements: Collection[Statement]) -> frozenset[str]:
    """Return the stems that so many statements share that they tell no two of them apart."""
    most = max(_FEW_STATEMENTS, len(statements) // _COMMON_SHARE)
    return frozenset(
        stem for stem, number in Counter(chain(*(one.words for one in statements))).items() if number > most
    )


def _question(later: Statement | None, earlier: Statement | None, common: frozenset[str]) -> LinkQuestion | None:
    """Return the question whether one event bears on an earlier one that is shown, if it may."""
    if later is None or earlier is None or not earlier.is_sure or earlier.event.status not in ("open", "current"):
        return None
    is_decision = earlier.event.category == "Decision"
    is_answered = any(said == ("SUPERSEDES" if is_decision else "COMPLETES") for said, _ in later.event.bears_on)
    if is_answered or not is_later(later, earlier):
        return None
    likely = (may_supersede if is_decision else may_complete)(later, earlier, common)
    relation = _RELATIONS["SUPERSEDES" if is_decision else "COMPLETES"]
    return None if likely is None else LinkQuestion(relation, later.event, earlier.event, likely)


def _rank(asked: LinkQuestion) -> tuple[float, str]:
    return asked.likelihood, asked.later.id


def _question_search(event: Event) -> EventSearch:
    return EventSearch(event.id, _QUESTION_CATEGORIES[event.category], f"{event.summary}\n{event.evidence[0].quote}")


#: Revisions of an item, newest first, whose events are looked through.
_REVISIONS: Final = 10


def find_resolutions_to_carry(
    project_id: str, artifact_id: str, knowledge: Knowledge, store: Store
) -> list[Resolution]:
    """Return what was declared last of the stored events in whose place new decisions and promises of an artifact come.

    That are those in most of the same words of the artifact now, or said word for word, and as often, in a revision
    that it replaced. An event whose giver says that it is settled has none. To be asked before `knowledge` is stored.

    Raises:
        Unavailable: the record does not answer.
    """
    new = [event for event in knowledge.events if event.status == FIRST_STATUS.get(event.category, "")]
    if not new:
        return []
    revisions = [one.id for one in store.revisions(project_id, artifact_id)[:_REVISIONS]]
    stored = store.artifact_knowledge(project_id, [artifact_id, *revisions])
    present = _resolvable(stored.get(artifact_id))
    new = [event for event in new if event.id not in {one.id for one in present}]
    pairs = [(event.id, one.id) for event in new for one in present if _is_in_place_of(event, one)]
    for revision in revisions:
        pairs += _word_for_word(new, _resolvable(stored.get(revision)))
    declared = store.resolutions(project_id, [former for _, former in pairs]) if pairs else {}
    former = {event: declared[before][-1] for event, before in reversed(pairs) if declared.get(before)}
    return [replace(resolution, event_id=event) for event, resolution in former.items()]


def declare_again(project_id: str, carried: Sequence[Resolution], store: Store) -> None:
    """Declare this of stored events, unless something was declared of them themselves.

    Raises:
        Unavailable: the record does not answer; doing it again finishes it.
    """
    known = store.resolutions(project_id, [one.event_id for one in carried]) if carried else {}
    for resolution in carried:
        if resolution.event_id not in known:
            store.add_resolution(project_id, resolution)


def _resolvable(knowledge: Knowledge | None) -> list[Event]:
    return [event for event in knowledge.events if event.category in RESOLVABLE] if knowledge else []


def _is_in_place_of(event: Event, former: Event) -> bool:
    return event.category == former.category and mostly_overlap(_span(event), _span(former))


def _word_for_word(events: Iterable[Event], former: Sequence[Event]) -> list[tuple[str, str]]:
    """Return pairs of ids of events with the same quote, in the texts' order, where both texts have it as often."""
    said, said_before = _by_words(events), _by_words(former)
    return [
        (event.id, before.id)
        for words, each in said.items()
        if len(each) == len(said_before.get(words, ()))
        for event, before in zip(each, said_before[words], strict=True)
    ]


def _by_words(events: Iterable[Event]) -> defaultdict[tuple[Category, str], list[Event]]:
    found = defaultdict[tuple[Category, str], list[Event]](list)
    for event in sorted(events, key=lambda one: _span(one).start_char):
        found[event.category, fold_quote(event.evidence[0].quote)].append(event)
    return found


def _span(event: Event) -> Span:
    return Span(event.evidence[0].start_char, event.evidence[0].end_char)
