"""One conversation to read: its transcript and the record of every turn."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from dialogue.desk.access.people import SUPERVISE, Person, visible_sessions
from dialogue.desk.access.redaction import record_reading, redactor_beside, redactor_for
from dialogue.desk.sessions.incidents import TurnNotStuck, abandon_turn, incidents_of, retry_turn
from dialogue.models import Conversation, HITLSession, Message, Outreach, Turn
from dialogue.turns.live.flow_words import readable_assistant, titled_stack
from dialogue.turns.live.serializers import EXECUTING_ACTION, explicit_states
from dialogue.turns.waiting.contact import has_refused
from dialogue.turns.waiting.outreach import MAX_PLANNED
from dialogue.web.conversations.exchanges import exchanges_of
from dialogue.web.conversations.explanation import Explanation, Reason
from dialogue.web.conversations.listing import ConversationRow
from dialogue.web.gates.chat_rows import language_name
from dialogue.web.shared.people import needs, person_of_request
from dialogue.web.shared.permissions import may_change_flows, may_command, may_read, may_see_flows, may_test
from dialogue.web.shared.scope import visible_conversations
from dialogue.web.shared.transcript import lines_before, newest_lines, redact_lines
from dialogue.web.shared.turn_trace import TurnTrace, turn_trace

MAX_TURNS = 100


@dataclass(frozen=True)
class ExplainedExchange:
    """The lines of one turn, and why: in sentences, and as the record has it (`trace`; None for lines of no turn)."""

    lines: list[Message]
    trace: TurnTrace | None
    reasons: list[Reason]


def _explained(
    lines: list[Message], turn: Turn | None, explanation: Explanation, redact: Callable[[str], str]
) -> ExplainedExchange:
    if turn is None:
        return ExplainedExchange(lines, None, [])
    trace = turn_trace(turn, redact, readable_assistant(turn.release))
    return ExplainedExchange(lines, trace, explanation.reasons(turn))


@needs(may_read)
@require_GET
def conversation(request: HttpRequest, conversation: UUID) -> HttpResponse:
    """One conversation, with why it said what it said."""
    person = person_of_request(request)
    row = get_object_or_404(visible_conversations(person), pk=conversation)
    record_reading(row, person, "page")
    redactor, talk = redactor_for(person, row), newest_lines(row)
    turns = list(row.turns.select_related("event__session", "release").order_by("-number")[:MAX_TURNS])[::-1]
    explanation = Explanation(
        row.assistant.name, redactor, links=may_see_flows(person), live_release=row.assistant.active_release_id or 0
    )
    exchanges = exchanges_of(redact_lines(talk.lines, redactor), turns)
    sessions = list(_staff_sessions(row, person))
    facts: dict[str, Any] = {
        "conversation": row,
        "shown_row": ConversationRow(row, gate=_newest_decided(sessions)),
        "executing": explicit_states([row])[row.pk] == EXECUTING_ACTION,
        "exchanges": [_explained(exchange.lines, exchange.turn, explanation, redactor) for exchange in exchanges],
        "older": talk.older,
        "sessions": sessions,
        "open_session": next((session for session in sessions if session.state in HITLSession.UNDECIDED), None),
        "stack": titled_stack(row.stack, readable_assistant(row.release)),
        "customer_language": language_name(row.language),
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


def _newest_decided(sessions: Sequence[HITLSession]) -> HITLSession | None:
    """Return the first of these gates that is over; the newest stand first."""
    over = (session for session in sessions if session.kind == HITLSession.Kind.HUMAN and session.decided_at)
    return next(over, None)


def _planned(conversation: Conversation) -> QuerySet[Outreach]:
    rows = Outreach.objects.filter(conversation=conversation, state=Outreach.State.PLANNED)
    return rows.order_by("due_at")[:MAX_PLANNED]


@needs(lambda person: may_read(person) or may_command(person))
@require_GET
def lines(request: HttpRequest, conversation: UUID) -> HttpResponse:
    """The lines before `?before=<seq>` (without it: the last ones), with the button for those before them.

    With `?gate=<number>` sensitive values are masked as they are on that gate's card.
    """
    person = person_of_request(request)
    row = get_object_or_404(visible_conversations(person), pk=conversation)
    before = request.GET.get("before", str(row.last_message + 1))
    if not (before.isascii() and before.isdigit() and len(before) < 10):
        raise Http404
    page = lines_before(row, int(before))
    gate = request.GET.get("gate", "")
    redacted_lines = redact_lines(page.lines, redactor_beside(row, person, gate))
    return render(
        request,
        "dialogue/conversations/earlier_lines.html",
        {"conversation": row, "lines": redacted_lines, "older": page.older, "gate_number": gate},
    )
