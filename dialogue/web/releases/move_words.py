"""Why conversations stay, and what they lose when they move: with the titles of flows, steps and slots."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext_noop

from dialogue.engine.language.compiler import Assistant
from dialogue.engine.source.phrases import Phrase
from dialogue.turns.live.flow_words import flow_words, slot_words, step_words
from dialogue.web.shared.words.findings import in_other_words

UNDECIDED = "the gate {step} is not decided; map it, or decide it first"
GONE = "{step} is gone; map it to a step that is there"
MOVE_WORDS: Mapping[str, str] = {
    UNDECIDED: gettext_noop("the gate “{step}” is not decided: choose where it goes, or decide it first"),
    GONE: gettext_noop("“{step}” is gone: choose where it goes"),
    "the flow {flow} is gone": gettext_noop("the flow “{flow}” is gone"),
    "{step} does not await what the conversation waits for": gettext_noop(
        "“{step}” does not wait for what the conversation waits for"
    ),
    "{step} is no loop over a list": gettext_noop("“{step}” is no loop over a list"),
    "{step} has no answer {answers}": gettext_noop("“{step}” has no answer {answers}"),
    "that {step} was done": gettext_noop("that “{step}” was done"),
    "what {step} gave": gettext_noop("what “{step}” gave"),
    "the value of {slot}": gettext_noop("the value of “{slot}”"),
}
"""The sentences of a plan of moves for a page that shows titles. Both have the same parameters."""
_OF_NEW_RELEASE = frozenset({"{step} does not await what the conversation waits for", "{step} has no answer {answers}"})


@dataclass(frozen=True)
class MoveWords:
    """The words of a move between two releases."""

    old: Assistant
    new: Assistant

    def reasons(self, refusals: Iterable[str]) -> list[str]:
        """Why a conversation stays. That its step is gone is left out where its gate has to be decided anyway."""
        phrases = list(refusals)
        gates = {_parameters(phrase).get("step") for phrase in phrases if _template(phrase) == UNDECIDED}
        kept = (
            phrase for phrase in phrases if _template(phrase) != GONE or _parameters(phrase).get("step") not in gates
        )
        return [capfirst(self._words(phrase)) for phrase in kept]

    def losses(self, lost: Iterable[str]) -> list[str]:
        """What a conversation loses when it moves."""
        return [self._words(phrase) for phrase in lost]

    def _words(self, phrase: str) -> str:
        template = _template(phrase)
        if template not in MOVE_WORDS:
            return in_other_words(phrase, {})
        assistants = (self.new, self.old) if template in _OF_NEW_RELEASE else (self.old, self.new)
        titles = {name: _title(name, str(value), assistants) for name, value in _parameters(phrase).items()}
        return in_other_words(Phrase(template, **titles), MOVE_WORDS)


def _template(phrase: str) -> str:
    return phrase.template if isinstance(phrase, Phrase) else ""


def _parameters(phrase: str) -> Mapping[str, Any]:
    return phrase.parameters if isinstance(phrase, Phrase) else {}


def _title(name: str, value: str, assistants: tuple[Assistant, Assistant]) -> str:
    """The title of what a parameter names: `step` and `slot` are `flow.name`, or the slot's name alone."""
    flow, _dot, own_name = value.rpartition(".")
    if name == "flow":
        return capfirst(flow_words(value, assistants[0]))
    if name == "step":
        knows = (assistant for assistant in assistants if flow in assistant.flows)
        owner = next((each for each in knows if each.flows[flow].has_step(own_name)), assistants[0])
        return capfirst(step_words(flow, own_name, owner))
    return slot_words(own_name, assistants[0]) if name == "slot" else value
