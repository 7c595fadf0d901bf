"""Figures as CSV: one file of all steps, and one for each chart. Times are in seconds, shares from 0 to 1."""

from collections.abc import Callable, Iterable

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from dialogue.audit.export import csv_line
from dialogue.desk.figures.conversations import counts_by_day as conversations_by_day
from dialogue.desk.figures.gates import counts_by_day, waiting_by_hour, waiting_by_step
from dialogue.desk.figures.understanding import READINGS
from dialogue.desk.queue.statistics import DurationSummary, StepStatistics, statistics_by_step
from dialogue.web.figures.selection import FigureQuery, Selection
from dialogue.web.shared.people import needs, person_of_request
from dialogue.web.shared.permissions import may_see_gates

Cells = Iterable[object]

MEASURES = ("to_claim", "handling", "to_decision")
COLUMNS = ("assistant", "flow", "step", "ended", "decided", "expired", "cancelled", "overtaken", "contested")


@needs(may_see_gates)
@require_GET
def export_csv(request: HttpRequest) -> HttpResponse:
    """Every step with gates that ended; empty cells for what did not happen."""
    selection = _selection_of(request)
    spreads = [f"{measure}_{part}" for measure in MEASURES for part in ("median", "ninth")]
    header = [*COLUMNS, "expired_share", "conflict_share", *spreads]
    rows = [_step_cells(figure) for figure in statistics_by_step(selection.gates)]
    return _csv_response(f"figures-{selection.query.days}-days.csv", [header, *rows])


@needs(may_see_gates)
@require_GET
def export_chart(request: HttpRequest, chart: str) -> HttpResponse:
    """The numbers of one chart. Raises Http404 for a chart that there is not, or not for this person."""
    selection = _selection_of(request)
    rows_of = GATE_CHARTS.get(chart) or (CONVERSATION_CHARTS.get(chart) if selection.sees_conversations else None)
    if rows_of is None:
        raise Http404
    return _csv_response(f"{chart}-{selection.query.days}-days.csv", rows_of(selection))


def _selection_of(request: HttpRequest) -> Selection:
    return Selection(person_of_request(request), FigureQuery.read(request.GET.dict()))


def _csv_response(name: str, rows: Iterable[Cells]) -> HttpResponse:
    content = "".join(csv_line(row) for row in rows)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type="text/csv; charset=utf-8", headers=headers)


def _days(selection: Selection) -> Iterable[Cells]:
    yield "day", "answered", "expired", "withdrawn"
    for day, counts in counts_by_day(selection.gates, selection.period).items():
        yield day.isoformat(), counts.answered, counts.expired, counts.withdrawn


def _hours(selection: Selection) -> Iterable[Cells]:
    yield "hour", "answered", "median", "ninth"
    for hour, waiting in enumerate(waiting_by_hour(selection.gates, selection.period)):
        yield hour, waiting.cases if waiting else 0, *_spread(waiting)


def _gates(selection: Selection) -> Iterable[Cells]:
    yield "assistant", "flow", "step", "answered", "median", "ninth", "median_before"
    for row in waiting_by_step(selection.gates, selection.gates_before):
        yield row.assistant, row.flow, row.step, row.waiting.cases, *_spread(row.waiting), row.median_before


def _conversations(selection: Selection) -> Iterable[Cells]:
    yield "day", "conversations", "contained", "handed_over"
    for day, counts in conversations_by_day(selection.conversations, selection.period).items():
        yield day.isoformat(), counts.total, counts.contained, counts.handed_over


def _drop_off(selection: Selection) -> Iterable[Cells]:
    yield "assistant", "flow", "step", "reached", "left"
    for step in selection.drop_off.steps:
        yield *selection.drop_off_flow, step.step, step.reached, step.left


def _understanding(selection: Selection) -> Iterable[Cells]:
    yield "assistant", "release", *READINGS
    for row in selection.understanding:
        yield row.assistant, row.release, *(row.counts.get(reading, 0) for reading in READINGS)


def _satisfaction(selection: Selection) -> Iterable[Cells]:
    found = selection.satisfaction
    yield "question", "answer", "count"
    yield from (("score", score, count) for score, count in found.scores.items())
    yield from (("solved", "yes", found.solved), ("solved", "no", found.unsolved))


GATE_CHARTS: dict[str, Callable[[Selection], Iterable[Cells]]] = {"days": _days, "hours": _hours, "gates": _gates}
CONVERSATION_CHARTS: dict[str, Callable[[Selection], Iterable[Cells]]] = {
    "conversations": _conversations,
    "drop-off": _drop_off,
    "understanding": _understanding,
    "satisfaction": _satisfaction,
}


def _spread(waiting: DurationSummary | None) -> tuple[float | str, float | str]:
    return (waiting.median, waiting.percentile_90) if waiting else ("", "")


def _step_cells(figure: StepStatistics) -> list[object]:
    spreads = [second for measure in MEASURES for second in _spread(getattr(figure, measure))]
    shares = [round(figure.expired_share, 4), round(figure.conflict_share, 4)]
    return [*(getattr(figure, column) for column in COLUMNS), *shares, *spreads]
