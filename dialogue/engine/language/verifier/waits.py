"""Waits: the event fits its declaration, a moment is one, and a time limit leads somewhere."""

from collections.abc import Collection, Iterator

from dialogue.engine.expressions.conditions import Condition, ConditionRefused
from dialogue.engine.language.documents import Assistant
from dialogue.engine.language.steps import Collect, WaitStep
from dialogue.engine.language.verifier.contracts import fits_kind
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView, kind_of
from dialogue.engine.language.waiting_steps import EventContract
from dialogue.engine.source.parser import DocumentPath
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.source.problems import did_you_mean

_MOMENT_KINDS = frozenset({"date", "datetime", "any"})


def check_waits(view: FlowView) -> Iterator[Finding]:
    """Yield payloads that do not fit, expressions that give no moment, and time limits that lead nowhere."""
    for path, step in view.steps_with_paths:
        if isinstance(step, WaitStep):
            yield from _check_moment(view, path, step)
            yield from _check_event(view, path, step)
        if isinstance(step, WaitStep | Collect):
            yield from _check_time_limit(view, path, step)
        if isinstance(step, Collect) and view.slots.get(step.slot) and view.slots[step.slot].source == "claim":
            text = Phrase("`{slot}` comes from the customer's token, so the customer cannot give it", slot=step.slot)
            yield view.error(
                "claim_asked", (*path, "slot"), text, Phrase("Ask for another slot, or write source: start")
            )
        if isinstance(step, Collect) and step.reminder and step.timeout and step.reminder.after >= step.timeout:
            text = Phrase("the question ends before the user is reminded of it")
            yield view.warning("late", (*path, "reminder"), text, Phrase("Make `after` shorter than `timeout`"))


def _check_moment(view: FlowView, path: DocumentPath, step: WaitStep) -> Iterator[Finding]:
    if step.until is None:
        return
    try:
        kind = step.until.check_as_expression(view.kinds)
    except ConditionRefused:
        return  # check_names reports it.
    if kind.name not in _MOMENT_KINDS:
        text = Phrase("`{until}` is a {name}, not a date or a moment", until=step.until, name=kind.name)
        yield view.error("wrong_type", (*path, "until"), text, Phrase("Name a slot of the type date or datetime"))


def _check_event(view: FlowView, path: DocumentPath, step: WaitStep) -> Iterator[Finding]:
    contract = view.assistant.events.get(step.event or "")
    if step.event is None:
        for key in (key for key in ("outputs", "match", "timeout", "on_timeout") if getattr(step, key)):
            text = Phrase("`{key}` is for a wait for an event; this one ends by itself", key=key)
            yield view.error("not_for_time", (*path, key), text, Phrase("Delete `{key}`", key=key), on_key=True)
    elif contract is not None:  # check_names reports an unknown event.
        yield from _check_outputs(view, path, step, contract)
        yield from _check_match(view, path, step, contract)
        if step.timeout is None:
            text = Phrase(
                "without `timeout` the flow waits for `{event}` until the conversation ends", event=step.event
            )
            yield view.warning("no_timeout", (*path, "event"), text, Phrase("Write timeout: 5d and on_timeout: <step>"))


def _check_outputs(view: FlowView, path: DocumentPath, step: WaitStep, contract: EventContract) -> Iterator[Finding]:
    for name, slot in step.outputs.items():
        output_path = (*path, "outputs", name)
        if name not in contract.payload:
            text = Phrase("the event `{event}` has no `{name}` in its payload", event=step.event, name=name)
            yield view.error("unknown_output", output_path, text, did_you_mean(name, contract.payload), on_key=True)
        elif slot in view.slots and not fits_kind(kind_of(contract.payload[name]), kind_of(view.slots[slot])):
            text = Phrase(
                "`{name}` has the type {payload_type}, but `{slot}` is a {slots_type}",
                name=name,
                payload_type=contract.payload[name].type,
                slot=slot,
                slots_type=view.slots[slot].type,
            )
            yield view.error("wrong_type", output_path, text, Phrase("Give the slot the type of the payload"))


def _check_match(view: FlowView, path: DocumentPath, step: WaitStep, contract: EventContract) -> Iterator[Finding]:
    for name, expression in step.match.items():
        match_path = (*path, "match", name)
        if name not in contract.payload:
            text = Phrase("the event `{event}` has no `{name}` in its payload", event=step.event, name=name)
            yield view.error("unknown_output", match_path, text, did_you_mean(name, contract.payload), on_key=True)
        elif not _can_be_equal(view, expression, contract, name):
            text = Phrase(
                "`{expression}` never equals `{name}`, which has the type {type}",
                expression=expression,
                name=name,
                type=contract.payload[name].type,
            )
            yield view.error("wrong_type", match_path, text, Phrase("Compare it with a value of that type"))


def _can_be_equal(view: FlowView, expression: Condition, contract: EventContract, name: str) -> bool:
    try:
        kind = expression.check_as_expression(view.kinds)
    except ConditionRefused:
        return True  # check_names reports it.
    return fits_kind(kind, kind_of(contract.payload[name]))


def _check_time_limit(view: FlowView, path: DocumentPath, step: WaitStep | Collect) -> Iterator[Finding]:
    if step.on_timeout and step.timeout is None and not (isinstance(step, WaitStep) and step.event is None):
        text = Phrase("`on_timeout` never happens, because there is no `timeout`")
        yield view.error("no_timeout", (*path, "on_timeout"), text, Phrase("Write timeout: 30m"), on_key=True)
    if step.timeout and step.on_timeout is None and not (isinstance(step, WaitStep) and step.event is None):
        text = Phrase("when the time is over, the flow does not know where to continue")
        yield view.error(
            "no_path", (*path, "timeout"), text, Phrase("Add on_timeout: <step>, or on_timeout: end"), on_key=True
        )


def check_events(assistant: Assistant, broken: Collection[str]) -> Iterator[Finding]:
    """Yield events that start a flow which is none of the assistant's, or whose values do not fit its slots."""
    for name, event in assistant.events.items():
        path = ("events", name, "start")
        flow = assistant.flows.get(event.start or "")
        if event.start and flow is None and event.start not in broken:
            text = Phrase("there is no flow `{start}`", start=event.start[:64])
            yield Finding("unknown_flow", "error", "", path, text, did_you_mean(event.start, assistant.flows))
        for field, slot in event.payload.items() if flow is not None else ():
            target = assistant.slot(event.start, field)
            if target is not None and not fits_kind(kind_of(slot), kind_of(target)):
                text = Phrase(
                    "`{field}` has the type {slot_type}, but the slot of `{start}` is a {target_type}",
                    field=field,
                    slot_type=slot.type,
                    start=event.start,
                    target_type=target.type,
                )
                yield Finding("wrong_type", "error", "", path, text, Phrase("Give both the same type"))
