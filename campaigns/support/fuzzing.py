"""How the fuzz campaigns try: hypothesis draws, a target says what came of it, a seed repeats it."""

import time
from collections.abc import Callable
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from campaigns.support.busy_bank import BusyBank, busy_bank
from campaigns.support.campaign import Tally

Drawn = TypeVar("Drawn")

ON_POSTGRES = 5
"""One of so many is tried on a bank there once more."""

UNSUSPICIOUS_SECONDS = 0.05
"""What takes no longer is not looked at again."""
MAX_TIMES_ORDINARY = 40
"""How many times the work of an ordinary text a hostile one may take, measured beside each other: machines differ."""


def fuzz(
    texts: SearchStrategy[str],
    target: Callable[[str], str],
    size: int,
    chance: int,
    tally: Tally,
    *,
    ordinary: str = "",
) -> None:
    """Give `size` texts to the target, which names the outcome; whatever it raises fails the campaign.

    With an ordinary text they are hostile ones, and none may take much longer than it.
    """

    def attempt(text: str) -> None:
        outcome, seconds = _once(target, text)
        if ordinary and seconds > UNSUSPICIOUS_SECONDS:
            times = _least(target, text) / _least(target, ordinary)
            assert times < MAX_TIMES_ORDINARY, f"{times:.0f} times the work, for {len(text):,} hostile characters"
        tally.count("hostile" if ordinary else outcome)

    draw(texts, attempt, size, chance, Phase.generate, Phase.shrink)


def fuzz_banks(
    sent: SearchStrategy[Drawn],
    enter: Callable[[BusyBank, Tally], Callable[[Drawn], None]],
    size: int,
    chance: int,
    tally: Tally,
) -> None:
    """Send `size` inputs to a running bank as the client that `enter` opens, and some to a bank on PostgreSQL."""
    for on_postgres, times in ((False, size), (True, size // ON_POSTGRES)):
        with busy_bank(on_postgres=on_postgres) as bank:
            draw(sent, enter(bank, tally), times, chance, Phase.generate)
            assert bank.server.get("/health/live").status == 200
            tally.failures += bank.broken_promises()


def draw(
    drawn: SearchStrategy[Drawn], attempt: Callable[[Drawn], None], size: int, chance: int, *phases: Phase
) -> None:
    """Attempt it with `size` draws, which the same chance gives again."""
    limits = settings(
        max_examples=size, database=None, deadline=None, phases=phases, suppress_health_check=list(HealthCheck)
    )

    @seed(chance)
    @limits
    @given(drawn)
    def try_one(one: Drawn) -> None:
        attempt(one)

    try_one()


def _least(target: Callable[[str], str], text: str) -> float:
    """The processor's time of the try that was disturbed least."""
    return min(_once(target, text)[1] for _ in range(3))


def _once(target: Callable[[str], str], text: str) -> tuple[str, float]:
    began = time.process_time()
    outcome = target(text)
    return outcome, time.process_time() - began
