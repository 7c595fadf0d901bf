"""The trained network as an ONNX file: weights in eight bits with a scale a column, everything else in floats."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from training.span_network import EPSILON, HEADS, WIDTH, Tree

OPSET = 20
IR_VERSION = 10
SMALL = 4096
"""Arrays with fewer numbers stay floats."""


class Graph:
    """Nodes and arrays of a graph in the making; methods return names of values."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.arrays: dict[str, onnx.TensorProto] = {}
        self.weights: dict[str, str] = {}

    def array(self, value: Any) -> str:
        """An array of the graph."""
        name = f"array_{len(self.arrays)}"
        self.arrays[name] = numpy_helper.from_array(value, name)
        return name

    def integers(self, *values: int) -> str:
        """An array of whole numbers."""
        return self.array(np.array(values, np.int64))

    def weight(self, value: np.ndarray) -> str:
        """A matrix as int8 and a scale a column, or a small array as it is."""
        if value.size < SMALL:
            return self.array(value.astype(np.float32))
        scale = np.maximum(np.abs(value).max(0, keepdims=True), 1e-12).astype(np.float32) / 127
        small = self.array(np.clip(np.round(value / scale), -127, 127).astype(np.int8))
        return self.op("Mul", self.op("Cast", small, to=TensorProto.FLOAT), self.array(scale))

    def op(self, kind: str, *inputs: str, **attributes: object) -> str:
        """The output of an operation of ONNX."""
        name = f"value_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def linear(self, x: str, matrix: np.ndarray, bias: np.ndarray | None = None) -> str:
        """A matrix product, with a bias or without."""
        product = self.op("MatMul", x, self.weight(matrix))
        return product if bias is None else self.op("Add", product, self.array(bias))

    def normalised(self, x: str, gain: np.ndarray, offset: np.ndarray) -> str:
        """The rows with mean 0 and deviation 1, times the gain, plus the offset."""
        return self.op("LayerNormalization", x, self.array(gain), self.array(offset), axis=-1, epsilon=EPSILON)

    def gelu(self, x: str) -> str:
        """The activation of the layers."""
        return self.op("Gelu", x, approximate="tanh")


def model_bytes(parameters: Tree, version: str) -> bytes:
    """Return the model: states [T, 384], cases [T], slots [S, 384] and awaited [S] give probabilities [T, 1 + 2 S]."""
    graph, head = Graph(), parameters["head"]
    x = graph.op("Concat", _tokens(graph, head), _queries(graph, head), axis=0)
    for layer in parameters["layers"]:
        x = layer_node(graph, layer, x)
    count = graph.op("Shape", "cases")
    token = graph.op("Slice", x, graph.integers(0), count, graph.integers(0))
    slot = graph.op("Slice", x, count, graph.integers(2**31), graph.integers(0))
    _head(graph, head, token, slot)
    inputs = [
        helper.make_tensor_value_info("states", TensorProto.FLOAT, ["T", WIDTH]),
        helper.make_tensor_value_info("cases", TensorProto.INT64, ["T"]),
        helper.make_tensor_value_info("slots", TensorProto.FLOAT, ["S", WIDTH]),
        helper.make_tensor_value_info("awaited", TensorProto.FLOAT, ["S"]),
    ]
    outputs = [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["T", "C"])]
    return bytes_of(graph, "span_extractor", inputs, outputs, version)


def bytes_of(
    graph: Graph,
    name: str,
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[onnx.ValueInfoProto],
    version: str,
    **metadata: str,
) -> bytes:
    """Return the graph as the bytes of a model, the same for the same graph."""
    proto = helper.make_graph(graph.nodes, name, inputs, outputs, list(graph.arrays.values()))
    model = helper.make_model(proto, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    model.producer_name, model.producer_version = "soni-admin", version
    helper.set_model_props(model, metadata)
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def _tokens(graph: Graph, head: Tree) -> str:
    return graph.op("Add", "states", graph.op("Gather", graph.array(head["case"]), "cases", axis=0))


def _queries(graph: Graph, head: Tree) -> str:
    flags = graph.op("Unsqueeze", "awaited", graph.integers(1))
    awaited = graph.op("Mul", flags, graph.array(head["awaited"][None]))
    queries = graph.op("Add", graph.linear("slots", head["query"], head["query_bias"]), awaited)
    return graph.normalised(queries, head["query_g"], head["query_c"])


def layer_node(graph: Graph, weights: Tree, x: str) -> str:
    """Return the output of one layer of the transformer for one text, a row a token."""
    size = WIDTH // HEADS

    def split(name: str, order: Sequence[int]) -> str:
        y = graph.linear(x, weights[name], weights[f"b{name}"])
        return graph.op("Transpose", graph.op("Reshape", y, graph.integers(-1, HEADS, size)), perm=order)

    query, key, value = split("q", (1, 0, 2)), split("k", (1, 2, 0)), split("v", (1, 0, 2))
    scaled = graph.op("Mul", query, graph.array(np.float32(1 / np.sqrt(size))))
    attention = graph.op("MatMul", graph.op("Softmax", graph.op("MatMul", scaled, key), axis=-1), value)
    merged = graph.op("Reshape", graph.op("Transpose", attention, perm=(1, 0, 2)), graph.integers(-1, WIDTH))
    x = graph.op("Add", x, graph.linear(merged, weights["o"], weights["bo"]))
    x = graph.normalised(x, weights["g1"], weights["c1"])
    inner = graph.gelu(graph.linear(x, weights["f1"], weights["b1"]))
    x = graph.op("Add", x, graph.linear(inner, weights["f2"], weights["b2"]))
    return graph.normalised(x, weights["g2"], weights["c2"])


def _head(graph: Graph, head: Tree, token: str, slot: str) -> None:
    token = graph.linear(token, head["token"], head["token_bias"])
    slot = graph.linear(slot, head["slot"], head["slot_bias"])
    rows, columns = graph.op("Unsqueeze", token, graph.integers(1)), graph.op("Unsqueeze", slot, graph.integers(0))
    hidden = graph.linear(graph.op("Mul", rows, columns), head["product"], head["hidden_bias"])
    difference = graph.op("Abs", graph.op("Sub", rows, columns))
    hidden = graph.op("Add", hidden, graph.linear(difference, head["difference"]))
    hidden = graph.op("Add", hidden, graph.linear(rows, head["from_token"]))
    hidden = graph.op("Add", hidden, graph.linear(columns, head["from_slot"]))
    scores = graph.linear(graph.gelu(hidden), head["out"], head["out_bias"])
    flat = graph.op("Reshape", scores, graph.op("Concat", graph.op("Shape", "cases"), graph.integers(-1), axis=0))
    padded = graph.op("Pad", flat, graph.integers(0, 1, 0, 0))
    graph.nodes.append(helper.make_node("Softmax", [padded], ["probabilities"], axis=-1))
