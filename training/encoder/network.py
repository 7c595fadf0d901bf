"""The encoder of requests in JAX: the sentence model's upper three layers, which are trained, and a small head.

A message is compared with each text of a flow by the trained vectors and by the sentence model's. The head weighs both
by what the text is, and scores "none of them" by the message alone.
"""

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dialogue.nlu.text.embeddings.minilm import DIMENSIONS
from dialogue.nlu.text.embeddings.request_encoder import KINDS, SHARPNESS
from training.encoder.batches import MAX_LABELS, MAX_MESSAGES
from training.span_network import Tree, layer_output

HIDDEN = 32
# Vectors of length 1 have small numbers: the layer learns faster on larger ones.
VECTOR_SCALE = 8.0
FIT_SHARE = 0.5
NOT_THERE = -1e9


def fresh_head(seed: int) -> Tree:
    """Return the head's weights before training. `choose` scores labels against each other, `fit` each by itself."""
    random = np.random.default_rng(seed)

    def matrix(rows: int, columns: int) -> np.ndarray:
        return np.asarray(random.standard_normal((rows, columns)) / np.sqrt(rows), np.float32)

    def kinds(value: float) -> np.ndarray:
        return np.full(len(KINDS), value, np.float32)

    return {
        **{
            f"{name}_{part}": kinds(value)
            for name in ("choose", "fit")
            for part, value in (("tuned", 6.0), ("plain", 4.0), ("bias", 0.0))
        },
        "fit_constant": np.full(1, -5.0, np.float32),
        "none": matrix(2 * DIMENSIONS, HIDDEN),
        "none_bias": np.zeros(HIDDEN, np.float32),
        "none_output": matrix(HIDDEN, 1)[:, 0] * 0.3,
        "none_constant": np.full(1, 5.5, np.float32),
    }


def tuned_states(layers: Any, states: Any, numbers: Any) -> Any:
    """Return what the layers make of the tokens, each text by itself."""
    is_same = (numbers[:, :, None] == numbers[:, None, :]) & (numbers[:, :, None] >= 0)
    bias = jnp.where(is_same, 0.0, NOT_THERE)[:, None]
    for layer in layers:
        states = layer_output(layer, states, bias, approximate=True)
    return states


def pooled(states: Any, numbers: Any, texts: Any) -> Any:
    """Return a vector of length 1 for each text: the mean of its tokens."""
    flat, places = states.reshape(-1, DIMENSIONS), numbers.reshape(-1)
    is_of = (texts[:, None] == places[None]) * 1.0
    means = is_of @ flat / jnp.maximum(is_of.sum(1, keepdims=True), 1)
    return means / jnp.sqrt((means * means).sum(-1, keepdims=True) + 1e-8)


def none_score(head: Tree, vectors: Any, plain: Any) -> Any:
    """Return the score of asking for nothing, for rows of vectors."""
    both = jnp.concatenate([vectors, plain], -1) * VECTOR_SCALE
    hidden = jax.nn.gelu(both @ head["none"] + head["none_bias"], approximate=True)
    return hidden @ head["none_output"] + head["none_constant"][0]


def scores(parameters: Tree, batch: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return for each message a score of each label and of none, and a score of each label by itself."""
    head = parameters["head"]
    states = tuned_states(parameters["layers"], batch["states"], batch["numbers"])
    vectors = pooled(states, batch["numbers"], batch["text"])
    plain = batch["vector"]
    tuned_cosines = vectors[:MAX_MESSAGES] @ vectors[MAX_MESSAGES:].T
    plain_cosines = plain[:MAX_MESSAGES] @ plain[MAX_MESSAGES:].T
    is_of = jax.nn.one_hot(batch["label"], MAX_LABELS)
    spread = SHARPNESS * jnp.log(jnp.maximum(is_of.sum(0), 1))

    def by_label(name: str) -> Any:
        weights = {part: head[f"{name}_{part}"][batch["kind"]] for part in ("tuned", "plain", "bias")}
        each = weights["tuned"] * tuned_cosines + weights["plain"] * plain_cosines + weights["bias"]
        there = jnp.where(is_of[None] > 0, each[:, :, None], NOT_THERE)
        return jax.nn.logsumexp(there, 1) - spread

    none = none_score(head, vectors[:MAX_MESSAGES], plain[:MAX_MESSAGES])
    choose = jnp.where(batch["is_label"] > 0, by_label("choose"), NOT_THERE)
    return jnp.concatenate([choose, none[:, None]], 1), by_label("fit") + head["fit_constant"][0]


def loss(parameters: Tree, batch: Mapping[str, Any]) -> Any:
    """Return the mean error of the messages: of the choice among all, and a part of that of each label by itself."""
    choose, fit = scores(parameters, batch)
    shares = batch["target"] / batch["target"].sum(1, keepdims=True)
    errors = -jnp.where(shares > 0, shares * jax.nn.log_softmax(choose), 0).sum(1)
    wanted = batch["target"][:, :MAX_LABELS]
    alone = jnp.where(batch["is_label"] > 0, jax.nn.softplus(fit) - wanted * fit, 0).sum(1)
    count = jnp.maximum(batch["is_message"].sum(), 1)
    return ((errors + FIT_SHARE * alone) * batch["is_message"]).sum() / count
