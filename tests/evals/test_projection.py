"""`python -m evals.projection`: principal components of the states of tokens, and how near two projections are."""

from pathlib import Path

import numpy as np
import pytest

from evals.projection import content_states, kept_share, main, principal_components, shared_part
from retrieval.models.local_embedder import LocalEmbedder


def test_components_are_the_directions_in_which_states_extend_most() -> None:
    """Measured from 0, widest first, and with the same signs whatever a library chooses."""
    chance = np.random.default_rng(3)
    states = (chance.normal(size=(500, 4)) * [1.0, 9.0, 0.1, 3.0]).astype(np.float32)

    found = principal_components(states, 2)

    assert found == pytest.approx(np.array([[0, 0], [1, 0], [0, 0], [0, 1]]), abs=0.1)
    assert kept_share(states, found) > 0.95


def test_a_part_of_one_lies_within_another() -> None:
    """Half of two directions are shared; a projection lies within itself."""
    whole = np.eye(4, dtype=np.float32)
    assert shared_part(whole[:, :2], whole[:, 1:3]) == pytest.approx(0.5)
    assert shared_part(whole[:, :2], whole[:, :2]) == pytest.approx(1.0)


def test_stop_words_and_punctuation_have_no_say() -> None:
    """Two words of eight, and a state of length 1 for each token of them."""
    states = content_states(LocalEmbedder(), ["The roof of the garden!\n\nAnd so on."])
    assert states.shape == (2, 384)
    assert np.linalg.norm(states, axis=1) == pytest.approx([1.0, 1.0], abs=1e-5)


def test_a_folder_without_texts_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A fit of something else than what was named would look the same."""
    assert main(["--texts", str(tmp_path)]) == 1
    assert "no .md or .txt file" in capsys.readouterr().err
