"""Choices from data at the steps of a flow: load the options, ask, and notice that a chosen one is gone."""

from collections.abc import Iterable, Mapping
from typing import Any

from dialogue.engine.actions import Succeeded
from dialogue.engine.language.compiler import Action, AnyStep, Call, Collect, Confirm, Human
from dialogue.engine.slots.candidates import Candidate
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.option_sources import OptionsFrom
from dialogue.engine.slots.values import ValueRefused, value_from_any
from dialogue.engine.stack import choices, corrections
from dialogue.engine.stack.choice_answers import ChoiceAnswer, offered_candidates
from dialogue.engine.stack.failures import end_failed, fail_step
from dialogue.engine.stack.filling import (
    Origin,
    forget_value,
    has_effect_of,
    leave_empty,
    parse_value,
    set_readers_back,
    store_value,
)
from dialogue.engine.stack.flow_runs.several_runs import one_option_a_run
from dialogue.engine.stack.slot_access import SlotRef, frame_slot, is_filled, is_skipped, slot_title, stored_slot
from dialogue.engine.stack.state import Mention, Wait
from dialogue.engine.stack.turn import await_answer
from dialogue.engine.stack.unknown_outcomes import awaits_outcome
from dialogue.engine.steps.action import call_source
from dialogue.engine.steps.control import StepRun

NO_OPTIONS = "no_options"
MAX_REFRESHES = 3
"""How often the chosen entry of a slot is replaced in one run of a flow. A source that gives other values at each call
must not keep asking for the same confirmation."""


def is_settled(step: Collect, run: StepRun) -> bool:
    """Whether the question is passed over: its slot holds a value, was answered before a correction, or was skipped."""
    filled = is_filled(run.turn, run.frame, step.slot) and not step.force
    return filled or corrections.was_answered(run.frame, step) or is_skipped(run.turn, run.frame, step.slot)


async def run_choice(step: Collect, run: StepRun, ref: SlotRef) -> str:
    """Ask for one of the options, unless there is none, the only one is taken, or the words said before mean one."""
    if await is_gone(run, ref) and (target := forget_vanished(run, ref)) != step.step:
        return target
    if is_settled(step, run):
        return run.go_to(run.next_step(step), wrote=[step.slot])
    wait = _open_wait(step, run)
    candidates = await load_candidates(run, ref.slot, reload=wait is None)
    if candidates is None:
        return run.go_to(step.on_error) if step.on_error else fail_step(run.turn, run.frame)
    if not candidates or (wait is not None and wait.get("declined")):
        return _leave_without_option(step, run, ref)
    said = choices.take_mention(run.frame, ref.name)
    if said is not None:
        return _resolve_mention(step, run, ref, candidates, said)
    if len(candidates) == 1 and wait is None and step.single != "ask":
        return _offer_only_option(step, run, ref, candidates)
    return _ask(run, ref, candidates)


def _open_wait(step: Collect, run: StepRun) -> Wait | None:
    wait = run.frame.get("wait")
    return wait if wait is not None and wait["kind"] == "collect" and wait["step"] == step.step else None


async def load_candidates(run: StepRun, slot: Slot, *, reload: bool) -> tuple[Candidate, ...] | None:
    """Return the options of the slot; `reload` calls the action that gives them again. None if the action failed."""
    source = slot.options_from
    assert source is not None
    if choices.source_contract(run.turn, run.frame, source) is None:
        return choices.checked_candidates(run.turn, run.frame, slot) or ()
    known = None if reload else choices.checked_candidates(run.turn, run.frame, slot)
    if known is None and not await _read_entries(run, slot, source):
        return None
    return choices.checked_candidates(run.turn, run.frame, slot)


async def _read_entries(run: StepRun, slot: Slot, source: OptionsFrom) -> bool:
    """Call the action behind the options and keep its entries. Return False if it failed."""
    loaded = run.frame.setdefault("options", {})
    before = loaded.get(slot.name)
    now = loaded[slot.name] = {"calls": before["calls"] + 1 if before else 1}
    ((name, output),) = run.turn.assistant.actions[source.source].outputs.items()
    step = Action.model_construct(
        step=run.frame["step"], type="action", call=source.source, inputs=source.inputs, outputs={}
    )
    outcome = await call_source(step, run, f"options:{slot.name}/{now['calls']}")
    if not isinstance(outcome, Succeeded) or outcome.misfit:
        return False
    returned, entries = outcome.outputs.get(name), before.get("entries") if before is not None else None
    # Equal entries stay the same object: they are checked already, and so their candidates need not be built again.
    if entries is None or entries != returned:
        try:
            entries = _parse_entries(run, output, returned)
        except ValueRefused as error:
            run.turn.record.actions[-1]["error"] = f"`{name}` does not fit: {error.sentence()}"
            return False
    now["entries"] = entries
    now["reads"] = choices.input_hashes(run.turn, run.frame, source)
    return True


