"""States of tokens: which are kept, how many, and that they come from the pass that gives the vector."""

from pathlib import Path

import numpy as np
import pytest

from core.errors import Unavailable
from core.search import MOST_STATES, STATE_BYTES, STATE_NUMBERS
from retrieval.models import token_states
from retrieval.models.local_embedder import LocalEmbedder

TEXTS = ["The harbour master closes the gate at nine!", "", "... ?!", "Who is it?", "antidisestablishmentarianism"]


def test_content_tokens_are_kept_and_nothing_else(embedder: LocalEmbedder) -> None:
    """No stop words, no punctuation, no tokens that the model adds; all pieces of a word."""
    vectors, states = embedder.embed_with_states(TEXTS)
    pieces = len(embedder.tokenizer.encode(TEXTS[-1])) - 2
    content = len("harbour master closes gate nine".split())
    assert [len(each) / STATE_BYTES for each in states] == [content, 0, 0, 0, pieces]
    assert np.array_equal(vectors, embedder.embed(TEXTS))


def test_a_question_keeps_its_stop_words(embedder: LocalEmbedder) -> None:
    """They count little, and a question may have nothing else; states have length 1 and follow the words."""
    vectors, read = embedder.embed_question(["Who is it?", "¿?"])
    assert [each.words for each in read] == [["Who", "is", "it"], []]
    assert [each.states.shape for each in read] == [(3, STATE_NUMBERS), (0, STATE_NUMBERS)]
    assert np.linalg.norm(read[0].states, axis=1) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(vectors, embedder.embed(["Who is it?", "¿?"]))


def test_a_text_dense_in_tokens_keeps_no_more_than_its_share(embedder: LocalEmbedder) -> None:
    """Words that were there before go first, so that each word is kept where there are not too many."""
    dense = " ".join(f"harbour {number:x}" for number in range(4096, 4096 + 60))
    _, [states] = embedder.embed_with_states([dense])
    assert len(states) == MOST_STATES * STATE_BYTES
    words = ["", *["harbour", "ferry"] * 100, *(f"w{number}" for number in range(20)), ""]
    kept = token_states._without_repeated(range(1, len(words) - 1), words)
    assert len(kept) == MOST_STATES
    assert {words[row] for row in kept} == set(words) - {""}


def test_states_of_a_text_do_not_depend_on_the_others_of_a_batch(embedder: LocalEmbedder) -> None:
    """Nearly all signs are the same: rounding may turn one that is nearly 0."""
    texts = [f"Turn {number}: " + "the budget of the release and the harbour " * (number % 5) for number in range(20)]
    _, together = embedder.embed_with_states(texts)
    for text, states in zip(texts, together, strict=True):
        _, [alone] = embedder.embed_with_states([text])
        bits = np.unpackbits(np.frombuffer(states, np.uint8)) == np.unpackbits(np.frombuffer(alone, np.uint8))
        assert bits.mean() > 0.98


def test_a_word_meets_itself_and_what_means_the_same(embedder: LocalEmbedder) -> None:
    """What the states are kept for."""
    _, [question] = embedder.embed_question(["ferry"])
    _, kept = embedder.embed_with_states(["the ferry", "the boat", "an invoice"])
    signs = [np.unpackbits(np.frombuffer(each, np.uint8)[:STATE_BYTES]) * 2.0 - 1 for each in kept]
    same, near, other = (float(question.states[0] @ each) for each in signs)
    assert same > near > other


def test_a_projection_that_is_missing_or_another_is_refused(tmp_path: Path) -> None:
    """States of two projections must never be compared."""
    changed = tmp_path / "token_projection.npz"
    with pytest.raises(Unavailable, match="install Remembrancer again"):
        token_states.read_projection(changed)
    changed.write_bytes(token_states.PROJECTION_FILE.read_bytes() + b"\0")
    with pytest.raises(Unavailable, match="wrong SHA-256"):
        token_states.read_projection(changed)
