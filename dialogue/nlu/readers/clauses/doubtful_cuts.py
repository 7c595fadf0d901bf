"""Cuts of a message that are undone: what a bare "and" divides, where nothing of its own stands behind it."""

from collections.abc import Sequence

from dialogue.nlu.readers.clauses.clause_readings import VALUES, ClauseReaders, is_negated, read_fully
from dialogue.nlu.readers.clauses.splitting import Clause, merge_clauses
from dialogue.nlu.readers.corrections import begins_as_correction, find_named_slots
from dialogue.nlu.readers.free_text_check import is_narrative, is_title
from dialogue.nlu.slots.assistant_index import is_free_text
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import prefix_length


def undo_doubtful_cuts(clauses: Sequence[Clause], readers: ClauseReaders, utterance: Utterance) -> list[Clause]:
    """Join what a bare "and" divides, unless an act, a question, a request or a correction stands behind it."""
    kept: list[Clause] = []
    for clause in clauses:
        is_apart = not kept or (clause.is_marked and not is_negated(clause))
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


def _stands_alone(clause: Clause, readers: ClauseReaders) -> bool:
    if begins_as_correction(clause.utterance):
        return True
    proposal = clause.utterance.remember(read_fully, readers)
    if proposal is None or not proposal.decided:
        return False
    return clause.is_contrast or not all(isinstance(command, VALUES) for command in proposal.commands)


def _is_further_value(clause: Clause, following: Clause, readers: ClauseReaders) -> bool:
    """ "50 euros and my name is Laura Stone": an answer as a whole, and a value for another slot behind it."""
    answer = readers.exactly(clause.utterance)
    slots = {getattr(command, "slot", "") for command in answer.commands} if answer is not None else set()
    if answer is None and _follows_text(clause, following, readers):
        return True
    if len(slots) == 1 and names_slots(following, *slots):
        return True
    value = following.utterance.remember(read_fully, readers)
    if answer is None or value is None or not value.decided:
        return False
    return slots.isdisjoint(getattr(command, "slot", "") for command in value.commands)


def _follows_text(clause: Clause, following: Clause, readers: ClauseReaders) -> bool:
    """ "Ivo Marsh and my e-mail is ivo@example.org": a text, and behind it a value for another slot that is named."""
    slot = clause.utterance.awaited_slot
    if slot is None or not is_free_text(slot) or is_narrative(slot, clause.utterance):
        return False
    value = following.utterance.remember(read_fully, readers)
    names = {getattr(command, "slot", slot.name) for command in value.commands} if value is not None else {slot.name}
    return bool(value and value.decided) and slot.name not in names and names_slots(following, slot.name)


def names_slots(clause: Clause, slot: str) -> bool:
    """ "The IBAN comes later" speaks of another slot."""
    flow_index = clause.utterance.running_flow
    others = [other for other in flow_index.slots if other.name != slot] if flow_index is not None else []
    return bool(find_named_slots(clause.folded, others)) and not is_title(clause.utterance)