def _parse_entries(run: StepRun, output: Slot, entries: object) -> list[Any]:
    context = run.turn.context
    value = value_from_any(
        output, entries or [], now=run.turn.now, timezone=context.timezone, language=context.language
    )
    return value if isinstance(value, list) else []


def _leave_without_option(step: Collect, run: StepRun, ref: SlotRef) -> str:
    """Take the way of an empty list: the step's own, or past an optional slot, or out of the flow."""
    run.turn.settle_wait(run.frame, "answered", "on_empty")
    if step.on_empty:
        return run.go_to(step.on_empty)
    if ref.slot.required:
        return end_failed(run.turn, run.frame, NO_OPTIONS)
    leave_empty(run.turn, ref, Origin("flow"))
    return run.go_to(run.next_step(step), wrote=[ref.name])


def _resolve_mention(
    step: Collect, run: StepRun, ref: SlotRef, candidates: tuple[Candidate, ...], said: Mention
) -> str:
    """Take the option that was named before the options were known, ask among several, or say that none fits."""
    choice = choices.open_choice(run.turn, run.frame, ref.slot)
    answer = choice.read_mention(said) if choice else ChoiceAnswer(unmatched=said.get("words", ""))
    answer = one_option_a_run(run.turn, run.frame, ref.slot, answer)
    choices.record_answer(run.turn, ref.slot, said.get("words", ""), answer)
    origin = Origin("user", words=said.get("words", ""), chosen=answer.chosen)
    if answer.chosen and _store(run, ref, origin):
        run.turn.settle_wait(run.frame, "answered", values={ref.name: answer.chosen[0].key})
        return run.go_to(run.next_step(step), wrote=[ref.name])
    if answer.unmatched:
        run.turn.say("no_match", about=ref.name, slot=slot_title(run.turn, ref), words=answer.unmatched)
    _ask(run, ref, candidates)
    if answer.among:
        picked = [option.key for option in answer.picked]
        choices.narrow_question(run.frame["wait"], [option.key for option in answer.among], picked)
    return ""


def _store(run: StepRun, ref: SlotRef, origin: Origin) -> bool:
    """Store the chosen options. Return False when a limit of the slot refuses them."""
    try:
        value = parse_value(run.turn, ref, choices.stored_choice(ref.slot, origin.chosen))
    except ValueRefused:
        return False
    store_value(run.turn, ref, value, origin)
    return True


def _offer_only_option(step: Collect, run: StepRun, ref: SlotRef, candidates: tuple[Candidate, ...]) -> str:
    only = candidates[0]
    if step.single == "take" and _store(run, ref, Origin("flow", quiet=True, chosen=(only,))):
        run.turn.say("only_option", about=ref.name, slot=slot_title(run.turn, ref), value=only.label)
        return run.go_to(run.next_step(step), wrote=[ref.name])
    _ask(run, ref, candidates)
    run.frame["wait"] |= {"single": True, "matches": [only.key]}
    return ""


def _ask(run: StepRun, ref: SlotRef, candidates: tuple[Candidate, ...]) -> str:
    await_answer(run.turn, run.frame, "collect")
    wait = run.frame["wait"]
    if "matches" in wait and not offered_candidates(candidates, wait):
        wait.pop("matches")  # the source has changed since the question was narrowed
    choices.record_offer(run.turn, ref.slot, candidates, wait)
    return ""


async def load_form_options(step: Human, run: StepRun) -> bool:
    """Load the options of the form's fields whose choices come from data. Return False if a source failed."""
    for field in step.form.values():
        if field.options_from is None:
            continue
        if await load_candidates(run, choices.form_field(step.step, field), reload=True) is None:
            return False
    return True


async def recheck_choices(step: AnyStep, run: StepRun) -> str | None:
    """Compare the chosen options with their source, before a step on which something depends.

    Go back to the question of an option that is gone, and to the first step that read one whose entry has changed.
    Return the step to go on with, or None if all are as they were.
    """
    if not _depends_on_choices(step, run):
        return None
    for name in run.turn.catalogue.data_choices.get(run.frame["flow"], ()):
        ref = frame_slot(run.turn, run.frame, name)
        if ref is None or not _was_chosen_here(run, ref):
            continue
        if await is_gone(run, ref):
            return forget_vanished(run, ref)
        if _refresh_chosen(run, ref):
            return run.frame["step"]
    return None


