"""The span extractor as a network in JAX: the sentence model's layers, the upper three of them trained, and a head.

The slots' sentence vectors join the tokens of the message in the upper layers, so that tokens know what is asked for,
and slots what is said. The head compares each token with each slot: outside, first word or further word of its value.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import onnx
from onnx import numpy_helper

from dialogue.nlu.heads.encoder import TokenisedText, WordCase, tokenise
from dialogue.nlu.text.embeddings import minilm
from training.examples import Example

LAYERS, TRAINED_LAYERS, HEADS, WIDTH, HEAD_WIDTH = 6, 3, 12, 384, 128
MAX_SLOTS = 8
TOKEN_LENGTHS = (16, 24, 36, 56, 80)
EPSILON = 1e-12
LAYER_WEIGHTS = ("q", "k", "v", "o", "f1", "f2")
LAYER_VECTORS = {
    "bq": "attention.self.query.bias",
    "bk": "attention.self.key.bias",
    "bv": "attention.self.value.bias",
    "bo": "attention.output.dense.bias",
    "g1": "attention.output.LayerNorm.weight",
    "c1": "attention.output.LayerNorm.bias",
    "b1": "intermediate.dense.bias",
    "b2": "output.dense.bias",
    "g2": "output.LayerNorm.weight",
    "c2": "output.LayerNorm.bias",
}
Tree = Any
Batch = dict[str, np.ndarray]


@dataclass(frozen=True)
class EncodedExample:
    """`labels` give for each token the slot's name and whether its first word; None outside."""

    example: Example
    tokenised: TokenisedText
    labels: tuple[tuple[str, bool] | None, ...]


def encoded(example: Example) -> EncodedExample | None:
    """Return the example with its tokens; None where it is too long, or a value is not of whole words."""
    tokenised = tokenise(example.text)
    if len(tokenised.ids) > TOKEN_LENGTHS[-1]:
        return None
    labels: list[tuple[str, bool] | None] = [None] * len(tokenised.ids)
    for slot, start, end in example.spans:
        words = [index for index, word in enumerate(tokenised.words) if start <= word.start and word.end <= end]
        if not words or tokenised.words[words[0]].start != start or tokenised.words[words[-1]].end != end:
            return None
        for token, word in enumerate(tokenised.word_of_token):
            if word in words:
                labels[token] = (slot, word == words[0])
    return EncodedExample(example, tokenised, tuple(labels))


def pretrained() -> tuple[Tree, Tree, list[Tree]]:
    """Return the shipped sentence model's embeddings, lower layers and upper layers, as floats."""
    graph = onnx.load(str(minilm.weights_path())).graph
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}

    def floats(name: str) -> np.ndarray:
        return np.asarray(arrays[f"{name}_q"].astype(np.float32) * arrays[f"{name}_scale"], np.float32)

    matches = (re.fullmatch(r"val_(\d+)_q", name) for name in arrays)
    numbers = sorted(int(match[1]) for match in matches if match)
    embeddings = {
        "word": floats("inner.embeddings.word_embeddings.weight"),
        "position": floats("inner.embeddings.position_embeddings.weight"),
        "type": arrays["inner.embeddings.token_type_embeddings.weight"][0],
        "g": arrays["inner.embeddings.LayerNorm.weight"],
        "c": arrays["inner.embeddings.LayerNorm.bias"],
    }
    per_layer = len(LAYER_WEIGHTS)
    layers = [
        {key: floats(f"val_{numbers[per_layer * layer + index]}") for index, key in enumerate(LAYER_WEIGHTS)}
        | {key: arrays[f"inner.encoder.layer.{layer}.{name}"] for key, name in LAYER_VECTORS.items()}
        for layer in range(LAYERS)
    ]
    lower = LAYERS - TRAINED_LAYERS
    return embeddings, layers[:lower], layers[lower:]


