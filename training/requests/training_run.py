"""One run of training: small assistants, rows of numbers for messages to them, two networks, and their figures."""

import json
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from dialogue.nlu.heads.artefact import REQUEST_FILE, REQUEST_SHA256, checked_bytes
from dialogue.nlu.readers.intents import comparable_text
from dialogue.nlu.readers.scoring.request_features import (
    MEANING_FEATURES,
    MEANING_MESSAGE_FEATURES,
    MESSAGE_FEATURES,
    WORD_FEATURES,
    RequestRows,
    request_rows,
)
from dialogue.nlu.readers.scoring.request_scores import (
    ASK_THRESHOLD,
    QUESTION_COST,
    START_THRESHOLD,
    UNANSWERED_COST,
    WRONG_QUESTION_COST,
)
from dialogue.nlu.slots.assistant_index import AssistantIndex, flow_label, topic_label
from dialogue.nlu.slots.utterance import read_utterance
from dialogue.nlu.text.embeddings.embedding_index import build_index
from dialogue.nlu.training.labelled_examples import first_message_context
from training.requests.assistants import Sample, samples
from training.requests.network import (
    fit,
    fit_temperature,
    moments_of,
    probabilities,
    standardised,
    table_of,
)
from training.requests.pools import REPORTED_SUBJECTS, request_pools
from training.requests.written import written_samples

TRAINED_ASSISTANTS, TEMPERATURE_ASSISTANTS, REPORTED_ASSISTANTS = 320, 40, 60
# Vectors take most of the time: the network by meaning learns from so many of the sampled assistants.
MEANING_ASSISTANTS = {"trained": 140, "held-out assistants": 20, "other subjects": 30}
# One in so many of the written assistants is for the figures.
WRITTEN_REPORTED = 3
PROCESSES = 2
SIGNIFICANT_DIGITS = 5
# A number and the label that is right for its message; "" where none is.
LabelledRow = tuple[RequestRows, str]


@dataclass(frozen=True)
class Outcome:
    """What the product would do with a message: shares of the messages, and the mean cost."""

    right: float
    asked: float
    unanswered: float
    wrong: float
    cost: float


def train(data: Path, folder: Path, seed: int) -> Iterator[str]:
    """Train the network by meaning, and keep the one by words; see `train_network`.

    It takes what the encoder of requests says, so that this is to be trained before.
    """
    yield from train_network("meaning", data, folder, seed)


def train_network(name: str, data: Path, folder: Path, seed: int) -> Iterator[str]:
    """Write `requests.json` to the folder with the network of that name, and the other one as the folder or the product
    has it; yield its hash, and figures on subjects that were left out.
    """
    random = Random(seed)
    requests, others = request_pools(data, random)
    trained = [request for request in requests if request.subject not in REPORTED_SUBJECTS]
    reported = [request for request in requests if request.subject in REPORTED_SUBJECTS]
    parts = {
        name: list(samples(part, others, count, random))
        for name, part, count in (
            ("trained", trained, TRAINED_ASSISTANTS),
            ("held-out assistants", trained, TEMPERATURE_ASSISTANTS),
            ("other subjects", reported, REPORTED_ASSISTANTS),
        )
    }
    own_file = folder / REQUEST_FILE
    shipped = checked_bytes(REQUEST_FILE, REQUEST_SHA256)
    networks = json.loads(own_file.read_bytes() if own_file.exists() else shipped)
    networks[name] = yield from _network(name, _rows_by_part(name, parts, seed), seed)
    content = json.dumps(networks).encode()
    own_file.write_bytes(content)
    yield f"{REQUEST_FILE}: {len(content) / 1_000:.0f} kB, REQUEST_SHA256 {sha256(content).hexdigest()}"


def _network(name: str, rows: Mapping[str, Sequence[LabelledRow]], seed: int) -> Generator[str, None, dict[str, Any]]:
    """Yield figures; return the network's fields. Where written messages are reported, the network learns from them
    after the figures.
    """
    tables = {part: table_of(some) for part, some in rows.items()}
    moments = moments_of(tables["trained"])
    tables = {part: standardised(table, moments) for part, table in tables.items()}
    weights = fit(tables["trained"], seed)
    # The encoder knows the sampled subjects, and is more often right there.
    temperature = fit_temperature(weights, tables.get("other written assistants", tables["held-out assistants"]))
    yield f"{name}: {len(rows['trained'])} messages, temperature {temperature:.2f}"
    for part in rows:
        if part not in ("trained", "all"):
            yield f"  {part}: {_figures(rows[part], probabilities(weights, tables[part], temperature))}"
    if "all" in rows:
        weights = fit(tables["all"], seed)
    return _fields(name, weights, moments, temperature)


