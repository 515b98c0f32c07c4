"""Message: what is sent of an answer, shortened step by step until it fits its tokens.

A tool sends a text block and structured content, and a client shows the model one of them: the larger must fit. In
full the text block is the structured content; in brief it is Markdown, written by `_WRITERS`.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, is_dataclass
from functools import partial
from typing import Any, Final, Generic, TypeVar

from core.interface.learning import Review
from core.interface.ledger import LedgerAnswer, LedgerItem
from core.interface.question import Neighbourhood
from core.interface.results import Detail, Recall, Receipts, Status, shown_fields, to_json
from core.interface.stash import Popped, StashMatches, Unstashed
from retrieval.messages.markdown import (
    render_ledger,
    render_ledger_item,
    render_neighbourhood,
    render_popped,
    render_recall,
    render_receipts,
    render_result,
    render_review,
    render_stash_matches,
    render_status,
    render_unstashed,
)
from retrieval.models.tokenizer import TokenTally

#: What writes each brief answer.
_WRITERS: Final[dict[type, Callable[..., str]]] = {
    Recall: render_recall,
    Popped: render_popped,
    LedgerAnswer: render_ledger,
    LedgerItem: render_ledger_item,
    Neighbourhood: render_neighbourhood,
    Review: render_review,
    StashMatches: render_stash_matches,
    Unstashed: render_unstashed,
    Receipts: render_receipts,
    Status: render_status,
}
#: More characters than a token has on average in any text that people write, and what a word cut in two adds.
_CHARS_PER_TOKEN, _SLACK = 8, 100


def render_text(answer: object, detail: Detail = "brief") -> str:
    """Return the text block of an answer: Markdown in brief, if it has a writer, else compact JSON."""
    write = _WRITERS.get(type(answer)) if detail == "brief" else None
    return _json(to_json(answer, detail)) if write is None else write(answer)


class Limit:
    """A number of tokens that answers may have, as `estimate_model_tokens` counts them in what is sent; None for any
    number.

    Not safe for use from several threads: what is counted once is kept for the next candidate.
    """

    def __init__(self, max_tokens: int | None, detail: Detail) -> None:
        self.max_tokens = max_tokens
        self.detail = detail
        self._tally = TokenTally()
        self._fitting: object = None
        self._write_result = _Memo(render_result)
        self._write_item = _Memo(lambda item: _json(to_json(item, detail)))

    def share(self, part: float) -> "Limit":
        """Return a limit of this part of its tokens."""
        return Limit(None if self.max_tokens is None else int(self.max_tokens * part), self.detail)

    def fits(self, answer: object) -> bool:
        """Whether both forms of the answer have at most that many tokens."""
        most = self.max_tokens
        if most is None or answer is self._fitting:
            return True
        structured = self._structured(answer)
        writer = None if self.detail == "full" else _WRITERS.get(type(answer))
        if writer is None:
            text = structured
        elif isinstance(answer, Recall | Popped):
            text = writer(answer, self._write_result)
        else:
            text = writer(answer)
        fits = self._holds(structured, most) and (text == structured or self._holds(text, most))
        if fits:
            self._fitting = answer
        return fits

    def _structured(self, answer: object) -> str:
        """Return the answer as compact JSON, the items of its lists written once for all candidates that share them."""
        if not is_dataclass(answer):
            return _json(to_json(answer, self.detail))
        fields = (
            f'"{name}":[{",".join(map(self._write_item, value))}]'
            if isinstance(value, list)
            else f'"{name}":{_json(to_json(value, self.detail))}'
            for name, value in shown_fields(answer, self.detail)
        )
        return f"{{{','.join(fields)}}}"

    def _holds(self, text: str, most: int) -> bool:
        """Whether a text has at most `most` tokens; of a much longer one only the beginning is counted."""
        beginning = text[: _CHARS_PER_TOKEN * most]
        if len(beginning) < len(text) and self._tally.count(beginning) > most + _SLACK:
            return False
        return self._tally.count(text) <= most


class _Memo:
    """Writes each object once. What it has written is kept, and so are the objects: their ids are no others'."""

    def __init__(self, write: Callable[[Any], str]) -> None:
        self._write = write
        self._written: dict[int, tuple[object, str]] = {}

    def __call__(self, value: object) -> str:
        if (known := self._written.get(id(value))) is None:
            known = self._written[id(value)] = value, self._write(value)
        return known[1]


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def _json(value: object) -> str:
    return _ENCODER.encode(value)


A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Cut(Generic[A]):
    """A part that can be shortened: its size, and the answer with only so much of it, never less than `floor`."""

    size: Callable[[A], int]
    keep: Callable[[A, int], A]
    floor: int = 0


def fit_to_limit(answer: A, limit: Limit, cuts: Sequence[Cut[A]], explained: Callable[[A], A]) -> A:
    """Return the answer with as much left as fits, cut in the order of `cuts`; unchanged if all of it fits.

    `explained` puts into a cut answer what it lacks. If even the last cut leaves too much, that is returned.
    """
    if limit.fits(answer):
        return answer
    for cut in cuts:
        if (size := cut.size(answer)) <= cut.floor:
            continue
        least = cut.keep(answer, cut.floor)
        if limit.fits(explained(least)):
            kept = largest_fitting(partial(_kept, answer, cut, explained), limit.fits, cut.floor, size - 1)
            return _kept(answer, cut, explained, kept)
        answer = least
    return explained(answer)


def _kept(answer: A, cut: Cut[A], explained: Callable[[A], A], count: int) -> A:
    return explained(cut.keep(answer, count))


def explain_too_long(identity: str) -> str:
    """Return the hint of an answer that has no room for even the first thing found: how to get it."""
    return f'Too long for max_tokens: raise it, or recall(id="{identity}").'


def largest_fitting(make: Callable[[int], A], fits: Callable[[A], bool], floor: int, count: int) -> int:
    """Return the largest number from `floor` to `count` whose answer fits; `floor` if none does."""
    low, high = floor, count
    while low < high:
        middle = (low + high + 1) // 2
        if fits(make(middle)):
            low = middle
        else:
            high = middle - 1
    return low
