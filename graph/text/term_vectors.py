"""Term vectors: which words and signs a chunk has and how often, packed, to rank without reading the text again.

A term is the CRC-32 of a stem or sign: of 100,000 different ones about one pair shares a number, and counts as one.
Chunks are scored by BM25 (Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009) with the
idf of Lucene, which is never negative, exactly, from term vectors and the statistics of one project.

A word that no chunk has is looked up by its spelling: each known word is kept under numbers of itself and of what is
left without each of its letters, so that an unknown one is looked up under a few numbers, whatever others there are.
"""

from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, pairwise
from math import log
from typing import Any, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from core.search import TermStatistics
from graph.text.languages import FORM_MARK, LANGUAGE_MARK, LANGUAGE_TERMS, language_terms, possible_forms
from graph.text.sentences import LABEL
from graph.text.tokens import count_stems, distinctive_stems, sign_parts, signs, strip_accents

#: One entry a distinct term; low byte first, as it is stored.
ENTRY: Final = np.dtype([("term", "<u4"), ("count", "<u2")])
_MOST: Final = np.iinfo(np.uint16).max


@lru_cache(50_000)
def term(stem: str) -> int:
    """Return the number of a stem."""
    return crc32(stem.encode())


def terms(text: str) -> list[int]:
    """Return the terms of `text`: of its words in order, without stop words, then of its signs."""
    return list(_terms_of_word(text) if len(text) <= _LONGEST else _terms_of(text))


def asked_terms(word: str) -> list[int]:
    """Return the terms of a word of a question; a further word, behind its mark, is one term."""
    return [term(word)] if word.startswith(FORM_MARK) else terms(word)


def _terms_of(text: str) -> Sequence[int]:
    return [term(word) for word in index_terms(text)]


#: For the words of questions, each of which is asked for by many steps.
_terms_of_word = lru_cache(50_000)(_terms_of)


def index_terms(text: str) -> list[str]:
    """Return the texts behind the terms of `text`: stems, signs as they are written, stems of the parts of names."""
    return [*distinctive_stems(text), *exact_tokens(text), *distinctive_stems(sign_parts(text))]


def words_of(terms: Container[int], counts: Iterable[Iterable[str]]) -> dict[int, str]:
    """Return the words and signs of some of the terms of texts, out of what `word_counts` returned for the texts."""
    each = dict.fromkeys(chain.from_iterable(counts))  # a long text has most of its words in many chunks
    return {number: word for word in each if (number := term(word)) in terms}


def lost_words(kept: Mapping[int, str | None], known: Collection[int]) -> set[int]:
    """Return the terms that are kept without their word, though it is `known`, or with another's."""
    return {number for number, word in kept.items() if (number in known if word is None else term(word) != number)}


@lru_cache(4)  # a text that is counted is indexed next
def exact_tokens(text: str) -> Sequence[str]:
    """Return the signs of `text`, case and accents folded, each as often as it is there."""
    return signs(strip_accents(text))


def sign_words(text: str, terms: bytes | None = None) -> str:
    """Return the words by which the full-text index of every engine finds the signs of `text`, and parts of names.

    And its further words (`graph.text.languages`): of the languages that `terms`, its term vector, was made with. An
    entry of an index is removed by the words that it has, though a text would be taken for another language today.
    """
    forms: Iterable[str] = language_terms(text) if terms is None else _stored_forms(text, terms)
    further = (word for word in forms if word.startswith(FORM_MARK))
    return " ".join((*map(sign_word, chain(exact_tokens(text), further)), *distinctive_stems(sign_parts(text))))


def _stored_forms(text: str, terms: bytes) -> Iterable[str]:
    stored = frozenset(np.frombuffer(terms, dtype=ENTRY)["term"].tolist())
    codes = [marked.removeprefix(LANGUAGE_MARK) for marked in LANGUAGE_TERMS if term(marked) in stored]
    return sorted(form for form in possible_forms(text, codes) if term(form) in stored) if codes else ()


def sign_word(sign: str) -> str:
    """Return the single word by which a full-text index knows a sign, case and accents folded, or a further word."""
    if sign.startswith(FORM_MARK):
        return f"zq{term(sign)}"
    return f"zq{term(strip_accents(sign.casefold()))}"


