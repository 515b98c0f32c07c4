"""Fitting: an answer shortened step by step until it fits its tokens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from retrieval.messages.message import Limit

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
