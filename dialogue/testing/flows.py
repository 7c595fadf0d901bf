"""A conversation with the flows of a folder, in memory: no database, no server, no Django settings."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

from dialogue.engine.actions import ActionCall, ActionFailed, Failed, Outcome, RegisteredActions, Succeeded, registry
from dialogue.engine.graph import RuntimeContext, TurnOutcome, compile_dialogue, run_turn
from dialogue.engine.language.compiler import Assistant
from dialogue.engine.language.python_values import python_inputs, stored_results
from dialogue.engine.ports import events
from dialogue.engine.ports.commands import Command, from_plain
from dialogue.engine.ports.hitl import Completed, Expired, HITLContext, PauseRequested
from dialogue.engine.ports.sinks import BufferSink
from dialogue.engine.understanding import NLU, NLUContext, PathEntry, Understanding
from dialogue.nlu import build_nlu
from dialogue.nlu.settings import NLUSettings
from dialogue.nlu.text.embeddings.minilm import is_installed
from dialogue.testing.documents import load_folder

CONVERSATION = "test-conversation"
Stub = Mapping[str, Any] | Callable[..., Any] | Exception
"""What an action does instead: its outputs, a function of its inputs, or an error to raise."""


class FlowTest:
    """One conversation, for tests of flows. Each method that sends something returns the texts of the answer.

        test = FlowTest("shop/flows", stubs={"find_order": {"state": "packed"}})
        assert test.says("where is my order") == ["Which order?"]

    Without a stub an action is the registered Python function; import its module first. `nlu` is a mode of the
    understanding: "learned" or "rules". It is that of a server; without `by_meaning` it compares words only, as with
    NLU_EMBEDDED=off. `now` is the start of the clock, which `waits` moves. Raises FileNotFoundError and FlowProblems
    for a folder that cannot be loaded.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        stubs: Mapping[str, Stub] | None = None,
        nlu: str = "learned",
        by_meaning: bool = True,
        now: datetime = datetime(2026, 11, 23, 9, tzinfo=UTC),
        language: str = "",
    ) -> None:
        self.assistant = load_folder(folder)
        self.now = now
        self._language = language or self.assistant.language
        self._nlu = _NLUOrCommands(_serving_nlu(self.assistant, nlu, by_meaning))
        self._actions = _TestActions(stubs or {}, self)
        self._desk = _Desk()
        self._dialogue = compile_dialogue(self.assistant)
        self._saver = InMemorySaver()
        self._outcome: TurnOutcome | None = None
        self._event_count = 0

    def start_over(self) -> None:
        """Begin another conversation with the same flows: nothing has been said, and no action was called."""
        self._outcome = None
        self._saver = InMemorySaver()
        self._desk.answers.clear()
        self._actions.calls.clear()

    def says(self, text: str, *commands: Any) -> list[str]:
        """Send a message. With `commands` in the form of scenarios ({"start_flow": "track"}) it means exactly these."""
        self._nlu.commands = tuple(command for entry in commands for command in from_plain(entry))
        return self._run(events.message(self._event_id(), text))

    def chooses(self, value: str) -> list[str]:
        """Press the button with this value."""
        return self._run(events.choice(self._event_id(), value))

    def decides(self, action: str, **values: Any) -> list[str]:
        """Let staff decide the newest request: the action's id, and the values of the form."""
        task = self._staff_task()
        self._desk.answers[task.key] = Completed(selected_handle=action, inputs=values)
        return self._run(events.decision(self._event_id(), task.key, task.key))

    def expires(self) -> list[str]:
        """Let the deadline of the newest request to staff pass."""
        task = self._staff_task()
        self._desk.answers[task.key] = Expired()
        return self._run(events.expiry(self._event_id(), task.key, task.key))

    def waits(self, duration: timedelta) -> None:
        """Move the clock on. Nothing happens before the next message."""
        self.now += duration

    @property
    def outcome(self) -> TurnOutcome:
        """What the last turn gave: its messages, stack, tasks and record. Raises LookupError before the first turn."""
        if self._outcome is None:
            raise LookupError("Nothing has been said yet.")
        return self._outcome

    @property
    def keys(self) -> list[str]:
        """The keys of the last messages, as scenarios name them: "ask:order", "rejected:order"."""
        return [message.key for message in self.outcome.messages]

    @property
    def buttons(self) -> list[str]:
        """The values of the buttons below the last message."""
        messages = self.outcome.messages
        return [button.value for button in messages[-1].buttons] if messages else []

    @property
    def stack(self) -> list[str]:
        """The flows in progress with what they await, as in scenarios: "track?order", "refund!human"."""
        return [entry["awaiting"] for entry in self.outcome.stack]

    @property
    def calls(self) -> list[tuple[str, dict[str, Any]]]:
        """The actions that were called, each with its inputs in Python's types."""
        return self._actions.calls

    def value(self, name: str) -> Any:
        """Return the stored value of a slot of a flow in progress, or of the assistant; None if it is empty."""
        for entry in reversed(self.outcome.stack):
            if name in entry["slots"]:
                return entry["slots"][name]["value"]
        stored = self.outcome.slots.get(name)
        return stored["value"] if stored else None

    def _staff_task(self) -> Any:
        requests = [task for task in self.outcome.tasks if task.audience == "staff"]
        if not requests:
            raise LookupError(f"No request waits for staff. The conversation stands at: {self.stack or 'no flow'}.")
        return requests[-1]

    def _event_id(self) -> str:
        self._event_count += 1
        return f"event-{self._event_count}"

    def _run(self, event: dict[str, Any]) -> list[str]:
        context = RuntimeContext(
            conversation=CONVERSATION,
            assistant=self.assistant,
            nlu=self._nlu,
            actions=self._actions,
            sink=BufferSink(),
            hitl=self._desk,
            now=self.now,
            language=self._language,
            timezone=self.assistant.timezone,
        )
        config: Any = {"configurable": {"thread_id": CONVERSATION}}
        turn = run_turn(self._dialogue, event, context, config=config, checkpointer=self._saver)
        self._outcome = asyncio.run(turn)
        return [message.text for message in self._outcome.messages]


