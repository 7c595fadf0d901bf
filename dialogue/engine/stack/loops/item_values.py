"""Values for one entry of a loop: of the open round, of a round that ended, or of one that is still to come."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from dialogue.engine.expressions.conditions import ExpressionTooCostly
from dialogue.engine.language.compiler import Flow, ForEach, Slot
from dialogue.engine.slots.candidates import Candidate, find_candidate
from dialogue.engine.slots.display import format_value
from dialogue.engine.slots.option_matching import match_options
from dialogue.engine.slots.values import ValueRefused, json_value
from dialogue.engine.stack import corrections, stack
from dialogue.engine.stack.choice_answers import words_of
from dialogue.engine.stack.filling import (
    Origin,
    fill_slot,
    parse_value,
    record_change,
    refuse_value,
    say_already_done,
    stored_form,
)
from dialogue.engine.stack.filling.record_fields import merge_values, nested_value
from dialogue.engine.stack.loops import rounds
from dialogue.engine.stack.slot_access import SlotRef, evaluate, slot_title, value_of
from dialogue.engine.stack.state import Frame, ItemValue, LoopState, Mention, StoredRound, StoredSlot
from dialogue.engine.stack.turn import Turn


@dataclass(frozen=True)
class SaidValue:
    """A value for a slot of a round, and where it comes from."""

    ref: SlotRef
    value: Any
    origin: Origin


ItemResult = Literal["filled", "refused_value", "unknown_item", "which_item"]


def loop_of_slot(flow: Flow, name: str) -> ForEach | None:
    """Return the `for_each` whose rounds have a slot of this name, or None."""
    loops = (step for step in flow.all_steps() if isinstance(step, ForEach)) if flow.has_rounds else ()
    return next((loop for loop in loops if name in loop.per_item), None)


def fill_item_slot(turn: Turn, said: SaidValue, item: Any) -> ItemResult:
    """Store a value for the entry that `item` means: its number from 1, the entry itself, or words for it.

    Without `item`, the open round is meant, or the next one, or the only one. A value for a round that ended goes back
    to that round only; one for a later round is used when its turn comes.
    """
    frame = said.ref.frame
    loop = loop_of_slot(turn.flow_of(frame), (said.ref.whole or said.ref).name) if frame is not None else None
    if frame is None or loop is None:
        return _fill(turn, said)
    state = rounds.loop_state(frame, loop.step)
    if state is None:
        if item is None:
            return _fill(turn, said)
        # One field of a record is no value that could be kept for later.
        return _keep_for_loop(turn, frame, said, item) if said.ref.whole is None else "unknown_item"
    index = _present_index(state) if item is None else find_entry(turn, frame, loop, state["entries"], item)
    if index is None:
        return "which_item" if item is None else "unknown_item"
    if state["open"] and state["at"] == index:
        return _fill(turn, said)
    if said.ref.whole is not None:
        return _fill_field_of_round(turn, frame["rounds"][loop.step], loop, index, said)
    return _fill_round(turn, frame["rounds"][loop.step], loop, index, said)


def _fill_field_of_round(turn: Turn, state: LoopState, loop: ForEach, index: int, said: SaidValue) -> ItemResult:
    """Correct one field of the record that a round has. A round without the record takes no single field."""
    whole = said.ref.whole
    text = state["rounds"][index]
    stored = json.loads(text).get("slots", {}).get(whole.name) if whole is not None and text else None
    if whole is None or stored is None or stored["value"] is None:
        return "unknown_item"
    record = merge_values(stored["value"], nested_value(said.ref.path, said.value))
    return _fill_round(turn, state, loop, index, replace(said, ref=whole, value=record))


def _fill(turn: Turn, said: SaidValue) -> ItemResult:
    return "filled" if fill_slot(turn, said.ref, said.value, said.origin) else "refused_value"


def _present_index(state: LoopState) -> int | None:
    if state["open"] or state["at"] in state["pending"]:
        return state["at"]
    if state["pending"]:
        return state["pending"][0]
    return 0 if len(state["entries"]) == 1 else None


def find_entry(turn: Turn, frame: Frame, loop: ForEach, entries: Sequence[str], item: Any) -> int | None:
    """Return the index of the entry that `item` means, or None if none or several fit."""
    if isinstance(item, int) and not isinstance(item, bool):
        return item - 1 if 1 <= item <= len(entries) else None
    if not isinstance(item, str):
        text = rounds.compact_json(item)
        return entries.index(text) if text in entries else None
    candidates = entry_candidates(turn, frame, loop, entries)
    exact = find_candidate(item, candidates)
    fitting = (exact,) if exact else match_options(item, candidates, turn.language).candidates
    return candidates.index(fitting[0]) if len(fitting) == 1 else None


def known_entries(turn: Turn, frame: Frame, loop: ForEach) -> tuple[Candidate, ...]:
    """Return the entries of the loop, or those that it would have if it began now; none where that cannot be told."""
    state = rounds.loop_state(frame, loop.step)
    try:
        entries = state["entries"] if state is not None else list_entries(turn, frame, loop)
    except (ExpressionTooCostly, ValueRefused):
        return ()
    return entry_candidates(turn, frame, loop, entries)


def list_entries(turn: Turn, frame: Frame, loop: ForEach) -> list[str]:
    """Return the entries of the loop's list as texts; an empty slot has none.

    Raises ExpressionTooCostly, and ValueRefused for an entry that does not fit its type.
    """
    names = loop.entries.slots
    # A slot is taken as it is stored; other expressions give typed values, which are brought into stored form.
    if loop.entries.text.strip() in names:
        whole = value_of(turn, frame, next(iter(names)))
    else:
        whole = _computed_entries(turn, frame, loop)
    return [rounds.compact_json(entry) for entry in whole] if isinstance(whole, list) else []


def _computed_entries(turn: Turn, frame: Frame, loop: ForEach) -> Any:
    values = json_value(evaluate(turn, frame, loop.entries))
    if not isinstance(values, list):
        return None
    ref = SlotRef(frame, loop.item, turn.flow_of(frame).loop_items[loop.item])
    return [parse_value(turn, ref, value) for value in values if value is not None]


def entry_candidates(turn: Turn, frame: Frame, loop: ForEach, entries: Sequence[str]) -> tuple[Candidate, ...]:
    """Return the entries as candidates, so that words can be matched with them; their keys are their numbers."""
    slot = turn.flow_of(frame).loop_items[loop.item]
    return tuple(_candidate(turn, slot, str(number), json.loads(entry)) for number, entry in enumerate(entries, 1))


def _candidate(turn: Turn, slot: Slot, key: str, entry: Any) -> Candidate:
    audience = {"language": turn.language, "timezone": turn.context.timezone}
    # What an entry holds in lists and records, such as its variants, does not name it.
    types = {name: field for name, field in slot.fields.items() if field.type not in ("list", "object")}
    fields = {name: entry.get(name) for name in types} if isinstance(entry, dict) else {}
    texts = tuple(format_value(types[name], value, **audience) for name, value in fields.items() if value is not None)
    label = format_value(slot, entry, **audience)
    return Candidate(key, entry, label, texts or (label,), fields, types)


def _keep_for_loop(turn: Turn, frame: Frame, said: SaidValue, item: Any) -> ItemResult:
    """Keep the value until the loop starts: only then is it known which entries there are."""
    stored = _stored_form(turn, said)
    if stored is None:
        return "refused_value"
    turn.heard = True
    keep_value(frame, said.ref.name, item, stored)
    return "filled"


def keep_value(frame: Frame, slot: str, item: Any, stored: StoredSlot) -> None:
    """Keep a value for an entry of a list that no loop has begun to go through."""
    others = [value for value in frame.get("ahead", []) if (value["slot"], value["item"]) != (slot, item)]
    frame["ahead"] = [*others, {"slot": slot, "item": item, "stored": stored}]


def _stored_form(turn: Turn, said: SaidValue) -> StoredSlot | None:
    """Return the value as it is stored; None, and say why, if the slot refuses it.

    The options of a choice from data are known in its round only, so that the words are kept until then.
    """
    if said.ref.slot.options_from is not None:
        return stored_form(turn, words_of(said.value), said.origin)
    try:
        return stored_form(turn, parse_value(turn, said.ref, said.value), said.origin)
    except ValueRefused as error:
        refuse_value(turn, said.ref, error, said.origin)
        return None


def _fill_round(turn: Turn, state: LoopState, loop: ForEach, index: int, said: SaidValue) -> ItemResult:
    """Store the value in a round that is not open."""
    stored = _stored_form(turn, said)
    if stored is None:
        return "refused_value"
    turn.heard = True
    if state["rounds"][index]:
        _correct_round(turn, loop, index, replace(said, value=stored["value"]))
    else:
        state.setdefault("ahead", {}).setdefault(str(index), {})[said.ref.name] = stored
        record_change(turn, said.ref, stored["value"], said.origin, item=index + 1)
    return "filled"


def _correct_round(turn: Turn, loop: ForEach, index: int, said: SaidValue) -> None:
    """Change the value in a round that was put away, and go back to this round, unless its action is final."""
    ref, value, origin, frame = said.ref, said.value, said.origin, said.ref.frame
    assert frame is not None, "rounds belong to a frame"
    stored_round: StoredRound = json.loads(frame["rounds"][loop.step]["rounds"][index])
    slots = stored_round.get("slots", {})
    if ref.name in slots and slots[ref.name]["value"] == value:
        return
    uses = corrections.action_uses_in_round(turn, frame, loop, index, ref.name)
    # Only the user is refused, as for any other slot.
    if any(use.final for use in uses) and origin.source == "user":
        return say_already_done(turn, ref, origin, value)
    if stored_round.pop("skipped", False):
        # The step at which it was skipped was left without an answer. Steps that it had taken before may follow it.
        path = stored_round.get("path", [])
        last_step = stored_round.pop("skipped_at", path[-1]["step"] if path else "")
        stored_round["path"] = [path_step for path_step in path if path_step["step"] != last_step]
    _store_in_round(turn, loop, index, said, stored_round)
    if any(use.effect for use in uses):
        say_already_done(turn, ref, origin, value)
    corrections.go_back_to_loop(turn, frame, loop)


def _store_in_round(turn: Turn, loop: ForEach, index: int, said: SaidValue, stored_round: StoredRound) -> None:
    ref, frame = said.ref, said.ref.frame
    assert frame is not None, "rounds belong to a frame"
    flow, state, slots = turn.flow_of(frame), frame["rounds"][loop.step], dict(stored_round.get("slots", {}))
    if ref.slot.options_from is not None:
        # The question of the round finds what the words mean.
        slots.pop(ref.name, None)
        mentions = {**stored_round.get("mentions", {}), ref.name: Mention(words=said.value)}
        stored_round = rounds.without_question(flow, {**stored_round, "slots": slots, "mentions": mentions}, ref.name)
        return rounds.repeat_round(state, index, stored_round)
    slots[ref.name] = stored_form(turn, said.value, said.origin)
    record_change(turn, ref, said.value, said.origin, item=index + 1)
    rounds.repeat_round(state, index, {**stored_round, "slots": slots})
    if not said.origin.quiet:
        label = rounds.entry_label(turn, flow, loop, state, index)
        value_text = format_value(ref.slot, said.value, language=turn.language, timezone=turn.context.timezone)
        turn.say("item_corrected", about=ref.name, slot=slot_title(turn, ref), item=label, value=value_text)


def use_values_ahead(turn: Turn, frame: Frame, loop: ForEach, state: LoopState) -> list[Any]:
    """Give the values that were kept for entries to their rounds. Return the words that fit no entry.

    They may have been kept by the flows that called this one, which do not know the slot.
    """
    unknown: list[Any] = []
    chain = stack.chain_of(turn.frames, frame) if frame in turn.frames else [frame]
    for holder in chain[: chain.index(frame) + 1]:
        waiting = [kept for kept in holder.get("ahead", []) if kept["slot"] in loop.per_item]
        if waiting:
            holder["ahead"] = [kept for kept in holder["ahead"] if kept not in waiting]
        for kept in waiting:
            index = find_entry(turn, frame, loop, state["entries"], kept["item"])
            if index is None:
                unknown.append(kept["item"])
            else:
                _give_to_round(turn, frame, state, index, kept)
    return unknown


def _give_to_round(turn: Turn, frame: Frame, state: LoopState, index: int, kept: ItemValue) -> None:
    name, stored = kept["slot"], kept["stored"]
    origin = Origin(stored["source"], words=stored.get("words", ""))
    accepted = _stored_form(
        turn, SaidValue(SlotRef(frame, name, turn.flow_of(frame).slots[name]), stored["value"], origin)
    )
    if accepted is not None:
        state.setdefault("ahead", {}).setdefault(str(index), {})[name] = {**accepted, "turn": stored["turn"]}
