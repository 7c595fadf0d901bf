"""Plan the further runs of a flow for which a user named several options at once: "W1 and W2", "both"."""

from dialogue.engine.slots.values import ValueRefused
from dialogue.engine.stack import choices, frames, stack
from dialogue.engine.stack.filling import Origin, parse_value, store_value
from dialogue.engine.stack.flow_runs.several_runs import run_title
from dialogue.engine.stack.slot_access import SlotRef
from dialogue.engine.stack.state import Frame, copy_json
from dialogue.engine.stack.turn import FurtherChoice, Turn


def plan_further_runs(turn: Turn) -> None:
    """Plan a run for each further option, with the values that the user has given so far, and say so."""
    further_choices, turn.further_choices = turn.further_choices, []
    runs: list[Frame] = []
    for choice in further_choices:
        if not frames.may_push(turn):
            turn.say("too_many_flows", flow=turn.flow_title(choice.frame["flow"]))
        elif (run := _new_run(turn, choice)) is not None:
            _plan_below(turn, run, above=runs[-1] if runs else choice.frame)
            runs.append(run)
    if runs:
        turn.say("plan", flows=", ".join(run_title(turn, run) for run in (further_choices[0].frame, *runs)))


def _new_run(turn: Turn, choice: FurtherChoice) -> Frame | None:
    """Return a frame of the same flow with the further option, or None where a limit refuses it."""
    run = frames.new_flow_frame(turn, turn.flow_of(choice.frame))
    given = {name: slot for name, slot in choice.frame["slots"].items() if slot["source"] == "user"}
    run["slots"] |= {name: copy_json(slot) for name, slot in given.items() if name != choice.slot.name}
    ref = SlotRef(run, choice.slot.name, choice.slot)
    try:
        value = parse_value(turn, ref, choices.stored_choice(choice.slot, (choice.option,)))
    except ValueRefused:
        return None
    store_value(turn, ref, value, Origin("user", chosen=(choice.option,)))
    return run


def _plan_below(turn: Turn, run: Frame, above: Frame) -> None:
    if above in turn.frames:
        return frames.plan(turn, run, above)
    # The run before it has failed already: this one begins at once.
    run["status"] = "planned"
    turn.frames = stack.push(turn.frames, run)
    return None
