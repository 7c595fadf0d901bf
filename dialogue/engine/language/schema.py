"""The JSON Schema of the flow language for editors, on request with the names of one assistant."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from pydantic.json_schema import models_json_schema

from dialogue.engine.expressions.signatures import FUNCTIONS
from dialogue.engine.language.documents import Assistant, Flow
from dialogue.engine.language.steps import END
from dialogue.engine.slots.definitions.slot_types import SLOT_TYPES, TYPES_BY_CONSTRAINT
from dialogue.engine.slots.models import Slot

_SHORT_FORM_PREFIXES = ("", "optional ", "list of ", "optional list of ")


def json_schema(assistant: Assistant | None = None) -> dict[str, Any]:
    """Return the JSON Schema of a document: a dict with "anyOf" Flow or Assistant, and "$defs" for every part.

    The flows, steps, slots and actions of an assistant become enums. "x-functions" holds the functions of expressions
    as {name: {"usage", "summary"}}, "x-fields" the fields of an assistant's records as {slot: [address, address.zip]},
    "x-actions" its contracts as {name: {"inputs": {name: type}, "outputs": {name: type}}}, "x-slots" the types of its
    own slots, "x-flows" those of each flow, "x-language" its language, and "x-limits" the slot types that a limit fits
    as {limit: [type]}.
    """
    names = _names_by_kind(assistant) if assistant else {}
    functions = {name: {"usage": function.usage, "summary": function.summary} for name, function in FUNCTIONS.items()}
    schema: dict[str, Any] = _add_names(_definitions(), names)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The flow language, version 1",
        "anyOf": [{"$ref": "#/$defs/Flow"}, {"$ref": "#/$defs/Assistant"}],
        "x-functions": functions,
        "x-fields": _fields_by_slot(assistant) if assistant else {},
        "x-language": assistant.language if assistant else "en",
        "x-actions": _contracts(assistant) if assistant else {},
        "x-slots": _types_of(assistant.slots) if assistant else {},
        "x-flows": {name: _types_of(flow.slots) for name, flow in assistant.flows.items()} if assistant else {},
        "x-limits": {limit: sorted(types) for limit, types in TYPES_BY_CONSTRAINT.items()},
        **schema,
    }


@cache
def _definitions() -> dict[str, Any]:
    return models_json_schema([(Assistant, "validation"), (Flow, "validation")], by_alias=True)[1]


def _names_by_kind(assistant: Assistant) -> Mapping[str, list[str]]:
    flows = assistant.flows.values()
    # A choice and an object say more than one word can.
    short_types = [*(name for name in SLOT_TYPES if name not in ("choice", "object")), *sorted(assistant.records)]
    slots = {*assistant.slots, *(name for flow in flows for name in flow.slots)}
    return {
        "slot": sorted(slots),
        "child_slot": sorted(slots),
        "step": [*sorted({step.step for flow in flows for step in flow.all_steps()}), END],
        "flow": sorted(assistant.flows),
        "action": sorted(assistant.actions),
        "record": sorted(assistant.records),
        "slot_type": [f"{prefix}{name}" for prefix in _SHORT_FORM_PREFIXES for name in short_types],
        "event": sorted(assistant.events),
    }


def _fields_by_slot(assistant: Assistant) -> dict[str, list[str]]:
    slots = [assistant.slots, *(flow.slots for flow in assistant.flows.values())]
    slot_by_name = {name: slot for declared in slots for name, slot in declared.items()}
    return {name: paths for name, slot in sorted(slot_by_name.items()) if (paths := list(_field_paths(slot)))}


def _contracts(assistant: Assistant) -> dict[str, Any]:
    return {
        name: {"inputs": _types_of(contract.inputs), "outputs": _types_of(contract.outputs)}
        for name, contract in assistant.actions.items()
    }


def _types_of(slots: Mapping[str, Slot]) -> dict[str, str]:
    return {name: slot.type for name, slot in slots.items()}


def _field_paths(slot: Slot) -> Iterator[str]:
    """Yield the paths of an object's fields, or of those of a list's entries."""
    for name, field in (slot.items.fields if slot.items else slot.fields).items():
        yield name
        yield from (f"{name}.{path}" for path in _field_paths(field))


def _add_names(node: Any, names: Mapping[str, Iterable[str]]) -> Any:
    if isinstance(node, list):
        return [_add_names(child, names) for child in node]
    if not isinstance(node, dict):
        return node
    kind = node.get("x-refers")
    enum = {"enum": list(names[kind])} if isinstance(kind, str) and names.get(kind) else {}
    return {**{key: _add_names(child, names) for key, child in node.items()}, **enum}
