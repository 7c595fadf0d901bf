"""Vectors of texts by what they ask for: the sentence model's upper three layers, trained on first messages.

"There is a brown stain on my ceiling" is near "I have a leak", which the sentence model itself does not know. Texts of
flows have such a vector beside their sentence vector. `request_encoder.onnx` is what `make train-reader` makes.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from dialogue.nlu.text.embeddings.minilm import DIMENSIONS, MAX_CACHED_TEXTS, embed, token_states
from dialogue.nlu.text.similarity import Document
from dialogue.nlu.text.trained_files import checked_bytes, session_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

FILE = "request_encoder.onnx"
SHA256 = "e73af95e35e943b494ab757903ba088cc8e6378c9f3aefe3fe984d6b2645c327"
VERSION = "1"
WEIGHTS_NAME = "label_weights"
# Many texts of a label count less than so many times one: what the sum is divided by is their number to this power.
SHARPNESS = 0.5
TOPIC_PREFIX = "topic "
KINDS = ("example", "title", "description", "slots", "options", "question")
"""What a text of a flow or topic is; the order is that of the trained weights."""

_loading_lock = Lock()


@dataclass(frozen=True)
class ReadMessage:
    """A text's vector of length 1, and the score of asking for nothing that an assistant has."""

    vector: "Vectors"
    none: float


@dataclass(frozen=True)
class LabelScore:
    """How well a message fits a label: `choose` beside other labels and none of them, `fit` by itself."""

    choose: float
    fit: float


class RequestEncoder:
    """The trained layers, and what a likeness adds to a label's score, by the kind of the text."""

    def __init__(self, session: Any) -> None:
        import numpy as np

        self._session = session
        weights = json.loads(session.get_modelmeta().custom_metadata_map[WEIGHTS_NAME])
        self._weights = {name: np.array(numbers, np.float64) for name, numbers in weights.items()}

    def read(self, states: "Vectors", vector: "Vectors") -> ReadMessage:
        """Return what the layers make of a text: of its tokens after the lower layers, and of its sentence vector."""
        request, none = self._session.run(None, {"states": states, "vector": vector})
        return ReadMessage(request, float(none))

    def label_scores(
        self, labels: Sequence[str], kinds: Sequence[int], tuned: "NDArray[Any]", plain: "NDArray[Any]"
    ) -> Mapping[str, LabelScore]:
        """Return the scores of each label. For each text: its label, its place in KINDS, and two likenesses to the
        message, of the trained vectors and of the sentence model's.
        """
        import numpy as np

        places = np.array(kinds)
        columns = {label: column for column, label in enumerate(dict.fromkeys(labels))}
        owners = np.array([columns[label] for label in labels])
        counts = np.bincount(owners, minlength=len(columns))
        scores = {}
        for name in ("choose", "fit"):
            tuned_weights, plain_weights, bias = (
                self._weights[f"{name}_{part}"] for part in ("tuned", "plain", "bias")
            )
            each = tuned_weights[places] * tuned + plain_weights[places] * plain + bias[places]
            sums = np.bincount(owners, np.exp(each), minlength=len(columns))
            scores[name] = (np.log(sums) - SHARPNESS * np.log(counts)).tolist()
        constant = float(self._weights["fit_constant"][0])
        return {
            label: LabelScore(scores["choose"][column], scores["fit"][column] + constant)
            for label, column in columns.items()
        }


def text_kind(document: Document) -> str:
    """Return which of KINDS the text is."""
    return "question" if document.label.startswith(TOPIC_PREFIX) else document.kind


def request_vectors(texts: Sequence[str], sentence_vectors: "Vectors") -> "Vectors":
    """Return one row of length 1 for each text with its sentence vector; it takes some milliseconds each.

    Raises ModuleNotFoundError without the extra `embedded`, ArtefactNotGenuine for another file.
    """
    import numpy as np

    pairs = zip(texts, sentence_vectors, strict=True)
    rows = [request_encoder().read(token_states(text), vector).vector for text, vector in pairs]
    return np.stack(rows) if rows else np.zeros((0, DIMENSIONS), np.float32)


@lru_cache(maxsize=MAX_CACHED_TEXTS)
def read_message(text: str) -> ReadMessage:
    """Return what the encoder makes of the text."""
    return request_encoder().read(token_states(text), embed([text])[0])


def request_encoder() -> RequestEncoder:
    """Return the encoder of the process; it is loaded once."""
    with _loading_lock:
        return _load_encoder()


@lru_cache(maxsize=1)
def _load_encoder() -> RequestEncoder:
    return RequestEncoder(session_of(checked_bytes(__package__, FILE, SHA256)))
