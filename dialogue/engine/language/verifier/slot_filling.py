"""Slot filling: slots that are read before a step can fill them, or that no step fills."""

from collections.abc import Iterator

from dialogue.engine.expressions.conditions import Condition
from dialogue.engine.language.documents import Assistant
from dialogue.engine.language.steps import Action, AnyStep, Assign, Collect, Confirm, ForEach, Human, Say, While
from dialogue.engine.language.verifier.choices.checks import source_names
from dialogue.engine.language.verifier.data_flow import FilledByStep, filled_before, filled_slots
from dialogue.engine.language.verifier.emptiness import empty_sources, required_names
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.templates import Template
from dialogue.engine.source.parser import DocumentPath
from dialogue.engine.source.phrases import Phrase


def check_slot_filling(view: FlowView) -> Iterator[Finding]:
    """Yield slots that no step fills, questions without a text, and names that are read too early."""
    fillable = view.filled_at_start.union(
        view.filled_by_messages, *(filled_slots(step) for _, step in view.steps_with_paths)
    )
    for name in view.flow.slots:
        if name not in fillable:
            text = Phrase("no step asks for `{name}` or sets it", name=name)
            advice = Phrase("Add a step of type collect with slot: {name}, or delete the slot", name=name)
            yield view.warning("never_asked", ("slots", name), text, advice, on_key=True)
    yield from _check_prompts(view)
    maybe = filled_before(view, surely=False)
    for path, step in view.steps_with_paths:
        if step.step in maybe:
            yield from _check_reads(view, path, step, maybe[step.step], fillable)
    # Two analyses: what no path fills is read too early, what not every path fills may leave a gap.
    surely = filled_before(view, surely=True)
    yield from _check_inputs(view, surely)
    yield from _check_gaps(view, surely, maybe)


def _check_prompts(view: FlowView) -> Iterator[Finding]:
    for path, step in view.steps_with_paths:
        slot = view.slots.get(step.slot) if isinstance(step, Collect) else None
        if not isinstance(step, Collect) or slot is None:
            continue
        if not (slot.prompt or step.message or _asks_for_fields(slot)):
            text = Phrase("`{slot}` has no prompt, so the question uses general words", slot=step.slot)
            yield view.warning("no_prompt", (*path, "slot"), text, Phrase("Give the slot a `prompt`"))
        if (
            slot.default is not None
            and not isinstance(slot.default, Condition)
            and not step.force
            and step.slot not in _emptied_slots(view.assistant)
        ):
            text = Phrase("`{slot}` has a default, so this question is never asked", slot=step.slot)
            yield view.warning("never_asked", (*path, "slot"), text, Phrase("Delete the default, or write force: true"))


def _asks_for_fields(slot: Slot) -> bool:
    """Return whether every required field of a record has a question of its own."""
    fields = [field for field in slot.fields.values() if field.required]
    return bool(fields) and all(field.prompt or _asks_for_fields(field) for field in fields)


def _emptied_slots(assistant: Assistant) -> frozenset[str]:
    steps = (step for flow in assistant.flows.values() for step in flow.all_steps() if isinstance(step, Assign))
    return frozenset(name for step in steps for name, value in step.slots.items() if value is None)


def _check_reads(
    view: FlowView, path: DocumentPath, step: AnyStep, filled: frozenset[str], fillable: frozenset[str]
) -> Iterator[Finding]:
    reported: set[str] = set()
    for place_path, names in (*_read_names(view, step, path), *_displayed_names(view, step, path)):
        slot_names = [_slot_name(view, name) for name in names]
        if any(name in filled or name not in fillable or name in reported for name in slot_names):
            continue
        reported.update(slot_names)
        text = Phrase("`{slot_names}` is read here, but no earlier step can fill it", slot_names=slot_names[0])
        yield view.warning("read_too_early", place_path, text, Phrase("Ask for it or set it in an earlier step"))


def _slot_name(view: FlowView, name: str) -> str:
    """Return the slot of a name such as slot.field; the results of human steps keep their whole name."""
    return name if name in view.decision_kinds else name.split(".", maxsplit=1)[0]