def fresh_head(seed: int) -> Tree:
    """Return the head's weights before training."""
    random = np.random.default_rng(seed)

    def matrix(rows: int, columns: int) -> np.ndarray:
        return np.asarray(random.standard_normal((rows, columns)) / np.sqrt(rows), np.float32)

    def vector(columns: int, scale: float) -> np.ndarray:
        return (random.standard_normal(columns) * scale).astype(np.float32)

    return {
        "case": np.stack([vector(WIDTH, 0.02) for _ in WordCase]),
        "query": np.eye(WIDTH, dtype=np.float32) * np.sqrt(WIDTH) + matrix(WIDTH, WIDTH) * 0.1,
        "query_bias": vector(WIDTH, 0.02),
        "awaited": vector(WIDTH, 0.1),
        "query_g": np.full(WIDTH, 0.5, np.float32),
        "query_c": vector(WIDTH, 0.02),
        "token": matrix(WIDTH, HEAD_WIDTH),
        "token_bias": vector(HEAD_WIDTH, 0.0),
        "slot": matrix(WIDTH, HEAD_WIDTH),
        "slot_bias": vector(HEAD_WIDTH, 0.0),
        "product": matrix(HEAD_WIDTH, HEAD_WIDTH) * 0.7,
        "difference": matrix(HEAD_WIDTH, HEAD_WIDTH) * 0.7,
        "from_token": matrix(HEAD_WIDTH, HEAD_WIDTH) * 0.5,
        "from_slot": matrix(HEAD_WIDTH, HEAD_WIDTH) * 0.5,
        "hidden_bias": vector(HEAD_WIDTH, 0.0),
        "out": matrix(HEAD_WIDTH, 2),
        "out_bias": np.full(2, -1.0, np.float32),
    }


def normalised(x: Any, gain: Any, offset: Any) -> Any:
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + EPSILON) * gain + offset


