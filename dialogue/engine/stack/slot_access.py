"""Read the slots of a frame: its own, the conversation's, and the decisions at its human steps."""

import hashlib
import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dialogue.engine.expressions.conditions import Condition, ConditionRefused, ExpressionTooCostly
from dialogue.engine.expressions.values import TypedValue
from dialogue.engine.language.compiler import Human, Slot
from dialogue.engine.slots.candidates import display_slot
from dialogue.engine.slots.definitions.labels import words_of_name
from dialogue.engine.slots.display import field_of, slot_of_kind, value_at
from dialogue.engine.slots.values import format_value, json_value, typed_value
from dialogue.engine.stack.responses import Template
from dialogue.engine.stack.state import Frame, StoredSlot
from dialogue.engine.stack.turn import Turn

log = logging.getLogger(__name__)

_WORDS = Slot.model_validate({"type": "text"})


@dataclass(frozen=True)
class SlotRef:
    """A slot, and the frame that stores its value; None: the conversation stores it.

    With `whole` it is a field of that slot's record, and `name` is dotted: address.zip.
    """

    frame: Frame | None
    name: str
    slot: Slot
    whole: "SlotRef | None" = None

    @property
    def path(self) -> tuple[str, ...]:
        """The path of a field inside its record; () for a slot."""
        return tuple(self.name.split(".")[1:]) if self.whole else ()


def find_slot(turn: Turn, name: str) -> SlotRef | None:
    """Return the slot that a command means, or None.

    The flow that the message started last is asked first, then the flows from top to bottom, then the conversation.
    A dotted name, such as address.zip, is a field of a record.
    """
    if "." in name:
        head, _, path = name.partition(".")
        return field_ref(find_slot(turn, head), path)
    last_started = turn.started[-1:] if turn.started and turn.started[-1] in turn.frames else []
    for frame in (*last_started, *reversed(turn.frames)):
        slot = turn.flow_of(frame).slots.get(name)
        if slot is not None:
            return SlotRef(frame, name, slot)
    return _conversation_slot(turn, name)


def frame_slot(turn: Turn, frame: Frame, name: str) -> SlotRef | None:
    """Return the slot that a step of this frame means, or the field of a record that a dotted name means, or None."""
    if "." in name:
        head, _, path = name.partition(".")
        return field_ref(frame_slot(turn, frame, head), path)
    flow = turn.flow_of(frame)
    slot = flow.slots.get(name)
    ref = SlotRef(frame, name, slot) if slot is not None else _conversation_slot(turn, name)
    if ref is None and name in flow.loop_items:
        return SlotRef(frame, name, flow.loop_items[name])
    return ref


def field_ref(whole: SlotRef | None, path: str) -> SlotRef | None:
    """Return the field of a record that the path means, or None."""
    slot = whole.slot.part(path) if whole else None
    # A record that is chosen from data is changed by another choice.
    if whole is None or slot is None or whole.slot.options_from:
        return None
    return SlotRef(whole.frame, slot.name, slot, whole)


def _conversation_slot(turn: Turn, name: str) -> SlotRef | None:
    slot = turn.assistant.slots.get(name)
    return SlotRef(None, name, slot) if slot is not None else None


def stored_slot(turn: Turn, ref: SlotRef) -> StoredSlot | None:
    """Return the stored value, or None for an empty slot. A skipped slot has an entry whose value is None.

    The field of a record is read from the record, or from what is known of it while fields are missing.
    """
    if ref.whole is None:
        return slot_store(turn, ref).get(ref.name)
    stored = stored_slot(turn, ref.whole)
    value = value_at(stored["value"] if stored else draft_of(turn, ref.whole), ref.path)
    origin: StoredSlot = stored or {"value": None, "turn": turn.memory["turn"], "source": "user"}
    return None if value is None else {**origin, "value": value}


def draft_of(turn: Turn, ref: SlotRef) -> dict[str, Any] | None:
    """Return what is known of a record of which required fields are missing, or None."""
    return (turn.memory if ref.frame is None else ref.frame).get("drafts", {}).get(ref.name)


def slot_store(turn: Turn, ref: SlotRef) -> dict[str, StoredSlot]:
    """Return the dict of stored values that the slot belongs to."""
    return turn.memory["slots"] if ref.frame is None else ref.frame["slots"]


def value_of(turn: Turn, frame: Frame, name: str) -> Any:
    """Return the stored value of a slot or of `<step>.<field>`, or None when it is empty."""
    resolved = resolve_name(turn, frame, name)
    return resolved[1] if resolved else None


def display_value(turn: Turn, frame: Frame, name: str) -> str | None:
    """Return the value as people read it, for templates, or None when it is empty.

    A name that begins with = is an expression.
    """
    if name.startswith("="):
        return _display_result(turn, frame, name)
    resolved = resolve_name(turn, frame, name)
    if resolved is None:
        return None
    slot, value = resolved
    return (
        format_value(slot, value, language=turn.language, timezone=turn.context.timezone) if value is not None else None
    )


