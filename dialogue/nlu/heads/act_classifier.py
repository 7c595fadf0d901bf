"""What a clause does in a dialogue (yes, cancel, "what was the question?"), by n-grams, and in English by meaning too.

The n-grams need the standard library only; the meaning needs the extra `embedded`.

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

from dialogue.nlu.heads.act_features import BUCKETS, MAX_CHARACTERS, act_features
from dialogue.nlu.text.embeddings.minilm import is_installed

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
    "evasion",  # no answer and nothing else: "the same as last time", "just browsing"
    "other",  # values, requests, questions about the business
)
LANGUAGES = ("en", "es")
VECTOR_LANGUAGE = "en"
WEIGHTS_PATH = Path(__file__).with_name("acts.bin")
WEIGHTS_SHA256 = "c892570919db818598fe76f13379fff26a7f058d0c26e2393a1bc58df4d0bff6"
MAX_CACHED_CLAUSES = 2048

_loading_lock = Lock()


class ActWeightsNotGenuine(Exception):
    """The file of weights does not have the expected hash."""


@dataclass(frozen=True, slots=True)
class VectorPart:
    """A network with one layer of `hidden` numbers on sentence vectors; `numbers` are its weights, 32 bits each.

    Both networks' scores are added, the n-grams' as they are and the vector's times `share`.
    """

    hidden: int
    share: float
    temperature: float
    numbers: bytes

    def scores(self, text: str) -> list[float]:
        """Return a score for each of ACTS. Raises ModuleNotFoundError without the extra `embedded`."""
        import numpy as np

        from dialogue.nlu.text.embeddings.minilm import DIMENSIONS, embed

        numbers = np.frombuffer(self.numbers, "<f4")
        layer, bias, output, output_bias = np.split(
            numbers, np.cumsum([DIMENSIONS * self.hidden, self.hidden, self.hidden * len(ACTS)])
        )
        hidden = np.maximum(embed([text])[0] @ layer.reshape(DIMENSIONS, self.hidden) + bias, 0)
        scores: list[float] = (hidden @ output.reshape(self.hidden, len(ACTS)) + output_bias).tolist()
        return scores


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
    vector_part: "VectorPart"

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


def classify_act(text: str, language: str, *, with_vector: bool = False) -> Mapping[str, float] | None:
    """Return the probability of each of ACTS for one clause; they add up to 1.

    `language` is a BCP 47 tag; None for a language other than LANGUAGES, and for a text without words and signs. The
    probabilities do not know what was asked: the caller weighs them in the clause's context. `with_vector` reads
    English by meaning too, where the extra `embedded` is installed (some 4 ms for a text that is not embedded yet).
    Raises ActWeightsNotGenuine for other weights than those that were measured.
    """
    code = language.lower().split("-")[0]
    if code not in LANGUAGES or not text.strip():
        return None
    return _classify(text.strip(), code, with_vector and code == VECTOR_LANGUAGE and is_installed())


@lru_cache(maxsize=MAX_CACHED_CLAUSES)
def _classify(text: str, language: str, with_vector: bool) -> Mapping[str, float]:
    network = act_network()
    scores, temperature = network.scores(act_features(text, language)), network.temperature
    if with_vector:
        part = network.vector_part
        vector_scores = part.scores(text[:MAX_CHARACTERS])
        scores = [score + part.share * other for score, other in zip(scores, vector_scores, strict=True)]
        temperature = part.temperature
    return dict(zip(ACTS, softmax(scores, temperature), strict=True))


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
    """Return the network of a file: a line of JSON, then the packed numbers.

    The line is {"hidden": width, "temperature", "vector": {"hidden": width, "share", "temperature"}}.
    """
    line, _, packed = content.partition(b"\n")
    header = json.loads(line)
    numbers = decompress(packed)
    hidden, vector = header["hidden"], header["vector"]
    size, dense_size = BUCKETS * hidden, 4 * (2 * hidden + len(ACTS) * (hidden + 1))
    dense = array("f", numbers[size : size + dense_size])
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
        VectorPart(vector["hidden"], vector["share"], vector["temperature"], numbers[size + dense_size :]),
    )