def _serving_nlu(assistant: Assistant, mode: str, by_meaning: bool) -> NLU:
    """The understanding as a server has it: with the sentence model, where the extra `embedded` is installed."""
    nlu = build_nlu(assistant, mode, NLUSettings(use_embeddings=by_meaning and is_installed()))
    nlu.prepare()
    return nlu


class _NLUOrCommands:
    """Understands with the NLU, or as the given commands."""

    def __init__(self, nlu: NLU) -> None:
        self._nlu = nlu
        self.commands: tuple[Command, ...] = ()

    async def understand(self, message: str, context: NLUContext) -> Understanding:
        if not self.commands:
            return await self._nlu.understand(message, context)
        commands, self.commands = self.commands, ()
        return Understanding(commands, path=(PathEntry("given"),))


@dataclass
class _Desk:
    """Staff: open requests, and the answers by the key of the task."""

    answers: dict[str, Completed | Expired] = field(default_factory=dict)

    async def __call__(self, context: HITLContext) -> PauseRequested | Completed | Expired:
        key = f"{context.node_id}/{context.visit}"
        return self.answers.get(key, PauseRequested(session_id=key))


class _TestActions:
    """Runs stubs, or else the registered functions, and keeps the calls."""

    def __init__(self, stubs: Mapping[str, Stub], test: FlowTest) -> None:
        unknown = [name for name in stubs if name not in test.assistant.actions]
        if unknown:
            raise LookupError(f"The assistant has no action `{unknown[0]}` to stub.")
        self._stubs = stubs
        self._test = test
        self.calls: list[tuple[str, dict[str, Any]]] = []

    async def run(self, call: ActionCall) -> Outcome:
        self.calls.append((call.name, python_inputs(call.contract, call.inputs)))
        if call.name not in self._stubs:
            actions = RegisteredActions(
                registry, CONVERSATION, now=self._test.now, timezone=self._test.assistant.timezone
            )
            return await actions.run(call)
        try:
            returned = self._returned(self._stubs[call.name], self.calls[-1][1])
        except ActionFailed as error:
            return Failed(str(error) or "ActionFailed")
        results = stored_results(call.contract, returned, now=self._test.now, timezone=self._test.assistant.timezone)
        return Succeeded(results.outputs, results.type_mismatch)

    @staticmethod
    def _returned(stub: Stub, inputs: dict[str, Any]) -> object:
        if isinstance(stub, Exception):
            raise stub
        return stub(inputs) if callable(stub) else stub
