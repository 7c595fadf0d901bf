"""Conversations over HTTP: opening, sending messages, and reading transcripts and turn records."""

import json
from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Query, Router, Status

from dialogue.desk.access import unmasking
from dialogue.desk.access.people import TEST, VOUCH
from dialogue.desk.access.token_scopes import (
    CHAT,
    CONVERSATIONS_MANAGE,
    CONVERSATIONS_READ,
    CONVERSATIONS_SIGNAL,
    FLOWS_TEST,
)
from dialogue.desk.chats import chats
from dialogue.desk.chats.chats import cancel_conversation
from dialogue.desk.queue.keyset import keyset_page, keyset_page_of_parts, named_order
from dialogue.models import Conversation, Turn
from dialogue.turns.accept import Incoming, storable_value
from dialogue.turns.live.serializers import (
    conversation_view,
    explicit_states,
    message_view,
    redacted_record,
    redacted_view,
    stack_view,
)
from dialogue.web.api import outreach
from dialogue.web.api.access import read_access
from dialogue.web.api.auth import need_scope, person_or_401, scoped, visitor_of
from dialogue.web.api.openings import checked_opening, count_use, customer_of, metadata_of
from dialogue.web.api.problems import Problem, not_found, part_too_large
from dialogue.web.api.schemas import (
    REFUSED,
    After,
    ConversationFilters,
    Empty,
    Forked,
    NewConversation,
    NewMessage,
    Paging,
    WithReason,
    refuse_unknown_parameters,
)
from dialogue.web.shared.deferred import respond_later
from dialogue.web.shared.limits import address_of, count_message, open_from_address
from dialogue.web.shared.scope import conversation_parts, every_conversation

router = Router(tags=["conversations"])

JsonObject = dict[str, Any]
ANSWERS: dict[Any, Any] = {200: JsonObject, 201: JsonObject, 202: JsonObject, REFUSED: None}
ORDERS = {
    "active": ("-active_at", "-id"),
    "newest": ("-created_at", "-id"),
    "oldest": ("created_at", "id"),
}
NO_REASON = WithReason()
EMPTY = Empty()
MAX_METADATA_BYTES = 8 * 1024


@router.post("", response=ANSWERS)
@scoped(CHAT, FLOWS_TEST)
def create_conversation(request: HttpRequest, body: NewConversation) -> Status[JsonObject]:
    """Open a conversation. The token opens it for its end user; it is shown here once."""
    visitor = visitor_of(request)
    person = visitor.person()
    need_scope(request, FLOWS_TEST if body.test else CHAT)
    if body.test and not (person and person.has(TEST)):
        raise Problem(403, "not_allowed", _("Test conversations are for who may test assistants."))
    if len(json.dumps(body.metadata, ensure_ascii=False).encode(errors="surrogatepass")) > MAX_METADATA_BYTES:
        raise part_too_large("metadata", MAX_METADATA_BYTES)
    customer = customer_of(body)
    opening = checked_opening(body, customer.claims)
    with transaction.atomic():
        count_use(customer)
        conversation, token = open_from_address(
            "" if person else address_of(request),
            body.assistant,
            user=visitor.user,
            user_ref=customer.reference,
            vouched=bool(body.user_token) or (person is not None and person.has(VOUCH)),
            channel=body.channel,
            language=body.language,
            metadata=storable_value(metadata_of(body, customer)),
            **opening,
            test=body.test,
        )
    return Status(201, {"id": str(conversation.pk), "token": token, "state": conversation.state})


@router.get("", response=ANSWERS)
@scoped(CONVERSATIONS_READ)
def list_conversations(request: HttpRequest, filters: Query[ConversationFilters]) -> JsonObject:
    """The conversations that the caller may see, the most recently active first."""
    refuse_unknown_parameters(request, ConversationFilters)
    rows, parts = every_conversation(), conversation_parts(person_or_401(visitor_of(request)))
    columns = {"state": filters.state, "assistant__name": filters.assistant, "user_ref": filters.user_ref}
    rows = rows.filter(**{column: storable_value(value) for column, value in columns.items() if value})
    if filters.test is not None:
        rows = rows.filter(test=filters.test)
    order = named_order(ORDERS, filters.order)
    conversations_page = keyset_page_of_parts(rows, parts, order, cursor=filters.cursor, limit=filters.limit)
    explicit_by_id = explicit_states(conversations_page.rows)
    return {
        "conversations": [_conversation_summary(row, explicit_by_id[row.pk]) for row in conversations_page.rows],
        "next": conversations_page.next,
    }


