"""Computed and literal values fit the slots and inputs that they are given to."""

import re
from collections.abc import Iterator, Mapping

from dialogue.engine.expressions.conditions import Condition, ConditionRefused, Kind
from dialogue.engine.expressions.model import constants_in
from dialogue.engine.language.steps import Action, Assign, Call
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView, kind_of
from dialogue.engine.slots.models import Slot
from dialogue.engine.source.parser import DocumentPath
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.source.problems import did_you_mean

_CLOCK_KINDS = frozenset({"date", "time", "datetime"})
_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*)\}")


def check_assignments(view: FlowView) -> Iterator[Finding]:
    """Yield values of another type than their slot, fractions for integers, and literals with braces."""
    for path, step in view.steps_with_paths:
        if isinstance(step, Assign):
            yield from _check_set(view, path, step)
        for name, expression, slot in _inputs_with_slots(view, step) if isinstance(step, Action | Call) else ():
            yield from _check_fraction(view, (*path, "inputs", name), expression, slot)
            yield from _check_quoted_braces(view, (*path, "inputs", name), expression)


def _check_set(view: FlowView, path: DocumentPath, step: Assign) -> Iterator[Finding]:
    for name, value in step.slots.items():
        slot, value_path = view.slots.get(name), (*path, "slots", name)
        if slot is None:
            continue
        if isinstance(value, Condition):
            yield from _check_type(view, value_path, value, slot)
            yield from _check_fraction(view, value_path, value, slot)
            yield from _check_quoted_braces(view, value_path, value)
        if isinstance(value, str):
            yield from _check_braces(view, value_path, value)


def _inputs_with_slots(view: FlowView, step: Action | Call) -> Iterator[tuple[str, Condition, Slot]]:
    slots: Mapping[str, Slot] = {}
    if isinstance(step, Action) and step.call in view.assistant.actions:
        slots = view.assistant.actions[step.call].inputs
    if isinstance(step, Call) and step.flow in view.assistant.flows:
        slots = view.assistant.flows[step.flow].slots
    yield from ((name, value, slots[name]) for name, value in (step.inputs or {}).items() if name in slots)


def _kind_or_none(view: FlowView, expression: Condition) -> Kind | None:
    try:
        return expression.check_as_expression(view.kinds)
    except ConditionRefused:
        return None  # check_names reports it


def _check_type(view: FlowView, path: DocumentPath, expression: Condition, slot: Slot) -> Iterator[Finding]:
    kind = _kind_or_none(view, expression)
    if kind and (reason := misfit_reason(kind, kind_of(slot))):
        text = Phrase(
            "`{text}` is {kind}, but the slot `{name}` has the type {type}",
            text=expression.text.strip(),
            kind=kind.phrase,
            name=slot.name,
            type=slot.type,
        )
        yield view.error("wrong_type", path, text, reason)


def _check_fraction(view: FlowView, path: DocumentPath, expression: Condition, slot: Slot) -> Iterator[Finding]:
    """Yield a warning for the result of a division: an integer refuses 2.5, and then the flow cannot go on."""
    kind = _kind_or_none(view, expression) if slot.type == "integer" else None
    if kind and kind.fraction:
        text = Phrase(
            "`{text}` may have a fraction, but `{name}` is an integer", text=expression.text.strip(), name=slot.name
        )
        advice = Phrase(
            "Write round({text}), or give `{name}` the type number", text=expression.text.strip(), name=slot.name
        )
        yield view.warning("fraction", path, text, advice)


def _check_quoted_braces(view: FlowView, path: DocumentPath, expression: Condition) -> Iterator[Finding]:
    for constant in constants_in(expression.tree):
        if isinstance(constant.value, str):
            yield from _check_braces(view, path, constant.value, before="")


def _check_braces(view: FlowView, path: DocumentPath, text: str, before: str = "=") -> Iterator[Finding]:
    """Yield a warning for a literal with the placeholder of a slot; `before` stands before an expression here."""
    names = [name for name in _PLACEHOLDER.findall(text) if view.kind_of_name(name.partition(".")[0])]
    if names and "'" not in text:
        finding = Phrase("the text is stored as it stands, with `{{{names}}}` and its braces", names=names[0])
        yield view.warning(
            "braces",
            path,
            finding,
            Phrase('Write "{before}{text}" to put the value in', before=before, text=_joined_text(text)),
        )


def _joined_text(text: str) -> str:
    """Return a literal with placeholders as an expression: "plain {t}" is 'plain ' + t."""
    parts = _PLACEHOLDER.split(text)
    terms = [part if index % 2 else f"'{part}'" for index, part in enumerate(parts) if part]
    return " + ".join(terms)


def misfit_reason(kind: Kind, expected: Kind) -> str:
    """Return advice for a kind whose values the other kind always refuses, or "" if some of them fit."""
    if "any" in (kind.name, expected.name) or kind.name == "text" or _is_readable(kind, expected):
        return ""
    if kind.name != expected.name:
        return Phrase("Give both the same type, here {name}", name=expected.name)
    if kind.item and expected.item:
        return misfit_reason(kind.item, expected.item)
    return _field_reason(kind, expected) if kind.fields and expected.fields else ""


def _is_readable(kind: Kind, expected: Kind) -> bool:
    """Return whether values are read as the other kind: numbers and dates as text, dates as other dates."""
    if expected.name == "text":
        return kind.name == "number" or kind.name in _CLOCK_KINDS
    return kind.name in _CLOCK_KINDS and expected.name in _CLOCK_KINDS


def _field_reason(kind: Kind, expected: Kind) -> str:
    for name, field in kind.fields.items():
        if name not in expected.fields:
            return Phrase(
                "The field `{name}` is not one of its fields. {advice}",
                name=name,
                advice=did_you_mean(name, expected.fields),
            ).strip()
        if reason := misfit_reason(field, expected.fields[name]):
            return Phrase("The field `{name}` does not fit. {reason}", name=name, reason=reason)
    return ""
