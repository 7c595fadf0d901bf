"""What the page of figures shows: cards and charts, each chart with its table."""

from collections.abc import Sequence
from datetime import date

from babel.dates import format_date
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from dialogue.desk.figures.conversations import conversation_counts
from dialogue.desk.figures.conversations import counts_by_day as conversations_by_day
from dialogue.desk.figures.gates import counts_by_day, counts_of, waiting_by_hour, waiting_by_step, waiting_time
from dialogue.desk.figures.periods import Period
from dialogue.desk.figures.understanding import READINGS
from dialogue.desk.queue.statistics import statistics_by_step
from dialogue.models import Turn
from dialogue.web.figures import charts
from dialogue.web.figures.chart_data import AxisChart, Card, ChartRow, LegendEntry, RowChart, Table
from dialogue.web.figures.differences import (
    count_difference,
    rate_difference,
    span_difference,
)
from dialogue.web.figures.selection import Selection
from dialogue.web.shared.times import locale, rounded_span_text, unit_text

MAX_DAY_LABELS = 5
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))
MAX_DRAWN_STEPS = 12
FEW = 20
"""A share of fewer than these says little without their number."""
READING_WORDS: dict[str, str | Promise] = {
    Turn.Reading.UNDERSTOOD: gettext_lazy("Understood"),
    Turn.Reading.ASKED_BACK: gettext_lazy("Asked back"),
    Turn.Reading.NOT_UNDERSTOOD: gettext_lazy("Not understood"),
    Turn.Reading.CORRECTED: gettext_lazy("Corrected by staff"),
}


def period_text(period: Period) -> str:
    """The days of a period: "24 Oct – 22 Nov 2026"."""
    first = format_date(period.first, "d MMM" if period.first.year == period.last.year else "d MMM y", locale=locale())
    return f"{first} – {format_date(period.last, 'd MMM y', locale=locale())}"


def cards_of(selection: Selection) -> list[Card]:
    """Build the row of numbers at the top."""
    now, before = counts_of(selection.gates), counts_of(selection.gates_before)
    waiting, waiting_before = waiting_time(selection.gates), waiting_time(selection.gates_before)
    cards = [
        Card(
            _("Answered by staff"),
            _count(now.answered),
            ngettext("of %s closed request", "of %s closed requests", now.total) % _count(now.total),
            count_difference(now.answered, before.answered),
            _count(before.answered),
        ),
        Card(
            _("Expired by default"),
            _count(now.expired),
            _("%s of requests") % _percent(now.expired / now.total if now.total else None),
            count_difference(now.expired, before.expired, "less"),
            _count(before.expired),
        ),
        Card(
            _("Median time to answer"),
            _span(waiting.median if waiting else None),
            _("90th percentile %s") % _span(waiting.percentile_90 if waiting else None),
            span_difference(waiting.median if waiting else None, waiting_before.median if waiting_before else None),
            _span(waiting_before.median) if waiting_before else "",
        ),
    ]
    return cards + _conversation_cards(selection) if selection.sees_conversations else cards


def _conversation_cards(selection: Selection) -> list[Card]:
    now, before = conversation_counts(selection.conversations), conversation_counts(selection.conversations_before)
    return [
        Card(
            _("Handoff rate"),
            _percent(now.handoff_rate),
            _part_of_conversations(now.handed_over, now.total),
            rate_difference(now.handoff_rate, before.handoff_rate, "less"),
            _percent(before.handoff_rate) if before.total else "",
        ),
        Card(
            _("Contained conversations"),
            _percent(now.containment_rate),
            _part_of_conversations(now.contained, now.total),
            rate_difference(now.containment_rate, before.containment_rate, "more"),
            _percent(before.containment_rate) if before.total else "",
        ),
    ]


def _part_of_conversations(part: int, total: int) -> str:
    words = ngettext("%(part)s of %(all)s conversation", "%(part)s of %(all)s conversations", total)
    return words % {"part": _count(part), "all": _count(total)}


