"""Report the check of the audit trail as lines of text, for the terminal and the admin."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from dialogue.audit.chain import BrokenEntry, CheckProgress

ENTRIES_PER_LINE = 2000
"""Entries between two lines of progress."""


@dataclass
class CheckReport:
    """Turns the steps of a check into lines. Afterwards `broken` holds the first broken entry of each chain."""

    entries: int = 0
    chains: int = 0
    broken: list[BrokenEntry] = field(default_factory=list)
    _chain: str = ""
    _chain_entries: int = 0
    _reported_entries: int = 0

    def lines(self, steps: Iterable[CheckProgress | BrokenEntry]) -> Iterator[str]:
        """Yield a line for each broken chain and for every `ENTRIES_PER_LINE` entries, and the summary at the end."""
        for step in steps:
            yield from self._step_lines(step)
        yield self.summary()

    def summary(self) -> str:
        if not self.broken:
            return f"{self.entries} entries in {self.chains} chains, all whole"
        return f"{len(self.broken)} of {self.chains} chains broken. The first broken entry: {self.broken[0]}"

    def _step_lines(self, step: CheckProgress | BrokenEntry) -> Iterator[str]:
        if step.chain != self._chain:
            self._chain, self._chain_entries = step.chain, 0
            self.chains += 1
        if isinstance(step, BrokenEntry):
            self.broken.append(step)
            yield f"BROKEN {step}"
            return
        self.entries += step.entries - self._chain_entries
        self._chain_entries = step.entries
        if self.entries - self._reported_entries >= ENTRIES_PER_LINE:
            self._reported_entries = self.entries
            yield f"{self.entries} entries in {self.chains} chains checked"
