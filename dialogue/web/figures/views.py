"""The page of figures: a period with the one before it, numbers in words, and charts with their tables."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from dialogue.web.figures import panels
from dialogue.web.figures.selection import PERIODS, FigureQuery, Selection
from dialogue.web.shared.people import needs, person_of_request
from dialogue.web.shared.permissions import may_see_gates


@needs(may_see_gates)
@require_GET
def figures_page(request: HttpRequest) -> HttpResponse:
    """The cards and charts of a period and its filters."""
    query = FigureQuery.read(request.GET.dict())
    selection = Selection(person_of_request(request), query)
    sees_all = selection.sees_conversations
    context = {
        "query": query,
        "selection": selection,
        "chips": selection.chips(),
        "periods": [(words, query.query_string(days=days), days == query.days) for days, words in PERIODS.items()],
        "period": panels.period_text(selection.period),
        "period_before": panels.period_text(selection.period.before),
        "cards": panels.cards_of(selection),
        "days": panels.days_chart(selection),
        "steps": panels.steps_chart(selection),
        "hours": panels.hours_chart(selection),
        "conversations": panels.conversations_chart(selection) if sees_all else None,
        "drop_off": panels.drop_off_chart(selection) if sees_all else None,
        "understanding": panels.understanding_chart(selection) if sees_all else None,
        "satisfaction": panels.satisfaction_chart(selection) if sees_all else None,
    }
    return render(request, "dialogue/figures/figures.html", context)
