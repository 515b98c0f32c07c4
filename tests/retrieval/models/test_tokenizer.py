"""The tokenizer: where a text may be cut, for any text."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.errors import InvalidInput, Unavailable
from retrieval.models import tokenizer
from retrieval.models.tokenizer import MAX_SPAN_CHARS, WordPieces

WORDS = WordPieces(window_tokens=254, window_bytes=100_000)
#: Whatever Unicode there is, and the signs that tokenizers treat in their own way.
TEXTS = st.text(max_size=150) | st.text(
    alphabet=st.sampled_from("aZé\u0301\u200d\u00ad\x00\x1c\u0085\u2028\u3000\ufeff \n[]#한국ไท記😀👩🇩İßﬁǆ𝒜."),
    max_size=150,
)


def bounds(text: str) -> list[tuple[int, int]]:
    """Return where each token begins and ends."""
    return [(start, end) for start, end in WORDS.token_bounds(text).tolist()]


def words(text: str) -> list[str]:
    """Return the characters of each token."""
    return [text[start:end] for start, end in bounds(text)]


@settings(deadline=None)
@given(text=TEXTS)
@example(text="")
@example(text="a" + "\u200d" * 1000 + "b")
@example(text="\u0301" * 300)
@example(text="[CLS] [SEP] [UNK]")
def test_tokens_are_in_order_inside_the_text_and_leave_out_only_white_space(text: str) -> None:
    """Whoever cuts between two tokens loses nothing: the promise of `Tokenizer.token_bounds`."""
    covered = {place for start, end in bounds(text) for place in range(start, end)}
    assert all(0 <= start <= end <= len(text) for start, end in bounds(text))
    assert all(end <= start for (_, end), (start, _) in pairwise(bounds(text)))
    assert all(end - start <= MAX_SPAN_CHARS for start, end in bounds(text))
    assert [place for place, sign in enumerate(text) if place not in covered and not sign.isspace()] == []


@settings(deadline=None)
@given(text=TEXTS)
def test_a_model_never_reads_more_tokens_than_are_counted(text: str) -> None:
    """A chunk of as many tokens as the window allows is never too long for the model."""
    assert len(WORDS.encode(text)) - 2 <= WORDS.count(text)


@settings(deadline=None)
@given(texts=st.lists(TEXTS.map(lambda text: text * 9) | TEXTS, max_size=9), prefix=TEXTS)
@example(texts=["한", "", " 한", "\u0301a"], prefix="a" * 9_000)
def test_texts_that_are_counted_together_have_as_many_tokens_as_alone(texts: list[str], prefix: str) -> None:
    """No token runs over the end of a line, and a long text before the others changes nothing."""
    texts = [prefix * 9, *texts]
    assert WORDS.counts(texts) == [WORDS.count(text) for text in texts]


@settings(max_examples=10, deadline=None)
@given(text=TEXTS)
def test_texts_of_several_segments_are_covered_like_short_ones(text: str) -> None:
    """Long texts are encoded in segments; their borders neither lose nor overlap anything."""
    long = text * (20_000 // (len(text) or 1))
    assert all(end <= start for (_, end), (start, _) in pairwise(bounds(long)))
    kept = "".join(words(long))
    assert "".join(kept.split()) == "".join(long.split())


def test_prose_has_the_same_tokens_in_segments_as_in_one_piece() -> None:
    """Segments end at white space, so that no word is read in two halves."""
    prose = "Alice promised the migration guide, and Bob's re-indexing waits for it.\n" * 1_000
    whole = WORDS._load().encode(prose, add_special_tokens=False).offsets
    assert bounds(prose) == whole


def test_a_sign_outside_the_vocabulary_does_not_hide_the_word_it_touches() -> None:
    """The stock tokenizer makes `thanks😀` one unknown token, which says nothing to the model."""
    assert words("thanks😀 bye") == ["thanks", "😀", "bye"]


def test_a_long_word_is_read_in_pieces_that_the_model_knows() -> None:
    """The stock tokenizer makes a word of over 100 characters one unknown token."""
    ids = WORDS.encode("deadbeef" * 40)
    assert len(ids) > 100
    assert 100 not in ids  # the id of [UNK]


def test_names_of_special_tokens_in_a_text_are_plain_text() -> None:
    """A text can't end itself for the model."""
    assert words("a [SEP] b") == ["a", "[", "SEP", "]", "b"]


def test_a_sign_of_several_tokens_counts_as_several() -> None:
    """Each part of a Hangul syllable is a token of its own; those after the first are empty."""
    assert bounds("한") == [(0, 1), (1, 1), (1, 1)]


def test_half_a_surrogate_pair_is_refused() -> None:
    """Such a text has no encoding; the message says where it is broken."""
    with pytest.raises(InvalidInput, match="character 3"):
        WORDS.token_bounds("abc\ud800")
    with pytest.raises(InvalidInput, match="character 3"):
        WORDS.encode("abc\ud800")


@pytest.mark.parametrize("content", [None, b"{}"], ids=["missing", "another"])
def test_a_tokenizer_file_that_is_not_ours_is_refused(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another vocabulary would give vectors that mean nothing: never a fallback."""
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setattr(tokenizer, "_FILE", path)
    with pytest.raises(Unavailable, match="install Remembrancer again"):
        WordPieces(window_tokens=1, window_bytes=1).count("a")
