"""What the host feeds in: plain JSON, each with a `kind` and an `id` that names it once and for all."""

from typing import Any, TypeAlias

Event: TypeAlias = dict[str, Any]
"""`{"kind": …, "id": …, …}` as one of the functions below makes it."""

KINDS = frozenset(
    {"message", "choice", "decision", "expiry", "cancel", "say", "slots", "hand_back", "timeout"}
)  # fmt: skip


class EventRefused(ValueError):
    """This is no event that a conversation can take."""


def check_event(event: Event) -> Event:
    """The event, if its kind is known and it has an id; raises EventRefused."""
    if event.get("kind") not in KINDS or not event.get("id"):
        raise EventRefused(f"An event needs an id and one of the kinds {', '.join(sorted(KINDS))}")
    return event


def message(event_id: str, text: str) -> Event:
    """The user wrote something."""
    return {"kind": "message", "id": event_id, "text": text}


def choice(event_id: str, value: str) -> Event:
    """The user pressed a button, or named it by value or label."""
    return {"kind": "choice", "id": event_id, "value": value}


def decision(event_id: str, session: str, task: str) -> Event:
    """Staff decided the session; `task` is the key of the pause."""
    return {"kind": "decision", "id": event_id, "session": session, "task": task}


def expiry(event_id: str, session: str, task: str) -> Event:
    """The session's time was over."""
    return {"kind": "expiry", "id": event_id, "session": session, "task": task}


def cancel(event_id: str, reason: str, task: str = "") -> Event:
    """Staff ended the conversation, or, with a task, the flow that waits there."""
    return {"kind": "cancel", "id": event_id, "reason": reason, "task": task}


def say(event_id: str, text: str, by: str) -> Event:
    """An operator wrote to the user."""
    return {"kind": "say", "id": event_id, "text": text, "by": by}


def slots(event_id: str, values: dict[str, Any], by: str) -> Event:
    """An operator who has the chat set slots."""
    return {"kind": "slots", "id": event_id, "values": values, "by": by}


def hand_back(event_id: str, by: str) -> Event:
    """The person who had the chat gives it back."""
    return {"kind": "hand_back", "id": event_id, "by": by}


def timeout(event_id: str) -> Event:
    """The conversation was left alone longer than its assistant allows."""
    return {"kind": "timeout", "id": event_id}
