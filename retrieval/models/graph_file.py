"""Graph file: what of an ONNX file is read, and how one is written, in protobuf
(https://onnx.ai/onnx/repo-docs/IR.html).

The numbers of fields come from `onnx.proto`. The package `onnx` is 90 MB for what these few lines do.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

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
