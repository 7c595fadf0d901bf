"""Report the check of the audit trail as lines of text in the reader's language, for the terminal and the pages."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dialogue.audit import chain
from dialogue.audit.chain import BrokenEntry, CheckProgress

ENTRIES_PER_LINE = 2000
"""Entries between two lines of progress."""
BROKEN_PREFIX = "BROKEN "
"""Begins the line of a broken entry; `verify.js` knows it."""


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
        """Return the last line: that everything is as it was recorded, or the first entry that is not."""
        if not self.broken:
            return _("%s: all are as they were recorded") % self._checked()
        facts = {"count": len(self.broken), "all": self.chains, "entry": self.broken[0]}
        return _("Broken chains: %(count)s of %(all)s. The first broken entry: %(entry)s") % facts

    def _checked(self) -> str:
        entries = ngettext("%s entry", "%s entries", self.entries) % self.entries
        chains = ngettext("%s chain", "%s chains", self.chains) % self.chains
        return _("%(entries)s in %(chains)s checked") % {"entries": entries, "chains": chains}

    def _step_lines(self, step: CheckProgress | BrokenEntry) -> Iterator[str]:
        if step.chain != self._chain:
            self._chain, self._chain_entries = step.chain, 0
            self.chains += 1
        if isinstance(step, BrokenEntry):
            self.broken.append(step)
            yield f"{BROKEN_PREFIX}{step}"
            return
        self.entries += step.entries - self._chain_entries
        self._chain_entries = step.entries
        if self.entries - self._reported_entries >= ENTRIES_PER_LINE:
            self._reported_entries = self.entries
            yield self._checked()


def report_in(language: str) -> Iterator[str]:
    """Check all chains, and yield the lines of the report, each with its newline.

    A response is streamed after its request, whose language has ended by then, so it is set for each line.
    """
    lines = CheckReport().lines(chain.check())
    while True:
        with translation.override(language or None):
            line = next(lines, None)
        if line is None:
            return
        yield f"{line}\n"
