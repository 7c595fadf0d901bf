"""What is left of the clauses' commands when those that other clauses overrule are dropped."""

from collections.abc import Iterator, Sequence

from dialogue.engine.ports.commands import (
    Affirm,
    CancelFlow,
    Command,
    CorrectSlot,
    Deny,
    Digress,
    SetSlot,
    SkipSlot,
    StartFlow,
)
from dialogue.engine.ports.tasks import ConfirmTask
from dialogue.nlu.readers.clauses.clause_readings import SMALL_TALK, VALUES, ClauseReading, takes_back
from dialogue.nlu.readers.clauses.splitting import Clause
from dialogue.nlu.readers.command_filter import equal_values
from dialogue.nlu.readers.corrections import begins_as_correction
from dialogue.nlu.readers.whole_answers import has_negation
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import find_phrase, prefix_length


def kept_commands(readings: Sequence[ClauseReading], utterance: Utterance) -> Iterator[Command]:
    """Yield what is left of the clauses' commands when those that others overrule are dropped, in order."""
    commands = [
        (index, command)
        for index, reading in enumerate(readings)
        for command in (*reading.commands, *_question_of(reading, readings))
    ]
    is_small = all(isinstance(command, SMALL_TALK) for _, command in commands)
    yielded: list[Command] = []
    for index, command in commands:
        is_overruled = isinstance(command, SMALL_TALK) and not is_small
        if is_overruled or command in yielded or not _stands(command, index, readings, utterance):
            continue
        yielded.append(command)
    # Of several that say nothing else, one answer is enough.
    yield from yielded[:1] if is_small else yielded


def _question_of(reading: ClauseReading, readings: Sequence[ClauseReading]) -> Iterator[Command]:
    """ "Friday, and do you have a lift?": a question that nothing answers, beside what was understood."""
    has_others = any(other.commands for other in readings if other is not reading)
    if reading.proposal is None and reading.is_question and has_others:
        yield Digress("question")


def _stands(command: Command, index: int, readings: Sequence[ClauseReading], utterance: Utterance) -> bool:
    """Return whether no later clause overrules the command."""
    later = readings[index + 1 :]
    match command:
        case Affirm():
            is_confirm = isinstance(utterance.context.awaited, ConfirmTask)
            is_limited = is_confirm and any(map(_is_condition, readings[:index]))  # "if it's free, yes"
            return not is_limited and _agreement_stands(readings[index], later, utterance)
        case Deny():
            # "Not yet, my number is 555 0143" answers, and says something else.
            slot = utterance.awaited_slot
            answers = slot is not None and slot.type == "boolean"
            others = [other for reading in later for other in reading.commands]
            changes = [other for other in others if isinstance(other, VALUES)]
            is_changed = any(
                not answers or slot is None or getattr(other, "slot", "") == slot.name for other in changes
            )
            return CancelFlow() not in others and not is_changed
        case CancelFlow():
            return not any(map(_changes_mind, later))
        case SkipSlot():
            return _skip_stands(command, index, readings, utterance)
        case CorrectSlot(slot=slot) if _is_vague_change(slot, readings[: index + 1]):
            return False
        case SetSlot(slot=slot) | CorrectSlot(slot=slot):
            is_repeated = _is_set_again(slot, readings, index) or _is_one_of_two(command, readings, index)
            is_skipped = any(SkipSlot(slot) in reading.commands for reading in readings[: index + 1])
            is_of_other = is_skipped and _is_said_for_another(command, readings[index])
            is_guess = _explains_ignorance(slot, index, readings)
            is_other = is_repeated or is_of_other or is_guess
            return not is_other and not _is_of_cancelled_flow(index, readings)
        case StartFlow(flow=flow):
            # "Scrap that, we're not having a skip any more": what was just cancelled is not wanted again.
            cancelled = any(CancelFlow() in reading.commands for reading in readings[:index])
            is_same = utterance.running_flow is not None and utterance.running_flow.name == flow
            is_reason = cancelled and not _asks(readings[index].clause)
            return not (cancelled and (is_same or is_reason)) and not _is_taken_back(readings[index], later)
        case _:
            return True


