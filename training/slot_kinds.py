"""Slots that the generated sentences are about: their names, what is asked, and how people mention a value."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from training.word_lists import FOLDER


@dataclass(frozen=True)
class SlotKind:
    """`names` are pairs of name and description; in `mentions`, which follow a request, `{v}` stands for the value.

    `value` is the name of a maker in `generated_values.VALUES`; `answers` answer the `prompts`.
    """

    value: str
    names: tuple[tuple[str, str], ...]
    mentions: tuple[str, ...]
    prompts: tuple[str, ...]
    answers: tuple[str, ...]


def _read() -> tuple[SlotKind, ...]:
    return tuple(map(_kind, yaml.safe_load((FOLDER / "slot_kinds.yaml").read_text(encoding="utf-8"))))


def _kind(row: dict[str, Any]) -> SlotKind:
    names: Sequence[Sequence[str]] = row["names"]
    return SlotKind(
        row["value"],
        tuple((name, description) for name, description in names),
        tuple(row["mentions"]),
        tuple(row["prompts"]),
        tuple(row["answers"]),
    )


KINDS = _read()
