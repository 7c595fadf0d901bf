"""A program for the language model as an artefact: instructions and demonstrations as JSON, and what they were made by.

Never pickled. What was altered, or made for another signature, another DSPy or another model, is refused.
"""

import hashlib
import json
from functools import cache
from importlib.metadata import version
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dialogue.nlu.llm.model_answer import Said, SlotSaid

FORMAT = 1
INPUTS = ("flows", "situation", "last_bot_message", "message")
"""The input fields of `SoniDU`, in the order of the prompt."""

MOST_DEMOS = 300
LONGEST_INSTRUCTIONS = 20_000
Optimizer = Literal["nearest", "labeled", "bootstrap", "mipro", "gepa"]
OPTIMIZERS: tuple[Optimizer, ...] = ("nearest", "labeled", "bootstrap", "mipro", "gepa")


class ProgramRefused(Exception):
    """A program that may not serve here; the message says why."""


class Unlearnable(Exception):
    """A program that cannot be made; the message says why."""


class Demo(BaseModel):
    """One labelled message: the input fields, and the commands that it means."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    flows: str
    situation: str
    last_bot_message: str
    message: str
    commands: tuple[Said, ...]


class Artefact(BaseModel):
    """What an optimisation made. `data` is the hash of the messages that it learned from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int = FORMAT
    signature: str
    dspy: str
    model: str
    optimizer: Optimizer
    data: str
    instructions: str = Field(min_length=1, max_length=LONGEST_INSTRUCTIONS)
    demos: tuple[Demo, ...] = Field(max_length=MOST_DEMOS)

    def text(self) -> str:
        """The JSON that is stored, always the same for the same program."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    @property
    def sha256(self) -> str:
        return digest(self.text())


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def signature_digest() -> str:
    """The hash of the form of question and answer; a program made for another form cannot serve."""
    form = {"inputs": INPUTS, "answers": [Said.model_json_schema(), SlotSaid.model_json_schema()]}
    return digest(json.dumps(form, sort_keys=True))


@cache
def dspy_version() -> str:
    """Without importing DSPy; "" where it is not installed."""
    try:
        return version("dspy")
    except ModuleNotFoundError:
        return ""


def read_program(text: str, sha256: str, model: str) -> Artefact:
    """The stored program. Raises ProgramRefused unless it is whole and was made for this form, DSPy and model."""
    if digest(text) != sha256:
        raise ProgramRefused("its text is not the one that was stored")
    try:
        artefact = Artefact.model_validate_json(text)
    except ValidationError as why:
        raise ProgramRefused("it is no program of this kind") from why
    for name, own, wanted in _origins(artefact, model):
        if own != wanted:
            raise ProgramRefused(f"it was made for another {name} ({own[:40]}; here is {wanted[:40] or 'none'})")
    return artefact


def _origins(artefact: Artefact, model: str) -> tuple[tuple[str, Any, Any], ...]:
    return (
        ("format", str(artefact.format), str(FORMAT)),
        ("signature", artefact.signature, signature_digest()),
        ("version of DSPy", artefact.dspy, dspy_version()),
        ("model", artefact.model, model),
    )
