"""Human-in-the-loop port: the engine asks about an awaited task, and the host answers from its record.

The host decides what a pause shows, to which people, until when and through which channel. The types refuse fields that
are not named here, so that none of this enters the engine.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field


class _Exact(BaseModel):
    """A frozen model that refuses unknown fields."""

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
    """The task is not answered yet; its pause is this session."""

    outcome: Literal["pause"] = "pause"
    session_id: str


class Completed(_Exact):
    """Decided: the chosen action, the form's values as stored JSON, and what the host adds."""

    outcome: Literal["completed"] = "completed"
    selected_handle: str
    inputs: dict[str, Any] = Field(default_factory=dict)
    outputs: dict[str, Any] = Field(default_factory=dict)


class Expired(_Exact):
    """The time limit passed; the handle is the step's default on expiry."""

    outcome: Literal["expired"] = "expired"
    selected_handle: str = ""
    outputs: dict[str, Any] = Field(default_factory=dict)


HITLDecision: TypeAlias = Annotated[PauseRequested | Completed | Expired, Field(discriminator="outcome")]
HITLCallback: TypeAlias = Callable[[HITLContext], Awaitable[PauseRequested | Completed | Expired]]


class HITLRequired(_Exact):
    """What the graph's interrupt carries. It is stored in checkpoints, so its field names must stay."""

    session_id: str
    node_id: str
    node_title: str


def digest(values: Mapping[str, Any]) -> str:
    """Return the SHA-256 of these stored values in hexadecimal; the order of their names does not matter."""
    canonical = json.dumps(values, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
