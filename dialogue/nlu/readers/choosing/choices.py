"""Choices from data, and lists: which options a message chooses, adds or takes out, and among which it leaves it open.

The matching itself is the engine's (`engine/slots/option_matching.py`); here it is decided whether the message is about
the options at all.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dialogue.engine.ports.commands import (
    AddValues,
    ClearSlot,
    Command,
    CorrectSlot,
    Narrow,
    RemoveValues,
    SetSlot,
    SkipSlot,
)
from dialogue.engine.ports.tasks import CollectTask
from dialogue.engine.slots.candidates import Candidate, CandidateList
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.option_matching import Match, Selection, match_options, match_several
from dialogue.nlu.readers.corrections import begins_as_correction, has_correction_cue, names_slot
from dialogue.nlu.readers.intents import classify_intent, is_outside_open_flows
from dialogue.nlu.readers.proposal import ANSWER_CONFIDENCE, CUED_CONFIDENCE, WHOLE_MESSAGE_CONFIDENCE, Proposal
from dialogue.nlu.readers.whole_answers import question_words, small_words
from dialogue.nlu.slots.assistant_index import FlowIndex
from dialogue.nlu.slots.choices import choice_candidates, chosen_keys, shown_candidates
from dialogue.nlu.slots.extraction import extract_values
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.tokens import folded_words, fuzzy_in

# A message with an answer asks for another flow only with a score this much higher.
ANSWER_INCREASE = 0.15
MAX_NO_MATCH_WORDS = 10
# In so short a message a number or a comparison is about the choice: "the second one", "the cheapest one, please".
MAX_PLAIN_CHOICE_WORDS = 5
NONE_OF_THESE = "none_of_these"
# What a message must say of an option of a slot that is not asked for: a bare "second" may mean anything.
TELLING_WAYS = frozenset({"label", "text", "amount", "date", "attribute", "other"})
CHANGING_OPERATIONS = frozenset({"add", "remove", "change"})


@dataclass(frozen=True)
class ChoiceReading:
    """The commands of a message about one choice, the words of it that say so, and those that say something else.

    `how` says by what the options were found: "label", "text + comparison".
    """

    commands: tuple[Command, ...]
    words: str = ""
    remainder: str = ""
    how: str = ""

    def proposal(self, confidence: float, commands: tuple[Command, ...] = ()) -> Proposal:
        """Return the commands as a proposal whose note says by what the options were found."""
        return Proposal(commands or self.commands, confidence, note=f"option by {self.how}" if self.how else "")


def read_whole_choice(utterance: Utterance) -> Proposal | None:
    """The answer to the question for a choice from data, where the message says nothing else."""
    slot = utterance.awaited_slot
    if slot is not None and _names_withheld_option(slot, utterance):
        return Proposal((SetSlot(slot.name, utterance.text, utterance.text),), CUED_CONFIDENCE)
    reading = read_chosen(slot, utterance) if slot is not None else None
    if slot is None or reading is None or not reading.commands or _unexplained_words(reading, slot, utterance):
        return None
    return reading.proposal(CUED_CONFIDENCE)


def _names_withheld_option(slot: Slot, utterance: Utterance) -> bool:
    """Whether the message only names options that cannot be chosen now: the engine says so, and asks again."""
    candidates = choice_candidates(slot, utterance)
    if not isinstance(candidates, CandidateList) or slot.type == "list":
        return False
    if _match(slot, candidates, utterance).how != "no match":
        return False
    match = match_options(
        utterance.text, candidates.withheld, utterance.context.language, today=utterance.clock().today
    )
    return bool(match.candidates) and not match.remainder and not TELLING_WAYS.isdisjoint(match.how.split(" + "))


def read_described_choice(utterance: Utterance) -> Proposal | None:
    """One option that a sentence describes, read before "cancel": "I want to cancel the running shoes"."""
    slot = utterance.awaited_slot
    candidates = choice_candidates(slot, utterance) if slot is not None else ()
    if slot is None or not candidates or slot.type == "list":
        return None
    match = _match(slot, candidates, utterance)
    is_one = len(match.candidates) == 1 and not TELLING_WAYS.isdisjoint(match.how.split(" + "))
    return read_choice_in_sentence(utterance) if is_one else None


def read_choice_in_sentence(utterance: Utterance) -> Proposal | None:
    """The answer to the question for a choice inside a sentence, with values for other slots beside it."""
    slot = utterance.awaited_slot
    reading = read_chosen(slot, utterance) if slot is not None else None
    if slot is None or reading is None or not reading.commands:
        return None
    unexplained_words = _unexplained_words(reading, slot, utterance)
    if unexplained_words and (slot.options_from is None or _is_decided_for_other_flow(utterance)):
        return None
    return reading.proposal(ANSWER_CONFIDENCE, (*reading.commands, *_values_beside(reading, utterance)))


def read_choice_without_match(utterance: Utterance) -> Proposal | None:
    """Words that describe an option which is not there: the engine says so, and asks again."""
    slot = utterance.awaited_slot
    candidates = choice_candidates(slot, utterance) if slot is not None else ()
    if slot is None or not candidates or slot.options_from is None or len(utterance.tokens) > MAX_NO_MATCH_WORDS:
        return None
    match = _match(slot, candidates, utterance)
    intent = classify_intent(utterance)
    is_elsewhere = intent is not None and intent.decided and is_outside_open_flows(intent, utterance)
    if match.how != "no match" or is_elsewhere or utterance.is_question:
        return None
    return Proposal((SetSlot(slot.name, utterance.text, utterance.text),), WHOLE_MESSAGE_CONFIDENCE)


def read_changed_choice(utterance: Utterance) -> Proposal | None:
    """Another option for a filled choice, or more or fewer for a filled list: "no, the blue one", "also the mug"."""
    for flow_index in utterance.open_flows():
        for slot in flow_index.slots:
            if utterance.awaited_slot is not None and utterance.awaited_slot.name == slot.name:
                continue
            reading = _read_change_of(slot, flow_index, utterance)
            if reading is not None:
                return reading.proposal(CUED_CONFIDENCE)
    return None


def read_chosen(slot: Slot, utterance: Utterance) -> ChoiceReading | None:
    """Return what an answer to the slot's question chooses; None for a slot without known options."""
    candidates = choice_candidates(slot, utterance)
    if not candidates:
        return None
    if slot.type == "list":
        return _selection_commands(slot, _select(slot, candidates, utterance), utterance)
    return _match_commands(slot, _match(slot, candidates, utterance), utterance)


