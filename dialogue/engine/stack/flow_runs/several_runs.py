"""Several runs of one flow that a message asked for: which one is meant, and how they are told apart."""

import re

from pydantic import JsonValue

from dialogue.engine.language.compiler import Slot
from dialogue.engine.slots.display import display_or_redact, format_value
from dialogue.engine.stack import stack
from dialogue.engine.stack.slot_access import SlotRef, stored_slot
from dialogue.engine.stack.state import Frame
from dialogue.engine.stack.turn import Turn

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
    return [run for run in runs if any(_is_in_message(turn, *own) for own in _own_values(turn, run))]


def run_with_named_value(turn: Turn, ref: SlotRef, new_value: object) -> SlotRef:
    """Return the same slot in the run whose present value the message names: "not W2 but W3"; else the slot itself."""
    runs = runs_of(turn, ref.frame["flow"]) if ref.frame is not None and not turn.started else []
    if len(runs) < 2:
        return ref
    refs = [SlotRef(run, ref.name, ref.slot) for run in runs]
    named = [other for other in refs if _holds_named_value(turn, other, new_value)]
    return named[0] if len(named) == 1 else ref


def _holds_named_value(turn: Turn, ref: SlotRef, new_value: object) -> bool:
    stored = stored_slot(turn, ref)
    if stored is None or stored["value"] in (None, new_value):
        return False
    return _is_in_message(turn, ref.slot, stored["value"])


def _is_in_message(turn: Turn, slot: Slot, value: JsonValue) -> bool:
    shown = format_value(slot, value, language=turn.language, timezone=turn.context.timezone)
    message = str(turn.event.get("text", ""))
    pattern = "|".join(re.escape(text) for text in {shown, str(value)} if text)
    return bool(pattern) and re.search(rf"(?<!\w)(?:{pattern})(?!\w)", message, re.IGNORECASE) is not None


def own_value_texts(turn: Turn, root: Frame) -> list[str]:
    """Return the values that tell this run from the others, as users read them; sensitive ones are masked."""
    language, timezone = turn.language, turn.context.timezone
    values = _own_values(turn, root)
    return [display_or_redact(slot, value, language=language, timezone=timezone) for slot, value in values]


def _own_values(turn: Turn, root: Frame) -> list[tuple[Slot, JsonValue]]:
    """Return the values from the user that the other runs of the flow do not share, each with its slot."""
    others = [run for run in runs_of(turn, root["flow"]) if run is not root]
    if not others or "caller" in root:
        return []
    slots = turn.flow_of(root).slots
    return [
        (slots[name], stored["value"])
        for name, stored in root["slots"].items()
        if name in slots
        and stored["source"] == "user"
        and stored["value"] is not None
        and any(_value_of(run, name) != stored["value"] for run in others)
    ]


def _value_of(run: Frame, name: str) -> JsonValue:
    stored = run["slots"].get(name)
    value: JsonValue = stored["value"] if stored else None
    return value
