"""Review: items to check by a reader, most important first."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from core.dates import now
from core.filters import Filters
from core.interface.learning import LinkQuestion, Review, ReviewItem, ReviewQuestion
from core.knowledge.findings import Entity, Event
from core.records import Artifact
from graph.store import Store
from retrieval.shapes.ledger_shape import shape_review

#: The newest events and items that are looked at, and pairs.
_EVENTS, _TEXTS, _PAIRS = 500, 200, 100
#: From this confidence on an event is taken for sure.
_SURE: Final = 0.75
#: From so many tokens on it is odd that nothing is found in a text; from so many it is worth most.
_LONG, _LONGEST = 200, 2_000
#: How much a commitment without an owner and an extracted link are worth, and the most that the others are.
_OWNER, _EXTRACTED, _LINK, _EVENT, _TEXT, _PAIR, _NAME = 0.6, 0.5, 1.2, 1.0, 0.9, 1.0, 0.7
#: How much of that a question about a link is worth at least: the answer changes what is listed as open.
_LEAST: Final = 0.7
#: How much less each further item of one kind is worth, so that an answer has the best of all kinds, and how much less
#: the oldest event is worth than the newest.
_FURTHER: Final = 0.9
_OLDEST: Final = 0.3

_Ranked = tuple[float, ReviewItem]


def review(
    store: Store,
    project_id: str,
    question: ReviewQuestion,
    links: Sequence[LinkQuestion] = (),
    doubtful: Sequence[Entity] = (),
) -> Review:
    """Return these questions about links and about names that may be nobody's, uncertain events, commitments without an
    owner, long items without any event, and pairs that may be one.

    Caller annotations (`learn`) count as certain, and annotated items are not listed.

    Raises:
        Unavailable: the record does not answer.
    """
    pairs, num_pairs = store.open_merge_candidates(project_id, _PAIRS)
    found = [*map(_of_link, links), *map(_of_name, doubtful)]
    found += _found(store, project_id)
    names = store.entities(project_id, sorted({id_ for pair in pairs for id_ in (pair.one, pair.other)}))
    for pair in pairs:
        if pair.one in names and pair.other in names:
            said = f"{names[pair.one].name} and {names[pair.other].name}: {pair.reason}"
            settle = f'resolve(id="{pair.one}", same_as="{pair.other}") or different_from="{pair.other}"'
            item = ReviewItem("pair", pair.one, said, confidence=pair.confidence, other=pair.other, settle=settle)
            found.append((_PAIR * pair.confidence, item))
    ranked = _mixed(found)
    total = len(ranked) + num_pairs - len(pairs)
    shown = [_with_item(store, project_id, item) for item in ranked[: question.limit]]
    return shape_review(Review(shown, total), question)


def _mixed(found: list[_Ranked]) -> list[ReviewItem]:
    """Return items, most worthwhile first; of many of one kind the further ones count less and less."""
    number = Counter[str]()
    valued: list[_Ranked] = []
    for worth, item in sorted(found, key=_rank):
        valued.append((worth * _FURTHER ** number[item.kind], item))
        number[item.kind] += 1
    return [item for _, item in sorted(valued, key=_rank)]


def _of_link(asked: LinkQuestion) -> _Ranked:
    """Return a question about a link; the likelier, the more it is worth."""
    later, proof = asked.later, asked.later.evidence[0]
    what = asked.relation.capitalize() if asked.is_linked else f"May {asked.relation.removesuffix('s')}"
    item = ReviewItem(
        "link",
        later.id,
        f"{what}: {asked.earlier.summary}",
        proof.quote,
        proof.artifact_id,
        later.category,
        round(asked.likelihood, 2),
        asked.earlier.id,
        f'resolve(id="{later.id}", {asked.relation}="{asked.earlier.id}") or {asked.relation}="none"',
    )
    return _EXTRACTED if asked.is_linked else _LEAST + (_LINK - _LEAST) * asked.likelihood, item


def _of_name(one: Entity) -> _Ranked:
    """Return the question whether somebody is a person; the more often mentioned, the more it is worth."""
    item = ReviewItem(
        "name",
        one.id,
        f"Is {one.name} a person? Mentioned {one.mention_count} times.",
        category=one.type,
        settle=f'resolve(id="{one.id}", status="dismissed") or name="{one.name}"',
    )
    return _NAME * (1 - 1 / one.mention_count), item


def _with_item(store: Store, project_id: str, item: ReviewItem) -> ReviewItem:
    """Return an item to review; one about a name with the newest that mentions it."""
    newest = store.mentions(project_id, [item.id], Filters(at=now()), 1) if item.kind == "name" else []
    return replace(item, artifact_id=newest[0].artifact_id) if newest else item


def find_items_to_review(store: Store, project_id: str) -> list[str]:
    """Return the ids of all items in which `review` has something to look at, most worthwhile first.

    Raises:
        Unavailable: the record does not answer.
    """
    ranked = (item.artifact_id for _, item in sorted(_found(store, project_id), key=_rank))
    return list(dict.fromkeys(id_ for id_ in ranked if id_ is not None))


def _found(store: Store, project_id: str) -> list[_Ranked]:
    seen = Filters(at=now())
    return [*_events(store, project_id, seen), *_texts(store, project_id, seen)]


def _rank(one: _Ranked) -> tuple[float, str, str]:
    return -one[0], one[1].kind, one[1].id


def _events(store: Store, project_id: str, seen: Filters) -> Iterator[_Ranked]:
    events = store.list_events(project_id, ["Decision", "Commitment"], seen, _EVENTS)
    settled = store.resolutions(project_id, [event.id for event in events])
    for place, event in enumerate(events):
        age = 1 - _OLDEST * place / _EVENTS
        if event.origin == "given" or event.status not in {"open", "current"} or event.id in settled:
            continue
        if event.confidence < _SURE:  # one that is as likely as not is worth most
            yield age * (_EVENT - abs(event.confidence - 0.5)), _of_event("event", event)
        elif event.category == "Commitment" and not any(one.role in {"owner", "contributor"} for one in event.actors):
            yield age * _OWNER, _of_event("owner", event)


def _of_event(kind: str, event: Event) -> ReviewItem:
    proof = event.evidence[0]
    return ReviewItem(
        "owner" if kind == "owner" else "event",
        event.id,
        event.summary,
        proof.quote,
        proof.artifact_id,
        event.category,
        round(event.confidence, 2),
        settle=(
            f'learn(id="{proof.artifact_id}", events=[…]) with its owners'
            if kind == "owner"
            else f'resolve(id="{event.id}", status="{event.status}") or status="dismissed"'
        ),
    )


def _texts(store: Store, project_id: str, seen: Filters) -> Iterator[_Ranked]:
    long = [one for one in store.newest(project_id, seen, _TEXTS) if one.token_count >= _LONG and not one.stashed]
    ids = [one.id for one in long]
    known = {*store.events_of(project_id, ids, 1), *store.annotations(project_id, ids)}
    for artifact in long:
        if artifact.id not in known and _is_read(store, artifact):
            yield _TEXT * min(1.0, artifact.token_count / _LONGEST), _of_text(artifact)


def _is_read(store: Store, artifact: Artifact) -> bool:
    """Whether extraction is done with an item, or has given it up: of others nothing can be said yet."""
    reports = store.job_reports(artifact.project_id, artifact.id)
    return all(report.state in ("done", "failed") for report in reports if report.kind == "extract")


def _of_text(artifact: Artifact) -> ReviewItem:
    memory = artifact.memory
    summary = f"Nothing was found in {artifact.token_count} tokens: {memory.title or memory.key or memory.context}"
    return ReviewItem(
        "text",
        artifact.id,
        summary,
        " ".join(memory.content[:160].split()),
        artifact.id,
        settle=f'learn(id="{artifact.id}", events=[…]), or replace=true where it says nothing',
    )
