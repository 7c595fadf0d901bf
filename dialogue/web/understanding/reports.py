"""Evaluation reports as the page shows them: beside each other, in per cent."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from dialogue.models import NLUProgram, NLURun
from dialogue.nlu.training.evaluation import CommandCount, EvaluationReport, accuracy_gain

MAX_CONFUSIONS = 20


@dataclass(frozen=True)
class CategoryRow:
    """One category of a report, beside another report's where there is one; shares from 0 to 100."""

    name: str
    scores: CommandCount | None
    share: float
    before: float | None

    @property
    def worse(self) -> bool:
        return self.before is not None and self.share < self.before


@dataclass(frozen=True)
class ReportView:
    """A report as the page shows it."""

    title: str
    report: EvaluationReport
    rows: list[CategoryRow]
    gain: tuple[float, float, float] | None

    @property
    def exact(self) -> tuple[float, float, float]:
        """Exact turns in per cent, with the interval."""
        low, high = self.report.interval
        return 100 * self.report.exact, 100 * low, 100 * high

    @property
    def confusion(self) -> list[Any]:
        return [confusion for confusion in self.report.confusion if confusion.wanted != confusion.got][:MAX_CONFUSIONS]


def report_of_run(row: NLURun) -> ReportView | None:
    if row.program is not None:
        return report_of_program(row.program)
    title = _("Evaluation of “%(nlu)s”") % {"nlu": row.nlu}
    return _report_view(title, EvaluationReport.model_validate(row.report), None) if row.report else None


def report_of_program(row: NLUProgram, other: NLUProgram | None = None) -> ReportView | None:
    """A program's report beside its baseline's, or beside another program's with the same data; None without scores."""
    if not row.scores:
        return None
    report, before = EvaluationReport.model_validate(row.scores), other.scores if other else row.baseline
    baseline = EvaluationReport.model_validate(before) if before else None
    comparable_baseline = baseline if baseline and baseline.data == report.data else None
    title = _("Program %(number)s") % {"number": row.number}
    compared = other or row.beaten
    name = _("program %(number)s") % {"number": compared.number} if compared else _("the built-in program")
    return _report_view(
        _("%(program)s beside %(other)s") % {"program": title, "other": name}, report, comparable_baseline
    )


def _report_view(title: str, report: EvaluationReport, baseline: EvaluationReport | None) -> ReportView:
    gain = None
    if baseline is not None:
        gain_mean, (low, high) = accuracy_gain(baseline, report)
        gain = (100 * gain_mean, 100 * low, 100 * high)
    return ReportView(title, report, list(_category_rows(report, baseline)), gain)


def _category_rows(report: EvaluationReport, baseline: EvaluationReport | None) -> Iterator[CategoryRow]:
    old_shares = baseline.categories() if baseline else {}
    new_shares = report.categories()
    for name in dict.fromkeys((*new_shares, *old_shares)):
        before = 100 * old_shares.get(name, 0.0) if baseline else None
        yield CategoryRow(name, report.commands.get(name), 100 * new_shares.get(name, 0.0), before)
