"""Fusion: one ranking of artifacts, turns and documents together, from the scores of their chunks.

Items with the same words become one result, the best one, which names the others.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np

from core.knowledge.text import canonical_text
from core.records import Artifact
from graph.text.term_vectors import Column
from retrieval.scoring.candidate_pool import Pool

#: How near the second best chunk of a document usually comes to its best, for one of which only one is a candidate.
_USUAL_SECOND: Final = 0.7


class Ranked(NamedTuple):
    """An artifact in the ranking, with its best chunk. A named tuple because a question makes hundreds."""

    artifact_id: str
    index: int  # type: ignore[assignment]  # as everywhere; nobody asks it for `tuple.index`
    score: float
    #: How many chunks the artifact has.
    num_chunks: int = 1
    #: The index of another chunk to show with the best, where they are nearly equal.
    second: int | None = None


def fuse(pool: Pool, scores: Column, plain: Column, signs: Column, second_chunk: float) -> list[Ranked]:
    """Return one entry an artifact, highest first; with the index of its best chunk, ties by index.

    The score of a document is the score of its best chunk, plus a share of the second if it is above 0, the average of
    the project: one that speaks of a thing in two places is more about it. Where only one is a candidate the second is
    taken to be as near as usual, or long documents would come first for being long. The scores of `signs` are added to
    both others, but not for the second chunk: what repeats a sign is no better found by it. Turns and documents are
    ranked apart, since most steps are of one kind only; then the best turn gets the best `plain` score of any turn, the
    second the second, and so do documents, and by these, which mean the same for both, the two rankings become one.
    Ties: turns before documents, and within a kind as its own scores have it, equal ones by id.
    """
    entries: list[tuple[float, str, int, int]] = []
    for kind in (pool.is_turn, ~pool.is_turn):
        if rows := np.flatnonzero(kind).tolist():
            ids = [pool.candidates[row].artifact_id for row in rows]
            ranked = _ranked(pool, scores, signs, rows, ids, second_chunk)
            entries += zip(_levels(plain + signs, rows, ids), *ranked, strict=True)
    entries.sort(key=itemgetter(0))
    return [Ranked(id_, index, -lowered, pool.candidates[row].num_chunks) for lowered, id_, index, row in entries]


def _levels(plain: Column, rows: Sequence[int], ids: Sequence[str]) -> list[float]:
    """Return the negative best score of each artifact, the best first."""
    lowest: dict[str, float] = {}
    for id_, lowered in zip(ids, (-plain[rows]).tolist(), strict=True):
        lowest[id_] = min(lowered, lowest.get(id_, lowered))
    return sorted(lowest.values())


def _ranked(
    pool: Pool, scores: Column, signs: Column, rows: Sequence[int], ids: Sequence[str], second_chunk: float
) -> tuple[Sequence[str], Sequence[int], Sequence[int]]:
    """Return the artifacts, the best first, and the index and the row of each one's best chunk."""
    of_artifacts: dict[str, list[tuple[float, int, int, float]]] = {}
    whole, own = (-(scores + signs)[rows]).tolist(), (-scores[rows]).tolist()
    for id_, lowered, row, unsigned in zip(ids, whole, rows, own, strict=True):
        of_artifacts.setdefault(id_, []).append((lowered, pool.candidates[row].index, row, unsigned))
    ranked = []
    for artifact_id, several in of_artifacts.items():
        if len(several) > 1:
            several.sort()
        lowered, index, row, unsigned = several[0]
        second = min(one[3] for one in several[1:]) if len(several) > 1 else _USUAL_SECOND * unsigned
        ranked.append((lowered + second_chunk * min(0.0, second), artifact_id, index, row))
    _, names, indexes, best = zip(*sorted(ranked), strict=True)
    return names, indexes, best


