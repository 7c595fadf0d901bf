"""Pending tasks: what is awaited, from the user or from staff, as frozen data."""

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias, TypeGuard

Audience = Literal["user", "staff", "clock"]
OfferKind = Literal["clarify", "resume", "change", "restart", "correction"]


@dataclass(frozen=True)
class Choice:
    """One of several answers: the value that is sent, and the label that people read."""

    value: str
    label: str


@dataclass(frozen=True, kw_only=True)
class Task:
    """The fields of every task.

    `message` is the rendered prompt, `visit` counts the pauses at this step, `metadata` is the step's, for programs.
    `parts` are those of the prompt (see `message_parts`), if it shows more than text.
    In a loop, `item` is the number of its entry, from 1, and `item_label` the entry's text with sensitive fields
    masked.
    """

    kind: ClassVar[str]
    audience: ClassVar[Audience] = "user"

    frame: str
    flow: str
    step: str
    visit: int
    title: str
    message: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    parts: tuple[dict[str, Any], ...] = ()
    item: int = 0
    item_label: str = ""

    @property
    def node_id(self) -> str:
        """Where the conversation waits: frame and step."""
        return f"{self.frame}/{self.step}"

    @property
    def key(self) -> str:
        """The identity of the pause: frame, step and visit, joined by slashes."""
        return f"{self.frame}/{self.step}/{self.visit}"

    def to_json(self) -> dict[str, Any]:
        """Return `{kind, frame, flow, step, visit, …}`, which `task_from_json` reads. Only loops have an item."""
        plain = {"kind": self.kind, **asdict(self)}
        parts = list(plain.pop("parts"))
        if not self.item:
            del plain["item"], plain["item_label"]
        return {**plain, **({"parts": parts} if parts else {})}


@dataclass(frozen=True, kw_only=True)
class CollectTask(Task):
    """The user is asked for a value."""

    kind: ClassVar[str] = "collect"
    slot: str
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ConfirmTask(Task):
    """The user is asked for yes or no about exactly the values in `shown`; `digest` is their hash.

    `choices` are yes, no, and the step's further answers.
    """

    kind: ClassVar[str] = "confirm"
    choices: tuple[Choice, ...] = ()
    shown: dict[str, Any] = field(default_factory=dict)
    digest: str = ""


@dataclass(frozen=True, kw_only=True)
class InformTask(Task):
    """A message waits to be acknowledged."""

    kind: ClassVar[str] = "inform"
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, kw_only=True)
class OfferTask(Task):
    """The user is offered several ways on: a flow to start or resume, a change, or a restart.

    With the offer "correction", the user is asked whether `slot` should change.
    """

    kind: ClassVar[str] = "offer"
    offer: OfferKind
    choices: tuple[Choice, ...] = ()
    slot: str = ""


@dataclass(frozen=True, kw_only=True)
class HumanTask(Task):
    """Staff decide about the values in `shown`; `digest` is the hash of the bound ones.

    `summary` is the step's text for lists, with sensitive values masked; "" without one.

    `form_options` are the options of form fields whose choices come from data, by field, and `computed` the step's
    settings that have expressions: `{group, queue, priority, due, form}`. The session holds all three, so `to_json`
    leaves them out.
    """

    kind: ClassVar[str] = "human"
    audience: ClassVar[Audience] = "staff"
    shown: dict[str, Any] = field(default_factory=dict)
    digest: str = ""
    form_options: dict[str, tuple[Choice, ...]] = field(default_factory=dict)
    computed: dict[str, Any] = field(default_factory=dict)
    summary: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the task without `form_options`, `computed` and `summary`."""
        left_out = ("form_options", "computed", "summary")
        return {name: value for name, value in super().to_json().items() if name not in left_out}


@dataclass(frozen=True, kw_only=True)
class HandoffTask(Task):
    """A person has, or shall take, the chat."""

    kind: ClassVar[str] = "handoff"
    audience: ClassVar[Audience] = "staff"
    queue: str = ""
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class WaitTask(Task):
    """A flow waits for a time or an event from outside: neither the user nor staff can answer.

    `until` is the moment at which it goes on in any case, with its UTC offset; "" when there is none.
    """

    kind: ClassVar[str] = "wait"
    audience: ClassVar[Audience] = "clock"
    event: str = ""
    until: str = ""


PendingTask: TypeAlias = CollectTask | ConfirmTask | InformTask | OfferTask | HumanTask | HandoffTask | WaitTask

_TASK_TYPES: dict[str, type[PendingTask]] = {
    task_type.kind: task_type
    for task_type in (CollectTask, ConfirmTask, InformTask, OfferTask, HumanTask, HandoffTask, WaitTask)
}


def task_from_json(plain: dict[str, Any]) -> PendingTask:
    """Return the task that `to_json` wrote. Raises KeyError for an unknown kind, TypeError for unknown fields."""
    values = dict(plain)
    task_type = _TASK_TYPES[values.pop("kind")]
    if "parts" in values:
        values["parts"] = tuple(values["parts"])
    if "choices" in values:
        values["choices"] = tuple(Choice(**choice) for choice in values["choices"])
    return task_type(**values)


def is_for_user(task: PendingTask | None) -> TypeGuard[CollectTask | ConfirmTask | InformTask | OfferTask]:
    """Whether the user is asked to answer the task."""
    return task is not None and task.audience == "user"


def is_for_staff(task: PendingTask | None) -> TypeGuard[HumanTask | HandoffTask]:
    """Whether staff answer the task, and not the user."""
    return isinstance(task, HumanTask | HandoffTask)
