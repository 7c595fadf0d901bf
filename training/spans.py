"""Train the span extractor: examples, the network, the ONNX file, figures."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np

from dialogue.nlu.heads.artefact import SPAN_FILE, SPAN_VERSION, session_of
from dialogue.nlu.heads.span_extractor import read_spans
from dialogue.nlu.text.embeddings import minilm
from training.examples import Example, varied
from training.generated_sentences import generated
from training.public_turns import (
    TRAINED_DOMAINS,
    TRAINED_INTENTS,
    multidogo_examples,
    sgd_training,
    snips_examples,
)
from training.span_fit import fit
from training.span_graph import model_bytes
from training.span_network import EncodedExample, Tree, encoded
from training.span_report import report
from training.written_turns import written_examples

# So many examples of each source; what gives no value is needed too, to find none.
SGD_VALUES, SGD_NONE, MULTIDOGO_VALUES, MULTIDOGO_NONE, SNIPS_COPIES, GENERATED = 20_000, 7_000, 5_000, 2_500, 2, 24_000
WRITTEN_COPIES = 6
EPOCHS = 1.4


def train(data: Path, folder: Path, seed: int, epochs: float = EPOCHS, share: float = 1.0) -> Iterator[str]:
    """Write the file into the folder; yields lines. `share` takes a part of the examples, for a trial."""
    random = Random(seed)
    examples = training_examples(data, random)
    examples = examples[: int(len(examples) * share)]
    encoded_examples = [each for each in map(encoded, examples) if each is not None]
    values = sum(bool(each.example.spans) for each in encoded_examples)
    yield f"{len(encoded_examples)} examples, {values} with values"
    vectors = text_vectors(encoded_examples)
    yield f"{len(vectors)} texts of slots"
    weights: list[Tree] = []
    yield from fit(encoded_examples, vectors, epochs, seed, weights)
    content = model_bytes(weights[0], SPAN_VERSION)
    (folder / SPAN_FILE).write_bytes(content)
    yield f"{SPAN_FILE}: {len(content)} bytes. Put its SHA-256 into SPAN_SHA256: {hashlib.sha256(content).hexdigest()}"
    session = session_of(content)
    yield from report(data, lambda text, queries: read_spans(session, text, queries))


def training_examples(data: Path, random: Random) -> list[Example]:
    """Return all examples in random order, with variations."""
    examples = [
        *_sampled(random, sgd_training(data, random), SGD_VALUES, SGD_NONE),
        *_sampled(random, multidogo_examples(data, random, TRAINED_DOMAINS), MULTIDOGO_VALUES, MULTIDOGO_NONE),
        *snips_examples(data, random, TRAINED_INTENTS) * SNIPS_COPIES,
        *written_examples(random) * WRITTEN_COPIES,
        *generated(random, GENERATED),
    ]
    random.shuffle(examples)
    return [varied(random, example) for example in examples]


def _sampled(random: Random, examples: Sequence[Example], values: int, without: int) -> list[Example]:
    shuffled = random.sample(list(examples), len(examples))
    return [
        *[each for each in shuffled if each.spans][:values],
        *[each for each in shuffled if not each.spans][:without],
    ]


def text_vectors(examples: Sequence[EncodedExample]) -> dict[str, np.ndarray]:
    """Return the sentence vector of each text of a slot."""
    texts = {text for each in examples for variants in each.example.slots.values() for text in variants}
    return {text: minilm.embed([text])[0] for text in sorted(texts)}
