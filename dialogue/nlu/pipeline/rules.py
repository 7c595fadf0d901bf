"""Rules for messages that are one dialogue act or one value as a whole: yes, cancel, repeat, an option, an amount."""

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
    SkipItem,
    SkipSlot,
)
from dialogue.engine.ports.tasks import ConfirmTask
from dialogue.nlu.readers.choosing.choices import read_whole_choice
from dialogue.nlu.readers.free_text_check import gives_reason, is_awaited_title, is_hesitation
from dialogue.nlu.readers.intents import is_flow, rank_intents
from dialogue.nlu.readers.item_values import with_item_values
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.readers.whole_answers import question_words, read_answer
from dialogue.nlu.readers.yes_no import read_choice
from dialogue.nlu.slots.assistant_index import FlowIndex
from dialogue.nlu.slots.typed.options import find_options
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.lexicons.lexicon import ActPhrases, Phrase
from dialogue.nlu.text.phrases import consists_of
from dialogue.nlu.text.tokens import fuzzy_equal_phrase


class RuleComponent:
    """Understands a message only when it says one thing and nothing else."""

    name = "rules"

    async def propose(self, utterance: Utterance) -> Proposal | None:
        return with_item_values(read_exactly(utterance), utterance)


def read_exactly(utterance: Utterance) -> Proposal | None:
    """Return the one act or the one value that is the whole text, or None."""
    if is_awaited_title(utterance):
        return None
    command = read_hesitation(utterance) or read_choice(utterance)
    chosen = None if command else read_whole_choice(utterance)
    if chosen and isinstance(read_act(utterance), CancelFlow | Restart | HandOff):
        chosen = None  # "Cancel everything" chooses nothing.
    command = command or (None if chosen else read_answer(utterance) or read_act(utterance))
    if isinstance(command, Digress | Chitchat):
        command = read_authors_question(utterance) or command
    return Proposal((command,)) if command else chosen


def read_authors_question(utterance: Utterance) -> Command | None:
    """Return the topic whose question is what the message says, or None: it comes before a built-in explanation."""
    best = next(iter(rank_intents(utterance)), None) if utterance.assistant_index.assistant.knowledge else None
    if best is None or is_flow(best) or best.nearest < MIN_SAME_QUESTION_SCORE:
        return None
    return Digress("question", best.label.split()[1])


MAX_ACT_WORDS = 20
# "Cancel" and "cancelling", "anula" and "anular" have these letters in common.
VERB_STEM = 4
# From here on a message and an author's question say the same.
MIN_SAME_QUESTION_SCORE = 0.9
PhraseSets = tuple[frozenset[Phrase], ...]


@dataclass(frozen=True)
class Act:
    """One kind of dialogue act.

    `phrases` are what users say for it, `command` is what it means, `applies` tells whether it has a meaning in the
    context, and `surrounding` gives further phrases that may stand around it.
    """

    phrases: Callable[[ActPhrases], frozenset[Phrase]]
    command: Callable[[Utterance], Command]
    applies: Callable[[Utterance], bool] = lambda utterance: True
    surrounding: Callable[[Utterance], PhraseSets] = lambda utterance: ()


def skip_awaited_slot(utterance: Utterance) -> Command:
    return SkipSlot(utterance.awaited_slot.name if utterance.awaited_slot else "")


def explain_awaited_slot(utterance: Utterance) -> Command:
    return Digress("clarification", utterance.awaited_slot.name if utterance.awaited_slot else "")


def awaits_slot(utterance: Utterance) -> bool:
    return utterance.awaited_slot is not None


def may_skip_slot(utterance: Utterance) -> bool:
    slot = utterance.awaited_slot
    return slot is not None and slot.type != "boolean"


def is_in_round(utterance: Utterance) -> bool:
    """Whether an entry of a list is being talked about, which can be left out."""
    return any(loop.item for loop in utterance.context.loops) and not utterance.offer_kind


