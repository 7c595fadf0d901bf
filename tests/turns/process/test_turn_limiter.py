"""Who came first is answered first, and who waits for something outside keeps nobody waiting."""

import asyncio
from contextlib import suppress

from dialogue.turns.process import turn_limiter
from dialogue.turns.process.turn_limiter import TurnLimiter, waiting_outside


async def most_at_work(stile: TurnLimiter, turns: int) -> int:
    """How many of these turns had a place at the same moment, at most."""
    at_work = most = 0

    async def turn() -> None:
        nonlocal at_work, most
        async with stile.slot():
            at_work += 1
            most = max(most, at_work)
            await asyncio.sleep(0)
            at_work -= 1

    await asyncio.gather(*(turn() for _ in range(turns)))
    return most


async def test_as_many_turns_are_at_work_as_there_are_places():
    assert await most_at_work(TurnLimiter(places=3), turns=12) == 3


async def test_turns_pass_in_the_order_in_which_they_came():
    stile, passed = TurnLimiter(places=1), []

    async def turn(number: int) -> None:
        async with stile.slot():
            await asyncio.sleep(0)
            passed.append(number)

    await asyncio.gather(*(turn(number) for number in range(12)))

    assert passed == list(range(12))


async def test_a_turn_that_waits_for_something_outside_lets_the_next_one_in(monkeypatch):
    monkeypatch.setattr(turn_limiter, "OUTSIDE_WAIT_SECONDS", 0.0)
    stile, answer = TurnLimiter(places=1), asyncio.Event()

    async def asks_the_world() -> None:
        async with stile.slot():
            with waiting_outside():
                await answer.wait()

    async def answers() -> None:
        async with stile.slot():
            answer.set()

    async with asyncio.timeout(30):
        await asyncio.gather(asks_the_world(), answers())


async def test_a_quick_answer_from_outside_costs_no_place(monkeypatch):
    monkeypatch.setattr(turn_limiter, "OUTSIDE_WAIT_SECONDS", 3600.0)
    stile, events = TurnLimiter(places=1), []

    async def asks_twice() -> None:
        async with stile.slot():
            for _ in range(2):
                with waiting_outside():
                    await asyncio.sleep(0)
            events.append("first")

    async def follows() -> None:
        async with stile.slot():
            events.append("second")

    await asyncio.gather(asks_twice(), follows())

    assert events == ["first", "second"]


async def test_a_place_is_given_back_once_however_its_turn_ends(monkeypatch):
    monkeypatch.setattr(turn_limiter, "OUTSIDE_WAIT_SECONDS", 0.0)
    stile = TurnLimiter(places=1)

    async def fails_outside() -> None:
        async with stile.slot():
            with waiting_outside():
                await asyncio.sleep(0.01)
            raise ValueError

    for _ in range(3):
        with suppress(ValueError):
            await fails_outside()

    assert await most_at_work(stile, turns=6) == 1


async def test_outside_of_any_turn_nothing_is_left():
    with waiting_outside():
        await asyncio.sleep(0)
