"""Labelled examples: messages in their context, with the commands that they mean. For training and evaluation."""

import hashlib
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from dialogue.engine.language.compiler import Assistant
from dialogue.engine.ports.commands import CannotHandle, Command, SetSlot, StartFlow, to_plain
from dialogue.engine.understanding import NLUContext

OUT_OF_SCOPE = "oos"
DEFAULT_TIME = datetime(2026, 11, 23, 9, tzinfo=UTC)
"""The time of sentences that come without one; a fixed one keeps "tomorrow" the same in every run."""


class LabelledExampleRefused(ValueError):
    """A line of a file is not a labelled sentence."""


@dataclass(frozen=True)
class ExpectedCommands:
    """One position in the list of commands: any of `alternatives`; if `optional`, also nothing."""

    alternatives: tuple[tuple[Command, ...], ...]
    optional: bool = False

    def to_plain_data(self) -> Any:
        """The form of scenario files: `{one_of: [[command, …], …], optional?: True}`."""
        alternatives = [[to_plain(command) for command in alternative] for alternative in self.alternatives]
        return {"one_of": alternatives, **({"optional": True} if self.optional else {})}


@dataclass(frozen=True)
class LabelledExample:
    """A message in its context with the expected commands; `source` says where it comes from."""

    message: str
    context: NLUContext
    expected: tuple[ExpectedCommands, ...]
    source: str = ""

    @property
    def first_commands(self) -> tuple[Command, ...]:
        """The commands, with the first of the alternatives and with the optional ones."""
        return tuple(command for position in self.expected for command in position.alternatives[0])


def examples_digest(examples: Sequence[LabelledExample]) -> str:
    """Hash of the examples; their order does not count."""
    lines = sorted(
        json.dumps([example.message, example.source, [position.to_plain_data() for position in example.expected]])
        for example in examples
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def sample_examples(examples: Sequence[LabelledExample], size: int | None, seed: int = 0) -> list[LabelledExample]:
    """A random sample in the original order; the same one for the same seed. None takes all."""
    if size is None or size >= len(examples):
        return list(examples)
    numbers = sorted(random.Random(seed).sample(range(len(examples)), size))
    return [examples[number] for number in numbers]


def split_examples(
    examples: Sequence[LabelledExample], seed: int = 0, held_out: float = 0.5
) -> tuple[list[LabelledExample], list[LabelledExample]]:
    """Split into a training part and a held-out part, by the hash of the message: a sentence is never in both."""
    train: list[LabelledExample] = []
    held_out_part: list[LabelledExample] = []
    for example in examples:
        # By hash of the text alone: a sentence stays in its part when others are added, and so do its repeats.
        share = int(hashlib.sha256(f"{seed} {example.message.casefold()}".encode()).hexdigest()[:8], 16) / 0xFFFFFFFF
        (held_out_part if share < held_out else train).append(example)
    return train, held_out_part


def read_sentences(lines: Iterator[str], assistant: Assistant) -> Iterator[LabelledExample]:
    """Read first messages of conversations, one JSON object a line.

    The shape of a line: `{text, intent, slots?: [[name, start, end, text], …]}`. Raises LabelledExampleRefused, which
    names the line.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _read_sentence(number, line, assistant)


def _read_sentence(number: int, line: str, assistant: Assistant) -> LabelledExample:
    try:
        row = json.loads(line)
        text, intent = str(row["text"]), str(row["intent"])
        values = [(str(slot[0]), str(slot[3])) for slot in row.get("slots", ())]
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise LabelledExampleRefused(f"line {number} is not a labelled sentence: {error}") from error
    first: Command = CannotHandle("out of scope") if intent == OUT_OF_SCOPE else StartFlow(intent)
    commands = (first, *(SetSlot(name, value, value) for name, value in values))
    return LabelledExample(
        text,
        first_message_context(assistant),
        tuple(ExpectedCommands(((slot,),)) for slot in commands),
        f"line {number}",
    )


def first_message_context(
    assistant: Assistant, at: datetime = DEFAULT_TIME, filled: Mapping[str, str] | None = None
) -> NLUContext:
    """The context of a conversation's first message."""
    return NLUContext(
        awaited=None,
        awaited_slot=None,
        explicit="",
        stack=(),
        filled=dict(filled or {}),
        flows=tuple(flow for flow in assistant.flows.values() if flow.start),
        assistant=assistant,
        offer=(),
        last_messages=(),
        language=assistant.language,
        timezone=assistant.timezone,
        now=at,
    )
