"""Batches of the encoder of requests: some messages to one assistant, and some texts of its flows and topics.

Texts are put one behind the other into rows of the same length, and see only themselves: hardly a place is empty.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from dialogue.nlu.text.embeddings.minilm import DIMENSIONS
from dialogue.nlu.text.embeddings.request_encoder import KINDS
from training.encoder.groups import Asked, Group

ROWS, ROW_TOKENS = 9, 128
MAX_MESSAGES, MAX_TEXTS, MAX_LABELS, MIN_LABELS = 22, 64, 14, 5
MAX_MESSAGE_TOKENS, MAX_TEXT_TOKENS = 56, 36
WRITTEN_SHARE, LEFT_OUT_TOKENS, FOREIGN_SHARE, MAX_FOREIGN_LABELS, MAX_EXAMPLES = 0.6, 0.08, 0.5, 4, 3
# How often a text of each kind is there, and how many labels are left out, so that what asks for them asks for none.
KIND_SHARES = {"title": 0.8, "description": 0.8, "slots": 0.5, "options": 0.7}
LABELS_LEFT_OUT = (0, 0, 0, 1, 2)
NOWHERE, NO_TEXT = -1, -2
FOREIGN = "other "
Batch = dict[str, np.ndarray]


@dataclass(frozen=True)
class Encoded:
    """What the sentence model makes of a text: the tokens after its lower layers, and the sentence's vector."""

    states: Any
    vector: Any


Texts = Mapping[str, Encoded]


@dataclass(frozen=True)
class Chosen:
    """Labels in order, texts with the place of their label and their kind, and messages."""

    labels: Sequence[str]
    texts: Sequence[tuple[int, int, str]]
    messages: Sequence[Asked]


def packed(texts: Sequence[str], limits: Sequence[int], encoded: Texts) -> tuple[Any, Any, list[bool]]:
    """Return the tokens' states in rows, the number of the text of each place, and which texts found a place."""
    states = np.zeros((ROWS, ROW_TOKENS, DIMENSIONS), np.float32)
    numbers = np.full((ROWS, ROW_TOKENS), NOWHERE, np.int32)
    filled, placed = [0] * ROWS, [False] * len(texts)
    lengths = [min(limit, len(encoded[text].states)) for text, limit in zip(texts, limits, strict=True)]
    for number in sorted(range(len(texts)), key=lambda number: -lengths[number]):
        length = lengths[number]
        row = next((row for row in range(ROWS) if filled[row] + length <= ROW_TOKENS), None)
        if row is not None:
            places = slice(filled[row], filled[row] + length)
            states[row, places], numbers[row, places] = encoded[texts[number]].states[:length], number
            filled[row] += length
            placed[number] = True
    return states, numbers, placed


def random_batch(groups: Mapping[str, Sequence[Group]], encoded: Texts, random: Random) -> Batch:
    """Return a batch of a random assistant; `groups` are those of each source."""
    source = "written" if random.random() < WRITTEN_SHARE else "sampled"
    group = random.choice(groups[source])
    other = random.choice(groups[random.choice(("written", "sampled"))])
    # Sampled assistants may have the same flow.
    is_foreign = other is not group and "written" in (other.source, group.source) and random.random() < FOREIGN_SHARE
    return _batch_of(_chosen(group, other if is_foreign else None, random), encoded, random)


def _chosen(group: Group, other: Group | None, random: Random) -> Chosen:
    messages = random.sample(group.messages, min(MAX_MESSAGES, len(group.messages)))
    wanted = {label for message in messages for label in message.labels}
    labels = random.sample(sorted(group.texts), len(group.texts))
    gone = set(random.sample(labels, min(len(labels) - 1, random.choice(LABELS_LEFT_OUT))))
    kept = [label for label in labels if label in wanted - gone]
    rest = [label for label in labels if label not in wanted | gone]
    kept = [*kept, *rest][: max(random.randint(MIN_LABELS, MAX_LABELS), len(kept))][:MAX_LABELS]
    texts = {label: group.texts[label] for label in kept}
    if other is not None and len(kept) < MAX_LABELS:
        number = min(len(other.texts), MAX_LABELS - len(kept), random.randint(1, MAX_FOREIGN_LABELS))
        texts |= {FOREIGN + label: other.texts[label] for label in random.sample(sorted(other.texts), number)}
    pieces = [
        (place, KINDS.index(kind), text)
        for place, label in enumerate(texts)
        for kind, text in _some_texts(texts[label], random)
    ]
    return Chosen(list(texts), pieces[:MAX_TEXTS], messages)


def _some_texts(texts: Sequence[tuple[str, str]], random: Random) -> list[tuple[str, str]]:
    examples = [pair for pair in texts if pair[0] not in KIND_SHARES]
    some = random.sample(examples, min(len(examples), random.randint(1, MAX_EXAMPLES)))
    some += [pair for pair in texts if random.random() < KIND_SHARES.get(pair[0], 0.0)]
    return some or list(texts[:1])


def _batch_of(chosen: Chosen, encoded: Texts, random: Random) -> Batch:
    messages = [message.text for message in chosen.messages]
    texts = [*messages, *(text for _, _, text in chosen.texts)]
    limits = [MAX_MESSAGE_TOKENS] * len(messages) + [MAX_TEXT_TOKENS] * len(chosen.texts)
    states, numbers, placed = packed(texts, limits, encoded)
    count = MAX_MESSAGES + MAX_TEXTS
    batch: Batch = {
        "states": states,
        "numbers": _with_gaps(numbers, len(messages), random),
        "text": np.full(count, NO_TEXT, np.int32),
        "vector": np.zeros((count, DIMENSIONS), np.float32),
        "label": np.full(MAX_TEXTS, MAX_LABELS, np.int32),
        "kind": np.zeros(MAX_TEXTS, np.int32),
        "target": np.zeros((MAX_MESSAGES, MAX_LABELS + 1), np.float32),
        "is_message": np.zeros(MAX_MESSAGES, np.float32),
        "is_label": np.zeros(MAX_LABELS, np.float32),
    }
    for number, (label, kind, text) in enumerate(chosen.texts):
        if placed[len(messages) + number]:
            place = MAX_MESSAGES + number
            batch["text"][place], batch["vector"][place] = len(messages) + number, encoded[text].vector
            batch["label"][number], batch["kind"][number], batch["is_label"][label] = label, kind, 1
    for number, message in enumerate(chosen.messages):
        if placed[number]:
            batch["text"][number], batch["vector"][number] = number, encoded[message.text].vector
            batch["is_message"][number] = 1
        wanted = [place for place, label in enumerate(chosen.labels) if label in message.labels]
        for place in [place for place in wanted if batch["is_label"][place]] or [MAX_LABELS]:
            batch["target"][number, place] = 1
    return batch


def _with_gaps(numbers: Any, messages: int, random: Random) -> Any:
    """Leave out some tokens of messages, never all of them."""
    chances = np.random.default_rng(random.getrandbits(32)).random(numbers.shape)
    gaps = (chances < LEFT_OUT_TOKENS) & (numbers >= 0) & (numbers < messages)
    kept = np.where(gaps, NOWHERE, numbers)
    for number in range(messages):
        if not (kept == number).any():
            kept = np.where(numbers == number, number, kept)
    return kept