#: What two notes of one sentence differ in: a label, marks of lists and emphasis, hyphens between letters, "the", and
#: signs at the end of a line. Digits, signs of arithmetic, question marks and the order of words make another text.
_MARKUP: Final = re.compile(
    r"\A\W*(?:note|reminder|remember|memo|fyi|info)\s*:|^[ \t]*(?:[-+*•>]|#{1,6})[ \t]+|(?<!\w)[*_`~]+|[*_`~]+(?!\w)"
    r"|(?<=[^\W\d_])[-\u2010\u2011](?=[^\W\d_])",
    re.MULTILINE,
)
_UNSAID: Final = re.compile(r"\bthe\b|(?<![.!…])[.!…]++[ \t]*+$", re.MULTILINE)
#: How many letters, among so many characters, show the ending of a text.
_LETTERS, _ENDING = 12, 40
_SIGNS: Final = re.compile(r"[\W_]+")
_QUOTES: Final = str.maketrans("‘’“”„", '\'\'"""')


def wording(text: str) -> str:
    """Return the form in which the words of two texts are compared: equal for those that say the same alike."""
    plain = canonical_text(text).casefold().translate(_QUOTES)
    return " ".join(_UNSAID.sub(" ", _MARKUP.sub(" ", plain)).split()) or plain


@dataclass(frozen=True, slots=True)
class Folding:
    """Finds which ranked items have the same words. Used for one question.

    `read` returns artifacts by id. It is asked only for documents of several chunks, those whose best chunks are equal.
    """

    read: Callable[[list[str]], Mapping[str, Artifact]]
    _wordings: dict[str, str] = field(default_factory=dict)

    def fold(
        self, ranked: Sequence[Ranked], texts: Mapping[tuple[str, int], str], repeats: Mapping[str, Sequence[str]]
    ) -> tuple[list[Ranked], dict[str, list[str]]]:
        """Return the first of each text, in order, and the ids of the others by its id.

        `texts` are of chunks; `repeats` are further items with the text of a ranked one, by its id.
        """
        groups: dict[tuple[object, ...], list[Ranked]] = {}
        read = {item.artifact_id: _read(item, texts) for item in ranked}
        endings = {id_: _ending(text) for id_, (_, text) in read.items()}
        ends = Counter(endings.values())
        for item in ranked:
            place, text = read[item.artifact_id]
            # Two texts of one wording end alike, which is seen at a hundredth of the cost.
            is_alone = text is None or ends[endings[item.artifact_id]] == 1
            seen = (item.artifact_id,) if is_alone else (*place, wording(text or ""))
            groups.setdefault(seen, []).append(item)
        also: dict[str, list[str]] = {}
        firsts: list[Ranked] = []
        for group in groups.values():
            for alike in self._alike(group):
                firsts.append(alike[0])
                others = [item.artifact_id for item in alike[1:]]
                others += [id_ for item in alike for id_ in repeats.get(item.artifact_id, ()) if id_ not in read]
                if others:
                    also[alike[0].artifact_id] = others
        kept = {item.artifact_id for item in firsts}
        return [item for item in ranked if item.artifact_id in kept], also

    def _alike(self, group: list[Ranked]) -> Iterable[list[Ranked]]:
        """Return the items of a group by their whole texts; the one chunk of an item is all of its text."""
        if len(group) == 1 or all(item.num_chunks == 1 for item in group):
            return [group]
        ids = [item.artifact_id for item in group]
        if unread := [id_ for id_ in ids if id_ not in self._wordings]:
            found = self.read(unread)
            self._wordings.update({id_: wording(found[id_].memory.content) for id_ in unread if id_ in found})
        alike: dict[str, list[Ranked]] = {}
        for item in group:
            alike.setdefault(self._wordings.get(item.artifact_id, item.artifact_id), []).append(item)
        return alike.values()


def _read(item: Ranked, texts: Mapping[tuple[str, int], str]) -> tuple[tuple[object, ...], str | None]:
    """Return the item's first chunk, else its best, with what another item of the same text has in common there."""
    first = texts.get((item.artifact_id, 0))
    if first is not None:
        return ("first",), first
    return (item.num_chunks, item.index), texts.get((item.artifact_id, item.index))


def _ending(text: str | None) -> str | None:
    """Return the last letters and digits of a text."""
    return None if text is None else _SIGNS.sub("", text[-_ENDING:]).casefold()[-_LETTERS:]
