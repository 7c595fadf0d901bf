"""What is learned by meaning, as bytes that are kept with a release: one vector a document, and what they are of."""

import hashlib
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import ClassVar

import numpy as np

from dialogue.nlu.text.embeddings import minilm, nearness
from dialogue.nlu.text.embeddings.minilm import DIMENSIONS, SHA256
from dialogue.nlu.text.similarity import Document, Nearness

Report = Callable[[int, int], None]
FORMAT = "1"
TYPE = "<f4"
AT_ONCE = 25


@dataclass(frozen=True)
class Artefact:
    """`digest` names the documents, the weights and the format; `vectors` are rows of little-endian floats."""

    digest: str
    vectors: bytes

    row_bytes: ClassVar[int] = DIMENSIONS * np.dtype(TYPE).itemsize

    def fits(self, documents: Sequence[Document]) -> bool:
        """Was it made of these documents with today's weights, and is it whole?"""
        whole = len(self.vectors) == len(documents) * self.row_bytes
        return whole and self.digest == digest_of(documents)


def digest_of(documents: Sequence[Document]) -> str:
    texts = hashlib.sha256(f"{FORMAT}\n{SHA256}\n".encode())
    for document in documents:
        texts.update(f"{document.label}\x1f{document.text}\x1f{document.weight}\x1e".encode())
    return texts.hexdigest()


def made_of(documents: Sequence[Document], report: Report) -> Artefact:
    """Embed every document, some milliseconds each; `report(done, total)` is called on the way."""
    rows: list[bytes] = []
    for part in _parts(documents):
        rows.append(minilm.embed([document.text for document in part]).astype(TYPE).tobytes())
        report(min(len(rows) * AT_ONCE, len(documents)), len(documents))
    return Artefact(digest_of(documents), b"".join(rows))


def _parts(documents: Sequence[Document]) -> Iterator[Sequence[Document]]:
    left = iter(documents)
    while part := tuple(islice(left, AT_ONCE)):
        yield part


def comparing_with(artefact: Artefact) -> Callable[[tuple[Document, ...], Set[str]], Nearness]:
    """The way to compare that these vectors make; they must fit the documents."""
    vectors = np.frombuffer(artefact.vectors, TYPE).reshape(-1, DIMENSIONS)
    return partial(nearness.compared_by_meaning, vectors=vectors)
