"""What is awaited, as tasks, and the messages that ask for it."""

from typing import Any

from dialogue.engine.language.compiler import Collect, Confirm, Option, Say, Slot
from dialogue.engine.language.steps import NO, YES
from dialogue.engine.ports.hitl import digest
from dialogue.engine.ports.sinks import Button
from dialogue.engine.ports.tasks import (
    Choice,
    CollectTask,
    ConfirmTask,
    HandoffTask,
    HumanTask,
    InformTask,
    OfferTask,
    PendingTask,
    is_for_staff,
)
from dialogue.engine.slots.display import display_or_redact
from dialogue.engine.slots.values import format_value
from dialogue.engine.stack import stack
from dialogue.engine.stack.handoff import CONVERSATION_NODE, handoff_frame
from dialogue.engine.stack.slot_access import frame_slot, render_template, value_of
from dialogue.engine.stack.state import Frame, Offer, Wait, wait_key
from dialogue.engine.stack.turn import Turn
from dialogue.engine.stack.unknown_outcomes import staff_question

NONE_OF_THESE = "none"
ACKNOWLEDGE_VALUE = "ok"
YES_NO_OFFERS = ("restart", "correction")
_EITHER = Slot.model_validate({"type": "boolean"})
_OFFER_KEYS = {
    "clarify": "clarify",
    "resume": "offer_resume",
    "change": "ask_change",
    "restart": "confirm_restart",
    "correction": "offer_change",
}


def awaited_task(turn: Turn) -> PendingTask | None:
    """What the conversation waits for: a person in the chat, an open offer, or what the top frame awaits."""
    if "handoff" in turn.memory:
        return _handoff_task(turn)
    if "offer" in turn.memory:
        return _offer_task(turn, turn.memory["offer"])
    return frame_task(turn, turn.top) if turn.top else None


def awaited_task_key(turn: Turn) -> str:
    """The key of the awaited task, or ""."""
    taken, offer = turn.memory.get("handoff"), turn.memory.get("offer")
    handing = handoff_frame(turn) if taken else turn.top
    if taken is not None and handing is None:
        return f"{CONVERSATION_NODE}/handoff/{taken['visit']}"
    if offer is not None and taken is None:
        return f"{CONVERSATION_NODE}/{offer['kind']}/{offer['visit']}"
    wait = handing.get("wait") if handing else None
    return wait_key(handing, wait) if handing and wait else ""


def user_task_key(turn: Turn) -> str:
    """The key of the task that the user is to answer, or ""."""
    top = turn.top
    for_staff = "handoff" in turn.memory or (
        "offer" not in turn.memory and top is not None and top.get("wait", {}).get("kind") == "human"
    )
    return "" if for_staff else awaited_task_key(turn)


def user_task(turn: Turn) -> PendingTask | None:
    """The awaited task, if the user is to answer it."""
    task = awaited_task(turn)
    return None if is_for_staff(task) else task


def record_open_tasks(turn: Turn) -> None:
    """Let the turn know every open task, and the one among them that the conversation waits for."""
    turn.record.open_tasks = open_tasks(turn)
    key = awaited_task_key(turn)
    turn.record.awaited_task = next((each for each in turn.record.open_tasks if each.key == key), None)


def open_tasks(turn: Turn) -> tuple[PendingTask, ...]:
    """Every open pause: of the conversation, and of every frame."""
    taken = [_handoff_task(turn)] if "handoff" in turn.memory and handoff_frame(turn) is None else []
    offered = [_offer_task(turn, turn.memory["offer"])] if "offer" in turn.memory else []
    waiting = [task for frame in turn.frames if (task := frame_task(turn, frame)) is not None]
    return (*taken, *offered, *waiting)


def frame_task(turn: Turn, frame: Frame) -> PendingTask | None:
    """What this frame awaits."""
    wait = frame.get("wait")
    return _MADE[wait["kind"]](turn, frame, wait) if wait else None


