"""One run of training: groups of texts, the upper layers and the head by Adam, the ONNX file, and its figures."""

import hashlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dialogue.nlu.text.embeddings.minilm import embed, token_states
from dialogue.nlu.text.embeddings.request_encoder import (
    FILE,
    KINDS,
    VERSION,
    LabelledTexts,
    ReadMessage,
    RequestEncoder,
)
from dialogue.nlu.text.trained_files import session_of
from training.encoder.batches import Batch, Encoded, Texts, random_batch
from training.encoder.graph import model_bytes
from training.encoder.groups import Asked, Group, training_groups
from training.encoder.network import fresh_head, loss
from training.span_network import Tree, pretrained

STEPS, WARM_UP_STEPS, REPORTED_STEPS = 1_000, 50, 100
LAYER_RATE, HEAD_RATE = 6e-5, 1e-3
MOMENTUM, VARIANCE = 0.9, 0.99


@dataclass(frozen=True)
class Result:
    """The scores of a message's labels and of none, and whether the likeliest is right."""

    labels: tuple[str, ...]
    choose: Any
    message: Asked

    @property
    def best(self) -> str:
        """The likeliest label, whether the message asks for anything or not."""
        return self.labels[int(self.choose[:-1].argmax())]


def train(data: Path, folder: Path, seed: int, steps: int = STEPS) -> Iterator[str]:
    """Write the ONNX file to the folder; yield lines of progress, and figures by part."""
    random = Random(seed)
    parts = training_groups(data, random)
    yield ", ".join(f"{name}: {len(groups)} assistants" for name, groups in parts.items())
    encoded = _encoded(group for groups in parts.values() for group in groups)
    yield f"{len(encoded)} texts"
    by_source = {
        source: [group for group in parts["trained"] if group.source == source] for source in ("written", "sampled")
    }
    weights: list[Tree] = []
    yield from _fit((random_batch(by_source, encoded, random) for _ in range(steps)), steps, seed, weights)
    content = model_bytes(weights[0], VERSION)
    (folder / FILE).write_bytes(content)
    yield f"{FILE}: {len(content)} bytes, SHA256 {hashlib.sha256(content).hexdigest()}"
    encoder = RequestEncoder(session_of(content))
    for name in parts:
        if name != "trained":
            yield figures(name, results_of(encoder, parts[name], encoded))


def _encoded(groups: Any) -> dict[str, Encoded]:
    """Return what the sentence model makes of each text, in half precision."""
    texts = sorted({text for group in groups for text in group.all_texts()})
    return {text: Encoded(token_states(text).astype(np.float16), embed([text])[0]) for text in texts}


def _fit(batches: Iterator[Batch], total: int, seed: int, weights: list[Tree]) -> Iterator[str]:
    _, _, upper = pretrained()
    parameters = jax.tree.map(jnp.asarray, {"layers": upper, "head": fresh_head(seed)})
    state = (parameters, jax.tree.map(jnp.zeros_like, parameters), jax.tree.map(jnp.zeros_like, parameters))
    started, mean = time.monotonic(), 0.0
    for step, batch in enumerate(batches, 1):
        warmth = min(1.0, step / WARM_UP_STEPS) * (1 - step / (total + 1))
        state, error = _step(state, batch, float(step), warmth)
        mean = 0.98 * mean + 0.02 * float(error) if step > 1 else float(error)
        if step % REPORTED_STEPS == 0 or step == total:
            yield f"step {step} of {total}, {time.monotonic() - started:.0f} s, loss {mean:.3f}"
    weights[:] = [jax.tree.map(np.asarray, state[0])]


@jax.jit
def _step(state: tuple[Tree, Tree, Tree], batch: Any, step: float, warmth: float) -> Any:
    parameters, momentum, variance = state
    error, gradient = jax.value_and_grad(loss)(parameters, batch)
    length = jnp.sqrt(sum((leaf**2).sum() for leaf in jax.tree.leaves(gradient)))
    gradient = jax.tree.map(lambda leaf: leaf * jnp.minimum(1.0, 1 / length), gradient)
    momentum = jax.tree.map(lambda old, new: MOMENTUM * old + (1 - MOMENTUM) * new, momentum, gradient)
    variance = jax.tree.map(lambda old, new: VARIANCE * old + (1 - VARIANCE) * new * new, variance, gradient)

    def moved(rate: float, part: str) -> Tree:
        def one(weight: Any, mean: Any, square: Any) -> Any:
            change = (mean / (1 - MOMENTUM**step)) / (jnp.sqrt(square / (1 - VARIANCE**step)) + 1e-7)
            return weight - rate * warmth * change

        return jax.tree.map(one, parameters[part], momentum[part], variance[part])

    moved_parameters = {"layers": moved(LAYER_RATE, "layers"), "head": moved(HEAD_RATE, "head")}
    return (moved_parameters, momentum, variance), error


def results_of(encoder: RequestEncoder, groups: Sequence[Group], encoded: Texts) -> list[Result]:
    """Return what the encoder makes of each message."""
    read: dict[str, ReadMessage] = {}

    def message_of(text: str) -> ReadMessage:
        if text not in read:
            read[text] = encoder.read(encoded[text].states.astype(np.float32), encoded[text].vector)
        return read[text]

    results = []
    for group in groups:
        pairs = [(kind, text) for texts in group.texts.values() for kind, text in texts]
        owners = [label for label, texts in group.texts.items() for _ in texts]
        group_texts = LabelledTexts(owners, [KINDS.index(kind) for kind, _ in pairs])
        tuned = np.stack([message_of(text).vector for _, text in pairs])
        plain = np.stack([encoded[text].vector for _, text in pairs])
        for message in group.messages:
            said = message_of(message.text)
            likenesses = tuned @ said.vector, plain @ encoded[message.text].vector
            scores = encoder.label_scores(group_texts, *likenesses)
            choose = np.array([*(scores.choose[label] for label in group.texts), said.none])
            results.append(Result(tuple(group.texts), choose, message))
    return results


def figures(name: str, results: Sequence[Result]) -> str:
    """Return how often the likeliest label is right, and the mean error."""
    asking = [result for result in results if result.message.labels]
    right = np.mean([result.best in result.message.labels for result in asking])
    errors = []
    for result in results:
        chances = np.exp(result.choose - result.choose.max())
        chances /= chances.sum()
        wanted = [chances[result.labels.index(label)] for label in result.message.labels if label in result.labels]
        errors.append(-np.log(sum(wanted) + 1e-9) if result.message.labels else -np.log(chances[-1] + 1e-9))
    return (
        f"{name}: likeliest right {right:.1%} of {len(asking)} requests; loss {np.mean(errors):.3f} of {len(results)}"
    )
