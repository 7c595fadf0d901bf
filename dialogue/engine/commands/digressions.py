"""Digressions: answers beside the flow. They change neither slots nor stack, and the open question is asked again."""

from dialogue.engine.commands.flows import withdraw_offer
from dialogue.engine.commands.offers import close_offer, open_offer_kind
from dialogue.engine.lookups import help_text, look_up_passages, redacted_user_text
from dialogue.engine.ports.commands import CannotHandle, Chitchat, Digress, Repeat
from dialogue.engine.ports.sinks import Button
from dialogue.engine.ports.tasks import CollectTask, HumanTask, WaitTask, is_for_staff
from dialogue.engine.slots.candidates import display_slot
from dialogue.engine.slots.display import display_or_redact
from dialogue.engine.stack import stack
from dialogue.engine.stack.flow_runs.several_runs import run_title
from dialogue.engine.stack.frames import root_title as title_of_flow
from dialogue.engine.stack.pending import awaited_task, frame_task, user_task
from dialogue.engine.stack.slot_access import find_slot, frame_slot, slot_title
from dialogue.engine.stack.state import Frame
from dialogue.engine.stack.turn import Turn
from dialogue.engine.stack.upcoming_slots import upcoming_slots


async def digress(turn: Turn, command: Digress) -> None:
    """Answer a question, explain a slot, or say what the assistant can do or what is running."""
    turn.heard = True
    match command.kind:
        case "question":
            if not await _say_passages(turn, command.topic):
                turn.say("no_answer")
        case "clarification":
            await _explain_slot(turn, command.topic)
        case "help":
            await say_help(turn)
        case "status":
            say_status(turn)


async def _say_passages(turn: Turn, topic: str = "") -> bool:
    """Say the answer from the knowledge, with its sources. Return whether there was one."""
    passages = await look_up_passages(turn, topic)
    if not passages:
        return False
    sources = (
        f"{passage.source} ({passage.link})" if passage.link else passage.source
        for passage in passages
        if passage.source
    )
    source_list = ", ".join(dict.fromkeys(sources))  # without repetition, in their order
    parts = [passage.text.strip() for passage in passages]
    parts += [turn.response_text("answer_from", sources=source_list)] if source_list else []
    turn.say("answer", about=topic, answer="\n\n".join(parts))
    return True


async def _explain_slot(turn: Turn, topic: str) -> None:
    task = user_task(turn)
    name = topic or (task.slot if isinstance(task, CollectTask) else "")
    ref = find_slot(turn, name) if name else None
    if ref is None:
        return await say_help(turn)
    description = ref.slot.description.in_language(turn.language) if ref.slot.description else None
    turn.say("explain", about=ref.name, slot=slot_title(turn, ref), description=description or slot_title(turn, ref))


async def say_help(turn: Turn) -> None:
    """Say what the assistant can do."""
    turn.say("help", flows=await help_text(turn))


def say_status(turn: Turn) -> None:
    """Say which flows are running, with the known values and what is missing or awaited."""
    if not turn.frames:
        return turn.say("status", text=turn.response_text("status_idle"))
    lines = [_status_line(turn, root) for root in reversed(stack.root_frames(turn.frames))]
    turn.say("status", text=" ".join(lines))


def _status_line(turn: Turn, root: Frame) -> str:
    frame = stack.chain_of(turn.frames, root)[-1]
    task = frame_task(turn, frame)
    values = ", ".join(_value_texts(turn, root)) or "–"
    key = "status_waiting" if is_for_staff(task) else "status_timed" if isinstance(task, WaitTask) else "status"
    return turn.response_text(key, flow=run_title(turn, root), values=values, missing=_missing_text(turn, root))


def _missing_text(turn: Turn, root: Frame) -> str:
    """Name what the flow will still ask for as far as that is certain, or else whether it waits for an answer."""
    slots = [slot_title(turn, ref) for ref in upcoming_slots(turn, root)]
    is_asked = frame_task(turn, stack.chain_of(turn.frames, root)[-1]) is not None
    return ", ".join(slots) or turn.response_text("missing_answer" if is_asked else "missing_nothing")


def _value_texts(turn: Turn, frame: Frame) -> list[str]:
    texts = []
    for name, stored in frame["slots"].items():
        ref = frame_slot(turn, frame, name)
        if ref is None:
            continue
        slot = display_slot(ref.slot, stored.get("labels"))
        text = display_or_redact(slot, stored["value"], language=turn.language, timezone=turn.context.timezone)
        if text:
            texts.append(f"{slot_title(turn, ref)}: {text}")
    return texts


def chitchat(turn: Turn, command: Chitchat) -> None:
    """Answer small talk."""
    turn.heard = True
    turn.say("chitchat")


def repeat(turn: Turn, command: Repeat) -> None:
    """Say the last bot messages again. The prompt is not among them: every turn ends with it anyway."""
    turn.heard = True
    for message in turn.memory["said"]:
        buttons = tuple(Button(**button) for button in message["buttons"])
        parts = tuple(message.get("parts", ()))
        turn.say(message["key"], text=message["text"], buttons=buttons, parts=parts)


def _may_ask_knowledge(turn: Turn) -> bool:
    """Whether the message may be sent to the knowledge port as a question.

    While a sensitive value is awaited, the message may be that value with a typing error, so it is not sent. A turn
    asks the port at most once.
    """
    task = awaited_task(turn)
    ref = find_slot(turn, task.slot) if isinstance(task, CollectTask) else None
    awaits_sensitive = ref is not None and ref.slot.hides_values
    text = redacted_user_text(turn).strip()
    is_text = turn.event["kind"] == "message" and bool(text) and not text.startswith("@")
    return is_text and not awaits_sensitive and not turn.record.lookups


async def cannot_handle(turn: Turn, command: CannotHandle) -> None:
    """Say that the message was not understood, unless the knowledge has an answer.

    An open question which flow is meant is withdrawn.
    """
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
