"""Chats that need or have a person."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from dialogue.desk.people import Person, visible_sessions
from dialogue.models import HITLSession
from dialogue.web.people import needs, person_of_request
from dialogue.web.queues import last_event, may_see_gates
from dialogue.web.rows import Row, row_of

MOST = 200


@needs(may_see_gates)
@require_GET
def inbox(request: HttpRequest) -> HttpResponse:
    """Mine, those that wait (longest first), and those that others have."""
    cursor = last_event()
    rows = _rows(person_of_request(request))
    facts: dict[str, Any] = {
        "inbox_cursor": cursor,
        "mine": [row for row in rows if row.mine],
        "waiting": [row for row in rows if not row.mine and not row.holder],
        "others": [row for row in rows if row.holder and not row.mine],
    }
    return render(request, "inbox/inbox.html", facts)


def _rows(person: Person) -> list[Row]:
    handed = visible_sessions(person).filter(kind=HITLSession.Kind.HANDOFF, state__in=HITLSession.UNDECIDED)
    return [row_of(session, person) for session in handed.filter(conversation__test=False).order_by("number")[:MOST]]
