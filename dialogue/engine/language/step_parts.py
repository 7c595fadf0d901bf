"""The fields that every step has."""

from typing import Annotated

from pydantic import Field

from dialogue.engine.slots.fields import Identifier, LanguagePart, StepName

PlainValue = str | bool | int | float
MAX_METADATA_KEYS = 20
Metadata = Annotated[dict[Identifier, PlainValue], Field(max_length=MAX_METADATA_KEYS)]

END = "end"
"""The target that ends a flow; no step may have this name."""


class Step(LanguagePart):
    """Base of every step. `next` is a step or "end", None for the following step."""

    step: Identifier
    """Identifier, unique in the flow. Keep it stable: running conversations refer to it."""
    next: StepName | None = None
    """A step or "end"; without it, the following step, and the end after the last."""
    note: str | None = None
    """A remark for authors."""
    metadata: Metadata = Field(default_factory=dict)
    """Plain values for programs; the API and the pages receive them with what waits at this step."""
