"""Declared slots: defaults and literals fit, validators exist, and names do not collide."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from dialogue.engine.expressions.conditions import Condition
from dialogue.engine.language.steps import Assign, Collect, Human
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView
from dialogue.engine.slots.file_values import file_slot_of
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import ValueRefused, value_from_any
from dialogue.engine.source.parser import DocumentPath
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.source.problems import did_you_mean
from dialogue.engine.validators import validator_names

UNREADABLE_ITEMS = frozenset({"list", "boolean"})
UNREADABLE_FIELDS = frozenset({"list", "object", "boolean"})
_OF_THE_DAY = frozenset({"past", "future", "weekday"})


def check_slots(flow: str, slots: Mapping[str, Slot], path: DocumentPath = ("slots",)) -> Iterator[Finding]:
    """Yield defaults that their own slot refuses, and validators that are not registered."""
    for name, slot in slots.items():
        yield from _check_slot(flow, slot, (*path, name))


def _check_slot(flow: str, slot: Slot, path: DocumentPath) -> Iterator[Finding]:
    if slot.validator and slot.validator not in validator_names():
        advice = did_you_mean(slot.validator, validator_names())
        text = Phrase("no validator is registered as `{validator}`", validator=slot.validator[:64])
        yield Finding("unknown_validator", "error", flow, (*path, "validator"), text, advice)
    elif (
        slot.default is not None
        and "default" not in slot.computed_settings
        and (reason := refusal_reason(slot, slot.default))
    ):
        yield Finding(
            "default",
            "error",
            flow,
            (*path, "default"),
            Phrase("the slot refuses its own default: {reason}", reason=reason),
        )
    if slot.source and (flow or path[:-1] != ("slots",)):
        text = Phrase("only a slot of assistant.yaml is filled when a conversation opens")
        yield Finding("source", "error", flow, (*path, "source"), text, Phrase("Declare it there"), on_key=True)
    inner_file = _inner_file(slot)
    if inner_file:
        advice = Phrase("Declare a slot of its own: file, or list of file")
        yield Finding(
            "file_inside",
            "error",
            flow,
            path,
            Phrase("`{inner_file}` is a file inside another value", inner_file=inner_file),
            advice,
        )
    if slot.items:
        yield from _check_slot(flow, slot.items, (*path, "items"))
    if not slot.record:  # The fields of a record are checked once, where assistant.yaml declares it.
        yield from check_slots(flow, slot.fields, (*path, "fields"))


def _inner_file(slot: Slot) -> str:
    """Return the name of a field that is a file, or of a list inside a list of files; "" without one."""
    inner = next((name for name, field in slot.fields.items() if file_slot_of(field) is not None), "")
    is_nested = slot.items is not None and slot.items.type == "list" and file_slot_of(slot.items) is not None
    return inner or ("items" if is_nested else "")


def refusal_reason(slot: Slot, value: Any) -> ValueRefused | None:
    """Return why the slot refuses this literal, or None. Rules that depend on today's date are not checked."""
    try:
        value_from_any(slot, value, now=datetime.now(UTC), timezone="UTC")
    except ValueRefused as error:
        # A literal date that is in the past today need not be so when the flow runs.
        return None if error.rule in _OF_THE_DAY else error
    return None


def check_own_slots(view: FlowView) -> Iterator[Finding]:
    """Yield errors in the slots of a flow and its forms, and in the literals that it sets."""
    yield from check_slots(view.flow.flow, view.flow.slots)
    for name in view.flow.slots:
        if name in view.assistant.slots:
            text = Phrase("`{name}` is also declared in assistant.yaml", name=name)
            advice = Phrase("Choose another name, or delete this slot and use that one")
            yield view.error("declared_twice", ("slots", name), text, advice, on_key=True)
    for path, step in view.steps_with_paths:
        if isinstance(step, Human):
            yield from check_slots(view.flow.flow, step.form, (*path, "form"))
        if isinstance(step, Assign):
            yield from _check_literals(view, path, step)
        if isinstance(step, Collect) and step.slot in view.slots:
            yield from _check_collectable(view, path, step, view.slots[step.slot])
            yield from _check_buttons(view, path, step, view.slots[step.slot])


def _check_collectable(view: FlowView, path: DocumentPath, step: Collect, slot: Slot) -> Iterator[Finding]:
    """Yield an error for a slot whose value no message can contain."""
    if slot.options_from is None and (reason := _reason_not_collectable(slot)):
        text = Phrase("`{slot}` cannot be collected from a message: {reason}", slot=step.slot, reason=reason)
        advice = Phrase("Collect simpler slots, give the field a prompt of its own, or let an action fill it")
        yield view.error("not_collectable", (*path, "slot"), text, advice)


def _reason_not_collectable(slot: Slot) -> str:
    if slot.options_from is not None:
        # The user chooses a whole record, whatever its fields are.
        return ""
    if slot.type == "list" and slot.items is not None:
        if slot.items.type in UNREADABLE_ITEMS:
            return Phrase("its items are of the type `{type}`", type=slot.items.type)
        return _unreadable_field(slot.items, asked_alone=False)
    return _unreadable_field(slot, asked_alone=True)


def _unreadable_field(slot: Slot, *, asked_alone: bool) -> str:
    """Name a required field that no message can give; with `asked_alone`, one with a prompt has a question of its own.

    In a list of objects, each must be said at once.
    """
    for name, field in slot.fields.items():
        if (
            _must_be_said(field)
            and field.type in UNREADABLE_FIELDS
            and not (asked_alone and _may_be_asked_alone(field))
        ):
            return Phrase("its field `{name}` is of the type `{type}`", name=name, type=field.type)
    return ""


def _must_be_said(field: Slot) -> bool:
    return field.required and field.default is None


def _may_be_asked_alone(field: Slot) -> bool:
    if field.type == "object":
        return all(_may_be_asked_alone(part) for part in field.fields.values() if _must_be_said(part))
    return field.prompt is not None and not _reason_not_collectable(field)


def _check_buttons(view: FlowView, path: DocumentPath, step: Collect, slot: Slot) -> Iterator[Finding]:
    """Yield an error for each button whose value the slot would refuse."""
    for index, button in enumerate(step.buttons):
        if reason := refusal_reason(slot, button.value):
            text = Phrase(
                "`{slot}` refuses the button's value {value}: {reason}",
                slot=step.slot,
                value=repr(button.value[:64]),
                reason=reason,
            )
            yield view.error("button", (*path, "buttons", index), text, Phrase("Write a value that the slot accepts"))


def _check_literals(view: FlowView, path: DocumentPath, step: Assign) -> Iterator[Finding]:
    for name, value in step.slots.items():
        slot = view.slots.get(name)
        if slot is None or value is None or isinstance(value, Condition):
            continue
        if reason := refusal_reason(slot, value):
            text, value_path = (
                Phrase("`{name}` does not accept this value: {reason}", name=name, reason=reason),
                (*path, "slots", name),
            )
            advice = (
                Phrase('Write "={value}" to use the value of that slot', value=value) if value in view.slots else ""
            )
            yield view.error("literal", value_path, text, advice)
