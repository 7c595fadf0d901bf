"""Flows and messages that the business begins: accepted as events at once, or planned as rows that the sweep begins."""

import logging
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.db import transaction

from dialogue.engine.slots.payloads import WrongField, read_payload
from dialogue.engine.source.problems import did_you_mean
from dialogue.models import Conversation, Event, Outreach
from dialogue.turns import clock
from dialogue.turns.accept import (
    Accepted,
    ConversationOver,
    Incoming,
    SameIdOtherBody,
    accept,
    lock_conversation,
    storable_value,
)
from dialogue.turns.compiled_releases import assistant_of
from dialogue.turns.process.crash_points import crash_point
from dialogue.turns.waiting.contact import has_refused, postponed_until
from dialogue.turns.waiting.reports import next_release

log = logging.getLogger(__name__)

MAX_PLANNED = 20
"""How many flows and messages of one conversation may be planned."""


class OptedOut(Exception):
    """The customer refuses to be written to first."""


class TooManyPlanned(Exception):
    """`MAX_PLANNED` flows and messages of this conversation are planned already."""


class StartRefused(ValueError):
    """The assistant has no such flow, or the values do not fit its slots; `wrong` says what."""

    def __init__(self, *wrong: WrongField) -> None:
        super().__init__(", ".join(field.name for field in wrong))
        self.wrong = wrong


def begin(conversation: Conversation, incoming: Incoming, at: datetime | None, claim_for: str) -> Accepted | Outreach:
    """Begin a flow or a message now, or plan it for `at`, for the end of quiet hours, or for when the chat is free.

    A repeated `client_id` with the same body gets what the first one got. Raises StartRefused, OptedOut,
    TooManyPlanned, and what `accept` raises.
    """
    planned = Outreach.objects.filter(conversation=conversation, client_id=incoming.client_id).first()
    if planned is not None:
        return _repeated(planned, incoming)
    if Event.objects.filter(conversation=conversation, client_id=incoming.client_id).exists():
        return accept(conversation.pk, incoming, claim_for)
    if incoming.kind == Event.Kind.START:
        check_start(conversation, incoming.payload["flow"], incoming.payload["slots"])
    if has_refused(conversation):
        raise OptedOut
    now = clock.now()
    due_at, reason = (at, "") if at is not None and at > now else postponed_until(conversation, now)
    if due_at > now:
        return _plan(conversation, incoming, due_at, reason, now)
    return accept(conversation.pk, incoming, claim_for)


def check_start(conversation: Conversation, flow: str, slots: Mapping[str, Any]) -> None:
    """Check the flow's name and the values for its slots and the assistant's. Raises StartRefused."""
    assistant = assistant_of(next_release(conversation))
    if flow not in assistant.flows:
        advice = did_you_mean(flow, assistant.flows)
        raise StartRefused(WrongField("flow", "unknown", f"there is no flow of this name. {advice}".strip()))
    own = {name: slot for name, slot in assistant.slots.items() if slot.source != "claim"} | assistant.flows[flow].slots
    language = conversation.language or assistant.language
    read = read_payload(own, slots, now=clock.now(), timezone=assistant.timezone, language=language, partial=True)
    if read.wrong:
        raise StartRefused(*(WrongField(f"slots.{wrong.name}", wrong.rule, wrong.message) for wrong in read.wrong))


def plan_start(conversation: Conversation, event: Event, start: Mapping[str, Any], at: datetime) -> None:
    """Plan the flow that an event begins, in the commit of the event's turn; the sweep begins it at once."""
    payload = {"flow": start["flow"], "slots": storable_value(dict(start["slots"])), "by": ""}
    incoming = Incoming(Event.Kind.START, f"event:{event.pk}", payload)
    Outreach.objects.bulk_create([_row_of(conversation, incoming, at, "", at)], ignore_conflicts=True)


def cancel_planned(conversation: Conversation, number: int) -> bool:
    """Cancel what is planned; False when it has begun or was cancelled already. Raises Outreach.DoesNotExist."""
    row = Outreach.objects.get(conversation=conversation, pk=number)
    planned = Outreach.objects.filter(pk=row.pk, state=Outreach.State.PLANNED)
    return _end(planned, Outreach.State.CANCELLED, "cancelled", clock.now()) == 1


def begin_due(limit: int = 100) -> int:
    """Begin what is due by the database's clock, the oldest first; return how many events were accepted.

    One that fails is logged and left for the next sweep. Running it twice changes nothing.
    """
    due = Outreach.objects.filter(state=Outreach.State.PLANNED, due_at__lte=clock.sql_now())
    return sum(map(_begin_or_log, list(due.order_by("due_at", "pk")[:limit])))


def _begin_or_log(row: Outreach) -> bool:
    crash_point("T1")
    try:
        begun = _begin_planned(row)
    except Exception:
        log.exception("what is planned as %s could not be begun; the next sweep tries again", row.pk)
        return False
    crash_point("T3")
    return begun


@transaction.atomic
def _begin_planned(row: Outreach) -> bool:
    """Accept the event if nothing speaks against it; False when it waits longer, or was ended."""
    planned = Outreach.objects.filter(pk=row.pk, state=Outreach.State.PLANNED, due_at__lte=clock.sql_now())
    try:
        conversation, at = lock_conversation(row.conversation_id)
    except ConversationOver:
        _end(planned, Outreach.State.CANCELLED, "conversation_over", clock.now())
        return False
    if has_refused(conversation):
        _end(planned, Outreach.State.CANCELLED, "opted_out", at)
        return False
    due_at, reason = postponed_until(conversation, at)
    if due_at > at:
        planned.update(due_at=due_at, reason=reason)
        return False
    if _end(planned, Outreach.State.DONE, "", at) != 1:
        return False
    # Random, because a client that could guess the id might take it first with a message of its own.
    accept(row.conversation_id, Incoming(row.kind, f"planned:{uuid4()}", row.payload))
    crash_point("T2")
    return True


def _end(planned: Any, state: str, reason: str, at: datetime) -> int:
    return int(planned.update(state=state, reason=reason, ended_at=at))


def _plan(conversation: Conversation, incoming: Incoming, due_at: datetime, reason: str, now: datetime) -> Outreach:
    with transaction.atomic():
        lock_conversation(conversation.pk)
        planned = Outreach.objects.filter(conversation=conversation)
        if (earlier := planned.filter(client_id=incoming.client_id).first()) is not None:
            return _repeated(earlier, incoming)
        if planned.filter(state=Outreach.State.PLANNED).count() >= MAX_PLANNED:
            raise TooManyPlanned
        row = _row_of(conversation, incoming, due_at, reason, now)
        row.save()
        return row


def _row_of(conversation: Conversation, incoming: Incoming, due_at: datetime, reason: str, now: datetime) -> Outreach:
    return Outreach(
        conversation=conversation,
        kind=incoming.kind,
        client_id=incoming.client_id,
        body_sha256=incoming.digest(),
        payload=incoming.payload,
        reason=reason,
        due_at=due_at,
        planned_at=now,
    )


def _repeated(row: Outreach, incoming: Incoming) -> Outreach:
    if row.body_sha256 != incoming.digest():
        raise SameIdOtherBody(incoming.client_id)
    return row
