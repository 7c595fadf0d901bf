"""The list of conversations: its page, its export, and the views that a person saves."""

from collections.abc import Iterator
from typing import cast
from urllib.parse import urlencode

from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.audit.export import csv_line
from dialogue.audit.streaming import stream_lines
from dialogue.desk.access.people import EXPORT, SUPERVISE, Person
from dialogue.desk.queue.keyset import NotOffered
from dialogue.models import ConversationView
from dialogue.turns import clock
from dialogue.turns.accept import storable_value
from dialogue.web.conversations.filters import ConversationQuery, chips_of, order_options, test_options
from dialogue.web.conversations.listing import (
    ConversationRow,
    conversation_rows,
    every_row,
    known_assistants,
    place_of,
    rows_with_lines,
)
from dialogue.web.shared.people import needs, person_of_request
from dialogue.web.shared.permissions import may_read, may_test
from dialogue.web.shared.scope import may_see_tests

MAX_VIEWS = 20
"""Per person, so that the row of views stays readable."""
MAX_EXPORTED_ROWS = 50_000
EXPORT_COLUMNS = (
    *("id", "customer", "assistant", "channel", "language", "release", "state", "outcome"),
    *("begun", "last_activity", "seconds", "turns", "not_understood", "last_message"),
)
PROBLEMS = {
    "full": gettext_lazy("You have as many views as there may be. Delete one first."),
    "nameless": gettext_lazy("A view needs a name."),
}
"""Why a view was not saved, by the word in the address."""


def may_export(person: Person) -> bool:
    """People who look after the whole desk, and auditors: a file leaves the console."""
    return may_read(person) and (person.superuser or person.has(SUPERVISE) or person.has(EXPORT))


@needs(may_read)
@require_GET
def conversations(request: HttpRequest) -> HttpResponse:
    """The newest first, unless the address says otherwise. Raises Http404 for a cursor that is not one of ours."""
    person, query = person_of_request(request), ConversationQuery.read(request.GET.dict())
    assistants, cursor = known_assistants(), request.GET.get("after", "")
    try:
        page = conversation_rows(query, person, assistants, cursor)
    except NotOffered as refused:
        raise Http404 from refused
    current = query.plain()
    views = [(view, ConversationQuery.read(view.query)) for view in _views_of(person)]
    place = place_of(page, request.GET.get("from", ""), is_first=not cursor)
    next_cursor = {"after": page.next, "from": str(place.last + 1 if place else 1)} if page.next else {}
    facts = {
        "query": query,
        "search": query.q,
        "rows": rows_with_lines(page.rows),
        "next": urlencode({**current, **next_cursor}) if page.next else "",
        "is_first": not cursor,
        "place": place,
        "chips": chips_of(query, assistants, {row.channel for row in page.rows}),
        "orders": order_options(query),
        "whose": test_options(query) if may_see_tests(person) else [],
        "begins_tests": may_test(person),
        "unfiltered": ConversationQuery(tests=query.tests).query_string(),
        "views": [(view, saved.query_string(), saved.plain() == current) for view, saved in views],
        "exports": may_export(person),
        "problem": PROBLEMS.get(request.GET.get("problem", "")),
    }
    return render(request, "dialogue/conversations/list.html", facts)


@needs(may_export)
@require_GET
def export(request: HttpRequest) -> HttpResponse:
    """The list with its filters as CSV, with sensitive values masked for everybody. The download is on record."""
    person, query = person_of_request(request), ConversationQuery.read(request.GET.dict())
    with transaction.atomic():
        act = Act("conversations.exported", person.name, person.account, facts={"filters": query.query_string()[:500]})
        chain.record(CONSOLE, [act], clock.now())
    response = stream_lines(request, _export_lines(query, person), "text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="conversations.csv"'
    return cast(HttpResponse, response)  # streamed; Django's type for that is another


def _export_lines(query: ConversationQuery, person: Person) -> Iterator[str]:
    yield csv_line(EXPORT_COLUMNS)
    for row in every_row(query, person, MAX_EXPORTED_ROWS):
        yield csv_line(_export_cells(row))


def _export_cells(row: ConversationRow) -> tuple[object, ...]:
    facts = row.conversation
    return (
        *(facts.pk, facts.customer, facts.assistant.name, facts.channel, facts.language, facts.release.number),
        *(facts.state, facts.outcome, facts.created_at.isoformat(), facts.active_at.isoformat()),
        *(row.seconds, facts.last_turn, facts.unclear_turns, row.newest_line),
    )


@needs(may_read)
@require_POST
def save_view(request: HttpRequest) -> HttpResponse:
    """Keep the filters under a name; the same name again replaces it."""
    person, name = person_of_request(request), _name_of(request)
    query = ConversationQuery.read(request.POST.dict())
    is_full = _views_of(person).exclude(name=name).count() >= MAX_VIEWS
    if not name or is_full:
        return _to_list(query, problem="full" if is_full else "nameless")
    defaults = {"query": query.plain(), "made_at": clock.now()}
    ConversationView.objects.update_or_create(owner_id=person.id, name=name, defaults=defaults)
    return _to_list(query)


@needs(may_read)
@require_POST
def delete_view(request: HttpRequest, number: int) -> HttpResponse:
    """Forget one of the own views; others' do not exist here."""
    deleted, _rows = _views_of(person_of_request(request)).filter(pk=number).delete()
    if not deleted:
        raise Http404
    return redirect("dialogue:conversations")


def _views_of(person: Person) -> QuerySet[ConversationView]:
    return ConversationView.objects.filter(owner_id=person.id)


def _name_of(request: HttpRequest) -> str:
    return " ".join(str(storable_value(request.POST.get("name", ""))).split())[:60]


def _to_list(query: ConversationQuery, **more: str) -> HttpResponse:
    return redirect(f"{reverse('dialogue:conversations')}?{urlencode({**query.plain(), **more})}")