def forms(words: str, phrase: str, num_with: Mapping[int, int]) -> list[str]:
    """Return what a full-text index is asked for: the phrase, or the word of a sign."""
    if words.startswith(FORM_MARK):
        return [phrase]
    sign = strip_accents(words.casefold())
    if sign.isalpha() or term(sign) not in num_with:
        return [phrase]
    return [phrase, f'"{sign_word(sign)}"'] if sign.isalnum() else [f'"{sign_word(sign)}"']


def word_counts(text: str) -> Counter[str]:
    """Return how often `text` has what `index_terms` returns of it.

    Where half of the lines begin with a label, as in a transcript, the words of all labels count once: how often
    someone speaks does not say what about, and would make a chunk of short lines long.
    """
    labels = LABEL.findall(text) if ":" in text else []
    if len(labels) > 1 and 2 * len(labels) > text.count("\n"):
        counts = _counted(LABEL.sub("", text))
        counts.update(_counted("\n".join(labels)).keys())
    else:
        counts = _counted(text)
    counts.update(language_terms(text))
    return counts


def _counted(text: str) -> Counter[str]:
    counts = count_stems(text)
    counts.update(exact_tokens(text))
    counts.update(distinctive_stems(sign_parts(text)))
    return counts


def packed_counts(counts: Mapping[str, int]) -> bytes:
    """Return the term vector of a text with these `word_counts`: `ENTRY`s in the order of their terms."""
    counted = dict[int, int]()
    for word, count in counts.items():
        number = term(word)
        counted[number] = counted.get(number, 0) + count
    entries = np.empty(len(counted), dtype=ENTRY)
    entries["term"] = numbers = sorted(counted)
    entries["count"] = np.minimum([counted[number] for number in numbers], _MOST)
    return entries.tobytes()


def pack_counts(text: str) -> bytes:
    """Return the term vector of `text`."""
    return packed_counts(word_counts(text))


