"""A campaign: something tried very often, with chance, and an account of what came of it.

A module directly in `campaigns/` that has a `CAMPAIGN` is one; nothing else has to know of it.
"""

import importlib
import pkgutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import campaigns as package


@dataclass
class Tally:
    """What was counted so far: how many were tried, what came of each, and what should not have been."""

    tried: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    """What came, but not in time, or was not reached: on a busy machine it says nothing about the product."""

    def count(self, outcome: str) -> None:
        """One more was tried, and this came of it."""
        self.tried += 1
        self.outcomes[outcome] += 1

    def time(self, what: str, seconds: float) -> None:
        """It took so long, and the longest of its kind is told."""
        told = f"ms {what}"
        self.outcomes[told] = max(self.outcomes[told], round(1000 * seconds))


@dataclass(frozen=True)
class Campaign:
    """`run(size, seed, tally)` tries `size` times; it has failed too when one of `outcomes` was never seen."""

    name: str
    passes_when: str
    ci: int
    full: int
    outcomes: tuple[str, ...]
    run: Callable[[int, int, Tally], None]
    promises: float | None = None
    """The shortest time by the clock that it judges, in seconds."""
    computes: bool = False
    """It waits for nothing and starts no server of the product, so that it can run beside whatever mostly waits."""

    def size(self, word: str) -> int:
        """How often "ci" or "full" tries."""
        return self.ci if word == "ci" else self.full


@dataclass(frozen=True)
class Report:
    """One campaign's result, for people."""

    campaign: Campaign
    seed: int
    tally: Tally
    seconds: float

    @property
    def never_seen(self) -> list[str]:
        """Outcomes with a count of zero: what was not tried proves nothing."""
        return [each for each in self.campaign.outcomes if not self.tally.outcomes[each]]

    @property
    def passed(self) -> bool:
        return self.is_right and not self.tally.late and not self.never_seen

    @property
    def is_right(self) -> bool:
        """Whether nothing wrong was seen, though something may have been late or not tried."""
        return not self.tally.failures and self.tally.tried > 0

    def lines(self) -> Iterator[str]:
        """The row of the table, and below it whatever went wrong."""
        counts = ", ".join(f"{self.tally.outcomes[each]:,} {each}" for each in self._names())
        word = "passed" if self.passed else "FAILED"
        yield f"{self.campaign.name:12} {word}  seed {self.seed}  {self.tally.tried:,} tried in {self.seconds:.1f} s"
        yield f"{'':12} {counts}"
        yield f"{'':12} passes when: {self.campaign.passes_when}"
        yield from (f"{'':12} never seen: {each}" for each in self.never_seen)
        yield from (f"{'':12} late: {each}" for each in self.tally.late)
        yield from (f"{'':12} {each}" for each in self.tally.failures[:10])

    def _names(self) -> list[str]:
        return sorted({*self.campaign.outcomes, *self.tally.outcomes})


def conduct(campaign: Campaign, size: int, seed: int) -> Report:
    """Run one campaign to its end; what it raises is a failure like any other."""
    tally, began = Tally(), time.perf_counter()
    try:
        campaign.run(size, seed, tally)
    except Exception as why:
        tally.failures += map(_told, _causes(why))
    return Report(campaign, seed, tally, time.perf_counter() - began)


def _causes(why: Exception) -> Iterator[Exception]:
    """The failures of a group, each for itself."""
    if not isinstance(why, ExceptionGroup):
        yield why
        return
    for cause in why.exceptions:
        yield from _causes(cause)


def _told(why: Exception) -> str:
    told = [str(why), *getattr(why, "__notes__", ())]
    return f"{type(why).__name__}: {' | '.join(told)}"[:2000]


def campaigns() -> dict[str, Campaign]:
    """Every campaign by name."""
    modules = (importlib.import_module(f"{package.__name__}.{each.name}") for each in _modules())
    found = (getattr(each, "CAMPAIGN", None) for each in modules)
    return {each.name: each for each in found if isinstance(each, Campaign)}


def _modules() -> Iterator[pkgutil.ModuleInfo]:
    """The modules that may hold a campaign: neither tests nor `__main__`."""
    return (each for each in pkgutil.iter_modules(package.__path__) if not each.name.startswith(("test_", "__")))
