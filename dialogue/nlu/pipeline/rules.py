"""Acts and answers that are the whole message: yes, cancel, repeat, a person, an option, an amount. No model."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dialogue.engine.ports.commands import (
    Affirm,
    CancelFlow,
    Chitchat,
    Command,
    Deny,
    Digress,
    HandOff,
    Repeat,
    Restart,
    SkipSlot,
)
from dialogue.nlu.readers.free_text_check import is_hesitation
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.readers.whole_answers import question_words, read_answer
from dialogue.nlu.readers.yes_no import read_choice
from dialogue.nlu.slots.options import find_options
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.lexicons.lexicon import ActPhrases, Phrase
from dialogue.nlu.text.phrases import consists_of


class RuleComponent:
    """Reads a message only when it says one thing and nothing else."""

    name = "rules"

    async def propose(self, utterance: Utterance) -> Proposal | None:
        command = read_hesitation(utterance) or read_choice(utterance) or read_answer(utterance) or read_act(utterance)
        return Proposal((command,)) if command else None


MAX_ACT_WORDS = 20
PhraseSets = tuple[frozenset[Phrase], ...]


@dataclass(frozen=True)
class Act:
    """One kind of act: its phrases, when it has a meaning, what it becomes, and what else may stand beside it."""

    phrases: Callable[[ActPhrases], frozenset[Phrase]]
    command: Callable[[Utterance], Command]
    applies: Callable[[Utterance], bool] = lambda utterance: True
    beside: Callable[[Utterance], PhraseSets] = lambda utterance: ()


def _skipped(utterance: Utterance) -> Command:
    return SkipSlot(utterance.awaited_slot.name if utterance.awaited_slot else "")


def _explained(utterance: Utterance) -> Command:
    return Digress("clarification", utterance.awaited_slot.name if utterance.awaited_slot else "")


def _asks(utterance: Utterance) -> bool:
    return utterance.awaited_slot is not None


def _may_skip(utterance: Utterance) -> bool:
    slot = utterance.awaited_slot
    return slot is not None and slot.type != "boolean"


def _is_asked_for_more(utterance: Utterance) -> bool:
    """ "Anything else?": a question that "that's all" says no to."""
    slot = utterance.awaited_slot
    return (
        slot is not None
        and slot.type == "boolean"
        and not utterance.lexicon.cues.anything_else_words.isdisjoint(question_words(slot, utterance))
    )


def _no_skips(utterance: Utterance) -> bool:
    slot = utterance.awaited_slot
    return slot is not None and slot.type != "boolean" and not slot.required


def _offers_flows(utterance: Utterance) -> bool:
    return utterance.offer_kind in ("clarify", "resume")


def _no(utterance: Utterance) -> PhraseSets:
    return (utterance.lexicon.acts.no,)


def _polite(utterance: Utterance) -> PhraseSets:
    return (utterance.lexicon.acts.courtesies,)


def _courtesies(utterance: Utterance) -> PhraseSets:
    """ "Great, thanks for your help": a yes or a no is courtesy too where nothing was asked for."""
    acts = utterance.lexicon.acts
    return (acts.courtesies,) if utterance.answers_yes_or_no else (acts.courtesies, acts.yes, acts.no)


# Earlier acts win; the order settles "stop" at a confirm, and "what are my options" while an option is asked for.
ACTS = (
    Act(lambda acts: acts.cancel, lambda utterance: CancelFlow(), beside=_no),
    Act(lambda acts: acts.restart, lambda utterance: Restart(), beside=_no),
    Act(lambda acts: acts.person, lambda utterance: HandOff(), beside=_no),
    Act(lambda acts: acts.neither, lambda utterance: Deny(), _offers_flows, beside=_no),
    Act(lambda acts: acts.yes, lambda utterance: Affirm(), lambda utterance: utterance.answers_yes_or_no),
    Act(lambda acts: acts.no, lambda utterance: Deny(), lambda utterance: utterance.answers_yes_or_no),
    Act(lambda acts: acts.enough, lambda utterance: Deny(), _is_asked_for_more, beside=_no),
    Act(lambda acts: acts.skip, _skipped, _may_skip),
    Act(lambda acts: acts.no, _skipped, _no_skips),
    Act(lambda acts: acts.explain, _explained, _asks),
    Act(
        lambda acts: acts.explain,
        lambda utterance: Digress("help"),
        lambda utterance: not utterance.has_open_flow and not utterance.offer_kind,
    ),
    Act(lambda acts: acts.repeat, lambda utterance: Repeat()),
    Act(lambda acts: acts.status, lambda utterance: Digress("status")),
    Act(lambda acts: acts.help, lambda utterance: Digress("help")),
    Act(lambda acts: acts.chitchat, lambda utterance: Chitchat(), beside=_courtesies),
    Act(
        lambda acts: acts.praise,
        lambda utterance: Chitchat(),
        lambda utterance: not utterance.answers_yes_or_no,
        beside=_polite,
    ),
)


def read_hesitation(utterance: Utterance) -> Command | None:
    """ "Wait a second": no answer yet, although any text, "one" and "second" might be. What is asked is asked again."""
    slot = utterance.awaited_slot
    meant = slot is not None and slot.options and find_options(slot, utterance.tokens)
    if meant or utterance.answers_yes_or_no or not is_hesitation(utterance):
        return None
    if utterance.awaits_staff:
        return Digress("status")
    return Repeat() if utterance.has_open_flow or utterance.offer_kind else Chitchat()


def read_act(utterance: Utterance) -> Command | None:
    can_be = len(utterance.folded) <= MAX_ACT_WORDS and utterance.lexicon.acts.words.issuperset(utterance.folded)
    return next(_acts(utterance), None) if can_be else None


def _acts(utterance: Utterance) -> Iterator[Command]:
    acts = utterance.lexicon.acts
    for act in ACTS:
        around = (acts.fillers, acts.openers, *act.beside(utterance))
        if act.applies(utterance) and consists_of(utterance.folded, act.phrases(acts), *around):
            yield act.command(utterance)
