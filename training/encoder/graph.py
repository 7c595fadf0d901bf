"""The encoder of requests as an ONNX file: weights in eight bits with a scale a column."""

import json

import numpy as np
from onnx import TensorProto, helper

from dialogue.nlu.text.embeddings.minilm import DIMENSIONS
from dialogue.nlu.text.embeddings.request_encoder import WEIGHTS_NAME
from training.encoder.network import VECTOR_SCALE
from training.span_graph import Graph, bytes_of, layer_node
from training.span_network import Tree

MIN_LENGTH = 1e-6
SIGNIFICANT_DECIMALS = 4


def model_bytes(parameters: Tree, version: str) -> bytes:
    """Return the model: states [T, 384] and the sentence's vector [384] give a vector [384] and a score of none."""
    graph, head = Graph(), parameters["head"]
    states = "states"
    for layer in parameters["layers"]:
        states = layer_node(graph, layer, states)
    mean = graph.op("ReduceMean", states, graph.integers(0), keepdims=0)
    length = graph.op("ReduceL2", mean, graph.integers(0), keepdims=1)
    unit = graph.op("Div", mean, graph.op("Max", length, graph.array(np.full(1, MIN_LENGTH, np.float32))))
    both = graph.op("Mul", graph.op("Concat", unit, "vector", axis=0), graph.array(np.float32(VECTOR_SCALE)))
    row = graph.op("Unsqueeze", both, graph.integers(0))
    hidden = graph.gelu(graph.linear(row, head["none"], head["none_bias"]))
    none = graph.linear(hidden, head["none_output"][:, None], head["none_constant"])
    graph.nodes.append(helper.make_node("Identity", [unit], ["request"]))
    graph.nodes.append(helper.make_node("Reshape", [none, graph.integers()], ["none"]))
    inputs = [
        helper.make_tensor_value_info("states", TensorProto.FLOAT, ["T", DIMENSIONS]),
        helper.make_tensor_value_info("vector", TensorProto.FLOAT, [DIMENSIONS]),
    ]
    outputs = [
        helper.make_tensor_value_info("request", TensorProto.FLOAT, [DIMENSIONS]),
        helper.make_tensor_value_info("none", TensorProto.FLOAT, []),
    ]
    weights = {
        name: [round(float(number), SIGNIFICANT_DECIMALS) for number in head[name]]
        for name in head
        if name.startswith(("choose", "fit"))
    }
    return bytes_of(graph, "request_encoder", inputs, outputs, version, **{WEIGHTS_NAME: json.dumps(weights)})
