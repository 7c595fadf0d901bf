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
from dialogue.nlu.text.lexicons.lexicon import Acts, Phrase
from dialogue.nlu.text.phrases import consists_of


class Rules:
    """Reads a message only when it says one thing and nothing else."""

    name = "rules"

    async def consider(self, said: Utterance) -> Proposal | None:
        command = read_hesitation(said) or read_choice(said) or read_answer(said) or read_act(said)
        return Proposal((command,)) if command else None


LONGEST_ACT = 20
Kinds = tuple[frozenset[Phrase], ...]


@dataclass(frozen=True)
class Act:
    """One kind of act: its phrases, when it has a meaning, what it becomes, and what else may stand beside it."""

    phrases: Callable[[Acts], frozenset[Phrase]]
    command: Callable[[Utterance], Command]
    applies: Callable[[Utterance], bool] = lambda said: True
    beside: Callable[[Utterance], Kinds] = lambda said: ()


def _skipped(said: Utterance) -> Command:
    return SkipSlot(said.awaited_slot.name if said.awaited_slot else "")


def _explained(said: Utterance) -> Command:
    return Digress("clarification", said.awaited_slot.name if said.awaited_slot else "")


def _asks(said: Utterance) -> bool:
    return said.awaited_slot is not None


def _may_skip(said: Utterance) -> bool:
    slot = said.awaited_slot
    return slot is not None and slot.type != "boolean"


def _is_asked_for_more(said: Utterance) -> bool:
    """ "Anything else?": a question that "that's all" says no to."""
    slot = said.awaited_slot
    return (
        slot is not None
        and slot.type == "boolean"
        and not said.lexicon.cues.furthers.isdisjoint(question_words(slot, said))
    )


def _no_skips(said: Utterance) -> bool:
    slot = said.awaited_slot
    return slot is not None and slot.type != "boolean" and not slot.required


def _offers_flows(said: Utterance) -> bool:
    return said.offer in ("clarify", "resume")


def _no(said: Utterance) -> Kinds:
    return (said.lexicon.acts.no,)


def _polite(said: Utterance) -> Kinds:
    return (said.lexicon.acts.courtesies,)


def _courtesies(said: Utterance) -> Kinds:
    """ "Great, thanks for your help": a yes or a no is courtesy too where nothing was asked for."""
    acts = said.lexicon.acts
    return (acts.courtesies,) if said.answers_yes_or_no else (acts.courtesies, acts.yes, acts.no)


# Earlier acts win; the order settles "stop" at a confirm, and "what are my options" while an option is asked for.
ACTS = (
    Act(lambda acts: acts.cancel, lambda said: CancelFlow(), beside=_no),
    Act(lambda acts: acts.restart, lambda said: Restart(), beside=_no),
    Act(lambda acts: acts.person, lambda said: HandOff(), beside=_no),
    Act(lambda acts: acts.neither, lambda said: Deny(), _offers_flows, beside=_no),
    Act(lambda acts: acts.yes, lambda said: Affirm(), lambda said: said.answers_yes_or_no),
    Act(lambda acts: acts.no, lambda said: Deny(), lambda said: said.answers_yes_or_no),
    Act(lambda acts: acts.enough, lambda said: Deny(), _is_asked_for_more, beside=_no),
    Act(lambda acts: acts.skip, _skipped, _may_skip),
    Act(lambda acts: acts.no, _skipped, _no_skips),
    Act(lambda acts: acts.explain, _explained, _asks),
    Act(lambda acts: acts.explain, lambda said: Digress("help"), lambda said: not said.busy and not said.offer),
    Act(lambda acts: acts.repeat, lambda said: Repeat()),
    Act(lambda acts: acts.status, lambda said: Digress("status")),
    Act(lambda acts: acts.help, lambda said: Digress("help")),
    Act(lambda acts: acts.chitchat, lambda said: Chitchat(), beside=_courtesies),
    Act(lambda acts: acts.praise, lambda said: Chitchat(), lambda said: not said.answers_yes_or_no, beside=_polite),
)


def read_hesitation(said: Utterance) -> Command | None:
    """ "Wait a second": no answer yet, although any text, "one" and "second" might be. What is asked is asked again."""
    slot = said.awaited_slot
    meant = slot is not None and slot.options and find_options(slot, said.tokens)
    if meant or said.answers_yes_or_no or not is_hesitation(said):
        return None
    if said.awaits_staff:
        return Digress("status")
    return Repeat() if said.busy or said.offer else Chitchat()


def read_act(said: Utterance) -> Command | None:
    can_be = len(said.folded) <= LONGEST_ACT and said.lexicon.acts.words.issuperset(said.folded)
    return next(_acts(said), None) if can_be else None


def _acts(said: Utterance) -> Iterator[Command]:
    acts = said.lexicon.acts
    for act in ACTS:
        around = (acts.fillers, acts.openers, *act.beside(said))
        if act.applies(said) and consists_of(said.folded, act.phrases(acts), *around):
            yield act.command(said)
