"""What a message meant, in words: the commands of a record, a report or a scenario, and the parts that read them."""

from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dialogue.engine.language.compiler import Assistant
from dialogue.engine.slots.definitions.labels import words_of_name
from dialogue.turns.live.flow_words import flow_words, slot_words

MAX_VALUE_CHARACTERS = 80
READERS: dict[str, str | Promise] = {
    "structured": gettext_lazy("by a button or a plain answer"),
    "rules": gettext_lazy("by its form"),
    "learned": gettext_lazy("by the learned reader"),
    "leftover": gettext_lazy("by the question that was open"),
    "llm": gettext_lazy("by the language model"),
}
"""What the parts of the NLU are called here; a project's own part keeps its name."""
COMMANDS: dict[str, str | Promise] = {
    "affirm": gettext_lazy("yes"),
    "deny": gettext_lazy("no"),
    "cancel_flow": gettext_lazy("stop this"),
    "resume_flow": gettext_lazy("go on with what was paused"),
    "digress": gettext_lazy("a side question"),
    "chitchat": gettext_lazy("small talk"),
    "repeat": gettext_lazy("say it again"),
    "restart": gettext_lazy("begin again"),
    "handoff": gettext_lazy("wants a person"),
    "skip_item": gettext_lazy("leave this one out"),
}
"""What commands without a flow or a value mean, in words."""
KINDS: dict[str, str | Promise] = {
    **COMMANDS,
    "start_flow": gettext_lazy("what the customer wants"),
    "set_slot": gettext_lazy("values in the message"),
    "correct_slot": gettext_lazy("changed values"),
    "offer_change": gettext_lazy("other values that were offered"),
    "add_values": gettext_lazy("entries added to a list"),
    "remove_values": gettext_lazy("entries taken from a list"),
    "narrow": gettext_lazy("which option was chosen"),
    "clarify": gettext_lazy("the assistant has to ask back"),
    "cannot_handle": gettext_lazy("nothing that the assistant can do"),
}
"""Kinds of commands as rows of a table; `kind_words` also names a project's own."""
_ARGUMENTS_BESIDE = frozenset({"words", "item", "picked"})


def kind_words(kind: str) -> str:
    """A kind of commands in the reader's language."""
    return str(KINDS.get(kind, words_of_name(kind)))


def command_words(command: object, assistant: Assistant | None) -> str:
    """A command in the form of scenario files, in words: "send money", "amount 300", "yes"."""
    if not isinstance(command, dict):
        return kind_words(str(command))
    named = {name: value for name, value in command.items() if name not in _ARGUMENTS_BESIDE}
    return ", ".join(_one_command(name, value, assistant) for name, value in named.items())


def _one_command(name: str, value: Any, assistant: Assistant | None) -> str:
    if name == "start_flow":
        return flow_words(str(value), assistant)
    if name == "clarify":
        flows = value if isinstance(value, list) else [value]
        return _("one of: %s") % ", ".join(flow_words(str(flow), assistant) for flow in flows)
    if isinstance(value, dict) and name != "digress":
        values = (f"{slot_words(slot, assistant)} {_value_words(given)}" for slot, given in value.items())
        return ", ".join(values)
    detail = ""
    if name in ("cancel_flow", "resume_flow") and value:
        detail = flow_words(str(value), assistant)
    elif isinstance(value, dict):
        detail = _value_words(value.get("topic") or value.get("kind") or "")
    return f"{kind_words(name)} ({detail})" if detail else kind_words(name)


def _value_words(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= MAX_VALUE_CHARACTERS else f"{text[: MAX_VALUE_CHARACTERS - 1]}…"
