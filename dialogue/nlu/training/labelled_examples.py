"""Messages of which it is known what they mean, in the situations in which they were said; what teaching and testing
are done with.
"""

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
"""When sentences are said that come without a time."""


class LabelledExampleRefused(ValueError):
    """A line of a file holds no labelled sentence."""


@dataclass(frozen=True)
class ExpectedCommands:
    """One place in the list of commands: one of several ways to say it; `optional`: or nothing."""

    alternatives: tuple[tuple[Command, ...], ...]
    optional: bool = False

    def to_plain_data(self) -> Any:
        """The scenario form."""
        alternatives = [[to_plain(command) for command in alternative] for alternative in self.alternatives]
        return {"one_of": alternatives, **({"optional": True} if self.optional else {})}


@dataclass(frozen=True)
class LabelledExample:
    """A message in its context, and what it means; `source` says where it comes from."""

    message: str
    context: NLUContext
    expected: tuple[ExpectedCommands, ...]
    source: str = ""

    @property
    def first_commands(self) -> tuple[Command, ...]:
        """The commands, of several ways the first, optional ones included."""
        return tuple(command for position in self.expected for command in position.alternatives[0])


def examples_digest(examples: Sequence[LabelledExample]) -> str:
    """The hash of what is taught, whatever its order."""
    lines = sorted(
        json.dumps([example.message, example.source, [position.to_plain_data() for position in example.expected]])
        for example in examples
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def sample_examples(examples: Sequence[LabelledExample], size: int | None, seed: int = 0) -> list[LabelledExample]:
    """So many of them by chance, the same ones for the same seed, in their order."""
    if size is None or size >= len(examples):
        return list(examples)
    numbers = sorted(random.Random(seed).sample(range(len(examples)), size))
    return [examples[number] for number in numbers]


def split_examples(
    examples: Sequence[LabelledExample], seed: int = 0, held_out: float = 0.5
) -> tuple[list[LabelledExample], list[LabelledExample]]:
    """A part to learn from and a part held out, by the hash of what is said: a sentence is never in both."""
    train: list[LabelledExample] = []
    held_out_part: list[LabelledExample] = []
    for example in examples:
        share = int(hashlib.sha256(f"{seed} {example.message.casefold()}".encode()).hexdigest()[:8], 16) / 0xFFFFFFFF
        (held_out_part if share < held_out else train).append(example)
    return train, held_out_part


def read_sentences(lines: Iterator[str], assistant: Assistant) -> Iterator[LabelledExample]:
    """One JSON object a line, `{text, intent, slots?: [[name, start, end, text], …]}`: what users say out of nothing.

    Raises LessonRefused with the line's number.
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
        raise LabelledExampleRefused(f"line {number} is no labelled sentence: {error}") from error
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
