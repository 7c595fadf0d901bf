"""Triggers that write the events of webhooks: in the transaction that they are about, and without a further statement.

A row for `dialogue_webhookevent` is written where an endpoint exists that wants its kind; otherwise a trigger costs a
look into a table that is nearly always empty. Thus no event is lost, none tells of what was rolled back, and no code
that writes a message or changes a session can forget to tell.
"""

from dataclasses import dataclass

from dialogue.audit.triggers import InstallTriggers, Triggers

INCIDENTS = ("turn.failed", "session.orphaned", "request.incident", "link.incident", "channel.incident")
"""The acts that tell of an incident; all are in the chains of conversations."""

_INCIDENT_ACTS = ", ".join(f"'{act}'" for act in INCIDENTS)


@dataclass(frozen=True)
class EventTrigger:
    """One trigger: when it writes an event (`event` on `table`, `condition`), for which endpoints, and what."""

    name: str
    table: str
    event: str
    condition: str
    wanted: str
    source: str
    conversation: str
    row: str
    at: str


_CHAIN = {"sqlite": "replace(NEW.chain, '-', '')", "postgresql": "NEW.chain::uuid"}


def _triggers(vendor: str) -> tuple[EventTrigger, ...]:
    ended = "OLD.state <> NEW.state AND NEW.state IN ('done', 'cancelled') AND NEW.erased_at IS NULL"
    incident = f"NEW.act IN ({_INCIDENT_ACTS})"
    real = "NOT NEW.test"
    return (
        EventTrigger(
            "opened",
            "dialogue_conversation",
            "INSERT",
            real,
            "conversations",
            "opened",
            "NEW.id",
            "0",
            "NEW.created_at",
        ),
        EventTrigger(
            "ended",
            "dialogue_conversation",
            "UPDATE OF state",
            f"{ended} AND {real}",
            "conversations",
            "ended",
            "NEW.id",
            "0",
            "NEW.active_at",
        ),
        EventTrigger(
            "message",
            "dialogue_message",
            "INSERT",
            "",
            "messages",
            "message",
            "NEW.conversation_id",
            "NEW.id",
            "NEW.at",
        ),
        EventTrigger(
            "inbox", "dialogue_inboxevent", "INSERT", "", "sessions OR decisions", "inbox", "NULL", "NEW.id", "NEW.at"
        ),
        EventTrigger(
            "audit", "dialogue_auditentry", "INSERT", incident, "incidents", "audit", _CHAIN[vendor], "NEW.id", "NEW.at"
        ),
    )


def _installation(vendor: str) -> list[str]:
    return [statement for trigger in _triggers(vendor) for statement in _STATEMENTS[vendor](trigger)]


def _removal(vendor: str) -> list[str]:
    return [_drop(vendor, trigger) for trigger in _triggers(vendor)]


EVENT_TRIGGERS = Triggers(
    "webhooks", frozenset({"dialogue_webhookendpoint", "dialogue_webhookevent"}), _installation, _removal
)


class EventTriggers(InstallTriggers):
    """Install the triggers of webhooks."""

    triggers = EVENT_TRIGGERS


def _insert(trigger: EventTrigger) -> str:
    return (
        'INSERT INTO dialogue_webhookevent (source, conversation_id, "row", at) '
        f"VALUES ('{trigger.source}', {trigger.conversation}, {trigger.row}, {trigger.at});"
    )


def _is_wanted(trigger: EventTrigger) -> str:
    return f"EXISTS (SELECT 1 FROM dialogue_webhookendpoint WHERE {trigger.wanted})"


def _name(trigger: EventTrigger) -> str:
    return f"webhook_event_{trigger.name}"


def _drop(vendor: str, trigger: EventTrigger) -> str:
    table = f" ON {trigger.table}" if vendor == "postgresql" else ""
    return f"DROP TRIGGER IF EXISTS {_name(trigger)}{table}"


def _sqlite(trigger: EventTrigger) -> tuple[str, ...]:
    condition = " AND ".join(filter(None, (trigger.condition, _is_wanted(trigger))))
    return (
        _drop("sqlite", trigger),
        f"CREATE TRIGGER {_name(trigger)} AFTER {trigger.event} ON {trigger.table} FOR EACH ROW "
        f"WHEN {condition} BEGIN {_insert(trigger)} END",
    )


def _postgresql(trigger: EventTrigger) -> tuple[str, ...]:
    """PostgreSQL allows no subquery in a trigger's condition, so the function asks for endpoints."""
    name = _name(trigger)
    condition = f"WHEN ({trigger.condition}) " if trigger.condition else ""
    body = f"BEGIN IF {_is_wanted(trigger)} THEN {_insert(trigger)} END IF; RETURN NULL; END"
    return (
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ {body} $$",
        _drop("postgresql", trigger),
        f"CREATE TRIGGER {name} AFTER {trigger.event} ON {trigger.table} FOR EACH ROW "
        f"{condition}EXECUTE FUNCTION {name}()",
    )


_STATEMENTS = {"sqlite": _sqlite, "postgresql": _postgresql}
