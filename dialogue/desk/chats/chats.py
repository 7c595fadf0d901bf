"""Chats that were handed over: an operator writes to the customer, sets slots, and hands the chat back.

The first operator who writes in an unclaimed chat claims it; writing renews the claim.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from secrets import token_hex
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import F, QuerySet

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.desk.access.people import Caller, Person
from dialogue.desk.forms import forms, refusals
from dialogue.desk.forms.forms import InputFormat
from dialogue.desk.forms.refusals import WrongField
from dialogue.desk.forms.sentences import sentence as _
from dialogue.desk.forms.sentences import value_sentence
from dialogue.desk.sessions import drafts, transitions
from dialogue.desk.sessions.claims import CLAIM_LEASE, renew_claim
from dialogue.desk.sessions.decisions import is_repeated, record_decision
from dialogue.desk.sessions.operation import (
    Operation,
    Outcome,
    Request,
    publish_inbox_event,
    run_operation,
    run_turn_after_commit,
)
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import ValueRefused
from dialogue.models import Conversation, Event, HITLSession
from dialogue.models.account import Account
from dialogue.turns import clock
from dialogue.turns.accept import Incoming, accept, storable_value

MAX_LINE_CHARACTERS = 10_000
HANDED_BACK = "hand_back"
CUSTOMER_LEFT = "customer_left"
"""The reason of a chat that its customer did not want to wait for any longer."""


@dataclass(frozen=True)
class ChatSlot:
    """A slot that an operator may set, by its name `flow.slot`. `stored`: its value and where that came from, as in
    `TurnOutcome.stack`; empty while it has none.
    """

    name: str
    flow: str
    slot: Slot
    stored: Mapping[str, Any]


def say(number: int, caller: Caller, text: str, key: str = "") -> Outcome:
    """Write a line to the customer; a line that is sent again with the same `key` is written once.

    Raises KeyReused, InvalidValue, NotAllowed and what `run_operation` and `Operation.check_all` raise.
    """
    event = _ChatEvent(Event.Kind.SAY, caller.user, key, text)

    def write_line(operation: Operation) -> Outcome:
        operation.check_right()
        if _is_resent(operation, event):
            return Outcome(operation.session, repeated=True)
        _check_chat(operation)
        if not text.strip() or len(text) > MAX_LINE_CHARACTERS:
            detail = _("Write between 1 and %s characters.") % f"{MAX_LINE_CHARACTERS:,}"
            raise refusals.InvalidValue(detail, session=operation.session)
        _claim_chat(operation)
        _send_event(operation, event, {"text": text}, text)
        operation.record()
        drafts.delete_draft(operation.session, operation.person.id)
        return Outcome(operation.session)

    return run_operation(Request(number, caller, transitions.SAY), write_line)


def line_number_of(session: HITLSession, caller: Caller, key: str) -> int | None:
    """Return the transcript number of the line that was written with this key, or None."""
    rows = Event.objects.filter(
        conversation=session.conversation_id,
        client_id__startswith=_ChatEvent(Event.Kind.SAY, caller.user, key, "").id_prefix,
    )
    return rows.values_list("message__seq", flat=True).first() if key else None


def set_slots(
    number: int, caller: Caller, values: Mapping[str, Any], input_format: InputFormat = InputFormat.PLAIN, key: str = ""
) -> Outcome:
    """Set slots for the customer, once for a `key` and without a message to the customer; all values, or none.

    Raises KeyReused, InvalidValue (with every wrong slot), NotAllowed and what `run_operation` raises.
    """
    event = _ChatEvent(Event.Kind.SLOTS, caller.user, key, dict(values))

    def write_slots(operation: Operation) -> Outcome:
        operation.check_right()
        if _is_resent(operation, event):
            return Outcome(operation.session, repeated=True)
        _check_chat(operation)
        slot_values = _slot_values(operation.session, values, input_format)
        _claim_chat(operation)
        operation.record({"slots": sorted(slot_values)}, {"values": storable_value(slot_values)})
        _send_event(operation, event, {"values": slot_values})
        return Outcome(operation.session)

    return run_operation(Request(number, caller, transitions.SET_SLOTS), write_slots)


def hand_back(number: int, caller: Caller, key: str = "") -> Outcome:
    """Give the chat back to the bot, which goes on at the awaited step; once for a `key`. Raises as `say` does."""

    def give_back(operation: Operation) -> Outcome:
        operation.check_right()
        if is_repeated(operation):
            return Outcome(operation.session, repeated=True)
        _check_chat(operation)
        record_decision(operation, HANDED_BACK, {}, "", status=200)
        return Outcome(operation.session)

    return run_operation(Request(number, caller, transitions.HAND_BACK, key=key), give_back)


@transaction.atomic
def leave_chat(conversation: UUID) -> bool:
    """Return the chat to the bot because the customer does not want to wait; False without an open handoff.

    The conversation is locked first: if an operator hands the chat back in this moment, one of the two finds it done.
    """
    row = Conversation.objects.select_for_update(of=("self",)).filter(pk=conversation).first()
    session = open_handoffs(conversation).select_related("conversation__user").first()
    if row is None or session is None:
        return False
    at = clock.now()
    HITLSession.objects.filter(pk=session.pk).update(
        state=HITLSession.State.CANCELLED,
        version=F("version") + 1,
        decided_as=session.conversation.customer[:200],
        decided_at=at,
        decided_through="chat",
        reason=CUSTOMER_LEFT,
        delivery=HITLSession.Delivery.PENDING,
    )
    session.refresh_from_db()
    publish_inbox_event(session, "cancelled", at)
    chain.record(conversation, [Act("session.left", "customer", None, session.name)], at, is_locked=True)
    payload = {"session": str(session.uid), "task": session.task_key, "by": ""}
    incoming = Incoming(Event.Kind.HAND_BACK, f"session:{session.uid}:{token_hex(8)}", payload, session=session)
    accept(conversation, incoming)
    run_turn_after_commit(session)
    return True


def open_handoffs(conversation: UUID) -> QuerySet[HITLSession]:
    """Return the open handoff session of this conversation, if there is one."""
    rows = HITLSession.objects.filter(conversation_id=conversation, kind=HITLSession.Kind.HANDOFF)
    return rows.filter(state__in=HITLSession.UNDECIDED).select_related("assignee")


def chat_holder(session: HITLSession) -> Account | None:
    """Return the operator who has the chat now; None after the claim has run out."""
    return session.assignee if session.claim_holder_at(clock.now()) else None


def settable_slots(session: HITLSession) -> list[ChatSlot]:
    """Return every slot of the running flows once, filled or not, the top flow's first."""
    from dialogue.turns.compiled_releases import (
        assistant_of,  # the engine is loaded when a chat is worked on, not at start
    )

    assistant = assistant_of(session.release)
    chat_slots: dict[str, ChatSlot] = {}
    for entry in reversed(session.conversation.stack):
        flow = assistant.flows.get(entry["flow"])
        for name, slot in flow.slots.items() if flow else ():
            chat_slot = ChatSlot(f"{entry['flow']}.{name}", entry["flow"], slot, entry["slots"].get(name, {}))
            chat_slots.setdefault(chat_slot.name, chat_slot)
    return list(chat_slots.values())


