"""PostgreSQL and Redis are stopped and started under load: the scaled deployment, its pages open, customers writing."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from campaigns.support.campaign import Campaign, Tally
from campaigns.support.ready import bank_cluster
from tests.support.journeys.banking import PEOPLE, URSULA
from tests.support.processes.cluster import Cluster, cluster
from tests.support.processes.fleet import Page, open_page

PAGES = 10
BEFORE, AWAY, AFTER = 6.0, 5.0, 4.0
"""Seconds of load before an outage, during it, and after it."""

LATEST = 20.0
"""Seconds after the return within which every open page has every event."""

PACE = 2.0
"""Seconds between two messages of one customer."""


@dataclass(frozen=True)
class Outage:
    """What goes away, and how it comes back."""

    name: str
    stop: Callable[[], None]
    start: Callable[[], None]


@contextmanager
def _bank() -> Iterator[Cluster]:
    with TemporaryDirectory(prefix="soni-outage-") as folder:
        environment = {
            "SONI_ACTIONS": "tests.support.journeys.slow_bank,dialogue.library.demo.library_actions",
            "SLOW_BANK_LEDGER": f"{folder}/effects",
        }
        with cluster(Path(folder), environment, durable=True, ready=bank_cluster()) as running:
            running.shell(PEOPLE)
            yield running


def _run(size: int, chance: int, tally: Tally) -> None:
    with _bank() as bank:
        pages = [open_page(bank, "bank", URSULA) for _ in range(PAGES)]
        asyncio.run(_storms(size, bank, pages, tally))
        tally.late += _missing(pages)
        tally.failures += _faults(pages)
        bank.manage("verify_invariants")


async def _storms(size: int, bank: Cluster, pages: list[Page], tally: Tally) -> None:
    living = [asyncio.create_task(page.live()) for page in pages]
    try:
        await asyncio.gather(*(page.open.wait() for page in pages))
        for number in range(size):
            for outage in _outages(bank):
                seconds = await _storm(f"{outage.name}-{number}", outage, pages)
                tally.outcomes[f"{outage.name} lost"] += 1
                tally.time("until every page was complete", seconds)
                late = seconds > LATEST
                tally.late += [f"{outage.name}: pages were complete {seconds:.1f} s after"] * late
    finally:
        for task in living:
            task.cancel()
    tally.outcomes["messages accepted"] = sum(len(page.accepted) for page in pages)
    tally.outcomes["sockets that came back"] = sum(page.returns for page in pages)
    tally.tried = tally.outcomes["messages accepted"]


def _outages(bank: Cluster) -> tuple[Outage, ...]:
    return (
        Outage("postgres", bank.postgres.kill, bank.postgres.start),
        Outage("redis", bank.redis.kill, bank.redis.start),
    )


async def _storm(name: str, outage: Outage, pages: list[Page]) -> float:
    """One outage under load; the seconds from the return until every page had everything."""
    talking = asyncio.create_task(_talk(name, pages))
    await asyncio.sleep(BEFORE)
    await asyncio.to_thread(outage.stop)
    await asyncio.sleep(AWAY)
    await asyncio.to_thread(outage.start)
    back = time.monotonic()
    await asyncio.sleep(AFTER)
    talking.cancel()
    while not all(_complete(page) for page in pages) and time.monotonic() - back < 3 * LATEST:
        await asyncio.sleep(0.1)
    return time.monotonic() - back


async def _talk(name: str, pages: list[Page]) -> None:
    number = 0
    while True:
        await asyncio.gather(*(page.say(f"{name}-{number}", "what is my balance") for page in pages))
        number += 1
        await asyncio.sleep(PACE)


def _complete(page: Page) -> bool:
    return page.open.is_set() and not (page.unsaid or page.unanswered or page.missing)


def _missing(pages: list[Page]) -> Iterator[str]:
    for page in pages:
        if not _complete(page):
            yield f"a page lacks {page.missing}, could not say {page.unsaid}, has no answer to {page.unanswered}"


def _faults(pages: list[Page]) -> Iterator[str]:
    """Compare what was accepted with the transcript; a page that still waits for answers is late, and not wrong."""
    for page in filter(_complete, pages):
        said = [line["seq"] for line in page.lines.values() if line["role"] == "user"]
        if sorted(said) != sorted(page.accepted.values()):
            yield f"accepted were {sorted(page.accepted.values())}, the transcript has {sorted(said)}"


CAMPAIGN = Campaign(
    name="outage",
    passes_when="every accepted message has its turn, every open page has every line at most 20 s after the return",
    ci=2,
    full=6,
    outcomes=("postgres lost", "redis lost", "messages accepted"),
    run=_run,
    promises=LATEST,
)
