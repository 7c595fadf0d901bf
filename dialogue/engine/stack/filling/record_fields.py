"""Records that are filled field by field: what is known so far, and which field is asked for next."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dialogue.engine.language.compiler import Collect, Slot
from dialogue.engine.slots.values import ValueRefused
from dialogue.engine.stack.slot_access import SlotRef, draft_of, frame_slot
from dialogue.engine.stack.state import Frame, copy_json
from dialogue.engine.stack.turn import Turn


def missing_field(slot: Slot, value: Mapping[str, Any]) -> str:
    """Return the path of the first required field without a value, such as address.zip; "" for a complete record."""
    for name, field in slot.fields.items():
        part = value.get(name)
        if field.type == "object" and (field.required or part):
            if inner := missing_field(field, part or {}):
                return f"{name}.{inner}"
        elif field.required and part is None and field.default is None:
            return name
    return ""


def asked_slot(turn: Turn, frame: Frame, step: Collect) -> SlotRef | None:
    """Return what the step asks for: its slot, or the field that the record in it still needs."""
    ref = frame_slot(turn, frame, step.slot)
    if ref is None or ref.slot.type != "object" or ref.slot.options_from:
        return ref
    path = _asked_field(turn, ref, step)
    return frame_slot(turn, frame, f"{step.slot}.{path}") if path else ref


def _asked_field(turn: Turn, ref: SlotRef, step: Collect) -> str:
    draft = draft_of(turn, ref)
    if draft is not None:
        return missing_field(ref.slot, draft)
    if step.message or ref.slot.prompt:
        return ""
    # Without a question for the whole record, its fields are asked for from the first on.
    first = missing_field(ref.slot, {})
    field = ref.slot.part(first) if first else None
    return first if field is not None and field.prompt else ""


def keep_draft(turn: Turn, ref: SlotRef, draft: dict[str, Any]) -> None:
    """Keep what is known of a record until its other required fields are known."""
    owner = turn.memory if ref.frame is None else ref.frame
    owner.setdefault("drafts", {})[ref.name] = draft


def forget_draft(turn: Turn, ref: SlotRef) -> None:
    """Forget what was known of the record."""
    owner = turn.memory if ref.frame is None else ref.frame
    if "drafts" in owner:
        owner["drafts"].pop(ref.name, None)
        if not owner["drafts"]:
            del owner["drafts"]


def nested_value(path: Sequence[str], value: Any) -> dict[str, Any]:
    """Return the value at its path: `{"address": {"zip": value}}`."""
    return {path[0]: nested_value(path[1:], value) if path[1:] else value}


def merge_values(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of the base with the changes, field by field at every depth."""
    merged: dict[str, Any] = copy_json(dict(base))
    for name, change in changes.items():
        before = merged.get(name) or {}
        merged[name] = merge_values(before, change) if isinstance(change, Mapping) else change
    return merged


def without_field(value: Mapping[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """Return a copy of the record in which the field at the path has no value."""
    part = value.get(path[0])
    rest = without_field(part, path[1:]) if path[1:] and isinstance(part, Mapping) else None
    return {**value, path[0]: rest}


@dataclass(frozen=True)
class FieldRefusal:
    """A value that a field of a record does not accept. `field` is None where the record has no such field."""

    field: Slot | None
    error: ValueRefused

    @property
    def is_asked_again(self) -> bool:
        """Whether the field has a question of its own. Else the whole record is asked for again."""
        return self.field is not None and self.field.required and self.field.prompt is not None


def read_fields(
    whole: Slot, values: Mapping[str, Any], read: Callable[[Slot, Any], Any], path: str = ""
) -> tuple[dict[str, Any], list[FieldRefusal]]:
    """Return the fields that are accepted, in stored form, and the refusals of the others. Empty values are left out.

    `read` returns the stored form of a value for a slot, or raises ValueRefused. `path` is where the values stand in
    the record, "" for the record itself.
    """
    accepted: dict[str, Any] = {}
    refusals: list[FieldRefusal] = []
    for name, value in values.items():
        field_path = f"{path}.{name}" if path else name
        field = whole.part(field_path)
        if field is None:
            refusals.append(FieldRefusal(None, ValueRefused(f"{whole.name}.{field_path}", "unknown_field", name)))
        elif field.type == "object" and isinstance(value, Mapping):
            accepted[name], inner_refusals = read_fields(whole, value, read, field_path)
            refusals += inner_refusals
        elif value is not None:
            try:
                accepted[name] = read(field, value)
            except ValueRefused as error:
                refusals.append(FieldRefusal(field, error))
    return accepted, refusals


def complete_record(slot: Slot, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record with None for the fields that are empty."""
    return {
        name: complete_record(field, part) if field.type == "object" and isinstance(part, Mapping) else part
        for name, field in slot.fields.items()
        for part in [value.get(name)]
    }


def filled_paths(value: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Yield the paths of the values in a record, such as address.zip."""
    for name, part in value.items():
        field_path = f"{path}.{name}" if path else name
        if isinstance(part, Mapping):
            yield from filled_paths(part, field_path)
        elif part is not None:
            yield field_path
