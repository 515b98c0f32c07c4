"""Tokens: the words of a text, their stems, and its signs, the same in every engine.

A word is letters and digits, with case and accents folded, and is stemmed by Porter; scripts written without blanks are
divided into pairs of characters. A sign is written in one go but is several words: a key, version, address, path or
name of code. Each is indexed whole in addition to its words; names in camel case (`HttpServerError`), which are one
word, in addition to their parts. All scanning is linear.
"""

import json
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import chain, groupby, pairwise
from math import log
from typing import Final

import snowballstemmer

from core.knowledge.findings import Event
from core.regex import regex

#: Scripts written without blanks between words: kana, Han, Hangul (whose particles join on), Thai, Lao, Khmer, Burmese.
_UNSPACED = regex(
    "([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\U00020000-\U0003134f])"
)


def separate_unspaced(text: str) -> str:
    """Return `text` with each character of an unspaced script as a word, so that any run of them is a phrase."""
    return text if text.isascii() else _UNSPACED.sub(r" \1 ", text)


def split_pairs(word: str) -> list[str]:
    """Return the pairs of neighbouring characters of each unspaced run in `word`, and the text between unchanged.

    Where nothing shows where a word ends, pairs are what a question and its answer have in common.
    """
    parts: list[str] = []
    for is_unspaced, run in groupby(word, lambda sign: _UNSPACED.match(sign) is not None):
        text = "".join(run)
        parts += map("".join, pairwise(text)) if is_unspaced and len(text) > 1 else [text]
    return parts


_WORD: Final = regex(r"[^\W_]+")
#: Signs among which are all marks: none comes before them in Unicode.
_MAY_BE_MARKS: Final = regex("[\u0300-\U0010ffff]+")
_STEMMING: Final = threading.Lock()

#: Words that any text holds, and the words questions are put with: dropping them lifted recall@10 by 6 points on
#: conversations (docs/decisions/ranking.md).
STOP_WORDS: Final = frozenset(
    """
    a about above after again against all am an and any are aren't as at be because been before being below between
    both but by can can't could couldn't did didn't do does doesn't doing don't down during each few for from
    further had hadn't has hasn't have haven't having he her here hers herself him himself his how i if in into is
    isn't it its itself just let's me more most my myself no nor not now of off on once only or other our ours
    ourselves out over own same she should shouldn't so some such than that the their theirs them themselves then
    there these they this those through to too under until up very was wasn't we were weren't what what's when where
    which while who whom whose why will with won't would wouldn't you your yours yourself yourselves tell know done
    many much um uh uhm umm hmm mhm
    """.split()
)
#: What is left of stop words where a word ends at an apostrophe, and is no word of its own.
_STOPPED: Final = STOP_WORDS | frozenset("s t d m ll re ve".split())


def words(text: str) -> list[str]:
    """Return the words of `text` in order, case and accents folded; an apostrophe or a hyphen ends a word."""
    return _WORD.findall(separate_unspaced(strip_accents(text.casefold())))


def strip_accents(text: str) -> str:
    """Return `text` without the marks on its letters."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _MAY_BE_MARKS.sub(_unmarked, unicodedata.normalize("NFD", text)))


def _unmarked(signs: re.Match[str]) -> str:
    return "".join(sign for sign in signs[0] if not unicodedata.combining(sign))


def stems(text: str) -> list[str]:
    """Return the stems of the words of `text`, in order."""
    return [_stem(word) for word in words(text)]


def distinctive_stems(text: str) -> list[str]:
    """Return the stems of the words of `text` that are no stop words, in order."""
    return [_stem(word) for word in words(text) if word not in _STOPPED]


def count_stems(text: str) -> Counter[str]:
    """Return how often `text` has each of its telling stems."""
    counts = Counter[str]()
    for word, number in Counter(words(text)).items():
        if word not in _STOPPED:
            stem = _stem(word)
            counts[stem] = counts.get(stem, 0) + number  # `+=` would call a function for each stem that is new
    return counts


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    if not (word.isascii() and word.isalpha()):
        return word
    return snowball_stem(word, "porter")


def snowball_stem(word: str, algorithm: str) -> str:
    """Return the stem of a word by one of the algorithms of Snowball."""
    with _STEMMING:  # a stemmer keeps its state in itself
        return _stem_word(algorithm)(word)


@cache
def _stem_word(algorithm: str) -> Callable[[str], str]:
    stem_word: Callable[[str], str] = snowballstemmer.stemmer(algorithm).stemWord
    return stem_word


#: Events that a search by words reads at most, and of each of its two rarest words.
MOST_READ: Final = 5_000
#: Past forms that their stems don't lead back from, so that "sent" answers "will send".
_BASES: Final = dict(
    pair.split(">")
    for pair in """
    became>become began>begin begun>begin bought>buy broke>break broken>break brought>bring built>build came>come
    caught>catch chose>choose chosen>choose dealt>deal drawn>draw drew>draw driven>drive drove>drive forgot>forget
    forgotten>forget found>find gave>give given>give grew>grow grown>grow heard>hear held>hold kept>keep knew>know
    known>know laid>lay led>lead lent>lend lost>lose made>make meant>mean met>meet paid>pay ran>run rang>ring
    rebuilt>rebuild rewritten>rewrite rewrote>rewrite said>say saw>see seen>see sent>send shown>show sold>sell
    spent>spend spoke>speak spoken>speak stood>stand taken>take taught>teach threw>throw thought>think told>tell
    took>take understood>understand went>go withdrawn>withdraw withdrew>withdraw won>win written>write wrote>write
    """.split()
)


def event_text(event: Event, key: str | None, given: str) -> str:
    """Return summary and quotes of an event, what it bears on, and key and title of its artifact.

    `given` is the fields of the artifact as JSON.

    Subjects are found by their entities: a name that only another artifact gives must not stay when that is forgotten.
    """
    title = json.loads(given).get("title")
    parts = chain(
        [event.summary],
        (proof.quote for proof in event.evidence),
        (target for _, target in event.bears_on),
        (name for name in (key, title) if name),
    )
    return "\n".join(parts)


def is_past(word: str) -> bool:
    """Whether a word is a past form that its stem doesn't lead back from, such as "sent"."""
    return word in _BASES


