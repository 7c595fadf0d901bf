"""Playing one scenario: every turn goes the way that it goes in service, with stand-ins for the world.

The conversation is opened, its events are accepted and drained, and staff act through the desk's door; only the
commands (with `given`) and the actions come from the scenario, and the clock stands still until it is moved.
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
from dialogue.scenarios.environment import Stage
from dialogue.scenarios.format.files import Scenario, Turn
from dialogue.scenarios.nlu_spy import Listener
from dialogue.scenarios.observer import Watch, conversation_slots
from dialogue.scenarios.operators import act
from dialogue.scenarios.outcome.command_expectations import Hearing, misunderstood
from dialogue.scenarios.outcome.coverage import reach_of
from dialogue.scenarios.outcome.expectations import differences, missed_calls
from dialogue.scenarios.outcome.results import Difference, ScenarioResult, TurnResult
from dialogue.sweep import sweep
from dialogue.turns import clock, compiled_releases
from dialogue.turns.accept import Incoming, accept, open_conversation
from dialogue.turns.worker import Ports, drain

Result = TypeVar("Result")
Understand = Callable[[Assistant], NLU]
Found = tuple[Difference, ...]


class NothingToRepeat(Exception):
    """`repeat_last` stands before the first message."""


@dataclass
class Play:
    """One scenario on its stage. `understand` builds the understanding; None: the commands are given."""

    stage: Stage
    scenario: Scenario
    world: StubbedWorld
    loop: asyncio.Runner
    understand: Understand | None = None
    given: GivenCommands = field(default_factory=GivenCommands)
    last: Incoming | None = None

    def __post_init__(self) -> None:
        self.conversation, _token = open_conversation(self.stage.assistant.name, channel="scenario")
        self.watch = Watch(self.conversation)
        self.listener = self._new_listener()

    def _new_listener(self) -> Listener:
        return Listener(self.understand or (lambda _assistant: self.given))

    @property
    def clock(self) -> clock.FrozenClock:
        return self.world.setting.clock

    def result(self, file: str) -> ScenarioResult:
        """Play every turn, whatever became of those before, and look at the end."""
        began = time.perf_counter()
        turns = tuple(self._turn(number, turn) for number, turn in enumerate(self.scenario.turns, start=1))
        missed = missed_calls(self.scenario.afterwards.actions, self.world, self.stage.definition)
        reach = reach_of(self.conversation)
        self._leave()
        return ScenarioResult(file, self.scenario.name, turns, missed, time.perf_counter() - began, reach)

    def _turn(self, number: int, turn: Turn) -> TurnResult:
        before = self.watch.stack()
        self.listener.forget()
        found = self._played(turn)
        kept = self._wait(conversation_slots(self.conversation)) if self.stage.definition.slots else {}
        seen = self.watch.look(kept)
        found += differences(turn.expect, seen, self._definition, self.world.setting)
        if self.understand is not None and turn.commands:
            seen = replace(seen, commands=self.listener.heard)
            found += misunderstood(turn.commands, seen.commands, Hearing(self._definition, self.world.setting, before))
        if found:
            found += tuple(Difference("the turn", "is committed", error) for error in seen.incidents)
        return TurnResult(number, turn.title, found, seen)

    @property
    def _definition(self) -> Assistant:
        """What the conversation runs on, which is not always what was published last."""
        return compiled_releases.assistant_of(self.conversation.release)

    def _played(self, turn: Turn) -> Found:
        """Do what the turn says; an error of ours is a difference, and the next turn is played all the same."""
        try:
            self.given.commands = turn.given
            return self._do[turn.kind](turn)
        except Exception as why:
            return (Difference(turn.kind, "it is taken", f"{type(why).__name__}: {why}"),)

    @property
    def _do(self) -> Mapping[str, Callable[[Turn], Found]]:
        return {
            "user": self._user,
            "choose": self._choose,
            "operator": self._operator,
            "clock": self._clock,
            "restart": self._restart,
            "publish": self._publish,
            "repeat_last": self._repeat_last,
        }

    def _user(self, turn: Turn) -> Found:
        text = turn.user or ""
        return self._say(Incoming("message", uuid4().hex, {"text": text}, text=text))

    def _choose(self, turn: Turn) -> Found:
        value, label = self.watch.button(turn.choose or "")
        return self._say(Incoming("choice", uuid4().hex, {"value": value}, text=label))

    def _say(self, incoming: Incoming) -> Found:
        self.last = incoming
        accepted = accept(self.conversation.pk, incoming)
        self.watch.repeated = accepted.event if accepted.repeated else None
        self._drain()
        return ()

    def _repeat_last(self, _turn: Turn) -> Found:
        if self.last is None:
            raise NothingToRepeat(self.scenario.name)
        return self._say(self.last)

    def _operator(self, turn: Turn) -> Found:
        assert turn.operator is not None
        status, detail = act(turn.operator, self.conversation, self.stage.caller(turn.operator.name))
        self._drain()
        wanted = turn.operator.expect_status
        fits = status == wanted if wanted is not None else 200 <= status < 300
        return () if fits else (Difference("status", str(wanted or "2xx"), f"{status} {detail}".strip()),)

    def _clock(self, turn: Turn) -> Found:
        assert turn.clock is not None
        self.clock.advance(turn.clock)
        self._wait(sweep(self._ports()))
        return ()

    def _restart(self, _turn: Turn) -> Found:
        compiled_releases.forget_releases()
        self.listener = self._new_listener()
        return ()

    def _publish(self, turn: Turn) -> Found:
        self.stage.add(turn.publish or {})
        return ()

    def _drain(self) -> None:
        self._wait(drain(self.conversation.pk, ports=self._ports()))

    def _ports(self) -> Ports:
        return Ports(nlu=self.listener, actions=self.world)

    def _wait(self, work: Coroutine[Any, Any, Result]) -> Result:
        return self.loop.run(work, context=copy_context())

    def _leave(self) -> None:
        """End the conversation, so that no later sweep finds anything of it."""
        self.conversation.refresh_from_db()
        if self.conversation.state not in Conversation.OVER:
            self._say(Incoming("cancel", uuid4().hex, {"reason": "the scenario is over"}))