def _common(turn: Turn, frame: Frame, wait: Wait, **more: Any) -> dict[str, Any]:
    place = {"frame": frame["id"], "flow": frame["flow"], "step": wait["step"], "visit": wait["visit"]}
    metadata = dict(turn.flow_of(frame).step(wait["step"]).metadata)
    return {**place, "title": turn.flow_title(frame["flow"]), "metadata": metadata, **more}


def _collect(turn: Turn, frame: Frame, wait: Wait) -> PendingTask:
    step = turn.flow_of(frame).step(wait["step"])
    assert isinstance(step, Collect)
    place = frame_slot(turn, frame, step.slot)
    assert place is not None
    asked = step.message or place.slot.prompt
    what = place.slot.description.in_language(turn.language) if place.slot.description else step.slot.replace("_", " ")
    text = render_template(turn, frame, asked) if asked else turn.response_text("ask", slot=what)
    return CollectTask(
        **_common(turn, frame, wait, message=text, slot=step.slot, choices=_choices(turn, step, place.slot))
    )


def _choices(turn: Turn, step: Collect, slot: Slot) -> tuple[Choice, ...]:
    if step.buttons:
        return tuple(Choice(each.value, _button_label(turn, slot, each)) for each in step.buttons)
    if slot.type == "boolean":
        return tuple(Choice(value, _shown(turn, slot, flag)) for value, flag in ((YES, True), (NO, False)))
    return tuple(Choice(each.value, each.label.in_language(turn.language)) for each in slot.options)


def _button_label(turn: Turn, slot: Slot, button: Option) -> str:
    """A choice's option has a label already; the button's own goes before it."""
    option = slot.option(button.value)
    named = button.label if button.label != button.value or option is None else option.label
    return named.in_language(turn.language)


def _shown(turn: Turn, slot: Slot, value: Any) -> str:
    return format_value(slot, value, language=turn.language, timezone=turn.context.timezone)


def _confirm(turn: Turn, frame: Frame, wait: Wait) -> PendingTask:
    step = turn.flow_of(frame).step(wait["step"])
    assert isinstance(step, Confirm)
    shown = {name: value_of(turn, frame, name) for name in sorted(step.message.names)}
    text = render_template(turn, frame, step.message)
    yes, no = _yes_no(turn)
    choices: tuple[Choice, ...] = (Choice(YES, yes), Choice(NO, no))
    if step.options:
        choices = tuple(Choice(each.value, each.label.in_language(turn.language)) for each in step.options)
    return ConfirmTask(**_common(turn, frame, wait, message=text, choices=choices, shown=shown, digest=digest(shown)))


def _yes_no(turn: Turn) -> tuple[str, str]:
    return _shown(turn, _EITHER, True).capitalize(), _shown(turn, _EITHER, False).capitalize()


def _inform(turn: Turn, frame: Frame, wait: Wait) -> PendingTask:
    step = turn.flow_of(frame).step(wait["step"])
    assert isinstance(step, Say)
    labels = [each.in_language(turn.language) for each in step.options] or ["OK"]
    choices = tuple(Choice(ACKNOWLEDGE_VALUE if len(labels) == 1 else label, label) for label in labels)
    return InformTask(**_common(turn, frame, wait, message=render_template(turn, frame, step.message), choices=choices))


def _change(turn: Turn, frame: Frame, wait: Wait) -> PendingTask:
    return OfferTask(**_common(turn, frame, wait, message=turn.response_text("ask_change"), offer="change"))


def _human(turn: Turn, frame: Frame, wait: Wait) -> PendingTask:
    step = staff_question(turn.assistant, turn.flow_of(frame).step(wait["step"]))
    assert step is not None
    shown = {name: value_of(turn, frame, name) for name in step.show}
    bound = {name: value_of(turn, frame, name) for name in step.bind}
    text = render_template(turn, frame, step.message) if step.message else wait.get("error", "")
    titled = {"title": step.title.in_language(turn.language), "message": text}
    return HumanTask(**{**_common(turn, frame, wait), **titled}, shown=shown, digest=digest(bound))


def _handoff_wait(turn: Turn, frame: Frame, wait: Wait) -> PendingTask:
    step = turn.flow_of(frame).step(wait["step"])
    return HandoffTask(**_common(turn, frame, wait, queue=getattr(step, "queue", None) or ""))


