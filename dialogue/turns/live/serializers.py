"""Serialise conversations, turns, messages and sessions for the API and sockets, with sensitive values masked.

There are two kinds of views. With `insight`, for staff, they contain the stack with its slots and the pending sessions
in full. Without it, for the end user, they contain the state and the kinds of pending sessions only: a customer learns
the value of a slot from a flow's messages and in no other way.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, Q

from dialogue.engine.ports.message_parts import redacted_parts
from dialogue.models import ActionRun, Conversation, HITLSession, Message, Turn, hot_path
from dialogue.turns import clock

EXECUTING_ACTION = "executing_action"
"""The explicit state of a conversation while an action runs; it is read from the ledger of actions."""

COLLECT = "collect"
"""The kind of a session in which the user is asked for a value."""
MASK = "••••"
MIN_VALUE_CHARACTERS = 3
"""Shorter values are not masked: they would hit parts of ordinary words."""
SEPARATORS = r"[\s.\-/]*"
"""What people put between the characters of a long number."""

_UNDECIDED = "AND state IN ('open', 'claimed') ORDER BY number"
# Part of the statement that reads the sessions, so that a reply with a question costs no further one.
_BUTTONS_OF_QUESTION = f"""CASE WHEN kind = '{COLLECT}' THEN (
    SELECT CASE WHEN substr(line."key", 1, 4) IN ('ask', 'ask:') THEN CAST(line.buttons AS text) END
    FROM dialogue_message line WHERE line.conversation_id = dialogue_hitlsession.conversation_id
    ORDER BY line.seq DESC LIMIT 1) END"""
"""The buttons of the conversation's last line as JSON, if it asks for a value."""


def redactor_for_values(values: Iterable[str], mask: str = MASK) -> Callable[[str], str]:
    """Return a function that masks these values in a text, also when they are spaced or in another case."""
    texts = {re.sub(SEPARATORS, "", value) for value in values}
    longest_first = sorted((value for value in texts if len(value) >= MIN_VALUE_CHARACTERS), key=len, reverse=True)
    # A value may contain a shorter one, and an alternation takes the first that fits.
    if not longest_first:
        return lambda text: text
    pattern = re.compile("|".join(SEPARATORS.join(map(re.escape, value)) for value in longest_first), re.IGNORECASE)
    return lambda text: pattern.sub(lambda _found: mask, text)


