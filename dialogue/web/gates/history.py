"""A gate's history in words: who did what to it, and what was refused."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dialogue.desk.access.people import Person


@dataclass(frozen=True)
class Deed:
    """One line of the history."""

    at: datetime | None
    text: str
    refused: bool


def deeds_of(lines: list[dict[str, Any]], person: Person) -> list[Deed]:
    """Lines of a session's history in words."""
    return [_deed(line, person) for line in lines]


def _deed(line: dict[str, Any], person: Person) -> Deed:
    who = _("You") if line["by"] == person.name else line["by"]
    done = str(_DONE.get(line["act"].removeprefix("session."), line["act"]))
    text = _("%(who)s: %(done)s") % {"who": who, "done": done} if who not in ("", "engine", "clock") else done
    if line["refused"]:
        text = _("%(who)s: refused, %(why)s") % {"who": who, "why": line["text"]}
    elif line["text"]:
        text = f"{text}, “{line['text']}”"
    return Deed(parse_datetime(line["at"]), text, line["refused"])


_DONE = {
    "opened": gettext_lazy("Asked"),
    "claim": gettext_lazy("claimed it"),
    "release": gettext_lazy("gave it back"),
    "claim_returned": gettext_lazy("Claim ran out"),
    "take_over": gettext_lazy("took it over"),
    "save_draft": gettext_lazy("saved a draft"),
    "snooze": gettext_lazy("snoozed it"),
    "unsnooze": gettext_lazy("put it back into the queue"),
    "extend": gettext_lazy("moved the deadline"),
    "submit": gettext_lazy("decided"),
    "agree": gettext_lazy("agreed"),
    "expire": gettext_lazy("let it expire"),
    "cancel": gettext_lazy("withdrew it"),
    "cancelled": gettext_lazy("Withdrawn"),
    "note": gettext_lazy("wrote a note"),
    "prioritise": gettext_lazy("changed the priority"),
    "tag": gettext_lazy("changed the tags"),
    "escalated": gettext_lazy("Waited too long: another role may act too"),
    "undecided": gettext_lazy("cannot decide this"),
    "resend_link": gettext_lazy("sent the mail link again"),
    "revoke_link": gettext_lazy("closed the mail link"),
    "link.sent": gettext_lazy("Mail link sent"),
    "link.incident": gettext_lazy("The mail link could not be sent"),
    "retry": gettext_lazy("had it delivered again"),
    "abandon": gettext_lazy("gave the delivery up"),
    "say": gettext_lazy("wrote to the customer"),
    "set_slots": gettext_lazy("set values"),
    "hand_back": gettext_lazy("handed the chat back"),
    "left": gettext_lazy("The customer went back to the bot"),
    "overtaken": gettext_lazy("Overtaken: the customer was faster, and the decision was not carried out"),
    "orphaned": gettext_lazy("The decision found no open question"),
}
