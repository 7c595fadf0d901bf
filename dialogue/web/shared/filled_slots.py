"""The slots of one frame as people read them, with who or what filled each, and in which turn."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from dialogue.desk.forms.action_preview import display_value
from dialogue.models import Conversation


@dataclass(frozen=True)
class FilledSlot:
    """A slot with where its value came from; `source` is user, action, operator, default or flow."""

    name: str
    display: str
    source: str
    origin: str
    new: bool


def filled_slots(conversation: Conversation, frame: str, *, unmasked: bool) -> list[FilledSlot]:
    """Return the filled slots of one frame, with who or what filled them, and in which turn."""
    entries: Iterator[dict[str, Any]] = (entry for entry in conversation.stack if entry.get("frame") == frame)
    entry = next(entries, {})
    return [_filled_slot(conversation, name, stored, unmasked) for name, stored in entry.get("slots", {}).items()]


def origin_text(stored: dict[str, Any]) -> str:
    """Return who or what filled a slot, and in which turn."""
    source = stored.get("source", "")
    who = {
        "user": _("customer"),
        "action": _("action %s") % stored.get("by", ""),
        "operator": _("operator %s") % stored.get("by", ""),
        "default": _("default"),
        "flow": _("flow"),
    }.get(source, source)
    return _("%(who)s, turn %(turn)s") % {"who": who.strip(), "turn": stored.get("turn", 0)}


def _filled_slot(conversation: Conversation, name: str, stored: dict[str, Any], unmasked: bool) -> FilledSlot:
    text = display_value(stored, unmasked=unmasked) if stored.get("value") is not None else _("skipped")
    source, turn = stored.get("source", ""), stored.get("turn", 0)
    return FilledSlot(name, text, source, origin_text(stored), turn == conversation.last_turn)
