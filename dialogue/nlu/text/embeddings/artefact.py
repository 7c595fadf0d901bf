"""The embeddings of a release's documents as bytes, with a digest of what they are of."""

import hashlib
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dialogue.nlu.text.embeddings import embedding_index, request_encoder
from dialogue.nlu.text.embeddings.embedding_index import ReportProgress
from dialogue.nlu.text.embeddings.minilm import DIMENSIONS, WEIGHTS_SHA256
from dialogue.nlu.text.similarity import Document, SimilarityIndex

FORMAT_VERSION = "2"
# A sentence vector and a vector by what the text asks for.
ROW_NUMBERS = 2 * DIMENSIONS
VECTOR_DTYPE = "<f4"


@dataclass(frozen=True)
class EmbeddingsArtefact:
    """`digest` names the documents, the weights and the format; `vectors` are rows of little-endian floats."""

    digest: str
    vectors: bytes

    row_bytes: ClassVar[int] = ROW_NUMBERS * np.dtype(VECTOR_DTYPE).itemsize

    def fits(self, documents: Sequence[Document]) -> bool:
        """Return whether the vectors are of these documents, by today's weights, and complete."""
        whole = len(self.vectors) == len(documents) * self.row_bytes
        return whole and self.digest == documents_digest(documents)


def documents_digest(documents: Sequence[Document]) -> str:
    """Return the SHA-256 of the documents, the weights and the format, in hexadecimal."""
    texts = hashlib.sha256(f"{FORMAT_VERSION}\n{WEIGHTS_SHA256}\n{request_encoder.SHA256}\n".encode())
    for document in documents:
        texts.update(f"{document.label}\x1f{document.text}\x1f{document.weight}\x1e".encode())
    return texts.hexdigest()


def build_artefact(documents: Sequence[Document], report: ReportProgress) -> EmbeddingsArtefact:
    """Embed every document, at some milliseconds each; calls `report(done, total)` after each few."""
    vectors = embedding_index.text_vectors([document.text for document in documents], report)
    return EmbeddingsArtefact(documents_digest(documents), vectors.astype(VECTOR_DTYPE).tobytes())


def index_factory(
    artefact: EmbeddingsArtefact, documents: Sequence[Document]
) -> Callable[[tuple[Document, ...], Set[str]], SimilarityIndex]:
    """Return a function that builds an index over some of the documents with these vectors, which must fit them."""
    vectors = np.frombuffer(artefact.vectors, VECTOR_DTYPE).reshape(-1, ROW_NUMBERS)
    rows = {document.text: row for row, document in enumerate(documents)}

    def build(part: tuple[Document, ...], function_words: Set[str]) -> SimilarityIndex:
        return embedding_index.build_index(part, function_words, vectors[[rows[document.text] for document in part]])

    return build
