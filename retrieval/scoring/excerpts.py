"""Excerpts: which chunk of a long document answers, and which sentences of an item, with headings and speakers."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from core.knowledge.findings import Span
from core.search import TermStatistics, Vectors
from graph.text.sentences import LABEL, Unit, outline
from graph.text.term_vectors import Column, terms
from graph.text.tokens import distinctive_stems
from retrieval.scoring.candidate_pool import Pool, bm25_scores
from retrieval.scoring.rolls import asks_for_roll, find_rolls, roll_share

#: Fewest chunks of a document in which a chunk's neighbours say something.
LONG: Final = 9
#: What the meaning of the chunks one to four places away counts: a discussion runs on, an agenda does not.
NEIGHBOURS: Final = (0.5, 0.5, 0.3, 0.2)
#: Weights relative to the words: meaning, meaning of the neighbours, the speaker, and late interaction.
MEANING, NEAR, SPEAKER, LATE = 1.3, 0.5, 0.6, 2.0
#: By how much less a second chunk may score to be shown beside the best, where late interaction compares them.
_CLOSE: Final = 1.0
#: What a chunk loses that is nothing but a roll: it has every name.
_ROLLS: Final = 3.0


def best_passages(
    pool: Pool,
    weights: Mapping[int, float],
    statistics: TermStatistics,
    vector: Vectors | None,
    asked: Sequence[str],
    met: Column | None = None,
) -> list[int]:
    """Return the row of the chunk to show, or of two nearly as good; the pool is a document in the order of its chunks.

    A term is worth the mean of its rarity in the project and in the document. `asked` are the question's stems, by
    which speakers are named; `met` is how well each chunk meets the tokens of the question.
    """
    everywhere, inside = bm25_scores(pool, weights, statistics), bm25_scores(pool, weights, _within(pool, weights))
    scores = _standard(everywhere + inside) + SPEAKER * np.sqrt(_spoken_by_named(pool, frozenset(asked)))
    if vector is not None:
        meaning = _standard((pool.vectors @ vector).astype(np.float64))
        scores += MEANING * meaning
        if len(pool) >= LONG:
            scores += NEAR * _standard(_near(meaning))
    if met is not None:
        scores += LATE * _standard(met)
    if not asks_for_roll(weights):
        scores -= _ROLLS * np.array([roll_share(one.text) for one in pool.candidates])
    best, *others = np.argsort(-scores, kind="stable").tolist()
    return [best] if met is None else [best, *(row for row in others[:1] if scores[best] - scores[row] <= _CLOSE)]


def _within(pool: Pool, weights: Mapping[int, float]) -> TermStatistics:
    """Return how common the terms are in the document."""
    found, _ = pool.matches(np.array(sorted(weights), dtype=np.uint32))
    return TermStatistics(len(pool), float(pool.lengths.mean()), Counter(pool.entries["term"][found].tolist()))


def _standard(scores: Column) -> Column:
    deviation = scores.std()
    return (scores - scores.mean()) / deviation if deviation > 0 else np.zeros_like(scores)


def _near(meaning: Column) -> Column:
    """Return the meaning of the chunks around each."""
    total = np.zeros_like(meaning)
    for distance, weight in enumerate(NEIGHBOURS, start=1):
        total[distance:] += weight * meaning[:-distance]
        total[:-distance] += weight * meaning[distance:]
    return total


def _spoken_by_named(pool: Pool, asked: frozenset[str]) -> Column:
    """Return the share of each chunk's characters that a speaker says whom the question names.

    A speaker's label begins at least two lines; a question names it with half of its words.
    """
    spans = [_spans(one.text) for one in pool.candidates]
    seen = Counter(label for several in spans for label, _ in several)
    named = {label for label, times in seen.items() if times > 1 and _is_named(label, asked)}
    lengths = np.array([max(1, len(one.text)) for one in pool.candidates])
    said = [sum(size for label, size in several if label in named) for several in spans]
    return np.asarray(np.array(said) / lengths, dtype=np.float64)


def _spans(text: str) -> list[tuple[str, int]]:
    """Return each speaker's label in order, with the number of characters up to the next."""
    found = list(LABEL.finditer(text))
    starts = [match.start() for match in found] + [len(text)]
    return [(match[1], end - start) for match, (start, end) in zip(found, pairwise(starts), strict=True)]


def _is_named(label: str, asked: frozenset[str]) -> bool:
    stems = distinctive_stems(re.sub(r"\([^)]*\)|\[[^\]]*\]", "", label))
    named = [stem for stem in stems if stem in asked]
    if not named or 2 * len(named) < len(stems):
        return False
    return len(named) == len(stems) or any(len(stem) > 1 for stem in named)


