"""How the desk does, as a page with plots and as a table for other programs."""

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
USUAL = "30"

MEASURES: dict[str, str | Promise] = {
    "to_claim": gettext_lazy("Until somebody claims it"),
    "handling": gettext_lazy("From claim to answer"),
    "to_decision": gettext_lazy("From question to answer"),
}
COLUMNS = ("assistant", "flow", "step", "ended", "decided", "expired", "cancelled", "overtaken", "contested")
WIDE = 100.0
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
def figures(request: HttpRequest) -> HttpResponse:
    """The plots and the table of a period, of all assistants or of one."""
    asked = _asked_for(request)
    plots = [_plot(str(title), measure, asked.found) for measure, title in MEASURES.items()]
    context = {"asked": asked, "figures": asked.found, "plots": plots, "periods": PERIODS, "chosen": asked.days}
    return render(request, "dialogue/figures/figures.html", context)


@needs(may_see_gates)
@require_GET
def export(request: HttpRequest) -> HttpResponse:
    """The same as CSV: times in seconds, shares from 0 to 1, empty for what did not happen."""
    asked = _asked_for(request)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="figures-{asked.days}-days.csv"'
    writer = csv.writer(response)
    spreads = [f"{measure}_{part}" for measure in MEASURES for part in ("median", "ninth")]
    writer.writerow([*COLUMNS, "expired_share", "conflict_share", *spreads])
    writer.writerows(_cells(figure) for figure in asked.found)
    return response


@dataclass(frozen=True)
class Asked:
    """What the page shows: the figures of a period (in days), of one assistant or of all of `assistants`."""

    days: str
    assistant: str
    assistants: list[str]
    found: list[StepStatistics]

    def address(self, **changes: str) -> str:
        """The query string of the same for something else."""
        wanted = {"days": self.days, "assistant": self.assistant, **changes}
        return urlencode({name: text for name, text in wanted.items() if text})

    @property
    def places(self) -> list[tuple[str, str, bool]]:
        """All assistants and each of them: name, address, and whether it is shown."""
        return [(name, self.address(assistant=name), name == self.assistant) for name in ("", *self.assistants)]


def _asked_for(request: HttpRequest) -> Asked:
    days, assistant = request.GET.get("days", USUAL), request.GET.get("assistant", "")
    if days not in PERIODS:
        raise Http404
    found = statistics_of(person_of_request(request), timedelta(days=int(days)))
    wanted = [each for each in found if assistant in ("", each.assistant)]
    return Asked(days, assistant, sorted({each.assistant for each in found}), wanted)


def _plot(title: str, measure: str, found: list[StepStatistics]) -> Plot:
    several = len({each.assistant for each in found}) > 1
    spreads = {(each.assistant if several else "", each.flow, each.step): getattr(each, measure) for each in found}
    known = {place: spread for place, spread in spreads.items() if spread is not None}
    longest = max((spread.percentile_90 for spread in known.values()), default=0.0)
    return Plot(title, [_bar(*place, spread, longest) for place, spread in known.items()])


def _bar(assistant: str, flow: str, step: str, spread: DurationSummary, longest: float) -> Bar:
    scale = WIDE / longest if longest else 0.0
    words = [short_span_text(timedelta(seconds=each)) for each in (spread.median, spread.percentile_90)]
    half, most = round(spread.median * scale, 2), round(spread.percentile_90 * scale, 2)
    return Bar(assistant, flow, step, spread.cases, half, most, *words)


def _cells(figure: StepStatistics) -> list[str | int | float]:
    spreads = [getattr(figure, measure) for measure in MEASURES]
    seconds = [part for each in spreads for part in ((each.median, each.percentile_90) if each else ("", ""))]
    shares = [round(figure.expired_share, 4), round(figure.conflict_share, 4)]
    return [*(getattr(figure, column) for column in COLUMNS), *shares, *seconds]
