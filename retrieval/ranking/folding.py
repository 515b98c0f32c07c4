"""Folding: items with the same text become one result, the best one, which names the others."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.knowledge.wording import canonical_text
from core.records import Artifact
from retrieval.ranking.fusion import Ranked


@dataclass(frozen=True, slots=True)
class Folding:
    """Finds which ranked items have equal texts. Used for one question.

    `read` returns artifacts by id. It is asked only for documents of several chunks, those whose best chunks are equal.
    """

    read: Callable[[list[str]], Mapping[str, Artifact]]
    _wordings: dict[str, str] = field(default_factory=dict)

    def fold(
        self, ranked: Sequence[Ranked], texts: Mapping[tuple[str, int], str]
    ) -> tuple[list[Ranked], dict[str, list[str]]]:
        """Return the first of each text, in order, and the ids of the others by its id; `texts` are of chunks."""
        groups: dict[tuple[object, ...], list[Ranked]] = {}
        for item in ranked:
            groups.setdefault(_seen(item, texts), []).append(item)
        also: dict[str, list[str]] = {}
        firsts: list[Ranked] = []
        for group in groups.values():
            for alike in self._alike(group):
                firsts.append(alike[0])
                if len(alike) > 1:
                    also[alike[0].artifact_id] = [item.artifact_id for item in alike[1:]]
        kept = {item.artifact_id for item in firsts}
        return [item for item in ranked if item.artifact_id in kept], also

    def _alike(self, group: list[Ranked]) -> Iterable[list[Ranked]]:
        """Return the items of a group by their whole texts; the one chunk of an item is all of its text."""
        if len(group) == 1 or all(item.num_chunks == 1 for item in group):
            return [group]
        ids = [item.artifact_id for item in group]
        if unread := [id_ for id_ in ids if id_ not in self._wordings]:
            found = self.read(unread)
            self._wordings.update({id_: canonical_text(found[id_].memory.content) for id_ in unread if id_ in found})
        alike: dict[str, list[Ranked]] = {}
        for item in group:
            alike.setdefault(self._wordings.get(item.artifact_id, item.artifact_id), []).append(item)
        return alike.values()


def _seen(item: Ranked, texts: Mapping[tuple[str, int], str]) -> tuple[object, ...]:
    """Return what is known of an item's text without reading it: equal for those that may be equal."""
    first = texts.get((item.artifact_id, 0))
    if first is not None:
        return ("first", canonical_text(first))
    best = texts.get((item.artifact_id, item.index))
    return (item.artifact_id,) if best is None else (item.num_chunks, item.index, canonical_text(best))
