"""Events: what the host feeds in, as plain JSON with a `kind` and an `id` that is never used again."""

from typing import Any, TypeAlias

Event: TypeAlias = dict[str, Any]
"""`{"kind": …, "id": …, …}` as one of the functions below makes it."""

KINDS = frozenset(
    {
        "message", "choice", "decision", "expiry", "cancel", "say", "slots", "hand_back", "timeout", "timer", "signal",
        "start", "notify", "file",
    }
)  # fmt: skip


class EventRefused(ValueError):
    """A dict is not an event that a conversation can process."""


def check_event(event: Event) -> Event:
    """Return the event. Raises EventRefused when it has no id or its kind is unknown."""
    if event.get("kind") not in KINDS or not event.get("id"):
        raise EventRefused(f"An event needs an id and one of the kinds {', '.join(sorted(KINDS))}.")
    return event


def message(event_id: str, text: str) -> Event:
    """The user wrote something."""
    return {"kind": "message", "id": event_id, "text": text}


def file(event_id: str, files: list[dict[str, Any]]) -> Event:
    """The user sent files, each `{id, name, kind, size, digest}` as the host stored it."""
    return {"kind": "file", "id": event_id, "files": files}


def choice(event_id: str, value: str) -> Event:
    """The user pressed a button, or named it by value or label."""
    return {"kind": "choice", "id": event_id, "value": value}


def decision(event_id: str, session: str, task: str) -> Event:
    """Staff decided the session. `task` is the key of the pause."""
    return {"kind": "decision", "id": event_id, "session": session, "task": task}


def expiry(event_id: str, session: str, task: str) -> Event:
    """The session's time limit passed."""
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
    """The conversation was idle longer than its assistant allows."""
    return {"kind": "timeout", "id": event_id}


def timer(event_id: str, task: str, name: str) -> Event:
    """A timer that the engine asked for is due; `task` is the key of its pause, `name` the timer's."""
    return {"kind": "timer", "id": event_id, "task": task, "timer": name}


def signal(event_id: str, name: str, payload: dict[str, Any]) -> Event:
    """Another program reports an event that the assistant declares under `events`."""
    return {"kind": "signal", "id": event_id, "event": name, "payload": payload}


def start(event_id: str, flow: str, slots: dict[str, Any], by: str) -> Event:
    """The business begins a flow, with values for its slots."""
    return {"kind": "start", "id": event_id, "flow": flow, "slots": slots, "by": by}


def notify(event_id: str, text: str, by: str) -> Event:
    """The business writes to the customer."""
    return {"kind": "notify", "id": event_id, "text": text, "by": by}
