"""Brakes on actions: few calls at a time, and none to a world that does not answer."""

import asyncio

import pytest

from dialogue.engine.actions import ActionCall, ActionMissing, Failed, Outcome, Succeeded, Unknown
from dialogue.engine.language.compiler import ActionContract
from dialogue.turns.actions.circuit_breaker import AT_ONCE, FAILURES, OPEN_FOR, WITHIN, Braked, Brakes, Breaker

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


class Hands:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


def call(name: str = "pay") -> ActionCall:
    return ActionCall("k1", name, {}, ActionContract())


@pytest.fixture
def hands() -> Hands:
    return Hands()


@pytest.fixture
def brakes(hands: Hands) -> Brakes:
    return Brakes({"pay": Breaker(hands)})


async def test_calls_of_one_action_come_few_at_a_time(brakes: Brakes) -> None:
    world = World(Succeeded({}))

    await asyncio.gather(*(Braked(world, brakes).run(call()) for _ in range(3 * AT_ONCE)))

    assert world.calls == 3 * AT_ONCE
    assert world.most == AT_ONCE


async def test_a_world_that_does_not_answer_is_left_alone_for_a_while(brakes: Brakes) -> None:
    world = World(LOST)
    for _ in range(FAILURES):
        assert await Braked(world, brakes).run(call()) == LOST

    refused = await Braked(world, brakes).run(call())

    assert isinstance(refused, Failed) and "not called" in refused.error
    assert world.calls == FAILURES


async def test_after_that_while_one_call_tries_and_an_answer_lets_the_others_through(
    brakes: Brakes, hands: Hands
) -> None:
    world = World(LOST)
    for _ in range(FAILURES):
        await Braked(world, brakes).run(call())
    hands.at += OPEN_FOR
    assert await Braked(world, brakes).run(call()) == LOST
    assert isinstance(await Braked(world, brakes).run(call()), Failed)

    hands.at += OPEN_FOR
    world.outcome = Failed("no funds")

    assert await Braked(world, brakes).run(call()) == Failed("no funds")
    world.outcome = Succeeded({})
    assert await Braked(world, brakes).run(call()) == Succeeded({})


async def test_refusals_are_answers_and_stop_nothing(brakes: Brakes) -> None:
    world = World(Failed("no funds"))
    for _ in range(3 * FAILURES):
        await Braked(world, brakes).run(call())

    assert world.calls == 3 * FAILURES


async def test_failures_that_lie_far_apart_stop_nothing(brakes: Brakes, hands: Hands) -> None:
    world = World(LOST)
    for _ in range(3 * FAILURES):
        await Braked(world, brakes).run(call())
        hands.at += WITHIN

    assert world.calls == 3 * FAILURES


async def test_another_action_is_called_as_ever(brakes: Brakes) -> None:
    for _ in range(FAILURES):
        await Braked(World(LOST), brakes).run(call())

    assert await Braked(World(Succeeded({})), brakes).run(call("look_up")) == Succeeded({})


async def test_a_call_that_ends_in_an_exception_leaves_the_way_open(brakes: Brakes, hands: Hands) -> None:
    class Missing:
        async def run(self, call: ActionCall) -> Outcome:
            raise ActionMissing(call.name)

    for _ in range(FAILURES):
        await Braked(World(LOST), brakes).run(call())
    hands.at += OPEN_FOR
    with pytest.raises(ActionMissing):
        await Braked(Missing(), brakes).run(call())

    assert await Braked(World(Succeeded({})), brakes).run(call()) == Succeeded({})
