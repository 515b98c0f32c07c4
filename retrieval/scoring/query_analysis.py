"""Query analysis: which of a question's words say what it is about, and whom it names."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from graph.text.term_vectors import exact_tokens
from graph.text.tokens import STOP_WORDS, split_pairs

_WORD: Final = re.compile(r"[^\W_]+(?:['’._@-][^\W_]+)*")
_POSSESSIVE: Final = re.compile(r"['’]s$", re.IGNORECASE)
_QUOTED: Final = re.compile(r'"([^"\n]{2,200})"|[“„]([^”“\n]{2,200})[”“]|«([^»\n]{2,200})»')

#: A tag as it is written in notes and search boxes: "#sales/eu", "tag:sales".
_TAG: Final = re.compile(r"(?<!\S)(?:tags?:[ ]?#?|#)((?=[^\W\d_])[\w/-]{1,200})", re.IGNORECASE)
_TAG_LABEL: Final = re.compile(r"(?<!\S)tags?:[ ]?", re.IGNORECASE)
#: Words about the act of asking or meeting, dropped as well unless nothing else is left.
META_WORDS: Final = frozenset(
    """
    summarize summarise summary discuss discussed discussing discussion meeting think thought say said talk talked
    talking mention mentioned opinion explain describe tagged
    """.split()
)
#: Most words that are looked up as names.
_MAX_NAMES: Final = 20


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a question says of the answer that it wants."""

    query: str
    #: The words worth looking up, each once, in order.
    words: Sequence[str]
    #: The words that may be names, without a possessive's end: written with a capital letter, or any in a question
    #: without one.
    names: Sequence[str]
    #: Its signs of several words, such as `ops-1203`, as `graph.text.term_vectors.exact_tokens` writes them.
    signs: Sequence[str] = ()
    #: The phrases in quotation marks.
    phrases: Sequence[str] = ()
    #: What words of it that no chunk has may be typing errors of.
    near: Sequence[str] = ()


def analyse_query(query: str) -> Analysis:
    """Read a question; a tag in it counts as its words."""
    plain = _TAG.sub(_tag_words, query)
    words = query_terms(plain)
    capitals = [word for word in words if word[0].isupper()]
    return Analysis(
        query=plain,
        words=words,
        names=_unique(_POSSESSIVE.sub("", word) for word in capitals or words)[:_MAX_NAMES],
        signs=_unique(exact_tokens(_TAG_LABEL.sub("", query))),
        phrases=_unique(phrase for match in _QUOTED.findall(query) if split_words(phrase := "".join(match))),
    )


def _tag_words(tag: re.Match[str]) -> str:
    return re.sub(r"[/_-]+", " ", tag[1])


def split_words(text: str) -> list[str]:
    """Return the words of `text` in order, case kept, inner apostrophes, dots, hyphens and @ kept."""
    return _WORD.findall(text)


def query_terms(query: str) -> list[str]:
    """Return the words of `query` worth looking up, each once, in order; runs of unspaced scripts in pairs of signs.

    Stop and question words go, save those that a capital makes a name ("Where did Will go?"), then words about asking,
    unless nothing else would be left; a query of nothing but stop words keeps them all.
    """
    return _telling([part for word in split_words(query) for part in split_pairs(word)], is_shouted=query.isupper())


def distinctive_words(text: str) -> list[str]:
    """Return the same words of `text`, runs of unspaced scripts whole."""
    return _telling(split_words(text), is_shouted=text.isupper())


def _telling(spoken: Sequence[str], *, is_shouted: bool) -> list[str]:
    words = _unique(spoken)
    content = [word for word in words if not _is_stop_word(word)]
    if not is_shouted:
        named = {word.casefold() for word in spoken[1:] if _is_name(word)}
        content = [word for word in words if word in content or word.casefold() in named]
    return [word for word in content if word.casefold() not in META_WORDS] or content or words


def _is_stop_word(word: str) -> bool:
    return word.casefold().replace("’", "'") in STOP_WORDS


def _is_name(word: str) -> bool:
    """Whether a stop word inside a question is written as a name: "Will", "IT", but not "I" or "I'm"."""
    return len(word) > 1 and word[0].isupper() and word[1] not in "'’" and _is_stop_word(word)


def rephrase_for_authors(query: str, authors: Iterable[str]) -> str:
    """Return the question as those authors would put it of themselves: what they said is about "I" and "my".

    Their turns seldom say their name, so that without it the vectors of question and answer are nearer: of turns
    among the ten nearest in meaning 0.62 instead of 0.49 were right (docs/decisions/ranking.md).
    """
    for name in sorted(authors, key=len, reverse=True):
        query = re.sub(rf"\b{re.escape(name)}['’]s\b", "my", query, flags=re.IGNORECASE)
        query = re.sub(rf"\b{re.escape(name)}\b", "I", query, flags=re.IGNORECASE)
    return query


def _unique(words: Iterable[str]) -> list[str]:
    """Return each word in the form it has first, without regard to case."""
    first: dict[str, str] = {}
    for word in words:
        first.setdefault(word.casefold(), word)
    return list(first.values())