#: Characters of an excerpt unless another length is asked for (docs/decisions/excerpts.md).
LENGTH: Final = 600
#: An item that is longer by no more than this factor is given whole.
_WHOLE: Final = 1.15
#: Of a longer text only this many characters around the best chunk are read, and the lines that they belong to;
#: of those no more than this.
_LONG, _REACH, _LINE = 3_000, 1_000, 16_000
#: Weight of a term in a sentence's heading, of a sentence for its neighbours, and of the best chunk for each of its
#: sentences, relative to the question's terms, which together count 1.
_ABOVE, _BESIDE, _IN_CHUNK = 0.5, 0.5, 0.1
#: A line that repeats what is said elsewhere, a field of a mail or what it quotes; and the part that its words count.
_REPEATS: Final = re.compile(r">|(?:Date|Sent|Subject|From|To|Cc|Betreff|Von|An|Datum): ", re.IGNORECASE)
_REPEATED: Final = 0.5
#: The part that the words of a line count which lists who was there, or the headings of the text.
_ROLL: Final = 0.1
#: By how much the following sentence may score lower than the one before and still be preferred.
_AHEAD: Final = 0.1
#: A second place has terms that the first lacks, worth this part of all; the first then has this part of the length.
_LACKING, _FIRST = 0.2, 0.6
#: What no reader misses between two ranges.
_BREAKS: Final = " \t\r\n…"
#: Longest heading or bullet that is shown above an excerpt, in characters, and how many of them are.
_HEAD, _HEADS = 100, 2


def select_excerpt(
    text: str, worth: Mapping[int, float], chunk: Span | None = None, length: int = LENGTH, *, width: int = 1
) -> list[Span]:
    """Return which ranges of `text` to show, in order, of about `length` characters in all: whole sentences.

    Around the best place, or the best two where one lacks what the question asks for too; before them the heading and
    the bullet above them, and the label of the speaker. `worth` are the question's terms with their rarity,
    `chunk` is where the best chunk is. A text that is hardly longer is one range, and so is a single long sentence.
    With a `width` the length counts lines of so many columns, whether they are full or not.
    """
    if _length(text, width) <= _WHOLE * length:
        return [Span(0, len(text))]
    units = outline(text, *_region(text, chunk))
    if not units:
        return [chunk or Span(0, len(text))]
    page = _Page.of(text, units, worth, chunk, width)
    first = int(page.scores.argmax())
    room = length - sum(_length(text[span.start_char : span.end_char], width) for span in page.above(first))
    main = page.grown(first, int(_FIRST * room))
    second = page.second(main)
    if second is None:
        places = [page.grown(first, room)]
    else:
        places = sorted([main, page.grown(second, room - page.size(main), apart_from=main)], key=_start)
    return merge_spans(text, [span for place in places for span in page.shown(place)])


def join_excerpt(text: str, spans: Sequence[Span]) -> str:
    """Return ranges of a text as one text: "…" marks omissions, and lines keep their indentation."""
    parts = [text[spans[0].start_char : spans[0].end_char]] if spans else []
    for before, after in pairwise(spans):
        gap = text[before.end_char : after.start_char]
        above, _, indent = gap.rpartition("\n")
        parts.append(" …" if gap.strip(_BREAKS) and not parts[-1].endswith("…") else "")
        parts.append("\n" + ("" if indent.strip() else indent) if above or gap.startswith("\n") else " ")
        parts.append(text[after.start_char : after.end_char])
    return "".join(parts)


def _region(text: str, chunk: Span | None) -> tuple[int, int]:
    """Return where the lines begin and end among which an excerpt is chosen, or the parts of lines without end."""
    if len(text) <= _LONG:
        return 0, len(text)
    middle = chunk or Span(0, 0)
    first, last = max(0, middle.start_char - _REACH), min(len(text), middle.end_char + _REACH)
    earliest, latest = max(0, first - _LINE), min(len(text), last + _LINE)
    start, end = text.rfind("\n", earliest, first) + 1, text.find("\n", last, latest)
    return start or earliest, latest if end < 0 else end


