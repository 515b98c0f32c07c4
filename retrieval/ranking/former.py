"""Former texts: items that were current under their keys as of a time, and were replaced later."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np

from core.candidates import Candidate
from core.embedding import Vectors
from core.filters import Filters
from core.records import Artifact, KeyHolder
from graph.store import Store
from graph.text.term_vectors import packed_counts, terms, word_counts
from retrieval.ranking.sources import VectorSource

#: Most former texts that are read for a question.
_MOST: Final = 400
#: Most parts of former texts, each as long as the embedder's window, whose vectors are computed for a question.
_MOST_PARTS: Final = 128


@dataclass(frozen=True, slots=True)
class FormerTexts:
    """The items that were current under their keys then and are not now, newest first, and the current ones that were
    not."""

    items: Sequence[Artifact] = ()
    hidden: frozenset[str] = frozenset()
    #: How many more there are.
    left_out: int = 0

    @property
    def hint(self) -> str | None:
        """What to know of the answer; None if all were read."""
        if not self.left_out:
            return None
        return (
            f"{self.left_out} more texts that were replaced since were not searched: narrow the question with context, "
            "tags or a key."
        )

    def find_by_key(self, key: str) -> list[str]:
        """Return the ids of the items that were current under a key."""
        return [item.id for item in self.items if item.memory.key == key]

    def load_candidates(self, source: VectorSource, asked: Collection[int], *, with_vectors: bool) -> list[Candidate]:
        """Return each as one candidate; vectors are computed of those first that have most of the terms asked for."""
        texts = {item.id: _text(item) for item in self.items}
        wanted = frozenset(asked)
        shared = {id_: len(wanted.intersection(terms(text))) for id_, text in texts.items()} if wanted else {}
        by_words = sorted(texts, key=lambda id_: -shared.get(id_, 0))
        vectors = source.embed_texts({id_: texts[id_] for id_ in by_words}, _MOST_PARTS) if with_vectors else {}
        return [_candidate(item, texts[item.id], vectors.get(item.id)) for item in self.items]


def find_former_texts(store: Store, project_id: str, filters: Filters, key: str = "") -> FormerTexts:
    """Return the items that were current under their keys as of the filters' time and pass the filters; none without
    such a time.

    The item that was current under `key` is always included.

    Raises:
        Unavailable: the record does not answer.
    """
    if filters.as_of is None:
        return FormerTexts()
    under_keys: defaultdict[tuple[str, str], list[KeyHolder]] = defaultdict(list)
    for one in store.key_holders(project_id, filters):
        under_keys[one.key, one.context].append(one)
    found: list[KeyHolder] = []
    hidden: set[str] = set()
    for holders in under_keys.values():
        holder = _holder(holders, filters.as_of)
        if holder.replaced_by is not None:
            hidden.update(one.id for one in holders if one.replaced_by is None)
            found += [holder] if holder.passes and filters.has_tags(holder.tags) else []
    found.sort(key=lambda one: (one.key == key, one.created_at), reverse=True)
    items = store.get(project_id, [one.id for one in found[:_MOST]]).values()
    return FormerTexts(sorted(items, key=_newest, reverse=True), frozenset(hidden), max(0, len(found) - _MOST))


def _holder(holders: Iterable[KeyHolder], as_of: datetime) -> KeyHolder:
    """Return which of the items dated until then, all under one key, was stored there last.

    One that replaced a later one was stored again: it counts from then on, too.
    """
    every = list(holders)
    stored = [(one.created_at, one) for one in every]
    stored += [
        (one.updated_at, one)
        for one in every
        if one.updated_at <= as_of
        and any(other.replaced_by == one.id and other.created_at > one.created_at for other in every)
    ]
    return max(stored, key=lambda pair: (pair[0], pair[1].id))[1]


def _newest(item: Artifact) -> tuple[datetime, datetime, str]:
    return item.happened_at, item.created_at, item.id


def _text(item: Artifact) -> str:
    memory = item.memory
    return "\n".join(filter(None, (memory.title, memory.key, memory.content)))


def _candidate(item: Artifact, text: str, vector: Vectors | None) -> Candidate:
    memory = item.memory
    is_turn = memory.conversation_id is not None and memory.turn_index is not None
    return Candidate(
        artifact_id=item.id,
        index=0,
        num_chunks=1,
        text=memory.content,
        author=memory.author,
        conversation_id=memory.conversation_id if is_turn else None,
        turn_index=memory.turn_index if is_turn else None,
        happened_at=item.happened_at,
        terms=packed_counts(word_counts(text)),
        vector=None if vector is None else np.asarray(vector, dtype="<f4").tobytes(),
    )


def merge_page(current: Sequence[Artifact], former: FormerTexts, limit: int, offset: int) -> list[Artifact]:
    """Return a page of the list of current items, of which these are the first, and former ones, newest first."""
    shown = [item for item in current if item.id not in former.hidden]
    every: Mapping[str, Artifact] = {item.id: item for item in (*shown, *former.items)}
    return sorted(every.values(), key=_newest, reverse=True)[offset : offset + limit]
