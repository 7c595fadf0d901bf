"""One run of training: sentences, a fit without the held-out templates for the figures, a fit with all to ship."""

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import compress

import numpy as np

from dialogue.nlu.heads.act_classifier import ACTS
from dialogue.nlu.heads.act_features import BUCKETS, act_features
from training.acts.act_grammars import Template, templates_of
from training.acts.corpora import reported_sentences, trained_sentences
from training.acts.network import (
    HIDDEN,
    Network,
    bucket_matrix,
    calibration_error,
    fit,
    fit_temperature,
    softmax,
)
from training.acts.noise import add_noise

MAX_EPOCHS = 8
MAX_SENTENCES_A_TEMPLATE = 60
NOISY_WEIGHT = 0.7
# Acts with fewer sentences count more, but not as much as would make them equal.
BALANCE = 0.4
HELD_OUT_SAMPLES = 4
LANGUAGES = ("en", "es")


@dataclass(frozen=True)
class Sentence:
    """One labelled sentence; `weight` is its part in the training."""

    text: str
    act: str
    language: str
    weight: float = 1.0


def train(data: Path, folder: Path, seed: int) -> Iterator[str]:
    """Write `acts.bin` to the folder and yield lines about sentences, held-out templates and other sources."""
    generator = random.Random(seed)
    public = [Sentence(text, act, "en") for text, act in trained_sentences(data, generator)]
    sentences = [*_grammar_sentences(generator, held_out=False), *public]
    tuning, reporting = _held_out(generator, {sentence.text.lower() for sentence in sentences})
    yield f"acts: {len(sentences)} sentences, held out {len(tuning)} for tuning and {len(reporting)} for reporting"
    accuracies: list[float] = []
    tuning_features, tuning_labels = _numbers(tuning)

    def note_accuracy(epoch: int, network: Network) -> None:
        best = network.logits(tuning_features).argmax(axis=1)
        accuracies.append(float((best == tuning_labels).mean()))

    network = _fit(sentences, MAX_EPOCHS, seed, note_accuracy)
    yield f"acts: accuracy on tuning templates by epoch {[round(accuracy, 3) for accuracy in accuracies]}"
    temperature = fit_temperature(network.logits(tuning_features), tuning_labels)
    yield f"acts: temperature {temperature:.2f}"
    sources = {
        "held-out templates, English": [sentence for sentence in reporting if sentence.language == "en"],
        "held-out templates, Spanish": [sentence for sentence in reporting if sentence.language == "es"],
        **{name: [Sentence(text, act, "en") for text, act in rows] for name, rows in reported_sentences(data).items()},
    }
    for name, rows in sources.items():
        yield from _report(name, rows, network, temperature)
    shipped = _fit([*sentences, *_grammar_sentences(generator, held_out=True)], MAX_EPOCHS, seed, lambda *_: None)
    content = pack(shipped, temperature)
    (folder / "acts.bin").write_bytes(content)
    yield f"acts: {len(content)} bytes, SHA-256 {sha256(content).hexdigest()}"


def _grammar_sentences(generator: random.Random, *, held_out: bool) -> list[Sentence]:
    templates = [template for language in LANGUAGES for template in templates_of(language)]
    return [
        sentence
        for template in templates
        if template.is_held_out == held_out
        for sentence in _sentences_of(template, generator)
    ]


def _sentences_of(template: Template, generator: random.Random) -> Iterator[Sentence]:
    expansions = template.count_expansions()
    count = min(MAX_SENTENCES_A_TEMPLATE, max(2, round(2.2 * expansions**0.5)))
    for text in sorted({template.sample(generator) for _ in range(count)}):
        yield Sentence(text, template.act, template.language)
        for _ in range(2 if expansions > 3 else 5):
            noisy = add_noise(text, template.language, template.act, generator)
            yield Sentence(noisy, template.act, template.language, NOISY_WEIGHT)


def _held_out(generator: random.Random, known: set[str]) -> tuple[list[Sentence], list[Sentence]]:
    """Return sentences of held-out templates, as they are and with noise; templates are in one part only."""
    parts: tuple[list[Sentence], list[Sentence]] = ([], [])
    for language in LANGUAGES:
        for template in templates_of(language):
            if not template.is_held_out:
                continue
            part = parts[sha256(template.pattern.encode()).digest()[1] % 2]
            count = min(HELD_OUT_SAMPLES, template.count_expansions())
            texts = sorted({template.sample(generator) for _ in range(count)})
            part += [Sentence(text, template.act, language) for text in texts if text.lower() not in known]
    return parts


def _numbers(sentences: Sequence[Sentence]) -> tuple[Any, Any]:
    buckets = [act_features(sentence.text, sentence.language) for sentence in sentences]
    return bucket_matrix(buckets, BUCKETS), np.array([ACTS.index(sentence.act) for sentence in sentences])


def _fit(sentences: Sequence[Sentence], epochs: int, seed: int, after_epoch: Any) -> Network:
    features, labels = _numbers(sentences)
    weights = np.array([sentence.weight for sentence in sentences], np.float32)
    totals = np.bincount(labels, weights=weights, minlength=len(ACTS))
    weights *= ((totals.mean() / totals[labels]) ** BALANCE).astype(np.float32)
    return fit(features, labels, weights, len(ACTS), epochs=epochs, seed=seed, after_epoch=after_epoch)


def _report(name: str, sentences: Sequence[Sentence], network: Network, temperature: float) -> Iterator[str]:
    features, labels = _numbers(sentences)
    probabilities = softmax(network.logits(features) / temperature)
    best = probabilities.argmax(axis=1)
    accuracy, error = (best == labels).mean(), calibration_error(probabilities, labels)
    yield f"acts: {name}: {accuracy:.1%} of {len(labels)} right, calibration error {error:.3f}"
    right = Counter(ACTS[label] for label, guess in zip(labels, best, strict=True) if label == guess)
    total = Counter(ACTS[label] for label in labels)
    yield "acts:   " + ", ".join(f"{act} {right[act]}/{total[act]}" for act in ACTS if total[act])


def pack(network: Network, temperature: float) -> bytes:
    """Return the file that `parse_network` reads: the table in eight bits with one scale for each hidden number."""
    scales = np.abs(network.table).max(axis=0) / 127
    table = np.round(network.table / scales).astype(np.int8)
    dense = [scales, network.hidden_bias, network.output_bias, network.output.T.ravel()]
    numbers = table.tobytes() + np.concatenate(dense).astype("<f4").tobytes()
    header = json.dumps({"hidden": HIDDEN, "temperature": round(temperature, 3)})
    return header.encode() + b"\n" + compress(numbers, 9)