def sensitive_texts(slots: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield the values of the sensitive slots among stored slots, as they are stored and as they are displayed."""
    for slot in slots:
        if slot.get("sensitive"):
            yield from (str(slot[part]) for part in ("value", "shown") if slot.get(part))
        yield from slot.get("masked", {}).get("texts", ())


def listed_title(session: HITLSession, title: str | None = None) -> str:
    """Return a session's title for lists, mails and notices, with the sensitive values in its row masked.

    `title` in another language than the stored one: see `dialogue.turns.live.titles`.
    """
    redactor = redactor_for_values([*sensitive_texts(session.shown), *answered_in_secret(session)])
    return redactor(session.title if title is None else title)


def answered_in_secret(session: HITLSession) -> Iterator[str]:
    """Yield the sensitive values of a session's answer."""
    fields = session.schema.get("properties", {}) if session.values else {}
    for name, value in session.values.items():
        yield from _secret_texts(fields.get(name, {}), value)


def _secret_texts(field: dict[str, Any], value: Any) -> Iterator[str]:
    """Yield the sensitive values in the answer to a form's field: the whole, or those inside a record."""
    if value is None:
        return
    if field.get("x-slot", {}).get("sensitive"):
        yield str(value)
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _secret_texts(field.get("properties", {}).get(name, {}), part)
    elif isinstance(value, list):
        for item in value:
            yield from _secret_texts(field.get("items", {}), item)


def message_view(message: Message) -> dict[str, Any]:
    """Return a line of the transcript: `{seq, role, key, text, buttons, at}`, with `author` if a person wrote it.

    A line that shows more than text has `parts` too (see `dialogue.engine.ports.message_parts`).
    """
    view: dict[str, Any] = {
        "seq": message.seq,
        "role": message.role,
        "key": message.key,
        "text": message.text,
        "buttons": message.buttons,
        "at": message.at.isoformat(),
    }
    if message.parts:
        view["parts"] = message.parts
    return {**view, "author": message.author} if message.author else view


def redacted_view(view: dict[str, Any], redactor: Callable[[str], str]) -> dict[str, Any]:
    """Return a `message_view` with its text, its parts and the labels of its buttons redacted."""
    buttons = [{**button, "label": redactor(str(button["label"]))} for button in view["buttons"]]
    parts = {"parts": redacted_parts(view["parts"], redactor)} if "parts" in view else {}
    return {**view, "text": redactor(view["text"]), "buttons": buttons, **parts}


def redacted_record(value: Any, redactor: Callable[[str], str]) -> Any:
    """Return JSON data with every text in it redacted; a turn's record quotes messages."""
    match value:
        case str():
            return redactor(value)
        case dict():
            return {name: redacted_record(item, redactor) for name, item in value.items()}
        case list():
            return [redacted_record(item, redactor) for item in value]
        case _:
            return value


def messages_of(turn: Turn) -> list[dict[str, Any]]:
    """Return the lines of a turn as `message_view`s, in their order."""
    return [message_view(row) for row in hot_path.fetch(Message, {"turn": turn.pk}, "ORDER BY ordinal")]


def conversation_view(conversation: Conversation, *, insight: bool, unmasked: bool = False) -> dict[str, Any]:
    """Return `{id, state, pending}`, and with `insight` also `{explicit, stack, release}`.

    `unmasked`: the reader may see sensitive values now.
    """
    pending = pending_view(conversation.pk, insight=insight)
    view = {"id": str(conversation.pk), "state": conversation.state, "pending": pending}
    if not insight:
        return view
    stack = stack_view(conversation.stack, unmasked=unmasked)
    explicit = explicit_states([conversation])[conversation.pk]
    return {**view, "explicit": explicit, "stack": stack, "release": conversation.release.number}


def explicit_states(conversations: Sequence[Conversation]) -> dict[UUID, str]:
    """Return explicit states by conversation: `executing_action` while an action runs, else the last turn's."""
    begun = ActionRun.objects.filter(
        conversation__in=conversations,
        conversation__lease_until__gt=clock.sql_now(),
        epoch=F("conversation__epoch"),
        state__in=(ActionRun.State.INTENDED, ActionRun.State.RUNNING),
    )
    executing = set(begun.values_list("conversation_id", flat=True))
    return {row.pk: EXECUTING_ACTION if row.pk in executing else row.explicit for row in conversations}


def stack_view(stack: Iterable[dict[str, Any]], *, unmasked: bool = False) -> list[dict[str, Any]]:
    """Return the frames, bottom to top: `{flow, step, awaiting, status, slots: {name: value}}`.

    A frame that waits for a time or an event has `waits: {event, until, reminder}` too, with moments in ISO 8601.
    """
    return [
        {
            "flow": entry["flow"],
            "step": entry["step"],
            "awaiting": entry["awaiting"],
            "status": entry["status"],
            "slots": {name: slot["value"] if unmasked else masked_value(slot) for name, slot in entry["slots"].items()},
            **({"waits": entry["waits"]} if "waits" in entry else {}),
        }
        for entry in stack
    ]


def masked_value(slot: dict[str, Any]) -> Any:
    """Return a stored slot's value with a mask in the place of what is sensitive in it."""
    return MASK if slot.get("sensitive") else slot.get("masked", slot)["value"]


def turn_view(turn: Turn, *, insight: bool) -> dict[str, Any]:
    """Return the state at the end of this turn: `{state, pending}`, and with `insight` also `stack`."""
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
    """Return `{state, pending}` for the end user, of a turn whose pending sessions are known."""
    sessions = sorted(pending, key=lambda row: row.number)
    return {"state": turn.state, "pending": [_wait_view(row) for row in sessions]}


def pending_view(conversation: UUID, *, insight: bool) -> list[dict[str, Any]]:
    """Return a conversation's undecided sessions: `{session, kind, audience}`, and more with `insight`.

    What staff decide has `opened_at` and `expires_at` too. For the end user, a question for a value has the `choices`
    that its buttons show: `[{value, label}]`.
    """
    own = {"conversation": conversation}
    if insight:
        return [_session_view(row) for row in hot_path.fetch(HITLSession, own, _UNDECIDED)]
    rows = hot_path.fetch_with_expression(HITLSession, own, _UNDECIDED, _BUTTONS_OF_QUESTION)
    views = [_wait_view(row) for row, _buttons in rows]
    question = next((at for at, (row, _buttons) in enumerate(rows) if row.kind == COLLECT), None)
    if question is not None and (choices := json.loads(rows[question][1] or "[]")):
        views[question]["choices"] = choices
    return views


def _wait_view(row: HITLSession) -> dict[str, Any]:
    """Return what a customer may know of a session: `{session, kind, audience}`.

    A question has its `metadata` too. What staff decide has `opened_at` and `expires_at`, when it goes on without them.
    """
    view = {"session": row.name, "kind": row.kind, "audience": row.audience}
    if row.audience == HITLSession.Audience.USER:
        return {**view, "metadata": row.metadata} if row.metadata else view
    return {**view, "opened_at": row.opened_at.isoformat(), "expires_at": _moment(row.expires_at)}


def _session_view(row: HITLSession) -> dict[str, Any]:
    return {
        **_wait_view(row),
        "flow": row.flow,
        "step": row.step,
        "title": listed_title(row),
        "state": row.state,
        "version": row.version,
        "expires_at": _moment(row.expires_at),
        **({"metadata": row.metadata} if row.metadata else {}),
    }


def _moment(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