def ledger_stems(text: str) -> list[str]:
    """Return the different stems of `text` in order, without stop words, irregular verbs in their present form."""
    return list(dict.fromkeys(distinctive_stems(" ".join(_BASES.get(word, word) for word in words(text)))))


def fair_share(counted: Sequence[Sequence[tuple[int, int]]], most_read: int | None) -> int:
    """Return how many events each of several searches may read, if all read `most_read` at most."""
    total = sum(number for one in counted for number, _ in one)
    return MOST_READ if most_read is None or total <= most_read else min(MOST_READ, most_read // len(counted))


def rarest_stems(counted: Sequence[tuple[int, int]], most_read: int) -> list[tuple[int, float]]:
    """Return the rarest terms with their weights, from how many events of the project have each term.

    Together they are in `most_read` events at most, but they are two at least.
    """
    weights, read = list[tuple[int, float]](), 0
    for number, rare in sorted((min(number, MOST_READ), rare) for number, rare in counted):
        read += number
        if read > most_read and len(weights) >= 2:
            break
        weights.append((rare, log(1 + MOST_READ / max(1, number))))
    return weights


#: Words joined by signs, or one behind a "#".
_JOINED: Final = regex(
    r"(?<![^\W_])(?:#[^\W_]++(?:[._@/:#\\+=&%~-]{1,3}+[^\W_]++)*+|[^\W_]++(?:[._@/:#\\+=&%~-]{1,3}+[^\W_]++)++)"
)
#: Signs at the ends of words that join nothing there.
_AT_ENDS: Final = "._@/:\\+=&%~-,;!?()[]{}*\"'"
#: The part of a joined sign that is itself a sign, such as the host in an address.
_PIECES: Final = regex(r"[/:#\\+=&%~]+")
#: "well-known" is prose, and dates and times are no signs.
_PLAIN: Final = regex(r"[^\W\d_]+-[^\W\d_]+|\d{1,2}:\d\d(?::\d\d)?|\d{4}-\d\d-\d\d(?:t[\d:.+-]*z?)?")
#: Begins with "+", "(", 0, or three digits and three more.
_PHONE: Final = regex(
    r"[+(0-9](?<![^\W_].)(?:(?<=[+(])\d|(?<=0)\d|\d\d[ -]\d{3}[ -]\d)[\d() /-]{3,20}\d(?![^\W_])", re.ASCII
)
_FEWEST_DIGITS, _MOST_DIGITS = 7, 15
#: Longest sign that is indexed whole, in characters.
_LONGEST: Final = 200
_HUMP: Final = regex("[A-Z](?<=[a-z].)")
_SIGN_WORD: Final = regex(r"[^\W_]++")
_PARTS: Final = regex(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def signs(text: str) -> list[str]:
    """Return the signs of several words in `text`, case folded; of a phone number the digits."""
    found = []
    scanned = (word for word in text.split() if not (word.isalnum() or word.strip(_AT_ENDS).isalnum()))
    for match in _JOINED.finditer(" ".join(scanned)):
        whole = match[0].casefold()
        pieces = (piece for piece in _PIECES.split(whole) if piece != whole and _JOINED.fullmatch(piece))
        found += [one for one in (whole, *pieces) if len(one) <= _LONGEST and not _PLAIN.fullmatch(one)]
    return found + [digits for match in _PHONE.finditer(text) if (digits := _digits(match[0]))]


def sign_parts(text: str) -> str:
    """Return the parts of the names in humps in `text`, with blanks between them."""
    if not _HUMP.search(text):
        return ""
    return " ".join(_PARTS.sub(" ", word) for word in _SIGN_WORD.findall(text) if _HUMP.search(word))


def _digits(number: str) -> str:
    digits = re.sub(r"\D", "", number)
    is_phone = _FEWEST_DIGITS <= len(digits) <= _MOST_DIGITS and not _PLAIN.fullmatch(number)
    return digits if is_phone and digits != number else ""
