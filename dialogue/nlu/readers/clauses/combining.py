"""One reading of a message from those of its clauses, each read in the context that the clauses before it leave.

The reading that explains most of the message is taken: the one of the whole message, or the one clause by clause.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from dialogue.engine.ports.commands import (
    AddValues,
    Affirm,
    CancelFlow,
    Chitchat,
    Choose,
    Clarify,
    ClearSlot,
    Command,
    CorrectSlot,
    Deny,
    Digress,
    HandOff,
    Narrow,
    RemoveValues,
    Repeat,
    Restart,
    SetSlot,
    SkipSlot,
    StartFlow,
)
from dialogue.engine.ports.tasks import CollectTask, ConfirmTask
from dialogue.engine.slots.definitions.slot_types import NUMBER_TYPES
from dialogue.engine.slots.models import Slot
from dialogue.engine.understanding import NLUContext, StackEntry
from dialogue.nlu.readers.clauses.explained_words import unexplained_tokens
from dialogue.nlu.readers.clauses.splitting import Clause, merge_clauses, split_clauses
from dialogue.nlu.readers.command_filter import equal_values
from dialogue.nlu.readers.corrections import begins_as_correction, find_named_slots
from dialogue.nlu.readers.free_text import find_sure_answer
from dialogue.nlu.readers.free_text_check import is_narrative, is_title
from dialogue.nlu.readers.proposal import CUED_CONFIDENCE, SENTENCE_CONFIDENCE, Proposal
from dialogue.nlu.readers.scoring.request_scores import ACTION_THRESHOLD
from dialogue.nlu.readers.whole_answers import has_negation, prompt_without_values
from dialogue.nlu.slots.assistant_index import is_free_text
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import consists_of, prefix_length

VALUES = (SetSlot, CorrectSlot, AddValues, RemoveValues, Narrow, ClearSlot)
# What is said beside something else, and answers only where nothing else is said.
SMALL_TALK = (Chitchat, Repeat)
# A wrong one costs more than a question, so that every word of the message must be explained.
RISKY = (Affirm, CancelFlow, Restart, Choose, StartFlow)
# What words without a meaning beside others take from the confidence, at most.
MAX_DOUBT_SHARE = 0.5

ReadText = Callable[[Utterance], Proposal | None]


@dataclass(frozen=True)
class ClauseReaders:
    """How a clause is read: `exactly`, as one act or one value; `fully`; `as_text`, as the awaited free text."""

    exactly: ReadText
    fully: ReadText
    as_text: ReadText


@dataclass(frozen=True)
class ClauseReading:
    """A clause and what it means. `is_exact`: all of it is one act or one value."""

    clause: Clause
    proposal: Proposal | None
    is_exact: bool = False

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands of the clause; none where it was not understood."""
        return self.proposal.commands if self.proposal is not None else ()

    @property
    def is_question(self) -> bool:
        """Whether the clause asks, and is no polite wish and no title."""
        utterance = self.clause.utterance
        is_wish = prefix_length(utterance.folded, utterance.lexicon.acts.openers) or is_title(utterance)
        is_small = bool(self.commands) and all(isinstance(command, SMALL_TALK) for command in self.commands)
        return utterance.is_question and not is_wish and not is_small

    def unexplained(self) -> int:
        """Return how many words of the clause its commands do not explain."""
        return 0 if self.is_exact else len(unexplained_tokens(self.commands, self.clause.utterance))


def read_by_clauses(utterance: Utterance, whole: Proposal | None, readers: ClauseReaders) -> Proposal | None:
    """Return the better of two readings: that of the whole message, and the one clause by clause."""
    answer = find_sure_answer(utterance)
    clauses = _joined_by(answer, split_clauses(utterance), utterance)
    if not _may_have_clauses(clauses, whole, utterance):
        return whole
    exact = [ClauseReading(clause, readers.exactly(clause.utterance), is_exact=True) for clause in clauses]
    may_say_more = answer is not None and len(clauses) > 1
    is_decided = whole is not None and whole.decided and not may_say_more
    if whole is not None and is_decided and not _lacks(whole, exact) and not _unexplained(whole, utterance):
        return whole
    readings = _read_in_order(_undo_doubtful_cuts(clauses, readers, utterance), readers, utterance)
    readings = [_without_doubtful_request(reading, whole) for reading in readings]
    if whole is not None and whole.is_story and not any(_asks_for_more(reading, whole) for reading in readings):
        return whole
    return _better(whole, _with_free_text(readings, whole, readers, utterance), utterance)


