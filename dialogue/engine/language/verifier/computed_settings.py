"""Settings with expressions: their names exist, and their values fit the setting."""

from collections.abc import Iterator, Mapping

from dialogue.engine.expressions.conditions import Condition, ConditionRefused, Kind
from dialogue.engine.language.documents import Assistant, Flow
from dialogue.engine.language.human_steps import PRIORITIES
from dialogue.engine.language.steps import Human
from dialogue.engine.language.verifier.contracts import fits_kind
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView, kind_of
from dialogue.engine.language.verifier.names import check_condition
from dialogue.engine.slots.definitions.slot_types import NUMBER_TYPES
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.templates import Translated
from dialogue.engine.source.parser import DocumentPath
from dialogue.engine.source.phrases import Phrase

_GATE_KINDS: Mapping[str, frozenset[str]] = {
    "group": frozenset({"text"}),
    "queue": frozenset({"text"}),
    "priority": frozenset({"text"}),
    "due": frozenset({"date", "datetime", "duration"}),
}


def check_computed_settings(view: FlowView) -> Iterator[Finding]:
    """Yield expressions in settings of slots, forms and gates that name nothing, or give the wrong kind of value."""
    for name, slot in view.flow.slots.items():
        yield from _check_slot(view, ("slots", name), name, slot, view.kinds)
    for path, step in view.steps_with_paths:
        if isinstance(step, Human):
            for name, slot in step.form.items():
                yield from _check_slot(view, (*path, "form", name), "", slot, view.kinds)
                yield from _check_sensitive(view, (*path, "form", name), slot)
            for key, expression in step.computed_settings.items():
                yield from _check_gate_setting(view, (*path, key), key, expression)


def check_assistant_settings(assistant: Assistant) -> Iterator[Finding]:
    """Yield the same for the assistant's own slots, and expressions where none can be computed."""
    view = FlowView(
        assistant, Flow.model_construct(flow="", description=Translated(""), slots={}, steps=()), frozenset()
    )
    kinds = {name: kind_of(slot) for name, slot in assistant.slots.items()}
    for name, slot in assistant.slots.items():
        yield from _check_slot(view, ("slots", name), name, slot, kinds)
    for name, contract in assistant.actions.items():
        for key, slots in (("inputs", contract.inputs), ("outputs", contract.outputs)):
            for field, slot in slots.items():
                yield from _check_literal(view, ("actions", name, key, field), slot)
    for name, record in assistant.records.items():
        for field, slot in record.fields.items():
            yield from _check_literal(view, ("records", name, "fields", field), slot)


def _check_slot(
    view: FlowView, path: DocumentPath, name: str, slot: Slot, kinds: Mapping[str, Kind]
) -> Iterator[Finding]:
    for key, expression in slot.computed_settings.items():
        findings = list(check_condition(view, (*path, key), expression, kinds, False))
        yield from findings
        if name in expression.slots:
            text = Phrase("`{name}` is computed from itself", name=name)
            yield view.error("computed_from_itself", (*path, key), text, Phrase("Name another slot"))
        elif not findings:
            yield from _check_kind(view, (*path, key), key, slot, expression.check_as_expression(kinds))
    yield from _check_parts(view, path, slot)


def _check_sensitive(view: FlowView, path: DocumentPath, slot: Slot) -> Iterator[Finding]:
    """Yield a warning where a field of a form shows staff a sensitive value as its limit or default."""
    for key, expression in slot.computed_settings.items():
        names = {name.split(".")[0] for name in expression.slots}
        hidden = sorted(name for name in names & view.slots.keys() if view.slots[name].hides_values)
        if hidden and not slot.sensitive:
            text = Phrase(
                "`{hidden}` is sensitive, but staff would see it as the `{key}` of this field",
                hidden=hidden[0],
                key=key,
            )
            yield view.warning("sensitive_setting", (*path, key), text, Phrase("Name another slot"))


def _check_kind(view: FlowView, path: DocumentPath, key: str, slot: Slot, kind: Kind) -> Iterator[Finding]:
    if key == "default":
        fits, expected = fits_kind(kind, kind_of(slot)), slot.type
    else:
        expected = "number" if slot.type in NUMBER_TYPES else slot.type
        fits = kind.name in (expected, "any")
    if not fits:
        text = Phrase(
            "the expression gives {kind}, but `{key}` of a slot of the type {type} is of another type",
            kind=kind.phrase,
            key=key,
            type=slot.type,
        )
        yield view.error(
            "wrong_type", path, text, Phrase("Write an expression that gives a {expected}", expected=expected)
        )


def _check_literal(view: FlowView, path: DocumentPath, slot: Slot) -> Iterator[Finding]:
    """Yield an error for an expression in a part of a slot or in a contract, which belong to no flow."""
    for key in slot.computed_settings:
        text = Phrase("`{key}` cannot be an expression here", key=key)
        yield view.error(
            "computed_setting", (*path, key), text, Phrase("Write a value, or move it to a slot of a flow")
        )
    yield from _check_parts(view, path, slot)


def _check_parts(view: FlowView, path: DocumentPath, slot: Slot) -> Iterator[Finding]:
    # The fields of a record are checked where the record is declared.
    for name, field in slot.fields.items() if not slot.record else ():
        yield from _check_literal(view, (*path, "fields", name), field)
    if slot.items:
        yield from _check_literal(view, (*path, "items"), slot.items)


def _check_gate_setting(view: FlowView, path: DocumentPath, key: str, expression: Condition) -> Iterator[Finding]:
    try:
        kind = expression.check_as_expression(view.kinds)
    except ConditionRefused:
        return  # check_names reports it.
    if kind.name not in _GATE_KINDS[key] | {"any"}:
        kinds = " or ".join(f"a {name}" for name in sorted(_GATE_KINDS[key]))
        yield view.error(
            "wrong_type",
            path,
            Phrase("`{key}` gets {kind}", key=key, kind=kind.phrase),
            Phrase("Write an expression that gives {kinds}", kinds=kinds),
        )
    elif key == "priority" and kind.options - PRIORITIES:
        wrong = ", ".join(f"`{option}`" for option in sorted(kind.options - PRIORITIES))
        text = Phrase("{wrong} is not a priority; the request would be normal", wrong=wrong)
        yield view.warning(
            "unknown_priority", path, text, Phrase("The priorities are {names}", names=", ".join(sorted(PRIORITIES)))
        )