def days_chart(selection: Selection) -> AxisChart:
    """Requests to staff by the day on which they ended."""
    by_day = counts_by_day(selection.gates, selection.period)
    before = counts_of(selection.gates_before)
    total = counts_of(selection.gates)
    scale = charts.ticks(max(counts.total for counts in by_day.values()))
    columns = [
        [("answered", counts.answered), ("expired", counts.expired), ("withdrawn", counts.withdrawn)]
        for counts in by_day.values()
    ]
    average = before.answered / len(selection.period.days)
    legend = [
        LegendEntry("answered", _("Answered"), _count(total.answered)),
        LegendEntry("expired", pgettext("several gates", "Expired"), _count(total.expired)),
        LegendEntry("withdrawn", pgettext("several gates", "Withdrawn"), _count(total.withdrawn)),
    ]
    if before.answered:
        legend.append(LegendEntry("level", _("Answered per day before"), number_format(average, 1)))
    table = Table(
        [_("Day"), _("Answered"), pgettext("several gates", "Expired"), pgettext("several gates", "Withdrawn")],
        [[_day(day), *map(_count, (row.answered, row.expired, row.withdrawn))] for day, row in by_day.items()],
    )
    return AxisChart(
        name="days",
        title=_("Requests to staff per day"),
        summary=_("%(answered)s answered, %(expired)s expired and %(withdrawn)s withdrawn in %(days)s days")
        % {
            "answered": _count(total.answered),
            "expired": _count(total.expired),
            "withdrawn": _count(total.withdrawn),
            "days": len(by_day),
        },
        legend=legend,
        segments=charts.stacked_bars(columns, scale[-1]),
        grid=[charts.level(value, scale[-1]) for value in scale[1:-1]],
        marks=[],
        level=charts.level(average, scale[-1]) if before.answered and average <= scale[-1] else "",
        value_labels=[_count(int(value)) for value in reversed(scale)],
        place_labels=_day_labels(selection.period.days),
        table=table,
        columns=table.values_by_column(),
    )


def hours_chart(selection: Selection) -> AxisChart:
    """Waiting time by the hour in which the request was asked."""
    hours = waiting_by_hour(selection.gates, selection.period)
    longest = max((hour.percentile_90 for hour in hours if hour), default=0.0)
    scale = charts.time_ticks(longest)
    columns = [[("answered", hour.median if hour else 0.0)] for hour in hours]
    asked = [hour for hour in range(24) if hours[hour]]
    slowest = max(asked, key=lambda hour: waiting.median if (waiting := hours[hour]) else 0.0, default=None)
    summary = _("Longest median wait for requests asked at %s") % f"{slowest:02}:00" if slowest is not None else ""
    names = [_("Hour"), _("Answered"), _("Median"), _("90th percentile")]
    every_hour = [
        [f"{hour:02}:00", _count(waiting.cases), _span(waiting.median), _span(waiting.percentile_90)]
        if waiting
        else [f"{hour:02}:00", "0", "—", "—"]
        for hour, waiting in enumerate(hours)
    ]
    return AxisChart(
        name="hours",
        title=_("Waiting time by hour of day"),
        summary=summary,
        legend=[LegendEntry("answered", _("Median")), LegendEntry("ninth", _("90th percentile"))],
        segments=charts.stacked_bars(columns, scale[-1]),
        grid=[charts.level(value, scale[-1]) for value in scale[1:-1]],
        marks=charts.column_marks([hour.percentile_90 if hour else None for hour in hours], scale[-1]),
        level="",
        value_labels=[_axis_span(value) for value in reversed(scale)],
        place_labels=["00", "06", "12", "18", "23"],
        table=Table(names, [row for row, waiting in zip(every_hour, hours, strict=True) if waiting]),
        columns=Table(names, every_hour).values_by_column(),
        unit=_("hour in which the question was asked"),
    )


def steps_chart(selection: Selection) -> RowChart:
    """Waiting time of every step that asks staff."""
    rows = waiting_by_step(selection.gates, selection.gates_before)
    longest = max((row.waiting.percentile_90 for row in rows), default=0.0)
    scale = charts.time_ticks(longest)
    end = scale[-1]
    has_several = len({row.assistant for row in rows}) > 1
    drawn = [
        ChartRow(
            words=selection.step_title(row.assistant, row.flow, row.step),
            detail=" › ".join(
                filter(
                    None,
                    [
                        selection.assistant_titles.get(row.assistant, row.assistant) if has_several else "",
                        selection.flow_title(row.assistant, row.flow),
                    ],
                )
            ),
            cells=[_span(row.waiting.median), _span(row.waiting.percentile_90)],
            median=charts.on_row(row.waiting.median, end),
            ninth=charts.on_row(row.waiting.percentile_90, end),
            before=charts.on_row(min(row.median_before, end), end) if row.median_before is not None else "",
        )
        for row in rows[:MAX_DRAWN_STEPS]
    ]
    legend = [
        LegendEntry("median", _("Median")),
        LegendEntry("ninth", _("90th percentile")),
        LegendEntry("before", _("Median before")),
    ]
    return RowChart(
        name="gates",
        title=_("Waiting time per gate"),
        legend=legend,
        columns=[_("Median"), _("90th")],
        rows=drawn,
        table=_steps_table(selection),
        value_labels=[_axis_span(value) for value in scale],
    )


