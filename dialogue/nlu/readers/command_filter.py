"""Filter the commands that the understanding proposes: each must be legal, known and in the message.

Dropped commands go to the record of the turn with the reason.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from dialogue.engine.ports.commands import (
    AddValues,
    Affirm,
    CancelFlow,
    Choose,
    Clarify,
    ClearSlot,
    Command,
    CorrectSlot,
    Deny,
    Digress,
    Narrow,
    OfferChange,
    RemoveValues,
    ResumeFlow,
    SetSlot,
    SkipItem,
    SkipSlot,
    StartFlow,
)
from dialogue.engine.ports.tasks import CollectTask, ConfirmTask
from dialogue.engine.slots.candidates import find_candidate
from dialogue.engine.slots.models import Slot
from dialogue.engine.understanding import DroppedCommand
from dialogue.nlu.readers.free_text_check import free_text_objection
from dialogue.nlu.readers.whole_answers import has_negation
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, is_free_text, needed_flows
from dialogue.nlu.slots.choices import choice_candidates, meant_keys
from dialogue.nlu.slots.extractors import find_dates_in, find_numbers_in, find_times_in, find_values, looks_back
from dialogue.nlu.slots.slot_words import slot_words
from dialogue.nlu.slots.typed.options import option_texts
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import find_phrase, prefix_length, suffix_length
from dialogue.nlu.text.tokens import fold, folded_words, fuzzy_equal_phrase, fuzzy_in

# So short a message may agree in words of its own; in one up to the second length "yes" may stand inside.
MAX_CONSENT_TOKENS, MAX_TOKENS_AROUND_CONSENT = 5, 12
# Words that begin with so many equal letters are forms of one word: "smoke", "smoking".
MIN_STEM_LETTERS = 4


def filter_commands(
    commands: Sequence[Command], utterance: Utterance
) -> tuple[tuple[Command, ...], tuple[DroppedCommand, ...]]:
    """Return the accepted commands in order, and the dropped ones with their reasons."""
    objections = [(command, _objection(command, commands, utterance)) for command in commands]
    accepted = tuple(command for command, objection in objections if objection is None)
    return accepted, tuple(
        DroppedCommand(command, objection) for command, objection in objections if objection is not None
    )


def _objection(command: Command, commands: Sequence[Command], utterance: Utterance) -> str | None:
    check_of = OBJECTIONS.get(type(command))
    return check_of(command, commands, utterance) if check_of else None


def _start_objection(command: StartFlow, commands: Sequence[Command], utterance: Utterance) -> str | None:
    is_known = command.flow in utterance.startable_flows() | {entry.flow for entry in utterance.context.stack}
    return None if is_known else f"{command.flow} is not a flow that can be started here"


def _stack_objection(command: CancelFlow | ResumeFlow, commands: Sequence[Command], utterance: Utterance) -> str | None:
    is_known = not command.flow or command.flow in {entry.flow for entry in utterance.context.stack}
    return None if is_known else f"{command.flow} is not on the stack"


def _clarify_objection(command: Clarify, commands: Sequence[Command], utterance: Utterance) -> str | None:
    if len(commands) > 1:
        return "another command came with it"
    unknown = set(command.flows) - utterance.startable_flows() - {entry.flow for entry in utterance.context.stack}
    return f"{', '.join(sorted(unknown))}: not flows that can be offered here" if unknown or not command.flows else None


def _yes_no_objection(command: Affirm | Deny, commands: Sequence[Command], utterance: Utterance) -> str | None:
    if not utterance.answers_yes_or_no:
        return "there is nothing to answer"
    consents = isinstance(command, Affirm) and isinstance(utterance.context.awaited, ConfirmTask)
    return "the message does not agree" if consents and not _is_consent(utterance) else None


def _choice_objection(command: Choose, commands: Sequence[Command], utterance: Utterance) -> str | None:
    task = utterance.context.awaited
    is_known = isinstance(task, ConfirmTask) and command.answer in {choice.value for choice in task.choices[2:]}
    return None if is_known else f"{command.answer} is not an answer here"


def _is_consent(utterance: Utterance) -> bool:
    """Return whether the message agrees: a button, a word of consent, or a few words that do not ask or refuse.

    A language model's Affirm passes only then. A long message must begin or end with the consent: in its middle, the
    word may be about something else.
    """
    task = utterance.context.awaited
    choices = task.choices if isinstance(task, ConfirmTask) else ()
    labels = {fold(text) for choice in choices for text in (choice.value, choice.label)}
    yes, is_short = utterance.lexicon.acts.yes, len(utterance.folded) <= MAX_TOKENS_AROUND_CONSENT
    if fold(utterance.text) in labels or prefix_length(utterance.folded, yes) or suffix_length(utterance.folded, yes):
        return True
    if is_short and find_phrase(utterance.folded, yes):
        return True
    is_refusal = has_negation(utterance.folded, utterance.lexicon) or not utterance.lexicon.cues.denials.isdisjoint(
        utterance.folded
    )
    return len(utterance.folded) <= MAX_CONSENT_TOKENS and not utterance.is_question and not is_refusal


def _topic_objection(command: Digress, commands: Sequence[Command], utterance: Utterance) -> str | None:
    if command.kind != "question" or not command.topic:
        return None
    return (
        None
        if command.topic in utterance.assistant_index.assistant.knowledge
        else f"{command.topic} is not a topic of the knowledge"
    )


def _item_objection(command: SkipItem, commands: Sequence[Command], utterance: Utterance) -> str | None:
    is_in_round = any(loop.item for loop in utterance.context.loops)
    return None if is_in_round else "no entry of a list is being talked about"


def _slot_objection(command: ClearSlot | SkipSlot, commands: Sequence[Command], utterance: Utterance) -> str | None:
    slot = find_slot(command.slot, commands, utterance, in_waiting_flows=True)
    return None if slot else f"{command.slot} is not a slot of the open flows"


def _ungrounded_objection(
    command: SetSlot | CorrectSlot | OfferChange, commands: Sequence[Command], utterance: Utterance
) -> str | None:
    slot = find_slot(command.slot, commands, utterance, in_waiting_flows=not isinstance(command, SetSlot))
    if slot is None and getattr(command, "item", None) is not None:
        slot = slot_of_later_round(command.slot, commands, utterance)
    if slot is None:
        return f"{command.slot} is not a slot of the open flows"
    if not is_grounded(command.value, slot, utterance):
        return "the message does not hold this value"
    return (
        free_text_objection(command.value, slot, utterance)
        if is_free_text(slot) and isinstance(command.value, str)
        else None
    )


def slot_of_later_round(name: str, commands: Sequence[Command], utterance: Utterance) -> Slot | None:
    """Return the slot of a loop that a requested or open flow will come to, in itself or in a flow that it calls."""
    requested = [command.flow for command in commands if isinstance(command, StartFlow)]
    flows = (*requested, *(flow_index.flow.flow for flow_index in utterance.open_flows()))
    round_slots = utterance.assistant_index.round_slots
    return next((round_slots[flow][name] for flow in flows if name in round_slots.get(flow, {})), None)


def _options_objection(
    command: Narrow | AddValues | RemoveValues, commands: Sequence[Command], utterance: Utterance
) -> str | None:
    """Object to values that the message does not hold, and to options that do not exist."""
    slot = find_slot(command.slot, commands, utterance, in_waiting_flows=True)
    if slot is None:
        return f"{command.slot} is not a slot of the open flows"
    if isinstance(command, Narrow):
        keys = {candidate.key for candidate in choice_candidates(slot, utterance)}
        return None if keys.issuperset(command.values) else "these are not options of the slot"
    items = slot.items if slot.type == "list" and slot.items is not None else slot
    is_choice = bool(choice_candidates(slot, utterance))
    grounded = (
        _is_candidate_grounded(value, slot, utterance) if is_choice else is_grounded(value, items, utterance)
        for value in command.values
    )
    return None if command.values and all(grounded) else "the message does not hold these values"


def _is_candidate_grounded(value: Any, slot: Slot, utterance: Utterance) -> bool:
    """Return whether the value is an option that the message means, by any of its words."""
    candidates = choice_candidates(slot, utterance)
    candidate = find_candidate(value, candidates)
    return candidate is not None and candidate.key in meant_keys(slot, candidates, utterance)


def find_slot(
    name: str, commands: Sequence[Command], utterance: Utterance, *, in_waiting_flows: bool = False
) -> Slot | None:
    """Return the slot in the flows that the message starts, else in the open ones, else the awaited slot, or None.

    Only slots that a step asks users for or that an example names: users may not set what flows and actions fill. The
    flows that a started one needs are among them; those that wait for a needed flow only with `in_waiting_flows`.
    """
    flow_indexes = utterance.assistant_index.flows
    started = [command.flow for command in commands if isinstance(command, StartFlow)]
    needed = [needed for flow in started for needed in needed_flows(flow, utterance.assistant_index)]
    flows = [
        flow_indexes[flow]
        for flow in (*started, *needed, *(entry.flow for entry in utterance.open_entries))
        if flow in flow_indexes
    ]
    flows += utterance.waiting_flows() if in_waiting_flows else ()
    flows_of_assistant = flow_indexes.values() if name in utterance.assistant_index.assistant.slots else ()
    slot_found = next(
        (slot for flow_index in (*flows, *flows_of_assistant) if (slot := flow_index.slot(name)) is not None), None
    )
    awaited = utterance.awaited_slot
    return slot_found or (awaited if awaited is not None and awaited.name == name else None)


def is_grounded(value: Any, slot: Slot, utterance: Utterance) -> bool:
    """Return whether the message holds the value, or a normal form, an option or a synonym of it."""
    if slot.options_from is not None:
        return _is_choice_grounded(value, slot, utterance)
    if isinstance(value, list) and slot.items is not None and choice_candidates(slot, utterance):
        return all(
            _is_candidate_grounded(item, slot, utterance) or is_grounded(item, slot.items, utterance) for item in value
        )
    if isinstance(value, list) and slot.items is not None:
        excluded = slot.items.options and find_phrase(utterance.folded, utterance.lexicon.cues.exclusions)
        return bool(excluded) or all(is_grounded(item, slot.items, utterance) for item in value)
    if isinstance(value, Mapping):
        return all(
            name in slot.fields and is_grounded(item, slot.fields[name], utterance) for name, item in value.items()
        )
    return (
        _is_substring(str(value), utterance)
        or any(equal_values(span.value, value) for span in find_values(slot, utterance))
        or _is_number_grounded(value, utterance)
        or _is_option_grounded(value, slot, utterance)
        or _is_datetime_part_grounded(value, slot, utterance)
        or _is_closed_value_meant(value, slot, utterance)
        or (value == 0 and find_phrase(utterance.folded, utterance.lexicon.cues.skips) is not None)
    )


def _is_closed_value_meant(value: Any, slot: Slot, utterance: Utterance) -> bool:
    """Return whether yes or no, or an option, of a slot that the message speaks of, or that is asked for.

    Such a value is seldom in the message word for word: "a place where I may smoke", "the most comfortable ride". The
    message must share a word with the slot's name, title or description, or with the option's. Nothing else in the
    prompt counts, so that texts of other people set nothing; sensitive values stay literal.
    """
    option = slot.option(value) if isinstance(value, str) else None
    is_yes_or_no = isinstance(value, bool) and slot.type == "boolean"
    if slot.hides_values or not (is_yes_or_no or option):
        return False
    if utterance.awaited_slot is not None and utterance.awaited_slot.name == slot.name:
        return True
    words = slot_words(slot).union(*(folded_words(text) for text in (option_texts(option) if option else ())))
    content = [word for word in utterance.folded if len(word) >= MIN_STEM_LETTERS and word not in FUNCTION_WORDS]
    return any(fuzzy_in(word, words) or _shares_stem(word, words) for word in content)


def _shares_stem(word: str, words: Collection[str]) -> bool:
    """Return whether the word begins like one of the words: "smoke" and "smoking"."""
    if len(word) <= MIN_STEM_LETTERS:
        return False
    return any(len(other) > MIN_STEM_LETTERS and other[:MIN_STEM_LETTERS] == word[:MIN_STEM_LETTERS] for other in words)


def _is_choice_grounded(value: Any, slot: Slot, utterance: Utterance) -> bool:
    """Return whether the message holds the words, names the options, or answers with a button of the question."""
    task = utterance.context.awaited
    choices = task.choices if isinstance(task, CollectTask) and task.slot == slot.name else ()
    if any(value == choice.value for choice in choices) and not choice_candidates(slot, utterance):
        return True
    values = value if isinstance(value, list) else [value]
    if choices and all(find_candidate(value, choice_candidates(slot, utterance)) for value in values):
        # Any option answers its own question: a language model may know other words for it.
        return True
    controls = {choice.value for choice in choices} - {c.key for c in choice_candidates(slot, utterance)}
    return all(
        (isinstance(value, str) and value in controls)
        or _is_candidate_grounded(value, slot, utterance)
        or _is_said(value, utterance)
        for value in values
    )


def _is_said(value: Any, utterance: Utterance) -> bool:
    return isinstance(value, str) and _is_substring(value, utterance)


def _is_substring(text: str, utterance: Utterance) -> bool:
    return (
        fold(_letters_and_digits(text)) in fold(_letters_and_digits(utterance.text))
        if _letters_and_digits(text)
        else False
    )


def _letters_and_digits(text: str) -> str:
    return "".join(character for character in text if character.isalnum() or character in "@+")


def equal_values(value: Any, other: Any) -> bool:
    """Return whether two values are the same number, or the same text without regard to case and accents."""
    if value == other:
        return True
    try:
        return Decimal(str(value)) == Decimal(str(other))
    except InvalidOperation:
        return fold(str(value)) == fold(str(other))


def _is_number_grounded(value: Any, utterance: Utterance) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    return any(equal_values(span.value, value) for span in find_numbers_in(utterance))


def _is_datetime_part_grounded(value: Any, slot: Slot, utterance: Utterance) -> bool:
    """Return whether the message gives the time or the day, and the filled value the other part."""
    if slot.type != "datetime" or not isinstance(value, str):
        return False
    day, _, time = value.partition("T")
    spans = (*find_dates_in(utterance, looks_back=looks_back(slot)), *find_times_in(utterance))
    return any(span.value in (day, time[:5]) for span in spans if not span.weak)


def _is_option_grounded(value: Any, slot: Slot, utterance: Utterance) -> bool:
    """Return whether the message names the option by any of its words.

    A position ("the second one") or a button counts only as the answer to the slot's own question.
    """
    option = slot.option(value)
    if option is None:
        return False
    awaited = utterance.awaited_slot is not None and utterance.awaited_slot.name == slot.name
    return awaited or any(_contains_phrase(folded_words(text), utterance) for text in option_texts(option))


def _contains_phrase(phrase: Sequence[str], utterance: Utterance) -> bool:
    starts = range(len(utterance.folded) - len(phrase) + 1)
    return any(fuzzy_equal_phrase(utterance.folded[start : start + len(phrase)], phrase) for start in starts)


OBJECTIONS: Mapping[type[Any], Callable[[Any, Sequence[Command], Utterance], str | None]] = {
    StartFlow: _start_objection,
    CancelFlow: _stack_objection,
    ResumeFlow: _stack_objection,
    Clarify: _clarify_objection,
    Affirm: _yes_no_objection,
    Deny: _yes_no_objection,
    Choose: _choice_objection,
    Digress: _topic_objection,
    ClearSlot: _slot_objection,
    SkipSlot: _slot_objection,
    SkipItem: _item_objection,
    SetSlot: _ungrounded_objection,
    CorrectSlot: _ungrounded_objection,
    Narrow: _options_objection,
    AddValues: _options_objection,
    RemoveValues: _options_objection,
    OfferChange: _ungrounded_objection,
}
