"""One layer of a transformer that reads (https://arxiv.org/abs/1706.03762), as BERT has it, in plain numpy."""

from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]

#: As the local embedding model has them.
HEADS: Final = 12
NORM_LEAST: Final = 1e-12
#: Of the approximation of the Gaussian unit by a tangent (https://arxiv.org/abs/1606.08415).
_BEND: Final = 0.044715
_SLOPE: Final = float(np.sqrt(2 / np.pi))
#: What is added to the score of a place that is not looked at.
_HIDDEN: Final = -1e4


@dataclass(frozen=True, slots=True)
class Layer:
    """The weights of a layer. `asks`, in columns, makes of a word's vector what it asks for, what it answers to, and
    what it then says; each head has its own columns of all three."""

    asks: Matrix
    asks_from: Matrix
    says: Matrix
    says_from: Matrix
    heard_by: Matrix
    heard_from: Matrix
    widens: Matrix
    widens_from: Matrix
    narrows: Matrix
    narrows_from: Matrix
    scaled_by: Matrix
    scaled_from: Matrix

    def read(self, words: Matrix, empty: NDArray[np.bool_]) -> Matrix:
        """Return what becomes of each word's vector among the others of its text; `empty` are no words."""
        texts, size, width = words.shape
        # One product of two matrices is three times as fast as one a text.
        flat = words.reshape(-1, width)
        parts = (flat @ self.asks + self.asks_from).reshape(texts, size, 3, HEADS, width // HEADS)
        heard = flat + _heard(parts, empty).reshape(-1, width) @ self.says + self.says_from
        heard = normed(heard, self.heard_by, self.heard_from)
        wide = bent(heard @ self.widens + self.widens_from)
        told = normed(heard + wide @ self.narrows + self.narrows_from, self.scaled_by, self.scaled_from)
        return told.reshape(words.shape)


#: The names of the weights of a layer.
PARTS: Final = tuple(field.name for field in fields(Layer))


def _heard(parts: Matrix, empty: NDArray[np.bool_]) -> Matrix:
    """Return what each word hears from the others, head by head: of each as much as it answers to what is asked for."""
    asked, answers, said = parts.transpose(2, 0, 3, 1, 4)
    scores = asked @ answers.swapaxes(2, 3) / np.float32(np.sqrt(parts.shape[-1]))
    scores += np.where(empty, np.float32(_HIDDEN), np.float32(0))[:, None, None, :]
    shares = np.exp(scores - scores.max(axis=3, keepdims=True))
    shares /= shares.sum(axis=3, keepdims=True)
    heard: Matrix = (shares @ said).transpose(0, 2, 1, 3)
    return heard


def before(rows: Matrix) -> Matrix:
    """Return in each row's place the one before it; zeros before the first."""
    return np.vstack([np.zeros_like(rows[:1]), rows[:-1]])


def after(rows: Matrix) -> Matrix:
    """Return in each row's place the one after it; zeros after the last."""
    return np.vstack([rows[1:], np.zeros_like(rows[:1])])


def normed(vectors: Matrix, scale: Matrix, shift: Matrix) -> Matrix:
    """Return vectors of mean 0 and spread 1, scaled and shifted."""
    centred = vectors - vectors.mean(axis=-1, keepdims=True)
    spread = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + np.float32(NORM_LEAST))
    result: Matrix = centred / spread * scale + shift
    return result


def bent(values: Matrix) -> Matrix:
    """Return each value times how likely a normal one is below it, approximately."""
    bend: Matrix = np.square(values)
    # In place: nothing else in a layer makes arrays as large.
    bend *= _BEND
    bend += 1
    bend *= values
    bend *= _SLOPE
    np.tanh(bend, out=bend)
    bend += 1
    bend *= values
    bend *= 0.5
    return bend