@router.get("/{conversation_id}", response=ANSWERS)
@scoped(CHAT, CONVERSATIONS_READ)
def get_conversation(request: HttpRequest, conversation_id: str) -> JsonObject:
    """State and what is pending; for staff also the stack with its slots, and the release."""
    access = read_access(request, conversation_id)
    return conversation_view(access.conversation, insight=access.has_insight, unmasked=access.sees_sensitive_values)


@router.post("/{conversation_id}/messages", response=ANSWERS)
@scoped(CHAT, CONVERSATIONS_SIGNAL)
def post_message(request: HttpRequest, conversation_id: str, body: NewMessage) -> Any:
    """Say something, and wait for the answer; with `Prefer: respond-async` only for its acceptance.

    With `say`, the business writes to the customer, now or `at` a moment.
    """
    from dialogue.web.api import turn_reply  # the engine is loaded with the first message, not at start

    access = read_access(request, conversation_id)
    need_scope(request, CHAT if body.say is None else CONVERSATIONS_SIGNAL)
    if body.say is not None:
        return outreach.say_first(request, access, body)
    conversation = access.for_writing()
    count_message(conversation, address_of(request))
    accepted = turn_reply.accept_event(conversation.pk, _incoming_event(conversation, body))
    event = {"event": accepted.number}

    async def respond_at_once() -> tuple[int, JsonObject]:
        turn_reply.start_turn(conversation.pk, accepted)
        return 202, event

    async def respond_with_reply() -> tuple[int, JsonObject]:
        answer = await turn_reply.wait_for_reply(conversation.pk, accepted, insight=access.has_insight)
        return (200, answer) if answer else (202, event)

    return respond_later(
        request, respond_at_once if "respond-async" in request.headers.get("Prefer", "") else respond_with_reply
    )


@router.get("/{conversation_id}/messages", response=ANSWERS)
@scoped(CHAT, CONVERSATIONS_READ)
def list_messages(request: HttpRequest, conversation_id: str, query: Query[After]) -> JsonObject:
    """The transcript behind `after`, in its order; `next` is the number to go on from."""
    refuse_unknown_parameters(request, After)
    access = read_access(request, conversation_id)
    rows = list(access.conversation.messages.filter(seq__gt=query.after).order_by("seq")[: query.limit + 1])
    page_rows = rows[: query.limit]
    redact = access.redactor()
    lines = [redacted_view(message_view(row), redact) for row in page_rows]
    return {"messages": lines, "next": page_rows[-1].seq if len(rows) > len(page_rows) else None}


@router.get("/{conversation_id}/turns", response=ANSWERS)
@scoped(CONVERSATIONS_READ)
def list_turns(request: HttpRequest, conversation_id: str, query: Query[Paging]) -> JsonObject:
    """The records of the turns, in their order."""
    refuse_unknown_parameters(request, Paging)
    access = read_access(request, conversation_id)
    rows = access.for_insight().turns.select_related("event", "release")
    turns_page = keyset_page(rows, ("number",), cursor=query.cursor, limit=query.limit)
    redact, unmasked = access.redactor(), access.sees_sensitive_values
    return {"turns": [_turn_view(row, redact, unmasked=unmasked) for row in turns_page.rows], "next": turns_page.next}


@router.get("/{conversation_id}/turns/{number}", response=ANSWERS)
@scoped(CONVERSATIONS_READ)
def get_turn(request: HttpRequest, conversation_id: str, number: str) -> JsonObject:
    """One turn's record, and what it said."""
    access = read_access(request, conversation_id)
    conversation = access.for_insight()
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise not_found()
    row = conversation.turns.select_related("event", "release").filter(number=int(number)).first()
    if row is None:
        raise not_found()
    redact = access.redactor()
    lines = [redacted_view(message_view(line), redact) for line in row.messages.order_by("ordinal")]
    return {**_turn_view(row, redact, unmasked=access.sees_sensitive_values), "messages": lines}


@router.post("/{conversation_id}/cancel", response=ANSWERS)
@scoped(CONVERSATIONS_MANAGE)
def cancel(request: HttpRequest, conversation_id: str, body: WithReason = NO_REASON) -> Status[JsonObject]:
    """End the conversation with everything that is open in it; for supervisors, with a reason."""
    access = read_access(request, conversation_id)
    person = access.for_cancelling()
    if not body.reason.strip():
        raise Problem(422, "reason_required", _("Please give a reason."))
    cancel_conversation(access.conversation.pk, person, body.reason)
    return Status(202, conversation_view(access.conversation, insight=access.has_insight))