def _display_result(turn: Turn, frame: Frame, placeholder: str) -> str | None:
    expression = compiled_expression(placeholder.removeprefix("="))
    try:
        kind = expression.check_as_expression(turn.catalogue.kinds_of(frame["flow"]))
        value = json_value(evaluate(turn, frame, expression))
    except (ExpressionTooCostly, ConditionRefused) as error:  # prompts of the assistant's slots are not checked by flow
        log.error("a text of %s in conversation %s: %s", frame["flow"], turn.context.conversation, error)
        return None
    if value is None:
        return None
    return format_value(slot_of_kind(kind), value, language=turn.language, timezone=turn.context.timezone)


compiled_expression = lru_cache(maxsize=1_024)(Condition)


def render_template(turn: Turn, frame: Frame, template: Template) -> str:
    """Render the message with the frame's values, in the conversation's language."""
    return template.in_language(turn.language).render(lambda name: display_value(turn, frame, name))


def resolve_name(turn: Turn, frame: Frame, name: str) -> tuple[Slot, Any] | None:
    """Return the slot that a name in a template or condition means, and its stored value; None for an unknown name.

    A name such as order.address.zip means a field, approval.amount a part of the decision at a human step.
    """
    head, _, part = name.partition(".")
    if part:
        return _decision_value(turn, frame, head, part) or _part_value(turn, frame, head, part)
    ref = frame_slot(turn, frame, name)
    if ref is None:
        return None
    stored = stored_slot(turn, ref)
    if stored is None:
        return ref.slot, None
    return display_slot(ref.slot, stored.get("labels")), stored["value"]


def _decision_value(turn: Turn, frame: Frame, step_id: str, part: str) -> tuple[Slot, Any] | None:
    flow = turn.flow_of(frame)
    step = flow.step(step_id) if flow.has_step(step_id) else None
    if not isinstance(step, Human):
        return None
    name, _, path = part.partition(".")
    field, value = step.form.get(name) or _WORDS, frame.get("results", {}).get(step_id, {}).get(name)
    field = display_slot(field, frame.get("result_labels", {}).get(f"{step_id}.{name}"))
    return field_of(field, value, path) if path else (field, value)


def _part_value(turn: Turn, frame: Frame, head: str, part: str) -> tuple[Slot, Any] | None:
    whole = resolve_name(turn, frame, head)
    return field_of(*whole, part) if whole else None


def is_filled(turn: Turn, frame: Frame, name: str) -> bool:
    """Whether the slot holds a value. 0, false and "" are values."""
    return value_of(turn, frame, name) is not None


def is_skipped(turn: Turn, frame: Frame, name: str) -> bool:
    """Whether the user chose to leave the slot empty."""
    ref = frame_slot(turn, frame, name)
    stored = stored_slot(turn, ref) if ref else None
    return stored is not None and stored["value"] is None


def typed_values(turn: Turn, frame: Frame, names: Iterable[str]) -> dict[str, TypedValue]:
    """Return Python values by name, for conditions; None for empty ones."""
    resolved_names = ((name, resolve_name(turn, frame, name)) for name in names)
    return {name: typed_value(*resolved) if resolved else None for name, resolved in resolved_names}


def condition_holds(turn: Turn, frame: Frame, condition: Condition) -> bool:
    """Whether the condition is true for the frame."""
    return condition.holds(typed_values(turn, frame, condition.slots), turn.now)


def evaluate(turn: Turn, frame: Frame, expression: Condition) -> TypedValue:
    """Return the value of the expression for the frame."""
    return expression.evaluate(typed_values(turn, frame, expression.slots), turn.now)


def read_hashes(turn: Turn, frame: Frame, names: Iterable[str]) -> dict[str, str]:
    """Return a short hash of each value, to notice a change without storing the value twice."""
    return {name: value_hash(value_of(turn, frame, name)) for name in sorted(names)}


def value_hash(value: Any) -> str:
    """Return eight bytes of BLAKE2b over the value's canonical JSON, in hexadecimal."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(canonical.encode(), digest_size=8).hexdigest()


def slot_title(turn: Turn, ref: SlotRef) -> str:
    """Return what messages call a slot or a record's field."""
    return title_in_messages(turn, ref.slot, ref.name)


def title_in_messages(turn: Turn, slot: Slot, name: str) -> str:
    """Return the slot's title, its description in several languages, or else its name: "zip code" for address.zip_code.

    A description in one language is not said in sentences: it may be a long one, and the name is in that language too.
    """
    text = slot.title or (slot.description if getattr(slot.description, "translations", None) else None)
    return text.in_language(turn.language) if text else words_of_name(name.rpartition(".")[2])
