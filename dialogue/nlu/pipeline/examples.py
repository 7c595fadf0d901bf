"""Classify messages and extract values by similarity to the author's examples, with a confidence.

The readers are asked in order; the first proposal counts. An undecided one is left to the language model, which is
shown the flows in the same order; without a language model it becomes a question to the user.
"""

from collections.abc import Callable

from dialogue.engine.ports.commands import CancelFlow, Command, Digress, Restart, SkipSlot
from dialogue.nlu.pipeline.acts import read_act_by_classifier
from dialogue.nlu.pipeline.fallback import read_free_text as read_free_text_whole
from dialogue.nlu.pipeline.rules import read_exactly
from dialogue.nlu.readers.choosing.choices import (
    read_changed_choice,
    read_choice_in_sentence,
    read_choice_without_match,
    read_described_choice,
)
from dialogue.nlu.readers.choosing.list_changes import read_changed_list
from dialogue.nlu.readers.clauses.clause_readings import ClauseReaders
from dialogue.nlu.readers.clauses.combining import read_by_clauses
from dialogue.nlu.readers.clauses.splitting import split_clauses
from dialogue.nlu.readers.clearing import read_forget, read_skip
from dialogue.nlu.readers.corrections import read_change
from dialogue.nlu.readers.flow_commands import (
    read_both,
    read_cancel,
    read_cancelled_run,
    read_person,
    read_resume,
    text_behind,
)
from dialogue.nlu.readers.flow_requests import (
    read_doubtful_request,
    read_offered_flow,
    read_request,
    read_several_requests,
    read_vague_request,
)
from dialogue.nlu.readers.item_values import read_item_values, with_item_values
from dialogue.nlu.readers.proposal import (
    ANSWER_CONFIDENCE,
    EXPLICIT_CONFIDENCE,
    LIKELY_CONFIDENCE,
    UNCUED_CONFIDENCE,
    WHOLE_MESSAGE_CONFIDENCE,
    Proposal,
)
from dialogue.nlu.readers.slot_answers import read_answer_in_sentence, read_marked_answer, read_similar_option
from dialogue.nlu.readers.slot_updates import (
    read_clear_correction,
    read_doubtful_change,
    read_free_text,
    read_narrative,
    read_new_values,
    read_object_or_list,
    read_other_slots,
    read_slot_question,
    read_values,
)
from dialogue.nlu.readers.status_questions import read_status_question
from dialogue.nlu.readers.told_values import without_unclear_values
from dialogue.nlu.readers.yes_no import read_agreement, read_denial, read_yes_or_no
from dialogue.nlu.slots.utterance import Utterance


class ExampleComponent:
    """Intent classifier and slot extractors that run locally, without key or network."""

    name = "learned"

    async def propose(self, utterance: Utterance) -> Proposal | None:
        proposal = read_by_clauses(utterance, read_whole(utterance), CLAUSE_READERS)
        return with_item_values(without_unclear_values(proposal, utterance), utterance)


def propose_both(utterance: Utterance) -> Proposal | None:
    """All of the offered flows, one after the other: "both, please"."""
    commands = read_both(utterance)
    return Proposal(commands, EXPLICIT_CONFIDENCE) if commands else None


def likely_proposal(command: Command | None) -> Proposal | None:
    return Proposal((command,), LIKELY_CONFIDENCE) if command else None


def sure_proposal(command: Command | None) -> Proposal | None:
    return Proposal((command,), EXPLICIT_CONFIDENCE) if command else None


def propose_reply(utterance: Utterance) -> Proposal | None:
    """The awaited value inside a sentence."""
    commands = read_answer_in_sentence(utterance) or read_marked_answer(utterance)
    return Proposal(commands, ANSWER_CONFIDENCE) if commands else None


def propose_item_values(utterance: Utterance) -> Proposal | None:
    """Values for entries of a list: "the keyboard for a clicky one and the thermostat for Google Home"."""
    commands = read_item_values(utterance)
    return Proposal(commands, EXPLICIT_CONFIDENCE) if commands else None


def propose_narrative(utterance: Utterance) -> Proposal | None:
    """The whole message as what happened, unless its first clause is an act: "skip that, and it's 15 plants"."""
    proposal = read_narrative(utterance)
    if proposal is not None and read_act_by_classifier(utterance) is not None:
        return None
    first, *others = split_clauses(utterance)
    if proposal is None or not others or not others[0].is_marked:
        return proposal
    act = read_exactly(first.utterance) or read_act_by_classifier(first.utterance)
    ends = act is not None and isinstance(act.commands[0], CancelFlow | Restart | SkipSlot)
    return None if ends or read_cancel(first.utterance) else proposal


def propose_unknown_question(utterance: Utterance) -> Proposal | None:
    """ "Do you sell umbrellas?": a question about the business that no topic of the knowledge answers."""
    is_business_question = utterance.text.rstrip().endswith("?") and bool(
        text_behind(utterance, utterance.lexicon.cues.house_questions)
    )
    return Proposal((Digress("question"),), UNCUED_CONFIDENCE, decided=False) if is_business_question else None


Reader = Callable[[Utterance], Proposal | None]
# The order matters: what may be misread as a plain value is asked before the readers of values.
READERS: tuple[Reader, ...] = (
    propose_both,
    lambda utterance: sure_proposal(read_person(utterance)),
    lambda utterance: sure_proposal(read_status_question(utterance)),
    lambda utterance: sure_proposal(read_resume(utterance)),
    propose_narrative,
    lambda utterance: sure_proposal(read_cancelled_run(utterance)),
    # Words for several entries of a list name options of the present one too.
    propose_item_values,
    read_described_choice,
    lambda utterance: sure_proposal(read_forget(utterance)),
    lambda utterance: sure_proposal(read_cancel(utterance)),
    read_offered_flow,
    lambda utterance: sure_proposal(read_skip(utterance)),
    read_changed_choice,
    read_changed_list,
    read_denial,
    read_agreement,
    read_yes_or_no,
    read_vague_request,
    lambda utterance: sure_proposal(read_change(utterance) if utterance.has_open_flow else None),
    read_choice_in_sentence,
    read_object_or_list,
    propose_reply,
    read_several_requests,
    read_other_slots,
    read_clear_correction,
    read_doubtful_change,
    read_slot_question,
    read_act_by_classifier,
    read_free_text,
    read_choice_without_match,
    lambda utterance: likely_proposal(read_similar_option(utterance)),
    read_new_values,
    read_request,
    read_values,
    read_doubtful_request,
    propose_unknown_question,
)


def read_whole(utterance: Utterance) -> Proposal | None:
    """Return the first proposal of the readers for the text as a whole, or None."""
    return next(filter(None, (reader(utterance) for reader in READERS)), None)


def _read_as_text(utterance: Utterance) -> Proposal | None:
    command = read_free_text_whole(utterance)
    return Proposal((command,), WHOLE_MESSAGE_CONFIDENCE) if command else None


def _read_clause_exactly(utterance: Utterance) -> Proposal | None:
    """Return what all of a clause says: one act, one value, or a slot to leave out."""
    return read_exactly(utterance) or sure_proposal(read_skip(utterance))


CLAUSE_READERS = ClauseReaders(exactly=_read_clause_exactly, fully=read_whole, as_text=_read_as_text)
