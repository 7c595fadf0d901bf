"""What every step has."""

from typing import Annotated

from pydantic import Field

from dialogue.engine.slots.fields import Identifier, LanguagePart, StepName

PlainValue = str | bool | int | float
MAX_METADATA_KEYS = 20
Metadata = Annotated[dict[Identifier, PlainValue], Field(max_length=MAX_METADATA_KEYS)]

END = "end"
"""The name of the end of a flow, beside the names of its steps."""


class Step(LanguagePart):
    """What every step has. `step` is its identifier; `next` a step or "end", None for the following one."""

    step: Identifier
    """Identifier, unique in the flow and stable: conversations stand on it."""
    next: StepName | None = None
    """A step, or "end"; else the following step, and the end after the last."""
    note: str | None = None
    """For authors."""
    metadata: Metadata = Field(default_factory=dict)
    """Plain values for programs: what waits here carries them to the API and to whoever shows it."""
