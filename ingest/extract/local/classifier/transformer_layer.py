"""The layers of the classifier as its file of weights has them, and plain sums over the rows of what they read."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.embedding import EncoderLayer, Matrix, Quantised

#: Of the tanh approximation of GELU (https://arxiv.org/abs/1606.08415).
_GELU_CUBIC: Final = 0.044715
_GELU_SCALE: Final = float(np.sqrt(2 / np.pi))
#: Most of a weight in its steps: eight bits.
_MOST: Final = 127
#: What the key of a matrix's steps ends in.
_STEPS: Final = ".steps"

#: The weights of a layer, each with its key in the file of weights.
WEIGHT_KEYS: Final = {
    "qkv": "asks",
    "qkv_bias": "asks_from",
    "attention_output": "says",
    "attention_output_bias": "says_from",
    "attention_norm": "heard_by",
    "attention_norm_bias": "heard_from",
    "feed_forward_in": "widens",
    "feed_forward_in_bias": "widens_from",
    "feed_forward_out": "narrows",
    "feed_forward_out_bias": "narrows_from",
    "output_norm": "scaled_by",
    "output_norm_bias": "scaled_from",
}
#: Those of them that are matrices.
_MATRICES: Final = ("qkv", "attention_output", "feed_forward_in", "feed_forward_out")


def quantize_layer(weights: dict[str, Matrix]) -> EncoderLayer:
    """Return a layer of plain weights by their names, its matrices rounded to eight bits."""
    parts: dict[str, Any] = {
        name: Quantised.of(each, _MOST) if name in _MATRICES else each for name, each in weights.items()
    }
    return EncoderLayer(**parts)


def layer_to_arrays(layer: EncoderLayer, number: int) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield what a file keeps of a layer, by key."""
    for name, part in WEIGHT_KEYS.items():
        weights, key = getattr(layer, name), f"{number}.{part}"
        if isinstance(weights, Quantised):
            yield from ((key, weights.values), (key + _STEPS, weights.steps.astype(np.float16)))
        else:
            yield key, weights.astype(np.float16)


def layer_from_arrays(arrays: dict[str, NDArray[Any]], number: int) -> EncoderLayer | None:
    """Take a layer out of the arrays of a file, None if it has no more."""
    if f"{number}.{WEIGHT_KEYS['qkv']}" not in arrays:
        return None
    weights: dict[str, Any] = {}
    for name, part in WEIGHT_KEYS.items():
        array, steps = arrays.pop(f"{number}.{part}"), arrays.pop(f"{number}.{part}{_STEPS}", None)
        plain = array if steps is not None else array.astype(np.float32)
        weights[name] = plain if steps is None else Quantised(array, steps.astype(np.float32))
    return EncoderLayer(**weights)


def before(rows: Matrix) -> Matrix:
    """Return in each row's place the one before it; zeros before the first."""
    return np.vstack([np.zeros_like(rows[:1]), rows[:-1]])


def after(rows: Matrix) -> Matrix:
    """Return in each row's place the one after it; zeros after the last."""
    return np.vstack([rows[1:], np.zeros_like(rows[:1])])


def gelu(values: Matrix) -> Matrix:
    """Return the Gaussian error linear unit of each value, by its tanh approximation."""
    result: Matrix = np.square(values)
    # In place: nothing else in a layer makes arrays as large.
    result *= _GELU_CUBIC
    result += 1
    result *= values
    result *= _GELU_SCALE
    np.tanh(result, out=result)
    result += 1
    result *= values
    result *= 0.5
    return result
