"""Evaluation reports as text tables: scores by command, confusion between flows, the worst turns, comparisons."""

import json
from collections.abc import Iterator

from dialogue.nlu.training.evaluation import EvaluationReport, FlowConfusion, MissedTurn, accuracy_gain

MAX_ROWS = 10


def report_table(report: EvaluationReport) -> Iterator[str]:
    """The lines of the whole report, for a terminal."""
    yield f"{'command':16}{'precision':>10}{'recall':>8}{'F1':>8}{'right':>8}{'surplus':>9}{'missed':>8}"
    for kind, count in (*report.commands.items(), ("all", report.total)):
        shares = f"{count.precision:>10.3f}{count.recall:>8.3f}{count.f1:>8.3f}"
        yield f"{kind:16}{shares}{count.right:>8}{count.surplus:>9}{count.missed:>8}"
    yield ""
    yield from _summary_lines(report)
    confused = [confusion for confusion in report.confusion if confusion.wanted != confusion.got]
    if confused:
        yield ""
        yield "confusion between flows (expected, got, times)"
        yield from map(_confusion_line, confused[:MAX_ROWS])
    if report.worst:
        yield ""
        yield "worst turns"
        for miss in report.worst[:MAX_ROWS]:
            yield from _missed_turn_lines(miss)


def _summary_lines(report: EvaluationReport) -> Iterator[str]:
    low, high = report.interval
    yield f"exact turns   {report.exact:.3f}  [{low:.3f}, {high:.3f}]  {sum(report.right)} of {report.turns}"
    yield f"slot values   {report.slots:.3f}"
    tokens = f"{report.prompt_tokens} + {report.completion_tokens} tokens"
    yield f"model calls   {report.calls} ({report.calls_per_turn:.2f} a turn), {tokens}"
    yield f"milliseconds  median {report.median:.1f}, p95 {report.late:.1f}"
    yield f"answered by   {', '.join(f'{part} {times}' for part, times in sorted(report.parts.items()))}"


def _confusion_line(confusion: FlowConfusion) -> str:
    return f"  {confusion.wanted:28} {confusion.got:28} {confusion.times:>4}"


def _missed_turn_lines(miss: MissedTurn) -> Iterator[str]:
    yield f"  {miss.message!r}  ({miss.source})"
    yield f"      expected {json.dumps(miss.expected, ensure_ascii=False)}"
    yield f"      got      {json.dumps(miss.got, ensure_ascii=False)}  by {miss.part}, {miss.confidence:.2f}"


def comparison_table(before: EvaluationReport, after: EvaluationReport) -> Iterator[str]:
    """The lines that compare two reports on the same examples."""
    yield f"{'category':16}{'before':>8}{'after':>8}"
    new = after.categories()
    for name, old in before.categories().items():
        yield f"{name:16}{old:>8.3f}{new.get(name, 0.0):>8.3f}{'  worse' if new.get(name, 0.0) < old else ''}"
    gain, (low, high) = accuracy_gain(before, after)
    yield f"exact turns {gain:+.3f}  [{low:+.3f}, {high:+.3f}]  of {after.turns} held-out turns"
