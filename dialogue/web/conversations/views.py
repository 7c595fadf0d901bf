"""One conversation to read: its transcript and the record of every turn."""

from contextlib import suppress
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from dialogue.desk.access.people import SUPERVISE, Person, visible_sessions
from dialogue.desk.access.redaction import record_reading, redactor_for
from dialogue.desk.sessions.incidents import TurnNotStuck, abandon_turn, incidents_of, retry_turn
from dialogue.models import Conversation, HITLSession, Outreach
from dialogue.turns.live.serializers import EXECUTING_ACTION, explicit_states
from dialogue.turns.waiting.contact import has_refused
from dialogue.turns.waiting.outreach import MAX_PLANNED
from dialogue.web.shared.people import needs, person_of_request
from dialogue.web.shared.permissions import may_change_flows, may_command, may_read, may_test
from dialogue.web.shared.scope import visible_conversations
from dialogue.web.shared.transcript import lines_before, newest_lines, redact_lines
from dialogue.web.shared.turn_trace import turn_trace

MAX_TURNS = 100


@needs(may_read)
@require_GET
def conversation(request: HttpRequest, conversation: UUID) -> HttpResponse:
    """One conversation, with why it said what it said."""
    person = person_of_request(request)
    row = get_object_or_404(visible_conversations(person), pk=conversation)
    record_reading(row, person, "page")
    redactor, talk = redactor_for(person, row), newest_lines(row)
    facts: dict[str, Any] = {
        "conversation": row,
        "executing": explicit_states([row])[row.pk] == EXECUTING_ACTION,
        "lines": redact_lines(talk.lines, redactor),
        "older": talk.older,
        "records": [
            turn_trace(turn, redactor) for turn in row.turns.select_related("event").order_by("-number")[:MAX_TURNS]
        ],
        "sessions": _staff_sessions(row, person),
        "stack": list(reversed(row.stack)),
        "planned": _planned(row),
        "refuses": has_refused(row),
        "incidents": incidents_of(row),
        "mends": may_mend(person),
        "tests": may_test(person),
        "corrects": may_test(person) and may_change_flows(person),
    }
    return render(request, "dialogue/conversations/conversation.html", facts)


def may_mend(person: Person) -> bool:
    return person.has(SUPERVISE)


@needs(may_mend)
@require_POST
def mend(request: HttpRequest, conversation: UUID, number: int, act: str) -> HttpResponse:
    """Run a failed turn again, or give it up. Who comes second sees that it is done."""
    person = person_of_request(request)
    row = get_object_or_404(visible_conversations(person), pk=conversation)
    with suppress(TurnNotStuck):
        if act == "retry":
            retry_turn(row.pk, number, person)
        else:
            abandon_turn(row.pk, number, person, request.POST.get("reason", ""))
    return redirect("dialogue:conversation", row.pk)


def _staff_sessions(conversation: Conversation, person: Person) -> QuerySet[HITLSession]:
    sessions = visible_sessions(person).filter(conversation=conversation, audience=HITLSession.Audience.STAFF)
    return sessions.order_by("-number")[:20]


def _planned(conversation: Conversation) -> QuerySet[Outreach]:
    rows = Outreach.objects.filter(conversation=conversation, state=Outreach.State.PLANNED)
    return rows.order_by("due_at")[:MAX_PLANNED]


@needs(lambda person: may_read(person) or may_command(person))
@require_GET
def lines(request: HttpRequest, conversation: UUID) -> HttpResponse:
    """The lines before `?before=<seq>` (without it: the last ones), with the button for those before them."""
    person = person_of_request(request)
    row = get_object_or_404(visible_conversations(person), pk=conversation)
    before = request.GET.get("before", str(row.last_message + 1))
    if not (before.isascii() and before.isdigit() and len(before) < 10):
        raise Http404
    page = lines_before(row, int(before))
    redacted_lines = redact_lines(page.lines, redactor_for(person, row))
    return render(
        request,
        "dialogue/conversations/earlier_lines.html",
        {"conversation": row, "lines": redacted_lines, "older": page.older},
    )
