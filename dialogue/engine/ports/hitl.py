"""The boundary to the host: the engine asks about an awaited task, the host answers from its record.

Whatever a pause shows, to whom, until when and through which channel is the host's; a type with anything more than the
fields below is refused.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field


class _Exact(BaseModel):
    """Frozen, and without any field that is not named."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class HITLContext(_Exact):
    """Which task is awaited: `workflow_execution_id` is the conversation, `node_id` frame and step, `variables` the
    stored values of the slots that are filled there, and `<step>.<field>` of what was decided before."""

    workflow_execution_id: str
    node_id: str
    node_title: str
    visit: int
    variables: dict[str, Any] = Field(default_factory=dict)


class PauseRequested(_Exact):
    """Nobody has answered; the pause has this session."""

    outcome: Literal["pause"] = "pause"
    session_id: str


class Completed(_Exact):
    """Decided: the chosen action, the form's values as stored JSON, and what the host adds."""

    outcome: Literal["completed"] = "completed"
    selected_handle: str
    inputs: dict[str, Any] = Field(default_factory=dict)
    outputs: dict[str, Any] = Field(default_factory=dict)


class Expired(_Exact):
    """The time was over; the handle is the step's default on expiry."""

    outcome: Literal["expired"] = "expired"
    selected_handle: str = ""
    outputs: dict[str, Any] = Field(default_factory=dict)


HITLDecision: TypeAlias = Annotated[PauseRequested | Completed | Expired, Field(discriminator="outcome")]
HITLCallback: TypeAlias = Callable[[HITLContext], Awaitable[PauseRequested | Completed | Expired]]


class HITLRequired(_Exact):
    """All that a pause carries."""

    session_id: str
    node_id: str
    node_title: str


def digest(values: Mapping[str, Any]) -> str:
    """SHA-256 in hexadecimal over these stored values, whatever the order of their names."""
    canonical = json.dumps(values, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
