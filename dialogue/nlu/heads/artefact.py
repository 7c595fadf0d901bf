"""The trained files beside this module: found, checked by their SHA-256, and loaded once, at the first use."""

from functools import lru_cache
from threading import Lock
from typing import Any

from dialogue.nlu.text import trained_files
from dialogue.nlu.text.trained_files import ArtefactNotGenuine, session_of

__all__ = ["ArtefactNotGenuine", "checked_bytes", "session_of", "span_session"]

SPAN_FILE = "span_extractor.onnx"
SPAN_VERSION = "3"
SPAN_SHA256 = "5bd019e755c7de1df698d1bccdb5bccf59e795182e3da1f9f403177de09cdb41"
"""Of the file that was measured; `make train-reader` prints that of a file which it makes."""
REQUEST_FILE = "requests.json"
REQUEST_SHA256 = "a68df5c31684fc447b606e5f8e33f03f2d356d91f1c05f70cb3f3b6bf289980f"

_loading_lock = Lock()


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
    return trained_files.checked_bytes(__package__, name, digest)
