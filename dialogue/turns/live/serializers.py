"""What was committed, as programs and sockets are told it. Sensitive values are masked here, once, for all of them.

Views come in two kinds. With `insight`, for staff, they hold the stack with its slots and what waits, in full. Without
it, for the end user, they hold the state and what waits by kind only: a slot's value reaches a customer in what a flow
says, and in no other way.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

from django.db.models import F, Q

from dialogue.models import ActionRun, Conversation, HITLSession, Message, Turn, hot_path
from dialogue.turns import clock

EXECUTING_ACTION = "executing_action"
"""The explicit state of a conversation whose runner is at an action; it is read from the ledger of actions."""

MASK = "••••"
SHORTEST = 3
"""Characters of a value below which it could be any word."""
BETWEEN = r"[\s.\-/]*"
"""What people put between the characters of a long number."""

_UNDECIDED = "AND state IN ('open', 'claimed') ORDER BY number"


def redactor_for_values(values: Iterable[str]) -> Callable[[str], str]:
    """A function that masks these values in a text, however they are spaced."""
    texts = {re.sub(BETWEEN, "", value) for value in values}
    longest_first = sorted((value for value in texts if len(value) >= SHORTEST), key=len, reverse=True)
    if not longest_first:
        return lambda text: text
    pattern = re.compile("|".join(BETWEEN.join(map(re.escape, value)) for value in longest_first), re.IGNORECASE)
    return lambda text: pattern.sub(lambda _found: MASK, text)


def sensitive_texts(slots: Iterable[dict[str, Any]]) -> Iterator[str]:
    """The values of the sensitive ones among these stored slots, as they are kept and as they are shown."""
    for slot in slots:
        if slot.get("sensitive"):
            yield from (str(slot[part]) for part in ("value", "shown") if slot.get(part))


def listed_title(session: HITLSession) -> str:
    """A session's title as lists, mails and notices show it, to everybody: without the sensitive values in its row."""
    return redactor_for_values([*sensitive_texts(session.shown), *_answered_in_secret(session)])(session.title)


def _answered_in_secret(session: HITLSession) -> Iterator[str]:
    fields = session.schema.get("properties", {}) if session.values else {}
    secret = {name for name, field in fields.items() if field.get("x-slot", {}).get("sensitive")}
    return (str(value) for name, value in session.values.items() if name in secret)


def message_view(message: Message) -> dict[str, Any]:
    """One line of the transcript: `{seq, role, key, text, buttons, at}`, with `author` where a person wrote it."""
    view: dict[str, Any] = {
        "seq": message.seq,
        "role": message.role,
        "key": message.key,
        "text": message.text,
        "buttons": message.buttons,
        "at": message.at.isoformat(),
    }
    return {**view, "author": message.author} if message.author else view


def redacted_view(view: dict[str, Any], veil: Callable[[str], str]) -> dict[str, Any]:
    """A line as somebody is shown it who reads through a veil."""
    buttons = [{**button, "label": veil(str(button["label"]))} for button in view["buttons"]]
    return {**view, "text": veil(view["text"]), "buttons": buttons}


def redacted_record(value: Any, veil: Callable[[str], str]) -> Any:
    """Plain data with every text in it as it is read through a veil: a record quotes what was said."""
    match value:
        case str():
            return veil(value)
        case dict():
            return {name: redacted_record(item, veil) for name, item in value.items()}
        case list():
            return [redacted_record(item, veil) for item in value]
        case _:
            return value


def messages_of(turn: Turn) -> list[dict[str, Any]]:
    """What a turn said, in its order."""
    return [message_view(row) for row in hot_path.fetch(Message, {"turn": turn.pk}, "ORDER BY ordinal")]


