"""What an assistant said in a turn and what it waits for then, in words: keys of messages, and the stack."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dialogue.engine.language.compiler import Assistant
from dialogue.engine.slots.definitions.labels import words_of_name
from dialogue.turns.live.flow_words import flow_words, slot_words, step_words

SAID: Mapping[str, str | Promise] = {
    "say": gettext_lazy("Said the flow’s text"),
    "confirm": gettext_lazy("Asked for a yes or no"),
    "clarify": gettext_lazy("Asked which of these was meant"),
    "which_option": gettext_lazy("Asked which option was meant"),
    "rejected": gettext_lazy("Refused the value and said why"),
    "corrected": gettext_lazy("Noted the changed value"),
    "handoff": gettext_lazy("Called a person"),
    "answer": gettext_lazy("Answered from its knowledge"),
    "no_answer": gettext_lazy("Knew no answer"),
    "cancelled": gettext_lazy("Stopped the flow"),
    "resumed": gettext_lazy("Went back to the paused flow"),
    "offer_resume": gettext_lazy("Offered to go on with the paused flow"),
    "not_allowed": gettext_lazy("The flow’s guard did not let it begin"),
    "expired": gettext_lazy("Said that staff did not answer in time"),
    "timed_out": gettext_lazy("Said that the time is over"),
    "action_failed": gettext_lazy("Said that it did not work"),
    "error": gettext_lazy("Said that it did not work"),
    "help": gettext_lazy("Said what it can do"),
    "chitchat": gettext_lazy("Answered in a friendly way"),
    "reminder": gettext_lazy("Reminded the customer"),
}
"""What was said, by the name of the response."""
_SAID_WITHOUT_REASON: Mapping[str, str | Promise] = {
    "done": gettext_lazy("Said that it is done"),
    "cannot_handle": gettext_lazy("Said that it did not understand"),
    "explain": gettext_lazy("Explained what it asks for"),
    "status": gettext_lazy("Said how things stand"),
    "restarted": gettext_lazy("Began again"),
}
"""What was said where an explanation of the turn has other sentences for it."""
_SLOT_MESSAGES = frozenset({"corrected", "rejected", "cleared", "claimed", "cannot_skip"})
_STEP_MESSAGES = frozenset({"say"})
_WAITS: Mapping[str, str | Promise] = {
    "confirm": gettext_lazy("waits for a yes or no"),
    "human": gettext_lazy("waits for staff"),
    "handoff": gettext_lazy("a person has the chat"),
    "ack": gettext_lazy("waits until it was read"),
}
"""What a flow waits for, by the mark behind its name in scenarios."""


def said_words(key: str, assistant: Assistant | None) -> str:
    """A message by its key: "Asked: IBAN" for `ask:iban`."""
    name, _colon, about = key.partition(":")
    if name == "ask":
        return f"{_('Asked:')} {slot_words(about, assistant)}"
    if name == "waiting":
        return f"{_('Asked staff:')} {_step_of_any_flow(about, assistant)}"
    words = str(SAID.get(name) or _SAID_WITHOUT_REASON.get(name) or capfirst(words_of_name(name)))
    if name in _SLOT_MESSAGES and about:
        return f"{words}: {slot_words(about, assistant)}"
    return f"{words}: {_step_of_any_flow(about, assistant)}" if name in _STEP_MESSAGES and about else words


def standing_words(entry: str, assistant: Assistant | None) -> str:
    """What a flow waits for: "Send money: waits for staff" for `transfer_money!human`, as scenarios write it."""
    place, _mark, slot = entry.partition("?")
    name, _mark, wait = place.partition("!")
    words = _WAITS.get(wait) or (_("waits") if wait else _("has begun"))
    if slot:
        words = _("waits for “%s”") % slot_words(slot, assistant)
    return f"{capfirst(flow_words(name, assistant))}: {words}"


def _step_of_any_flow(step: str, assistant: Assistant | None) -> str:
    flows = assistant.flows.values() if assistant else ()
    homes = (flow.flow for flow in flows if any(each.step == step for each in flow.all_steps()))
    return step_words(next(homes, ""), step, assistant)
