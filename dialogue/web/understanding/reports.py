"""Measurements as the page shows them: what was understood and what was read as something else, in words."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from dialogue.engine.language.compiler import Assistant as Definition
from dialogue.models import NLUProgram, NLURun
from dialogue.nlu.training.evaluation import NO_FLOW, CommandCount, EvaluationReport, MissedTurn, accuracy_gain
from dialogue.turns.live.flow_words import flow_words
from dialogue.web.shared.percentages import percent_of
from dialogue.web.shared.words.commands import command_words, kind_words
from dialogue.web.shared.words.understanding import WAYS_TO_UNDERSTAND

MAX_CONFUSIONS = 20


@dataclass(frozen=True)
class KindRow:
    """One kind of meaning, beside another measurement's where there is one; F1 scores from 0 to 100."""

    words: str
    counts: CommandCount
    f1: float
    before: CommandCount | None
    f1_before: float | None

    @property
    def expected(self) -> int:
        return self.counts.right + self.counts.missed

    @property
    def percent(self) -> int:
        return percent_of(self.counts.right, self.expected)

    @property
    def percent_before(self) -> int | None:
        if self.before is None:
            return None
        return percent_of(self.before.right, self.before.right + self.before.missed)

    @property
    def worse(self) -> bool:
        return self.f1_before is not None and self.f1 < self.f1_before


@dataclass(frozen=True)
class ConfusedFlow:
    """How often a flow was meant, and another one, or none, was started; titles in the reader's language."""

    meant: str
    started: str
    times: int


@dataclass(frozen=True)
class MissedMessage:
    """A message that was not understood as its scenario expects; `meant` and `understood` in words."""

    text: str
    meant: list[str]
    understood: list[str]
    source: str


@dataclass(frozen=True)
class ReportView:
    """A measurement as the page shows it; `definition` gives flows and slots their titles."""

    title: str
    report: EvaluationReport
    kinds: list[KindRow]
    gain: tuple[float, float, float] | None
    definition: Definition | None

    @property
    def right(self) -> int:
        return sum(self.report.right)

    @property
    def percent(self) -> int:
        """Messages that were understood exactly."""
        return percent_of(self.right, self.report.turns)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share of exact turns, from 0 to 100."""
        low, high = self.report.interval
        return 100 * low, 100 * high

    @property
    def confused_flows(self) -> list[ConfusedFlow]:
        """Flows that were taken for others, the most frequent first."""
        pairs = [pair for pair in self.report.confusion if pair.wanted != pair.got][:MAX_CONFUSIONS]
        return [ConfusedFlow(self._title(pair.wanted), self._title(pair.got), pair.times) for pair in pairs]

    @property
    def missed(self) -> list[MissedMessage]:
        return [self._missed_message(turn) for turn in self.report.worst]

    def _title(self, flow: str) -> str:
        return capfirst(_("no flow") if flow == NO_FLOW else flow_words(flow, self.definition))

    def _missed_message(self, turn: MissedTurn) -> MissedMessage:
        expected, got = ([command_words(each, self.definition) for each in them] for them in (turn.expected, turn.got))
        return MissedMessage(turn.message, expected, got, turn.source)


def report_of_run(row: NLURun, definition: Definition | None) -> ReportView | None:
    """The measurement of a run, or of the program that it made; None without scores."""
    if row.program is not None:
        return report_of_program(row.program, None, definition)
    title = capfirst(str(WAYS_TO_UNDERSTAND.get(row.nlu, row.nlu)))
    return _report_view(title, EvaluationReport.model_validate(row.report), None, definition) if row.report else None


def report_of_program(row: NLUProgram, other: NLUProgram | None, definition: Definition | None) -> ReportView | None:
    """A program's report beside its baseline's, or beside another program's with the same data; None without scores."""
    if not row.scores:
        return None
    report, before = EvaluationReport.model_validate(row.scores), other.scores if other else row.baseline
    baseline = EvaluationReport.model_validate(before) if before else None
    comparable_baseline = baseline if baseline and baseline.data == report.data else None
    compared = other or row.beaten
    name = _("program %(number)s") % {"number": compared.number} if compared else _("the built-in program")
    title = _("%(program)s beside %(other)s") % {
        "program": _("Program %(number)s") % {"number": row.number},
        "other": name,
    }
    return _report_view(title, report, comparable_baseline, definition)


def _report_view(
    title: str, report: EvaluationReport, baseline: EvaluationReport | None, definition: Definition | None
) -> ReportView:
    gain = None
    if baseline is not None:
        gain_mean, (low, high) = accuracy_gain(baseline, report)
        gain = (100 * gain_mean, 100 * low, 100 * high)
    return ReportView(title, report, list(_kind_rows(report, baseline)), gain, definition)


def _kind_rows(report: EvaluationReport, baseline: EvaluationReport | None) -> Iterator[KindRow]:
    """Every kind of either measurement, those with the most mistakes first."""
    old = baseline.commands if baseline else {}
    names = sorted({*report.commands, *old}, key=lambda name: (-_mistakes(report.commands.get(name)), name))
    for name in names:
        counts = report.commands.get(name, CommandCount())
        before = old.get(name, CommandCount()) if baseline else None
        f1_before = 100 * before.f1 if before else None
        yield KindRow(capfirst(kind_words(name)), counts, 100 * counts.f1, before, f1_before)


def _mistakes(counts: CommandCount | None) -> int:
    return counts.missed + counts.surplus if counts else 0
