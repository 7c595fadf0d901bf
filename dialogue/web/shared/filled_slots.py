"""The slots of one frame as people read them, with who or what filled each, and in which turn."""

from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from dialogue.desk.forms.action_preview import display_value
from dialogue.engine.slots.definitions.labels import label_of_slot, words_of_name
from dialogue.models import Conversation
from dialogue.turns.compiled_releases import assistant_of
from dialogue.turns.live.values_at_stake import slot_text_for_reader


@dataclass(frozen=True)
class FilledSlot:
    """A slot with where its value came from; `source` is user, action, operator, default or flow."""

    name: str
    label: str
    display: str
    source: str
    origin: str
    new: bool


def filled_slots(
    conversation: Conversation, frame: str, *, unmasked: bool, in_full: Set[str] = frozenset()
) -> list[FilledSlot]:
    """Return the filled slots of one frame, with who or what filled them, and in which turn.

    `in_full`: the slots that the page shows in full anyway, so that one value does not appear in two ways.
    """
    entries: Iterator[dict[str, Any]] = (entry for entry in conversation.stack if entry.get("frame") == frame)
    entry = next(entries, {})
    flow = entry.get("flow", "")
    return [
        _filled_slot(conversation, flow, name, stored, unmasked=unmasked or name in in_full)
        for name, stored in entry.get("slots", {}).items()
    ]


def origin_text(stored: dict[str, Any]) -> str:
    """Return who or what filled a slot, and in which turn."""
    source = stored.get("source", "")
    who = {
        "user": _("customer"),
        "action": _("action “%s”") % words_of_name(str(stored.get("by", ""))),
        "operator": _("operator %s") % stored.get("by", ""),
        "default": _("default"),
        "flow": _("flow"),
    }.get(source, source)
    return _("%(who)s, turn %(turn)s") % {"who": who.strip(), "turn": stored.get("turn", 0)}


def _label_of(conversation: Conversation, flow: str, name: str) -> str:
    slot = assistant_of(conversation.release).slot(flow, name)
    return label_of_slot(name, slot.title if slot else None, get_language() or "")


def _filled_slot(
    conversation: Conversation, flow: str, name: str, stored: dict[str, Any], *, unmasked: bool
) -> FilledSlot:
    text = slot_text_for_reader(conversation, conversation.release, flow, name, stored)
    if not text:
        text = display_value(stored, unmasked=unmasked) if stored.get("value") is not None else _("skipped")
    source, is_new = stored.get("source", ""), stored.get("turn", 0) == conversation.last_turn
    return FilledSlot(name, _label_of(conversation, flow, name), text, source, origin_text(stored), is_new)
