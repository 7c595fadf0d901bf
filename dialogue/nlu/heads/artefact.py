"""The trained files beside this module: found, checked by their SHA-256, and loaded once, at the first use."""

import hashlib
from functools import lru_cache
from importlib.resources import files
from threading import Lock
from typing import Any

SPAN_FILE = "span_extractor.onnx"
SPAN_VERSION = "1"
SPAN_SHA256 = "fd55fa316816b6de253d78e21333c8f400e6cf958b411c2c428ca8942369c088"
"""Of the file that was measured; `make train-reader` prints that of a file which it makes."""
REQUEST_FILE = "requests.json"
REQUEST_SHA256 = "e9e6fda49acfb458f5dea28ab486a98574583c62cfac2a68446c9fd5e445e644"

_loading_lock = Lock()


class ArtefactNotGenuine(Exception):
    """A trained file does not have the expected hash."""


def span_session() -> Any:
    """Return the process's session of the span extractor; it is loaded once, in some tenths of a second.

    Raises ModuleNotFoundError without the extra `embedded`, ArtefactNotGenuine for another file.
    """
    with _loading_lock:
        return _load_span_session()


@lru_cache(maxsize=1)
def _load_span_session() -> Any:
    return session_of(checked_bytes(SPAN_FILE, SPAN_SHA256))


def checked_bytes(name: str, digest: str) -> bytes:
    """Return the file's bytes; raises ArtefactNotGenuine for another hash."""
    content = (files(__package__) / name).read_bytes()
    if hashlib.sha256(content).hexdigest() != digest:
        raise ArtefactNotGenuine(f"{name} has another hash than the file that was measured. Install the package again.")
    return content


def session_of(model: bytes) -> Any:
    """Return a session of ONNX Runtime for a model's bytes."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # messages come one at a time, and turns share the cores
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
