"""The prefix of a chunk, indexed with it and never stored in it: date, key, title or speaker, tags, and section."""

import re
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.dates import is_month
from core.embedding import TokenBounds, Tokenizer
from core.interface.memory import Memory
from core.records import date_prefix

#: Most tokens that date, key and title or speaker may take in front of a chunk; in a small window a quarter of it.
MAX_PREFIX_TOKENS: Final = 48
#: Most tokens of a section's heading; in a small window an eighth of it.
MAX_SECTION_TOKENS: Final = 16
#: What joins the words of a tag.
_JOINTS: Final = re.compile(r"[#/_-]+|(?<=[^\W\d_A-Z])(?=[A-Z])")
#: A heading of Markdown at the beginning of a line.
_HEADING: Final = re.compile(r"^#{1,6}[ \t]++([^\n]*[^\n \t#\r])", re.MULTILINE)


def chunk_prefix(memory: Memory, tokenizer: Tokenizer) -> str:
    """Return the prefix of every chunk: the day, the key, then a turn's speaker, or anything else's title and tags.

    A key that is only the path of the item's file is left out: nobody chose it as a name.
    """
    day = memory.date if memory.is_turn else memory.date or memory.document_date
    label = _dated(day.strip()) if day else ""
    names = [] if memory.key is None or memory.key == memory.file_path else _unsaid(memory, memory.key)
    if memory.is_turn and (speaker := memory.author or memory.role):
        return _bounded(label + "\n".join([*names, speaker]), ": ", tokenizer, MAX_PREFIX_TOKENS, 4)
    if memory.title is not None and memory.title not in names and not memory.is_turn:
        names += _unsaid(memory, memory.title)
    if memory.tags and not memory.is_turn:
        names.append(", ".join(map(spell_out_tag, memory.tags)))
    return _bounded(label + "\n".join(names), "\n", tokenizer, MAX_PREFIX_TOKENS, 4) if names else label


def spell_out_tag(tag: str) -> str:
    """Return a tag as words: "sales/eu-north" as "sales eu north", "TideTable" as "Tide Table"."""
    return " ".join(_JOINTS.sub(" ", tag).split())


def _dated(day: str) -> str:
    if is_month(day):
        return date_prefix(date.fromisoformat(f"{day}-01"), month_only=True)
    return date_prefix(datetime.fromisoformat(day).date())


def leading_title(memory: Memory, tokenizer: Tokenizer) -> str:
    """Return the title that the content begins with, which further chunks lack; empty if there is none."""
    if memory.is_turn or memory.title is None or not _begins_with(memory, memory.title):
        return ""
    return _bounded(memory.title, "", tokenizer, MAX_PREFIX_TOKENS, 4)


def _unsaid(memory: Memory, name: str) -> list[str]:
    """Return the name unless the content begins with it."""
    return [] if _begins_with(memory, name) else [name]


def _begins_with(memory: Memory, name: str) -> bool:
    return memory.content.lstrip("# ").startswith(name)


def _bounded(label: str, separator: str, tokenizer: Tokenizer, most: int, share: int) -> str:
    """Return the label, cut if it would take too much of the window (one part of `share`), and the separator."""
    limit = _limit(separator, tokenizer, most, share)
    label = label[: _most_chars(tokenizer, share)]
    bounds = tokenizer.token_bounds(label)
    return (label if len(bounds) <= limit else label[: bounds[limit, 0]].rstrip()) + separator


def _limit(separator: str, tokenizer: Tokenizer, most: int, share: int) -> int:
    return min(most, tokenizer.window_tokens // share) - len(tokenizer.token_bounds(separator))


def _most_chars(tokenizer: Tokenizer, share: int) -> int:
    """Return how long a label may be: a character has at most four bytes."""
    return tokenizer.window_bytes // (4 * share)


@dataclass(frozen=True, slots=True)
class Sections:
    """The sections of a text by its headings; turns and texts without headings have none."""

    content: str = ""
    #: Of each heading: where it begins, where its name does, and where that ends or is cut to its share of the window.
    places: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 3), np.int64))
    #: A text with as many tokens and bytes as any label, to leave room for each.
    longest: str = ""

    @classmethod
    def of(cls, memory: Memory, tokens: TokenBounds, tokenizer: Tokenizer) -> "Sections":
        """Find the headings of a memory whose content has these tokens."""
        found = () if memory.is_turn else _HEADING.finditer(memory.content)
        each = ((match.start(), *match.span(1)) for match in found)
        places = np.fromiter(chain.from_iterable(each), np.int64).reshape(-1, 3)
        if not len(places):
            return cls()
        limit, most_chars = _limit("\n", tokenizer, MAX_SECTION_TOKENS, 8), _most_chars(tokenizer, 8)
        _, begins, ends = places.T
        is_cut = ends - begins > most_chars
        ends[is_cut] = begins[is_cut] + most_chars  # maybe within a word
        firsts = np.searchsorted(tokens[:, 0], begins)
        sizes = np.searchsorted(tokens[:, 1], ends, side="right") - firsts
        is_long = sizes > limit
        ends[is_long] = tokens[firsts[is_long] + limit, 0]
        sections = cls(memory.content, places)
        # Where a name is cut, its last character may have several tokens, and a part of a word others than the word.
        telling = [*np.flatnonzero(is_cut | is_long), sizes.argmax(), _num_bytes(memory.content, begins, ends).argmax()]
        labels = sorted({sections._label(int(place)) for place in telling})
        counts = dict(zip(labels, tokenizer.counts(labels), strict=True))
        by_tokens = max(labels, key=counts.__getitem__)
        by_bytes = max(labels, key=lambda label: len(label.encode()))
        return replace(sections, longest=by_tokens if by_tokens == by_bytes else by_tokens + by_bytes)

    def at(self, start: int) -> str:
        """Return the heading of the section in which a chunk begins; empty if its own text has it."""
        starts = self.places[:, 0]
        before = int(np.searchsorted(starts, start))
        if before == 0 or (before < len(starts) and starts[before] == start):
            return ""
        return self._label(before - 1)

    def _label(self, place: int) -> str:
        _, begin, end = self.places[place].tolist()
        return self.content[begin:end].rstrip() + "\n"


def _num_bytes(content: str, begins: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many bytes of UTF-8 each of the ranges has."""
    codes = np.frombuffer(content.encode("utf-32-le"), np.uint32)
    until = np.cumsum(1 + (codes > 0x7F) + (codes > 0x7FF) + (codes > 0xFFFF))
    return until[ends - 1] - until[begins - 1]  # a heading has a sign before its name
