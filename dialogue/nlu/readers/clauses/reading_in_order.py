"""The clauses read one after the other, each in the context that the clauses before it leave."""

from collections.abc import Sequence
from dataclasses import replace

from dialogue.engine.ports.commands import (
    Affirm,
    CancelFlow,
    Choose,
    Command,
    CorrectSlot,
    Deny,
    SetSlot,
    SkipSlot,
    StartFlow,
)
from dialogue.engine.ports.tasks import CollectTask
from dialogue.engine.slots.definitions.slot_types import NUMBER_TYPES
from dialogue.engine.slots.models import Slot
from dialogue.engine.understanding import NLUContext, StackEntry
from dialogue.nlu.readers.clauses.clause_readings import (
    VALUES,
    ClauseReaders,
    ClauseReading,
    is_negated,
    read_fully,
    takes_back,
)
from dialogue.nlu.readers.clauses.splitting import Clause
from dialogue.nlu.readers.corrections import find_named_slots
from dialogue.nlu.readers.free_text import find_sure_answer
from dialogue.nlu.readers.free_text_check import is_title
from dialogue.nlu.readers.proposal import SENTENCE_CONFIDENCE, Proposal
from dialogue.nlu.readers.whole_answers import has_negation, prompt_without_values
from dialogue.nlu.slots.assistant_index import is_free_text
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.utterance import Utterance


def read_in_order(clauses: Sequence[Clause], readers: ClauseReaders, utterance: Utterance) -> list[ClauseReading]:
    """Return what each clause means; the words that the extractor is sure of are the awaited text."""
    answer = find_sure_answer(utterance)
    readings: list[ClauseReading] = []
    context = before_value = utterance.context
    for clause in clauses:
        if readings and takes_back(readings[-1].clause):
            context = before_value
        reading = _read_clause(clause.in_context(context), readers, utterance)
        reading = _with_answer(reading, readings, answer, utterance)
        if reading.proposal is None and context is not utterance.context:
            reading = _read_next_answer(reading, readers, utterance.awaited_slot, readings)
        if _turns_down(reading, clauses[len(readings) :], readers):
            reading = ClauseReading(clause, None, is_exact=True)
        readings.append(reading)
        if any(isinstance(command, VALUES) for command in reading.commands):
            before_value = context
        context = _context_after(reading.commands, context)
    return readings


def _with_answer(
    reading: ClauseReading, before: Sequence[ClauseReading], answer: Span | None, utterance: Utterance
) -> ClauseReading:
    """Take the words that the extractor is sure of for the awaited text, and no others; an act stays one."""
    slot, clause = utterance.awaited_slot, reading.clause
    if answer is None or slot is None or (reading.is_exact and not _sets(slot, reading.commands)):
        return reading
    others = tuple(
        command
        for command in reading.commands
        if not _sets(slot, [command]) and not _follows_something_else(command, before, utterance)
    )
    if not clause.start <= answer.start < clause.end:
        proposal = replace(reading.proposal, commands=others) if reading.proposal is not None and others else None
        return replace(reading, proposal=proposal, is_exact=reading.is_exact and bool(others))
    commands = (SetSlot(slot.name, answer.value, str(answer.value)), *others)
    confidence = reading.proposal.confidence if reading.proposal is not None else SENTENCE_CONFIDENCE
    return ClauseReading(clause, Proposal(commands, confidence))


def _follows_something_else(command: Command, before: Sequence[ClauseReading], utterance: Utterance) -> bool:
    """ "H-9041. While I think of it, we lost a jacket": a text behind words without a meaning is of something else."""
    flow_index = utterance.running_flow
    slot = flow_index.slot(getattr(command, "slot", "")) if flow_index is not None else None
    is_text = isinstance(command, SetSlot) and slot is not None and is_free_text(slot)
    return is_text and any(not reading.commands and reading.unexplained() for reading in before)


def _sets(slot: Slot, commands: Sequence[Command]) -> bool:
    return any(isinstance(command, SetSlot) and command.slot == slot.name for command in commands)


def _turns_down(reading: ClauseReading, clauses: Sequence[Clause], readers: ClauseReaders) -> bool:
    """ "No 80, 100", "tomorrow I'm at work, Friday": the first value is turned down, another one answers behind it."""
    if len(clauses) == 1 or not (is_negated(clauses[0]) or _is_remark_about_value(reading)):
        return False
    following = readers.exactly(clauses[1].utterance)
    slots = {command.slot for command in reading.commands if isinstance(command, SetSlot)}
    answers = [command for command in following.commands if isinstance(command, SetSlot)] if following else []
    return any(command.slot in slots for command in answers)


