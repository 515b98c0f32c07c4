"""Budget: fit a whole answer into a number of tokens, and say what was left out."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar

from core.embedding import Tokenizer
from core.interface.results import ChunkView, Recall, to_json

A = TypeVar("A")

#: What is dropped, first to last. Of each list the end goes first: it is the least relevant.
_DROPPED_FIRST: Final = ("entities", "related", "turns", "results")
#: More characters than a token has on average in any text that people write.
_CHARS_PER_TOKEN: Final = 8


def fit(answer: Recall, max_tokens: int | None, tokenizer: Tokenizer) -> Recall:
    """Return `answer` with what does not fit dropped, and the hint saying what; unchanged if all of it fits.

    Tokens are those of the answer's JSON as the embedder's tokenizer counts them, which on JSON are more than those of
    a language model's. Entities go first, then related events, turns, and results; a single result that is too long
    is cut short, and its `chunk` says where the cut is.
    """

    def fits(candidate: Recall) -> bool:
        return holds(max_tokens or 0, json.dumps(to_json(candidate), ensure_ascii=False), tokenizer)

    if max_tokens is None or fits(answer):
        return answer
    dropped: list[str] = []
    for name in _DROPPED_FIRST:
        total, floor = len(getattr(answer, name) or ()), 1 if name == "results" else 0
        if total > floor:
            keep = partial(_keeping, answer, name, dropped)
            count = most_that(keep, fits, floor, total)
            answer = keep(count)
            if count < total:
                dropped.append(f"{total - count} {name}")
            if fits(answer):
                return answer
    if answer.results:
        answer = _shortened(answer, fits)
    return answer if fits(answer) else _bare(answer, fits)


def holds(max_tokens: int, text: str, tokenizer: Tokenizer) -> bool:
    """Whether `text` has at most `max_tokens` tokens; of a much longer one only the beginning is counted."""
    beginning = text[: _CHARS_PER_TOKEN * max_tokens]
    if len(beginning) < len(text) and len(tokenizer.token_spans(beginning)) > max_tokens + 1:
        return False
    return len(tokenizer.token_spans(text)) <= max_tokens


def _keeping(answer: Recall, name: str, dropped: Sequence[str], count: int) -> Recall:
    """Return the answer with the first `count` of one list, and a hint that says what is gone."""
    total = len(getattr(answer, name) or ())
    parts = [*dropped, *([f"{total - count} {name}"] if count < total else [])]
    hint = f"Dropped to fit max_tokens: {', '.join(parts)}. Raise max_tokens or narrow the query."
    kept: dict[str, Any] = {name: getattr(answer, name)[:count]}
    return replace(answer, hint=hint if parts else answer.hint, **kept)


def most_that(make: Callable[[int], A], fits: Callable[[A], bool], floor: int, count: int) -> int:
    """Return the largest number from `floor` to `count` whose answer fits; `floor` if none does."""
    low, high = floor, count
    while low < high:
        middle = (low + high + 1) // 2
        if fits(make(middle)):
            low = middle
        else:
            high = middle - 1
    return low


def _shortened(answer: Recall, fits: Callable[[Recall], bool]) -> Recall:
    """Return the answer with its one result's side matter dropped and its content cut to what fits."""
    result = replace(answer.results[0], events=None, chunks=None, neighbors=None)
    start = result.chunk.start_char if result.chunk else 0
    index = result.chunk.index if result.chunk else 0

    def cut(length: int) -> Recall:
        hint = (
            f"Cut to fit max_tokens: the first {length} of {len(result.content)} characters of {result.id}, without "
            "its events. Raise max_tokens for the rest."
        )
        part = replace(result, content=result.content[:length], chunk=ChunkView(index, start, start + length))
        return replace(answer, results=[part], hint=hint)

    length = most_that(cut, fits, 0, len(result.content))
    if length:
        return cut(length)
    hint = f"Nothing fits max_tokens: raise it, or ask for id {result.id} alone."
    return replace(answer, results=[], hint=hint)


def _bare(answer: Recall, fits: Callable[[Recall], bool]) -> Recall:
    """Return the answer without anything that may be long: counts and what was degraded always fit."""
    named = replace(answer, results=[], hint="Nothing fits max_tokens: raise it.")
    return named if fits(named) else replace(named, conversation_id=None)
