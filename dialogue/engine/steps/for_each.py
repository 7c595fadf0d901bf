"""The runner of `for_each`: one round of steps for each entry of a list."""

import logging
from collections.abc import Mapping
from typing import Any

from dialogue.engine.language.compiler import ForEach, Slot
from dialogue.engine.slots.redaction import one_line
from dialogue.engine.slots.values import ValueRefused, json_value, value_from_any
from dialogue.engine.stack import choices
from dialogue.engine.stack.failures import end_failed, fail_step
from dialogue.engine.stack.filling import Origin, parse_value, store_value
from dialogue.engine.stack.loops import rounds
from dialogue.engine.stack.loops.item_values import list_entries, use_values_ahead
from dialogue.engine.stack.slot_access import SlotRef, evaluate, frame_slot, read_hashes, value_of
from dialogue.engine.stack.state import LoopState, StoredSlot
from dialogue.engine.steps.control import StepRun

log = logging.getLogger(__name__)

MAX_ROUNDS_PER_TURN = 1_000
"""The rounds of one turn that have `max_steps_per_turn` steps each; later ones share those of one round."""
_FLOW = Origin("flow", quiet=True)
_DEFAULT = Origin("default", quiet=True)


async def run_for_each(step: ForEach, run: StepRun) -> str:
    """Begin the loop, or end its open round, and go into the next one; after the last one, leave the loop.

    After a correction the list is read again. Rounds whose entry is still there are kept, and only those that read a
    changed value are repeated.
    """
    try:
        return _run_loop(step, run)
    except ValueRefused as error:
        return _fail(run, step, f"an entry of {step.entries} is refused: {error.sentence()}")


def _run_loop(step: ForEach, run: StepRun) -> str:
    frame = run.frame
    state = rounds.loop_state(frame, step.step)
    if state is not None and step.step in frame.get("again", {}):
        entries = list_entries(run.turn, frame, step)
        if entries != state["entries"]:
            state = frame["rounds"][step.step] = rounds.realigned(state, entries)
        _repeat_outdated(step, run, state)
    elif state is not None and state["open"]:
        refusal = _gather(step, run, state)
        if refusal:
            return _fail(run, step, refusal)
        rounds.close_round(run.turn.flow_of(frame), frame, step, ended=True)
    else:
        state = _begin(step, run)
    if len(state["entries"]) > step.max_items:
        count = len(state["entries"])
        return end_failed(run.turn, frame, "too_many_items", count=count, limit=step.max_items)
    return _enter_next(step, run, state)


def _begin(step: ForEach, run: StepRun) -> LoopState:
    frame, entries = run.frame, list_entries(run.turn, run.frame, step)
    state: LoopState = {
        "entries": entries,
        "pending": list(range(len(entries))),
        "at": -1,
        "open": False,
        "rounds": ["" for _ in entries],
        "gathered": {name: [None for _ in entries] for name in step.gather},
        "reads": [],
        "wrote": [],
    }
    frame.setdefault("rounds", {})[step.step] = state
    _store_gathered(step, run, state)
    _use_early_values(step, run, state)
    return state


def _use_early_values(step: ForEach, run: StepRun, state: LoopState) -> None:
    """Give values that were said before the loop to their entries. A value for no entry in particular fits only one."""
    frame = run.frame
    if len(state["entries"]) == 1:
        early = {name: frame["slots"][name] for name in step.per_item if name in frame["slots"]}
        if early:
            state["ahead"] = {"0": early}
    else:
        for name in step.per_item:
            choices.take_mention(frame, name)
    for words in use_values_ahead(run.turn, frame, step, state):
        run.turn.say("unknown_item", about=step.step, item=words)


def _repeat_outdated(step: ForEach, run: StepRun, state: LoopState) -> None:
    """Have the rounds run again that read a value from outside which has changed since, other than by the loop."""
    names = set(state["reads"]) - set(state["wrote"])
    hashes = read_hashes(run.turn, run.frame, names)
    outdated = [
        index
        for index, stored in (rounds.stored_rounds(state) if names else ())
        if not stored.get("skipped")
        and any(
            hashes.get(name, value_hash) != value_hash
            for path_step in rounds.steps_of_round(stored)
            for name, value_hash in path_step.get("reads", {}).items()
        )
    ]
    state["pending"] = sorted({*state["pending"], *outdated})
    _store_gathered(step, run, state)


