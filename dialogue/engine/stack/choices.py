"""Choices from data: the candidates that a slot has now, the page that is shown, and what an answer means."""

import logging
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from dialogue.engine.expressions.conditions import ExpressionTooCostly
from dialogue.engine.language.compiler import Human
from dialogue.engine.ports.tasks import Choice
from dialogue.engine.slots.candidates import Candidate, OptionList, part_at, shared_candidates
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.option_sources import OptionsFrom
from dialogue.engine.slots.redaction import MASK
from dialogue.engine.slots.values import typed_value
from dialogue.engine.stack.choice_answers import (
    MORE,
    NONE_OF_THESE,
    ChoiceAnswer,
    OpenChoice,
    offered_candidates,
    page_number,
    page_size_of,
    shown_page,
    words_of,
)
from dialogue.engine.stack.slot_access import read_hashes, resolve_name, typed_values
from dialogue.engine.stack.state import Frame, Mention, Wait
from dialogue.engine.stack.turn import Turn

log = logging.getLogger(__name__)

MAX_RECORDED_OPTIONS = 10
MAX_RECORDED_CHARACTERS = 200


def known_candidates(turn: Turn, frame: Frame | None, slot: Slot) -> tuple[Candidate, ...] | None:
    """Return the options of the slot in this frame, or None while its source is empty or not loaded.

    Without a frame, the source is looked up among the slots of the conversation. Options whose test costs too much are
    none; the question for them fails.
    """
    try:
        return checked_candidates(turn, frame, slot)
    except ExpressionTooCostly as error:
        log.error("options of `%s` in conversation %s: %s", slot.name, turn.context.conversation, error)
        return None


def checked_candidates(turn: Turn, frame: Frame | None, slot: Slot) -> tuple[Candidate, ...] | None:
    """Return the same as `known_candidates`. Raises ExpressionTooCostly."""
    found = source_entries(turn, frame, slot)
    if found is None:
        return None
    entry, entries = found
    cache_key = (frame["id"] if frame else "", slot.name)
    known = _known_values(turn, frame, slot, entry)
    cached = turn.option_lists.get(cache_key)
    # The stored list is replaced when it changes, never changed in place.
    if cached is None or cached[0] is not entries or cached[1] != known:
        source = slot.options_from
        assert source is not None
        options = OptionList(slot, source, entry, turn.language, turn.context.timezone, turn.now, known)
        cached = turn.option_lists[cache_key] = (entries, known, shared_candidates(options, entries))
    candidates: tuple[Candidate, ...] = cached[2]
    return candidates


def source_entries(turn: Turn, frame: Frame | None, slot: Slot) -> tuple[Slot, list[Any]] | None:
    """Return the slot of one entry and the entries that are known, or None."""
    source = slot.options_from
    assert source is not None
    if (contract := source_contract(turn, frame, source)) is not None:
        (output,) = contract.outputs.values()
        loaded = frame.get("options", {}).get(slot.name) if frame else None
        if frame is None or loaded is None or loaded.get("reads") != input_hashes(turn, frame, source):
            return None
        return _entry_slot(output), loaded["entries"]
    resolved = resolve_name(turn, frame, source.source) if frame else _conversation_value(turn, source.source)
    if resolved is None or not isinstance(resolved[1], list):
        return None
    return _entry_slot(resolved[0]), resolved[1]


def source_contract(turn: Turn, frame: Frame | None, source: OptionsFrom) -> Any:
    """Return the contract of the action that gives the options, or None if a slot does."""
    is_slot = frame is not None and resolve_name(turn, frame, source.source) is not None
    return None if is_slot else turn.assistant.actions.get(source.source)


def input_hashes(turn: Turn, frame: Frame, source: OptionsFrom) -> dict[str, str]:
    """Return the hashes of the values that the action behind the options reads."""
    if source.inputs is not None:
        names: Iterable[str] = {name for expression in source.inputs.values() for name in expression.slots}
    else:
        names = turn.assistant.actions[source.source].inputs
    return read_hashes(turn, frame, names)


def _entry_slot(source: Slot) -> Slot:
    return source.items or Slot(type="text")


def _conversation_value(turn: Turn, path: str) -> tuple[Slot, Any] | None:
    name, _, part = path.partition(".")
    slot, stored = turn.assistant.slots.get(name), turn.memory["slots"].get(name)
    if slot is None or stored is None:
        return None
    return part_at(slot, stored["value"], part) if part else (slot, stored["value"])


