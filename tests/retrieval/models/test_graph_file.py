"""The graph file: what is written is what the runtime and `read_constants` read."""

from typing import Any

import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # ships no annotations
import pytest
from numpy.typing import NDArray

from retrieval.models.encoder_graph import GraphFile, read_constants


def test_constants_are_read_as_they_were_written() -> None:
    """Of every type and shape, an empty one among them."""
    kinds = ("float32", "uint8", "int8", "int32", "int64")
    kept: list[NDArray[Any]] = [np.arange(6).astype(kind).reshape(2, 3) for kind in kinds]
    kept += [np.array(7, np.int64), np.zeros((0, 3), np.float32), np.full(300, -1, np.int8)]
    graph = GraphFile()
    names = [graph.keep(array) for array in kept]
    found = read_constants(graph.content())
    assert list(found) == names
    for name, array in zip(names, kept, strict=True):
        assert found[name].dtype == array.dtype
        assert np.array_equal(found[name], array)


def test_a_graph_is_run() -> None:
    """Inputs, attributes of both kinds, several results of an operation and the output are what the runtime takes."""
    graph = GraphFile()
    given = graph.input("given", "float32", ["rows", 4])
    left, right = graph.node("Split", given, outputs=2, axis=1, num_outputs=2)
    (kept,) = graph.node("LeakyRelu", left, alpha=0.5)
    (total,) = graph.node("Add", kept, right)
    graph.output(total, ["rows", 2])
    session = onnxruntime.InferenceSession(graph.content(), providers=["CPUExecutionProvider"])
    (found,) = session.run([total], {"given": np.array([[-2, 4, 1, 1]], np.float32)})
    assert found.tolist() == [[pytest.approx(0), pytest.approx(5)]]
