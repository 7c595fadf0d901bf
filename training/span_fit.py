"""Adam on batches of examples of like length, on one thread, with a fixed seed."""

import time
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from training.span_network import EncodedExample, Tree, batch_of, fresh_head, loss, lower_states, pretrained

BATCH_EXAMPLES = 32
WARM_UP_STEPS = 60
LAYER_RATE, HEAD_RATE = 8e-5, 1.0e-3
MOMENTUM, VARIANCE = 0.9, 0.99
MAX_GRADIENT_LENGTH = 1.0
REPORTED_STEPS = 100


def fit(
    examples: Sequence[EncodedExample], vectors: Mapping[str, np.ndarray], epochs: float, seed: int, weights: list[Tree]
) -> Iterator[str]:
    """Train for so many passes over the examples; yields lines of progress, and keeps the weights in the list."""
    random = Random(seed)
    embeddings, lower, upper = jax.tree.map(jnp.asarray, pretrained())
    parameters = jax.tree.map(jnp.asarray, {"layers": upper, "head": fresh_head(seed)})
    momentum = jax.tree.map(jnp.zeros_like, parameters)
    variance = jax.tree.map(jnp.zeros_like, parameters)
    total = int(len(examples) * epochs / BATCH_EXAMPLES)
    started, mean = time.monotonic(), 0.0
    for step, batch in enumerate(_batches(examples, vectors, random, total), 1):
        warmth = min(1.0, step / WARM_UP_STEPS) * (1 - step / (total + 1))
        parameters, momentum, variance, error = _step(
            parameters, momentum, variance, batch, embeddings, lower, float(step), warmth
        )
        mean = 0.98 * mean + 0.02 * float(error) if step > 1 else float(error)
        if step % REPORTED_STEPS == 0 or step == total:
            weights[:] = [jax.tree.map(np.asarray, parameters)]
            yield f"step {step} of {total}, {time.monotonic() - started:.0f} s, loss {mean:.3f}"


def _batches(
    examples: Sequence[EncodedExample], vectors: Mapping[str, np.ndarray], random: Random, total: int
) -> Iterator[Mapping[str, np.ndarray]]:
    """Batches of examples of like length in random order, `total` in all."""
    order: list[int] = []
    arranged: list[EncodedExample] = []
    for _ in range(total):
        if not order:
            order = _ordered_starts(examples, random)
            arranged = sorted(examples, key=lambda each: (len(each.tokenised.ids), random.random()))
        start = order.pop()
        yield batch_of(arranged[start : start + BATCH_EXAMPLES], random, vectors)


def _ordered_starts(examples: Sequence[EncodedExample], random: Random) -> list[int]:
    starts = list(range(0, len(examples) - BATCH_EXAMPLES + 1, BATCH_EXAMPLES))
    random.shuffle(starts)
    return starts


@jax.jit
def _step(  # noqa: PLR0917
    parameters: Tree,
    momentum: Tree,
    variance: Tree,
    batch: Any,
    embeddings: Tree,
    lower: Tree,
    step: float,
    warmth: float,
) -> tuple[Tree, Tree, Tree, Any]:
    states = jax.lax.stop_gradient(lower_states(embeddings, lower, batch["ids"], batch["mask"]))
    error, gradient = jax.value_and_grad(loss)(parameters, states, batch)
    length = jnp.sqrt(sum((leaf**2).sum() for leaf in jax.tree.leaves(gradient)))
    gradient = jax.tree.map(lambda leaf: leaf * jnp.minimum(1.0, MAX_GRADIENT_LENGTH / length), gradient)
    momentum = jax.tree.map(lambda old, new: MOMENTUM * old + (1 - MOMENTUM) * new, momentum, gradient)
    variance = jax.tree.map(lambda old, new: VARIANCE * old + (1 - VARIANCE) * new * new, variance, gradient)

    def moved(rate: float, weights: Tree, first: Tree, second: Tree) -> Tree:
        def one(weight: Any, mean: Any, square: Any) -> Any:
            return weight - rate * warmth * (mean / (1 - MOMENTUM**step)) / (
                jnp.sqrt(square / (1 - VARIANCE**step)) + 1e-7
            )

        return jax.tree.map(one, weights, first, second)

    parameters = {
        "layers": moved(LAYER_RATE, parameters["layers"], momentum["layers"], variance["layers"]),
        "head": moved(HEAD_RATE, parameters["head"], momentum["head"], variance["head"]),
    }
    return parameters, momentum, variance, error
