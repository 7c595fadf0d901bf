"""A conversation driven by hand: a saver in memory, scripted understanding, stubbed actions, and a small desk."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

from dialogue.engine.actions import StubbedActions
from dialogue.engine.graph import Dialogue, RuntimeContext, TurnOutcome, compile_dialogue, run_turn
from dialogue.engine.language.compiler import Assistant, load_assistant
from dialogue.engine.ports import events
from dialogue.engine.ports.hitl import Completed, Expired, HITLContext, PauseRequested
from dialogue.engine.ports.sinks import BufferSink
from dialogue.engine.ports.tasks import PendingTask
from dialogue.engine.understanding import ScriptedNLU
from tests.support.engine import sample_flows

MORNING = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)


class MemoryDesk:
    """The host's side of the boundary: answers from a record, always the same."""

    def __init__(self) -> None:
        self.decided: dict[str, Completed | Expired] = {}
        self.asked: list[HITLContext] = []

    async def __call__(self, context: HITLContext) -> PauseRequested | Completed | Expired:
        self.asked.append(context)
        key = f"{context.node_id}/{context.visit}"
        return self.decided.get(key, PauseRequested(session_id=f"session of {key}"))


class Talk:
    """One conversation with an assistant; every method is one turn and gives the keys of its messages."""

    def __init__(
        self, assistant: Assistant, stubs: Mapping[str, list[dict[str, Any]]] | None = None, **settings: Any
    ) -> None:
        self.assistant = assistant.with_settings(**settings) if settings else assistant
        self.dialogue: Dialogue = compile_dialogue(self.assistant)
        self.nlu = ScriptedNLU()
        self.actions: Any = StubbedActions(stubs)
        self.desk = MemoryDesk()
        self.saver = InMemorySaver()
        self.now = MORNING
        self.last: TurnOutcome | None = None
        self.sink = BufferSink()
        self.knowledge: Any = None
        self.helper: Any = None
        self.lookup_seconds = 4.0
        self.start_values: dict[str, Any] = {}
        self._count = 0

    async def says(self, text: str, *commands: Any) -> list[str]:
        """The user writes; understanding gives these commands."""
        self.nlu.expect(commands)
        try:
            return await self.feed(events.message(self._id(), text))
        finally:
            self.nlu.forget()

    async def does(self, *commands: Any) -> list[str]:
        """The user writes something that means these commands."""
        return await self.says("…", *commands)

    async def chooses(self, value: str) -> list[str]:
        """The user presses a button."""
        return await self.feed(events.choice(self._id(), value))

    async def decides(self, action: str, **values: Any) -> list[str]:
        """Staff decide the newest request."""
        task = self.staff_task()
        self.desk.decided[task.key] = Completed(selected_handle=action, inputs=values)
        return await self.feed(events.decision(self._id(), f"session of {task.key}", task.key))

    async def expires(self) -> list[str]:
        """The newest request is not decided in time."""
        task = self.staff_task()
        self.desk.decided[task.key] = Expired()
        return await self.feed(events.expiry(self._id(), f"session of {task.key}", task.key))

    async def feed(self, event: dict[str, Any]) -> list[str]:
        """One turn with this event."""
        self.sink = BufferSink()
        context = RuntimeContext(
            conversation="c1",
            assistant=self.assistant,
            nlu=self.nlu,
            actions=self.actions,
            sink=self.sink,
            hitl=self.desk,
            now=self.now,
            language=self.assistant.language,
            timezone=self.assistant.timezone,
            knowledge=self.knowledge,
            helper=self.helper,
            lookup_seconds=self.lookup_seconds,
            start_values=self.start_values,
        )
        config: Any = {"configurable": {"thread_id": "c1"}}
        self.last = await run_turn(self.dialogue, event, context, config=config, checkpointer=self.saver)
        return self.keys

    def _id(self) -> str:
        self._count += 1
        return f"e{self._count}"

    def waits(self, **time: float) -> None:
        """The clock goes on."""
        self.now += timedelta(**time)

    @property
    def outcome(self) -> TurnOutcome:
        """Of the last turn."""
        assert self.last is not None
        return self.last

    @property
    def keys(self) -> list[str]:
        return [each.key for each in self.outcome.messages]

    @property
    def texts(self) -> list[str]:
        return [each.text for each in self.outcome.messages]

    @property
    def stack(self) -> list[str]:
        """In the notation of scenarios."""
        return [each["awaiting"] for each in self.outcome.stack]

    def value(self, name: str) -> Any:
        """Of "flow.slot", or of a slot of the conversation."""
        flow, _, slot = name.rpartition(".")
        frames = {each["flow"]: each["slots"] for each in self.outcome.stack}
        held = frames.get(flow, {}) if flow else self.outcome.slots
        return held.get(slot, {}).get("value")

    def staff_task(self) -> PendingTask:
        """The newest request to staff."""
        return [each for each in self.outcome.tasks if each.audience == "staff"][-1]

    def settled(self) -> list[tuple[str, str]]:
        """The pauses that ended in the last turn, and how."""
        return [(each.task_key, each.how) for each in self.outcome.settled]


@cache
def assistant_of(*flows: str, head: str = "") -> Assistant:
    """An assistant made of these flow documents."""
    documents = {"assistant.yaml": f"version: 1\nassistant: try\n{head}"}
    for text in flows:
        name = text.split("flow:")[1].split()[0]
        documents[f"{name}.yaml"] = text
    return load_assistant(documents)


def travel_agency(*more: str, head: str = "", **settings: Any) -> Talk:
    """A conversation with an assistant that books trips, refunds, and answers."""
    flows = (sample_flows.TRIP, sample_flows.PING, sample_flows.NAME, sample_flows.REFUND, *more)
    return Talk(assistant_of(*flows, head=sample_flows.ACTIONS + head), sample_flows.STUBS, **settings)