def _check_chat(operation: Operation) -> None:
    operation.check_all()
    if operation.session.kind != HITLSession.Kind.HANDOFF:
        raise refusals.NotAllowed(_("The bot has this chat."), session=operation.session)


def _claim_chat(operation: Operation) -> None:
    if operation.is_held_by_caller:
        return renew_claim(operation)
    operation.update(assignee=operation.person.id, claimed_until=operation.at + CLAIM_LEASE)
    publish_inbox_event(operation.session, operation.request.transition.inbox_event, operation.at)
    facts = {
        "through": operation.request.caller.through,
        "version": operation.session.version,
        "by": operation.request.transition.name,
    }
    act = Act("session.claim", operation.person.name, operation.person.account, operation.session.name, facts)
    chain.record(operation.session.conversation_id, [act], operation.at)


@dataclass(frozen=True)
class _ChatEvent:
    """What an operator sends into the chat: the kind, the idempotency key and the body."""

    kind: Event.Kind
    by: int
    key: str
    body: Any

    @property
    def id_prefix(self) -> str:
        """The prefix of the client ids of everything that this person sends with this key."""
        return f"{self.kind}:{self.by}:{_short_hash(self.key)}:"

    @property
    def client_id(self) -> str:
        """The same id for the same key and body; a random one without a key, so that no client can guess it."""
        if not self.key:
            return f"{self.kind}:{token_hex(16)}"
        return self.id_prefix + _short_hash(json.dumps(self.body, sort_keys=True, default=str))