#: The first and the last unit of a place.
_Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Page:
    """The units of a text, what each scores, and which terms of the question each has."""

    text: str
    units: Sequence[Unit]
    worth: Mapping[int, float]
    found: Sequence[frozenset[int]]
    scores: Column
    width: int
    #: Which units belong to a roll that is not asked for: no place begins with one or grows to one.
    rolls: Sequence[bool]

    @classmethod
    def of(
        cls, text: str, units: Sequence[Unit], worth: Mapping[int, float], chunk: Span | None, width: int
    ) -> "_Page":
        found = [frozenset(terms(text[unit.start : unit.end]) if worth else ()).intersection(worth) for unit in units]
        own = np.array([_sum(worth, has) for has in found])
        above = np.array(
            [
                _sum(worth, frozenset().union(*(found[head] for head in unit.heads)) - has)
                for unit, has in zip(units, found, strict=True)
            ]
        )
        scores = (own + _ABOVE * above) / (sum(worth.values()) or 1.0)
        scores *= np.array([_REPEATED if _REPEATS.match(text, unit.start) else 1.0 for unit in units])
        is_roll = [False] * len(units)
        if not asks_for_roll(worth):
            rolls = list(find_rolls(text, units[0].start, units[-1].end))
            is_roll = [any(_overlaps(unit, roll) for roll in rolls) for unit in units]
            scores *= np.where(is_roll, _ROLL, 1.0)
            found = [frozenset() if listed else has for listed, has in zip(is_roll, found, strict=True)]
        beside = np.zeros_like(scores)
        beside[1:] += scores[:-1]
        beside[:-1] += scores[1:]
        inside = np.array([chunk is not None and _overlaps(unit, chunk) for unit in units], dtype=float)
        heading = np.array([unit.is_heading for unit in units], dtype=float)
        scores += _BESIDE * beside + _IN_CHUNK * inside - _ABOVE * np.maximum(heading, is_roll)
        return cls(text, units, worth, found, scores, width, is_roll)

    def size(self, place: _Place) -> int:
        first, last = place
        return _length(self.text[self.units[first].start : self.units[last].end], self.width)

    def grown(self, seed: int, room: int, apart_from: _Place | None = None) -> _Place:
        """Return the place around a unit that has room, grown towards what scores higher."""
        first = last = seed
        taken = range(0) if apart_from is None else range(apart_from[0], apart_from[1] + 1)
        while True:
            down = self._score(last + 1, taken) if self._fits(first, last + 1, room) else None
            up = self._score(first - 1, taken) if self._fits(first - 1, last, room) else None
            if down is None and up is None:
                return first, self._without_headings(seed, last)
            if up is None or (down is not None and down + _AHEAD >= up):
                last += 1
            else:
                first -= 1

    def _without_headings(self, seed: int, last: int) -> int:
        while last > seed and self.units[last].is_heading:
            last -= 1
        return last

    def _fits(self, first: int, last: int, room: int) -> bool:
        return first >= 0 and last < len(self.units) and self.size((first, last)) <= room

    def _score(self, at: int, taken: range) -> float | None:
        return None if at in taken or self.rolls[at] else float(self.scores[at])

    def second(self, place: _Place) -> int | None:
        """Return the best unit that has what the place lacks of the question; None if no unit has enough of it."""
        inside = range(place[0], place[1] + 1)
        under = {number for unit in inside for number in (unit, *self.units[unit].heads)}
        lacking = self.worth.keys() - frozenset().union(*(self.found[number] for number in under))
        least = _LACKING * sum(self.worth.values())
        adds = {
            number: gain
            for number, has in enumerate(self.found)
            if number not in inside and (gain := _sum(self.worth, has & lacking)) >= least > 0
        }
        return max(adds, key=lambda number: (adds[number], self.scores[number]), default=None)

    def above(self, unit: int) -> list[Span]:
        """Return the innermost headings and bullets above a unit, except the heading of the whole text.

        They are cut between words where they are long.
        """
        heads = [self.units[number] for number in self.units[unit].heads[-_HEADS:]]
        return [self._head(head) for head in heads if self.text[: head.start].strip(" \n\t#")]

    def _head(self, unit: Unit) -> Span:
        if unit.end - unit.start <= _HEAD:
            return Span(unit.start, unit.end)
        words = self.text[unit.start : unit.start + _HEAD].rsplit(maxsplit=1)[0]
        return Span(unit.start, unit.start + len(words))

    def shown(self, place: _Place) -> list[Span]:
        """Return the ranges of a place: its headings, its speaker, and its sentences."""
        first, last = self.units[place[0]], self.units[place[1]]
        label = first.speaker
        said = [label] if label is not None and label.end_char <= first.start else []
        return [*self.above(place[0]), *said, Span(first.start, last.end)]


def _length(text: str, width: int) -> int:
    """Return how long a text is, each line but an empty one a multiple of the width."""
    return len(text) if width == 1 else sum(-(-len(line.strip()) // width) * width for line in text.split("\n"))


def _start(place: _Place) -> int:
    return place[0]


def _sum(worth: Mapping[int, float], found: Collection[int]) -> float:
    return sum(worth[term] for term in found)


def _overlaps(unit: Unit, chunk: Span) -> bool:
    return unit.start < chunk.end_char and chunk.start_char < unit.end


def merge_spans(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return ranges in order, each character once; ranges with only white space between them become one."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start_char, -span.end_char)):
        before = merged[-1] if merged else None
        if before is not None and not text[before.end_char : span.start_char].strip():
            merged[-1] = Span(before.start_char, max(before.end_char, span.end_char))
        else:
            merged.append(span)
    return merged
