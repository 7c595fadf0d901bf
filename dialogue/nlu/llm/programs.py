"""Optimised programs for the language model: instructions and demonstrations as JSON, and their origin.

They are never pickled. A program that was altered, or made for another signature, DSPy version or model, is refused.
"""

import hashlib
import json
from functools import cache
from importlib.metadata import version
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dialogue.nlu.llm.model_answer import Said, SlotSaid

FORMAT_VERSION = 1
INPUT_FIELDS = ("flows", "situation", "last_bot_message", "message")
"""The input fields of `SoniDU`, in the order of the prompt."""

MAX_DEMOS = 300
MAX_INSTRUCTIONS_CHARACTERS = 20_000
Optimizer = Literal["nearest", "labeled", "bootstrap", "mipro", "gepa"]
OPTIMIZERS: tuple[Optimizer, ...] = ("nearest", "labeled", "bootstrap", "mipro", "gepa")


class ProgramRefused(Exception):
    """The stored program may not serve here. The message gives the reason."""


class CannotOptimise(Exception):
    """A program cannot be made. The message gives the reason."""


class Demo(BaseModel):
    """One labelled message: the input fields, and the commands that it means."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    flows: str
    situation: str
    last_bot_message: str
    message: str
    commands: tuple[Said, ...]


class LLMProgram(BaseModel):
    """The result of an optimisation. `data` is the hash of its labelled examples, `signature` that of the form."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int = FORMAT_VERSION
    signature: str
    dspy: str
    model: str
    optimizer: Optimizer
    data: str
    instructions: str = Field(min_length=1, max_length=MAX_INSTRUCTIONS_CHARACTERS)
    demos: tuple[Demo, ...] = Field(max_length=MAX_DEMOS)

    def canonical_json(self) -> str:
        """The JSON that is stored, the same text for the same program."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    @property
    def sha256(self) -> str:
        return sha256_of(self.canonical_json())


def sha256_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def signature_digest() -> str:
    """Hash of the form of question and answer. It includes class names and docstrings of `Said` and `SlotSaid`.

    A program that was made for another form is refused, and the cached answers have other keys.
    """
    form = {"inputs": INPUT_FIELDS, "answers": [Said.model_json_schema(), SlotSaid.model_json_schema()]}
    return sha256_of(json.dumps(form, sort_keys=True))


@cache
def dspy_version() -> str:
    """The installed version, read without importing DSPy; "" where it is not installed."""
    try:
        return version("dspy")
    except ModuleNotFoundError:
        return ""


def read_program(text: str, sha256: str, model: str) -> LLMProgram:
    """Read a stored program. Raises ProgramRefused if it was altered or made for another form, DSPy or model."""
    if sha256_of(text) != sha256:
        raise ProgramRefused("its text was altered after it was stored")
    try:
        program = LLMProgram.model_validate_json(text)
    except ValidationError as error:
        raise ProgramRefused("its text is not a program in the expected format") from error
    for name, actual, expected in (
        ("format", str(program.format), str(FORMAT_VERSION)),
        ("signature", program.signature, signature_digest()),
        ("version of DSPy", program.dspy, dspy_version()),
        ("model", program.model, model),
    ):
        if actual != expected:
            raise ProgramRefused(f"it was made for another {name} ({actual[:40]}; here is {expected[:40] or 'none'})")
    return program
