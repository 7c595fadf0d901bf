"""Work that many want at the same moment."""

import asyncio
from collections.abc import Iterator

import pytest

from dialogue.web.sockets.single_flight import SingleFlight


async def test_who_asks_during_a_run_is_given_one_that_began_later():
    begun: list[int] = []
    goes_on = asyncio.Event()

    async def work() -> int:
        begun.append(len(begun) + 1)
        await goes_on.wait()
        return begun[-1]

    shared = SingleFlight(work)
    first = asyncio.create_task(shared())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    later = [asyncio.create_task(shared()) for _ in range(5)]
    await asyncio.sleep(0)
    goes_on.set()

    assert await first == 1
    assert await asyncio.gather(*later) == [2] * 5
    assert begun == [1, 2]


async def test_a_run_that_failed_is_told_to_those_who_asked_and_the_next_one_runs():
    answers: Iterator[OSError | int] = iter([OSError("away"), 7])

    async def work() -> int:
        answer = next(answers)
        if isinstance(answer, OSError):
            raise answer
        return answer

    shared = SingleFlight(work)
    with pytest.raises(OSError, match="away"):
        await shared()

    assert await shared() == 7