def _refresh_chosen(run: StepRun, ref: SlotRef) -> bool:
    """Store the chosen entries as their source gives them now. If a step or question has read what changed, repeat it.

    Return whether something is repeated. What staff are deciding about stays as they see it.
    """
    stored, wait = stored_slot(run.turn, ref), run.frame.get("wait")
    if stored is None or not _may_be_reread(run, ref) or (wait is not None and wait["kind"] == "human"):
        return False
    labels, refreshes = stored.get("labels", {}), run.frame.get("refreshes", {})
    offered = {option.key: option for option in choices.known_candidates(run.turn, run.frame, ref.slot) or ()}
    chosen = tuple(offered[key] for key in labels if key in offered)
    if len(chosen) < len(labels) or refreshes.get(ref.name, 0) >= MAX_REFRESHES:
        return False
    try:
        value = parse_value(run.turn, ref, choices.stored_choice(ref.slot, chosen))
    except ValueRefused:
        return False
    if value == stored["value"]:
        return False
    run.frame["refreshes"] = refreshes | {ref.name: refreshes.get(ref.name, 0) + 1}
    store_value(run.turn, ref, value, Origin("flow", chosen=chosen))
    if not corrections.was_read_otherwise(run.turn, run.frame, ref.name):
        return False
    run.turn.say("option_changed", about=ref.name, slot=slot_title(run.turn, ref), value=", ".join(labels.values()))
    set_readers_back(run.turn, ref)
    return True


def _depends_on_choices(step: AnyStep, run: StepRun) -> bool:
    """Whether the step asks people about values, or hands them to what may have an effect."""
    if isinstance(step, Action):
        return not run.turn.assistant.actions[step.call].only_reads and not awaits_outcome(run.turn, run.frame)
    return isinstance(step, Confirm | Human | Call)


def _was_chosen_here(run: StepRun, ref: SlotRef) -> bool:
    stored, flow = stored_slot(run.turn, ref), run.turn.flow_of(run.frame)
    steps = (flow.step(path_step["step"]) for path_step in run.frame["path"])
    return bool(stored and stored.get("labels")) and any(
        isinstance(step, Collect) and step.slot == ref.name for step in steps
    )


async def is_gone(run: StepRun, ref: SlotRef) -> bool:
    """Whether an option that the slot holds is no longer among the options, or its key now means another entry.

    Not if they cannot be read. An option that an action with an effect or a called flow has used may be gone because of
    it: it counts as there.
    """
    stored = stored_slot(run.turn, ref)
    if stored is None or not _may_be_reread(run, ref):
        return False
    candidates = await load_candidates(run, ref.slot, reload=True)
    # The first line of another order has the same key and is not what was chosen.
    return candidates is not None and bool(_vanished_labels(stored.get("labels", {}), candidates))


def _may_be_reread(run: StepRun, ref: SlotRef) -> bool:
    """Whether the slot holds chosen options whose source can be read, and nothing was done with them yet."""
    stored, source = stored_slot(run.turn, ref), ref.slot.options_from
    if source is None or stored is None or not stored.get("labels"):
        return False
    if has_effect_of(run.turn, ref) or _was_handed_over(run, ref):
        return False
    is_action = choices.source_contract(run.turn, run.frame, source) is not None
    return is_action or choices.source_entries(run.turn, run.frame, ref.slot) is not None


def _vanished_labels(labels: Mapping[str, str], candidates: Iterable[Candidate]) -> list[str]:
    """Return the labels of the chosen options that are not among the candidates any more."""
    offered = {option.key: option.label for option in candidates}
    return [label for key, label in labels.items() if offered.get(key) != label]


def _was_handed_over(run: StepRun, ref: SlotRef) -> bool:
    """Whether a called flow has got the value."""
    flow = run.turn.flow_of(run.frame)
    calls = (path_step for path_step in run.frame["path"] if isinstance(flow.step(path_step["step"]), Call))
    return any(name.partition(".")[0] == ref.name for path_step in calls for name in path_step.get("reads", ()))


def forget_vanished(run: StepRun, ref: SlotRef) -> str:
    """Say that the chosen option is gone, empty the slot, and return the step of its question."""
    stored = stored_slot(run.turn, ref)
    labels = stored.get("labels", {}) if stored else {}
    vanished = _vanished_labels(labels, choices.known_candidates(run.turn, run.frame, ref.slot) or ())
    run.turn.say("option_gone", about=ref.name, slot=slot_title(run.turn, ref), value=", ".join(vanished))
    forget_value(run.turn, ref, Origin("flow"))
    return run.frame["step"]
