"""Several runs of one flow that a message asked for: which one is meant, and how they are told apart."""

import re
from collections.abc import Iterable
from dataclasses import replace

from pydantic import JsonValue

from dialogue.engine.language.compiler import Slot
from dialogue.engine.slots.candidates import display_slot
from dialogue.engine.slots.display import display_or_redact, format_value
from dialogue.engine.stack import stack
from dialogue.engine.stack.choice_answers import ChoiceAnswer
from dialogue.engine.stack.slot_access import SlotRef, stored_slot
from dialogue.engine.stack.state import Frame, StoredSlot
from dialogue.engine.stack.turn import FurtherChoice, Turn

MAX_VALUES_IN_TITLE = 3


def run_title(turn: Turn, root: Frame) -> str:
    """Return the flow's title, with the values that tell this run from the flow's other runs, if it has any."""
    title, values = turn.flow_title(root["flow"]), own_value_texts(turn, root)
    return f"{title} ({', '.join(values[:MAX_VALUES_IN_TITLE])})" if values else title


def runs_of(turn: Turn, flow: str) -> list[Frame]:
    """Return the runs of the flow that users asked for, the uppermost first."""
    return [frame for frame in reversed(turn.frames) if frame["flow"] == flow and "caller" not in frame]


def runs_named_in_message(turn: Turn, frame: Frame) -> list[Frame]:
    """Return the runs of the frame's flow whose own values the message names; [] if the flow has one run only."""
    runs = runs_of(turn, stack.root_of(turn.frames, frame)["flow"])
    if len(runs) < 2:
        return []
    return [run for run in runs if _is_named(turn, run)]


def _is_named(turn: Turn, run: Frame) -> bool:
    return _is_in_message(turn, own_value_names(turn, run))


def run_with_named_value(turn: Turn, ref: SlotRef, new_value: object) -> SlotRef:
    """Return the same slot in the run whose present value the message names: "not W2 but W3"; else the slot itself."""
    if ref.frame is None or turn.started or len(turn.frames) < 2:
        return ref
    runs = runs_of(turn, ref.frame["flow"])
    if len(runs) < 2:
        return ref
    refs = [SlotRef(run, ref.name, ref.slot) for run in runs]
    named = [other for other in refs if _holds_named_value(turn, other, new_value)]
    return named[0] if len(named) == 1 else ref


def one_option_a_run(turn: Turn, frame: Frame, slot: Slot, answer: ChoiceAnswer) -> ChoiceAnswer:
    """Return the answer with one option for a slot that holds one. Further options wait to be planned as runs.

    Where the flow cannot run several times, the user is asked among the options.
    """
    if len(answer.chosen) < 2 or slot.type == "list":
        return answer
    flow = turn.flow_of(frame)
    if "caller" in frame or not flow.start or flow.has_rounds:
        return ChoiceAnswer(among=answer.chosen)
    first, *others = answer.chosen
    turn.further_choices += [FurtherChoice(frame, slot, option) for option in others]
    return replace(answer, chosen=(first,))


def _holds_named_value(turn: Turn, ref: SlotRef, new_value: object) -> bool:
    stored = stored_slot(turn, ref)
    if stored is None or stored["value"] in (None, new_value):
        return False
    return _is_in_message(turn, _names_of(turn, ref.slot, stored))


def _is_in_message(turn: Turn, names: Iterable[str]) -> bool:
    message, pattern = str(turn.event.get("text", "")), "|".join(re.escape(name) for name in names if name)
    return bool(pattern) and re.search(rf"(?<!\w)(?:{pattern})(?!\w)", message, re.IGNORECASE) is not None


def _names_of(turn: Turn, slot: Slot, stored: StoredSlot) -> set[str]:
    """Return what people may call a value: its text, how it is stored, and the keys of options from data."""
    value, labels = stored["value"], stored.get("labels", {})
    shown = format_value(display_slot(slot, labels), value, language=turn.language, timezone=turn.context.timezone)
    return {shown, *labels, *([] if isinstance(value, dict | list) else [str(value)])}


def own_value_names(turn: Turn, root: Frame) -> list[str]:
    """Return what people may call the values that tell this run from the flow's other runs, without sensitive ones."""
    if _is_only_frame(turn, root):
        return []
    values = [(slot, stored) for slot, stored in _own_values(turn, root) if not slot.hides_values]
    names = (_names_of(turn, slot, stored) for slot, stored in values)
    return [*(name for value_names in names for name in sorted(value_names)), *_words_said_ahead(turn, root)]


def own_value_texts(turn: Turn, root: Frame) -> list[str]:
    """Return the values that tell this run from the others, as users read them; sensitive ones are masked."""
    if _is_only_frame(turn, root):
        return []
    texts = [
        display_or_redact(
            display_slot(slot, stored.get("labels")),
            stored["value"],
            language=turn.language,
            timezone=turn.context.timezone,
        )
        for slot, stored in _own_values(turn, root)
    ]
    return [*texts, *_words_said_ahead(turn, root)]


def _is_only_frame(turn: Turn, frame: Frame) -> bool:
    """Whether no other flow is in progress, as in most turns: then there is no other run to look for."""
    frames = turn.frames
    return len(frames) == 1 and frames[0] is frame


def _words_said_ahead(turn: Turn, root: Frame) -> list[str]:
    """Return the words for choices whose options are not known yet, where the flow has several runs."""
    if len(runs_of(turn, root["flow"])) < 2 or "caller" in root:
        return []
    slots = turn.flow_of(root).slots
    said = root.get("mentions", {}).items()
    return [str(mention.get("words", "")) for name, mention in said if name in slots and not slots[name].hides_values]


def _own_values(turn: Turn, root: Frame) -> list[tuple[Slot, StoredSlot]]:
    """Return the values from the user that the other runs of the flow do not share, each with its slot."""
    others = [run for run in runs_of(turn, root["flow"]) if run is not root]
    if not others or "caller" in root:
        return []
    slots = turn.flow_of(root).slots
    return [
        (slots[name], stored)
        for name, stored in root["slots"].items()
        if name in slots
        and stored["source"] == "user"
        and stored["value"] is not None
        and not stored.get("masked")
        and any(_value_of(run, name) != stored["value"] for run in others)
    ]


def _value_of(run: Frame, name: str) -> JsonValue:
    stored = run["slots"].get(name)
    value: JsonValue = stored["value"] if stored else None
    return value
