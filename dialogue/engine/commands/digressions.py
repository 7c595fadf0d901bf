"""Digressions: answered beside the flow, without touching slots or stack. What was asked is then asked again."""

from typing import Any

from dialogue.engine.commands.flows import withdraw_offer
from dialogue.engine.commands.offers import close_offer, open_offer_kind
from dialogue.engine.knowledge import Passage
from dialogue.engine.lookups import help_text, look_up_passages, redacted_user_text
from dialogue.engine.ports.commands import CannotHandle, Chitchat, Digress, Repeat
from dialogue.engine.ports.sinks import Button
from dialogue.engine.ports.tasks import CollectTask, HumanTask, is_for_staff
from dialogue.engine.slots.display import display_or_redact
from dialogue.engine.stack import stack
from dialogue.engine.stack.filling import slot_title
from dialogue.engine.stack.frames import root_title as title_of_flow
from dialogue.engine.stack.pending import awaited_task, frame_task, user_task
from dialogue.engine.stack.slot_access import SlotRef, find_slot, frame_slot
from dialogue.engine.stack.state import Frame
from dialogue.engine.stack.turn import Turn
from dialogue.engine.stack.upcoming_slots import upcoming_slots


async def digress(turn: Turn, command: Digress) -> None:
    """Answer by the kind of the question."""
    turn.heard = True
    match command.kind:
        case "question":
            await _answer_question(turn, command.topic)
        case "clarification":
            await _explain_slot(turn, command.topic)
        case "help":
            await say_help(turn)
        case "status":
            say_status(turn)


async def _answer_question(turn: Turn, topic: str) -> None:
    if not await _say_passages(turn, topic):
        turn.say("no_answer")


async def _say_passages(turn: Turn, topic: str = "") -> bool:
    """Whether there is an answer, which is then said, and names where it comes from."""
    passages = await look_up_passages(turn, topic)
    if not passages:
        return False
    sources = ", ".join(dict.fromkeys(_source_text(passage) for passage in passages if passage.source))
    parts = [passage.text.strip() for passage in passages]
    parts += [turn.response_text("answer_from", sources=sources)] if sources else []
    turn.say("answer", about=topic, answer="\n\n".join(parts))
    return True


def _source_text(passage: Passage) -> str:
    return f"{passage.source} ({passage.link})" if passage.link else passage.source


async def _explain_slot(turn: Turn, topic: str) -> None:
    task = user_task(turn)
    name = topic or (task.slot if isinstance(task, CollectTask) else "")
    ref = find_slot(turn, name) if name else None
    if ref is None:
        return await say_help(turn)
    description = ref.slot.description.in_language(turn.language) if ref.slot.description else None
    turn.say("explain", about=ref.name, slot=slot_title(ref), description=description or slot_title(ref))


async def say_help(turn: Turn) -> None:
    """Say what the assistant can do."""
    turn.say("help", flows=await help_text(turn))


def say_status(turn: Turn) -> None:
    """Say what is running, what is known, and what is waited for."""
    if not turn.frames:
        return turn.say("status", text=turn.response_text("status_idle"))
    lines = [_status_line(turn, root) for root in reversed(stack.root_frames(turn.frames))]
    turn.say("status", text=" ".join(lines))


def _status_line(turn: Turn, root: Frame) -> str:
    frame = stack.chain_of(turn.frames, root)[-1]
    waits_for_staff = is_for_staff(frame_task(turn, frame))
    values = ", ".join(_value_texts(turn, root)) or "–"
    key = "status_waiting" if waits_for_staff else "status"
    return turn.response_text(key, flow=turn.flow_title(root["flow"]), values=values, missing=_missing_text(turn, root))


def _missing_text(turn: Turn, root: Frame) -> str:
    """What the flow will still ask for, as far as that is known; else whether it waits for an answer."""
    slots = [slot_title(ref) for ref in upcoming_slots(turn, root)]
    is_asked = frame_task(turn, stack.chain_of(turn.frames, root)[-1]) is not None
    return ", ".join(slots) or turn.response_text("missing_answer" if is_asked else "missing_nothing")


def _value_texts(turn: Turn, frame: Frame) -> list[str]:
    refs = ((name, frame_slot(turn, frame, name)) for name in frame["slots"])
    texts = ((ref, _value_text(turn, ref, frame["slots"][name]["value"])) for name, ref in refs if ref)
    return [f"{slot_title(ref)}: {text}" for ref, text in texts if text]


def _value_text(turn: Turn, ref: SlotRef, value: Any) -> str:
    return display_or_redact(ref.slot, value, language=turn.language, timezone=turn.context.timezone)


def chitchat(turn: Turn, command: Chitchat) -> None:
    """Small talk."""
    turn.heard = True
    turn.say("chitchat")


def repeat(turn: Turn, command: Repeat) -> None:
    """The last bot messages again; what is asked for comes last by itself."""
    turn.heard = True
    for message in turn.memory["said"]:
        buttons = tuple(Button(**button) for button in message["buttons"])
        turn.say(message["key"], text=message["text"], buttons=buttons)


def _may_ask_knowledge(turn: Turn) -> bool:
    """Whether what was written may be a question to the knowledge. While a sensitive value is awaited it may be that
    value, written wrong, and goes nowhere; and what was asked once in this turn is not asked again."""
    task = awaited_task(turn)
    ref = find_slot(turn, task.slot) if isinstance(task, CollectTask) else None
    awaits_sensitive = ref is not None and ref.slot.sensitive
    text = redacted_user_text(turn).strip()
    is_text = turn.event["kind"] == "message" and bool(text) and not text.startswith("@")
    return is_text and not awaits_sensitive and not turn.record.lookups


async def cannot_handle(turn: Turn, command: CannotHandle) -> None:
    """Not understood: the knowledge may still answer it. The question which flow is meant is withdrawn by it."""
    turn.heard = True
    if _may_ask_knowledge(turn) and await _say_passages(turn):
        return
    turn.missed = True
    if open_offer_kind(turn) == "clarify":
        return withdraw_offer(turn)
    if open_offer_kind(turn) == "correction":
        close_offer(turn, "answered", "none")
    task = awaited_task(turn)
    if not isinstance(task, HumanTask):
        return turn.say("cannot_handle")
    title = title_of_flow(turn, next(frame for frame in turn.frames if frame["id"] == task.frame))
    turn.say("waiting", about=task.step, text=turn.response_text("still_waiting", flow=title))
