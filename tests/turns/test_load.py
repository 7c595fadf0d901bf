"""Back-pressure: what is refused while too many turns wait, and after how long to try again."""

import asyncio
from collections.abc import Iterator

import pytest

from dialogue.turns import load
from dialogue.turns.load import CONVERSATION, MESSAGE, ServerBusy, refuse_when_busy
from dialogue.turns.metrics import REFUSED, WAITING_TURNS
from dialogue.turns.process.turn_limiter import TurnLimiter
from tests.support.soni_settings import change


@pytest.fixture(autouse=True)
def _new_load() -> Iterator[None]:
    load.new_limiter()
    yield
    load.new_limiter()


def let_wait(count: int) -> None:
    load.new_limiter().waiting = count


@pytest.fixture
def bound(settings) -> int:
    change(settings, MAX_WAITING_TURNS=10)
    return 10


def refused(work: str) -> bool:
    try:
        refuse_when_busy(work)
    except ServerBusy:
        return True
    return False


def test_new_conversations_are_refused_first_and_messages_at_five_times_as_many(bound: int):
    asked = (bound - 1, bound, 5 * bound - 1, 5 * bound)
    answers = []
    for waiting in asked:
        let_wait(waiting)
        answers.append((refused(CONVERSATION), refused(MESSAGE)))

    assert answers == [(False, False), (True, False), (True, False), (True, True)]


def test_a_refusal_is_counted_and_says_when_to_come_again(bound: int):
    let_wait(bound)
    before = REFUSED.labels(CONVERSATION)._value.get()

    with pytest.raises(ServerBusy) as busy:
        refuse_when_busy(CONVERSATION)

    assert busy.value.seconds == load.MIN_WAIT_SECONDS
    assert REFUSED.labels(CONVERSATION)._value.get() == before + 1


def test_without_a_bound_nothing_is_refused(settings):
    change(settings, MAX_WAITING_TURNS=0)
    let_wait(1_000_000)

    assert not refused(CONVERSATION)


async def test_the_estimate_is_the_pace_of_the_last_turns_times_those_that_wait():
    now = [0.0]
    limiter, leave = TurnLimiter(places=1, seconds=lambda: now[0]), asyncio.Semaphore(0)

    async def turn() -> None:
        async with limiter.slot():
            await leave.acquire()

    turns = [asyncio.create_task(turn()) for _ in range(6)]
    await asyncio.sleep(0)
    for _ in range(2):  # one every two seconds
        now[0] += 2
        leave.release()
        await asyncio.sleep(0.01)

    assert limiter.waiting == 3
    assert limiter.wait_seconds() == pytest.approx(3 * 4 / 3)
    for _ in turns:
        leave.release()
    await asyncio.gather(*turns)
    assert (limiter.waiting, limiter.wait_seconds()) == (0, 0.0)


async def test_turns_that_wait_are_counted_in_the_metrics_until_they_begin_or_are_cancelled():
    limiter, leave = load.new_limiter(), asyncio.Event()

    async def turn() -> None:
        async with limiter.slot():
            await leave.wait()

    turns = [asyncio.create_task(turn()) for _ in range(12)]
    await asyncio.sleep(0)
    assert WAITING_TURNS._value.get() == 4
    turns[-1].cancel()
    await asyncio.sleep(0)
    assert WAITING_TURNS._value.get() == 3
    leave.set()
    await asyncio.gather(*turns, return_exceptions=True)

    assert WAITING_TURNS._value.get() == 0
