"""One run of training: small assistants, rows of numbers for messages to them, two networks, and their figures."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from dialogue.nlu.heads.artefact import REQUEST_FILE
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

TRAINED_ASSISTANTS, TEMPERATURE_ASSISTANTS, REPORTED_ASSISTANTS = 320, 40, 60
PROCESSES = 4
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
    """Write `requests.json` to the folder; yield its hash, and figures on subjects that were left out."""
    random = Random(seed)
    requests, others = request_pools(data, random)
    trained = [request for request in requests if request.subject not in REPORTED_SUBJECTS]
    reported = [request for request in requests if request.subject in REPORTED_SUBJECTS]
    parts = [
        list(samples(part, others, count, random))
        for part, count in (
            (trained, TRAINED_ASSISTANTS), (trained, TEMPERATURE_ASSISTANTS), (reported, REPORTED_ASSISTANTS),
        )
    ]  # fmt: skip
    networks = {}
    rows_by_part = [_rows_of(part) for part in parts]
    for way, name in enumerate(("words", "meaning")):
        fitted, held_out, report = (rows[way] for rows in rows_by_part)
        tables = [table_of(rows) for rows in (fitted, held_out, report)]
        moments = moments_of(tables[0])
        tables = [standardised(table, moments) for table in tables]
        weights = fit(tables[0], seed)
        temperature = fit_temperature(weights, tables[1])
        networks[name] = _fields(name, weights, moments, temperature)
        yield f"{name}: {len(fitted)} messages, temperature {temperature:.2f}"
        for title, rows, table in (("held-out assistants", held_out, tables[1]), ("other subjects", report, tables[2])):
            yield f"  {title}: {_figures(rows, probabilities(weights, table, temperature))}"
    content = json.dumps(networks).encode()
    (folder / REQUEST_FILE).write_bytes(content)
    yield f"{REQUEST_FILE}: {len(content) / 1_000:.0f} kB, REQUEST_SHA256 {sha256(content).hexdigest()}"


def _rows_of(part: Sequence[Sample]) -> tuple[list[LabelledRow], list[LabelledRow]]:
    """Return the rows by words and those by meaning, worked out in PROCESSES."""
    with get_context("fork").Pool(PROCESSES, _keep_samples, (part,)) as pool:
        results = pool.map(_rows_of_sample, range(len(part)), chunksize=1)
    by_words, by_meaning = zip(*results, strict=True)
    return [row for rows in by_words for row in rows], [row for rows in by_meaning for row in rows]


_samples: list[Sample] = []


def _keep_samples(part: Sequence[Sample]) -> None:
    _samples[:] = part


def _rows_of_sample(number: int) -> tuple[list[LabelledRow], list[LabelledRow]]:
    index = AssistantIndex(_samples[number].assistant)
    by_words = list(_labelled_rows(_samples[number], index))
    index.use_index(build_index)
    return by_words, list(_labelled_rows(_samples[number], index))


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
