"""One reading of a message from those of its clauses, each read in the context that the clauses before it leave.

The reading that explains most of the message is taken: the one of the whole message, or the one clause by clause.
"""

from collections.abc import Sequence

from dialogue.engine.ports.commands import (
    Affirm,
    CancelFlow,
    Choose,
    Clarify,
    Command,
    CorrectSlot,
    Deny,
    Digress,
    HandOff,
    Repeat,
    Restart,
    SetSlot,
    SkipSlot,
    StartFlow,
)
from dialogue.nlu.readers.clauses.clause_readings import SMALL_TALK, VALUES, ClauseReaders, ClauseReading
from dialogue.nlu.readers.clauses.doubtful_cuts import names_slots, undo_doubtful_cuts
from dialogue.nlu.readers.clauses.explained_words import unexplained_tokens
from dialogue.nlu.readers.clauses.kept_commands import kept_commands
from dialogue.nlu.readers.clauses.reading_in_order import read_in_order
from dialogue.nlu.readers.clauses.splitting import Clause, merge_clauses, split_clauses
from dialogue.nlu.readers.command_filter import equal_values
from dialogue.nlu.readers.corrections import begins_as_correction
from dialogue.nlu.readers.free_text import find_sure_answer
from dialogue.nlu.readers.free_text_check import is_narrative, is_title
from dialogue.nlu.readers.proposal import CUED_CONFIDENCE, Proposal
from dialogue.nlu.readers.scoring.request_scores import ACTION_THRESHOLD
from dialogue.nlu.slots.assistant_index import is_free_text
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.utterance import Utterance

# A wrong one costs more than a question, so that every word of the message must be explained.
RISKY = (Affirm, CancelFlow, Restart, Choose, StartFlow)
# What words without a meaning beside others take from the confidence, at most.
MAX_DOUBT_SHARE = 0.5


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
    readings = read_in_order(undo_doubtful_cuts(clauses, readers, utterance), readers, utterance)
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
        return not reading.is_question and bool(reading.unexplained()) and not names_slots(reading.clause, slot)
    return any(isinstance(command, SetSlot) and command.slot == slot for command in reading.commands)


def _better(whole: Proposal | None, readings: Sequence[ClauseReading], utterance: Utterance) -> Proposal | None:
    """Return the reading that leaves fewer words unexplained; that of the whole message where both leave as many."""
    commands = tuple(kept_commands(readings, utterance))
    open_words = sum(reading.unexplained() for reading in readings)
    if not commands and not open_words and whole is None and any(reading.commands for reading in readings):
        # "Yes… no, wait": all was taken back.
        return Proposal((Repeat(),), CUED_CONFIDENCE)
    if (Affirm() in commands and Deny() in commands) or _asks_which(whole, commands):
        return whole
    if not commands or (open_words and not _is_clear_cancel(readings) and _is_unsafe(commands, whole, utterance)):
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
    """ "Forget about it, I found some at home": a clause that cancels as a whole, and reasons behind or before it.

    "Can we start again, I messed this up" is as clear. Before it a no may stand: "nope, leave it, too expensive".
    """
    first = next((index for index, reading in enumerate(readings) if not _is_plain_no(reading)), 0)
    return any(
        _ends_by_itself(readings[index]) and not any(map(_may_go_on, [*readings[:index], *readings[index + 1 :]]))
        for index in (first, len(readings) - 1)
    )


def _is_plain_no(reading: ClauseReading) -> bool:
    return reading.is_exact and reading.commands == (Deny(),)


def _ends_by_itself(reading: ClauseReading) -> bool:
    return reading.is_exact and reading.commands in ((CancelFlow(),), (Restart(),))


def _may_go_on(reading: ClauseReading) -> bool:
    clause = reading.clause
    return reading.is_question or clause.is_contrast or begins_as_correction(clause.utterance)


def _is_unsafe(commands: Sequence[Command], whole: Proposal | None, utterance: Utterance) -> bool:
    """Return whether words that nothing explains may turn the commands into something else.

    To a yes/no slot a yes is a value: "yeah, last summer".
    """
    slot = utterance.awaited_slot
    values = (Affirm,) if slot is not None and slot.type == "boolean" else ()
    risky = [command for command in commands if isinstance(command, RISKY) and not isinstance(command, values)]
    is_small = all(isinstance(command, SMALL_TALK) for command in commands)
    known = whole.commands if whole is not None and whole.decided else ()
    # "No hurry, I'll ask my daughter" begins with a no, and skips nothing.
    only_skips = all(isinstance(command, SkipSlot) and command not in known for command in commands)
    return is_small or only_skips or any(command not in known for command in risky)


def _missing_commands(whole: Proposal, commands: Sequence[Command], readings: Sequence[ClauseReading]) -> list[Command]:
    """Return what clauses say as a whole, and the reading of the whole message does not have."""
    exact = [command for reading in readings if reading.is_exact for command in reading.commands]
    return [command for command in exact if command in commands and not _holds(whole.commands, command)]


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
