"""The step that does something in the world."""

import asyncio
import random
from collections.abc import Mapping
from typing import Any

from dialogue.engine import corrections, frames
from dialogue.engine.actions import ActionCall, Failed, Outcome, Succeeded, Unknown
from dialogue.engine.doubts import ask_staff, is_in_doubt, names_read
from dialogue.engine.filling import Origin
from dialogue.engine.hitl import digest
from dialogue.engine.language import Action, ActionContract, Retry, Slot
from dialogue.engine.slot_access import evaluated, reads_of, value_of
from dialogue.engine.steps import Run, give_up, runs
from dialogue.engine.values import ValueRefused, masked, take_any, untyped
from dialogue.engine.waits import next_visit

_ONCE = Retry(attempts=1)


class ApprovalOutdated(RuntimeError):
    """What was approved is not what would be done now."""


@runs(Action)
async def run_action(step: Action, run: Run) -> str:
    """Call the action with its inputs and keep its outputs; what was done before a correction is not done again."""
    if is_in_doubt(run.turn, run.frame):
        run.frame["status"] = "parked"
        return ""
    before = run.frame.get("again", {}).get(step.step)
    contract = run.turn.assistant.actions[step.call]
    stands = corrections.still_stands(run.turn, run.frame, step.step)
    if before is not None and (stands is not None or not contract.idempotent):
        return run.go(before["to"], reads=before.get("reads"), wrote=before.get("wrote"))
    reads = reads_of(run.turn, run.frame, names_read(step, contract.inputs))
    _check_approvals(run, reads)
    outcome = await _call(step, run, contract)
    if isinstance(outcome, Unknown) and not contract.idempotent:
        return ask_staff(run.turn, run.frame, step, reads)
    return go_on(step, run, outcome, reads)


def _check_approvals(run: Run, reads: Mapping[str, str]) -> None:
    """Approval is bound to the values that staff saw: compare them when the action runs."""
    for step_id, bound in run.frame.get("bound", {}).items():
        changed = [name for name in bound.keys() & reads.keys() if bound[name] != reads[name]]
        if changed:
            raise ApprovalOutdated(f"{step_id} was decided about other values of {', '.join(sorted(changed))}")


async def _call(step: Action, run: Run, contract: ActionContract) -> Outcome:
    try:
        inputs = _inputs(step, run, contract)
    except ValueRefused as why:
        return Failed(str(why))
    place = f"{run.turn.context.conversation}/{run.frame['id']}/{step.step}/{next_visit(run.frame)}"
    outcome = await _try(step, run, contract, place, inputs)
    _note(run, step, contract, inputs, outcome)
    return outcome


async def _try(step: Action, run: Run, contract: ActionContract, place: str, inputs: dict[str, Any]) -> Outcome:
    """A try that failed is followed by one under a new key; one of unknown outcome only by one under the same key."""
    retry, group = step.retry or _ONCE, 1
    limit = step.timeout or contract.timeout
    outcome: Outcome = Failed("not tried")
    for attempt in range(1, retry.attempts + 1):
        call = ActionCall(f"{place}/{group}", step.call, inputs, contract, attempt, limit)
        outcome = await run.turn.context.actions.run(call)
        if isinstance(outcome, Succeeded) or (isinstance(outcome, Unknown) and not contract.idempotent):
            break
        group += isinstance(outcome, Failed)
        if attempt < retry.attempts:
            await asyncio.sleep(_pause(retry, attempt))
    return outcome


def _pause(retry: Retry, attempt: int) -> float:
    """Seconds until the next try: longer each time, and not the same for all who failed together."""
    return retry.delay.total_seconds() * retry.backoff ** (attempt - 1) * random.uniform(0.75, 1.25)


def _inputs(step: Action, run: Run, contract: ActionContract) -> dict[str, Any]:
    """The stored values by input, by the contract's types; an optional input that is empty is left out."""
    given = {name: _input(step, run, name) for name in contract.inputs}
    taken = {name: _taken(run, contract.inputs[name], value) for name, value in given.items()}
    return {name: value for name, value in taken.items() if value is not None}


def _input(step: Action, run: Run, name: str) -> Any:
    if step.inputs is None:
        return value_of(run.turn, run.frame, name)
    expression = step.inputs.get(name)
    return None if expression is None else untyped(evaluated(run.turn, run.frame, expression))


def _taken(run: Run, slot: Slot, value: Any) -> Any:
    context = run.turn.context
    return take_any(slot, value, now=run.turn.now, timezone=context.timezone, language=context.language)


def _note(run: Run, step: Action, contract: ActionContract, inputs: dict[str, Any], outcome: Outcome) -> None:
    sensitive = {name for name in inputs if _is_sensitive(step, run, contract, name)}
    shown = {name: masked(contract.inputs[name], each) if name in sensitive else each for name, each in inputs.items()}
    noted = {"action": step.call, "step": step.step, "inputs": shown, "outcome": type(outcome).__name__.lower()}
    run.turn.actions.append({**noted, "digest": digest({"action": step.call, "inputs": inputs})})


def _is_sensitive(step: Action, run: Run, contract: ActionContract, name: str) -> bool:
    own = run.turn.assistant.slot(run.frame["flow"], name) if step.inputs is None else None
    return contract.inputs[name].sensitive or (own is not None and own.sensitive)


def go_on(step: Action, run: Run, outcome: Outcome, reads: dict[str, str]) -> str:
    """Where the flow goes after this outcome; "" when it ends, with a word."""
    wrote = list(step.outputs.values())
    if isinstance(outcome, Succeeded) and _keep(step, run, outcome):
        return run.go(run.after(step), reads=reads, wrote=wrote)
    if step.on_error is None:
        return give_up(run, "action_failed")
    return run.go(step.on_error, reads=reads, wrote=wrote)


def _keep(step: Action, run: Run, outcome: Succeeded) -> bool:
    """Store the outputs; False when one does not satisfy its slot."""
    origin = Origin("action", by=step.call, quiet=True)
    given = {slot: untyped(outcome.outputs.get(key)) for key, slot in step.outputs.items()}
    return all(frames.write(run.turn, run.frame, slot, value, origin) for slot, value in given.items())
