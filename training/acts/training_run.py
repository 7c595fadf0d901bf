"""One run of training: sentences, a fit without the held-out templates for the figures, a fit with all to ship."""

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import compress, crc32

import numpy as np
from scipy import sparse

from dialogue.nlu.heads.act_classifier import ACTS
from dialogue.nlu.heads.act_features import BUCKETS, act_features
from dialogue.nlu.text.embeddings.minilm import embed
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

MAX_EPOCHS = 4
# Sentences of a template: at most, and for each root of what it stands for.
SENTENCES_OF_ACT = (60, 2.2)
SENTENCES_OF_OTHER = (110, 3.0)
NOISY_WEIGHT = 0.7
# Acts with fewer sentences count more, but not as much as would make them equal.
BALANCE = 0.25
HELD_OUT_SAMPLES = 4
VECTOR_EPOCHS = 8
VECTOR_HIDDEN = 64
# The numbers of a vector are small; the network learns faster on larger ones.
VECTOR_SCALE = 6.0
SHARES = (0.2, 0.3, 0.4, 0.5, 0.7, 1.0)
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
    sentences = [*_grammar_sentences(seed, held_out=False), *public]
    tuning, reporting = _held_out(seed, {sentence.text.lower() for sentence in sentences})
    yield f"acts: {len(sentences)} sentences, held out {len(tuning)} for tuning and {len(reporting)} for reporting"
    accuracies: list[float] = []
    tuning_features, tuning_labels = _numbers(tuning)

    def note_accuracy(epoch: int, network: Network) -> None:
        best = network.logits(tuning_features).argmax(axis=1)
        accuracies.append(float((best == tuning_labels).mean()))

    network = _fit(sentences, seed, note_accuracy)
    yield f"acts: accuracy on tuning templates by epoch {[round(accuracy, 3) for accuracy in accuracies]}"
    temperature = fit_temperature(network.logits(tuning_features), tuning_labels)
    yield f"acts: temperature {temperature:.2f}"
    sources = {
        "held-out templates, English": [sentence for sentence in reporting if sentence.language == "en"],
        "held-out templates, Spanish": [sentence for sentence in reporting if sentence.language == "es"],
        **{name: [Sentence(text, act, "en") for text, act in rows] for name, rows in reported_sentences(data).items()},
    }
    for name, rows in sources.items():
        features, labels = _numbers(rows)
        yield from _report(name, labels, softmax(network.logits(features) / temperature))
    vector_network = fit_vectors(sentences, seed)
    share, vector_temperature = fit_mixture(network, vector_network, [row for row in tuning if row.language == "en"])
    yield f"acts: with vectors: share {share}, temperature {vector_temperature:.2f}"
    for name, rows in sources.items():
        if "Spanish" not in name:
            labels = _numbers(rows)[1]
            scores = mixed_scores(network, vector_network, rows, share)
            yield from _report(f"with vectors: {name}", labels, softmax(scores / vector_temperature))
    everything = [*sentences, *_grammar_sentences(seed, held_out=True)]
    shipped, shipped_vectors = _fit(everything, seed, lambda *_: None), fit_vectors(everything, seed)
    content = pack(shipped, temperature, shipped_vectors, share, vector_temperature)
    (folder / "acts.bin").write_bytes(content)
    yield f"acts: {len(content)} bytes, SHA-256 {sha256(content).hexdigest()}"


def _grammar_sentences(seed: int, *, held_out: bool) -> list[Sentence]:
    templates = [template for language in LANGUAGES for template in templates_of(language)]
    return [
        sentence
        for template in templates
        if template.is_held_out == held_out
        for sentence in _sentences_of(template, seed)
    ]


def _sentences_of(template: Template, seed: int) -> Iterator[Sentence]:
    # A chance of its own: the sentences of a template stay the same when others come and go.
    generator = random.Random(f"{seed} {template.pattern}")
    expansions = template.count_expansions()
    most, share = SENTENCES_OF_OTHER if template.act == "other" else SENTENCES_OF_ACT
    count = min(most, max(2, round(share * expansions**0.5)))
    for text in sorted({template.sample(generator) for _ in range(count)}):
        yield Sentence(text, template.act, template.language)
        for _ in range(2 if expansions > 3 else 5):
            noisy = add_noise(text, template.language, template.act, generator)
            yield Sentence(noisy, template.act, template.language, NOISY_WEIGHT)


def _held_out(seed: int, known: set[str]) -> tuple[list[Sentence], list[Sentence]]:
    """Return sentences of held-out templates, as they are and with noise; templates are in one part only."""
    parts: tuple[list[Sentence], list[Sentence]] = ([], [])
    for language in LANGUAGES:
        for template in templates_of(language):
            if not template.is_held_out:
                continue
            part = parts[sha256(template.pattern.encode()).digest()[1] % 2]
            generator = random.Random(f"{seed} {template.pattern}")
            count = min(HELD_OUT_SAMPLES, template.count_expansions())
            texts = sorted({template.sample(generator) for _ in range(count)})
            part += [Sentence(text, template.act, language) for text in texts if text.lower() not in known]
    return parts


