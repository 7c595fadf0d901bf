"""The events of webhooks as JSON: what happened, to what, when.

Sensitive values are masked as auditors see them. The texts of messages and answers, titles, customers and values go out
only to endpoints whose owner asked for texts. docs/webhooks.md describes each body.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from dialogue.desk.sessions.serializers import decision_json, session_summary
from dialogue.models import AuditEntry, Conversation, Event, HITLSession, InboxEvent, Message, WebhookEvent
from dialogue.turns.live.serializers import MASK, message_view, redacted_view

Plain = dict[str, Any]
Source = WebhookEvent.Source

DECISIONS = frozenset({"submitted", "expired", "cancelled"})
"""The changes of a session that are events of the kind `decision`."""
INCIDENT_TYPES = {
    "turn.failed": "incident.turn_failed",
    "session.orphaned": "incident.decision_orphaned",
    "request.incident": "incident.answer_undelivered",
    "link.incident": "incident.mail_undelivered",
    "channel.incident": "incident.line_undelivered",
}
TEST = "webhook.test"
_SESSION_KEYS = (
    "state",
    "delivery",
    "version",
    "kind",
    "flow",
    "step",
    "group",
    "queue",
    "priority",
    "opened_at",
    "due_at",
    "expires_at",
)


@dataclass(frozen=True)
class EventBody:
    """An event in words of JSON. `kind` is the field of `WebhookEndpoint` that asks for it.

    `facts` go to every endpoint that wants the kind, `texts` to those that want texts too.
    """

    type: str
    kind: str
    at: datetime
    conversation: Conversation
    facts: Plain
    texts: Plain = field(default_factory=dict)

    def data(self, *, with_texts: bool) -> Plain:
        """The event's data for an endpoint."""
        own = {"conversation": str(self.conversation.pk), "assistant": self.conversation.assistant.name}
        return {**own, **self.facts, **(self.texts if with_texts else {})}


def event_bodies(events: Sequence[WebhookEvent]) -> list[EventBody]:
    """Return the bodies of events, in their order. What is gone meanwhile, or belongs to a test, is left out.

    Reads each kind of row with one query, however many events.
    """
    messages = _rows_of(events, Source.MESSAGE, Message)
    inbox = _rows_of(events, Source.INBOX, InboxEvent)
    entries = _rows_of(events, Source.AUDIT, AuditEntry)
    numbers = {event.session_id for event in inbox.values()}
    sessions = {row.pk: row for row in _sessions().filter(pk__in=numbers)} if numbers else {}
    keys = {event.conversation_id for event in events if event.conversation_id}
    keys |= {session.conversation_id for session in sessions.values()}
    readers = _Readers(messages, inbox, entries, sessions, _conversations(keys), _understood(messages.values()))
    return [body for body in map(readers.body_of, events) if body is not None]


def _rows_of(events: Iterable[WebhookEvent], source: str, model: Any) -> dict[int, Any]:
    numbers = [event.row for event in events if event.source == source]
    return model.objects.in_bulk(numbers) if numbers else {}


def _sessions() -> Any:
    staff = HITLSession.objects.filter(audience=HITLSession.Audience.STAFF)
    return staff.select_related("group", "assignee", "decided_by", "conversation__user", "release").prefetch_related(
        "tags"
    )


def _conversations(keys: Iterable[UUID]) -> dict[UUID, Conversation]:
    rows = Conversation.objects.filter(pk__in=keys, test=False, erased_at=None)
    return {row.pk: row for row in rows.select_related("assistant", "release", "user")}


def _understood(messages: Iterable[Message]) -> set[int]:
    """The numbers of the customers' messages that were understood, so that sensitive values in them are known."""
    numbers = [message.pk for message in messages if message.role == Message.Role.USER]
    if not numbers:
        return set()
    events = Event.objects.filter(message__in=numbers).exclude(understanding=None)
    return set(events.values_list("message_id", flat=True))


@dataclass
class _Readers:
    messages: Mapping[int, Message]
    inbox: Mapping[int, InboxEvent]
    entries: Mapping[int, AuditEntry]
    sessions: Mapping[int, HITLSession]
    conversations: Mapping[UUID, Conversation]
    understood: set[int]
    redactors: dict[UUID, Callable[[str], str]] | None = None

    def body_of(self, event: WebhookEvent) -> EventBody | None:
        match event.source:
            case Source.MESSAGE:
                return self._message(event)
            case Source.INBOX:
                return self._session(event)
            case Source.AUDIT:
                return self._incident(event)
            case _:
                return self._conversation(event)

    def _conversation(self, event: WebhookEvent) -> EventBody | None:
        row = self.conversations.get(event.conversation_id) if event.conversation_id else None
        if row is None:
            return None
        facts = {"channel": row.channel, "language": row.language, "release": row.release.number, "state": row.state}
        if event.source == Source.ENDED:
            facts["outcome"] = row.outcome
        return EventBody(
            f"conversation.{event.source}", "conversations", event.at, row, facts, {"customer": row.customer}
        )

    def _message(self, event: WebhookEvent) -> EventBody | None:
        message = self.messages.get(event.row)
        row = self.conversations.get(message.conversation_id) if message else None
        if message is None or row is None:
            return None
        view = redacted_view(message_view(message), self._redactor(message))
        facts = {"number": view["seq"], "role": view["role"], "key": view["key"]}
        texts: Plain = {name: view[name] for name in ("text", "buttons", "parts", "author") if name in view}
        return EventBody("message.created", "messages", event.at, row, facts, texts)

    def _session(self, event: WebhookEvent) -> EventBody | None:
        change = self.inbox.get(event.row)
        session = self.sessions.get(change.session_id) if change else None
        row = self.conversations.get(session.conversation_id) if session else None
        if change is None or session is None or row is None:
            return None
        session.conversation = row
        summary = session_summary(session)
        facts = {"session": session.name, **{name: summary[name] for name in _SESSION_KEYS}}
        texts = {name: summary[name] for name in ("title", "customer", "assignee")}
        is_decision = change.kind in DECISIONS
        if is_decision:
            _add_decision(facts, texts, decision_json(session, self._redactor_of(row)))
        kind = "decision" if is_decision else "session"
        return EventBody(f"{kind}.{change.kind}", f"{kind}s", event.at, row, facts, texts)

    def _incident(self, event: WebhookEvent) -> EventBody | None:
        entry = self.entries.get(event.row)
        row = self.conversations.get(event.conversation_id) if event.conversation_id else None
        if entry is None or row is None:
            return None
        facts = {"subject": entry.subject, "facts": entry.facts}
        return EventBody(INCIDENT_TYPES[entry.act], "incidents", event.at, row, facts)

    def _redactor(self, message: Message) -> Callable[[str], str]:
        """The redactor of a message; one of a customer that was never understood may hold anything, and is masked."""
        if message.role == Message.Role.USER and message.pk not in self.understood:
            return lambda text: MASK if text else text
        return self._redactor_of(self.conversations[message.conversation_id])

    def _redactor_of(self, row: Conversation) -> Callable[[str], str]:
        if self.redactors is None:
            from dialogue.turns.live.redaction import redactors_of  # the engine is loaded when something is masked

            self.redactors = redactors_of(self.conversations.values())
        return self.redactors[row.pk]


def _add_decision(facts: Plain, texts: Plain, decision: Plain | None) -> None:
    if decision is not None:
        facts["decision"] = {name: decision[name] for name in ("action", "at", "through")}
        texts["decision"] = decision
