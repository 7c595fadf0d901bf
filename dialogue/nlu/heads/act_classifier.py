"""What a clause does in a dialogue (yes, cancel, "what was the question?"), by n-grams; works in every install.

`acts.bin` holds the weights that `python -m training --only acts` makes. Nothing is loaded before the first clause.
"""

import json
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from math import exp, sqrt
from pathlib import Path
from threading import Lock
from zlib import decompress

from dialogue.nlu.heads.act_features import BUCKETS, act_features

ACTS = (
    "affirm",
    "deny",
    "cancel",
    "skip",
    "correct",
    "repeat",
    "help",
    "person",
    "resume",
    "restart",
    "why",
    "status",
    "wait",
    "thanks",
    "greeting",
    "farewell",
    "small_talk",
    "insult",
    "other",  # values, requests, questions about the business
)
LANGUAGES = ("en", "es")
WEIGHTS_PATH = Path(__file__).with_name("acts.bin")
WEIGHTS_SHA256 = "4d6b53eda4087c502ebf8fdba7cf5d68536725e13ba5e566a3247fa571d699bc"
MAX_CACHED_CLAUSES = 2048

_loading_lock = Lock()


class ActWeightsNotGenuine(Exception):
    """The file of weights does not have the expected hash."""


@dataclass(frozen=True, slots=True)
class ActNetwork:
    """`table` has a row of `hidden` small whole numbers for each bucket; see `training/acts/network.py`."""

    hidden: int
    table: bytes
    scales: tuple[float, ...]
    hidden_bias: tuple[float, ...]
    output: tuple[tuple[float, ...], ...]
    output_bias: tuple[float, ...]
    temperature: float

    def scores(self, buckets: Sequence[int]) -> list[float]:
        """Return a score for each of ACTS, higher is likelier."""
        width = self.hidden
        table = memoryview(self.table).cast("b")
        rows = [table[bucket * width : (bucket + 1) * width] for bucket in buckets]
        share = 1 / sqrt(max(1, len(buckets)))
        columns: Iterable[Iterable[int]] = zip(*rows, strict=True) if rows else [()] * width
        hidden = [
            max(0.0, sum(column) * scale * share + bias)
            for column, scale, bias in zip(columns, self.scales, self.hidden_bias, strict=True)
        ]
        return [
            bias + sum(weight * value for weight, value in zip(weights, hidden, strict=True))
            for weights, bias in zip(self.output, self.output_bias, strict=True)
        ]


def classify_act(text: str, language: str) -> Mapping[str, float] | None:
    """Return the probability of each of ACTS for one clause; they add up to 1.

    `language` is a BCP 47 tag; None for a language other than LANGUAGES, and for a text without words and signs. The
    probabilities do not know what was asked: the caller weighs them in the clause's context.
    Raises ActWeightsNotGenuine for other weights than those that were measured.
    """
    code = language.lower().split("-")[0]
    if code not in LANGUAGES or not text.strip():
        return None
    return _classify(text.strip(), code)


@lru_cache(maxsize=MAX_CACHED_CLAUSES)
def _classify(text: str, language: str) -> Mapping[str, float]:
    network = act_network()
    probabilities = softmax(network.scores(act_features(text, language)), network.temperature)
    return dict(zip(ACTS, probabilities, strict=True))


def softmax(scores: Sequence[float], temperature: float) -> list[float]:
    """Return probabilities that add up to 1; a higher temperature makes them more alike."""
    highest = max(scores)
    powers = [exp((score - highest) / temperature) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


def act_network() -> ActNetwork:
    """Return the network of the process; it is loaded once. Raises ActWeightsNotGenuine."""
    with _loading_lock:
        return _load_network()


@lru_cache(maxsize=1)
def _load_network() -> ActNetwork:
    return parse_network(read_weights(WEIGHTS_PATH))


def read_weights(path: Path) -> bytes:
    """Return the file's bytes; raises ActWeightsNotGenuine for another hash than that of the measured weights."""
    content = path.read_bytes()
    if sha256(content).hexdigest() != WEIGHTS_SHA256:
        raise ActWeightsNotGenuine(f"{path.name} has another hash than the weights that were measured")
    return content


def parse_network(content: bytes) -> ActNetwork:
    """Return the network of a file: a line of JSON ({"hidden", "temperature"}), then packed numbers."""
    line, _, packed = content.partition(b"\n")
    header = json.loads(line)
    numbers = decompress(packed)
    hidden, size = header["hidden"], BUCKETS * header["hidden"]
    dense = array("f", numbers[size:])
    scales, hidden_bias = dense[:hidden], dense[hidden : 2 * hidden]
    output_bias, output = dense[2 * hidden : 2 * hidden + len(ACTS)], dense[2 * hidden + len(ACTS) :]
    return ActNetwork(
        hidden,
        numbers[:size],
        tuple(scales),
        tuple(hidden_bias),
        tuple(tuple(output[act * hidden : (act + 1) * hidden]) for act in range(len(ACTS))),
        tuple(output_bias),
        header["temperature"],
    )