def _is_vague_change(slot: str, readings: Sequence[ClauseReading]) -> bool:
    """ "Drama, maybe something with Keener": a value just given changes only behind "no" or "I mean"."""
    *earlier, reading = readings
    is_just_set = any(
        isinstance(command, SetSlot) and command.slot == slot for other in earlier for command in other.commands
    )
    is_former = bool(earlier) and not reading.clause.utterance.lexicon.cues.former_words.isdisjoint(
        earlier[-1].clause.folded
    )
    is_clear = is_just_set and (is_former or takes_back(earlier[-1].clause) or _corrects(reading.clause.utterance))
    return is_just_set and not is_clear


def _corrects(utterance: Utterance) -> bool:
    """ "No, make that 25": the words of a correction, also behind a no."""
    refused = prefix_length(utterance.folded, utterance.lexicon.acts.no)
    is_behind_no = prefix_length(utterance.folded[refused:], utterance.lexicon.cues.plain_corrections) > 0
    return begins_as_correction(utterance) or (refused > 0 and is_behind_no)


def _is_set_again(slot: str, readings: Sequence[ClauseReading], index: int) -> bool:
    """Return whether a later clause gives another value for the slot, up to the next request."""
    for position, reading in enumerate(readings[index + 1 :], start=index + 1):
        for command in reading.commands:
            if isinstance(command, StartFlow):
                return False
            is_same = getattr(command, "slot", "") == slot
            if is_same and not (isinstance(command, CorrectSlot) and _is_vague_change(slot, readings[: position + 1])):
                return True
    return False


def _is_one_of_two(command: SetSlot | CorrectSlot, readings: Sequence[ClauseReading], index: int) -> bool:
    """ "A city bike and an e-bike": of two options that "and" joins, neither is the one."""
    utterance, following = readings[index].clause.utterance, next(iter(readings[index + 1 :]), None)
    is_choice = utterance.awaited_slot is not None and utterance.awaited_slot.type == "choice"
    if not is_choice or following is None or utterance.lexicon.cues.joining_words.isdisjoint(following.clause.joint):
        return False
    changes = [other for other in following.commands if isinstance(other, CorrectSlot) and other.slot == command.slot]
    is_other = any(not equal_values(other.value, command.value) for other in changes)
    return is_other and _is_vague_change(command.slot, readings[: index + 2])


def _is_said_for_another(command: SetSlot | CorrectSlot, reading: ClauseReading) -> bool:
    """ "I don't have it, it goes to BS3 1DF": the same words are also another slot's value."""
    others = [other for other in reading.commands if isinstance(other, SetSlot) and other.slot != command.slot]
    return any(other.words == command.words for other in others)


def _explains_ignorance(slot: str, index: int, readings: Sequence[ClauseReading]) -> bool:
    """ "No idea, it's just a white box": a sentence behind "I don't know" is no value; "not sure, Friday?" has one."""
    clause = readings[index].clause
    cues = clause.utterance.lexicon.cues
    is_unknown = any(
        Digress("clarification", slot) in reading.commands and reading.is_exact for reading in readings[:index]
    )
    is_text = any(
        isinstance(command, SetSlot) and isinstance(command.value, str) and command.value == command.words
        for command in readings[index].commands
    )
    begins = not (cues.sentence_starters | cues.clause_starters | cues.pointing_words).isdisjoint(clause.folded[:1])
    return is_unknown and is_text and begins


def _asks(clause: Clause) -> bool:
    """Return whether the clause asks for something: "my neighbour is a plumber" does not."""
    utterance, acts = clause.utterance, clause.utterance.lexicon.acts
    cues = utterance.lexicon.cues
    statement_words = cues.pointing_words | cues.sentence_starters | cues.clause_starters
    begins = statement_words.isdisjoint(utterance.folded[:1])
    is_wish = find_phrase(utterance.folded, acts.openers) is not None or utterance.is_question
    return is_wish or (begins and utterance.lexicon.cues.link_verbs.isdisjoint(utterance.folded))


