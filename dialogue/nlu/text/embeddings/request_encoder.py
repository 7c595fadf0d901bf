"""Vectors of texts by what they ask for: the sentence model's upper three layers, trained on first messages.

"There is a brown stain on my ceiling" is near "I have a leak", which the sentence model itself does not know. Texts of
flows have such a vector beside their sentence vector. `request_encoder.onnx` is what `make train-reader` makes.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from dialogue.nlu.text.embeddings.minilm import MAX_CACHED_TEXTS, embed, token_states
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
class LabelScores:
    """How well a message fits each label: `choose` beside other labels and none of them, `fit` by itself."""

    choose: Mapping[str, float]
    fit: Mapping[str, float]


@dataclass(frozen=True)
class LabelledTexts:
    """The texts that a message is compared with: for each its label and its place in KINDS."""

    labels: Sequence[str]
    kinds: Sequence[int]

    @cached_property
    def columns(self) -> Mapping[str, int]:
        """The number of each label."""
        return {label: column for column, label in enumerate(dict.fromkeys(self.labels))}

    @cached_property
    def owners(self) -> "NDArray[Any]":
        """The number of each text's label."""
        import numpy as np

        return np.array([self.columns[label] for label in self.labels])

    @cached_property
    def counts(self) -> "NDArray[Any]":
        """How many texts each label has."""
        import numpy as np

        return np.bincount(self.owners, minlength=len(self.columns))

    @cached_property
    def places(self) -> "NDArray[Any]":
        """The kinds as an array."""
        import numpy as np

        return np.array(self.kinds)


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

    def label_scores(self, texts: LabelledTexts, tuned: "NDArray[Any]", plain: "NDArray[Any]") -> LabelScores:
        """Return the scores of each label. For each text there are two likenesses to the message, of the trained
        vectors and of the sentence model's.
        """
        choose = self._sums_by_label("choose", texts, tuned, plain)
        fit = self._sums_by_label("fit", texts, tuned, plain) + self._weights["fit_constant"][0]
        return LabelScores(
            dict(zip(texts.columns, choose.tolist(), strict=True)), dict(zip(texts.columns, fit.tolist(), strict=True))
        )

    def _sums_by_label(
        self, name: str, texts: LabelledTexts, tuned: "NDArray[Any]", plain: "NDArray[Any]"
    ) -> "NDArray[Any]":
        import numpy as np

        parts = ("tuned", "plain", "bias")
        tuned_weights, plain_weights, bias = (self._weights[f"{name}_{part}"][texts.places] for part in parts)
        sums = np.bincount(
            texts.owners, np.exp(tuned_weights * tuned + plain_weights * plain + bias), minlength=len(texts.columns)
        )
        logarithms: NDArray[Any] = np.log(sums) - SHARPNESS * np.log(texts.counts)
        return logarithms


def text_kind(document: Document) -> str:
    """Return which of KINDS the text is."""
    return "question" if document.label.startswith(TOPIC_PREFIX) else document.kind


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
