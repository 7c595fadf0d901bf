"""Actions are called a few at a time, and not at all for a while when they do not answer."""

import asyncio
from dataclasses import replace

import pytest

from dialogue.circuit_breaker import OPEN_SECONDS
from dialogue.engine.actions import ActionCall, ActionMissing, Failed, Outcome, Succeeded, Unknown
from dialogue.engine.language.compiler import ActionContract
from dialogue.turns.actions.guarded_actions import (
    MAX_CONCURRENT_CALLS,
    MAX_UNKNOWN_OUTCOMES,
    WINDOW_SECONDS,
    ActionLimits,
    GuardedActions,
    action_breaker,
)

LOST = Unknown("timeout")


class World:
    """Gives the outcome that it is told to, and counts who is with it at a time."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.calls = self.inside = self.most = 0

    async def run(self, call: ActionCall) -> Outcome:
        self.calls += 1
        self.inside += 1
        self.most = max(self.most, self.inside)
        await asyncio.sleep(0)
        self.inside -= 1
        return self.outcome


class ManualClock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


def call(name: str = "pay") -> ActionCall:
    return ActionCall("k1", name, {}, ActionContract())


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def limits(clock: ManualClock) -> ActionLimits:
    return ActionLimits({"pay": replace(action_breaker(), clock=clock)})


async def test_calls_of_one_action_come_few_at_a_time(limits: ActionLimits) -> None:
    world = World(Succeeded({}))

    await asyncio.gather(*(GuardedActions(world, limits).run(call()) for _ in range(3 * MAX_CONCURRENT_CALLS)))

    assert world.calls == 3 * MAX_CONCURRENT_CALLS
    assert world.most == MAX_CONCURRENT_CALLS


async def test_a_world_that_does_not_answer_is_left_alone_for_a_while(limits: ActionLimits) -> None:
    world = World(LOST)
    for _ in range(MAX_UNKNOWN_OUTCOMES):
        assert await GuardedActions(world, limits).run(call()) == LOST

    refused = await GuardedActions(world, limits).run(call())

    assert isinstance(refused, Failed) and "not called" in refused.error
    assert world.calls == MAX_UNKNOWN_OUTCOMES


async def test_after_that_while_one_call_tries_and_an_answer_lets_the_others_through(
    limits: ActionLimits, clock: ManualClock
) -> None:
    world = World(LOST)
    for _ in range(MAX_UNKNOWN_OUTCOMES):
        await GuardedActions(world, limits).run(call())
    clock.at += OPEN_SECONDS
    assert await GuardedActions(world, limits).run(call()) == LOST
    assert isinstance(await GuardedActions(world, limits).run(call()), Failed)

    clock.at += OPEN_SECONDS
    world.outcome = Failed("no funds")

    assert await GuardedActions(world, limits).run(call()) == Failed("no funds")
    world.outcome = Succeeded({})
    assert await GuardedActions(world, limits).run(call()) == Succeeded({})


async def test_refusals_are_answers_and_stop_nothing(limits: ActionLimits) -> None:
    world = World(Failed("no funds"))
    for _ in range(3 * MAX_UNKNOWN_OUTCOMES):
        await GuardedActions(world, limits).run(call())

    assert world.calls == 3 * MAX_UNKNOWN_OUTCOMES


async def test_failures_that_lie_far_apart_stop_nothing(limits: ActionLimits, clock: ManualClock) -> None:
    world = World(LOST)
    for _ in range(3 * MAX_UNKNOWN_OUTCOMES):
        await GuardedActions(world, limits).run(call())
        clock.at += WINDOW_SECONDS

    assert world.calls == 3 * MAX_UNKNOWN_OUTCOMES


async def test_another_action_is_called_as_ever(limits: ActionLimits) -> None:
    for _ in range(MAX_UNKNOWN_OUTCOMES):
        await GuardedActions(World(LOST), limits).run(call())

    assert await GuardedActions(World(Succeeded({})), limits).run(call("look_up")) == Succeeded({})


async def test_a_call_that_ends_in_an_exception_leaves_the_way_open(limits: ActionLimits, clock: ManualClock) -> None:
    class Missing:
        async def run(self, call: ActionCall) -> Outcome:
            raise ActionMissing(call.name)

    for _ in range(MAX_UNKNOWN_OUTCOMES):
        await GuardedActions(World(LOST), limits).run(call())
    clock.at += OPEN_SECONDS
    with pytest.raises(ActionMissing):
        await GuardedActions(Missing(), limits).run(call())

    assert await GuardedActions(World(Succeeded({})), limits).run(call()) == Succeeded({})
