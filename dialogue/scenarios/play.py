"""Playing one scenario: every turn goes the way that it goes in service, with stand-ins for the world.

The conversation is opened, its events are accepted and drained, and staff act through the desk's door; only the
commands (with `given_commands`) and the actions come from the scenario, and the clock stands still until it is moved.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from uuid import uuid4

from dialogue.engine.language.compiler import Assistant
from dialogue.engine.understanding import NLU
from dialogue.models import Conversation
from dialogue.scenarios.doubles import GivenCommands, StubbedWorld
from dialogue.scenarios.environment import ScenarioEnvironment
from dialogue.scenarios.format.files import Scenario, Turn, plain_json
from dialogue.scenarios.nlu_spy import NLUSpy
from dialogue.scenarios.observer import ConversationObserver, conversation_slots
from dialogue.scenarios.operators import perform_operation
from dialogue.scenarios.outcome.command_expectations import CommandContext, command_differences
from dialogue.scenarios.outcome.coverage import reach_of
from dialogue.scenarios.outcome.expectations import call_differences, turn_differences
from dialogue.scenarios.outcome.results import Difference, ScenarioResult, TurnResult
from dialogue.sweep import sweep
from dialogue.turns import clock, compiled_releases
from dialogue.turns.accept import Incoming, accept, open_conversation
from dialogue.turns.files.sending import incoming_values
from dialogue.turns.opening import read_opening
from dialogue.turns.waiting.outreach import OptedOut, StartRefused, begin
from dialogue.turns.waiting.reports import PayloadRefused, UnknownEvent, report_event
from dialogue.turns.worker import Ports, drain

Result = TypeVar("Result")
BuildNLU = Callable[[Assistant], NLU]
Differences = tuple[Difference, ...]


class NothingToRepeat(Exception):
    """`repeat_last` stands before the first message."""


@dataclass
class ScenarioPlay:
    """One scenario on its stage. `build_nlu` builds the understanding; None: the commands are given."""

    environment: ScenarioEnvironment
    scenario: Scenario
    world: StubbedWorld
    loop: asyncio.Runner
    build_nlu: BuildNLU | None = None
    given_commands: GivenCommands = field(default_factory=GivenCommands)
    last_incoming: Incoming | None = None

    def __post_init__(self) -> None:
        self.conversation = self._open_conversation()
        self.observer = ConversationObserver(self.conversation)
        self.spy = self._new_spy()

    def _open_conversation(self) -> Conversation:
        """Open the conversation as the scenario says. Raises OpeningRefused."""
        opening, release = self.scenario.opening, self.environment.release
        slots, claims = plain_json(opening.slots), plain_json(opening.claims)
        conversation, _token = open_conversation(
            self.environment.assistant.name,
            channel="scenario",
            user_ref=opening.user_ref,
            vouched=bool(claims),
            language=opening.language,
            opening=read_opening(release, slots, claims, opening.language),
        )
        return conversation

    def _new_spy(self) -> NLUSpy:
        return NLUSpy(self.build_nlu or (lambda _assistant: self.given_commands))

    @property
    def clock(self) -> clock.FrozenClock:
        return self.world.value_reader.clock

    def run_scenario(self, file: str) -> ScenarioResult:
        """Play every turn, whatever became of those before, and look at the end."""
        began = time.perf_counter()
        turns = tuple(self._run_turn(number, turn) for number, turn in enumerate(self.scenario.turns, start=1))
        missed = call_differences(self.scenario.afterwards.actions, self.world, self.environment.definition)
        reach = reach_of(self.conversation)
        self._end_conversation()
        return ScenarioResult(file, self.scenario.name, turns, missed, time.perf_counter() - began, reach)

    def _run_turn(self, number: int, turn: Turn) -> TurnResult:
        before = self.observer.stack()
        self.spy.clear()
        differences = self._perform_turn(turn)
        slots = self._run_coroutine(conversation_slots(self.conversation)) if self.environment.definition.slots else {}
        observation = self.observer.observe(slots)
        differences += turn_differences(turn.expect, observation, self._definition, self.world.value_reader)
        if self.build_nlu is not None and turn.commands:
            observation = replace(observation, commands=self.spy.commands)
            differences += command_differences(
                turn.commands, observation.commands, CommandContext(self._definition, self.world.value_reader, before)
            )
        if differences:
            differences += tuple(Difference("the turn", "is committed", error) for error in observation.incidents)
        expected_status = turn.operator.expect_status if turn.operator else None
        return TurnResult(number, turn.title, differences, observation, expected_status)

    @property
    def _definition(self) -> Assistant:
        """What the conversation runs on, which is not always what was published last."""
        return compiled_releases.assistant_of(self.conversation.release)

    def _perform_turn(self, turn: Turn) -> Differences:
        """Do what the turn says; an error of ours is a difference, and the next turn is played all the same."""
        try:
            self.given_commands.commands = turn.given_commands
            return self._turn_handlers[turn.kind](turn)
        except Exception as error:
            return (Difference(turn.kind, "it is taken", f"{type(error).__name__}: {error}"),)

    @property
    def _turn_handlers(self) -> Mapping[str, Callable[[Turn], Differences]]:
        return {
            "user": self._send_message,
            "choose": self._choose_button,
            "file": self._send_files,
            "operator": self._act_as_operator,
            "clock": self._advance_clock,
            "event": self._report_event,
            "start": self._begin_flow,
            "notify": self._write_first,
            "restart": self._restart_process,
            "publish": self._publish_document,
            "repeat_last": self._repeat_last,
        }

    def _send_message(self, turn: Turn) -> Differences:
        text = turn.user or ""
        return self._send_incoming(Incoming("message", uuid4().hex, {"text": text}, text=text))

    def _choose_button(self, turn: Turn) -> Differences:
        value, label = self.observer.find_button(turn.choose or "")
        return self._send_incoming(Incoming("choice", uuid4().hex, {"value": value}, text=label))

    def _send_files(self, turn: Turn) -> Differences:
        values = [{"id": "", **file.model_dump(), "digest": ""} for file in turn.file or ()]
        return self._send_incoming(incoming_values(uuid4().hex, values))

    def _send_incoming(self, incoming: Incoming) -> Differences:
        self.last_incoming = incoming
        accepted = accept(self.conversation.pk, incoming)
        self.observer.repeated = accepted.event if accepted.repeated else None
        self._drain_inbox()
        return ()

    def _repeat_last(self, _turn: Turn) -> Differences:
        if self.last_incoming is None:
            raise NothingToRepeat(self.scenario.name)
        return self._send_incoming(self.last_incoming)

    def _act_as_operator(self, turn: Turn) -> Differences:
        assert turn.operator is not None
        status, detail = perform_operation(
            turn.operator, self.conversation, self.environment.caller_named(turn.operator.name)
        )
        self._drain_inbox()
        expected_status = turn.operator.expect_status
        fits = status == expected_status if expected_status is not None else 200 <= status < 300
        return () if fits else (Difference("status", str(expected_status or "2xx"), f"{status} {detail}".strip()),)

    def _advance_clock(self, turn: Turn) -> Differences:
        assert turn.clock is not None
        self.clock.advance(turn.clock)
        self._run_coroutine(sweep(self._turn_ports()))
        return ()

    def _report_event(self, turn: Turn) -> Differences:
        assert turn.event is not None
        self.conversation.refresh_from_db()
        try:
            report_event(self.conversation, turn.event.name, plain_json(turn.event.payload), uuid4().hex)
        except (UnknownEvent, PayloadRefused) as error:
            return (Difference("event", "it is accepted", f"{type(error).__name__}: {error}"),)
        self._drain_inbox()
        return ()

    def _begin_flow(self, turn: Turn) -> Differences:
        assert turn.start is not None
        payload = {"flow": turn.start.flow, "slots": plain_json(turn.start.slots), "by": "Shop"}
        return self._begin(Incoming("start", uuid4().hex, payload))

    def _write_first(self, turn: Turn) -> Differences:
        return self._begin(Incoming("notify", uuid4().hex, {"text": turn.notify or "", "by": "Shop"}))

    def _begin(self, incoming: Incoming) -> Differences:
        self.conversation.refresh_from_db()
        try:
            begin(self.conversation, incoming, None, "")
        except (OptedOut, StartRefused) as error:
            return (Difference(incoming.kind, "it is accepted", f"{type(error).__name__}: {error}"),)
        self._drain_inbox()
        return ()

    def _restart_process(self, _turn: Turn) -> Differences:
        compiled_releases.forget_releases()
        self.spy = self._new_spy()
        return ()

    def _publish_document(self, turn: Turn) -> Differences:
        self.environment.publish_document(turn.publish or {})
        return ()

    def _drain_inbox(self) -> None:
        self._run_coroutine(drain(self.conversation.pk, ports=self._turn_ports()))

    def _turn_ports(self) -> Ports:
        return Ports(nlu=self.spy, actions=self.world)

    def _run_coroutine(self, work: Coroutine[Any, Any, Result]) -> Result:
        return self.loop.run(work, context=copy_context())

    def _end_conversation(self) -> None:
        """End the conversation, so that no later sweep finds anything of it."""
        self.conversation.refresh_from_db()
        if self.conversation.state not in Conversation.OVER:
            self._send_incoming(Incoming("cancel", uuid4().hex, {"reason": "the scenario is over"}))
