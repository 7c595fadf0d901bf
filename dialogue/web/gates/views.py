"""The queue of gates, one gate, and its operations, which the desk's service runs."""

import json
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from dialogue.desk.access.people import DECIDE, visible_sessions
from dialogue.desk.queue.keyset import NotOffered
from dialogue.desk.queue.queue import next_most_urgent
from dialogue.desk.sessions import links, service
from dialogue.desk.sessions.drafts import DraftText, draft_of
from dialogue.desk.sessions.service import Answer, InputFormat, Refused
from dialogue.models import HITLSession
from dialogue.turns import clock
from dialogue.web.gates.agent_gate import preview_facts
from dialogue.web.gates.counts import counts_of_request
from dialogue.web.gates.file_inputs import read_sent_form
from dialogue.web.gates.filters import QueueQuery, filters_of
from dialogue.web.gates.forms import NO_ATTEMPT, Attempt, read_form_input
from dialogue.web.gates.operations import (
    OperationRefused,
    perform_operation,
    undo_event,
)
from dialogue.web.gates.page import card_context, page_context
from dialogue.web.gates.queue import TABS, Tab, find_tab, last_event_number, queue_page
from dialogue.web.gates.rows import row_of
from dialogue.web.gates.saved_views import PROBLEMS, saved_view_links
from dialogue.web.gates.table_rows import change_rows
from dialogue.web.gates.tour import begins_tour, may_take_tour
from dialogue.web.shared.people import caller_of, needs, person_of_request
from dialogue.web.shared.permissions import may_command
from dialogue.web.shared.times import time_text

SIDEBAR_OPERATIONS = frozenset({"note", "priority", "tags"})
"""Operations of the sidebar, answered with the sidebar alone."""
HEADING_OPERATIONS = frozenset({"claim", "release", "snooze", "unsnooze"})
"""Operations that change the heading alone."""
LINK_CHANGES = {"resend": links.resend_link, "revoke": links.revoke_link}


@dataclass(frozen=True)
class TabWithCount:
    """A tab of the queue with its count."""

    tab: Tab
    count: int


@needs(may_command)
@require_GET
def queue(request: HttpRequest) -> HttpResponse:
    """The queue without a gate; with `HX-Target: queue-list` only its rows."""
    context = _queue_context(request)
    if request.headers.get("hx-target") == "queue-list":
        return render(request, "dialogue/gates/queue/rows.html", context)
    return render(request, "dialogue/gates/gate.html", context)


@needs(may_command)
@require_GET
def gate(request: HttpRequest, number: int) -> HttpResponse:
    """The queue with one gate open; a chat that was handed over is opened in the inbox.

    With `HX-Target: case` only the gate with its context, with `HX-Target: queue-list` only the rows of the queue.
    """
    session = _get_session(request, number)
    if session.kind == HITLSession.Kind.HANDOFF:
        return redirect("dialogue:inbox_chat", number)
    part = request.headers.get("hx-target")
    if part == "case":
        query = QueueQuery.read(request.GET.dict())
        context = _gate_context(request, session) | {"query": query, "current": number}
        return render(request, "dialogue/gates/pane_response.html", context)
    if part == "queue-list":
        return render(request, "dialogue/gates/queue/rows.html", _queue_context(request) | {"current": number})
    return _page_response(request, number, 200)


@needs(may_command)
@require_GET
def card(request: HttpRequest, number: int) -> HttpResponse:
    """The card with its heading and context, as they are now."""
    return _card_response(request, number, 200)


@needs(may_command)
@require_GET
def next_gate(request: HttpRequest) -> HttpResponse:
    """To the most urgent gate `besides` the one in hand, or to the queue when nothing waits."""
    besides = _parse_number(request.GET.get("besides", "")) or 0
    session = next_most_urgent(person_of_request(request), besides, HITLSession.Kind.HUMAN)
    return redirect("dialogue:gate", session.number) if session else redirect("dialogue:gates")


@needs(may_command)
@require_POST
def submit(request: HttpRequest, number: int) -> HttpResponse:
    """Decide the gate. What was typed comes back with what was wrong; the first to decide is named to the second."""
    typed, file_refusal = read_sent_form(request, _get_session(request, number), caller_of(request))
    if (changed := change_rows(request, typed)) is not None:
        return _answer_response(request, number, 200, Attempt(changed, file_refusal))
    if file_refusal is not None:
        return _answer_response(request, number, file_refusal.status, Attempt(typed, file_refusal))
    answer = Answer(typed.action, typed.values, InputFormat.TYPED, typed.reason)
    version = _parse_number(request.POST.get("version", ""))
    try:
        outcome = service.submit(
            number, caller_of(request), answer, version=version, key=request.POST.get("key", "")[:200]
        )
    except Refused as refused:
        return _answer_response(request, number, refused.status, Attempt(typed, refused))
    return _answer_response(request, number, outcome.status)


@needs(may_command)
@require_POST
def draft(request: HttpRequest, number: int) -> JsonResponse:
    """Keep what was typed so far."""
    typed = read_form_input(request)
    try:
        service.save_draft(number, caller_of(request), DraftText(typed.values, typed.action))
    except Refused as refused:
        return JsonResponse({"detail": refused.detail, "code": refused.code}, status=refused.status)
    return JsonResponse({"saved": time_text(clock.now())})


