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
from dialogue.engine.source.phrases import Phrase
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
                text = Phrase("`{call}` only reads, and this step keeps none of its results", call=step.call)
                advice = Phrase(
                    "Write outputs: {{{name}: <slot>}}, or delete the step", name=next(iter(contract.outputs))
                )
                yield view.warning("unused_reading", (*path, "call"), text, advice)
        if isinstance(step, Call):
            yield from _check_call(view, path, step)
        if isinstance(step, Confirm) and step.on_deny == (step.on_confirm or view.flow.next_step(step.step)):
            text = Phrase("both no and yes lead to `{on_deny}`", on_deny=step.on_deny)
            yield view.warning(
                "deny_confirms", (*path, "on_deny"), text, Phrase("Write another step, or delete `on_deny`")
            )


def _check_inputs(view: FlowView, path: DocumentPath, step: Action, contract: ActionContract) -> Iterator[Finding]:
    for name, expression in _inputs_of(view, step, contract).items():
        input_path = (*path, "inputs", name) if step.inputs is not None else (*path, "call")
        if name not in contract.inputs:
            text = Phrase("the action `{call}` has no input `{name}`", call=step.call, name=name)
            yield view.error("unknown_input", input_path, text, did_you_mean(name, contract.inputs), on_key=True)
        else:
            yield from _check_input_type(view, input_path, expression, contract.inputs[name])


def _check_missing(view: FlowView, path: DocumentPath, step: Action, contract: ActionContract) -> Iterator[Finding]:
    inputs = _inputs_of(view, step, contract)
    unknown = [name for name in inputs if name not in contract.inputs]
    for name, slot in contract.inputs.items():
        if slot.required and name not in inputs:
            misnamed = nearest_name(name, unknown) or next(iter(unknown), "")
            hint = Phrase(", but gets `{misnamed}`, which it does not have", misnamed=misnamed[:64]) if misnamed else ""
            text = Phrase("the action `{call}` needs the input `{name}`{hint}", call=step.call, name=name, hint=hint)
            advice = Phrase("Write inputs: {{{name}: <slot>}}, or declare a slot `{name}`", name=name)
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
        text = Phrase(
            "`{expression}` is {kind}, but the input `{name}` has the type {type}",
            expression=expression,
            kind=kind.phrase,
            name=input_slot.name,
            type=input_slot.type,
        )
        yield view.error("wrong_type", path, text, Phrase("Give the input a value of that type"))


def fits_kind(kind: Kind, expected: Kind) -> bool:
    """Return whether a value fits: a text is parsed at run time, a date may become text, others must be equal."""
    if kind.name in ("any", "text") or kind.name == expected.name:
        return not misfit_reason(kind, expected)
    return expected.name == "text" and kind.name in _WRITTEN_AS_TEXT


def _check_outputs(view: FlowView, path: DocumentPath, step: Action, contract: ActionContract) -> Iterator[Finding]:
    for result, name in step.outputs.items():
        output_path = (*path, "outputs", result)
        if result not in contract.outputs:
            text = Phrase("the action `{call}` has no output `{result}`", call=step.call, result=result[:64])
            yield view.error("unknown_output", output_path, text, did_you_mean(result, contract.outputs), on_key=True)
        elif name in view.slots and not fits_kind(kind_of(contract.outputs[result]), kind_of(view.slots[name])):
            result_type, slot_type = contract.outputs[result].type, view.slots[name].type
            text = Phrase(
                "`{result}` has the type {result_type}, but `{name}` has the type {slot_type}",
                result=result,
                result_type=result_type,
                name=name,
                slot_type=slot_type,
            )
            yield view.error("wrong_type", output_path, text, Phrase("Give the slot the type of the output"))


def _check_error_handling(
    view: FlowView, path: DocumentPath, step: Action, contract: ActionContract
) -> Iterator[Finding]:
    if step.on_error is None and not is_failure_handled(view, step):
        text = Phrase("when `{call}` fails, the flow apologises and ends", call=step.call)
        advice = Phrase("Write on_error: <step> to say what happens then, here or for the whole flow in its settings")
        yield view.warning("no_failure_branch", (*path, "call"), text, advice)
    elif step.on_error is not None and step.on_error == view.flow.next_step(step.step) and step.outputs:
        outputs = ", ".join(f"`{name}`" for name in step.outputs.values())
        text = Phrase(
            "when `{call}` fails, the flow continues as if it had worked, without {outputs}",
            call=step.call,
            outputs=outputs,
        )
        yield view.warning(
            "failure_ignored", (*path, "on_error"), text, Phrase("Lead to a step that says what happened")
        )
    if step.retry and not contract.repeatable:
        text = Phrase("`{call}` is not idempotent: a repeated call may do its work twice", call=step.call)
        advice = Phrase("Delete `retry`, or make the action idempotent")
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
            text = Phrase(
                "`{child_name}` has the type {child_slot_type}, but `{own_name}` has the type {own_slot_type}",
                child_name=child_name,
                child_slot_type=child_slot.type,
                own_name=own_name,
                own_slot_type=own_slot.type,
            )
            yield view.error("wrong_type", (*path, "outputs", own_name), text, Phrase("Give both the same type"))