def layer_output(weights: Tree, x: Any, bias: Any, *, approximate: bool) -> Any:
    """One layer of the transformer; `bias` is minus infinity for what is not there."""
    size, length, _ = x.shape

    def split(y: Any) -> Any:
        return y.reshape(size, length, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)

    query, key, value = (split(x @ weights[name] + weights[f"b{name}"]) for name in "qkv")
    attention = jax.nn.softmax(query @ key.transpose(0, 1, 3, 2) / np.sqrt(WIDTH // HEADS) + bias, -1) @ value
    merged = attention.transpose(0, 2, 1, 3).reshape(size, length, WIDTH)
    x = normalised(x + merged @ weights["o"] + weights["bo"], weights["g1"], weights["c1"])
    inner = jax.nn.gelu(x @ weights["f1"] + weights["b1"], approximate=approximate)
    return normalised(x + inner @ weights["f2"] + weights["b2"], weights["g2"], weights["c2"])


def lower_states(embeddings: Tree, layers: Sequence[Tree], ids: Any, mask: Any) -> Any:
    """What the lower layers make of the tokens, as the shipped model gives it."""
    x = embeddings["word"][ids] + embeddings["position"][: ids.shape[1]] + embeddings["type"]
    x = normalised(x, embeddings["g"], embeddings["c"])
    bias = (1 - mask)[:, None, None, :] * -1e9
    for layer in layers:
        x = layer_output(layer, x, bias, approximate=False)
    return x


def logits(parameters: Tree, states: Any, batch: Mapping[str, Any]) -> Any:
    """One row a token: outside (always 0), then first and further word of each slot."""
    head, length = parameters["head"], states.shape[1]
    queries = batch["slots"] @ head["query"] + head["query_bias"] + batch["awaited"][..., None] * head["awaited"]
    x = jnp.concatenate(
        [states + head["case"][batch["cases"]], normalised(queries, head["query_g"], head["query_c"])], 1
    )
    bias = (1 - jnp.concatenate([batch["mask"], batch["slot_mask"]], 1))[:, None, None, :] * -1e9
    for layer in parameters["layers"]:
        x = layer_output(layer, x, bias, approximate=True)
    token = x[:, :length] @ head["token"] + head["token_bias"]
    slot = x[:, length:] @ head["slot"] + head["slot_bias"]
    pairs, differences = token[:, :, None] * slot[:, None], jnp.abs(token[:, :, None] - slot[:, None])
    hidden = pairs @ head["product"] + differences @ head["difference"]
    hidden += (token @ head["from_token"])[:, :, None] + (slot @ head["from_slot"])[:, None] + head["hidden_bias"]
    scores = jax.nn.gelu(hidden, approximate=True) @ head["out"] + head["out_bias"]
    scores = scores - 1e9 * (1 - batch["slot_mask"])[:, None, :, None]
    scores = scores.reshape(*scores.shape[:2], -1)
    return jnp.concatenate([jnp.zeros((*scores.shape[:2], 1)), scores], -1)


def loss(parameters: Tree, states: Any, batch: Mapping[str, Any]) -> Any:
    scores = jax.nn.log_softmax(logits(parameters, states, batch), -1)
    errors = -jnp.take_along_axis(scores, batch["labels"][..., None], -1)[..., 0]
    weights = batch["mask"] * jnp.where(batch["labels"] > 0, 1.5, 1.0)
    return (errors * weights).sum() / weights.sum()


def batch_of(examples: Sequence[EncodedExample], random: Random, vectors: Mapping[str, np.ndarray]) -> Batch:
    """Return the examples as arrays, each with some of its slots in random texts."""
    longest = max(len(each.tokenised.ids) for each in examples)
    length, size = next(limit for limit in TOKEN_LENGTHS if limit >= longest), len(examples)
    batch: Batch = {
        "ids": np.zeros((size, length), np.int32),
        "mask": np.zeros((size, length), np.float32),
        "cases": np.zeros((size, length), np.int32),
        "slots": np.zeros((size, MAX_SLOTS, WIDTH), np.float32),
        "awaited": np.zeros((size, MAX_SLOTS), np.float32),
        "slot_mask": np.zeros((size, MAX_SLOTS), np.float32),
        "labels": np.zeros((size, length), np.int32),
    }
    for row, each in enumerate(examples):
        _fill_row(batch, row, each, random, vectors)
    return batch


def _fill_row(
    batch: Batch, row: int, encoded: EncodedExample, random: Random, vectors: Mapping[str, np.ndarray]
) -> None:
    example, count = encoded.example, len(encoded.tokenised.ids)
    batch["ids"][row, :count] = encoded.tokenised.ids
    batch["mask"][row, :count] = 1
    cases = np.array(encoded.tokenised.cases)
    batch["cases"][row, :count] = np.where((cases == 2) | (cases == 3), 1, cases) if random.random() < 0.2 else cases
    names = chosen_slots(example, random)
    for column, name in enumerate(names):
        batch["slots"][row, column] = vectors[random.choice(example.slots[name])]
        batch["slot_mask"][row, column] = 1
        batch["awaited"][row, column] = name in example.awaited and random.random() > 0.1
    for token, label in enumerate(encoded.labels):
        if label is not None and label[0] in names:
            batch["labels"][row, token] = 1 + 2 * names.index(label[0]) + (not label[1])


def chosen_slots(example: Example, random: Random) -> list[str]:
    """Return the slots with a value or awaited and some of the others; at times one with a value is left out."""
    valued = list(dict.fromkeys(span[0] for span in example.spans))
    if len(valued) > 1 and random.random() < 0.08:
        valued.remove(random.choice(valued))
    gone = {span[0] for span in example.spans} - set(valued)
    needed = list(dict.fromkeys([*valued, *(name for name in sorted(example.awaited) if name not in gone)]))[:MAX_SLOTS]
    others = [name for name in example.slots if name not in needed and name not in gone]
    random.shuffle(others)
    names = needed + others[: random.randint(0 if needed else 1, max(1, MAX_SLOTS - len(needed)))]
    names = names[:MAX_SLOTS]
    random.shuffle(names)
    return names