@needs(may_command)
@require_POST
def preview(request: HttpRequest, number: int) -> JsonResponse:
    """What each answer to an agent would send for what is typed, as JSON. Nothing is stored; 404 for our own gates."""
    session = _get_session(request, number)
    if not session.is_from_agent or session.state in HITLSession.FINAL:
        raise Http404
    return JsonResponse(preview_facts(session, person_of_request(request), read_form_input(request)))


@needs(may_command)
@require_POST
def move(request: HttpRequest, number: int, name: str) -> HttpResponse:
    """Claim, give back, snooze, and what supervisors do. htmx gets the heading's fragment, everybody else the page."""
    refusal, before = "", _get_session(request, number)
    try:
        status = perform_operation(name, number, caller_of(request), request.POST)
    except (Refused, OperationRefused) as refused:
        refusal, status = refused.detail, refused.status
    if name in SIDEBAR_OPERATIONS:
        return _sidebar_response(request, number, status, refusal)
    session = _get_session(request, number)
    if not request.headers.get("hx-request"):
        return (
            _page_response(request, number, status, refusal=refusal) if refusal else redirect("dialogue:gate", number)
        )
    refused_snooze = request.POST.get("duration", "") if refusal and name == "snooze" else None
    context = card_context(session, person_of_request(request), refusal=refusal, refused_snooze=refused_snooze)
    response = render(request, "dialogue/gates/claim_response.html", context, status=status)
    if not refusal and (session.state in HITLSession.FINAL or name not in HEADING_OPERATIONS):
        response["HX-Refresh"] = "true"
        return response
    events = {} if refusal else undo_event(name, before, session, person_of_request(request))
    if not refusal and draft_of(session, person_of_request(request).id).author:
        events["soni:changed"] = ""  # a draft was handed on: the page shows it, unless the person is typing
    if events:
        response["HX-Trigger"] = json.dumps(events)
    return response


@needs(may_command)
@require_POST
def change_link(request: HttpRequest, number: int, link: int, act: str) -> HttpResponse:
    """Send an outside approver's link once more, or close it for good."""
    refusal, status = "", 200
    try:
        LINK_CHANGES[act](number, link, caller_of(request))
    except KeyError:
        raise Http404 from None
    except Refused as refused:
        refusal, status = refused.detail, refused.status
    return _sidebar_response(request, number, status, refusal)


def _sidebar_response(request: HttpRequest, number: int, status: int, refusal: str) -> HttpResponse:
    """Answer with the current sidebar; the rest of the page stays."""
    if not request.headers.get("hx-request"):
        return (
            _page_response(request, number, status, refusal=refusal) if refusal else redirect("dialogue:gate", number)
        )
    session = _get_session(request, number)
    context = _gate_context(request, session) | {"side_refusal": refusal}
    return render(request, "dialogue/gates/context_response.html", context, status=status)


def _answer_response(request: HttpRequest, number: int, status: int, attempt: Attempt = NO_ATTEMPT) -> HttpResponse:
    if not request.headers.get("hx-request"):
        return _page_response(request, number, status, attempt)
    return _card_response(request, number, status, attempt)


def _card_response(request: HttpRequest, number: int, status: int, attempt: Attempt = NO_ATTEMPT) -> HttpResponse:
    session = _get_session(request, number)
    return render(request, "dialogue/gates/card_response.html", _gate_context(request, session, attempt), status=status)


def _page_response(
    request: HttpRequest, number: int, status: int, attempt: Attempt = NO_ATTEMPT, refusal: str = ""
) -> HttpResponse:
    context = _queue_context(request)
    session = _get_session(request, number)
    context |= _gate_context(request, session, attempt, refusal) | {"current": number}
    return render(request, "dialogue/gates/gate.html", context, status=status)


def _queue_context(request: HttpRequest) -> dict[str, Any]:
    cursor = last_event_number()
    person = person_of_request(request)
    query = QueueQuery.read(request.GET.dict())
    tab = find_tab(query.view)
    try:
        page = queue_page(person, tab, query, request.GET.get("after", ""))
    except NotOffered as refused:
        raise Http404 from refused
    return {
        "page_keys": "gates",
        "may_decide": person.has(DECIDE),
        "inbox_cursor": cursor,
        "tabs": lambda: _tabs_of(request),
        "tab": tab,
        "search": query.q,
        "query": query,
        "problem": PROBLEMS.get(request.GET.get("problem", ""), ""),
        "filters": filters_of(query, person),
        "saved": saved_view_links(person, query),
        "page": page,
        "rows": [row_of(session, person) for session in page.rows],
        "takes_tour": may_take_tour(person),
        "begins_tour": begins_tour(request),
    }


def _tabs_of(request: HttpRequest) -> list[TabWithCount]:
    """The tabs with their counts. A template asks for them; one with rows only, as for a search, does not."""
    counts = counts_of_request(request).views
    return [TabWithCount(tab, counts.get(tab.name, 0)) for tab in TABS.values()]


def _gate_context(
    request: HttpRequest, session: HITLSession, attempt: Attempt = NO_ATTEMPT, refusal: str = ""
) -> dict[str, Any]:
    return page_context(session, person_of_request(request), attempt, refusal)


def _get_session(request: HttpRequest, number: int) -> HITLSession:
    session = (
        visible_sessions(person_of_request(request)).filter(pk=number, audience=HITLSession.Audience.STAFF).first()
    )
    if session is None:
        raise Http404(_("There is no such gate."))
    return session


def _parse_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
