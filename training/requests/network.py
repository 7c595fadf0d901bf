"""The network that scores flows and topics: the same small layers for each label, and others for "none of them"."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dialogue.nlu.readers.scoring.request_features import MAX_LABELS, RequestRows

HIDDEN, BATCH, EPOCHS, RATE, DECAY, MIN_DEVIATION = 16, 128, 30, 3e-3, 3e-5, 0.02
Array = Any


@dataclass(frozen=True)
class Table:
    """Messages in rows: `labels` are (message, label, number), `is_label` says which places hold one.

    `targets` is the place of the right label; the last place stands for none of them.
    """

    labels: Array
    is_label: Array
    messages: Array
    targets: Array


def table_of(rows: Sequence[tuple[RequestRows, str]]) -> Table:
    """Return the rows with the label that is right for each; a right label beyond the first places counts as none."""
    width = len(rows[0][0].rows[0])
    labels = np.zeros((len(rows), MAX_LABELS, width), np.float32)
    is_label = np.zeros((len(rows), MAX_LABELS), bool)
    targets = np.full(len(rows), MAX_LABELS)
    for number, (row, target) in enumerate(rows):
        labels[number, : len(row.rows)] = row.rows
        is_label[number, : len(row.rows)] = True
        if target in row.labels:
            targets[number] = row.labels.index(target)
    return Table(labels, is_label, np.array([row.message for row, _ in rows], np.float32), targets)


def moments_of(table: Table) -> tuple[Array, Array, Array, Array]:
    """Return mean and deviation of each number of labels, then of messages."""
    labels = table.labels[table.is_label]
    return labels.mean(0), _deviation(labels), table.messages.mean(0), _deviation(table.messages)


def _deviation(numbers: Array) -> Array:
    return np.maximum(numbers.std(0), MIN_DEVIATION)


def standardised(table: Table, moments: tuple[Array, Array, Array, Array]) -> Table:
    """Return the table with numbers of mean 0 and deviation 1."""
    label_mean, label_deviation, mean, deviation = moments
    return Table(
        (table.labels - label_mean) / label_deviation, table.is_label, (table.messages - mean) / deviation,
        table.targets,
    )  # fmt: skip


def logits(weights: dict[str, Array], labels: Array, is_label: Array, messages: Array) -> Array:
    """Return a score for each place and for none."""
    shared = messages @ weights["message"] + weights["bias"]
    hidden = jnp.maximum(labels @ weights["label"] + shared[:, None, :], 0)
    scores = jnp.where(is_label, hidden @ weights["output"] + labels @ weights["direct"], -30.0)
    other = jnp.maximum(messages @ weights["none"] + weights["none_bias"], 0)
    none = other @ weights["none_output"] + weights["none_constant"]
    return jnp.concatenate([scores, none[:, None]], axis=1)


def loss_of(weights: dict[str, Array], labels: Array, is_label: Array, messages: Array, targets: Array) -> Array:
    """Return the mean negative logarithm of the right place's probability."""
    chances = jax.nn.log_softmax(logits(weights, labels, is_label, messages))
    return -jnp.take_along_axis(chances, targets[:, None], 1).mean()


def fit(table: Table, seed: int, epochs: int = EPOCHS) -> dict[str, Array]:
    """Return the weights for a standardised table."""
    generator = np.random.default_rng(seed)
    weights = _new_weights(table.labels.shape[2], table.messages.shape[1], generator)
    means = {name: np.zeros_like(value) for name, value in weights.items()}
    squares = {name: np.zeros_like(value) for name, value in weights.items()}
    gradient, step = jax.jit(jax.grad(loss_of)), 0
    count = len(table.targets)
    steps = epochs * (count // BATCH)
    for _epoch in range(epochs):
        order = generator.permutation(count)
        for start in range(0, count - BATCH + 1, BATCH):
            rows = order[start : start + BATCH]
            step += 1
            slopes = gradient(
                weights, table.labels[rows], table.is_label[rows], table.messages[rows], table.targets[rows]
            )
            rate = RATE * (1 - step / (steps + 1)) * (1 - 0.999**step) ** 0.5 / (1 - 0.9**step)
            for name in weights:
                slope = np.asarray(slopes[name]) + DECAY * weights[name]
                means[name] = 0.9 * means[name] + 0.1 * slope
                squares[name] = 0.999 * squares[name] + 0.001 * slope * slope
                weights[name] = weights[name] - rate * means[name] / (np.sqrt(squares[name]) + 1e-8)
    return weights


def _new_weights(width: int, message_width: int, generator: np.random.Generator) -> dict[str, Array]:
    def chance(*shape: int) -> Array:
        return generator.normal(0, shape[0] ** -0.5, shape).astype(np.float32)

    return {
        "label": chance(width, HIDDEN), "message": chance(message_width, HIDDEN), "bias": np.zeros(HIDDEN, np.float32),
        "output": chance(HIDDEN), "direct": np.zeros(width, np.float32), "none": chance(message_width, HIDDEN),
        "none_bias": np.zeros(HIDDEN, np.float32), "none_output": chance(HIDDEN),
        "none_constant": np.zeros((), np.float32),
    }  # fmt: skip


def probabilities(weights: dict[str, Array], table: Table, temperature: float = 1.0) -> Array:
    """Return one row a message: a probability for each place and for none."""
    scores = logits(weights, table.labels, table.is_label, table.messages)
    return np.asarray(jax.nn.softmax(scores / temperature, axis=1))


def fit_temperature(weights: dict[str, Array], table: Table) -> float:
    """Return what to divide scores by, so that the probabilities of this table fit best."""
    rows = np.arange(len(table.targets))
    temperatures = np.exp(np.linspace(np.log(0.5), np.log(4), 40))
    losses = [-np.log(probabilities(weights, table, t)[rows, table.targets] + 1e-9).mean() for t in temperatures]
    return float(temperatures[int(np.argmin(losses))])
