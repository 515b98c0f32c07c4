"""Declarations: what a person said of a decision or promise stays said when its item is edited or read again."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from core.knowledge.annotations import mostly_overlap
from core.knowledge.findings import FIRST_STATUS, Category, Event, Knowledge, Span
from core.knowledge.ledger import RESOLVABLE, Resolution
from graph.store import Store
from ingest.document.evidence import fold_quote

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