def _steps_table(selection: Selection) -> Table:
    columns = [
        *(
            _("Assistant"),
            _("Flow"),
            _("Step"),
            _("Ended"),
            _("Answered"),
            _("Expired by default"),
            pgettext("several gates", "Withdrawn"),
        ),
        *(_("Overtaken"), _("With a conflict"), _("Until somebody claims it"), _("From claim to answer")),
        *(_("Median"), _("90th percentile")),
    ]
    rows = []
    for row in statistics_by_step(selection.gates):
        spans = [row.to_claim, row.handling, row.to_decision]
        medians = [_span(span.median if span else None) for span in spans]
        rows.append(
            [
                selection.assistant_titles.get(row.assistant, row.assistant),
                selection.flow_title(row.assistant, row.flow),
                selection.step_title(row.assistant, row.flow, row.step),
                *map(_count, (row.ended, row.decided, row.expired, row.cancelled, row.overtaken, row.contested)),
                *medians,
                _span(row.to_decision.percentile_90 if row.to_decision else None),
            ]
        )
    return Table(columns, rows)


def conversations_chart(selection: Selection) -> AxisChart:
    """Conversations by the day on which they began."""
    by_day = conversations_by_day(selection.conversations, selection.period)
    total = conversation_counts(selection.conversations)
    scale = charts.ticks(max(counts.total for counts in by_day.values()))
    columns = [
        [
            ("answered", row.contained),
            ("handed", row.handed_over),
            ("withdrawn", row.total - row.contained - row.handed_over),
        ]
        for row in by_day.values()
    ]
    rest = total.total - total.contained - total.handed_over
    table = Table(
        [_("Day"), _("Conversations"), _("Contained"), _("Handed over")],
        [[_day(day), *map(_count, (row.total, row.contained, row.handed_over))] for day, row in by_day.items()],
    )
    return AxisChart(
        name="conversations",
        title=_("Conversations per day"),
        summary=ngettext(
            "%(all)s conversation, %(contained)s contained, %(handed)s handed over",
            "%(all)s conversations, %(contained)s contained, %(handed)s handed over",
            total.total,
        )
        % {"all": _count(total.total), "contained": _count(total.contained), "handed": _count(total.handed_over)},
        legend=[
            LegendEntry("answered", _("Contained"), _count(total.contained)),
            LegendEntry("handed", _("Handed over"), _count(total.handed_over)),
            LegendEntry("withdrawn", _("Others: asked staff, left, failed or open"), _count(rest)),
        ],
        segments=charts.stacked_bars(columns, scale[-1]),
        grid=[charts.level(value, scale[-1]) for value in scale[1:-1]],
        marks=[],
        level="",
        value_labels=[_count(int(value)) for value in reversed(scale)],
        place_labels=_day_labels(selection.period.days),
        table=table,
        columns=table.values_by_column(),
    )


def drop_off_chart(selection: Selection) -> RowChart:
    """Where customers leave the flow that is chosen."""
    assistant, flow = selection.drop_off_flow
    found = selection.drop_off
    names = [selection.step_title(assistant, flow, step.step) for step in found.steps]
    drawn = [
        ChartRow(
            words=name,
            detail="",
            cells=[_count(step.reached), f"{_count(step.left)} ({_percent(step.share)})"],
            segments=charts.row_segments([("answered", step.reached - step.left), ("expired", step.left)], found.runs),
        )
        for name, step in zip(names, found.steps, strict=True)
    ]
    note = _("%(finished)s of %(runs)s finished (%(share)s); %(waiting)s are not over yet.") % {
        "finished": _count(found.finished),
        "runs": _count(found.runs),
        "share": _percent(found.finished / found.runs if found.runs else None),
        "waiting": _count(found.waiting),
    }
    return RowChart(
        name="drop-off",
        title=_("Where people leave: %s") % selection.flow_title(assistant, flow) if flow else _("Where people leave"),
        legend=[LegendEntry("answered", _("went on")), LegendEntry("expired", _("left"))],
        columns=[_("Reached"), _("Left here")],
        rows=drawn,
        table=Table(
            [_("Step"), _("Reached"), _("Left here")],
            [[name, _count(step.reached), _count(step.left)] for name, step in zip(names, found.steps, strict=True)],
        ),
        note=note if found.runs else "",
    )


