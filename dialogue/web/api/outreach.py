"""Flows and messages that the business begins, those that are planned, and whether the customer wants them."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Router, Status

from dialogue.desk.access.token_scopes import CHAT, CONVERSATIONS_READ, CONVERSATIONS_SIGNAL
from dialogue.models import Conversation, Event, Outreach
from dialogue.turns import clock
from dialogue.turns.accept import Incoming
from dialogue.turns.waiting.contact import has_refused, set_contact
from dialogue.turns.waiting.outreach import (
    MAX_PLANNED,
    OptedOut,
    StartRefused,
    TooManyPlanned,
    begin,
    cancel_planned,
)
from dialogue.web.api.access import ConversationAccess, read_access
from dialogue.web.api.auth import scoped
from dialogue.web.api.problems import Problem, not_found, wrong_fields
from dialogue.web.api.replies import answer_turn
from dialogue.web.api.schemas import REFUSED, Contact, Empty, NewMessage, StartedFlow

router = Router(tags=["conversations"])

JsonObject = dict[str, Any]
ANSWERS: dict[Any, Any] = {200: JsonObject, 202: JsonObject, REFUSED: None}
EMPTY = Empty()
MAX_LISTED = 100


@router.post("/{conversation_id}/start", response=ANSWERS)
@scoped(CONVERSATIONS_SIGNAL)
def start_flow(request: HttpRequest, conversation_id: str, body: StartedFlow) -> Any:
    """Begin a flow in the name of the business, now or `at` a moment, once for each `id`.

    `started` in the answer says whether it began, and `reason` why not. In quiet hours, and while a person has the
    chat, it is planned: the answer is 202 with `planned`.
    """
    access = read_access(request, conversation_id)
    person = access.for_signalling()
    payload = {"flow": body.flow, "slots": body.slots, "by": person.name}
    return _begin(request, access.conversation, Incoming(Event.Kind.START, body.id, payload), body.at)


def say_first(request: HttpRequest, access: ConversationAccess, body: NewMessage) -> Any:
    """Write to the customer in the name of the business, now or later."""
    person = access.for_signalling()
    incoming = Incoming(Event.Kind.NOTIFY, body.id, {"text": body.say, "by": person.name})
    return _begin(request, access.conversation, incoming, body.at)


@router.get("/{conversation_id}/planned", response=ANSWERS)
@scoped(CONVERSATIONS_SIGNAL)
def list_planned(request: HttpRequest, conversation_id: str) -> JsonObject:
    """What is planned, and what became of it, the next first; for programs that may begin flows."""
    access = read_access(request, conversation_id)
    access.for_signalling()
    rows = Outreach.objects.filter(conversation=access.conversation).order_by("-pk")[:MAX_LISTED]
    return {"planned": [planned_view(row) for row in sorted(rows, key=lambda row: (row.due_at, row.pk))]}


@router.post("/{conversation_id}/planned/{number}/cancel", response=ANSWERS)
@scoped(CONVERSATIONS_SIGNAL)
def cancel(request: HttpRequest, conversation_id: str, number: str, body: Empty = EMPTY) -> JsonObject:
    """Cancel what is planned; `cancelled` is false when it has begun or was cancelled already."""
    access = read_access(request, conversation_id)
    access.for_signalling()
    if not (number.isascii() and number.isdigit() and len(number) < 18):
        raise not_found()
    try:
        cancelled = cancel_planned(access.conversation, int(number))
    except Outreach.DoesNotExist:
        raise not_found() from None
    return {"cancelled": cancelled, **planned_view(Outreach.objects.get(pk=int(number)))}


@router.get("/{conversation_id}/contact", response=ANSWERS)
@scoped(CHAT, CONVERSATIONS_READ, CONVERSATIONS_SIGNAL)
def get_contact(request: HttpRequest, conversation_id: str) -> JsonObject:
    """Whether the assistant may write first to this customer."""
    return {"allowed": not has_refused(read_access(request, conversation_id).conversation)}


@router.post("/{conversation_id}/contact", response=ANSWERS)
@scoped(CHAT, CONVERSATIONS_SIGNAL)
def post_contact(request: HttpRequest, conversation_id: str, body: Contact) -> JsonObject:
    """Say whether the assistant may write first: the customer, or a program that may begin flows."""
    access = read_access(request, conversation_id)
    if not access.is_end_user:
        access.for_signalling()
    set_contact(access.conversation, allowed=body.allowed, at=clock.now())
    return {"allowed": not has_refused(access.conversation)}


def planned_view(row: Outreach) -> JsonObject:
    """`{planned, kind, state, reason, at}` and the flow, of a planned flow or message."""
    view = {"planned": row.pk, "kind": row.kind, "state": row.state, "reason": row.reason, "at": row.due_at.isoformat()}
    return {**view, "flow": row.payload["flow"]} if row.kind == Outreach.Kind.START else view


def _begin(request: HttpRequest, conversation: Conversation, incoming: Incoming, at: datetime | None) -> Any:
    from dialogue.web.api import turn_reply  # the engine is loaded with the first turn, not at start

    try:
        begun = begin(conversation, incoming, at, turn_reply.lease_owner())
    except StartRefused as error:
        raise wrong_fields("", error.wrong) from None
    except OptedOut:
        raise Problem(409, "opted_out", _("This customer does not want the assistant to write first.")) from None
    except TooManyPlanned:
        raise Problem(429, "rate_limited", _("At most %s of a conversation may be planned.") % MAX_PLANNED) from None
    return (
        Status(202, planned_view(begun)) if isinstance(begun, Outreach) else answer_turn(request, conversation, begun)
    )