def _numbers(sentences: Sequence[Sentence]) -> tuple[Any, Any]:
    buckets = [act_features(sentence.text, sentence.language) for sentence in sentences]
    return bucket_matrix(buckets, BUCKETS), np.array([ACTS.index(sentence.act) for sentence in sentences])


def _fit(sentences: Sequence[Sentence], seed: int, after_epoch: Any) -> Network:
    features, labels = _numbers(sentences)
    return fit(
        features,
        labels,
        _balanced_weights(sentences, labels),
        len(ACTS),
        epochs=MAX_EPOCHS,
        seed=seed,
        after_epoch=after_epoch,
    )


def _balanced_weights(sentences: Sequence[Sentence], labels: Any) -> Any:
    weights = np.array([sentence.weight for sentence in sentences], np.float32)
    totals = np.bincount(labels, weights=weights, minlength=len(ACTS)) + 1
    return weights * ((totals.mean() / totals[labels]) ** BALANCE).astype(np.float32)


def fit_vectors(sentences: Sequence[Sentence], seed: int) -> Network:
    """Return the network on sentence vectors, for English; of the sentences with noise it takes one in five."""
    chosen = [sentence for sentence in sentences if sentence.language == "en" and _is_embedded(sentence)]
    labels = np.array([ACTS.index(sentence.act) for sentence in chosen])
    return fit(
        _vectors(chosen),
        labels,
        _balanced_weights(chosen, labels),
        len(ACTS),
        epochs=VECTOR_EPOCHS,
        seed=seed,
        hidden=VECTOR_HIDDEN,
    )


def _is_embedded(sentence: Sentence) -> bool:
    """Return whether the sentence is worth its 5 ms: half of what is no act, a fifth of the noise."""
    chance = crc32(sentence.text.encode())
    if sentence.weight < 1:
        return chance % 5 == 0
    return sentence.act != "other" or chance % 2 == 1


def _vectors(sentences: Sequence[Sentence]) -> Any:
    return sparse.csr_matrix(np.stack([embed([sentence.text])[0] for sentence in sentences]) * VECTOR_SCALE)


def mixed_scores(network: Network, vector_network: Network, sentences: Sequence[Sentence], share: float) -> Any:
    """Return the sum of both networks' scores, the vectors' times `share`."""
    return network.logits(_numbers(sentences)[0]) + share * vector_network.logits(_vectors(sentences))


def fit_mixture(network: Network, vector_network: Network, sentences: Sequence[Sentence]) -> tuple[float, float]:
    """Return the share of the vectors with the smallest loss, and its temperature."""
    labels = _numbers(sentences)[1]
    mixtures = []
    for share in SHARES:
        scores = mixed_scores(network, vector_network, sentences, share)
        temperature = fit_temperature(scores, labels)
        loss = -np.log(softmax(scores / temperature)[np.arange(len(labels)), labels] + 1e-12).mean()
        mixtures.append((float(loss), share, temperature))
    _, share, temperature = min(mixtures)
    return share, temperature


def _report(name: str, labels: Any, probabilities: Any) -> Iterator[str]:
    best = probabilities.argmax(axis=1)
    accuracy, error = (best == labels).mean(), calibration_error(probabilities, labels)
    yield f"acts: {name}: {accuracy:.1%} of {len(labels)} right, calibration error {error:.3f}"
    right = Counter(ACTS[label] for label, guess in zip(labels, best, strict=True) if label == guess)
    total = Counter(ACTS[label] for label in labels)
    yield "acts:   " + ", ".join(f"{act} {right[act]}/{total[act]}" for act in ACTS if total[act])


def pack(
    network: Network, temperature: float, vector_network: Network, share: float, vector_temperature: float
) -> bytes:
    """Return the file that `parse_network` reads: the table in eight bits with one scale for each hidden number."""
    scales = np.abs(network.table).max(axis=0) / 127
    table = np.round(network.table / scales).astype(np.int8)
    dense = [scales, network.hidden_bias, network.output_bias, network.output.T.ravel()]
    dense += [vector_network.table.ravel() * VECTOR_SCALE, vector_network.hidden_bias]
    dense += [vector_network.output.ravel(), vector_network.output_bias]
    numbers = table.tobytes() + np.concatenate(dense).astype("<f4").tobytes()
    vector = {"hidden": VECTOR_HIDDEN, "share": share, "temperature": round(vector_temperature, 3)}
    header = json.dumps({"hidden": HIDDEN, "temperature": round(temperature, 3), "vector": vector})
    return header.encode() + b"\n" + compress(numbers, 9)
