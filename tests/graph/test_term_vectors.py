"""What ranking and every engine may rely on when texts become stems and terms."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.text.languages import language_terms
from graph.text.term_vectors import ENTRY, pack_counts, tally, term, terms, unpack_counts
from graph.text.tokens import STOP_WORDS, distinctive_stems, stems, words
from tests.contracts.makers import HOSTILE

TEXTS = st.lists(st.one_of(st.text(max_size=30), st.sampled_from(HOSTILE), st.sampled_from(["boat", "red boats"])))


def all_terms(text: str) -> list[int]:
    """Return the terms of a text, and of the further words by which it is found in other languages."""
    return [*terms(text), *map(term, language_terms(text).elements())]


@given(texts=TEXTS)
def test_what_is_packed_is_unpacked(texts: list[str]) -> None:
    """Each text's own terms with their counts, in the order of the terms; a text without any keeps its place."""
    entries, starts = unpack_counts([pack_counts(text) for text in texts])
    assert (starts[0], starts[-1], len(starts)) == (0, len(entries), len(texts) + 1)
    for row, text in enumerate(texts):
        own = entries[starts[row] : starts[row + 1]]
        assert own.tolist() == sorted(Counter(all_terms(text)).items())


@given(texts=TEXTS)
def test_a_tally_counts_texts_and_terms(texts: list[str]) -> None:
    """In how many texts each term is, and all occurrences: what BM25 needs to know."""
    num_with, num_terms = tally(pack_counts(text) for text in texts)
    assert num_with == Counter(one for text in texts for one in set(all_terms(text)))
    assert num_terms == sum(len(all_terms(text)) for text in texts)


def test_nothing_packs_to_nothing() -> None:
    """No text, no terms, no error."""
    assert pack_counts("") == pack_counts("the of and") == b""
    assert tally([]) == tally([b""]) == ({}, 0)


def test_a_count_stops_at_what_two_bytes_hold() -> None:
    """A chunk of one word over and over is possible; its count must not begin again at 0."""
    (entry,) = unpack_counts([pack_counts("boat " * 70_000)])[0].tolist()
    assert entry == (term("boat"), 65_535)
    assert len(pack_counts("boat mast")) == 2 * ENTRY.itemsize


@pytest.mark.parametrize("word", [*sorted(w for w in STOP_WORDS if "'" not in w), "what's", "CAN’T", "it's"])
def test_a_stop_word_tells_nothing_however_it_is_written(word: str) -> None:
    """In capitals, and with the apostrophe that word processors set."""
    assert distinctive_stems(word) == distinctive_stems(word.upper()) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Boats, BOATING; boat-like", ["boat", "boat", "boat", "like"]),
        ("Café CAFE\u0301 cafe", ["cafe", "cafe", "cafe"]),
        ("straße STRASSE", ["strass", "strass"]),
        ("v2.1_beta", ["v2", "1", "beta"]),
        ("東京に", ["東", "京", "に"]),
        ("서울", ["서", "울"]),
        ("!? ...", []),
    ],
)
def test_words_are_cut_folded_and_stemmed(text: str, found: list[str]) -> None:
    """Case and accents mean nothing; each sign of a script without blanks is a word; only English words have stems."""
    assert stems(text) == found


@given(text=st.text(max_size=40))
def test_any_text_has_words_and_writing_it_larger_changes_none(text: str) -> None:
    """Terms are those of the words, less the stop words."""
    assert len(stems(text)) == len(words(text))
    assert set(distinctive_stems(text)) <= set(stems(text))
    assert words(text.casefold()) == words(text)
