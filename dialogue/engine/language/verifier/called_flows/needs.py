"""Needs: their slots and flows exist, the flows can fill them, and no flow needs itself."""

from collections.abc import Iterator

from dialogue.engine.language.documents import Assistant, Flow
from dialogue.engine.language.steps import Call, Collect, Link
from dialogue.engine.language.verifier.control_flow import written_names
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView, kind_of
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.source.problems import did_you_mean


def check_needs(view: FlowView) -> Iterator[Finding]:
    """Yield needs of unknown slots and flows, needs that their flow cannot meet, and questions that are never asked."""
    known_flows = {*view.assistant.flows, *view.broken}
    for name, needed_flow in view.flow.needs.items():
        need_path = ("needs", name)
        if name not in view.slots:
            text, advice = (
                Phrase("there is no slot `{name}`", name=name[:64]),
                did_you_mean(name, view.slots) or Phrase("Declare the slot"),
            )
            yield view.error("unknown_slot", need_path, text, advice, on_key=True)
        elif needed_flow not in known_flows:
            text, advice = (
                Phrase("there is no flow `{needed_flow}`", needed_flow=needed_flow[:64]),
                did_you_mean(needed_flow, known_flows),
            )
            yield view.error("unknown_flow", need_path, text, advice)
        elif needed_flow in view.assistant.flows:
            yield from _check_need(view, name, view.assistant.flows[needed_flow])
    for path, step in view.steps_with_paths:
        if isinstance(step, Collect) and step.slot in view.flow.needs and not step.force:
            text = Phrase("`{slot}` is filled before the flow begins, so this question is never asked", slot=step.slot)
            yield view.warning("never_asked", (*path, "slot"), text, Phrase("Delete the step, or the entry in `needs`"))


def _check_need(view: FlowView, name: str, needed: Flow) -> Iterator[Finding]:
    path = ("needs", name)
    if _leads_back(view.assistant, needed.flow, view.flow.flow):
        text = Phrase(
            "`{needed_flow}` leads back to `{flow_flow}`, which would wait for itself",
            needed_flow=needed.flow,
            flow_flow=view.flow.flow,
        )
        yield view.error("need_circle", path, text, Phrase("Let one of the two do without the other"))
        return
    own_slot, returned_slot = view.flow.slots.get(name), needed.slots.get(name)
    if not _can_fill(view.assistant, needed, name, shared=own_slot is None):
        text = Phrase("no step of `{flow}` fills `{name}`", flow=needed.flow, name=name)
        place = Phrase("there")
        if own_slot is not None:
            place = Phrase("there, in a slot of its own that is called `{name}`", name=name)
        yield view.error("unmet_need", path, text, Phrase("Ask for it or set it {place}", place=place))
    elif own_slot and returned_slot and kind_of(own_slot).name != kind_of(returned_slot).name:
        text = Phrase(
            "`{name}` has the type {returned_slot_type} in `{flow}`, but {own_slot_type} here",
            name=name,
            returned_slot_type=returned_slot.type,
            flow=needed.flow,
            own_slot_type=own_slot.type,
        )
        yield view.error("wrong_type", path, text, Phrase("Give both the same type"))
    if view.slots[name].default is not None:
        text = Phrase("`{name}` has a default, so `{flow}` never runs for it", name=name, flow=needed.flow)
        yield view.warning("never_needed", path, text, Phrase("Delete the default, or the entry in `needs`"))


def _can_fill(assistant: Assistant, flow: Flow, name: str, *, shared: bool) -> bool:
    """Return whether a step of the flow writes the slot; a slot of the conversation also in the flows it leads to."""
    if not shared:
        return name in flow.slots and any(name in written_names(step) for step in flow.all_steps())
    flows = [assistant.flows[key] for key in (flow.flow, *_flows_ahead(assistant, flow.flow)) if key in assistant.flows]
    return any(name in written_names(step) for other in flows if name not in other.slots for step in other.all_steps())


def _leads_back(assistant: Assistant, start: str, target: str) -> bool:
    return start == target or target in _flows_ahead(assistant, start)


def _flows_ahead(assistant: Assistant, start: str) -> set[str]:
    """Return the flows that this one calls, links to or needs, and those that they do."""
    reached: set[str] = set()
    pending = [start]
    while pending:
        flow = assistant.flows.get(pending.pop())
        new = flows_led_to(flow) - reached if flow else set()
        reached |= new
        pending.extend(new)
    return reached


def flows_led_to(flow: Flow) -> set[str]:
    """Return the flows that this one itself calls, links to or needs."""
    return {step.flow for step in flow.all_steps() if isinstance(step, Call | Link)} | set(flow.needs.values())