def _joined_by(answer: Span | None, clauses: Sequence[Clause], utterance: Utterance) -> Sequence[Clause]:
    """Join the clauses that hold parts of the awaited text: "soap, socks and toothbrushes"."""
    if answer is None:
        return clauses
    joined: list[Clause] = []
    for clause in clauses:
        is_within = clause.start < answer.end and bool(joined) and answer.start < joined[-1].end
        if is_within:
            joined[-1] = merge_clauses(joined[-1], clause, utterance)
        else:
            joined.append(clause)
    return joined


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


def _without_doubtful_request(reading: ClauseReading, whole: Proposal | None) -> ClauseReading:
    """ "One of us broke her wrist, so her boots come back today": a part of what is asked for asks for nothing else.

    Beside the flow that the whole message asks for, a clause starts another one only as surely as an action.
    """
    proposal = reading.proposal
    is_sure = proposal is None or not proposal.is_story or proposal.confidence >= ACTION_THRESHOLD
    known = whole.commands if whole is not None and whole.decided else ()
    starts_other = any(isinstance(command, StartFlow) and command not in known for command in reading.commands)
    is_beside = any(isinstance(command, StartFlow) for command in known)
    return ClauseReading(reading.clause, None) if starts_other and is_beside and not is_sure else reading


def _asks_for_more(reading: ClauseReading, story: Proposal) -> bool:
    """Return whether a clause of a story asks for another flow or a topic; its values are read less well than those of
    the whole story.
    """
    requests = [command for command in reading.commands if not isinstance(command, (*VALUES, *SMALL_TALK))]
    return any(command not in story.commands for command in requests)


def _may_have_clauses(clauses: Sequence[Clause], whole: Proposal | None, utterance: Utterance) -> bool:
    """Return whether the message has clauses, and neither is one name or story nor asks for a person anyway."""
    if len(clauses) == 1 and not clauses[0].joint:
        return False
    if _is_awaited_title(clauses, utterance):
        return False
    return whole is None or not any(isinstance(command, HandOff | Restart) for command in whole.commands)


def _is_awaited_title(clauses: Sequence[Clause], utterance: Utterance) -> bool:
    """ "Hello, Dolly" is the awaited title or name; "ok thanks, Peter Lang" begins with a clause in small letters."""
    slot = utterance.awaited_slot
    begins_small = len(clauses) > 1 and clauses[0].utterance.text[:1].islower()
    return slot is not None and is_free_text(slot) and is_title(utterance) and not begins_small


def _undo_doubtful_cuts(clauses: Sequence[Clause], readers: ClauseReaders, utterance: Utterance) -> list[Clause]:
    """Join what a bare "and" divides, unless an act, a question, a request or a correction stands behind it."""
    kept: list[Clause] = []
    for clause in clauses:
        is_apart = not kept or (clause.is_marked and not _is_negated(clause))
        if kept and _continues_question(kept[-1], clause):
            kept[-1] = merge_clauses(kept[-1], clause, utterance)
            continue
        if is_apart or _stands_alone(clause, readers) or _is_further_value(kept[-1], clause, readers):
            kept.append(clause)
        else:
            kept[-1] = merge_clauses(kept[-1], clause, utterance)
    return kept


def _continues_question(question: Clause, clause: Clause) -> bool:
    """ "What is the difference between a trimmer and a chipper?": what "and" joins is part of the question."""
    cues, words = clause.utterance.lexicon.cues, clause.folded[:1]
    is_open = not question.utterance.text.endswith("?") and clause.utterance.text.endswith("?")
    asks_anew = prefix_length(clause.folded, clause.utterance.lexicon.acts.openers) or words[0] in cues.question_words
    is_plain = not clause.is_marked and not clause.is_contrast and not asks_anew
    return is_open and is_plain and question.folded[0] in cues.question_words


