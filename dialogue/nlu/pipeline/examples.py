"""What was learned from the author's examples: requests, values, corrections and questions, with a confidence.

The readers are asked in order; the first that has something to say decides. What is likely but not sure is left
to a part that knows more, which is shown the flows in the same order, and becomes a question to the user without one.
"""

from collections.abc import Callable

from dialogue.engine.ports.commands import Command, Digress
from dialogue.nlu.readers.clearing import read_forget, read_skip
from dialogue.nlu.readers.corrections import read_change
from dialogue.nlu.readers.flow_commands import behind, read_both, read_cancel, read_person, read_resume
from dialogue.nlu.readers.flow_requests import (
    read_asked_for,
    read_doubtful,
    read_picked,
    read_rethought,
    read_several,
    read_vague,
)
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.readers.slot_answers import read_meant_option, read_reply
from dialogue.nlu.readers.slot_updates import (
    read_clear_correction,
    read_described,
    read_doubtful_change,
    read_explained,
    read_narrated,
    read_of_others,
    read_renewed,
    read_told,
    read_valued,
)
from dialogue.nlu.readers.status_questions import read_status_question
from dialogue.nlu.readers.yes_no import read_agreed, read_denied, read_yes_or_no
from dialogue.nlu.slots.utterance import Utterance


class ExampleComponent:
    """The local model, without key or network."""

    name = "learned"

    async def propose(self, utterance: Utterance) -> Proposal | None:
        return next(filter(None, (reader(utterance) for reader in READERS)), None)


def _both(utterance: Utterance) -> Proposal | None:
    commands = read_both(utterance)
    return Proposal(commands, 0.9) if commands else None


def _likely(command: Command | None) -> Proposal | None:
    return Proposal((command,), 0.6) if command else None


def _sure(command: Command | None) -> Proposal | None:
    return Proposal((command,), 0.9) if command else None


def _replied(utterance: Utterance) -> Proposal | None:
    commands = read_reply(utterance)
    return Proposal(commands, 0.8) if commands else None


def _unanswered(utterance: Utterance) -> Proposal | None:
    """ "Do you sell umbrellas?": a question about the house that no knowledge answers."""
    asked = utterance.text.rstrip().endswith("?") and bool(behind(utterance, utterance.lexicon.cues.house_questions))
    return Proposal((Digress("question"),), 0.4, decided=False) if asked else None


Reader = Callable[[Utterance], Proposal | None]
READERS: tuple[Reader, ...] = (
    _both,
    lambda utterance: _sure(read_person(utterance)),
    lambda utterance: _sure(read_status_question(utterance)),
    read_narrated,
    lambda utterance: _sure(read_forget(utterance)),
    lambda utterance: _sure(read_cancel(utterance)),
    read_picked,
    lambda utterance: _sure(read_resume(utterance)),
    lambda utterance: _sure(read_skip(utterance)),
    read_denied,
    read_agreed,
    read_yes_or_no,
    read_rethought,
    read_vague,
    lambda utterance: _sure(read_change(utterance) if utterance.busy else None),
    read_described,
    _replied,
    read_several,
    read_of_others,
    read_clear_correction,
    read_doubtful_change,
    read_explained,
    read_told,
    lambda utterance: _likely(read_meant_option(utterance)),
    read_renewed,
    read_asked_for,
    read_valued,
    read_doubtful,
    _unanswered,
)
