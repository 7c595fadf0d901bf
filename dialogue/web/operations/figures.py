"""Statistics of the desk, as a page with plots and as CSV."""

import csv
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from dialogue.desk.queue.statistics import DurationSummary, StepStatistics, statistics_of
from dialogue.web.shared.people import needs, person_of_request
from dialogue.web.shared.permissions import may_see_gates
from dialogue.web.shared.times import short_span_text

PERIODS = {"7": gettext_lazy("7 days"), "30": gettext_lazy("30 days"), "90": gettext_lazy("90 days")}
DEFAULT_PERIOD = "30"

MEASURES: dict[str, str | Promise] = {
    "to_claim": gettext_lazy("Until somebody claims it"),
    "handling": gettext_lazy("From claim to answer"),
    "to_decision": gettext_lazy("From question to answer"),
}
COLUMNS = ("assistant", "flow", "step", "ended", "decided", "expired", "cancelled", "overtaken", "contested")
PLOT_WIDTH = 100.0
"""The plots' width in their own units."""


@dataclass(frozen=True)
class Bar:
    """One step in a plot: the middle case as a bar and the ninth of ten as a line; both as widths, and in words.

    `assistant` is empty where there is only one.
    """

    assistant: str
    flow: str
    step: str
    cases: int
    median: float
    ninth: float
    median_words: str
    ninth_words: str


@dataclass(frozen=True)
class Plot:
    """One measure over all steps, to one scale."""

    title: str
    bars: list[Bar]


@needs(may_see_gates)
@require_GET
def figures_page(request: HttpRequest) -> HttpResponse:
    """The plots and the table of a period, of all assistants or of one."""
    selection = _selection_of(request)
    plots = [_plot_of(str(title), measure, selection.figures) for measure, title in MEASURES.items()]
    context = {
        "selection": selection,
        "figures": selection.figures,
        "plots": plots,
        "periods": PERIODS,
        "chosen": selection.days,
    }
    return render(request, "dialogue/figures/figures.html", context)


@needs(may_see_gates)
@require_GET
def export_csv(request: HttpRequest) -> HttpResponse:
    """The same as CSV: times in seconds, shares from 0 to 1, empty for what did not happen."""
    selection = _selection_of(request)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="figures-{selection.days}-days.csv"'
    writer = csv.writer(response)
    spreads = [f"{measure}_{part}" for measure in MEASURES for part in ("median", "ninth")]
    writer.writerow([*COLUMNS, "expired_share", "conflict_share", *spreads])
    writer.writerows(_csv_cells(figure) for figure in selection.figures)
    return response


@dataclass(frozen=True)
class Selection:
    """What the page shows: the figures of a period (in days), of one assistant or of all of `assistants`."""

    days: str
    assistant: str
    assistants: list[str]
    figures: list[StepStatistics]

    def query_string(self, **changes: str) -> str:
        """The query string of the same for something else."""
        parameters = {"days": self.days, "assistant": self.assistant, **changes}
        return urlencode({name: text for name, text in parameters.items() if text})

    @property
    def assistant_links(self) -> list[tuple[str, str, bool]]:
        """Links to all assistants (name empty) and to each: name, query string, and whether it is selected."""
        return [(name, self.query_string(assistant=name), name == self.assistant) for name in ("", *self.assistants)]


def _selection_of(request: HttpRequest) -> Selection:
    days, assistant = request.GET.get("days", DEFAULT_PERIOD), request.GET.get("assistant", "")
    if days not in PERIODS:
        raise Http404
    all_figures = statistics_of(person_of_request(request), timedelta(days=int(days)))
    figures = [figure for figure in all_figures if assistant in ("", figure.assistant)]
    return Selection(days, assistant, sorted({figure.assistant for figure in all_figures}), figures)


def _plot_of(title: str, measure: str, figures: list[StepStatistics]) -> Plot:
    has_several_assistants = len({figure.assistant for figure in figures}) > 1
    spreads = {
        (figure.assistant if has_several_assistants else "", figure.flow, figure.step): getattr(figure, measure)
        for figure in figures
    }
    known_spreads = {step: spread for step, spread in spreads.items() if spread is not None}
    longest = max((spread.percentile_90 for spread in known_spreads.values()), default=0.0)
    return Plot(title, [_bar_of(*step, spread, longest) for step, spread in known_spreads.items()])


def _bar_of(assistant: str, flow: str, step: str, spread: DurationSummary, longest: float) -> Bar:
    scale = PLOT_WIDTH / longest if longest else 0.0
    words = [short_span_text(timedelta(seconds=seconds)) for seconds in (spread.median, spread.percentile_90)]
    median_width, ninth_width = round(spread.median * scale, 2), round(spread.percentile_90 * scale, 2)
    return Bar(assistant, flow, step, spread.cases, median_width, ninth_width, *words)


def _csv_cells(figure: StepStatistics) -> list[str | int | float]:
    summaries = [getattr(figure, measure) for measure in MEASURES]
    pairs = [(summary.median, summary.percentile_90) if summary else ("", "") for summary in summaries]
    seconds = [second for pair in pairs for second in pair]
    shares = [round(figure.expired_share, 4), round(figure.conflict_share, 4)]
    return [*(getattr(figure, column) for column in COLUMNS), *shares, *seconds]
