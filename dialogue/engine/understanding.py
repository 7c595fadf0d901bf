"""The NLU port: a message and its context go in, commands come out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Protocol

from dialogue.engine.language.compiler import Assistant, Flow, Slot
from dialogue.engine.ports.commands import CannotHandle, Command, from_plain, to_plain
from dialogue.engine.ports.tasks import PendingTask
from dialogue.engine.slots.candidates import Candidate

WAITS_FOR_NEED = "needing"


@dataclass(frozen=True)
class StackEntry:
    """One flow of the stack as the NLU sees it. `status` is active, paused, parked, calling, planned or needing.

    A flow that is needing waits for the flow above it to fill a slot that it needs. Answers are not meant for it.
    `values` are what people may call the values that tell one of several runs of a flow from the others.
    """

    flow: str
    step: str
    status: str
    awaiting: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class LoopContext:
    """A loop of a flow in progress that goes through a list, as the NLU sees it.

    `slots` belong to each of its rounds. `item` is the number of the entry whose round is open, from 1; 0 before and
    after the loop. `load_entries` gives the entries, whose keys are their numbers.
    """

    flow: str
    slots: tuple[str, ...]
    item: int
    load_entries: Callable[[], tuple[Candidate, ...]] = field(compare=False)

    @cached_property
    def entries(self) -> tuple[Candidate, ...]:
        """The entries, built when a reader asks for them: a list may be long."""
        return self.load_entries()


@dataclass(frozen=True)
class NLUContext:
    """The context of a message.

    `filled` has displayed values by "flow.slot" (only "slot" for the conversation's), sensitive ones redacted.
    `last_messages` are (role, text), oldest first. `candidates` are the options of slots whose choices come from data,
    by slot: those of the awaited slot, and of each slot whose source is loaded already. It may build them when read.
    `loops` are those of the flows in progress that go through a list, from the innermost open one on.
    """

    awaited: PendingTask | None
    awaited_slot: Slot | None
    explicit: str
    stack: tuple[StackEntry, ...]
    filled: Mapping[str, str]
    flows: tuple[Flow, ...]
    assistant: Assistant
    offer: tuple[str, ...]
    last_messages: tuple[tuple[str, str], ...]
    language: str
    timezone: str
    now: datetime
    candidates: Mapping[str, tuple[Candidate, ...]] = field(default_factory=dict)
    loops: tuple[LoopContext, ...] = ()


@dataclass(frozen=True)
class NearestExample:
    """The example that is nearest to a message which was not understood.

    `label` is "flow book_table" or "topic opening_hours", `example` the author's text; both are "" if nothing is
    similar. A score from `ask` on makes it a question to the user, from `accept` on it decides; all are 0 to 1.
    """

    label: str
    example: str
    score: float
    ask: float
    accept: float


@dataclass(frozen=True)
class PathEntry:
    """One component that read the message: a rule, a learned model, the cache, or an LLM.

    `note` says which model answered, or why none did; `prompt` is what it was sent, sensitive values redacted.
    `nearest` is there if the message was not understood, at the component that compares it with the examples.
    """

    part: str
    milliseconds: float = 0.0
    tokens: int = 0
    note: str = ""
    prompt: str = ""
    nearest: NearestExample | None = None


@dataclass(frozen=True)
class Usage:
    """The calls and tokens that language models used for this message."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model: str = ""


@dataclass(frozen=True)
class DroppedCommand:
    """A command that is not applied, and why."""

    command: Command
    reason: str


@dataclass(frozen=True)
class Understanding:
    """The commands of one message, the confidence from 0 to 1, and the components that read it."""

    commands: tuple[Command, ...]
    confidence: float = 1.0
    path: tuple[PathEntry, ...] = ()
    usage: Usage = field(default_factory=Usage)
    dropped: tuple[DroppedCommand, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return `{commands, confidence, path, usage, dropped}` as plain JSON, commands in the scenario form."""
        return {
            "commands": [to_plain(command) for command in self.commands],
            "confidence": self.confidence,
            "path": [_path_entry_json(command) for command in self.path],
            "usage": vars(self.usage),
            "dropped": [{"command": to_plain(command.command), "reason": command.reason} for command in self.dropped],
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> "Understanding":
        """Read what `to_json` wrote. Raises CommandRefused for an unknown command, KeyError for a missing key."""
        return cls(
            commands=tuple(command for entry in plain["commands"] for command in from_plain(entry)),
            confidence=plain["confidence"],
            path=tuple(map(_path_entry, plain["path"])),
            usage=Usage(**plain["usage"]),
            dropped=tuple(
                DroppedCommand(command, entry["reason"])
                for entry in plain["dropped"]
                for command in from_plain(entry["command"])
            ),
        )


def _path_entry_json(entry: PathEntry) -> dict[str, Any]:
    """Return the entry without an empty note, prompt or nearest example."""
    plain = {name: value for name, value in vars(entry).items() if value or name not in ("note", "prompt", "nearest")}
    return {**plain, "nearest": vars(entry.nearest)} if entry.nearest else plain


def _path_entry(plain: Mapping[str, Any]) -> PathEntry:
    nearest = plain.get("nearest")
    return PathEntry(**{**plain, "nearest": NearestExample(**nearest) if nearest else None})


class NLU(Protocol):
    """Turns one message into commands."""

    async def understand(self, message: str, context: NLUContext) -> Understanding: ...


class ScriptedNLU:
    """A test double: answers by message text, or in order; other messages are not understood.

    `asked` has the messages and contexts that it was called with.
    """

    def __init__(self, script: Mapping[str, Sequence[Any]] | Iterable[Sequence[Any]] = ()) -> None:
        self._by_text = dict(script) if isinstance(script, Mapping) else {}
        self._queue = [] if isinstance(script, Mapping) else list(script)
        self.asked: list[tuple[str, NLUContext]] = []

    def expect(self, commands: Sequence[Any]) -> None:
        """Answer the next message with these commands, plain or as objects."""
        self._queue.append(commands)

    def forget(self) -> None:
        """Remove the answers that were not used."""
        self._queue.clear()

    async def understand(self, message: str, context: NLUContext) -> Understanding:
        self.asked.append((message, context))
        answer = self._queue.pop(0) if self._queue else self._by_text.get(message, [CannotHandle("not in the script")])
        return Understanding(
            tuple(command for entry in answer for command in _entry_commands(entry)), path=(PathEntry("script"),)
        )


def _entry_commands(entry: object) -> tuple[Command, ...]:
    return from_plain(entry) if isinstance(entry, str | Mapping) else (entry,)  # type: ignore[return-value]
