"""The network of the act classifier without vectors, trained with Adam on buckets of n-grams; numpy and scipy."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

Array = Any
HIDDEN = 32
BATCH = 256
LEARNING_RATE = 0.004
LABEL_SMOOTHING = 0.04
FEATURE_DROPOUT = 0.15
HIDDEN_DROPOUT = 0.2
WEIGHT_DECAY = 2e-6


@dataclass
class Network:
    """`table` has one row a bucket; a message's rows are added, scaled by their number, and read by one layer."""

    table: Array
    hidden_bias: Array
    output: Array
    output_bias: Array

    def logits(self, features: sparse.csr_matrix) -> Array:
        """Return one row of scores for each row of features."""
        return np.maximum(features @ self.table + self.hidden_bias, 0) @ self.output + self.output_bias

    @property
    def parameters(self) -> list[Array]:
        """What Adam changes."""
        return [self.table, self.hidden_bias, self.output, self.output_bias]


def bucket_matrix(buckets: Sequence[Sequence[int]], width: int) -> sparse.csr_matrix:
    """Return the rows of features: each bucket weighs one over the root of the number of buckets."""
    lengths = np.array([len(row) for row in buckets])
    weights = np.repeat(1 / np.sqrt(np.maximum(lengths, 1)), lengths).astype(np.float32)
    columns = np.concatenate([np.array(row, np.int32) for row in buckets])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return sparse.csr_matrix((weights, columns, starts), shape=(len(buckets), width))


def new_network(width: int, hidden: int, acts: int, generator: np.random.Generator) -> Network:
    """Return a network with small chance weights."""
    return Network(
        generator.normal(0, 0.1, (width, hidden)).astype(np.float32),
        np.zeros(hidden, np.float32),
        generator.normal(0, (2 / hidden) ** 0.5, (hidden, acts)).astype(np.float32),
        np.zeros(acts, np.float32),
    )


class Adam:
    """Adam with a rate that falls to zero."""

    def __init__(self, parameters: list[Array], steps: int) -> None:
        self.parameters, self.steps, self.step = parameters, steps, 0
        self.means = [np.zeros_like(parameter) for parameter in parameters]
        self.squares = [np.zeros_like(parameter) for parameter in parameters]

    def update(self, gradients: list[Array]) -> None:
        """Change the parameters in place."""
        self.step += 1
        rate = LEARNING_RATE * (1 - self.step / (self.steps + 1))
        rate *= (1 - 0.999**self.step) ** 0.5 / (1 - 0.9**self.step)
        for index, gradient in enumerate(gradients):
            self.means[index] = 0.9 * self.means[index] + 0.1 * gradient
            self.squares[index] = 0.999 * self.squares[index] + 0.001 * gradient * gradient
            self.parameters[index] -= rate * self.means[index] / (np.sqrt(self.squares[index]) + 1e-8)


def fit(
    features: sparse.csr_matrix,
    labels: Array,
    weights: Array,
    acts: int,
    *,
    epochs: int,
    seed: int,
    hidden: int = HIDDEN,
    after_epoch: Callable[[int, Network], None] = lambda epoch, network: None,
) -> Network:
    """Return the trained network; `after_epoch` sees it after each pass."""
    generator = np.random.default_rng(seed)
    network = new_network(features.shape[1], hidden, acts, generator)
    count = features.shape[0]
    adam = Adam(network.parameters, epochs * (count // BATCH + 1))
    targets = np.full((count, acts), LABEL_SMOOTHING / acts, np.float32)
    targets[np.arange(count), labels] += 1 - LABEL_SMOOTHING
    for epoch in range(epochs):
        order = generator.permutation(count)
        for start in range(0, count, BATCH):
            rows = order[start : start + BATCH]
            adam.update(_gradients(network, features[rows], targets[rows], weights[rows], generator))
        after_epoch(epoch + 1, network)
    return network


def _gradients(network: Network, features: Any, targets: Array, weights: Array, generator: Any) -> list[Array]:
    features = features.copy()
    features.data *= (generator.random(features.data.shape) >= FEATURE_DROPOUT) / (1 - FEATURE_DROPOUT)
    before = features @ network.table + network.hidden_bias
    mask = (before > 0) * (generator.random(before.shape) >= HIDDEN_DROPOUT) / (1 - HIDDEN_DROPOUT)
    hidden = (before * mask).astype(np.float32)
    errors = softmax(hidden @ network.output + network.output_bias) - targets
    errors *= weights[:, None] / len(weights)
    hidden_errors = ((errors @ network.output.T) * mask).astype(np.float32)
    return [
        (features.T @ hidden_errors) + WEIGHT_DECAY * network.table,
        hidden_errors.sum(axis=0),
        hidden.T @ errors,
        errors.sum(axis=0),
    ]


def softmax(logits: Array) -> Array:
    """Return probabilities by row."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def fit_temperature(logits: Array, labels: Array) -> float:
    """Return what to divide the scores by, so that the probabilities fit best."""
    temperatures = np.exp(np.linspace(np.log(0.3), np.log(5), 60))
    losses = [-np.log(softmax(logits / t)[np.arange(len(labels)), labels] + 1e-12).mean() for t in temperatures]
    return float(temperatures[int(np.argmin(losses))])


def calibration_error(probabilities: Array, labels: Array, bins: int = 10) -> float:
    """Return the expected calibration error: how far the highest probability is from the share that is right."""
    best = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == labels
    places = np.minimum((best * bins).astype(int), bins - 1)
    return float(
        sum(
            abs(best[places == place].mean() - right[places == place].mean()) * (places == place).mean()
            for place in set(places.tolist())
        )
    )