def _is_negated(clause: Clause) -> bool:
    """ "Hillcrest, not Riverside": the negation is about the value before it."""
    length = prefix_length(clause.folded, clause.utterance.lexicon.cues.negations)
    if not 0 < length < len(clause.folded):
        return False
    tokens = clause.utterance.tokens
    return "," not in clause.utterance.text[tokens[length - 1].end : tokens[length].start]


def _stands_alone(clause: Clause, readers: ClauseReaders) -> bool:
    if begins_as_correction(clause.utterance):
        return True
    proposal = clause.utterance.remember(_read_with, readers)
    if proposal is None or not proposal.decided:
        return False
    return clause.is_contrast or not all(isinstance(command, VALUES) for command in proposal.commands)


def _is_further_value(clause: Clause, following: Clause, readers: ClauseReaders) -> bool:
    """ "50 euros and my name is Laura Stone": an answer as a whole, and a value for another slot behind it."""
    answer = readers.exactly(clause.utterance)
    slots = {getattr(command, "slot", "") for command in answer.commands} if answer is not None else set()
    if answer is None and _follows_text(clause, following, readers):
        return True
    if len(slots) == 1 and _names_slots(following, *slots):
        return True
    value = following.utterance.remember(_read_with, readers)
    if answer is None or value is None or not value.decided:
        return False
    return slots.isdisjoint(getattr(command, "slot", "") for command in value.commands)


def _follows_text(clause: Clause, following: Clause, readers: ClauseReaders) -> bool:
    """ "Ivo Marsh and my e-mail is ivo@example.org": a text, and behind it a value for another slot that is named."""
    slot = clause.utterance.awaited_slot
    if slot is None or not is_free_text(slot) or is_narrative(slot, clause.utterance):
        return False
    value = following.utterance.remember(_read_with, readers)
    names = {getattr(command, "slot", slot.name) for command in value.commands} if value is not None else {slot.name}
    return bool(value and value.decided) and slot.name not in names and _names_slots(following, slot.name)


def _read_with(readers: ClauseReaders, utterance: Utterance) -> Proposal | None:
    return readers.fully(utterance)


def _read_in_order(clauses: Sequence[Clause], readers: ClauseReaders, utterance: Utterance) -> list[ClauseReading]:
    answer = find_sure_answer(utterance)
    readings: list[ClauseReading] = []
    context = before_value = utterance.context
    for clause in clauses:
        if readings and _takes_back(readings[-1].clause):
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


def _turns_down(reading: ClauseReading, clauses: Sequence[Clause], readers: ClauseReaders) -> bool:
    """ "No 80, 100", "tomorrow I'm at work, Friday": the first value is turned down, another one answers behind it."""
    if len(clauses) == 1 or not (_is_negated(clauses[0]) or _is_remark_about_value(reading)):
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
    proposal = clause.utterance.remember(_read_with, readers)
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


def _takes_back(clause: Clause) -> bool:
    """ "Two, no, three": a clause that only says that the value before it was wrong."""
    acts, cues = clause.utterance.lexicon.acts, clause.utterance.lexicon.cues
    return consists_of(
        clause.folded, cues.corrections | cues.second_thoughts | acts.no | acts.hesitations, acts.fillers
    )


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


def _with_free_text(
    readings: list[ClauseReading], whole: Proposal | None, readers: ClauseReaders, utterance: Utterance
) -> list[ClauseReading]:
    """ "Dune, and when are you open?": what nothing else explains, as one piece, is the awaited text."""
    slot = utterance.awaited_slot
    if slot is None or not is_free_text(slot) or is_narrative(slot, utterance):
        return readings
    if find_sure_answer(utterance) is not None:
        return readings
    if any(isinstance(command, SkipSlot | CancelFlow) for reading in readings for command in reading.commands):
        return readings
    text = [index for index, reading in enumerate(readings) if _may_be_text(reading, slot.name)]
    is_piece = bool(text) and text == list(range(text[0], text[-1] + 1)) and len(text) < len(readings)
    if not is_piece or not any(reading.commands for reading in readings):
        return readings
    if len(text) == 1 and readings[text[0]].commands:
        return readings
    piece = merge_clauses(readings[text[0]].clause, readings[text[-1]].clause, utterance)
    proposal = readers.as_text(utterance.with_text(piece.utterance.text))
    # "Before the name, the amount: 480" gives another value, and no name.
    is_answered = whole is not None and whole.decided and all(isinstance(command, VALUES) for command in whole.commands)
    if proposal is None or (is_answered and not is_title(piece.utterance)):
        return readings
    return [*readings[: text[0]], ClauseReading(piece, proposal, is_exact=True), *readings[text[-1] + 1 :]]