def conversation_view(conversation: Conversation, *, insight: bool, unmasked: bool = False) -> dict[str, Any]:
    """`{id, state, explicit, stack, pending, release}`; `unmasked` for who may see sensitive values now.

    The end user's has neither explicit state nor stack nor release.
    """
    pending = pending_view(conversation.pk, insight=insight)
    view = {"id": str(conversation.pk), "state": conversation.state, "pending": pending}
    if not insight:
        return view
    stack = stack_view(conversation.stack, unmasked=unmasked)
    explicit = explicit_states([conversation])[conversation.pk]
    return {**view, "explicit": explicit, "stack": stack, "release": conversation.release.number}


def explicit_states(conversations: Sequence[Conversation]) -> dict[UUID, str]:
    """The explicit dialogue state of each: `executing_action` while an action runs, else as the last turn left it."""
    begun = ActionRun.objects.filter(
        conversation__in=conversations,
        conversation__lease_until__gt=clock.sql_now(),
        epoch=F("conversation__epoch"),
        state__in=(ActionRun.State.INTENDED, ActionRun.State.RUNNING),
    )
    executing = set(begun.values_list("conversation_id", flat=True))
    return {row.pk: EXECUTING_ACTION if row.pk in executing else row.explicit for row in conversations}


def stack_view(stack: Iterable[dict[str, Any]], *, unmasked: bool = False) -> list[dict[str, Any]]:
    """Bottom to top: `{flow, step, awaiting, status, slots: {name: value}}`."""
    return [
        {
            "flow": entry["flow"],
            "step": entry["step"],
            "awaiting": entry["awaiting"],
            "status": entry["status"],
            "slots": {name: _slot_value(slot, unmasked=unmasked) for name, slot in entry["slots"].items()},
        }
        for entry in stack
    ]


def turn_view(turn: Turn, *, insight: bool) -> dict[str, Any]:
    """Where the conversation stood when this turn was over, whatever has happened since: `{state, stack, pending}`."""
    known = HITLSession.objects.filter(conversation=turn.conversation_id, opened_at__lte=turn.finished_at)
    undecided = Q(decided_at__isnull=True) | Q(decided_at__gt=turn.finished_at)
    sessions = known.filter(undecided).order_by("number")
    if not insight:
        return state_view(turn, sessions)
    pending = [
        {**view, "state": HITLSession.State.OPEN} if view["state"] in HITLSession.FINAL else view
        for view in map(_session_view, sessions)
    ]
    return {"state": turn.state, "stack": stack_view(turn.stack), "pending": pending}


def state_view(turn: Turn, pending: Iterable[HITLSession]) -> dict[str, Any]:
    """`{state, pending}` for the end user, of a turn whose pending sessions are known."""
    sessions = sorted(pending, key=lambda row: row.number)
    return {"state": turn.state, "pending": [_wait_view(row) for row in sessions]}


def pending_view(conversation: UUID, *, insight: bool) -> list[dict[str, Any]]:
    """The undecided sessions of a conversation, in short."""
    rows = hot_path.fetch(HITLSession, {"conversation": conversation}, _UNDECIDED)
    return [_session_view(row) if insight else _wait_view(row) for row in rows]


def _wait_view(row: HITLSession) -> dict[str, Any]:
    """What its customer may know of a session: that it waits, for an answer of which kind, and whose; of a question
    to the customer also what its step carries for programs."""
    view = {"session": row.name, "kind": row.kind, "audience": row.audience}
    shows_metadata = row.metadata and row.audience == HITLSession.Audience.USER
    return {**view, "metadata": row.metadata} if shows_metadata else view


def _session_view(row: HITLSession) -> dict[str, Any]:
    return {
        **_wait_view(row),
        "flow": row.flow,
        "step": row.step,
        "title": listed_title(row),
        "state": row.state,
        "version": row.version,
        "expires_at": row.expires_at.isoformat() if row.expires_at else None,
        **({"metadata": row.metadata} if row.metadata else {}),
    }


def _slot_value(slot: dict[str, Any], *, unmasked: bool) -> Any:
    return MASK if slot.get("sensitive") and not unmasked else slot["value"]