def _known_values(turn: Turn, frame: Frame | None, slot: Slot, entry: Slot) -> dict[str, Any]:
    """Return the typed values that `when` reads beside the fields of an entry."""
    test = slot.options_from.when if slot.options_from else None
    names = [name for name in test.slots if part_at(entry, None, name) is None] if test else []
    if frame is not None:
        return typed_values(turn, frame, names)
    resolved = ((name, _conversation_value(turn, name)) for name in names)
    return {name: typed_value(*value) for name, value in resolved if value is not None}


def page_choices(turn: Turn, slot: Slot, candidates: Sequence[Candidate], wait: Wait) -> tuple[Choice, ...]:
    """Return the buttons of the question: a page of options, and what leads to others."""
    choices = [Choice(option.key, option.label) for option in shown_page(slot, candidates, wait)]
    page = page_number(slot, candidates, wait)
    if len(offered_candidates(candidates, wait)) > page * page_size_of(slot):
        choices.append(Choice(f"{MORE}{page + 1}", turn.response_text("more_options")))
    if "matches" in wait:
        choices.append(Choice(NONE_OF_THESE, turn.response_text(NONE_OF_THESE)))
    return tuple(choices)


def open_choice(turn: Turn, frame: Frame, slot: Slot, *, wait: Wait | None = None) -> OpenChoice | None:
    """Return the choice as it can be answered now, or None while its options are not known.

    `wait` is the open question for it, or None.
    """
    candidates = known_candidates(turn, frame, slot)
    if candidates is None:
        return None
    stores = (frame["slots"], turn.memory["slots"])
    stored = next((slots[slot.name] for slots in stores if slot.name in slots), None)
    chosen = tuple(stored.get("labels", {})) if stored else ()
    return OpenChoice(slot, candidates, turn.language, turn.now.date(), wait, chosen)


def form_field(step_id: str, field: Slot) -> Slot:
    """Return the field of a gate's form under a name of its own, because a slot of the flow may have the same name."""
    copy = field.model_copy()
    copy._name = f"{step_id}.{field.name}"
    return copy


def form_options(turn: Turn, frame: Frame, step: Human) -> dict[str, tuple[Choice, ...]]:
    """Return the options of the form's fields whose choices come from data, by field."""
    fields = {name: form_field(step.step, field) for name, field in step.form.items() if field.options_from}
    known = {name: known_candidates(turn, frame, field) or () for name, field in fields.items()}
    return {name: tuple(Choice(option.key, option.label) for option in options) for name, options in known.items()}


def apply_control(turn: Turn, frame: Frame, wait: Wait, answer: ChoiceAnswer) -> None:
    """Show another page, take the narrowing back, or note the no to the only option."""
    if answer.page:
        wait["page"] = answer.page
    elif answer.control == NONE_OF_THESE:
        for part in ("matches", "page", "picked"):
            wait.pop(part, None)  # type: ignore[misc]
    else:
        wait["declined"] = True
        turn.touch(frame)


def narrow_question(wait: Wait, keys: Collection[str], picked: Collection[str] = ()) -> None:
    """Ask the open question about these options only; `picked` are options of a list that are certain."""
    wait["matches"] = list(keys)
    if picked:
        wait["picked"] = list(picked)
    wait.pop("page", None)
    wait.pop("single", None)


def record_answer(turn: Turn, slot: Slot, value: Any, answer: ChoiceAnswer) -> None:
    """Record how the words were resolved; sensitive words and labels are masked."""
    fitting = answer.chosen or answer.among
    hides = slot.sensitive or any(option.sensitive for option in fitting)
    words = MASK if hides else words_of(value)[:MAX_RECORDED_CHARACTERS]
    labels = [option.masked_label for option in fitting[:MAX_RECORDED_OPTIONS]]
    turn.record.options.append({"slot": slot.name, "words": words, "result": answer.result, "options": labels})


def record_offer(turn: Turn, slot: Slot, candidates: Sequence[Candidate], wait: Wait) -> None:
    """Record how many options there are, and the labels of those that are shown."""
    labels = [option.masked_label for option in shown_page(slot, candidates, wait)]
    turn.record.options.append({"slot": slot.name, "offered": len(candidates), "options": labels})


def stored_choice(slot: Slot, chosen: Sequence[Candidate]) -> Any:
    """Return what the slot stores for these options: a list of them for a list, or else the first."""
    return [option.value for option in chosen] if slot.type == "list" else chosen[0].value


def mention(frame: Frame, name: str, said: Mention) -> None:
    """Keep what was said about a choice until its options are known."""
    frame.setdefault("mentions", {})[name] = said


def take_mention(frame: Frame, name: str) -> Mention | None:
    """Return what was said about the choice, once."""
    mentions = frame.get("mentions", {})
    said = mentions.pop(name, None)
    if not mentions:
        frame.pop("mentions", None)
    return said
