"""The turns of a scenario in words: who does what, what came of it, and where it differs."""

from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dialogue.engine.language.compiler import Assistant
from dialogue.engine.slots.definitions.labels import words_of_name
from dialogue.turns.live.flow_words import slot_words
from dialogue.web.shared.words.turns import said_words, standing_words


@dataclass(frozen=True)
class Difference:
    """One expectation that was not met."""

    what: str
    expected: str
    got: str


def actor_words(kind: str) -> str:
    """Who acts in a turn of this kind."""
    words = {
        "user": _("Customer"),
        "choose": _("Customer chooses"),
        "file": _("Customer sends"),
        "operator": _("Operator"),
        "clock": _("Clock"),
        "event": _("Another program reports"),
        "start": _("Begun for the customer"),
        "notify": _("Written to the customer"),
        "restart": _("The server restarts"),
        "publish": _("Publish"),
        "repeat_last": _("The last message comes again"),
    }
    return words.get(kind, kind)


def operation_words(title: str) -> str:
    """What an operator does in a turn, from its title such as `submit approve`."""
    operation, _space, detail = title.partition(" ")
    words = {
        "submit": _("answers"),
        "claim": _("claims the gate"),
        "release": _("releases the gate"),
        "hand_back": _("returns the chat to the assistant"),
        "expire": _("lets the gate expire"),
        "cancel": _("withdraws the gate"),
        "say": _("writes"),
        "set_slot": _("fills in values"),
        "input": _("types"),
    }
    shown_detail = words_of_name(detail) if operation == "submit" else detail
    return f"{words.get(operation, operation)}{f': {shown_detail}' if shown_detail else ''}"


def refusal_words(status: int | None) -> str:
    """Why an operator's turn was refused, as it should be; "" where it should be accepted."""
    if status is None or status < 400:
        return ""
    reasons = {
        403: _("this person may not answer it"),
        404: _("there is no such gate"),
        409: _("somebody has answered already"),
        410: _("its time is over"),
        422: _("the answer is not complete or not valid"),
    }
    if reason := reasons.get(status):
        return _("Refused, as expected: %s") % reason
    return _("Refused, as expected")


def outcome_words(observed: dict[str, Any], assistant: Assistant | None) -> str:
    """What was said in a turn, and what the flows wait for then."""
    said = [said_words(line["key"], assistant) for line in observed["messages"]]
    return " · ".join([*said, *(standing_words(entry, assistant) for entry in observed["stack"])])


_NOTHING = "nothing"
"""What a run writes for an empty list."""


def difference_words(difference: Difference, assistant: Assistant | None) -> Difference:
    """A difference as a run writes it, in words of the reader's language."""
    what = difference.what
    entry_words = {"stack": standing_words, "messages": said_words}.get(what)
    if entry_words is not None:
        sides = [
            _("nothing") if side == _NOTHING else ", ".join(entry_words(entry, assistant) for entry in side.split(", "))
            for side in (difference.expected, difference.got)
        ]
        return Difference(subject_words(what, assistant), *sides)
    return Difference(subject_words(what, assistant), difference.expected, difference.got)


def subject_words(what: str, assistant: Assistant | None) -> str:
    """What differs: a part of the turn, a message by its key, or a slot."""
    if what in _SUBJECTS:
        return str(_SUBJECTS[what])
    if what.startswith(_CALLS_OF):
        return _("Calls of %s") % words_of_name(what.removeprefix(_CALLS_OF))
    return said_words(what, assistant) if ":" in what else _slot_of_scenario(what, assistant)


_CALLS_OF = "calls of "
_SUBJECTS: dict[str, str | Promise] = {
    "stack": gettext_lazy("Where it stands"),
    "messages": gettext_lazy("What it said"),
    "commands": gettext_lazy("What was understood"),
    "status": gettext_lazy("Whether it was accepted"),
    "the turn": gettext_lazy("The turn"),
    "calls of the language model": gettext_lazy("Calls of the language model"),
}


def _slot_of_scenario(name: str, assistant: Assistant | None) -> str:
    """The slot's title, for `flow.slot` too."""
    flow, _dot, slot = name.partition(".")
    return slot_words(slot if slot and assistant and flow in assistant.flows else name, assistant)
