"""Trained files beside a module: checked by their SHA-256, and loaded with ONNX Runtime."""

import hashlib
from importlib.resources import files
from typing import Any


class ArtefactNotGenuine(Exception):
    """A trained file does not have the expected hash."""


def checked_bytes(package: str, name: str, digest: str) -> bytes:
    """Return the bytes of a file of the package; raises ArtefactNotGenuine for another hash."""
    content = (files(package) / name).read_bytes()
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