def _may_be_text(reading: ClauseReading, slot: str) -> bool:
    """Return whether nothing but the awaited text can be in the clause."""
    if reading.proposal is None:
        return not reading.is_question and bool(reading.unexplained()) and not _names_slots(reading.clause, slot)
    return any(isinstance(command, SetSlot) and command.slot == slot for command in reading.commands)


def _names_slots(clause: Clause, slot: str) -> bool:
    """ "The IBAN comes later" speaks of another slot."""
    flow_index = clause.utterance.running_flow
    others = [other for other in flow_index.slots if other.name != slot] if flow_index is not None else []
    return bool(find_named_slots(clause.folded, others)) and not is_title(clause.utterance)


def _better(whole: Proposal | None, readings: Sequence[ClauseReading], utterance: Utterance) -> Proposal | None:
    """Return the reading that leaves fewer words unexplained; that of the whole message where both leave as many."""
    commands = tuple(_kept_commands(readings, utterance))
    open_words = sum(reading.unexplained() for reading in readings)
    if not commands and not open_words and whole is None and any(reading.commands for reading in readings):
        # "Yes… no, wait": all was taken back.
        return Proposal((Repeat(),), CUED_CONFIDENCE)
    if (Affirm() in commands and Deny() in commands) or _asks_which(whole, commands):
        return whole
    if not commands or (open_words and not _is_clear_cancel(readings) and _is_unsafe(commands, whole)):
        return whole
    if whole is not None and whole.decided and not _starts_denied_flow(whole, commands, readings):
        missing = _missing_commands(whole, commands, readings)
        if open_words >= _unexplained(whole, utterance) + len(missing) and not _adds_value(readings, whole):
            return whole
    sure = min((reading.proposal.confidence for reading in readings if reading.proposal is not None), default=0.0)
    return Proposal(commands, sure * (1 - MAX_DOUBT_SHARE * open_words / len(utterance.tokens)))


def _adds_value(readings: Sequence[ClauseReading], whole: Proposal) -> bool:
    """ "Dune, the audio version": return whether the clauses say what the whole does, and one is another value."""
    commands = [command for reading in readings for command in reading.commands]
    plain = [command for reading in readings if not reading.unexplained() for command in reading.commands]
    values = [command for command in plain if isinstance(command, SetSlot) and not _holds(whole.commands, command)]
    return bool(values) and all(_holds(commands, command) for command in whole.commands)


def _starts_denied_flow(whole: Proposal, commands: Sequence[Command], readings: Sequence[ClauseReading]) -> bool:
    """ "I don't want to rent, I want to buy": the whole is taken for the flow that a clause turns down."""
    requests = [command for reading in readings for command in reading.commands if isinstance(command, StartFlow)]
    return any(request in whole.commands and request not in commands for request in requests)


def _asks_which(whole: Proposal | None, commands: Sequence[Command]) -> bool:
    """ "My balance or a transfer, I am not sure": the question which flow is meant helps more than help does."""
    is_asked = whole is not None and any(isinstance(command, Clarify) for command in whole.commands)
    return is_asked and all(isinstance(command, (*SMALL_TALK, Digress)) for command in commands)


def _is_clear_cancel(readings: Sequence[ClauseReading]) -> bool:
    """ "Forget about it, I found some at home": a clause that cancels as a whole, and reasons behind or before it."""
    return any(
        _cancels_by_itself(reading) and not any(map(_may_go_on, [*readings[:index], *readings[index + 1 :]]))
        for index, reading in ((0, readings[0]), (len(readings) - 1, readings[-1]))
    )


def _cancels_by_itself(reading: ClauseReading) -> bool:
    return reading.is_exact and reading.commands == (CancelFlow(),)


def _may_go_on(reading: ClauseReading) -> bool:
    clause = reading.clause
    return reading.is_question or clause.is_contrast or begins_as_correction(clause.utterance)