def _rows_by_part(name: str, parts: Mapping[str, Sequence[Sample]], seed: int) -> dict[str, list[LabelledRow]]:
    """Return the rows of the network of that name; the one by meaning learns from written assistants too."""
    if name == "words":
        return {part: _rows_of(some, by_meaning=False) for part, some in parts.items()}
    rows = {part: _rows_of(some[: MEANING_ASSISTANTS[part]], by_meaning=True) for part, some in parts.items()}
    written = written_samples(Random(seed))
    reported = [number % WRITTEN_REPORTED == 0 for number in range(len(written))]
    learned = [pair for pair, is_reported in zip(written, reported, strict=True) if not is_reported]
    kept = [pair for pair, is_reported in zip(written, reported, strict=True) if is_reported]
    own = _rows_of([sample for pair in learned for sample in pair], by_meaning=True)
    other = _rows_of([sample for pair in kept for sample in pair], by_meaning=True)
    rows["trained"] += own
    rows["other written assistants"] = _rows_of([whole for whole, _ in kept], by_meaning=True)
    rows["all"] = rows["trained"] + other
    return rows


def _rows_of(part: Sequence[Sample], *, by_meaning: bool) -> list[LabelledRow]:
    """Return the rows of the messages, worked out in PROCESSES."""
    with get_context("fork").Pool(PROCESSES, _keep_samples, (part,)) as pool:
        work = partial(_rows_of_sample, by_meaning=by_meaning)
        return [row for rows in pool.map(work, range(len(part)), chunksize=1) for row in rows]


_samples: list[Sample] = []


def _keep_samples(part: Sequence[Sample]) -> None:
    _samples[:] = part


def _rows_of_sample(number: int, *, by_meaning: bool) -> list[LabelledRow]:
    index = AssistantIndex(_samples[number].assistant)
    if by_meaning:
        index.use_index(build_index)
    return list(_labelled_rows(_samples[number], index))


def _labelled_rows(sample: Sample, index: AssistantIndex) -> Iterator[LabelledRow]:
    """Yield the numbers of each message, and its label."""
    context = first_message_context(sample.assistant)
    flows, topics = sample.assistant.flows, sample.assistant.knowledge
    labels = frozenset([*map(flow_label, flows), *map(topic_label, topics)])
    for message in sample.messages:
        utterance = read_utterance(message.text, context, index)
        rows = request_rows(utterance, comparable_text(utterance), labels)
        if rows.labels:
            yield rows, message.label


def _fields(name: str, weights: dict[str, Any], moments: Sequence[Any], temperature: float) -> dict[str, Any]:
    """Return the fields of a RequestNetwork, with the means and deviations worked into the weights."""
    label_mean, label_deviation, mean, deviation = moments
    label, message = weights["label"] / label_deviation[:, None], weights["message"] / deviation[:, None]
    none, direct = weights["none"] / deviation[:, None], weights["direct"] / label_deviation
    by_meaning = name == "meaning"
    return {
        "features": [*WORD_FEATURES, *(MEANING_FEATURES if by_meaning else ())],
        "message_features": [*MESSAGE_FEATURES, *(MEANING_MESSAGE_FEATURES if by_meaning else ())],
        "label": _rounded(label.T),
        "message": _rounded(message.T),
        "bias": _rounded(weights["bias"] - label_mean @ label - mean @ message),
        "output": _rounded(weights["output"]),
        "direct": _rounded(direct),
        "none": _rounded(none.T),
        "none_bias": _rounded(weights["none_bias"] - mean @ none),
        "none_output": _rounded(weights["none_output"]),
        "none_constant": _rounded(weights["none_constant"] + label_mean @ direct),
        "temperature": _rounded(temperature),
    }


def _rounded(numbers: Any) -> Any:
    rounded = np.vectorize(lambda number: float(f"{number:.{SIGNIFICANT_DIGITS}g}"))(np.asarray(numbers, np.float64))
    return rounded.tolist()


def _figures(rows: Sequence[LabelledRow], chances: Any) -> str:
    outcome = outcome_of(rows, chances)
    best = [row.labels[int(chance[: len(row.labels)].argmax())] for (row, _), chance in zip(rows, chances, strict=True)]
    requests = [(label, target) for label, (_, target) in zip(best, rows, strict=True) if target]
    nearest = np.mean([label == target for label, target in requests])
    return (
        f"{len(rows)} messages; likeliest right {nearest:.1%} of requests; right {outcome.right:.1%}, "
        f"asked {outcome.asked:.1%}, not understood {outcome.unanswered:.1%}, wrong {outcome.wrong:.1%}, "
        f"cost {outcome.cost:.2f}"
    )


def outcome_of(rows: Sequence[LabelledRow], chances: Any) -> Outcome:
    """Return what comes of the messages with the product's thresholds."""
    results = [_result(row, target, chance) for (row, target), chance in zip(rows, chances, strict=True)]
    count = len(results)
    kinds = Counter(kind for kind, _ in results)
    return Outcome(
        right=kinds["right"] / count,
        asked=kinds["asked"] / count,
        unanswered=kinds["unanswered"] / count,
        wrong=kinds["wrong"] / count,
        cost=sum(cost for _, cost in results) / count,
    )


def _result(row: RequestRows, target: str, chance: Any) -> tuple[str, float]:
    best = int(chance[: len(row.labels)].argmax())
    if chance[best] >= START_THRESHOLD:
        return ("right", 0.0) if row.labels[best] == target else ("wrong", WRONG_QUESTION_COST)
    if chance[-1] <= 1 - ASK_THRESHOLD:
        return "asked", QUESTION_COST
    return ("unanswered", UNANSWERED_COST) if target else ("right", 0.0)