def _match(slot: Slot, candidates: tuple[Candidate, ...], utterance: Utterance) -> Match:
    """Match the message: a number counts what is shown, other words may mean any option."""
    current = chosen_keys(slot, candidates, utterance)
    shown = shown_candidates(slot, candidates, utterance)
    for options in (shown, candidates):
        match = match_options(
            utterance.text, options, utterance.context.language, current=current, today=utterance.clock().today
        )
        if options is candidates or "number" in match.how:
            return match
    return Match()


def _select(slot: Slot, candidates: tuple[Candidate, ...], utterance: Utterance) -> Selection:
    return match_several(
        utterance.text,
        candidates,
        utterance.context.language,
        current=chosen_keys(slot, candidates, utterance),
        today=utterance.clock().today,
    )


def _match_commands(slot: Slot, match: Match, utterance: Utterance) -> ChoiceReading:
    keys = tuple(candidate.key for candidate in match.candidates)
    words = match.words or utterance.text
    if not keys:
        commands = _none_of_them(slot, utterance) if match.how == "none" else ()
    elif len(keys) == 1:
        commands = (SetSlot(slot.name, keys[0], words),)
    elif several := _named_one_by_one(slot, utterance):
        commands = (SetSlot(slot.name, several, words),)
    else:
        commands = (Narrow(slot.name, keys),)
    return ChoiceReading(commands, words, match.remainder, match.how)