def _short_hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _send_event(operation: Operation, event: _ChatEvent, payload: dict[str, Any], text: str | None = None) -> None:
    """The conversation's event, and its turn after the commit."""
    by = operation.person.name
    accept(
        operation.session.conversation_id,
        Incoming(event.kind, event.client_id, {**payload, "by": by}, text=text, role="operator", author=by),
    )
    run_turn_after_commit(operation.session)


def _is_resent(operation: Operation, event: _ChatEvent) -> bool:
    """Whether this person already sent the same body with this key. Raises KeyReused for another body."""
    rows = Event.objects.filter(conversation=operation.session.conversation_id, client_id__startswith=event.id_prefix)
    earlier = rows.values_list("client_id", flat=True).first() if event.key else None
    if earlier is not None and earlier != event.client_id:
        raise refusals.key_reused(operation.session)
    return earlier is not None


def _slot_values(session: HITLSession, values: Mapping[str, Any], input_format: InputFormat) -> dict[str, Any]:
    """Return each slot's stored value. Raises InvalidValue with every wrong one."""
    find, read_value = _slot_finder(session), forms.reader_for(session, input_format)
    stored_values: dict[str, Any] = {}
    wrong: list[WrongField] = []
    for name, value in values.items():
        slot = find(name)
        if slot is None:
            wrong.append(
                WrongField(name, "", "unknown_slot", _("No flow here has this slot."), forms.quote_value(value))
            )
            continue
        try:
            stored_values[name] = read_value(slot, value)
        except ValueRefused as refused:
            sentence = value_sentence(refused)
            wrong.append(WrongField(name, "", refused.rule, sentence, forms.quote_value(value), slot.hides_values))
    if wrong:
        raise forms.wrong_values(session, wrong)
    return stored_values


def _slot_finder(session: HITLSession) -> Callable[[str], Slot | None]:
    """Return the function that finds a slot by name: in the top flow that has it, or the conversation's own slots."""
    from dialogue.turns.compiled_releases import (
        assistant_of,  # the engine is loaded when a chat is worked on, not at start
    )

    assistant = assistant_of(session.release)
    running = [entry["flow"] for entry in reversed(session.conversation.stack)]

    def find_slot(name: str) -> Slot | None:
        head, _dot, rest = name.partition(".")
        # A name such as address.zip is the field of a record, unless a running flow is called address.
        flow_name, slot_name = (head, rest) if rest and head in running else ("", name)
        slot_name, _dot, path = slot_name.partition(".")
        flows = [assistant.flows[flow] for flow in running if flow in assistant.flows and flow_name in ("", flow)]
        slots = (flow.slots[slot_name] for flow in flows if slot_name in flow.slots)
        slot = next(slots, None if flow_name else assistant.slots.get(slot_name))
        return slot.part(path) if slot is not None and path else slot

    return find_slot


@transaction.atomic
def cancel_conversation(conversation: UUID, person: Person, reason: str) -> None:
    """Cancel the conversation with all its gates, in its next turn. Whether the person may is the caller's question.

    Raises ConversationNotFound and ConversationOver.
    """
    from dialogue.turns import runner  # the engine is loaded when something happens, not at start

    reason = storable_value(reason)
    accept(conversation, Incoming(Event.Kind.CANCEL, f"cancel:{uuid4().hex}", {"reason": reason}))
    act = Act("conversation.cancelled", person.name, person.id, detail={"reason": reason})
    chain.record(conversation, [act], clock.now())
    transaction.on_commit(partial(runner.wake_conversation, conversation), robust=True)
