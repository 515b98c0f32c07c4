"""Declarations: what a person said of a decision or promise stays said when its item is edited or read again."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from core.knowledge.findings import FIRST_STATUS, Category, Event, Knowledge, Span
from core.knowledge.ledger import RESOLVABLE
from core.knowledge.told import overlap
from graph.store import Store
from ingest.document.evidence import folded

#: Revisions of an item, newest first, whose events are looked through.
_REVISIONS: Final = 10


def former_events(project_id: str, artifact_id: str, knowledge: Knowledge, store: Store) -> dict[str, str]:
    """Return for new decisions and promises of an artifact, by id, the stored event whose declared status is theirs.

    That is what stands in most of the same words of the artifact now, or was said word for word, and as often, in a
    revision that it replaced. An event whose giver says that it is settled has none. To be asked before `knowledge` is
    stored.

    Raises:
        Unavailable: the record does not answer.
    """
    new = [event for event in knowledge.events if event.status == FIRST_STATUS.get(event.category, "")]
    if not new:
        return {}
    revisions = [one.id for one in store.revisions(project_id, artifact_id)[:_REVISIONS]]
    stored = store.lessons(project_id, [artifact_id, *revisions])
    present = _resolvable(stored.get(artifact_id))
    new = [event for event in new if event.id not in {one.id for one in present}]
    pairs = [(event.id, one.id) for event in new for one in present if _is_in_place_of(event, one)]
    for revision in revisions:
        pairs += _word_for_word(new, _resolvable(stored.get(revision)))
    declared = store.resolutions(project_id, [former for _, former in pairs]) if pairs else {}
    return {event: former for event, former in reversed(pairs) if declared.get(former)}


def declare_again(project_id: str, former: dict[str, str], store: Store) -> None:
    """Declare of stored events what was declared last of `former_events`, unless something was of them themselves.

    Raises:
        Unavailable: the record does not answer; doing it again finishes it.
    """
    if not former:
        return
    declared = store.resolutions(project_id, [*former, *former.values()])
    for event, before in former.items():
        if event not in declared:
            store.add_resolution(project_id, replace(declared[before][-1], event_id=event))


def _resolvable(knowledge: Knowledge | None) -> list[Event]:
    return [event for event in knowledge.events if event.category in RESOLVABLE] if knowledge else []


def _is_in_place_of(event: Event, former: Event) -> bool:
    """Whether both are of one category and share most of the shorter quote."""
    one, other = _span(event), _span(former)
    shorter = min(one.end_char - one.start_char, other.end_char - other.start_char)
    return event.category == former.category and 2 * overlap(one, other) >= shorter


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
        found[event.category, folded(event.evidence[0].quote)].append(event)
    return found


def _span(event: Event) -> Span:
    return Span(event.evidence[0].start_char, event.evidence[0].end_char)