def _named_one_by_one(slot: Slot, utterance: Utterance) -> list[str]:
    """ "W1 and W2", "both": return the options that a message wants all of, each in a run of the flow; else []."""
    shown = shown_candidates(slot, choice_candidates(slot, utterance), utterance)
    selection = match_several(utterance.text, shown, utterance.context.language, today=utterance.clock().today)
    is_sure = selection.operation == "set" and len(selection.chosen) > 1 and not selection.unclear
    # "Both lamps" may be meant as one of the two: asking once more is cheaper than a run too many.
    is_joined = "," in selection.words or not utterance.lexicon.cues.joining_words.isdisjoint(utterance.folded)
    is_named = selection.how == "all" or (is_joined and "not" not in selection.how)
    return [candidate.key for candidate in selection.chosen] if is_sure and is_named else []


def _none_of_them(slot: Slot, utterance: Utterance) -> tuple[Command, ...]:
    """ "None of these": the button for it, where the question was narrowed; else the engine says what there is."""
    task = utterance.context.awaited
    if isinstance(task, CollectTask) and any(choice.value == NONE_OF_THESE for choice in task.choices):
        return (SetSlot(slot.name, NONE_OF_THESE, utterance.text),)
    return (SetSlot(slot.name, utterance.text, utterance.text),) if slot.required else (SkipSlot(slot.name),)


def _selection_commands(
    slot: Slot, selection: Selection, utterance: Utterance, *, filled: bool = False
) -> ChoiceReading:
    words, chosen = selection.words or utterance.text, [candidate.key for candidate in selection.chosen]
    removed = tuple(candidate.key for candidate in selection.removed)
    commands: list[Command] = []
    match selection.operation:
        case "set":
            commands = [CorrectSlot(slot.name, chosen, words) if filled else SetSlot(slot.name, chosen, words)]
        case "add":
            commands = [AddValues(slot.name, tuple(chosen), words)]
        case "remove":
            commands = [RemoveValues(slot.name, removed, words)]
        case "change":
            commands = [RemoveValues(slot.name, removed, words), AddValues(slot.name, tuple(chosen), words)]
        case "clear":
            commands = [ClearSlot(slot.name)]
        case _ if selection.how == "none" and not filled:
            commands = list(_none_of_them(slot, utterance))
        case _:
            pass
    if selection.unclear:
        candidates = choice_candidates(slot, utterance)
        picked = selection.apply(chosen_keys(slot, candidates, utterance)) if commands else ()
        among = tuple(candidate.key for candidate in selection.unclear)
        # Options that an author wrote are asked for as a whole.
        commands = [Narrow(slot.name, among, picked)] if slot.options_from is not None else []
    return ChoiceReading(tuple(commands), words, selection.remainder, selection.how)


def _unexplained_words(reading: ChoiceReading, slot: Slot, utterance: Utterance) -> list[str]:
    """The content words that neither the options, the question nor the running flow explains."""
    known_words = question_words(slot, utterance) | small_words(utterance.lexicon)
    known_words |= utterance.running_flow.vocabulary if utterance.running_flow else frozenset()
    return [word for word in folded_words(reading.remainder) if not fuzzy_in(word, known_words)]


def _is_decided_for_other_flow(utterance: Utterance) -> bool:
    intent = classify_intent(utterance, extra_threshold=ANSWER_INCREASE)
    return intent is not None and intent.decided and is_outside_open_flows(intent, utterance)


def _values_beside(reading: ChoiceReading, utterance: Utterance) -> Iterator[Command]:
    """Yield values with a form of their own for empty slots, as far as they are not the words of the choice."""
    flow_index, slot = utterance.running_flow, utterance.awaited_slot
    start = utterance.text.find(reading.words) if reading.words else -1
    taken = range(start, start + len(reading.words)) if start >= 0 else range(0)
    for value in extract_values(flow_index.without_free_text, utterance) if flow_index is not None else ():
        is_other = slot is None or value.slot.name != slot.name
        is_free = value.span.start not in taken and value.slot.options_from is None
        if flow_index is not None and is_other and is_free and not utterance.is_filled(flow_index, value.slot):
            yield SetSlot(value.slot.name, value.value, value.words)


