"""The prefix of a chunk, indexed with it and never stored in it: date, key, title or speaker, and section."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from core.embedding import Tokenizer
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
    date = dated(datetime.fromisoformat(day.strip()).date()) if day else ""
    names = [] if memory.key is None or memory.key == memory.file_path else _unsaid(memory, memory.key)
    if memory.is_turn and (speaker := memory.author or memory.role):
        return _bounded(date + "\n".join([*names, speaker]), ": ", tokenizer, MAX_PREFIX_TOKENS, 4)
    if memory.title is not None and memory.title not in names and not memory.is_turn:
        names += _unsaid(memory, memory.title)
    return _bounded(date + "\n".join(names), "\n", tokenizer, MAX_PREFIX_TOKENS, 4) if names else date


def _unsaid(memory: Memory, name: str) -> list[str]:
    """Return the name unless the content begins with it."""
    return [] if memory.content.lstrip("# ").startswith(name) else [name]


def _bounded(label: str, separator: str, tokenizer: Tokenizer, most: int, share: int) -> str:
    """Return the label, cut if it would take too much of the window (one part of `share`), and the separator."""
    limit = min(most, tokenizer.window_tokens // share) - len(tokenizer.token_spans(separator))
    # A character has at most four bytes.
    label = label[: tokenizer.window_bytes // (4 * share)]
    spans = tokenizer.token_spans(label)
    return (label if len(spans) <= limit else label[: spans[limit].start_char].rstrip()) + separator


@dataclass(frozen=True, slots=True)
class Sections:
    """The sections of a text by its headings; turns and texts without headings have none."""

    #: Where each heading begins, and what it is called, cut to its share of the window.
    starts: Sequence[int] = ()
    labels: Sequence[str] = ()

    @classmethod
    def of(cls, memory: Memory, tokenizer: Tokenizer) -> "Sections":
        """Find the headings of a memory."""
        found = () if memory.is_turn else _HEADING.finditer(memory.content)
        headings = [(match.start(), name) for match in found if (name := match[1].rstrip(" \t#\r"))]
        labels = [_bounded(name, "\n", tokenizer, MAX_SECTION_TOKENS, 8) for _, name in headings]
        return cls([start for start, _ in headings], labels)

    def at(self, start: int) -> str:
        """Return the heading of the section in which a chunk begins; empty if its own text has it."""
        before = bisect_left(self.starts, start)
        if before == 0 or (before < len(self.starts) and self.starts[before] == start):
            return ""
        return self.labels[before - 1]

    def longest(self, tokenizer: Tokenizer) -> str:
        """Return a text with as many tokens and bytes as any heading, to leave room for each."""
        if not self.labels:
            return ""
        labels = set(self.labels)
        by_tokens = max(sorted(labels), key=lambda label: len(tokenizer.token_spans(label)))
        by_bytes = max(sorted(labels), key=lambda label: len(label.encode()))
        return by_tokens if by_tokens == by_bytes else by_tokens + by_bytes