def understanding_chart(selection: Selection) -> RowChart:
    """How typed messages were understood, release by release."""
    rows = selection.understanding
    has_several = len({row.assistant for row in rows}) > 1
    drawn = [
        ChartRow(
            words=_("Release %s") % row.release,
            detail=selection.assistant_titles.get(row.assistant, row.assistant) if has_several else "",
            cells=[_percent_of_few(row.counts.get(reading, 0), row.total) for reading in READINGS],
            segments=charts.row_segments([(reading, row.counts.get(reading, 0)) for reading in READINGS], row.total),
        )
        for row in rows
    ]
    words = [str(READING_WORDS[reading]) for reading in READINGS]
    return RowChart(
        name="understanding",
        title=_("Understanding by release"),
        legend=[LegendEntry(reading, str(READING_WORDS[reading])) for reading in READINGS],
        columns=words,
        rows=drawn,
        table=Table(
            [_("Assistant"), _("Release"), *words],
            [
                [
                    selection.assistant_titles.get(row.assistant, row.assistant),
                    str(row.release),
                    *(_count(row.counts.get(reading, 0)) for reading in READINGS),
                ]
                for row in rows
            ],
        ),
        note=_("Share of typed messages.") if rows else "",
    )


def satisfaction_chart(selection: Selection) -> RowChart:
    """What customers answered to the questions of the flow `satisfaction`."""
    found = selection.satisfaction
    most = max(found.scores.values(), default=0)
    drawn = [
        ChartRow(
            words=str(score),
            detail="",
            cells=[_count(count)],
            segments=charts.row_segments([("answered", count)], most),
        )
        for score, count in sorted(found.scores.items(), reverse=True)
    ]
    average = number_format(found.average, 1) if found.average is not None else "—"
    note = _("Average %(average)s of 5; %(solved)s say that it was solved.") % {
        "average": average,
        "solved": _percent_of_few(found.solved, found.solved + found.unsolved),
    }
    return RowChart(
        name="satisfaction",
        title=_("Satisfaction"),
        legend=[],
        columns=[_("Answers")],
        rows=drawn if found.answers else [],
        table=Table(
            [_("Rating"), _("Answers")],
            [[str(score), _count(count)] for score, count in found.scores.items()] if found.answers else [],
        ),
        note=note if found.answers else "",
    )


def _count(number: int) -> str:
    return number_format(number, 0, force_grouping=True)


def _percent(share: float | None) -> str:
    return f"{number_format(round(share * 100, 1), 1)}%" if share is not None else "—"


def _percent_of_few(part: int, total: int) -> str:
    """The share, of fewer than `FEW` with the numbers that it comes from: "90.9% (10 of 11)"."""
    share = _percent(part / total if total else None)
    if not 0 < total < FEW:
        return share
    return _("%(share)s (%(part)s of %(all)s)") % {"share": share, "part": _count(part), "all": _count(total)}


def _span(seconds: float | None) -> str:
    return rounded_span_text(seconds) if seconds is not None else "—"


def _axis_span(seconds: float) -> str:
    """A round span in the largest unit that it is whole in: "90 min", "2 hr"."""
    unit, size = next(((unit, size) for unit, size in _UNITS if seconds % size == 0), ("second", 1))
    return unit_text(int(seconds // size), unit, locale()) if seconds else "0"


def _day(day: date) -> str:
    return format_date(day, "EEE d MMM", locale=locale())


def _day_labels(days: Sequence[date]) -> list[str]:
    """A few days of the axis, evenly spaced, with the first and the last."""
    count = min(MAX_DAY_LABELS, len(days))
    places = [round(number * (len(days) - 1) / max(1, count - 1)) for number in range(count)]
    return [format_date(days[place], "d MMM", locale=locale()) for place in places]