def _changes_mind(reading: ClauseReading) -> bool:
    """ "Cancel that, make it Saturday": a value that is clearly meant ends nothing."""
    has_value = any(isinstance(command, VALUES) for command in reading.commands)
    return has_value and (reading.is_exact or begins_as_correction(reading.clause.utterance))


def _is_of_cancelled_flow(index: int, readings: Sequence[ClauseReading]) -> bool:
    """ "Forget it, I have some at home": what is said behind a cancel is its reason, up to the next request."""
    for position in range(index - 1, -1, -1):
        if any(isinstance(command, StartFlow) for command in readings[position].commands):
            return False
        if CancelFlow() in readings[position].commands:
            return not any(map(_changes_mind, readings[position + 1 :]))
    return False


def _is_taken_back(reading: ClauseReading, later: Sequence[ClauseReading]) -> bool:
    """ "Something with my card, or no, tell me the balance", "I don't want to rent, I want to buy"."""
    is_replaced = any(isinstance(command, StartFlow) for other in later for command in other.commands)
    return is_replaced and (takes_back(later[0].clause) or _denies(reading.clause))


def _denies(clause: Clause) -> bool:
    lexicon = clause.utterance.lexicon
    return not lexicon.cues.denials.isdisjoint(clause.folded) or has_negation(clause.folded, lexicon)


def _agreement_stands(reading: ClauseReading, later: Sequence[ClauseReading], utterance: Utterance) -> bool:
    """A confirm is affirmed by a clear yes only: no "but", no change, no question that is not joined by "and"."""
    commands = [command for other in later for command in other.commands]
    if any(isinstance(command, Deny | CancelFlow) for command in commands):
        return False
    if not isinstance(utterance.context.awaited, ConfirmTask):
        return True
    if reading.clause.utterance.text.endswith("?") or any(map(_limits, later)):
        return False
    return not any(isinstance(command, (*VALUES, SkipSlot)) for command in _commands_before_request(later))


def _skip_stands(command: SkipSlot, index: int, readings: Sequence[ClauseReading], utterance: Utterance) -> bool:
    """ "No, skip the insurance" has answered; "yes, but without the note" changes what is agreed to.

    "No, I meant Museum station" is about another slot than the awaited one.
    """
    reading = readings[index]
    is_no = takes_back(reading.clause) or prefix_length(reading.clause.folded, utterance.lexicon.acts.no) > 0
    later = [other for each in readings[index + 1 :] for other in each.commands]
    if is_no and any(isinstance(other, CorrectSlot) and other.slot != command.slot for other in later):
        return False
    earlier = [other for each in readings[:index] for other in each.commands]
    return _is_filled(command.slot, utterance) or not any(isinstance(other, Affirm | Deny) for other in earlier)


def _is_filled(name: str, utterance: Utterance) -> bool:
    slots = ((flow, flow.slot(name)) for flow in utterance.open_flows())
    return any(slot is not None and utterance.is_filled(flow, slot) for flow, slot in slots)


def _limits(reading: ClauseReading) -> bool:
    """Whether the clause takes back or limits a yes before it: "but …", "no, wait", a question of its own."""
    clause = reading.clause
    return (
        clause.is_contrast or _is_condition(reading) or takes_back(clause) or (reading.is_question and not clause.joint)
    )


def _is_condition(reading: ClauseReading) -> bool:
    clause = reading.clause
    # "Sí" is a yes, "si" a condition.
    is_plain = clause.utterance.tokens[0].text.casefold() == clause.folded[0] if clause.folded else False
    begins = is_plain and prefix_length(clause.folded, clause.utterance.lexicon.cues.conditions) > 0
    return begins and not reading.is_exact


def _commands_before_request(readings: Sequence[ClauseReading]) -> Iterator[Command]:
    """Yield commands up to the next request: values behind it are for the requested flow."""
    for reading in readings:
        for command in reading.commands:
            if isinstance(command, StartFlow):
                return
            yield command
