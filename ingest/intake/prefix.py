"""The prefix of a chunk, indexed with it and never stored in it: date, key, title or speaker, and section."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

import numpy as np

from core.dates import is_month
from core.embedding import TokenBounds, Tokenizer
from core.interface.memory import Memory
from core.records import dated

#: Most tokens that date, key and title or speaker may take in front of a chunk; in a small window a quarter of it.
MAX_PREFIX_TOKENS: Final = 48
#: Most tokens of a section's heading; in a small window an eighth of it.
MAX_SECTION_TOKENS: Final = 16
#: A heading of Markdown at the beginning of a line.
_HEADING: Final = re.compile(r"^#{1,6}[ \t]+([^\n]*)$", re.MULTILINE)


def prefix_of(memory: Memory, tokenizer: Tokenizer) -> str:
    """Return what stands in front of every chunk: the day, the key, then a turn's speaker or anything else's title.

    A key that is only the path of the item's file is left out: nobody chose it as a name.
    """
    day = memory.date if memory.is_turn else memory.date or memory.document_date
    label = _dated(day.strip()) if day else ""
    names = [] if memory.key is None or memory.key == memory.file_path else _unsaid(memory, memory.key)
    if memory.is_turn and (speaker := memory.author or memory.role):
        return _bounded(label + "\n".join([*names, speaker]), ": ", tokenizer, MAX_PREFIX_TOKENS, 4)
    if memory.title is not None and memory.title not in names and not memory.is_turn:
        names += _unsaid(memory, memory.title)
    return _bounded(label + "\n".join(names), "\n", tokenizer, MAX_PREFIX_TOKENS, 4) if names else label


def _dated(day: str) -> str:
    if is_month(day):
        return dated(date.fromisoformat(f"{day}-01"), month_only=True)
    return dated(datetime.fromisoformat(day).date())


def name_of(memory: Memory, tokenizer: Tokenizer) -> str:
    """Return the title that the content begins with, of which further chunks say nothing; empty if there is none."""
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

    #: Where each heading begins, and what it is called, cut to its share of the window.
    starts: Sequence[int] = ()
    labels: Sequence[str] = ()
    #: A text with as many tokens and bytes as any label, to leave room for each.
    longest: str = ""

    @classmethod
    def of(cls, memory: Memory, tokens: TokenBounds, tokenizer: Tokenizer) -> "Sections":
        """Find the headings of a memory whose content has these tokens."""
        found = () if memory.is_turn else _HEADING.finditer(memory.content)
        headings = [(match.start(), match.start(1), name) for match in found if (name := match[1].rstrip(" \t#\r"))]
        if not headings:
            return cls()
        limit, most_chars = _limit("\n", tokenizer, MAX_SECTION_TOKENS, 8), _most_chars(tokenizer, 8)
        token_starts = tokens[:, 0]
        firsts = np.searchsorted(token_starts, [begin for _, begin, _ in headings])
        # A token that shares its character with the one before begins where that ends.
        lasts = np.searchsorted(token_starts, [begin + len(name) for _, begin, name in headings], side="right")
        sizes: dict[str, int] = {}
        labels = []
        for (_, begin, name), first, last in zip(headings, firsts.tolist(), lasts.tolist(), strict=True):
            size = last - first
            if len(name) > most_chars:  # may end within a word
                label = _bounded(name, "\n", tokenizer, MAX_SECTION_TOKENS, 8)
                size = len(tokenizer.token_bounds(label))
            elif size > limit:
                label = name[: int(token_starts[first + limit]) - begin].rstrip() + "\n"
                size = len(tokenizer.token_bounds(label))  # the last character may have several tokens
            else:
                label = name + "\n"
            sizes[label] = size
            labels.append(label)
        by_tokens = max(sorted(sizes), key=sizes.__getitem__)
        by_bytes = max(sorted(sizes), key=lambda label: len(label.encode()))
        longest = by_tokens if by_tokens == by_bytes else by_tokens + by_bytes
        return cls([start for start, *_ in headings], labels, longest)

    def at(self, start: int) -> str:
        """Return the heading of the section in which a chunk begins; empty if its own text has it."""
        before = bisect_left(self.starts, start)
        if before == 0 or (before < len(self.starts) and self.starts[before] == start):
            return ""
        return self.labels[before - 1]
