"""The working copy of one turn: what the conversation remembers, changed step by step, and an account of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from zoneinfo import ZoneInfo

from dialogue.engine.language.compiler import AnyStep, Flow
from dialogue.engine.ports.commands import Command
from dialogue.engine.ports.events import Event
from dialogue.engine.ports.sinks import BotMessage, Button
from dialogue.engine.ports.tasks import PendingTask
from dialogue.engine.slots.values import format_value
from dialogue.engine.stack import stack
from dialogue.engine.stack.context import RuntimeContext
from dialogue.engine.stack.flow_index import Catalogue
from dialogue.engine.stack.state import Frame, Memory, Wait, copy_json, wait_key
from dialogue.engine.understanding import DroppedCommand

PauseEnd = Literal["answered", "cancelled", "voided"]


@dataclass(frozen=True)
class SettledPause:
    """A pause that ended in this turn: how, and with which answer."""

    task_key: str
    how: PauseEnd
    handle: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PendingExpiry:
    """An expiry whose path may have nothing to say; `said` messages were there before."""

    step: str
    frame: str
    said: int


class Turn:
    """One turn's working copy.

    `touched` are the frames that have something to do; `heard` says that a command counted, `missed` that the message
    was no answer; `started` are the flows that it asked for; `orphaned` is a decided pause that is gone; `now` is in
    the conversation's time zone; `tasks` and `awaited` are known when the flows have run.
    """

    def __init__(self, memory: Memory, event: Event, context: RuntimeContext, catalogue: Catalogue) -> None:
        self.memory: Memory = copy_json(memory)
        self.memory["turn"] += 1
        self.context = context
        self.event = event
        self.messages: list[BotMessage] = []
        self.settled: list[SettledPause] = []
        self.dropped: list[DroppedCommand] = []
        self.slot_changes: list[dict[str, Any]] = []
        self.stack_changes: list[dict[str, str]] = []
        self.actions: list[dict[str, Any]] = []
        self.passed: list[dict[str, str]] = []
        self.lookups: list[dict[str, Any]] = []
        self.touched: set[str] = set()
        self.started: list[Frame] = []
        self.orphaned = ""
        self.heard = False
        self.missed = False
        self.prompt: BotMessage | None = None
        self.late: PendingExpiry | None = None
        self.tasks: tuple[PendingTask, ...] = ()
        self.awaited: PendingTask | None = None
        self.steps = 0
        self.catalogue = catalogue
        self.assistant = catalogue.assistant
        self.flows = catalogue.flows
        self.settings = catalogue.assistant.settings
        self.now = context.now.astimezone(ZoneInfo(context.timezone))
        self._sent = 0

    @property
    def language(self) -> str:
        return self.context.language

    @property
    def frames(self) -> stack.Stack:
        """The stack, bottom to top."""
        return self.memory["frames"]

    @frames.setter
    def frames(self, frames: stack.Stack) -> None:
        self.memory["frames"] = frames

    @property
    def top(self) -> Frame | None:
        return stack.top_of(self.frames)

    def flow_of(self, frame: Frame) -> Flow:
        return self.flows[frame["flow"]]

    def step_of(self, frame: Frame) -> AnyStep:
        """The step that the frame stands at."""
        return self.flow_of(frame).step(frame["step"])

    def flow_title(self, flow: str) -> str:
        return self.flows[flow].title.in_language(self.language)

    def say(
        self, key: str, *, about: str = "", text: str | None = None, buttons: tuple[Button, ...] = (), **values: Any
    ) -> None:
        """Add a message; its text is given, or else the response of this key. `about` is what follows the colon."""
        full = f"{key}:{about}" if about else key
        words = self.response_text(full, **values) if text is None else text
        self.messages.append(BotMessage(full, words, buttons, len(self.messages)))

    def response_text(self, key: str, **values: Any) -> str:
        """The response of this key, in the conversation's language."""
        return self.catalogue.responses.say(key, self.language, variation=self.memory["turn"], **values)

    def prepend_message(self, key: str, **values: Any) -> None:
        """Put a message before all others of this turn."""
        self.say(key, **values)
        self.messages.insert(0, self.messages.pop())
        self.messages = [replace(each, ordinal=place) for place, each in enumerate(self.messages)]

    @property
    def has_unsent(self) -> bool:
        """Whether something was said that the user has not been sent."""
        return self._sent < len(self.messages)

    async def flush(self) -> None:
        """Hand to the sink what was said since the last time."""
        while self.has_unsent:
            await self.context.sink.send(self.messages[self._sent], self.display_values)
            self._sent += 1

    def display_values(self) -> Iterator[str]:
        """Every value that the conversation holds, as users read it."""
        frames = ((self.flow_of(frame).slots, frame["slots"]) for frame in self.frames)
        for known, stored in ((self.assistant.slots, self.memory["slots"]), *frames):
            for name in known.keys() & stored.keys():
                value = stored[name]["value"]
                yield format_value(known[name], value, language=self.language, timezone=self.context.timezone)

    def drop(self, command: Command, reason: str) -> None:
        """Leave a command aside, and remember why."""
        self.dropped.append(DroppedCommand(command, reason))

    def touch(self, frame: Frame) -> None:
        """The frame has something to do."""
        self.touched.add(frame["id"])

    def record_stack_change(self, change: str, frame: Frame) -> None:
        """Remember for the record that the stack changed."""
        self.stack_changes.append({"change": change, "frame": frame["id"], "flow": frame["flow"]})

    def settle_wait(
        self, frame: Frame, how: PauseEnd, handle: str = "", values: Mapping[str, Any] | None = None
    ) -> Wait | None:
        """End what the frame awaits, if anything; gives what it was."""
        wait = frame.pop("wait", None)
        if wait is not None:
            self.settled.append(SettledPause(wait_key(frame, wait), how, handle, values or {}))
        return wait