def _gather(step: ForEach, run: StepRun, state: LoopState) -> str:
    """Note the round's values for the lists. Return "", or why a list refuses its value.

    A round that is skipped has none, also where it gave values before a correction.
    """
    if state.get("skip"):
        for values in state["gathered"].values():
            values[state["at"]] = None
    for name, expression in step.gather.items() if not state.get("skip") else ():
        ref = _list_slot(run, name)
        value: Any = json_value(evaluate(run.turn, run.frame, expression))
        try:
            parsed = None if value is None else _parse_value(run, ref.slot.items, value)
        except ValueRefused as error:
            return f"`{name}` refuses the value of item {state['at'] + 1}: {error.sentence()}"
        state["gathered"][name][state["at"]] = parsed
        length = sum(gathered is not None for gathered in state["gathered"][name])
        if ref.slot.max_length is not None and length > ref.slot.max_length:
            return f"`{name}` has at most {ref.slot.max_length} entries"
    _store_gathered(step, run, state)
    return ""


def _parse_value(run: StepRun, slot: Slot | None, value: object) -> Any:
    """Return the stored form of a value; `slot` describes it, if known. Raises ValueRefused."""
    context = run.turn.context
    if slot is None:
        return value
    return value_from_any(slot, value, now=run.turn.now, timezone=context.timezone, language=context.language)


def _store_gathered(step: ForEach, run: StepRun, state: LoopState) -> None:
    for name in step.gather:
        values = [value for value in state["gathered"][name] if value is not None]
        if values != value_of(run.turn, run.frame, name):
            # Each entry is checked already: to check the whole list in every round would take quadratic time.
            store_value(run.turn, _list_slot(run, name), values, _FLOW)


def _list_slot(run: StepRun, name: str) -> SlotRef:
    ref = frame_slot(run.turn, run.frame, name)
    assert ref is not None, "the verifier checks the names"
    return ref


def _enter_next(step: ForEach, run: StepRun, state: LoopState) -> str:
    reads = _hashes_of_list(step, run)
    if not state["pending"]:
        return run.go_to(run.next_step(step), reads=reads, wrote=[*step.gather, *state["wrote"]])
    _open_round(step, run, state, state["pending"][0])
    return run.go_to(step.do[0].step, reads=reads)


def _hashes_of_list(step: ForEach, run: StepRun) -> dict[str, str]:
    """Return the hashes of what the list was made of. They are those of the loop's start, until a correction."""
    earlier = next((path_step for path_step in run.frame["path"] if path_step["step"] == step.step), None)
    if earlier is not None and "reads" in earlier:
        return earlier["reads"]
    return read_hashes(run.turn, run.frame, step.entries.slots)


def _open_round(step: ForEach, run: StepRun, state: LoopState, index: int) -> None:
    turn, frame, flow = run.turn, run.frame, run.turn.flow_of(run.frame)
    wait = frame.get("wait")
    # What another round awaited is not the same pause, although its step is the same.
    is_inside = wait is not None and wait["kind"] != "handoff" and step.step in flow.loops_around(wait["step"])
    if is_inside and state["at"] != index:
        turn.settle_wait(frame, "voided")
    turn.rounds_opened += 1
    if turn.rounds_opened <= MAX_ROUNDS_PER_TURN:
        turn.step_count = 0
    for name in step.per_item:
        frame["slots"].pop(name, None)
    is_repeated = rounds.restore_round(frame, state, index)
    frame["slots"][step.item] = {
        "value": rounds.entry_value(state, index),
        "turn": turn.memory["turn"],
        "source": "flow",
    }
    if not is_repeated:
        _fill_defaults(step, run)
        _use_values_of_round(run, state.get("ahead", {}).pop(str(index), {}))


def _use_values_of_round(run: StepRun, values: Mapping[str, StoredSlot]) -> None:
    """Store what was said ahead for the entry. Words for a choice from data wait for the options of its question."""
    slots = run.turn.flow_of(run.frame).slots
    for name, stored in values.items():
        if slots[name].options_from is None:
            run.frame["slots"][name] = stored
        else:
            choices.mention(run.frame, name, {"words": stored["value"]})


def _fill_defaults(step: ForEach, run: StepRun) -> None:
    slots = run.turn.flow_of(run.frame).slots
    for name in step.per_item:
        if slots[name].default is not None:
            ref = SlotRef(run.frame, name, slots[name])
            store_value(run.turn, ref, parse_value(run.turn, ref, slots[name].default), _DEFAULT)


def _fail(run: StepRun, step: ForEach, reason: str) -> str:
    conversation = run.turn.context.conversation
    log.error("the loop %s of conversation %s cannot go on: %s", step.step, conversation, one_line(reason))
    return fail_step(run.turn, run.frame)
