"""Windows: the parts of a content that a model reads one at a time."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from core.embedding import Tokenizer

#: Longest window, and how much of its end the next one repeats, in tokens. In longer ones models overlook more.
WINDOW_TOKENS: Final = 900
_OVERLAP_TOKENS: Final = 100
#: The same in characters: a token of base64 or of blanks may cover many.
_WINDOW_CHARS: Final = 8_000
_OVERLAP_CHARS: Final = 800
#: A window ends in its last two fifths.
_EARLIEST_END: Final = 0.6
#: With fewer letters and digits a window says nothing that could be quoted, in characters.
LEAST: Final = 6
#: No window is halved below this length, in characters.
SMALLEST: Final = 200
#: Where a sentence, line or turn of a conversation begins.
_BOUND: Final = re.compile(r"\n\s*|(?<=[.!?])[\"'”’)\]]*\s+|(?<=[。！？])")
_BLANK: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Window:
    """A slice of a content: `text` begins there at `start_char`."""

    start_char: int
    text: str


def windows(content: str, tokenizer: Tokenizer) -> Iterator[Window]:
    """Yield windows in order that leave out only what says nothing; each begins and ends with a sentence if it can.

    Each ends further on than the one before, and repeats at most 100 tokens of it, from the beginning of a sentence.
    """
    starts = tokenizer.token_bounds(content)[:, 0]
    bounds = [match.end() for match in _BOUND.finditer(content)]
    begin = end = 0
    while begin < len(content):
        first = bisect_left(starts, begin)
        most = int(starts[first + WINDOW_TOKENS]) if first + WINDOW_TOKENS < len(starts) else len(content)
        most = max(end + 1, min(most, begin + _WINDOW_CHARS))
        end = _end(content, bounds, max(end, begin + int((most - begin) * _EARLIEST_END)), most)
        if says_something(text := content[begin:end]):
            yield Window(begin, text)
        if end == len(content):
            return
        last = bisect_left(starts, end)
        back = int(starts[max(first + 1, last - _OVERLAP_TOKENS)]) if last > first + 1 else end
        begin = _begin(bounds, max(back, end - _OVERLAP_CHARS, begin + 1), end)


def halves(window: Window) -> list[Window]:
    """Return the window in two parts, cut where a sentence ends if it can be; itself if it is too short for that."""
    text, middle = window.text, len(window.text) // 2
    if len(text) < 2 * SMALLEST:
        return [window]
    quarter = len(text) // 4
    for pattern in (_BOUND, _BLANK):
        places = [match.end() for match in pattern.finditer(text, quarter, len(text) - quarter)]
        if places:
            middle = min(places, key=lambda place: abs(place - len(text) // 2))
            break
    parts = (Window(window.start_char, text[:middle]), Window(window.start_char + middle, text[middle:]))
    return [part for part in parts if says_something(part.text)]


def says_something(text: str) -> bool:
    """Whether a text has letters and digits enough for a quote."""
    return sum(map(str.isalnum, text)) >= LEAST


def _end(content: str, bounds: Sequence[int], earliest: int, most: int) -> int:
    """Return the last bound, else the last blank, after `earliest` and up to `most`; else `most`."""
    if most >= len(content):
        return len(content)
    bound = bisect_right(bounds, most) - 1
    if bound >= 0 and bounds[bound] > earliest:
        return bounds[bound]
    blanks = [match.end() for match in _BLANK.finditer(content, earliest, most)]
    return next((blank for blank in reversed(blanks) if blank > earliest), most)


def _begin(bounds: Sequence[int], back: int, end: int) -> int:
    """Return the first bound from `back` on; where a window ends in the middle of a sentence, `back` itself."""
    bound = bisect_left(bounds, back)
    return bounds[bound] if bound < len(bounds) and bounds[bound] <= end else back