def _is_remark_about_value(reading: ClauseReading) -> bool:
    """ "Tomorrow's no good", "the 24th is bad": a value of a form, and other words that nothing explains."""
    utterance = reading.clause.utterance
    slot = utterance.awaited_slot
    if reading.is_exact or slot is None or is_free_text(slot) or slot.type in ("boolean", "choice"):
        return False
    return has_negation(utterance.folded, utterance.lexicon) or bool(reading.unexplained())


def _read_clause(clause: Clause, readers: ClauseReaders, utterance: Utterance) -> ClauseReading:
    # "Great, book it": what says yes once more is no request.
    again = readers.exactly(clause.in_context(utterance.context).utterance)
    is_again = again is not None and isinstance(again.commands[0], Affirm | Deny)
    exact = again if is_again else readers.exactly(clause.utterance)
    if exact is not None:
        return ClauseReading(clause, exact, is_exact=True)
    proposal = clause.utterance.remember(read_fully, readers)
    return ClauseReading(clause, proposal if proposal is not None and proposal.decided else None)


def _read_next_answer(
    reading: ClauseReading, readers: ClauseReaders, answered: Slot | None, before: Sequence[ClauseReading]
) -> ClauseReading:
    """ "Skip it, and I'm Lou Reed": what answers the question that comes next.

    "For my mum, she's called Ruth" gives one text: only where its slot is named, a further one follows a text.
    """
    context = _context_of_next_question(reading.clause.utterance, answered)
    if context is None or reading.is_question:
        return reading
    clause = reading.clause.in_context(context)
    answer = _read_clause(clause, readers, clause.utterance)
    is_value = bool(answer.commands) and all(isinstance(command, VALUES) for command in answer.commands)
    follows_text = answered is not None and is_free_text(answered) and _sets_value(before)
    # "Me and my wife, so two" says one number twice.
    said = {str(command.value) for reading in before for command in reading.commands if isinstance(command, SetSlot)}
    is_new = not any(isinstance(command, SetSlot) and str(command.value) in said for command in answer.commands)
    is_sure = is_value and is_new and _is_sure_value(answer, clause, follows_text)
    return answer if is_sure else reading


def _sets_value(readings: Sequence[ClauseReading]) -> bool:
    return any(isinstance(command, SetSlot) for reading in readings for command in reading.commands)


def _is_sure_value(answer: ClauseReading, clause: Clause, follows_text: bool) -> bool:
    """Return whether the value has a form, or is a name, or its slot is named: "it's a good idea" is no city, and the 9
    of "band at 9" no amount.
    """
    slot = clause.utterance.awaited_slot
    if slot is None or find_named_slots(clause.folded, [slot]):
        return True
    if not is_free_text(slot):
        return slot.type not in NUMBER_TYPES or not answer.unexplained()
    return not follows_text and is_title(clause.utterance.with_text(getattr(answer.commands[0], "words", "")))


def _context_of_next_question(utterance: Utterance, answered: Slot | None) -> NLUContext | None:
    """Return the context in which the flow asks for the slot that the text names, or else for the next in order."""
    flow_index, context = utterance.running_flow, utterance.context
    if flow_index is None or context.awaited is not None:
        return None
    names = [slot.name for slot in flow_index.slots]
    start = names.index(answered.name) + 1 if answered is not None and answered.name in names else 0
    open_slots = [slot for slot in flow_index.slots[start:] if not utterance.is_filled(flow_index, slot)]
    slot = next(iter((*find_named_slots(utterance.folded, open_slots), *open_slots)), None)
    if slot is None or slot.type == "boolean":
        return None
    message = prompt_without_values(slot.prompt, context.language)
    task = CollectTask(frame="", flow=flow_index.name, step="", visit=1, title="", message=message, slot=slot.name)
    return replace(context, awaited=task, awaited_slot=slot)


def _context_after(commands: Sequence[Command], context: NLUContext) -> NLUContext:
    """Return the context in which what follows these commands is said."""
    for command in commands:
        if isinstance(command, StartFlow):
            entry = StackEntry(command.flow, "", "active", command.flow)
            context = replace(context, awaited=None, awaited_slot=None, offer=(), stack=(*context.stack, entry))
        elif isinstance(command, Affirm | Deny | Choose | CancelFlow):
            context = replace(context, awaited=None, awaited_slot=None, offer=())
        elif isinstance(command, SetSlot | CorrectSlot):
            context = _with_value(command, context)
        elif isinstance(command, SkipSlot) and getattr(context.awaited, "slot", None) == command.slot:
            context = replace(context, awaited=None, awaited_slot=None)
    return context


def _with_value(command: SetSlot | CorrectSlot, context: NLUContext) -> NLUContext:
    flow = context.stack[-1].flow if context.stack else ""
    filled = {**context.filled, f"{flow}.{command.slot}": command.words or str(command.value)}
    if getattr(context.awaited, "slot", None) != command.slot:
        return replace(context, filled=filled)
    return replace(context, filled=filled, awaited=None, awaited_slot=None)
