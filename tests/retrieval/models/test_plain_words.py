"""Plain words are found as the tokenizer finds them."""

from functools import partial

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from retrieval.models.tokenizer import (
    MAX_SPAN_CHARS,
    PlainWords,
    WordPieces,
    _blocks,
    _bounds,
    _joined,
    _mixed_bounds,
    _plain_bounds,
)
from tests.own_time import own_time

_TOKENIZER = WordPieces(window_tokens=254, window_bytes=100_000)._load()
_VOCABULARY = _TOKENIZER.get_vocab(with_added_tokens=False)
_PLAIN = PlainWords.of(_VOCABULARY, MAX_SPAN_CHARS)
_PIECES = st.one_of(
    st.text(max_size=20),
    st.text(st.characters(max_codepoint=0x7F), max_size=20),
    st.sampled_from(sorted(_VOCABULARY)),
    st.sampled_from([" ", "\n", "\t", "\x0b", "\x85", "\u3000", "漢", "é", "e\u0301", "’", "한", "豈", "[SEP]"]),
)
_RUNS = st.builds(lambda piece, times: piece * times, _PIECES, st.sampled_from([1, 1, 1, 2, 60, 150]))


def found(text: str) -> list[list[int]]:
    """Return the ranges as they are found in a long text."""
    parts = (_mixed_bounds(_TOKENIZER, _PLAIN, text, block) for block in _blocks(text))
    return list(_joined(parts).tolist())


@settings(deadline=None, max_examples=300)
@given(parts=st.lists(_RUNS, max_size=12))
@example(parts=["deadbeef" * 40, " ", "\u0301", "Ünaffable ", "x" * 99, "Å", "."])
@pytest.mark.exhaustive
def test_the_ranges_are_those_of_the_tokenizer(parts: list[str]) -> None:
    """Where a text is long enough for the quick way, its chunks are what they would be without it."""
    text = "".join(parts)
    assert found(text) == _bounds(_TOKENIZER, text).tolist()


@settings(deadline=None, max_examples=100)
@given(text=st.lists(st.text(st.sampled_from("\t\n\r" + "".join(map(chr, range(32, 127)))), max_size=30)).map("".join))
@example(text="deadbeef" * 40 + " x" + "ab1" * 100 + "_[SEP]\r\n")
def test_a_short_plain_text_has_the_ranges_of_the_tokenizer(text: str) -> None:
    """Though each of its words is read once, by itself."""
    assert _plain_bounds(text).tolist() == _bounds(_TOKENIZER, text).tolist()


@pytest.mark.parametrize(
    "parts",
    [
        ["a", "deadbeef" * 2_500, " b"],
        ["word " * 3_000, "ab1" * 9_000, "é", "x" * 8_190],
        ["é" + "ab" * 90_000],
        ["a,é "] * 50_000,
    ],
    ids=["plain", "among words", "in many blocks", "short words"],
)
def test_words_longer_than_a_segment_are_cut_where_it_ends(parts: list[str]) -> None:
    """As the tokenizer gets them, also where words that are not plain end there."""
    text = "".join(parts)
    assert found(text) == _bounds(_TOKENIZER, text).tolist()


@pytest.mark.exhaustive
def test_every_character_of_two_bytes_is_read_alike() -> None:
    """None is taken for plain that the tokenizer changes, in a word or alone."""
    signs = [chr(code) for code in range(1, 0x10000) if not 0xD800 <= code < 0xE000]
    for begin in range(0, len(signs), 4_096):
        text = " ".join(f"a{sign}b {sign}" for sign in signs[begin : begin + 4_096])
        assert found(text) == _bounds(_TOKENIZER, text).tolist()


def test_a_long_word_is_read_in_linear_time() -> None:
    """A megabyte without a blank keeps nobody waiting: four times the text, about four times the time."""
    words = WordPieces(window_tokens=254, window_bytes=100_000)
    words.count("deadbeef" * 2_000)
    once, four_times = (own_time(partial(words.count, "deadbeef" * size)) for size in (5_000, 20_000))
    assert four_times < 10 * once + 0.2
