"""Values for entries of a list: "the keyboard for a clicky one and the thermostat for Google Home"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from dialogue.engine.ports.commands import AddValues, Command, CorrectSlot, SetSlot, StartFlow
from dialogue.engine.slots.candidates import Candidate
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.option_matching import match_options
from dialogue.engine.understanding import LoopContext
from dialogue.nlu.readers.corrections import begins_as_correction
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, is_free_text
from dialogue.nlu.slots.bare_text import bare_text
from dialogue.nlu.slots.extractors import find_values
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import prefix_length
from dialogue.nlu.text.tokens import Token

MAX_CLAUSES = 20
CLAUSE_MARKS = ",;\n"


@dataclass(frozen=True)
class ItemWords:
    """What a clause says: the entry, and the words of the value for it. `leads`: the entry is named first."""

    entry: Candidate
    words: str
    leads: bool


def read_item_values(utterance: Utterance) -> tuple[Command, ...]:
    """Return values for entries of a loop, if every clause of the message gives one; else nothing."""
    for loop in utterance.context.loops:
        slot = _slot_of_round(loop, utterance)
        clauses = list(_clauses_of(utterance)) if slot is not None and loop.entries else []
        said = [_read_clause(clause, loop.entries, utterance) for clause in clauses]
        if slot is None or not said or not all(said):
            continue
        commands = [_command(item_words, slot, loop, utterance) for item_words in said if item_words is not None]
        is_answer = len(said) == 1 and said[0] is not None and _may_be_answer(said[0], slot, loop, utterance)
        if all(commands) and not is_answer:
            return tuple(command for command in commands if command is not None)
    return ()


def with_item_values(proposal: Proposal | None, utterance: Utterance) -> Proposal | None:
    """Add values for entries of a list that a requested or open flow will come to: "exchange the mug for a cup"."""
    round_slots = utterance.assistant_index.round_slots
    if proposal is None or not round_slots or utterance.context.loops:
        return proposal
    requested = [command.flow for command in proposal.commands if isinstance(command, StartFlow)]
    flows = requested or [flow_index.flow.flow for flow_index in utterance.open_flows()][:1]
    slots = next((round_slots[flow] for flow in flows if flow in round_slots), {})
    is_answer = requested or any(isinstance(command, SetSlot | AddValues) for command in proposal.commands)
    if len(slots) != 1 or not is_answer or any(getattr(command, "item", None) for command in proposal.commands):
        return proposal
    (slot,) = slots.values()
    said = [pair for clause in _clauses_of(utterance) if (pair := _exchanged(clause, utterance)) is not None]
    values = [
        SetSlot(slot.name, value, words, item)
        for item, words in said
        if (value := _stored_value(slot, words, utterance))
    ]
    return replace(proposal, commands=(*proposal.commands, *values))


def _exchanged(clause: Sequence[Token], utterance: Utterance) -> tuple[str, str] | None:
    """Return the words for the entry and for its value around a link that is sure without the list."""
    exchange_links = utterance.lexicon.cues.exchange_links
    for start, end, is_swapped in _links_in(clause, utterance):
        if not is_swapped and tuple(token.folded for token in clause[start:end]) not in exchange_links:
            continue
        sides = (clause[:start], clause[end:])
        if all(any(token.folded not in FUNCTION_WORDS for token in side) for side in sides):
            entry, value = reversed(sides) if is_swapped else sides
            words = _value_words(_text_of(value, utterance), utterance)
            return (_text_of(entry, utterance), words) if words else None
    return None


def _slot_of_round(loop: LoopContext, utterance: Utterance) -> Slot | None:
    """Return the slot that a value for an entry is meant for: the awaited one of the round, or its only one."""
    awaited = utterance.awaited_slot
    if awaited is not None and awaited.name in loop.slots:
        return awaited
    assistant = utterance.assistant_index.assistant
    return assistant.slot(loop.flow, loop.slots[0]) if len(loop.slots) == 1 else None


def _clauses_of(utterance: Utterance) -> Iterator[tuple[Token, ...]]:
    """Yield the clauses between "and" and commas. Words without a link belong to the clause before, or to the first."""
    clauses: list[list[Token]] = [[]]
    joints, before = utterance.lexicon.cues.item_joints, 0
    for token in utterance.tokens:
        is_mark = any(mark in utterance.text[before : token.start] for mark in CLAUSE_MARKS)
        before = token.end
        if (is_mark or token.folded in joints) and clauses[-1] and len(clauses) < MAX_CLAUSES:
            clauses.append([])
        if token.folded not in joints or clauses[-1]:
            clauses[-1].append(token)
    joined: list[tuple[Token, ...]] = []
    has_link = False
    for clause in clauses:
        is_linked = any(True for _ in _links_in(clause, utterance))
        # "No, the mug for a cup": what stands before the first link belongs to its clause.
        if joined and not (is_linked and has_link):
            joined[-1] = (*joined[-1], *clause)
        elif clause:
            joined.append(tuple(clause))
        has_link = has_link or is_linked
    yield from joined


def _links_in(clause: Sequence[Token], utterance: Utterance) -> Iterator[tuple[int, int, bool]]:
    """Yield where a link between entry and value stands, and whether the value stands before it."""
    cues, folded = utterance.lexicon.cues, [token.folded for token in clause]
    for start in range(1, len(clause)):
        for phrases, is_swapped in ((cues.swapped_links, True), (cues.item_links, False)):
            length = prefix_length(folded[start:], phrases)
            if length and start + length < len(clause):
                yield start, start + length, is_swapped


def _read_clause(clause: Sequence[Token], entries: Sequence[Candidate], utterance: Utterance) -> ItemWords | None:
    for start, end, is_swapped in _links_in(clause, utterance):
        before, behind = _text_of(clause[:start], utterance), _text_of(clause[end:], utterance)
        sides = (
            ((behind, before, False), (before, behind, True))
            if is_swapped
            else ((before, behind, True), (behind, before, False))
        )
        for item_text, value_text, leads in sides:
            entry = _only_entry(item_text, entries, utterance)
            words = _value_words(value_text, utterance)
            if entry is not None and words:
                return ItemWords(entry, words, leads)
    return None


def _text_of(tokens: Sequence[Token], utterance: Utterance) -> str:
    return utterance.text[tokens[0].start : tokens[-1].end]


def _only_entry(text: str, entries: Sequence[Candidate], utterance: Utterance) -> Candidate | None:
    matched = match_options(text, tuple(entries), utterance.context.language).candidates
    return matched[0] if len(matched) == 1 else None


def _value_words(text: str, utterance: Utterance) -> str:
    """Return the words of a value without what leads to a change: "no, I want a cup" gives "a cup"."""
    part = utterance.with_text(text)
    cues, folded = utterance.lexicon.cues, part.folded
    start = 0
    while length := prefix_length(folded[start:], cues.corrections | cues.wishes | utterance.lexicon.acts.no):
        start += length
    tokens = part.tokens[start:]
    return bare_text(part.text[tokens[0].start :], utterance) if tokens else ""


def _command(said: ItemWords, slot: Slot, loop: LoopContext, utterance: Utterance) -> Command | None:
    value = _stored_value(slot, said.words, utterance)
    number = int(said.entry.key)
    if value is None:
        return None
    is_change = begins_as_correction(utterance) or number < loop.item
    return (CorrectSlot if is_change else SetSlot)(slot.name, value, said.words, number)


def _stored_value(slot: Slot, words: str, utterance: Utterance) -> JsonValue:
    """Return the value that the words hold; the words themselves for texts and choices from data."""
    if slot.options_from is not None or is_free_text(slot):
        return words
    spans = list(find_values(slot, utterance.with_text(words)))
    return max(spans, key=lambda span: span.length).value if spans else None


def _may_be_answer(said: ItemWords, slot: Slot, loop: LoopContext, utterance: Utterance) -> bool:
    """Whether the words may be a plain answer for the present entry: "a lamp for the bedroom"."""
    is_present = int(said.entry.key) == loop.item and utterance.awaited_slot is slot
    return is_present and said.leads and is_free_text(slot)
