"""How likely a message asks for each of an assistant's flows and topics, or for none of them. Plain Python.

Two small networks, with the sentence model's numbers and without them, trained on many small assistants that were
sampled from public data (see MODEL_CARD.md). `requests.json` holds the weights, which `make train-reader` makes.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from operator import mul
from typing import Any

from dialogue.nlu.heads import artefact

Numbers = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RequestNetwork:
    """Weights by hidden unit: `label` of a label's numbers, `message` of the message's; `direct` skips the layer.

    `none` and what follows score "none of them", from the message's numbers alone.
    """

    features: tuple[str, ...]
    message_features: tuple[str, ...]
    label: tuple[Numbers, ...]
    message: tuple[Numbers, ...]
    bias: Numbers
    output: Numbers
    direct: Numbers
    none: tuple[Numbers, ...]
    none_bias: Numbers
    none_output: Numbers
    none_constant: float
    temperature: float

    def scores(self, rows: Sequence[Sequence[float]], message: Sequence[float]) -> list[float]:
        """Return a score for each row, and one for none of them, higher is likelier."""
        shared = [bias + _dot(weights, message) for weights, bias in zip(self.message, self.bias, strict=True)]
        other = [bias + _dot(weights, message) for weights, bias in zip(self.none, self.none_bias, strict=True)]
        none = self.none_constant + _dot(self.none_output, [max(0.0, value) for value in other])
        return [*(self._label_score(row, shared) for row in rows), none]

    def _label_score(self, row: Sequence[float], shared: Sequence[float]) -> float:
        hidden = (max(0.0, base + _dot(weights, row)) for weights, base in zip(self.label, shared, strict=True))
        return _dot(self.direct, row) + _dot(self.output, list(hidden))


def _dot(first: Sequence[float], second: Sequence[float]) -> float:
    total: float = sum(map(mul, first, second))
    return total


def score_requests(rows: Sequence[Sequence[float]], message: Sequence[float], *, by_meaning: bool) -> list[float]:
    """Return the probability of each row's label, and of none of them as the last; they add up to 1.

    Raises ArtefactNotGenuine for other weights than those that were measured.
    """
    network = request_networks()["meaning" if by_meaning else "words"]
    scores = network.scores(rows, message)
    highest = max(scores)
    powers = [exp((score - highest) / network.temperature) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


@lru_cache(maxsize=1)
def request_networks() -> Mapping[str, RequestNetwork]:
    """Return the networks by name: "words" and "meaning"; they are loaded once."""
    return parse_networks(artefact.checked_bytes(artefact.REQUEST_FILE, artefact.REQUEST_SHA256))


def parse_networks(content: bytes) -> Mapping[str, RequestNetwork]:
    """Return the networks of a file: JSON, the fields of RequestNetwork by name."""
    return {
        name: RequestNetwork(**{key: _as_tuples(value) for key, value in fields.items()})
        for name, fields in json.loads(content).items()
    }


def _as_tuples(value: Any) -> Any:
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value
