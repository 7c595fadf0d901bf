"""Submit against expire against cancel, around the deadline, over HTTP, with the sweep running beside them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

from campaigns.support.busy_bank import BusyBank, at_once, busy_bank
from campaigns.support.campaign import Campaign, Tally
from tests.support.processes.server import Answer

BATCH = 20
"""Gates that share a deadline."""

MORE_TRIES = 5
"""Batches that follow while a side has not won at all, as on a machine that is slow in the wrong moment."""

AHEAD = timedelta(seconds=2)
EARLIEST, LATEST = -0.9, 0.4
"""Seconds around the deadline in which each side sends its request."""

SIDES = {"submitted": 201, "expired": 200, "cancelled": 200}
"""What a gate becomes when a side has won, and the status that the side then hears."""


@dataclass(frozen=True)
class Try:
    """One side's request: which state it leads to, and what came back."""

    gate: str
    state: str
    answer: Answer

    @property
    def won(self) -> bool:
        return self.answer.status == SIDES[self.state]


def _run(size: int, chance: int, tally: Tally) -> None:
    random = Random(chance)
    with busy_bank() as bank:
        _all(bank, size, random, tally)
    with busy_bank(on_postgres=True) as bank:
        _all(bank, size, random, tally)


def _all(bank: BusyBank, size: int, random: Random, tally: Tally) -> None:
    for first in range(0, size, BATCH):
        _batch(bank, min(BATCH, size - first), random, tally)
    for _ in range(MORE_TRIES):
        if not all(tally.outcomes[side] for side in SIDES):
            _batch(bank, BATCH, random, tally)
    tally.failures += bank.broken_promises()


def _batch(bank: BusyBank, gates: int, random: Random, tally: Tally) -> None:
    names = [bank.open_gate() for _ in range(gates)]
    deadline = datetime.now(UTC) + AHEAD
    for name in names:
        bank.act(name, "extend", "sofia", until=deadline.isoformat())
    tries = at_once([_later(work, deadline, random) for name in names for work in _sides(bank, name)])
    bank.at_rest(names)
    for name in names:
        mine = [each for each in tries if each.gate == name]
        state = str(bank.look(name)["state"])
        tally.count(state if any(each.won for each in mine) else f"{state} by the sweep")
        tally.failures += _faults(name, state, mine)


def _sides(bank: BusyBank, gate: str) -> list[Callable[[], Try]]:
    return [
        lambda: Try(gate, "submitted", bank.act(gate, "submit", "racer-0", action="approve")),
        lambda: Try(gate, "expired", bank.act(gate, "expire", "racer-1", reason="it is too late")),
        lambda: Try(gate, "cancelled", bank.act(gate, "cancel", "sofia", reason="a mistake")),
    ]


def _later(work: Callable[[], Try], deadline: datetime, random: Random) -> Callable[[], Try]:
    moment = deadline.timestamp() + random.uniform(EARLIEST, LATEST)

    def waited() -> Try:
        time.sleep(max(0.0, moment - time.time()))
        return work()

    return waited


def _faults(gate: str, state: str, tries: list[Try]) -> list[str]:
    """More than one winner, a winner that is not what the gate became, or a loser who was not told that it is over."""
    heard = f"{gate} is {state}; heard {[(each.state, each.answer.status) for each in tries]}"
    won = [each.state for each in tries if each.won]
    told = all(each.won or each.answer.status in (409, 410) for each in tries)
    right = told and (won == [state] or (not won and state == "expired"))
    return [] if right else [heard]


CAMPAIGN = Campaign(
    name="deadline",
    passes_when="on both databases one final state each, and only the winner was told so; each side wins some",
    ci=20,
    full=300,
    outcomes=("submitted", "expired", "cancelled"),
    run=_run,
)
