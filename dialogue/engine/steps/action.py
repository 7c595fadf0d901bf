"""The action step: calls the project's code, with retries, and stores its outputs."""

import asyncio
import logging
import random
from collections.abc import Mapping
from typing import Any

from dialogue.engine.actions import ActionCall, Failed, Outcome, Succeeded, Unknown, error_of
from dialogue.engine.expressions.conditions import ExpressionTooCostly, with_slots
from dialogue.engine.language.compiler import Action, ActionContract, Retry, Slot
from dialogue.engine.ports.hitl import digest
from dialogue.engine.slots.display import redacted_json
from dialogue.engine.slots.redaction import one_line
from dialogue.engine.slots.values import ValueRefused, json_value, redacted_value, value_from_any
from dialogue.engine.stack import corrections, frames
from dialogue.engine.stack.failures import fail_step
from dialogue.engine.stack.filling import Origin
from dialogue.engine.stack.slot_access import evaluate, read_hashes, value_of
from dialogue.engine.stack.turn import Turn, count_visit
from dialogue.engine.stack.unknown_outcomes import ask_staff_for_outcome, awaits_outcome, input_names
from dialogue.engine.steps.control import StepRun

log = logging.getLogger(__name__)

_NO_RETRY = Retry(attempts=1)


class ApprovalOutdated(RuntimeError):
    """A value that staff approved has changed before the action ran."""


async def run_action(step: Action, run: StepRun) -> str:
    """Call the action and store its outputs.

    After a correction an action that may not be repeated is not called again, nor is another one whose inputs are
    unchanged. One that only reads is called once a turn with the same inputs, until an action with an effect has run.
    Raises ApprovalOutdated when an input differs from what staff approved.
    """
    if awaits_outcome(run.turn, run.frame):
        run.frame["status"] = "parked"
        return ""
    earlier = run.frame.get("again", {}).get(step.step)
    contract = run.turn.assistant.actions[step.call]
    unchanged = corrections.unchanged_result(run.turn, run.frame, step.step)
    if earlier is not None and (unchanged is not None or not contract.repeatable):
        return run.go_to(earlier["to"], reads=earlier.get("reads"), wrote=earlier.get("wrote"))
    reads = read_hashes(run.turn, run.frame, input_names(step, contract.inputs))
    _check_approvals(run, reads)
    outcome = await _call_and_record(step, run, contract)
    if isinstance(outcome, Unknown) and not contract.repeatable:
        return ask_staff_for_outcome(run.turn, run.frame, step, reads, outcome.reason)
    return continue_after(step, run, outcome, reads)


def _check_approvals(run: StepRun, reads: Mapping[str, str]) -> None:
    """Compare the action's inputs with the values that staff saw. Raises ApprovalOutdated when one differs."""
    for step_id, bound in run.frame.get("bound", {}).items():
        # An input that is a field, such as order.total, was approved with its whole record.
        now = read_hashes(run.turn, run.frame, bound.keys() & with_slots(reads))
        changed = [name for name in now if bound[name] != now[name]]
        if changed:
            raise ApprovalOutdated(f"{step_id} was approved with other values of {', '.join(sorted(changed))}")


async def call_source(step: Action, run: StepRun, source_key: str) -> Outcome:
    """Call an action for the options that it returns, once a turn with the same inputs until something has an effect.

    `source_key` identifies the call within its frame.
    """
    return await _call_and_record(step, run, run.turn.assistant.actions[step.call], source_key=source_key)


async def _call_and_record(step: Action, run: StepRun, contract: ActionContract, *, source_key: str = "") -> Outcome:
    try:
        inputs = _action_inputs(step, run, contract)
    except (ValueRefused, ExpressionTooCostly) as error:
        refused = Failed(_explain_inputs(error))
        _record_call(run, step, contract, {}, refused)
        log.error("action %s of conversation %s: %s", step.call, run.turn.context.conversation, one_line(refused.error))
        return refused
    read_key = digest({"action": step.call, "inputs": inputs}) if contract.only_reads or source_key else ""
    if read_key in run.turn.read_results:
        outcome: Outcome = Succeeded(run.turn.read_results[read_key])
        if source_key:
            return outcome  # options are looked up at several steps; the record names the call that read them
        _record_call(run, step, contract, inputs, outcome, from_cache=True)
        return outcome
    # Each visit has a key of its own, so that a loop, or a correction, calls the action again.
    own_key = source_key or f"{step.step}/{count_visit(run.frame)}"
    visit_key = f"{run.turn.context.conversation}/{run.frame['id']}/{own_key}"
    outcome = await _call_with_retries(step, run, contract, visit_key, inputs)
    _remember_results(run.turn, read_key, outcome)
    _record_call(run, step, contract, inputs, outcome)
    return outcome


def _remember_results(turn: Turn, read_key: str, outcome: Outcome) -> None:
    """Keep what an action read for the rest of the turn; after an action with an effect it may no longer be true."""
    if not read_key:
        turn.read_results.clear()
    elif isinstance(outcome, Succeeded) and not outcome.misfit:
        turn.read_results[read_key] = outcome.outputs


def _explain_inputs(error: ValueRefused | ExpressionTooCostly) -> str:
    return f"the input `{error.field}` is refused: {error}" if isinstance(error, ValueRefused) else str(error)


