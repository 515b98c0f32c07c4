"""States of tokens: which of a text's tokens are kept for late interaction, their projection, and their signs."""

import hashlib
from collections.abc import Sequence
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.errors import Unavailable
from core.search import MOST_STATES, STATE_NUMBERS, Matrix, TextStates
from graph.text.tokens import distinctive_stems, words

#: A matrix `projection`, from the model's numbers to those of a state (docs/decisions/late-interaction.md).
PROJECTION_FILE: Final = Path(__file__).parent / "weights" / "token_projection.npz"
_SHA256: Final = "aeee241f0bb4cc00683ccca5d3ce3445446b06aea4acfc26cb6e81b8df535c40"
#: The projection's name in the record: states made with another one are made again.
PROJECTION: Final = _SHA256[:8]


def packed_signs(token_words: Sequence[str], states: Matrix) -> bytes:
    """Return the signs of the projected states of a text's content tokens, in the order of the text.

    `token_words` has each token's word, empty for those that the model adds. A token is content if its word is no stop
    word. Of more than `MOST_STATES` those of words that were there before go first, from the end.
    """
    rows = [row for row, word in enumerate(token_words) if _is_content(word)]
    if len(rows) > MOST_STATES:
        rows = _without_repeated(rows, token_words)
    bits: NDArray[np.uint8] = np.packbits(states[rows] @ read_projection(PROJECTION_FILE) > 0, axis=1)
    return bits.tobytes()


def _without_repeated(rows: Sequence[int], token_words: Sequence[str]) -> list[int]:
    seen, first, again = dict[str, int](), list[int](), list[int]()
    for row in rows:
        # The tokens of one word follow one another.
        is_first = seen.setdefault(token_words[row], row) == row or token_words[row - 1] == token_words[row]
        (first if is_first else again).append(row)
    return sorted([*first, *again][:MOST_STATES])


def text_states(token_words: Sequence[str], states: Matrix) -> TextStates:
    """Return the projected states of a text's tokens that are words; `token_words` is as for `packed_signs`."""
    rows = [row for row, word in enumerate(token_words) if words(word)]
    projected = states[rows] @ read_projection(PROJECTION_FILE)
    lengths = np.maximum(np.linalg.norm(projected, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return TextStates([token_words[row] for row in rows], projected / lengths)


@lru_cache(50_000)
def _is_content(word: str) -> bool:
    return bool(distinctive_stems(word))


@cache
def read_projection(path: Path) -> Matrix:
    """Return the projection.

    Raises:
        Unavailable: the file is missing or is not the one this version was made for.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Unavailable(
            f"The projection {str(path)!r} can't be read ({error}): install Remembrancer again."
        ) from error
    if (found := hashlib.sha256(content).hexdigest()) != _SHA256:
        raise Unavailable(f"The projection {str(path)!r} has the wrong SHA-256 {found!r}: install Remembrancer again.")
    with np.load(BytesIO(content), allow_pickle=False) as arrays:
        projection: Matrix = arrays["projection"].astype(np.float32)
    assert projection.shape[1] == STATE_NUMBERS, "the file is the one whose hash stands here"
    return projection