def _is_unsafe(commands: Sequence[Command], whole: Proposal | None) -> bool:
    """Return whether words that nothing explains may turn the commands into something else."""
    is_small = all(isinstance(command, SMALL_TALK) for command in commands)
    known = whole.commands if whole is not None and whole.decided else ()
    # "No hurry, I'll ask my daughter" begins with a no, and skips nothing.
    only_skips = all(isinstance(command, SkipSlot) and command not in known for command in commands)
    return is_small or only_skips or any(isinstance(command, RISKY) and command not in known for command in commands)


def _missing_commands(whole: Proposal, commands: Sequence[Command], readings: Sequence[ClauseReading]) -> list[Command]:
    """Return what clauses say as a whole, and the reading of the whole message does not have."""
    exact = [command for reading in readings if reading.is_exact for command in reading.commands]
    return [command for command in exact if command in commands and not _holds(whole.commands, command)]


def _kept_commands(readings: Sequence[ClauseReading], utterance: Utterance) -> Iterator[Command]:
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
            return not any(isinstance(other, (*VALUES, CancelFlow)) for reading in later for other in reading.commands)
        case CancelFlow():
            return not any(map(_changes_mind, later))
        case SkipSlot():
            # "No, skip the insurance" has answered; "yes, but without the note" changes what is agreed to.
            earlier = (other for reading in readings[:index] for other in reading.commands)
            return _is_filled(command.slot, utterance) or not any(isinstance(other, Affirm | Deny) for other in earlier)
        case CorrectSlot(slot=slot) if _is_vague_change(slot, readings[: index + 1]):
            return False
        case SetSlot(slot=slot) | CorrectSlot(slot=slot):
            is_repeated = _is_set_again(slot, readings, index) or _is_one_of_two(command, readings, index)
            return not is_repeated and not _is_of_cancelled_flow(index, readings)
        case StartFlow(flow=flow):
            # "Scrap that, we're not having a skip any more": what was just cancelled is not wanted again.
            cancelled = any(CancelFlow() in reading.commands for reading in readings[:index])
            is_same = utterance.running_flow is not None and utterance.running_flow.name == flow
            return not (cancelled and is_same) and not _is_taken_back(readings[index], later)
        case _:
            return True


def _is_vague_change(slot: str, readings: Sequence[ClauseReading]) -> bool:
    """ "Drama, maybe something with Keener": a value just given changes only behind "no" or "I mean"."""
    *earlier, reading = readings
    is_just_set = any(
        isinstance(command, SetSlot) and command.slot == slot for other in earlier for command in other.commands
    )
    is_clear = is_just_set and (_takes_back(earlier[-1].clause) or _corrects(reading.clause.utterance))
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
    return is_replaced and (_takes_back(later[0].clause) or _denies(reading.clause))


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


def _is_filled(name: str, utterance: Utterance) -> bool:
    slots = ((flow, flow.slot(name)) for flow in utterance.open_flows())
    return any(slot is not None and utterance.is_filled(flow, slot) for flow, slot in slots)


def _limits(reading: ClauseReading) -> bool:
    """Whether the clause takes back or limits a yes before it: "but …", "no, wait", a question of its own."""
    clause = reading.clause
    return (
        clause.is_contrast
        or _is_condition(reading)
        or _takes_back(clause)
        or (reading.is_question and not clause.joint)
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


def _lacks(whole: Proposal, readings: Sequence[ClauseReading]) -> bool:
    """Return whether the reading of the whole message lacks what one of its clauses says as a whole."""
    return any(
        not isinstance(command, SMALL_TALK) and not _holds(whole.commands, command)
        for reading in readings
        for command in reading.commands
    )


def _holds(commands: Sequence[Command], command: Command) -> bool:
    if isinstance(command, CancelFlow):
        return any(isinstance(other, CancelFlow) for other in commands)
    if not isinstance(command, SetSlot | CorrectSlot):
        return command in commands
    values = [other for other in commands if isinstance(other, SetSlot | CorrectSlot)]
    return any(other.slot == command.slot and equal_values(other.value, command.value) for other in values)


def _unexplained(proposal: Proposal, utterance: Utterance) -> int:
    return len(unexplained_tokens(proposal.commands, utterance))
