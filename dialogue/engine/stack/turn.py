"""One turn's workspace: the memory that its steps change, and the record of what the turn reports."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from zoneinfo import ZoneInfo

from dialogue.engine.language.compiler import AnyStep, Flow, Slot
from dialogue.engine.ports.commands import Command
from dialogue.engine.ports.events import Event
from dialogue.engine.ports.sinks import BotMessage, Button
from dialogue.engine.ports.tasks import PendingTask
from dialogue.engine.ports.timers import TimerRequest
from dialogue.engine.slots.candidates import Candidate, display_slot
from dialogue.engine.slots.values import format_value
from dialogue.engine.stack import stack
from dialogue.engine.stack.context import Catalogue, RuntimeContext
from dialogue.engine.stack.state import Frame, Memory, StoredSlot, Wait, copy_json, wait_key
from dialogue.engine.understanding import DroppedCommand

PauseEnd = Literal["answered", "cancelled", "voided", "expired"]
WaitKind = Literal["collect", "confirm", "inform", "change", "human", "handoff", "wait"]


@dataclass(frozen=True)
class SettledPause:
    """A pause that ended in this turn; `how` it ended, and the answer as `handle` and form `values`.

    `timed`: it had timers, which end with it.
    """

    task_key: str
    how: PauseEnd
    handle: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    timed: bool = False


@dataclass(frozen=True)
class PendingExpiry:
    """An expiry that is announced if its path adds no message to the `message_count` that were there before it.

    `response` is the key of the announcement.
    """

    step: str
    frame: str
    message_count: int
    response: str = "expired"


@dataclass(frozen=True)
class FurtherChoice:
    """An option that a user named beside another one, for a slot that holds one: it asks for a run of its own."""

    frame: Frame
    slot: Slot
    option: Candidate


@dataclass
class TurnRecord:
    """What the turn reports to the host.

    `slot_changes` are `{frame, slot, from, to, source}` with sensitive values masked, `stack_changes` `{change, frame,
    flow}`, `actions` `{action, step, outcome, …}`, `steps` `{flow, step, to}`, `lookups` `{part, milliseconds, …}`,
    `options` `{slot, offered, options}` for a choice from data, `{slot, words, result, options}` for an answer to it.
    `orphaned_task` is the key of a decided pause that no longer exists. `open_tasks` and `awaited_task` are known when
    the flows have run. `timers` are the timers that the turn has set, `signal` what became of an event from outside:
    `{event, awaited}`, and if it was awaited `{flow, step, payload}` too, with sensitive values masked. `outreach` is
    what became of a flow that the business begins: `{flow, started, reason}`, `begin` a flow that an event begins, as
    `{flow, slots}`. `contact`: the customer "refused" or
    "allowed" that the assistant writes first.
    """

    messages: list[BotMessage] = field(default_factory=list)
    settled_pauses: list[SettledPause] = field(default_factory=list)
    dropped_commands: list[DroppedCommand] = field(default_factory=list)
    slot_changes: list[dict[str, Any]] = field(default_factory=list)
    stack_changes: list[dict[str, str]] = field(default_factory=list)
    actions: list[dict[str, Any]] = field(default_factory=list)
    steps: list[dict[str, str]] = field(default_factory=list)
    lookups: list[dict[str, Any]] = field(default_factory=list)
    options: list[dict[str, Any]] = field(default_factory=list)
    orphaned_task: str = ""
    timers: list[TimerRequest] = field(default_factory=list)
    signal: dict[str, Any] = field(default_factory=dict)
    outreach: dict[str, Any] = field(default_factory=dict)
    begin: dict[str, Any] = field(default_factory=dict)
    contact: str = ""
    open_tasks: tuple[PendingTask, ...] = ()
    awaited_task: PendingTask | None = None


class Turn:
    """One turn's workspace: a copy of the conversation's memory to change, and the `record` of what the turn reports.

    `touched` are the ids of frames that have something to do, `started` the frames of flows that the message asked
    for. `further_choices` wait to be planned as runs of their own. `read_results` are the results of actions that
    only read, by the digest of action and inputs; `option_lists` are the candidates of choices from data, by frame
    and slot, each with what they were built from. `overwritten` are the values that the present step of a frame has
    replaced, by frame and slot. `heard` says that a command was understood, `missed` that the message did not answer
    what was asked, `unawaited` that nothing waits for the event, so that nothing is said, `handed_back` that the bot
    has the chat again. `now` is in the conversation's time zone.
    """

    def __init__(self, memory: Memory, event: Event, context: RuntimeContext, catalogue: Catalogue) -> None:
        self.memory: Memory = copy_json(memory)
        self.memory["turn"] += 1
        self.event = event
        self.context = context
        self.catalogue = catalogue
        self.assistant = catalogue.assistant
        self.settings = catalogue.assistant.settings
        self.now = context.now.astimezone(ZoneInfo(context.timezone))
        self.record = TurnRecord()
        self.touched: set[str] = set()
        self.started: list[Frame] = []
        self.heard = False
        self.missed = False
        self.unawaited = False
        self.handed_back = False
        self.prompt: BotMessage | None = None
        self.pending_expiry: PendingExpiry | None = None
        self.step_count = 0
        self.rounds_opened = 0
        self.read_results: dict[str, Mapping[str, Any]] = {}
        self.further_choices: list[FurtherChoice] = []
        self.option_lists: dict[tuple[str, str], tuple[Any, ...]] = {}
        self.overwritten: dict[tuple[str, str], StoredSlot] = {}
        self._sent_count = 0

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
        return self.catalogue.flows[frame["flow"]]

    def step_of(self, frame: Frame) -> AnyStep:
        """The step that the frame stands at."""
        return self.flow_of(frame).step(frame["step"])

    def flow_title(self, flow: str) -> str:
        return self.catalogue.flows[flow].title.in_language(self.language)

    def say(
        self,
        key: str,
        *,
        about: str = "",
        text: str | None = None,
        buttons: tuple[Button, ...] = (),
        parts: tuple[Mapping[str, Any], ...] = (),
        **values: Any,
    ) -> None:
        """Add a message with this text, or else with the response of this key, filled with `values`.

        With `parts`, the text is their plain text (see `dialogue.engine.ports.message_parts`). `about` goes after a
        colon into the message's key, such as "ask:amount", for which an author may have a response of its own.
        """
        message_key = f"{key}:{about}" if about else key
        message_text = self.response_text(message_key, **values) if text is None else text
        messages = self.record.messages
        messages.append(BotMessage(message_key, message_text, buttons, len(messages), parts))

    def response_text(self, key: str, **values: Any) -> str:
        """Return the response of this key, in the conversation's language."""
        return self.catalogue.responses.say(key, self.language, variation=self.memory["turn"], **values)

    def prepend_message(self, key: str, **values: Any) -> None:
        """Put a message before all others of this turn. Nothing of the turn may have been sent yet."""
        self.say(key, **values)
        messages = self.record.messages
        messages.insert(0, messages.pop())
        self.record.messages = [replace(message, ordinal=ordinal) for ordinal, message in enumerate(messages)]

    @property
    def has_unsent(self) -> bool:
        """Whether there are messages that were not sent to the sink yet."""
        return self._sent_count < len(self.record.messages)

    async def flush(self) -> None:
        """Send the messages that were added since the last call to the sink."""
        while self.has_unsent:
            await self.context.sink.send(self.record.messages[self._sent_count], self.display_values)
            self._sent_count += 1

    def display_values(self) -> Iterator[str]:
        """Yield every value that the conversation holds, as users read it."""
        frame_slots = ((self.flow_of(frame).readable_slots, frame["slots"]) for frame in self.frames)
        for declared, stored in ((self.assistant.slots, self.memory["slots"]), *frame_slots):
            for name in declared.keys() & stored.keys():
                value, slot = stored[name]["value"], display_slot(declared[name], stored[name].get("labels"))
                yield format_value(slot, value, language=self.language, timezone=self.context.timezone)

    def drop(self, command: Command, reason: str) -> None:
        """Do not apply a command, and record the reason."""
        self.record.dropped_commands.append(DroppedCommand(command, reason))

    def touch(self, frame: Frame) -> None:
        """Mark the frame as having something to do, so that it runs in this turn."""
        self.touched.add(frame["id"])

    def record_stack_change(self, change: str, frame: Frame) -> None:
        """Record that the stack changed; `change` is "started" or "ended"."""
        self.record.stack_changes.append({"change": change, "frame": frame["id"], "flow": frame["flow"]})

    def settle_wait(
        self, frame: Frame, how: PauseEnd, handle: str = "", values: Mapping[str, Any] | None = None
    ) -> Wait | None:
        """End what the frame awaits, if anything, and return it."""
        wait = frame.pop("wait", None)
        if wait is not None:
            timed = "timers" in wait
            self.record.settled_pauses.append(SettledPause(wait_key(frame, wait), how, handle, values or {}, timed))
        return wait


def await_answer(turn: Turn, frame: Frame, kind: WaitKind, reads: dict[str, str] | None = None) -> str:
    """Wait at the frame's step, and return "": the flow stands still.

    The same question about the same values stays the same pause. Any other voids what was awaited before, and opens a
    new pause. `reads` are the hashes of the values that the question shows.
    """
    wait = frame.get("wait")
    is_same_place = wait is not None and wait["step"] == frame["step"] and wait["kind"] == kind
    if not is_same_place or wait is None or wait.get("reads", {}) != (reads or {}):
        open_new_wait(turn, frame, kind, reads)
    return ""


def open_new_wait(turn: Turn, frame: Frame, kind: WaitKind, reads: dict[str, str] | None = None) -> None:
    """Open a new pause at the frame's step, with a visit number of its own."""
    turn.settle_wait(frame, "voided")
    wait: Wait = {"kind": kind, "step": frame["step"], "visit": count_visit(frame)}
    if reads:
        wait["reads"] = reads
    frame["wait"] = wait


def count_visit(frame: Frame) -> int:
    """Count one more visit of the frame's step, and return the number of visits."""
    visits = frame["visits"]
    visits[frame["step"]] = visits.get(frame["step"], 0) + 1
    return visits[frame["step"]]
