"""Actions, calls and confirms: what goes in and out fits the contract, and a failure or a no has a way of its own."""

from collections.abc import Iterator, Mapping

from dialogue.engine.expressions.conditions import Condition, ConditionRefused
from dialogue.engine.expressions.types import Kind
from dialogue.engine.language.documents import ActionContract
from dialogue.engine.language.steps import Action, Call, Confirm
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView, kind_of
from dialogue.engine.slots.models import Slot
from dialogue.engine.source.parser import DocumentPath
from dialogue.engine.source.problems import did_you_mean, nearest_name

_WRITTEN_AS_TEXT = frozenset({"date", "time", "datetime"})


def check_contracts(view: FlowView) -> Iterator[Finding]:
    """Wrong arguments, results that nobody gives, and actions whose failure nobody catches."""
    for path, step in view.steps_with_paths:
        if isinstance(step, Action) and step.call in view.assistant.actions:
            contract = view.assistant.actions[step.call]
            yield from _check_inputs(view, path, step, contract)
            yield from _check_missing(view, path, step, contract)
            yield from _check_outputs(view, path, step, contract)
            yield from _check_failure(view, path, step, contract)
        if isinstance(step, Call):
            yield from _check_call(view, path, step)
        if isinstance(step, Confirm) and step.on_deny == (step.on_confirm or view.flow.next_step(step.step)):
            text = f"no leads to `{step.on_deny}`, as yes does"
            yield view.warning("deny_confirms", (*path, "on_deny"), text, "Lead to another step, or take it out")


def _check_inputs(view: FlowView, path: DocumentPath, step: Action, contract: ActionContract) -> Iterator[Finding]:
    for name, expression in _inputs(view, step, contract).items():
        place = (*path, "inputs", name) if step.inputs is not None else (*path, "call")
        if name not in contract.inputs:
            text = f"the action `{step.call}` has no input `{name}`"
            yield view.error("unknown_input", place, text, did_you_mean(name, contract.inputs), on_key=True)
        else:
            yield from _check_fit(view, place, expression, contract.inputs[name])


def _check_missing(view: FlowView, path: DocumentPath, step: Action, contract: ActionContract) -> Iterator[Finding]:
    given = _inputs(view, step, contract)
    unknown = [name for name in given if name not in contract.inputs]
    for name, slot in contract.inputs.items():
        if slot.required and name not in given:
            instead = nearest_name(name, unknown) or next(iter(unknown), "")
            wrong = f", and is given `{instead[:64]}`, which it does not have" if instead else ""
            text = f"the action `{step.call}` needs the input `{name}`{wrong}"
            advice = f"Write inputs: {{{name}: <slot>}}, or declare a slot `{name}`"
            yield view.error("missing_input", (*path, "call"), text, advice)


def _inputs(view: FlowView, step: Action, contract: ActionContract) -> Mapping[str, Condition]:
    if step.inputs is not None:
        return step.inputs
    return {name: Condition(name) for name in contract.inputs if name in view.slots}


def _check_fit(view: FlowView, path: DocumentPath, expression: Condition, taker: Slot) -> Iterator[Finding]:
    try:
        given = expression.check_as_expression(view.kinds)
    except ConditionRefused:
        return
    if not _fits(given, kind_of(taker)):
        text = f"`{expression}` is of the kind {given.name}, and the input `{taker.name}` takes the type {taker.type}"
        yield view.error("wrong_type", path, text, "Give it a value of that type")


def _fits(given: Kind, taken: Kind) -> bool:
    """A text is tried when it comes; a date can be handed over as text; all else has to be alike."""
    if given.name in ("any", "text") or given.name == taken.name:
        return True
    return taken.name == "text" and given.name in _WRITTEN_AS_TEXT


def _check_outputs(view: FlowView, path: DocumentPath, step: Action, contract: ActionContract) -> Iterator[Finding]:
    for result, name in step.outputs.items():
        place = (*path, "outputs", result)
        if result not in contract.outputs:
            text = f"the action `{step.call}` gives no `{result[:64]}`"
            yield view.error("unknown_output", place, text, did_you_mean(result, contract.outputs), on_key=True)
        elif name in view.slots and not _fits(kind_of(contract.outputs[result]), kind_of(view.slots[name])):
            given, taken = contract.outputs[result].type, view.slots[name].type
            text = f"`{result}` has the type {given}, and `{name}` the type {taken}"
            yield view.error("wrong_type", place, text, "Give the slot the type of the result")


def _check_failure(view: FlowView, path: DocumentPath, step: Action, contract: ActionContract) -> Iterator[Finding]:
    if step.on_error is None:
        text = f"when `{step.call}` fails, the flow apologises and ends"
        yield view.warning(
            "no_failure_branch", (*path, "call"), text, "Write on_error: <step> to say what happens then"
        )
    elif step.on_error == view.flow.next_step(step.step) and step.outputs:
        text = f"when `{step.call}` fails, the flow goes on as if it had worked, without {_listed(step.outputs)}"
        yield view.warning("failure_ignored", (*path, "on_error"), text, "Lead to a step that says what happened")
    if step.retry and not contract.idempotent:
        text = f"`{step.call}` is not idempotent, and a repeated call may do its work twice"
        advice = "Take `retry` out, or make the action idempotent"
        yield view.warning("unsafe_retry", (*path, "retry"), text, advice, on_key=True)


def _listed(outputs: Mapping[str, str]) -> str:
    return ", ".join(f"`{each}`" for each in outputs.values())


def _check_call(view: FlowView, path: DocumentPath, step: Call) -> Iterator[Finding]:
    child = view.assistant.flows.get(step.flow)
    if child is None:
        return
    for name, expression in step.inputs.items():
        if name in child.slots:
            yield from _check_fit(view, (*path, "inputs", name), expression, child.slots[name])
    for own, theirs in step.outputs.items():
        giver, taker = child.slots.get(theirs), view.slots.get(own)
        if giver and taker and not _fits(kind_of(giver), kind_of(taker)):
            text = f"`{theirs}` has the type {giver.type}, and `{own}` the type {taker.type}"
            yield view.error("wrong_type", (*path, "outputs", own), text, "Give both the same type")