def _handoff_task(turn: Turn) -> PendingTask:
    frame = handoff_frame(turn)
    if frame is not None:
        return _handoff_wait(turn, frame, frame["wait"])
    taken = turn.memory["handoff"]
    title = turn.flow_title(taken["flow"]) if taken["flow"] else turn.assistant.title.in_language(turn.language)
    place = {"frame": CONVERSATION_NODE, "flow": taken["flow"], "step": "handoff", "visit": taken["visit"]}
    return HandoffTask(**place, title=title, reason=taken["reason"])  # type: ignore[arg-type]


def _offer_task(turn: Turn, offer: Offer) -> PendingTask:
    place: dict[str, Any] = {"frame": CONVERSATION_NODE, "flow": "", "step": offer["kind"], "visit": offer["visit"]}
    title = turn.assistant.title.in_language(turn.language)
    if offer["kind"] == "correction":
        return _correction_task(turn, offer, place, title)
    text = turn.response_text(_OFFER_KEYS[offer["kind"]], flows=_listed(turn, offer["flows"]))
    return OfferTask(**place, title=title, message=text, offer=offer["kind"], choices=_offered(turn, offer))


def _correction_task(turn: Turn, offer: Offer, place: dict[str, Any], title: str) -> PendingTask:
    """Shall this value take the place of the one that staff are looking at?"""
    frame = next((each for each in turn.frames if each["id"] == offer["frame"]), None)
    found = frame_slot(turn, frame, offer["slot"]) if frame is not None else None
    shown = (
        display_or_redact(found.slot, offer["value"], language=turn.language, timezone=turn.context.timezone)
        if found
        else ""
    )
    text = turn.response_text("offer_change", slot=offer["slot"].replace("_", " "), value=shown)
    return OfferTask(
        **place, title=title, message=text, offer="correction", choices=_offered(turn, offer), slot=offer["slot"]
    )


def _offered(turn: Turn, offer: Offer) -> tuple[Choice, ...]:
    if offer["kind"] in YES_NO_OFFERS:
        yes, no = _yes_no(turn)
        # Values of their own: a late click must not be taken for the answer to a confirm that has come instead.
        return (Choice(f"{offer['kind']}:{YES}", yes), Choice(f"{offer['kind']}:{NO}", no))
    none = turn.response_text("none_of_these")
    return (*(Choice(flow, turn.flow_title(flow)) for flow in offer["flows"]), Choice(NONE_OF_THESE, none))


def _listed(turn: Turn, flows: list[str]) -> str:
    return ", ".join(map(turn.flow_title, flows))


_MADE = {
    "collect": _collect,
    "confirm": _confirm,
    "inform": _inform,
    "change": _change,
    "human": _human,
    "handoff": _handoff_wait,
}


def say_prompt(turn: Turn) -> None:
    """Say what the user is asked for, once and last."""
    task = turn.record.awaited_task
    if task is None or is_for_staff(task):
        return
    key, about = prompt_key(task)
    choices = getattr(task, "choices", ())
    buttons = tuple(Button(each.value, each.label) for each in choices)
    turn.say(key, about=about, text=task.message, buttons=buttons)
    turn.prompt = turn.record.messages[-1]


def prompt_key(task: PendingTask) -> tuple[str, str]:
    """The key of the message that asks for this, and what follows its colon."""
    match task:
        case CollectTask():
            return "ask", task.slot
        case ConfirmTask():
            return "confirm", task.flow
        case InformTask():
            return "say", task.step
        case OfferTask():
            return _OFFER_KEYS[task.offer], task.slot
        case HumanTask() | HandoffTask():
            return "waiting", task.step


def paused_flows(turn: Turn) -> list[str]:
    """The paused flows, newest first."""
    return [each["flow"] for each in reversed(stack.root_frames(turn.frames)) if is_paused(turn, each)]


def is_paused(turn: Turn, root: Frame) -> bool:
    """Whether the root's chain was interrupted."""
    return stack.chain_of(turn.frames, root)[-1]["status"] == "paused"
