"""A thousand conversations wait for approval while the process is restarted; then all of them are answered."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from random import Random

from campaigns.support.busy_bank import BusyBank
from campaigns.support.campaign import Campaign, Tally
from campaigns.support.crowds import crowded_bank, unheard
from tests.support.processes.server import wait_for

LISTED_WITHIN, APPLIED_WITHIN = 2.0, 120.0
AT_ONCE = 8
ANSWERS = {"approve": {}, "reject": {"reason": "not plausible"}}


def _run(size: int, chance: int, tally: Tally) -> None:
    random = Random(chance)
    for on_postgres in (False, True):
        with crowded_bank(size, timedelta(hours=2), on_postgres=on_postgres) as bank:
            _start_anew(bank, size, random, tally)


def _start_anew(bank: BusyBank, size: int, random: Random, tally: Tally) -> None:
    bank.server.start()
    began = time.monotonic()
    gates = list(_listed(bank))
    listed = time.monotonic() - began
    wanted = [random.choice(list(ANSWERS)) for _ in gates]
    began = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        heard = list(pool.map(lambda place: _answer(bank, gates[place], wanted[place], place), range(len(gates))))
    wait_for(lambda: unheard(bank.server) == 0, within=APPLIED_WITHIN)
    applied = time.monotonic() - began
    for action, status in zip(wanted, heard, strict=True):
        tally.count(f"{action}: {status}")
    tally.time("until all were listed", listed)
    tally.time("until all were applied", applied)
    tally.failures += [*_slow(listed, applied), *_faults(bank, size, len(gates), wanted.count("approve"))]


def _listed(bank: BusyBank) -> Iterator[str]:
    cursor = ""
    while cursor is not None:
        page = bank.server.get(f"/api/v1/sessions?audience=staff&limit=200&cursor={cursor}", "sofia").body
        yield from (each["name"] for each in page["sessions"])
        cursor = page["next"]


def _answer(bank: BusyBank, gate: str, action: str, place: int) -> int:
    who = f"racer-{place % AT_ONCE}"
    answer = bank.act(gate, "submit", who, action=action, values=ANSWERS[action], idempotency_key=f"{gate}-{who}")
    return answer.status


def _slow(listed: float, applied: float) -> Iterator[str]:
    if listed > LISTED_WITHIN:
        yield f"the list took {listed:.1f} s, at most {LISTED_WITHIN:.0f}"
    if applied > APPLIED_WITHIN:
        yield f"all were applied after {applied:.0f} s, at most {APPLIED_WITHIN:.0f}"


def _faults(bank: BusyBank, size: int, seen: int, approved: int) -> Iterator[str]:
    sent = bank.money_sent()
    if seen != size:
        yield f"{seen} of {size} were listed after the start"
    if not len(sent) == len(set(sent)) == approved:
        yield f"{approved} were approved, {len(sent)} payments left the house, {len(set(sent))} of them different"
    yield from bank.broken_promises()


CAMPAIGN = Campaign(
    name="restart",
    passes_when="all are listed 2 s after ready, answered and applied in 120 s, and each payment leaves once",
    ci=16,
    full=1_000,
    outcomes=("approve: 201", "reject: 201"),
    run=_run,
    promises=LISTED_WITHIN,
)