def skips_item_rather(utterance: Utterance) -> bool:
    """Whether "skip" leaves out the entry: the value that is asked for cannot be left out."""
    slot = utterance.awaited_slot
    return is_in_round(utterance) and slot is not None and slot.required


def asks_anything_else(utterance: Utterance) -> bool:
    """Whether the bot asked "anything else?", which "that's all" answers with no."""
    slot = utterance.awaited_slot
    return (
        slot is not None
        and slot.type == "boolean"
        and not utterance.lexicon.cues.anything_else_words.isdisjoint(question_words(slot, utterance))
    )


def no_means_skip(utterance: Utterance) -> bool:
    """Whether "no" answers an optional question, such as "any allergies?"."""
    slot = utterance.awaited_slot
    return slot is not None and slot.type != "boolean" and not slot.required


def offers_flows(utterance: Utterance) -> bool:
    return utterance.offer_kind in ("clarify", "resume")


def no_phrases(utterance: Utterance) -> PhraseSets:
    return (utterance.lexicon.acts.no,)


def courtesy_phrases(utterance: Utterance) -> PhraseSets:
    return (utterance.lexicon.acts.courtesies,)


def chitchat_phrases(utterance: Utterance) -> PhraseSets:
    """ "Great, thanks for your help": where nothing was asked, a yes or a no is a courtesy too."""
    acts = utterance.lexicon.acts
    return (acts.courtesies,) if utterance.answers_yes_or_no else (acts.courtesies, acts.yes, acts.no)


def cancels_open_flow(utterance: Utterance) -> bool:
    """Whether "cancel" ends something: where nothing runs, it may ask for a flow that cancels a contract."""
    if gives_reason(utterance) or _says_no_to_slot(utterance):
        return False
    if utterance.has_open_flow or utterance.offer_kind:
        return True
    flows = (utterance.assistant_index.flows[name] for name in utterance.startable_flows())
    return not any(_shares_verb(flow, utterance) for flow in flows)


def _says_no_to_slot(utterance: Utterance) -> bool:
    """ "Are you a student?" – "not anymore": what is also a no answers a yes/no slot."""
    slot, acts = utterance.awaited_slot, utterance.lexicon.acts
    return slot is not None and slot.type == "boolean" and consists_of(utterance.folded, acts.no, acts.fillers)


def cancel_phrases(utterance: Utterance) -> PhraseSets:
    return (utterance.lexicon.acts.cancel,)


def confirms_cancelling(utterance: Utterance) -> bool:
    """Whether a flow asks for a yes, and a verb of the message is its own: "yes, cancel it" agrees to cancelling."""
    flow_index = utterance.running_flow
    if not isinstance(utterance.context.awaited, ConfirmTask) or flow_index is None:
        return False
    return _shares_verb(flow_index, utterance)


def _shares_verb(flow_index: FlowIndex, utterance: Utterance) -> bool:
    """Return whether a word of the message begins like one of the flow's own: "cancel" and "cancelling"."""
    stems = {word[:VERB_STEM] for word in utterance.folded if len(word) >= VERB_STEM}
    return any(word[:VERB_STEM] in stems for word in flow_index.vocabulary)