def unpack_counts(vectors: Sequence[bytes]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the entries of all vectors one after another, and where each vector begins and the last one ends."""
    entries = np.frombuffer(b"".join(vectors), dtype=ENTRY)
    sizes = [len(vector) // ENTRY.itemsize for vector in vectors]
    return entries, np.concatenate(([0], np.cumsum(sizes, dtype=np.intp)))


def tally(vectors: Iterable[bytes]) -> tuple[dict[int, int], int]:
    """Return in how many of the vectors each term is, and how many terms they have in all, repetitions counted."""
    entries, starts = unpack_counts(list(vectors))
    total = int(entries["count"].sum())
    if len(starts) == 2:  # of one vector, which has each term once
        return dict.fromkeys(entries["term"].tolist(), 1), total
    found, num_with = np.unique(entries["term"], return_counts=True)
    return dict(zip(found.tolist(), num_with.tolist(), strict=True)), total


def counted(terms: Sequence[int], vectors: Sequence[bytes]) -> TermStatistics:
    """Return how common terms are in the chunks with these term vectors."""
    num_with, num_terms = tally(vectors)
    return _statistics(len(vectors), num_terms, {term: num_with.get(term, 0) for term in terms})


def without(
    terms: Sequence[int], totals: tuple[int, int], num_with: Mapping[int, int], vectors: Sequence[bytes]
) -> TermStatistics:
    """Return how common terms are in a project without the chunks with these term vectors.

    `totals` are how many chunks it has, and how many terms these have in all.
    """
    less, num_terms = tally(vectors)
    left = {term: num_with.get(term, 0) - less.get(term, 0) for term in terms}
    return _statistics(totals[0] - len(vectors), totals[1] - num_terms, left)


def estimated(
    terms: Sequence[int], totals: tuple[int, int], num_with: Mapping[int, int], sample: Sequence[tuple[bool, bytes]]
) -> TermStatistics:
    """Return about how common terms were: of each the share of its chunks in a sample that were there then.

    The sample gives for chunks whether each was there, and its term vector. The fewer of them have a term, the nearer
    is its share to that of all chunks (the rule of succession).
    """
    num_chunks, num_terms = totals
    were_there = np.array([was_there for was_there, _ in sample], dtype=float)
    entries, starts = unpack_counts([vector for _, vector in sample])
    known = np.array(sorted({term for term in terms if term in num_with}), dtype=np.uint32)
    found, at = matches(entries, known)
    rows = np.searchsorted(starts, found, side="right") - 1
    every = np.bincount(at, minlength=len(known))
    then = np.bincount(at, were_there[rows], minlength=len(known))
    share = (float(were_there.sum()) + 1) / (len(sample) + 2)
    most = max(1, round(num_chunks * share))
    shares = zip(known.tolist(), ((then + share) / (every + 1)).tolist(), strict=True)
    had = {term: min(most, round(num_with[term] * its) or 1) for term, its in shares}
    return _statistics(most, round(num_terms * share), had)


def _statistics(num_chunks: int, num_terms: int, num_with: Mapping[int, int]) -> TermStatistics:
    had = {term: number for term, number in num_with.items() if number > 0}
    return TermStatistics(num_chunks, num_terms / num_chunks if num_chunks else 0.0, had)


#: As of a time the chunks of up to so many items are counted; of more, so many chunks tell about how many.
MOST_COUNTED: Final = 1_000
#: One number a row.
Column = NDArray[np.float64]

#: How soon repetitions stop counting, and how much a long chunk's terms count less. Lower than usual: chunks are of
#: similar length, and short turns are not more telling for being short (docs/decisions/ranking.md).
K1, B = 1.2, 0.4
#: What a stop word is worth, which no term vector has: as much as a term that every other chunk has.
_STOP_WORD: Final = log(2)
#: A search looks at common words only if the rarer ones together are in fewer chunks than this.
_MANY: Final = 500
#: How many times more chunks each further look may read.
_FURTHER: Final = 8
#: Where a look would read more chunks than this, and than the limit several times, only the most promising are scored.
MOST_SCORED: Final = 1_000
#: More chunks than any project has.
_ALL: Final = 1 << 40


def word_worth(terms: Sequence[int], statistics: TermStatistics) -> float:
    """Return how telling a word with these terms is, of several its rarest."""
    return max((idf(term, statistics) for term in terms), default=_STOP_WORD)


def num_holding(terms: Sequence[int], num_with: Mapping[int, int]) -> int:
    """Return how many chunks have a word with these terms, at most; of a stop word, which is not counted, many."""
    return min((num_with.get(term, 0) for term in terms), default=_ALL)


def idf(term: int, statistics: TermStatistics) -> float:
    """Return how telling a term is: high where few chunks of the project have it."""
    num_with = statistics.num_with.get(term, 0)
    return log(1 + (statistics.num_chunks - num_with + 0.5) / (num_with + 0.5))


def saturate(counts: Column, lengths: Column | float, statistics: TermStatistics) -> Column:
    """Return what so many occurrences in chunks of these lengths count: ever less for each further one."""
    relative = lengths / max(statistics.mean_terms, 1.0)
    return np.asarray(counts * (K1 + 1) / (counts + K1 * (1 - B + B * relative)), dtype=np.float64)


def matches(entries: NDArray[Any], terms: NDArray[np.uint32]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return which entries of term vectors are of one of these sorted terms, and the place of each one's term."""
    if not len(terms):
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    at = np.minimum(np.searchsorted(terms, entries["term"]), len(terms) - 1)
    found = np.flatnonzero(terms[at] == entries["term"])
    return found, at[found]


def weighted_scores(
    entries: NDArray[Any],
    rows: NDArray[np.intp],
    lengths: Column,
    weights: Mapping[int, float],
    statistics: TermStatistics,
) -> Column:
    """Return each row's BM25 for terms of these weights; 0 for a row that has none of them.

    `entries` are the entries of all rows' term vectors, `rows` the row of each, `lengths` how many terms each row has.
    """
    terms = np.array(sorted(weights), dtype=np.uint32)
    worth = np.array([weights[term] * idf(term, statistics) for term in terms.tolist()])
    found, at = matches(entries, terms)
    shares = saturate(entries["count"][found].astype(float), lengths[rows[found]], statistics)
    return np.bincount(rows[found], worth[at] * shares, minlength=len(lengths)).astype(np.float64)


def scores(
    vectors: Sequence[bytes], num_stop_words: Sequence[int], terms: Sequence[int], statistics: TermStatistics
) -> Column:
    """Return BM25 of chunks, given by their term vectors and how many of the question's stop words each has."""
    entries, starts = unpack_counts(vectors)
    sums = np.concatenate(([0.0], np.cumsum(entries["count"], dtype=float)))
    lengths = sums[starts[1:]] - sums[starts[:-1]]
    # Most entries are of other terms; a column by itself is compared many times faster than within its records.
    told = np.flatnonzero(np.isin(np.ascontiguousarray(entries["term"]), np.array(terms, dtype=np.uint32)))
    rows = np.searchsorted(starts, told, side="right") - 1
    found = weighted_scores(entries[told], rows, lengths, dict.fromkeys(terms, 1.0), statistics)
    stopped = np.array(num_stop_words, dtype=float)
    return np.asarray(found + _STOP_WORD * stopped * saturate(np.ones(len(vectors)), lengths, statistics), np.float64)


def rarest_first(
    words: Mapping[str, Sequence[int]], num_with: Mapping[int, int], limit: int
) -> Iterator[Sequence[str]]:
    """Yield the rarest of the words, given with their terms, as many as few chunks have in all, but one at least.

    Then more of them, as many as eight times that many chunks have, and so on; at last all words. In a large project
    nearly each chunk has some common word.
    """
    most = max(_MANY, _FURTHER * limit)
    rarity = {word: num_holding(terms, num_with) for word, terms in words.items()}
    total, rarest = 0, list[str]()
    for word in sorted(words, key=rarity.__getitem__):
        total += rarity[word]
        if rarest and total > most:
            yield tuple(rarest)
        while total > most:
            most *= _FURTHER
        rarest.append(word)
    yield rarest


#: Shortest word of letters alone, and other word, that is taken for a typing error or what was meant; and the longest.
_SHORTEST, _SHORTEST_SIGN, _LONGEST = 5, 4, 64
#: What more chunks have is no rare word.
MOST_CHUNKS: Final = 64
#: Most words that one unknown word is taken for.
MOST_WORDS: Final = 3


def is_spelt(word: str) -> bool:
    """Whether a word is long enough to tell a typing error from another word, and short enough to be typed."""
    is_word = not word.startswith((FORM_MARK, LANGUAGE_MARK))
    return is_word and (_SHORTEST if word.isalpha() else _SHORTEST_SIGN) <= len(word) <= _LONGEST


def variants(word: str) -> list[int]:
    """Return the numbers, 64 bits with a sign, under which a known word is kept; none if it is not spelt."""
    if not is_spelt(word):
        return []
    return [_number(word), *(_number(short, place) for place, short in _shortened(word))]


def query_ngrams(word: str) -> list[frozenset[int]]:
    """Return the numbers under which an unknown word is looked up: a word is near that has all of one set."""
    if not is_spelt(word):
        return []
    shortened = list(_shortened(word))
    wrong = [{_number(short, place)} for place, short in shortened]
    more = [{_number(short)} for _, short in shortened]
    less = [{_number(word, place)} for place in range(len(word) + 1)]
    swapped = [{_number(one, place + 1), _number(other, place)} for (place, one), (_, other) in pairwise(shortened)]
    return [*map(frozenset, (*wrong, *more, *less, *swapped))]


def choose_variants(unknown: str, found: Mapping[str, int]) -> list[str]:
    """Return the words to take an unknown one for, given in how many chunks each is: rare ones, the commonest first."""
    rare = [one for one, number in found.items() if number <= MOST_CHUNKS and is_spelt(one) and one != unknown]
    return sorted(rare, key=lambda word: (-found[word], word))[:MOST_WORDS]


def _shortened(word: str) -> Iterator[tuple[int, str]]:
    return ((place, word[:place] + word[place + 1 :]) for place in range(len(word)))


def _number(text: str, place: int | None = None) -> int:
    digest = blake2b(f"{'' if place is None else place} {text}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
