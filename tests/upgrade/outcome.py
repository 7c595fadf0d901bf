"""What came of going on with a conversation."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Outcome:
    """What came of going on: what each step gave, what was said, what was done in the world, and what is left.

    All but the keys are None where they were not recorded.
    """

    keys: list[str]
    answers: list[Any] | None = None
    texts: list[str] | None = None
    effects: list[str] | None = None
    left: dict[str, Any] | None = None
