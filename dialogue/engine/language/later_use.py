"""Find which slots the later texts and actions of a flow need after a step."""

from collections.abc import Iterator

from dialogue.engine.language.compiler import (
    END,
    Action,
    AnyStep,
    Assistant,
    Call,
    Collect,
    Confirm,
    Flow,
    Handoff,
    Human,
    Say,
    WaitStep,
)
from dialogue.engine.language.exits import exits_of
from dialogue.engine.language.message_parts import MessageParts
from dialogue.engine.slots.templates import Template


def results_needed(assistant: Assistant, flow: Flow, step: Action) -> frozenset[str]:
    """Return the outputs of the action without which a later text has a gap or a later action cannot be called."""
    needed = names_needed(assistant, flow, flow.next_step(step.step))
    return frozenset(result for result, slot in step.outputs.items() if slot in needed)


def names_needed(assistant: Assistant, flow: Flow, start: str, *, callers: bool = True) -> frozenset[str]:
    """Return the slots that must be filled from this step on, without those that a later step asks for."""
    steps = list(_steps_from(flow, start))
    names = {name.split(".")[0] for step in steps for name in _required_names(assistant, flow, step)}
    collected = {step.slot for step in steps if isinstance(step, Collect)}
    returned = _returned_slots(assistant, flow) if callers else frozenset()
    return frozenset(names - collected) | returned


def tells_reason(flow: Flow, step: Human) -> bool:
    """Return whether a message of the flow tells the customer the reason of a staff decision."""
    name = f"{step.step}.reason"
    return any(name in template.names for other in flow.all_steps() for template in _message_templates(flow, other))


def _returned_slots(assistant: Assistant, flow: Flow) -> frozenset[str]:
    """Return the slots that calling flows receive from this one and need later."""
    calls = [
        (caller, step)
        for caller in assistant.flows.values()
        for step in caller.all_steps()
        if isinstance(step, Call) and step.flow == flow.flow and caller is not flow
    ]
    needs = {
        name for caller in assistant.flows.values() for name, needed in caller.needs.items() if needed == flow.flow
    }
    return frozenset(needs).union(
        child_name
        for caller, step in calls
        for own_name, child_name in step.outputs.items()
        if own_name in names_needed(assistant, caller, caller.next_step(step.step), callers=False)
    )


def _steps_from(flow: Flow, start: str) -> Iterator[AnyStep]:
    visited, pending = {END}, [start]
    while pending:
        name = pending.pop()
        if name not in visited:
            visited.add(name)
            yield flow.step(name)
            pending.extend(step_exit.target for step_exit in exits_of(flow, flow.step(name)))


def _required_names(assistant: Assistant, flow: Flow, step: AnyStep) -> Iterator[str]:
    for template in _message_templates(flow, step):
        yield from (group[0] for group in template.groups if len(group) == 1 and group[0] not in template.expressions)
        yield from (name for expression in template.expressions.values() for name in expression.names_read)
    if isinstance(step, Action) and step.call in assistant.actions:
        needed = {name for name, slot in assistant.actions[step.call].inputs.items() if slot.required}
        if step.inputs is None:
            yield from needed
        else:
            expressions = (expression for name, expression in step.inputs.items() if name in needed)
            yield from (name for expression in expressions for name in expression.names_read)


def _message_templates(flow: Flow, step: AnyStep) -> Iterator[Template]:
    message = step.message if isinstance(step, Say | Confirm | Collect | Human | Handoff | WaitStep) else None
    if message is None and isinstance(step, Collect) and step.slot in flow.slots:
        message = flow.slots[step.slot].prompt
    if message is not None:
        yield message
    if isinstance(step, MessageParts):
        yield from step.frame_templates()