# The first act that matches wins: "stop" at a confirmation is a cancel, not a no, and "what are my options" explains
# the awaited slot before it asks for help.
ACTS = (
    Act(lambda acts: acts.yes, lambda utterance: Affirm(), confirms_cancelling, surrounding=cancel_phrases),
    Act(lambda acts: acts.cancel, lambda utterance: CancelFlow(), cancels_open_flow, surrounding=no_phrases),
    Act(lambda acts: acts.restart, lambda utterance: Restart(), surrounding=no_phrases),
    Act(lambda acts: acts.person, lambda utterance: HandOff(), surrounding=no_phrases),
    Act(lambda acts: acts.neither, lambda utterance: Deny(), offers_flows, surrounding=no_phrases),
    Act(lambda acts: acts.yes, lambda utterance: Affirm(), lambda utterance: utterance.answers_yes_or_no),
    Act(lambda acts: acts.no, lambda utterance: Deny(), lambda utterance: utterance.answers_yes_or_no),
    Act(lambda acts: acts.enough, lambda utterance: Deny(), asks_anything_else, surrounding=no_phrases),
    Act(lambda acts: acts.skip_item, lambda utterance: SkipItem(), is_in_round, surrounding=no_phrases),
    Act(lambda acts: acts.skip, lambda utterance: SkipItem(), skips_item_rather),
    Act(lambda acts: acts.skip, skip_awaited_slot, may_skip_slot),
    Act(lambda acts: acts.no, skip_awaited_slot, no_means_skip),
    Act(lambda acts: acts.explain, explain_awaited_slot, awaits_slot),
    Act(
        lambda acts: acts.explain,
        lambda utterance: Digress("help"),
        lambda utterance: not utterance.has_open_flow and not utterance.offer_kind,
    ),
    Act(lambda acts: acts.repeat, lambda utterance: Repeat()),
    Act(lambda acts: acts.status, lambda utterance: Digress("status")),
    Act(lambda acts: acts.help, lambda utterance: Digress("help")),
    Act(lambda acts: acts.chitchat, lambda utterance: Chitchat(), surrounding=chitchat_phrases),
    Act(
        lambda acts: acts.praise,
        lambda utterance: Chitchat(),
        lambda utterance: not utterance.answers_yes_or_no,
        surrounding=courtesy_phrases,
    ),
)


def read_hesitation(utterance: Utterance) -> Command | None:
    """ "Wait a second" is not an answer yet, although "second" could be read as a value: repeat the question."""
    slot = utterance.awaited_slot
    is_option = slot is not None and slot.options and find_options(slot, utterance.tokens)
    if is_option or utterance.answers_yes_or_no or not is_hesitation(utterance):
        return None
    return waiting_answer(utterance)


def waiting_answer(utterance: Utterance) -> Command:
    """Return what answers a user who wants time: the question again, or what staff still do."""
    if utterance.awaits_staff:
        return Digress("status")
    return Repeat() if utterance.has_open_flow or utterance.offer_kind else Chitchat()


def read_act(utterance: Utterance) -> Command | None:
    """The command of the first act that is the whole message, or None."""
    # Cheap test first: most messages hold a word that belongs to no act.
    may_be_act = len(utterance.folded) <= MAX_ACT_WORDS and utterance.lexicon.acts.words.issuperset(utterance.folded)
    command = next(_matching_acts(utterance), None) if may_be_act else None
    return command or _read_authors_act(utterance)


def _read_authors_act(utterance: Utterance) -> Command | None:
    """Return the act that the assistant's own phrases give the message; a typing error in a word does not matter."""
    own_phrases, acts = utterance.assistant_index.act_phrases, utterance.lexicon.acts
    if own_phrases is None or len(utterance.folded) > MAX_ACT_WORDS:
        return None
    for act in ACTS:
        phrases = act.phrases(own_phrases)
        if not phrases or not act.applies(utterance):
            continue
        surrounding = (acts.fillers, acts.openers, *act.surrounding(utterance))
        is_alike = any(fuzzy_equal_phrase(utterance.folded, phrase) for phrase in phrases)
        if is_alike or consists_of(utterance.folded, phrases, *surrounding):
            return act.command(utterance)
    return None


def _matching_acts(utterance: Utterance) -> Iterator[Command]:
    acts = utterance.lexicon.acts
    possible = [act for act in ACTS if act.applies(utterance)]
    # "Para nada" is a no, although "para" stops and "nada" says nothing.
    yield from (act.command(utterance) for act in possible if utterance.folded in act.phrases(acts))
    for act in possible:
        surrounding = (acts.fillers, acts.openers, *act.surrounding(utterance))
        if consists_of(utterance.folded, act.phrases(acts), *surrounding):
            yield act.command(utterance)
