"""Fit the score that says when a language model is asked: which signs of a local reading go with its errors.

Trained on the SGD dialogues whose hash is even, measured on the others. Prints the constants of
`dialogue/nlu/pipeline/confidence.py`: copy them by hand, since a new score needs a look at its figures.
"""

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench.nlu.lessons import dialogue_lessons
from bench.nlu.sgd_flows import assistant_of
from dialogue.nlu import NLUPipeline, build_nlu
from dialogue.nlu.pipeline.doubt_features import FEATURES, doubt_features
from dialogue.nlu.pipeline.nlu_pipeline import LOCAL_COMPONENTS
from dialogue.nlu.readers.command_filter import filter_commands
from dialogue.nlu.readers.pending_decisions import protect_pending_values
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.settings import NLUSettings
from dialogue.nlu.slots.utterance import Utterance, read_utterance
from dialogue.nlu.training.command_equivalence import judge_commands
from dialogue.nlu.training.labelled_examples import LabelledExample

# Weak signs have weights near 0; so few turns fit nearly any data without it.
PENALTY = 3.0
MAX_CALLS_PER_TURN = 0.5
STEPS = 50
# Components after which a model may be asked; what `structured` and `rules` decide is sure.
GUESSING = ("learned", "leftover")


@dataclass(frozen=True)
class Reading:
    """What the local readers made of one turn. `features` is None where no doubt is possible.

    `is_open`: no reader decided, so that a model is asked in any case. `is_wrong` is None without a clear label.
    """

    is_tuning: bool
    is_open: bool
    features: tuple[float, ...] | None
    is_wrong: bool | None
    is_mendable: bool


def train(data: Path, folder: Path, seed: int) -> Iterator[str]:
    """Yield the constants, and what a perfect model would reach in each half. Nothing is random: the seed is unused."""
    assistant = assistant_of(data / "sgd")
    nlu = build_nlu(assistant, "learned", NLUSettings(use_embeddings=True))
    nlu.prepare()
    readings = [_read(example, nlu) for example in dialogue_lessons(data / "sgd", assistant)]
    tuning = [reading for reading in readings if reading.is_tuning]
    weights = fit([reading for reading in tuning if reading.features and reading.is_wrong is not None])
    threshold = threshold_for(tuning, weights)
    yield from (f'    "{name}": {weight:.2f},' for name, weight in zip(FEATURES, weights, strict=False))
    yield f"BIAS = {weights[-1]:.2f}"
    yield f"MIN_DOUBT = {threshold:.2f}"
    for name, is_tuning in (("tuning", True), ("other", False)):
        yield _figures(name, [reading for reading in readings if reading.is_tuning is is_tuning], weights, threshold)


def is_for_tuning(example: LabelledExample) -> bool:
    """Return whether the dialogue belongs to the half for tuning."""
    dialogue = example.source.split(",")[0]
    return hashlib.sha256(dialogue.encode()).digest()[0] < 128


def fit(readings: Sequence[Reading]) -> np.ndarray:
    """Return the weights of a logistic regression, the bias last, by Newton's method."""
    signs = np.array([(*(reading.features or ()), 1.0) for reading in readings])
    wrong = np.array([bool(reading.is_wrong) for reading in readings], dtype=float)
    penalty = np.full(signs.shape[1], PENALTY)
    penalty[-1] = 1e-6
    weights = np.zeros(signs.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-signs @ weights))
        slope = signs.T @ (likely - wrong) + penalty * weights
        curvature = (signs.T * (likely * (1 - likely))) @ signs + np.diag(penalty)
        weights -= np.linalg.solve(curvature, slope)
    return weights


def threshold_for(readings: Sequence[Reading], weights: np.ndarray) -> float:
    """Return the doubt from which on a model is asked, so that `MAX_CALLS_PER_TURN` is kept."""
    doubts = sorted((_doubt(reading, weights) for reading in readings if reading.features), reverse=True)
    calls = int(MAX_CALLS_PER_TURN * len(readings)) - sum(reading.is_open for reading in readings)
    return float(doubts[min(calls, len(doubts) - 1)])


def _doubt(reading: Reading, weights: np.ndarray) -> float:
    return float(np.array((*(reading.features or ()), 1.0)) @ weights)


def _figures(name: str, readings: Sequence[Reading], weights: np.ndarray, threshold: float) -> str:
    asked = [
        reading.is_open or (reading.features is not None and _doubt(reading, weights) > threshold)
        for reading in readings
    ]
    right = [
        reading.is_mendable if is_asked else not reading.is_wrong
        for reading, is_asked in zip(readings, asked, strict=True)
        if reading.is_wrong is not None
    ]
    return f"{name} half: {100 * np.mean(right):.1f} % of {len(right)} turns at {np.mean(asked):.2f} calls a turn"


def _read(example: LabelledExample, nlu: NLUPipeline) -> Reading:
    utterance = read_utterance(example.message, example.context, nlu.assistant_index)
    component, proposal = asyncio.run(_decision(utterance))
    commands = asyncio.run(nlu.understand(example.message, example.context)).commands
    model = Proposal(example.first_commands)
    return Reading(
        is_tuning=is_for_tuning(example),
        is_open=proposal is None,
        features=tuple(doubt_features(proposal, utterance).values()) if proposal and component in GUESSING else None,
        is_wrong=not judge_commands(example, commands).exact if example.expected else None,
        is_mendable=judge_commands(example, _accepted(model, utterance).commands or commands).exact,
    )


async def _decision(utterance: Utterance) -> tuple[str, Proposal | None]:
    """The first component that decides, and what it proposes; "" and None where none does."""
    for name in ("structured", "rules", *GUESSING):
        proposal = await LOCAL_COMPONENTS[name]().propose(utterance)
        accepted = _accepted(proposal, utterance) if proposal else None
        if accepted is not None and accepted.commands and accepted.decided:
            return name, accepted
    return "", None


def _accepted(proposal: Proposal, utterance: Utterance) -> Proposal:
    possible, _dropped = filter_commands(proposal.commands, utterance)
    return replace(proposal, commands=protect_pending_values(possible, utterance)[0])