def _read_change_of(slot: Slot, flow_index: FlowIndex, utterance: Utterance) -> ChoiceReading | None:
    candidates = choice_candidates(slot, utterance)
    if not candidates or not utterance.is_filled(flow_index, slot):
        return None
    if slot.type == "list":
        return _read_list_change(slot, candidates, flow_index, utterance)
    match = _match(slot, candidates, utterance)
    current = chosen_keys(slot, candidates, utterance)
    matched = tuple(candidate.key for candidate in match.candidates)
    is_corrected = has_correction_cue(utterance) or begins_as_correction(utterance)
    # "The lamp" may mean the lamp that is chosen; "no, the lamp" means another one.
    keys = tuple(key for key in matched if key not in current) if is_corrected or len(matched) == 1 else matched
    is_open = not set(keys) <= set(current) and len(keys) < len(candidates)
    if not is_open or _adds(candidates, utterance) or not _is_about(slot, match.how, flow_index, utterance):
        return None
    commands: tuple[Command, ...] = (Narrow(slot.name, keys),)
    if len(keys) == 1:
        commands = (CorrectSlot(slot.name, keys[0], match.words),)
    reading = ChoiceReading(commands, match.words, match.remainder, match.how)
    return None if _asks_for_other_flow(reading, slot, utterance) else reading


def _adds(candidates: tuple[Candidate, ...], utterance: Utterance) -> bool:
    """Return whether the message wants one more option: "the keyboard too" does not replace a single choice."""
    selection = match_several(utterance.text, candidates, utterance.context.language)
    return selection.operation == "add"


def _read_list_change(
    slot: Slot, candidates: tuple[Candidate, ...], flow_index: FlowIndex, utterance: Utterance
) -> ChoiceReading | None:
    selection = _select(slot, candidates, utterance)
    is_change = selection.operation in CHANGING_OPERATIONS
    if selection.operation == "clear" and utterance.awaited_slot is None:
        return ChoiceReading((ClearSlot(slot.name),))
    if not (selection.chosen or selection.removed or selection.unclear):
        return None
    if not is_change and not _is_about(slot, selection.how, flow_index, utterance):
        return None
    current = chosen_keys(slot, candidates, utterance)
    if set(selection.apply(current)) == set(current) and not selection.unclear:
        return None
    reading = _selection_commands(slot, selection, utterance, filled=True)
    return None if _asks_for_other_flow(reading, slot, utterance) else reading


def _is_about(slot: Slot, how: str, flow_index: FlowIndex, utterance: Utterance) -> bool:
    """Return whether the message changes the slot: it corrects, names it, or describes an option and asks nothing."""
    if utterance.is_question and not begins_as_correction(utterance):
        return False
    named = names_slot([CorrectSlot(slot.name, None)], flow_index, utterance)
    if named or has_correction_cue(utterance) or begins_as_correction(utterance):
        return True
    if not utterance.lexicon.cues.doubts.isdisjoint(utterance.folded):
        return False
    is_telling = not TELLING_WAYS.isdisjoint(how.split(" + ")) or len(utterance.tokens) <= MAX_PLAIN_CHOICE_WORDS
    return is_telling and utterance.awaited_slot is None and not utterance.awaits_staff


def _asks_for_other_flow(reading: ChoiceReading, slot: Slot, utterance: Utterance) -> bool:
    return bool(_unexplained_words(reading, slot, utterance)) and _is_decided_for_other_flow(utterance)


def resolved_words(slot: Slot, words: str, utterance: Utterance) -> tuple[Command, ...]:
    """Return the command for words that an opening says of a choice: its option, a question, or the words themselves.

    The words are kept where the options are not known yet: the engine resolves them when they are.
    """
    candidates = choice_candidates(slot, utterance)
    if not candidates or slot.type == "list":
        return (SetSlot(slot.name, words, words),)
    match = match_options(words, candidates, utterance.context.language, today=utterance.clock().today)
    return _opening_commands(slot, words, match.candidates)


def _opening_commands(slot: Slot, words: str, candidates: Sequence[Candidate]) -> tuple[Command, ...]:
    keys = tuple(candidate.key for candidate in candidates)
    if len(keys) > 1:
        return (Narrow(slot.name, keys),)
    return (SetSlot(slot.name, keys[0] if keys else words, words),)
