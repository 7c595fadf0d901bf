"""Redaction: replace the values of sensitive slots by a mask in lists, and for people who may not see them.

Messages are stored as they were typed. The values to mask are found in what was understood, shown and answered, in what
programs reported, and in what the conversation was opened with. When retention has deleted that, or the release cannot
be read any more, the values are unknown and the whole text is masked.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

from django.db.models import Value

from dialogue.engine.language.compiler import FlowProblems, Slot
from dialogue.engine.slots.display import format_value, sensitive_parts
from dialogue.models import ActionRun, Conversation, Event, HITLSession, Release, Turn
from dialogue.turns.compiled_releases import assistant_of
from dialogue.turns.live.serializers import MASK, redactor_for_values, sensitive_texts

Redactor = Callable[[str], str]
SlotsByName = Mapping[str, Sequence[Slot]]
VALUES, SHOWN, FORGOTTEN = "values", "shown", "forgotten"
"""The source of stored JSON: values by name; the slots that a gate shows; a turn whose record was deleted."""


def redactor_of(conversation: Conversation) -> Redactor:
    """Return a function that masks this conversation's sensitive values in a text, also when they are spaced."""
    return redactors_of([conversation])[conversation.pk]


def redactors_of(conversations: Iterable[Conversation]) -> dict[UUID, Redactor]:
    """Return a redactor for each conversation, by id. One query for all, if their releases are fetched already."""
    rows = {row.pk: row for row in conversations}
    slots = {key: _sensitive_slots(row.release) for key, row in rows.items()}
    masked = {key for key, sensitive_slots in slots.items() if sensitive_slots is None}
    values: dict[UUID, list[str]] = defaultdict(list)
    guarded = {key: sensitive_slots for key, sensitive_slots in slots.items() if sensitive_slots}
    for key, stored, source in _stored_values(list(guarded)):
        if source == FORGOTTEN:
            masked.add(key)
        elif source == SHOWN:
            values[key] += sensitive_texts(stored)
        else:
            values[key] += values_by_name(stored, guarded[key])
    for key, slots_by_name in guarded.items():
        opened_with = {name: slot["value"] for name, slot in rows[key].opening.get("slots", {}).items()}
        values[key] += values_by_name(opened_with, slots_by_name)
        for frame in rows[key].stack:
            values[key] += sensitive_texts(frame["slots"].values())
    return {key: _mask_all if key in masked else redactor_for_values(values[key]) for key in rows}


def _mask_all(text: str) -> str:
    return MASK if text else text


def _stored_values(keys: list[UUID]) -> Iterable[tuple[UUID, Any, str]]:
    """Return (conversation, JSON, source) of what was understood, answered and shown, and of turns without a record."""
    if not keys:
        return []
    events = Event.objects.filter(conversation__in=keys).exclude(understanding=None).order_by()
    sessions = HITLSession.objects.filter(conversation__in=keys).order_by()
    turns = Turn.objects.filter(conversation__in=keys, record={}).order_by()
    understood = events.values_list("conversation", "understanding", Value(VALUES))
    answered = sessions.values_list("conversation", "values", Value(VALUES))
    shown_values = sessions.values_list("conversation", "shown", Value(SHOWN))
    # What an action returned may be shown in a message, and stays known when the flow and its slots are gone.
    returned = ActionRun.objects.filter(conversation__in=keys).exclude(outputs=None).order_by()
    outputs = returned.values_list("conversation", "outputs", Value(VALUES))
    reports = Event.objects.filter(conversation__in=keys, kind__in=(Event.Kind.SIGNAL, Event.Kind.START)).order_by()
    reported = reports.values_list("conversation", "payload", Value(VALUES))
    forgotten = turns.values_list("conversation", "record", Value(FORGOTTEN))
    return understood.union(answered, shown_values, outputs, reported, forgotten, all=True)


def _sensitive_slots(release: Release) -> SlotsByName | None:
    """Return the slots of all flows and forms of the release that hide a value; None when it cannot be read."""
    try:
        assistant = assistant_of(release)
    except FlowProblems:
        return None
    flows = list(assistant.flows.values())
    places = [assistant.slots, *(flow.slots for flow in flows)]
    places += [getattr(step, "form", {}) for flow in flows for step in flow.all_steps()]
    places += [contract.outputs for contract in assistant.actions.values()]
    places += [contract.payload for contract in assistant.events.values()]
    slots_by_name: dict[str, list[Slot]] = {}
    for name, slot in (item for slots in places for item in slots.items()):
        if slot.hides_values:
            slots_by_name.setdefault(name, []).append(slot)
    return slots_by_name


def values_by_name(stored: Any, slots: SlotsByName) -> Iterator[str]:
    """Yield the sensitive values of these slots at any depth of a stored JSON value.

    A dotted name, such as address.zip, means the field of a record.
    """
    if isinstance(stored, list):
        for item in stored:
            yield from values_by_name(item, slots)
    elif isinstance(stored, dict):
        for name, value in stored.items():
            head, _, path = name.partition(".")
            named_slots = [slot.part(path) if path else slot for slot in slots.get(head, ())]
            parts = [part for slot in named_slots if slot for part in sensitive_parts(slot, value)]
            yield from (text for part_slot, part in parts for text in _texts_of(part_slot, part))
            if not parts:
                yield from values_by_name(value, slots)


def _texts_of(slot: Slot, value: Any) -> Iterator[str]:
    """Yield the texts of a value as it is stored, and those of an amount or a date as messages show it."""
    yield from _plain_texts(value)
    if slot.type in ("money", "number", "date") and isinstance(value, str | int | float):
        with suppress(ValueError, ArithmeticError):
            yield from (format_value(slot, value, language=language) for language in ("en", "es"))


def _plain_texts(value: Any) -> Iterator[str]:
    """Yield the texts and numbers at any depth of a value."""
    match value:
        case str() | int() | float():
            yield str(value)
        case list():
            for item in value:
                yield from _plain_texts(item)
        case dict():
            for item in value.values():
                yield from _plain_texts(item)
        case _:
            pass
