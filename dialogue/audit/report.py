"""What the check of the record says while it goes on: text for a terminal and for the admin alike."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from dialogue.audit.chain import BrokenEntry, Checked

STRIDE = 2000
"""Entries between two lines of progress."""


@dataclass
class Report:
    """Reads the steps of a check and tells them; afterwards `broken` has the first broken entry of each chain."""

    entries: int = 0
    chains: int = 0
    broken: list[BrokenEntry] = field(default_factory=list)
    _chain: str = ""
    _within: int = 0
    _told: int = 0

    def lines(self, steps: Iterable[Checked | BrokenEntry]) -> Iterator[str]:
        """A line for each broken chain and for every 2,000 entries, and one at the end that says how it is."""
        for step in steps:
            yield from self._line(step)
        yield self.summary()

    def summary(self) -> str:
        if not self.broken:
            return f"{self.entries} entries in {self.chains} chains, all whole"
        return f"{len(self.broken)} of {self.chains} chains broken. The first broken entry: {self.broken[0]}"

    def _line(self, step: Checked | BrokenEntry) -> Iterator[str]:
        if step.chain != self._chain:
            self._chain, self._within = step.chain, 0
            self.chains += 1
        if isinstance(step, BrokenEntry):
            self.broken.append(step)
            yield f"BROKEN {step}"
            return
        self.entries += step.entries - self._within
        self._within = step.entries
        if self.entries - self._told >= STRIDE:
            self._told = self.entries
            yield f"{self.entries} entries in {self.chains} chains checked"