@router.post("/{conversation_id}/unmask", response=ANSWERS)
@scoped(CONVERSATIONS_MANAGE)
def unmask(request: HttpRequest, conversation_id: str, body: WithReason = NO_REASON) -> JsonObject:
    """Show this caller the masked values until the moment that is told; with its permission, and a reason."""
    access = read_access(request, conversation_id)
    until = unmasking.unmask(access.conversation, access.for_unmasking(), body.reason, "api")
    return {"unmasked_until": until.isoformat()}


@router.post("/{conversation_id}/mask", response=ANSWERS)
@scoped(CONVERSATIONS_MANAGE)
def mask(request: HttpRequest, conversation_id: str, body: Empty = EMPTY) -> JsonObject:
    """Mask the values again."""
    access = read_access(request, conversation_id)
    unmasking.mask(access.conversation, access.for_unmasking(), "api")
    return {"unmasked_until": None}


@router.post("/{conversation_id}/leave", response=ANSWERS)
@scoped(CHAT)
def leave(request: HttpRequest, conversation_id: str, body: Empty = EMPTY) -> JsonObject:
    """The customer waits no longer for a person: the bot goes on; `left` is false where no person had the chat."""
    access = read_access(request, conversation_id)
    conversation = access.for_writing()
    has_left = chats.leave_chat(conversation.pk)
    conversation.refresh_from_db()
    return {"left": has_left, **conversation_view(conversation, insight=access.has_insight)}


@router.post("/{conversation_id}/fork", response=ANSWERS)
@scoped(FLOWS_TEST)
def fork_conversation(request: HttpRequest, conversation_id: str, body: Forked) -> Status[JsonObject]:
    """A test conversation that goes on from a turn of this one, with simulated actions."""
    from dialogue.scenarios.forks import ForkFailed, TooManyTurns, TurnNotFound, fork_conversation  # it makes turns

    access = read_access(request, conversation_id)
    user = access.for_forking(visitor_of(request).user)
    try:
        forked, token = fork_conversation(access.conversation, body.turn, user)
    except TurnNotFound:
        field = {"name": "turn", "rule": "unknown", "message": _("There is no such turn."), "value": str(body.turn)}
        raise Problem(422, "unknown_turn", _("There is no such turn."), [field]) from None
    except (TooManyTurns, ForkFailed) as error:
        raise Problem(409, "fork_failed", _("It cannot go on from there: %s") % error) from None
    return Status(201, {**conversation_view(forked, insight=True), "token": token})


def _incoming_event(conversation: Conversation, body: NewMessage) -> Incoming:
    if body.choice is None:
        return Incoming("message", body.id, {"text": body.text}, text=body.text)
    return Incoming("choice", body.id, {"value": body.choice}, text=_button_label(conversation, body.choice))


def _button_label(conversation: Conversation, value: str) -> str:
    """The label of the button with this value, in the newest message that has it."""
    recent = conversation.messages.exclude(buttons=[]).order_by("-seq")[:5]
    labels = (str(button["label"]) for row in recent for button in row.buttons if button["value"] == value)
    return next(labels, value)


def _conversation_summary(row: Conversation, explicit: str) -> JsonObject:
    return {
        "id": str(row.pk),
        "assistant": row.assistant.name,
        "customer": row.customer,
        "user_ref": row.user_ref,
        "vouched": row.vouched,
        "channel": row.channel,
        "language": row.language,
        "state": row.state,
        "explicit": explicit,
        "test": row.test,
        "release": row.release.number,
        "created_at": row.created_at.isoformat(),
        "active_at": row.active_at.isoformat(),
    }


def _turn_view(row: Turn, redact: Callable[[str], str], *, unmasked: bool) -> JsonObject:
    return {
        "number": row.number,
        "event": {"number": row.event.number, "kind": row.event.kind},
        "release": row.release.number,
        "state": row.state,
        "stack": stack_view(row.stack, unmasked=unmasked),
        "record": redacted_record(row.record, redact),
        "milliseconds": row.milliseconds,
        "llm_calls": row.llm_calls,
        "tokens": row.tokens,
        "at": row.finished_at.isoformat(),
    }
