"""Query analysis: which of a question's words say what it is about."""

import re
from collections.abc import Iterable
from typing import Final

from graph.stems import STOP_WORDS

_WORD: Final = re.compile(r"[^\W_]+(?:['’._@-][^\W_]+)*")

#: Words about the act of asking or meeting, dropped as well unless nothing else is left.
META_WORDS: Final = frozenset(
    """
    summarize summarise summary discuss discussed discussing discussion meeting think thought say said talk talked
    talking mention mentioned opinion explain describe
    """.split()
)


def words_of(text: str) -> list[str]:
    """Return the words of `text` in order, case kept, inner apostrophes, dots, hyphens and @ kept."""
    return _WORD.findall(text)


def terms_of(query: str) -> list[str]:
    """Return the words of `query` worth looking up, each once, in order.

    Stop and question words go, then words about asking, unless nothing else would be left; a query of nothing but
    stop words keeps them all.
    """
    words = _unique(words_of(query))
    content = [word for word in words if word.casefold().replace("’", "'") not in STOP_WORDS]
    return [word for word in content if word.casefold() not in META_WORDS] or content or words


def _unique(words: Iterable[str]) -> list[str]:
    """Return each word in the form it has first, without regard to case."""
    first: dict[str, str] = {}
    for word in words:
        first.setdefault(word.casefold(), word)
    return list(first.values())