async def _call_with_retries(
    step: Action, run: StepRun, contract: ActionContract, visit_key: str, inputs: dict[str, Any]
) -> Outcome:
    """Call the action up to `retry.attempts` times.

    A failed attempt is followed by one under a new key. After an unknown outcome only an action that may be repeated is
    tried again, under the same key, so that the host can recognise the repetition.
    """
    retry, group = step.retry or _NO_RETRY, 1
    limit, sensitive = step.timeout or contract.timeout, _sensitive_names(step, run, contract)
    outcome: Outcome = Failed("not tried")
    await run.turn.flush()  # the user can read these messages while the action runs
    for attempt in range(1, retry.attempts + 1):
        call = ActionCall(f"{visit_key}/{group}", step.call, inputs, contract, attempt, limit, sensitive)
        outcome = await run.turn.context.actions.run(call)
        if isinstance(outcome, Succeeded) or (isinstance(outcome, Unknown) and not contract.repeatable):
            break
        # The host may answer a repeated key from its ledger, so a call that failed needs a new one.
        group += isinstance(outcome, Failed)
        if attempt < retry.attempts:
            await asyncio.sleep(_backoff_seconds(retry, attempt))
    return outcome


def _backoff_seconds(retry: Retry, attempt: int) -> float:
    """Return the seconds until the next attempt: exponential backoff with 25 % of jitter."""
    return retry.delay.total_seconds() * retry.backoff ** (attempt - 1) * random.uniform(0.75, 1.25)


def _action_inputs(step: Action, run: StepRun, contract: ActionContract) -> dict[str, Any]:
    """Return the stored values by input, in the contract's types; empty optional inputs are left out."""
    raw_values = {name: _input_value(step, run, name) for name in contract.inputs}
    values = {name: _parse_input(run, contract.inputs[name], value) for name, value in raw_values.items()}
    return {name: value for name, value in values.items() if value is not None}


def _input_value(step: Action, run: StepRun, name: str) -> Any:
    if step.inputs is None:
        return value_of(run.turn, run.frame, name)
    expression = step.inputs.get(name)
    return None if expression is None else json_value(evaluate(run.turn, run.frame, expression))


def _parse_input(run: StepRun, slot: Slot, value: Any) -> Any:
    context = run.turn.context
    return value_from_any(slot, value, now=run.turn.now, timezone=context.timezone, language=context.language)


def _record_call(
    run: StepRun,
    step: Action,
    contract: ActionContract,
    inputs: dict[str, Any],
    outcome: Outcome,
    *,
    from_cache: bool = False,
) -> None:
    sensitive = _sensitive_names(step, run, contract)
    redacted_inputs = {
        name: redacted_value(contract.inputs[name], input_value)
        if name in sensitive
        else redacted_json(contract.inputs[name], input_value)
        for name, input_value in inputs.items()
    }
    entry: dict[str, Any] = {
        "action": step.call,
        "step": step.step,
        "inputs": redacted_inputs,
        "outcome": type(outcome).__name__.lower(),
    }
    entry |= {"digest": digest({"action": step.call, "inputs": inputs})}
    entry |= {"from_cache": True} if from_cache else {}
    entry |= {"simulated": True} if isinstance(outcome, Succeeded) and outcome.simulated else {}
    run.turn.record.actions.append({**entry, **_error_entry(error_of(outcome))})


def _error_entry(error: str) -> dict[str, str]:
    return {"error": error} if error else {}


def _sensitive_names(step: Action, run: StepRun, contract: ActionContract) -> frozenset[str]:
    """Return the inputs and outputs that the contract or the slots of the flow declare sensitive."""
    flow = run.frame["flow"]
    slot_names = {name: name for name in contract.inputs} if step.inputs is None else step.outputs
    slots = {name: run.turn.assistant.slot(flow, slot) for name, slot in {**slot_names, **step.outputs}.items()}
    declared = {**contract.inputs, **contract.outputs}
    sensitive = {name for name, slot in declared.items() if slot.sensitive}
    sensitive |= {name for name, slot in slots.items() if slot is not None and slot.sensitive}
    for name, expression in (step.inputs or {}).items():
        if any(_is_sensitive(run, read) for read in expression.slots):
            sensitive.add(name)
    return frozenset(sensitive)


def _is_sensitive(run: StepRun, name: str) -> bool:
    """Return whether the name means a sensitive slot, or a sensitive field of a record."""
    head, _, path = name.partition(".")
    slot = run.turn.assistant.slot(run.frame["flow"], head)
    part = slot.part(path) if slot is not None and path else slot
    return part is not None and part.sensitive


def continue_after(step: Action, run: StepRun, outcome: Outcome, reads: dict[str, str]) -> str:
    """Go on after this outcome. Return the next step, or "" when the flow ends."""
    wrote = list(step.outputs.values())
    if isinstance(outcome, Succeeded) and not outcome.misfit and _store_outputs(step, run, outcome):
        return run.go_to(run.next_step(step), reads=reads, wrote=wrote)
    if step.on_error is None:
        return fail_step(run.turn, run.frame, reads=reads, wrote=wrote)
    return run.go_to(step.on_error, reads=reads, wrote=wrote)


def _store_outputs(step: Action, run: StepRun, outcome: Succeeded) -> bool:
    """Store the outputs. Return False, and log and record it, when a value does not fit its slot."""
    origin = Origin("action", by=step.call, quiet=True)
    for key, slot in step.outputs.items():
        refusal = frames.write_or_refuse(run.turn, run.frame, slot, json_value(outcome.outputs.get(key)), origin)
        if refusal:
            error = f"`{key}` does not fit the slot `{slot}`: {refusal}"
            log.error("action %s of conversation %s: %s", step.call, run.turn.context.conversation, one_line(error))
            run.turn.record.actions[-1] |= _error_entry(error)
            return False
    return True
