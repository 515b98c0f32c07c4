"""The stash: items set aside, searched by substring, read, and made active again."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Final

from core.dates import now
from core.errors import TooLarge
from core.interface.memory import MAX_CONTENT
from core.interface.stash import (
    RetrieveRequest,
    Segment,
    Stashed,
    StashMatches,
    StashQuestion,
    Unstashed,
    check_segment_ids,
)
from core.records import Artifact
from graph.store import Store
from retrieval.shapes.stash_shape import shape_segments, shape_stash_matches

#: Items read at a time where only their facts are wanted.
_BATCH: Final = 50
_LEFT_OUT: Final = "The first {} of {} segments: the others do not fit in one answer. Go on with offset."


def stash(store: Store, project_id: str, segment_ids: Sequence[str]) -> Stashed:
    """Move items to the stashed tier; items that can't be moved are listed in `errors`, and the others are moved.

    Raises:
        InvalidInput, TooLarge: the ids are not valid, or too many.
        Unavailable: the record can't be written; nothing was moved.
    """
    ids = check_segment_ids(segment_ids)
    stashed = store.stash(project_id, ids, stashed=True)
    known = set(stashed)
    tokens = sum(item.token_count for item in _each(store, project_id, stashed))
    return Stashed(stashed, tokens, _errors(store, project_id, [id_ for id_ in ids if id_ not in known]))


def search(store: Store, project_id: str, question: StashQuestion) -> StashMatches:
    """Return the stashed items that hold every word of the query, newest first; more than fits is said in `hint`."""
    filters = question.filters.filters(now())
    ids, total = store.search_substrings(project_id, question.query.split(), filters, question.limit, question.offset)
    items, is_cut = _first_that_fit(_each(store, project_id, ids))
    left_out = _LEFT_OUT.format(len(items), len(ids)) if is_cut else None
    segments = [Segment.of(item) for item in items]
    answer = StashMatches(segments, total, question.query, question.filters.given(), left_out)
    return shape_stash_matches(answer, question)


def retrieve(store: Store, project_id: str, asked: RetrieveRequest) -> Unstashed:
    """Return whole items in the order asked for, and with `move_to_active` take them back to the active tier.

    Raises:
        InvalidInput, TooLarge: the ids are not valid, or too many, or their texts too long for one answer.
        Unavailable: the record does not answer; nothing was moved.
    """
    ids = check_segment_ids(asked.segment_ids)
    items, is_cut = _first_that_fit(_each(store, project_id, ids))
    if is_cut:
        raise TooLarge(f"These items have over {MAX_CONTENT:,} characters: ask for fewer of them at a time.")
    found = {item.id: item for item in items}
    moved = store.stash(project_id, ids, stashed=False) if asked.move_to_active else []
    found |= {id_: replace(found[id_], stashed=False) for id_ in moved if id_ in found}
    at = now()
    shown = [found[id_] for id_ in ids if id_ in found and _error(id_, found[id_], at) is None]
    errors = [error for id_ in ids if (error := _error(id_, found.get(id_), at)) is not None]
    return shape_segments(
        Unstashed([Segment.of(item) for item in shown], moved, errors), asked.detail, asked.max_tokens
    )


def _first_that_fit(items: Iterable[Artifact]) -> tuple[list[Artifact], bool]:
    """Return the first items whose texts one answer holds, at least one, and whether there are more."""
    kept, characters = list[Artifact](), 0
    for item in items:
        characters += len(item.memory.content)
        if kept and characters > MAX_CONTENT:
            return kept, True
        kept.append(item)
    return kept, False


def _each(store: Store, project_id: str, ids: Sequence[str]) -> Iterator[Artifact]:
    """Yield the items in this order, reading few at a time: a thousand may be long."""
    waiting = iter(ids)
    while some := list(islice(waiting, _BATCH)):
        found = store.get(project_id, some)
        yield from (found[id_] for id_ in some if id_ in found)


def _errors(store: Store, project_id: str, ids: Sequence[str]) -> list[str]:
    at, found = now(), {item.id: item for item in _each(store, project_id, ids)}
    return [error for id_ in ids if (error := _error(id_, found.get(id_), at)) is not None]


def _error(id_: str, item: Artifact | None, at: datetime) -> str | None:
    """Say why an item can't be moved or read; None if it can."""
    if item is None:
        return f"Nothing is stored under id {id_[:80]!r}: search or recall to find ids."
    if item.replaced_by is not None:
        return f"{id_!r} was replaced by {item.replaced_by!r} under its key: use that id."
    expiry = item.memory.expiry()
    if expiry is not None and expiry <= at:
        return f"{id_!r} has expired ({item.memory.expires_at}): remember it again without expires_at to use it."
    return None
