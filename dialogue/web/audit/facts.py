"""The recorded facts of an audit entry, and its personal text, as a table in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dialogue.desk.forms.deadlines import full_moment_text
from dialogue.engine.language.compiler import Assistant
from dialogue.engine.slots.definitions.labels import words_of_name
from dialogue.turns.live.flow_words import flow_title, step_title
from dialogue.web.audit.words import channel_text

FACT_TITLES: dict[str, str | Promise] = {
    "account": gettext_lazy("Account"),
    "action": gettext_lazy("Answer"),
    "added": gettext_lazy("Added"),
    "address": gettext_lazy("Address"),
    "assistant": gettext_lazy("Assistant"),
    "attempt": gettext_lazy("Attempt"),
    "attempts": gettext_lazy("Attempts"),
    "before": gettext_lazy("Release before"),
    "by": gettext_lazy("Act"),
    "cause": gettext_lazy("Cause"),
    "changed": gettext_lazy("Changed values"),
    "channel": gettext_lazy("Channel"),
    "characters": gettext_lazy("Characters"),
    "delivery": gettext_lazy("Delivery"),
    "dialect": gettext_lazy("Format of the request"),
    "document": gettext_lazy("Document"),
    "ends": gettext_lazy("Ends"),
    "error": gettext_lazy("Error"),
    "event": gettext_lazy("Event"),
    "filters": gettext_lazy("Filters"),
    "flow": gettext_lazy("Flow"),
    "fork": gettext_lazy("Test conversation"),
    "format": gettext_lazy("Format"),
    "holder": gettext_lazy("Claimed by"),
    "host": gettext_lazy("Host"),
    "how": gettext_lazy("How it ended"),
    "kinds": gettext_lazy("Events"),
    "limit": gettext_lazy("Limit"),
    "line": gettext_lazy("Line"),
    "link": gettext_lazy("Mail link"),
    "lost": gettext_lazy("Values that were lost"),
    "messages": gettext_lazy("Lines of the assistant"),
    "minutes": gettext_lazy("Minutes"),
    "model": gettext_lazy("Kind of row"),
    "next": gettext_lazy("Gate that asks again"),
    "note": gettext_lazy("Note"),
    "of": gettext_lazy("Key of the limit"),
    "origin": gettext_lazy("Site"),
    "other": gettext_lazy("Program before"),
    "priority": gettext_lazy("Priority"),
    "program": gettext_lazy("Program"),
    "reason": gettext_lazy("Reason"),
    "reference": gettext_lazy("Reference"),
    "release": gettext_lazy("Release"),
    "removed": gettext_lazy("Removed"),
    "request": gettext_lazy("Request"),
    "role": gettext_lazy("Role"),
    "roles": gettext_lazy("Roles"),
    "row": gettext_lazy("Row"),
    "rows": gettext_lazy("Deleted rows"),
    "scenario": gettext_lazy("Scenario"),
    "scopes": gettext_lazy("May do"),
    "secret": gettext_lazy("Secret"),
    "sha256": gettext_lazy("SHA-256"),
    "shared": gettext_lazy("For everybody"),
    "slots": gettext_lazy("Slots"),
    "stack": gettext_lazy("What was awaited"),
    "step": gettext_lazy("Step"),
    "stored": gettext_lazy("Stored"),
    "tags": gettext_lazy("Tags"),
    "text": gettext_lazy("Text"),
    "texts": gettext_lazy("With texts"),
    "through": gettext_lazy("Through"),
    "title": gettext_lazy("Title"),
    "token": gettext_lazy("API token"),
    "turn": gettext_lazy("Turn"),
    "until": gettext_lazy("Until"),
    "user": gettext_lazy("Account"),
    "values": gettext_lazy("Values"),
    "version": gettext_lazy("Version"),
    "waiting": gettext_lazy("Deliveries that waited"),
}
"""What each key of `AuditEntry.facts` and `AuditDetail.text` says; exports have the keys."""

EMPTY = "–"
"""How a fact without a value is shown."""

_MOMENTS = frozenset({"ends", "until"})
"""The facts that are moments, stored in ISO 8601."""


@dataclass(frozen=True)
class FactRow:
    """One fact: its title, and its value as text. `is_key`: the title is the stored key, as no words are known."""

    title: str
    value: str
    is_key: bool
    is_hash: bool


def fact_rows(
    facts: Mapping[str, Any], people: Mapping[int, str] | None = None, definition: Assistant | None = None
) -> list[FactRow]:
    """Return the facts by title. `people` has the names of accounts by their numbers, `definition` those of flows."""
    words = {**facts, **_place_words(facts, definition)}
    rows = [
        FactRow(
            title=str(FACT_TITLES.get(key, key)),
            value=_value_text(key, value, people or {}),
            is_key=key not in FACT_TITLES,
            is_hash=key == "sha256",
        )
        for key, value in words.items()
    ]
    return sorted(rows, key=lambda row: row.title.casefold())


def _place_words(facts: Mapping[str, Any], definition: Assistant | None) -> dict[str, str]:
    """The facts that name a flow and its step, in words."""
    flow, step = (str(facts.get(key) or "") for key in ("flow", "step"))
    words = {"flow": flow_title(flow, definition), "step": step_title(flow, step, definition)}
    return {key: text for key, text in words.items() if text}


def account_number(facts: Mapping[str, Any]) -> int | None:
    """The number of the account that an entry is about, such as the owner of a token; None where it is none's."""
    number = facts.get("user")
    return number if isinstance(number, int) else None


def _value_text(key: str, value: Any, people: Mapping[int, str]) -> str:
    if key == "through":
        return channel_text(str(value))
    if key in _MOMENTS and isinstance(value, str) and value:
        return full_moment_text(datetime.fromisoformat(value))
    if key == "user" and isinstance(value, int):
        return people.get(value) or _("account %s") % value
    if key == "scopes" and value is None:
        return _("all that the account may do")
    return _plain_text(value)


def _plain_text(value: Any) -> str:
    """A recorded value for people: `daily limit: 900, reason: Known` for {"daily_limit": 900, "reason": "Known"}."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, dict):
        return ", ".join(f"{words_of_name(name)}: {_plain_text(entry)}" for name, entry in value.items()) or EMPTY
    if isinstance(value, list):
        return ", ".join(map(_plain_text, value)) or EMPTY
    return EMPTY if value in (None, "") else str(value)
