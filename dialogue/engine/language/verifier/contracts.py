"""Actions, calls and confirms: inputs and outputs fit the contract, and failures and refusals lead somewhere."""

from collections.abc import Iterator, Mapping

from dialogue.engine.expressions.conditions import Condition, ConditionRefused
from dialogue.engine.expressions.types import Kind
from dialogue.engine.language.documents import ActionContract
from dialogue.engine.language.steps import Action, Call, Confirm
from dialogue.engine.language.verifier.assignments import misfit_reason
from dialogue.engine.language.verifier.called_flows.failures import is_failure_handled
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView, kind_of
from dialogue.engine.slots.models import Slot
from dialogue.engine.source.parser import DocumentPath
from dialogue.engine.source.problems import did_you_mean, nearest_name

_WRITTEN_AS_TEXT = frozenset({"date", "time", "datetime"})


def check_contracts(view: FlowView) -> Iterator[Finding]:
    """Yield wrong inputs, outputs that the action does not have, and actions without error handling."""
    for path, step in view.steps_with_paths:
        if isinstance(step, Action) and step.call in view.assistant.actions:
            contract = view.assistant.actions[step.call]
            yield from _check_inputs(view, path, step, contract)
            yield from _check_missing(view, path, step, contract)
            yield from _check_outputs(view, path, step, contract)
            yield from _check_error_handling(view, path, step, contract)
            if contract.only_reads and contract.outputs and not step.outputs:
                text = f"`{step.call}` only reads, and this step keeps none of its results"
                advice = f"Write outputs: {{{next(iter(contract.outputs))}: <slot>}}, or delete the step"
                yield view.warning("unused_reading", (*path, "call"), text, advice)
        if isinstance(step, Call):
            yield from _check_call(view, path, step)
        if isinstance(step, Confirm) and step.on_deny == (step.on_confirm or view.flow.next_step(step.step)):
            text = f"both no and yes lead to `{step.on_deny}`"
            yield view.warning("deny_confirms", (*path, "on_deny"), text, "Write another step, or delete `on_deny`")


def _check_inputs(view: FlowView, path: DocumentPath, step: Action, contract: ActionContract) -> Iterator[Finding]:
    for name, expression in _inputs_of(view, step, contract).items():
        input_path = (*path, "inputs", name) if step.inputs is not None else (*path, "call")
        if name not in contract.inputs:
            text = f"the action `{step.call}` has no input `{name}`"
            yield view.error("unknown_input", input_path, text, did_you_mean(name, contract.inputs), on_key=True)
        else:
            yield from _check_input_type(view, input_path, expression, contract.inputs[name])


def _check_missing(view: FlowView, path: DocumentPath, step: Action, contract: ActionContract) -> Iterator[Finding]:
    inputs = _inputs_of(view, step, contract)
    unknown = [name for name in inputs if name not in contract.inputs]
    for name, slot in contract.inputs.items():
        if slot.required and name not in inputs:
            misnamed = nearest_name(name, unknown) or next(iter(unknown), "")
            hint = f", but gets `{misnamed[:64]}`, which it does not have" if misnamed else ""
            text = f"the action `{step.call}` needs the input `{name}`{hint}"
            advice = f"Write inputs: {{{name}: <slot>}}, or declare a slot `{name}`"
            yield view.error("missing_input", (*path, "call"), text, advice)


def _inputs_of(view: FlowView, step: Action, contract: ActionContract) -> Mapping[str, Condition]:
    if step.inputs is not None:
        return step.inputs
    return {name: Condition(name) for name in contract.inputs if name in view.slots}


def _check_input_type(view: FlowView, path: DocumentPath, expression: Condition, input_slot: Slot) -> Iterator[Finding]:
    try:
        kind = expression.check_as_expression(view.kinds)
    except ConditionRefused:
        return  # check_names reports it.
    if not fits_kind(kind, kind_of(input_slot)):
        text = f"`{expression}` is {kind.phrase}, but the input `{input_slot.name}` has the type {input_slot.type}"
        yield view.error("wrong_type", path, text, "Give the input a value of that type")


def fits_kind(kind: Kind, expected: Kind) -> bool:
    """Return whether a value fits: a text is parsed at run time, a date may become text, others must be equal."""
    if kind.name in ("any", "text") or kind.name == expected.name:
        return not misfit_reason(kind, expected)
    return expected.name == "text" and kind.name in _WRITTEN_AS_TEXT


def _check_outputs(view: FlowView, path: DocumentPath, step: Action, contract: ActionContract) -> Iterator[Finding]:
    for result, name in step.outputs.items():
        output_path = (*path, "outputs", result)
        if result not in contract.outputs:
            text = f"the action `{step.call}` has no output `{result[:64]}`"
            yield view.error("unknown_output", output_path, text, did_you_mean(result, contract.outputs), on_key=True)
        elif name in view.slots and not fits_kind(kind_of(contract.outputs[result]), kind_of(view.slots[name])):
            result_type, slot_type = contract.outputs[result].type, view.slots[name].type
            text = f"`{result}` has the type {result_type}, but `{name}` has the type {slot_type}"
            yield view.error("wrong_type", output_path, text, "Give the slot the type of the output")


def _check_error_handling(
    view: FlowView, path: DocumentPath, step: Action, contract: ActionContract
) -> Iterator[Finding]:
    if step.on_error is None and not is_failure_handled(view, step):
        text = f"when `{step.call}` fails, the flow apologises and ends"
        advice = "Write on_error: <step> to say what happens then, here or for the whole flow in its settings"
        yield view.warning("no_failure_branch", (*path, "call"), text, advice)
    elif step.on_error is not None and step.on_error == view.flow.next_step(step.step) and step.outputs:
        outputs = ", ".join(f"`{name}`" for name in step.outputs.values())
        text = f"when `{step.call}` fails, the flow continues as if it had worked, without {outputs}"
        yield view.warning("failure_ignored", (*path, "on_error"), text, "Lead to a step that says what happened")
    if step.retry and not contract.repeatable:
        text = f"`{step.call}` is not idempotent: a repeated call may do its work twice"
        advice = "Delete `retry`, or make the action idempotent"
        yield view.warning("unsafe_retry", (*path, "retry"), text, advice, on_key=True)


def _check_call(view: FlowView, path: DocumentPath, step: Call) -> Iterator[Finding]:
    child = view.assistant.flows.get(step.flow)
    if child is None:
        return  # check_names reports an unknown flow.
    for name, expression in step.inputs.items():
        if name in child.slots:
            yield from _check_input_type(view, (*path, "inputs", name), expression, child.slots[name])
    for own_name, child_name in step.outputs.items():
        child_slot, own_slot = child.slots.get(child_name), view.slots.get(own_name)
        if child_slot and own_slot and not fits_kind(kind_of(child_slot), kind_of(own_slot)):
            text = f"`{child_name}` has the type {child_slot.type}, but `{own_name}` has the type {own_slot.type}"
            yield view.error("wrong_type", (*path, "outputs", own_name), text, "Give both the same type")
