"""Part: the text of one thing asked for by its id, from an offset on, as much as fits with its events."""

from dataclasses import replace
from typing import Final

from core.errors import InvalidInput
from core.interface.results import ChunkView, Recall, Result
from retrieval.messages.fitting import largest_fitting
from retrieval.messages.message import Limit

#: Of a text that does not fit, the part of the tokens that it may take; the rest is for its events.
_SHARE: Final = 0.75
#: A part ends at the end of a paragraph, line, sentence or word if one is in its last fifth.
_ENDS: Final = ("\n\n", "\n", ". ", " ")
_EARLIEST: Final = 0.8


def continue_text(answer: Recall, text_offset: int) -> Recall:
    """Return the answer with the text of its one result from the offset on.

    Raises:
        InvalidInput: the text ends before; the message has its length.
    """
    (result,) = answer.results
    length = len(result.content)
    if text_offset >= length and text_offset:
        raise InvalidInput(
            f"text_offset {text_offset:,} is past the end: the text of {result.id} has {length:,} characters."
        )
    if not text_offset:
        return answer
    rest = replace(result, content=result.content[text_offset:], chunk=ChunkView(0, text_offset, length))
    return replace(answer, results=[rest])


def cut_text(answer: Recall, limit: Limit) -> Recall:
    """Return the answer with as much of the text as leaves room for its events; all of it if it fits without them."""
    bare = shorten_answer(results_only(answer), len(answer.results[0].content))
    if limit.fits(bare):
        return answer
    room = limit.share(_SHARE)
    length = largest_fitting(lambda size: shorten_answer(bare, size), room.fits, 0, len(answer.results[0].content))
    return shorten_answer(answer, _end(answer.results[0].content, length)) if length else answer


def results_only(answer: Recall) -> Recall:
    """Return the answer with its results alone."""
    results = [replace(result, events=None, neighbors=None, chunks=None) for result in answer.results]
    return replace(answer, results=results, related=[], entities=[])


def shorten_answer(answer: Recall, length: int) -> Recall:
    """Return the answer with at most so many characters of the first result's text."""
    first, *others = answer.results
    return replace(answer, results=[shorten_result(first, length), *others])


def shorten_result(result: Result, length: int) -> Result:
    """Return a result with at most so many characters of its text, and where they are in the item.

    An excerpt ends at the end of a sentence or word, and its `chunk` stays where it is from.
    """
    if length >= len(result.content):
        return result
    if is_excerpt(result):
        return replace(result, content=result.content[: _end(result.content, length)].rstrip())
    start = result.chunk.start_char if result.chunk else 0
    index = result.chunk.index if result.chunk else 0
    place = result.chunk.place if result.chunk else None
    chunk = ChunkView(index, start, start + length, place=place)
    return replace(result, content=result.content[:length], chunk=chunk)


def is_excerpt(result: Result) -> bool:
    """Whether the text is chosen from several places, rather than one range of the item."""
    chunk = result.chunk
    return chunk is not None and chunk.end_char - chunk.start_char != len(result.content)


def explain_continuation(kept: Result, whole: Result) -> str:
    """Say which characters of an item are shown, and the call that goes on after them."""
    if is_excerpt(whole) and whole.chunk is not None:
        return f'The passage of {kept.id} is cut: recall(id="{kept.id}", text_offset={whole.chunk.start_char}) has it.'
    start = whole.chunk.start_char if whole.chunk else 0
    end = start + len(kept.content)
    length = "" if whole.chunk else f" of {len(whole.content):,}"
    return f'Characters {start:,} to {end:,}{length}: recall(id="{kept.id}", text_offset={end}) goes on.'


def _end(text: str, length: int) -> int:
    """Return where a part of at most this length ends well."""
    earliest = int(length * _EARLIEST)
    ends = (text.rfind(end, earliest, length) + len(end) for end in _ENDS if text.rfind(end, earliest, length) >= 0)
    return next(ends, length)
