"""Reports about understanding as the page shows them: beside each other, in per cent, and in words."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from dialogue.models import NLUProgram, NLURun
from dialogue.nlu.training.evaluation import CommandCount, EvaluationReport, accuracy_gain

MOST_CONFUSED = 20


@dataclass(frozen=True)
class Row:
    """One category of a report, beside another report's where there is one; shares from 0 to 100."""

    name: str
    scores: CommandCount | None
    share: float
    before: float | None

    @property
    def worse(self) -> bool:
        return self.before is not None and self.share < self.before


@dataclass(frozen=True)
class Shown:
    """A report as the page shows it."""

    title: str
    report: EvaluationReport
    rows: list[Row]
    gain: tuple[float, float, float] | None

    @property
    def exact(self) -> tuple[float, float, float]:
        """Exact turns in per cent, with the interval."""
        low, high = self.report.interval
        return 100 * self.report.exact, 100 * low, 100 * high

    @property
    def confusion(self) -> list[Any]:
        return [each for each in self.report.confusion if each.wanted != each.got][:MOST_CONFUSED]


def of_run(row: NLURun) -> Shown | None:
    if row.program is not None:
        return of_program(row.program)
    title = _("Evaluation of “%(nlu)s”") % {"nlu": row.nlu}
    return _shown(title, EvaluationReport.model_validate(row.report), None) if row.report else None


def of_program(row: NLUProgram, other: NLUProgram | None = None) -> Shown | None:
    """A program beside the one that it was compared with, or another one that was asked the same."""
    if not row.scores:
        return None
    report, before = EvaluationReport.model_validate(row.scores), other.scores if other else row.baseline
    baseline = EvaluationReport.model_validate(before) if before else None
    same = baseline if baseline and baseline.data == report.data else None
    title = _("Program %(number)s") % {"number": row.number}
    name = _name_of(other or row.beaten)
    return _shown(_("%(program)s beside %(other)s") % {"program": title, "other": name}, report, same)


def _name_of(row: NLUProgram | None) -> str:
    return _("program %(number)s") % {"number": row.number} if row else _("the built-in program")


def _shown(title: str, report: EvaluationReport, baseline: EvaluationReport | None) -> Shown:
    gain = None
    if baseline is not None:
        more, (low, high) = accuracy_gain(baseline, report)
        gain = (100 * more, 100 * low, 100 * high)
    return Shown(title, report, list(_rows(report, baseline)), gain)


def _rows(report: EvaluationReport, baseline: EvaluationReport | None) -> Iterator[Row]:
    old = baseline.categories() if baseline else {}
    new = report.categories()
    for name in dict.fromkeys((*new, *old)):
        before = 100 * old.get(name, 0.0) if baseline else None
        yield Row(name, report.commands.get(name), 100 * new.get(name, 0.0), before)