def _read_names(view: FlowView, step: AnyStep, path: DocumentPath) -> Iterator[tuple[DocumentPath, tuple[str, ...]]]:
    """Yield what a step reads: each time a path, and the names of which at least one must be filled."""
    if isinstance(step, While):
        yield from (((*path, "condition"), names) for names in required_names(view.kinds, step.condition))
        return
    if isinstance(step, ForEach):
        yield from (((*path, "in"), names) for names in required_names(view.kinds, step.entries))
        return
    for leaf_path, leaf in view.leaves_of[path]:
        if isinstance(leaf, Template) and "form" not in leaf_path:
            yield from ((leaf_path, group) for group in _read_groups(view, leaf))
        if isinstance(leaf, Condition):
            yield from ((leaf_path, names) for names in required_names(view.kinds, leaf))


def _read_groups(view: FlowView, template: Template) -> Iterator[tuple[str, ...]]:
    """Yield the names that a text needs, as groups of which at least one must be filled."""
    yield from (group for group in template.groups if group[0] not in template.expressions)
    for expression in template.expressions.values():
        yield from required_names(view.kinds, expression)


def _displayed_names(
    view: FlowView, step: AnyStep, path: DocumentPath
) -> Iterator[tuple[DocumentPath, tuple[str, ...]]]:
    """Yield what a step shows besides its own texts: the prompt and the options of its slot, and what staff see."""
    if isinstance(step, Human):
        yield from (((*path, "show", index), (name,)) for index, name in enumerate(step.show))
    slot = view.slots.get(step.slot) if isinstance(step, Collect) and step.message is None else None
    if slot and slot.prompt:
        yield from (((*path, "slot"), group) for group in _read_groups(view, slot.prompt))
    yield from (((*path, "slot"), (name,)) for name in sorted(source_names(view, step)))


def _check_gaps(view: FlowView, surely: FilledByStep, maybe: FilledByStep) -> Iterator[Finding]:
    """Yield messages with a placeholder for one slot that only some paths to this step fill."""
    for path, step in view.steps_with_paths:
        if not isinstance(step, Say | Confirm) or step.step not in surely:
            continue
        computed = (
            empty_sources(expression.tree, view.kinds, surely[step.step].__contains__)
            for expression in step.message.expressions.values()
        )
        names = {group[0] for group in step.message.groups if len(group) == 1} - step.message.expressions.keys()
        for name in sorted(names.union(*computed)):
            slot = view.slots.get(slot_name_ := _slot_name(view, name))
            if slot and slot.required and slot_name_ in maybe[step.step] - surely[step.step]:
                text = Phrase("`{slot_name_}` may be empty here and leave a gap in the text", slot_name_=slot_name_)
                advice = Phrase("Ask for it on every path to this step, or write {{{name}|other}}", name=name)
                yield view.warning("gap", (*path, "message"), text, advice)


def _check_inputs(view: FlowView, surely: FilledByStep) -> Iterator[Finding]:
    for path, step in view.steps_with_paths:
        if not isinstance(step, Action) or step.step not in surely:
            continue
        for name, expression in _required_inputs(view, step):
            filled = surely[step.step]
            empty = sorted(empty_sources(expression.tree, view.kinds, filled.__contains__) & view.kinds.keys())
            if empty:
                text = Phrase(
                    "`{empty}` may be empty here, but `{call}` needs it for `{name}`",
                    empty=empty[0],
                    call=step.call,
                    name=name,
                )
                advice = Phrase("Ask for it in an earlier step, or make the input optional")
                yield view.warning("input_may_be_empty", (*path, "call"), text, advice)


def _required_inputs(view: FlowView, step: Action) -> Iterator[tuple[str, Condition]]:
    """Yield the required inputs that the step passes, each with its expression."""
    contract = view.assistant.actions.get(step.call)
    needed = {name for name, slot in contract.inputs.items() if slot.required} if contract else set()
    if step.inputs is None:
        yield from ((name, Condition(name)) for name in sorted(needed) if name in view.slots)
    else:
        yield from ((name, expression) for name, expression in step.inputs.items() if name in needed)
