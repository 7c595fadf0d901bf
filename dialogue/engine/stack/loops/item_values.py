"""Values for one entry of a loop: of the open round, of a round that ended, or of one that is still to come."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from dialogue.engine.language.compiler import Flow, ForEach, Slot
from dialogue.engine.slots.candidates import Candidate, find_candidate
from dialogue.engine.slots.display import format_value
from dialogue.engine.slots.values import ValueRefused
from dialogue.engine.stack import corrections
from dialogue.engine.stack.filling import (
    Origin,
    fill_slot,
    parse_value,
    record_change,
    refuse_value,
    say_already_done,
    slot_title,
    stored_form,
)
from dialogue.engine.stack.loops import rounds
from dialogue.engine.stack.slot_access import SlotRef
from dialogue.engine.stack.state import Frame, LoopState, StoredRound, StoredSlot
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
    loop = loop_of_slot(turn.flow_of(frame), said.ref.name) if frame is not None else None
    if frame is None or loop is None:
        return _fill(turn, said)
    state = rounds.loop_state(frame, loop.step)
    if state is None:
        return _fill(turn, said) if item is None else _keep_for_loop(turn, frame, said, item)
    index = _present_index(state) if item is None else find_entry(turn, frame, loop, state["entries"], item)
    if index is None:
        return "which_item" if item is None else "unknown_item"
    if state["open"] and state["at"] == index:
        return _fill(turn, said)
    return _fill_round(turn, frame["rounds"][loop.step], loop, index, said)


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
    fits = [exact] if exact else _fitting(item, candidates)
    return candidates.index(fits[0]) if len(fits) == 1 else None


def _fitting(words: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    text = words.casefold().strip()
    return [option for option in candidates if any(text in part.casefold() for part in (option.label, *option.texts))]


def entry_candidates(turn: Turn, frame: Frame, loop: ForEach, entries: Sequence[str]) -> tuple[Candidate, ...]:
    """Return the entries as candidates, so that words can be matched with them; their keys are their numbers."""
    slot = turn.flow_of(frame).loop_items[loop.item]
    return tuple(_candidate(turn, slot, str(number), json.loads(entry)) for number, entry in enumerate(entries, 1))


def _candidate(turn: Turn, slot: Slot, key: str, entry: Any) -> Candidate:
    audience = {"language": turn.language, "timezone": turn.context.timezone}
    fields = entry if isinstance(entry, dict) else {}
    texts = tuple(
        format_value(field, fields[name], **audience)
        for name, field in slot.fields.items()
        if fields.get(name) is not None and field.type != "list"
    )
    label = format_value(slot, entry, **audience)
    return Candidate(key, entry, label, texts or (label,), fields, slot.fields)


def _keep_for_loop(turn: Turn, frame: Frame, said: SaidValue, item: Any) -> ItemResult:
    """Keep the value until the loop starts: only then is it known which entries there are."""
    stored = _stored_form(turn, said)
    if stored is None:
        return "refused_value"
    turn.heard = True
    kept = [value for value in frame.get("ahead", []) if (value["slot"], value["item"]) != (said.ref.name, item)]
    frame["ahead"] = [*kept, {"slot": said.ref.name, "item": item, "stored": stored}]
    return "filled"


def _stored_form(turn: Turn, said: SaidValue) -> StoredSlot | None:
    """Return the value as it is stored; None, and say why, if the slot refuses it."""
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
        _correct_round(turn, state, loop, index, replace(said, value=stored["value"]))
    else:
        state.setdefault("ahead", {}).setdefault(str(index), {})[said.ref.name] = stored
        record_change(turn, said.ref, stored["value"], said.origin, item=index + 1)
    return "filled"


def _correct_round(turn: Turn, state: LoopState, loop: ForEach, index: int, said: SaidValue) -> None:
    """Change the value in a round that was put away, and go back to this round, unless its action is final."""
    ref, value, origin = said.ref, said.value, said.origin
    stored_round: StoredRound = json.loads(state["rounds"][index])
    slots = stored_round.get("slots", {})
    frame = ref.frame
    if frame is None or (ref.name in slots and slots[ref.name]["value"] == value):
        return
    uses = corrections.action_uses_in_round(turn, frame, loop, index, ref.name)
    # Only the user is refused, as for any other slot.
    if any(use.final for use in uses) and origin.source == "user":
        return say_already_done(turn, ref, origin, value)
    if stored_round.pop("skipped", False):
        # The step at which it was skipped was left without an answer.
        stored_round["path"] = stored_round.get("path", [])[:-1]
    record_change(turn, ref, value, origin, item=index + 1)
    stored_round["slots"] = {**slots, ref.name: stored_form(turn, value, origin)}
    rounds.repeat_round(state, index, stored_round)
    if not origin.quiet:
        label = rounds.entry_label(turn, turn.flow_of(frame), loop, state, index)
        value_text = format_value(ref.slot, value, language=turn.language, timezone=turn.context.timezone)
        turn.say("item_corrected", about=ref.name, slot=slot_title(ref), item=label, value=value_text)
    if any(use.effect for use in uses):
        say_already_done(turn, ref, origin, value)
    corrections.go_back_to_loop(turn, frame, loop)


def use_values_ahead(turn: Turn, frame: Frame, loop: ForEach, state: LoopState) -> list[Any]:
    """Give the values that were kept for entries to their rounds. Return the words that fit no entry."""
    waiting = [kept for kept in frame.get("ahead", []) if kept["slot"] in loop.per_item]
    unknown: list[Any] = []
    for kept in waiting:
        index = find_entry(turn, frame, loop, state["entries"], kept["item"])
        if index is None:
            unknown.append(kept["item"])
        else:
            state.setdefault("ahead", {}).setdefault(str(index), {})[kept["slot"]] = kept["stored"]
    others = [kept for kept in frame.get("ahead", []) if kept["slot"] not in loop.per_item]
    if waiting:
        frame["ahead"] = others
    return unknown
