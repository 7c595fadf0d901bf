"""Pending tasks: what the conversation awaits, and the message that asks for it."""

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
    WaitTask,
    is_for_user,
)
from dialogue.engine.slots.candidates import display_slot
from dialogue.engine.slots.display import display_or_redact
from dialogue.engine.slots.values import format_value
from dialogue.engine.stack import choices, stack
from dialogue.engine.stack.choice_answers import offered_candidates
from dialogue.engine.stack.computed_settings import computed_gate, gate_summary, gate_title
from dialogue.engine.stack.filling.record_fields import asked_slot
from dialogue.engine.stack.handoff import CONVERSATION_NODE, conversation_task_key, handoff_frame
from dialogue.engine.stack.loops.rounds import item_position
from dialogue.engine.stack.message_content import MessageContent, message_content
from dialogue.engine.stack.slot_access import (
    SlotRef,
    frame_slot,
    render_template,
    resolve_name,
    slot_title,
    value_of,
)
from dialogue.engine.stack.state import Frame, Offer, Wait, wait_key
from dialogue.engine.stack.timers import ends_at
from dialogue.engine.stack.turn import Turn
from dialogue.engine.stack.unknown_outcomes import staff_question

NONE_OF_THESE = "none"
ACKNOWLEDGE_VALUE = "ok"
YES_NO_OFFERS = ("restart", "correction")
_BOOLEAN = Slot.model_validate({"type": "boolean"})
_OFFER_KEYS = {
    "clarify": "clarify",
    "resume": "offer_resume",
    "change": "ask_change",
    "restart": "confirm_restart",
    "correction": "offer_change",
}


def awaited_task(turn: Turn) -> PendingTask | None:
    """Return what the conversation waits for: a person in the chat, an open offer, or what the top frame awaits."""
    if "handoff" in turn.memory:
        return _handoff_task(turn)
    if "offer" in turn.memory:
        return _offer_task(turn, turn.memory["offer"])
    return frame_task(turn, turn.top) if turn.top else None


def awaited_task_key(turn: Turn) -> str:
    """Return the key of the awaited task, or "". It does not render the task, which is slower."""
    # A handoff goes before an offer, and an offer before the top frame, as in `awaited_task`.
    handoff, offer = turn.memory.get("handoff"), turn.memory.get("offer")
    frame = handoff_frame(turn) if handoff else turn.top
    if handoff is not None and frame is None:
        return conversation_task_key("handoff", handoff["visit"])
    if offer is not None and handoff is None:
        return conversation_task_key(offer["kind"], offer["visit"])
    wait = frame.get("wait") if frame else None
    return wait_key(frame, wait) if frame and wait else ""


def user_task_key(turn: Turn) -> str:
    """Return the key of the task that the user is asked to answer, or ""."""
    top = turn.top
    for_staff = "handoff" in turn.memory or (
        "offer" not in turn.memory and top is not None and top.get("wait", {}).get("kind") in ("human", "wait")
    )
    return "" if for_staff else awaited_task_key(turn)


def user_task(turn: Turn) -> PendingTask | None:
    """Return the awaited task if the user is asked to answer it, or None."""
    task = awaited_task(turn)
    return task if is_for_user(task) else None


def record_open_tasks(turn: Turn) -> None:
    """Record every open task, and the one that the conversation waits for."""
    turn.record.open_tasks = open_tasks(turn)
    key = awaited_task_key(turn)
    turn.record.awaited_task = next((task for task in turn.record.open_tasks if task.key == key), None)


def open_tasks(turn: Turn) -> tuple[PendingTask, ...]:
    """Return every open task: of the conversation, and of each frame."""
    handoff_tasks = [_handoff_task(turn)] if "handoff" in turn.memory and handoff_frame(turn) is None else []
    offer_tasks = [_offer_task(turn, turn.memory["offer"])] if "offer" in turn.memory else []
    frame_tasks = [task for frame in turn.frames if (task := frame_task(turn, frame)) is not None]
    return (*handoff_tasks, *offer_tasks, *frame_tasks)


def frame_task(turn: Turn, frame: Frame) -> PendingTask | None:
    """Return what this frame awaits, or None."""
    wait = frame.get("wait")
    return _TASK_BUILDERS[wait["kind"]](turn, frame, wait) if wait else None


def frame_task_kind(frame: Frame) -> str:
    """Return the kind of the task that this frame awaits, or "". It does not render the task, which is slower."""
    kind = frame["wait"]["kind"] if "wait" in frame else ""
    return OfferTask.kind if kind == "change" else kind


def _task_fields(turn: Turn, frame: Frame, wait: Wait, **more: Any) -> dict[str, Any]:
    position = {"frame": frame["id"], "flow": frame["flow"], "step": wait["step"], "visit": wait["visit"]}
    flow = turn.flow_of(frame)
    metadata = dict(flow.step(wait["step"]).metadata)
    entry = item_position(turn, frame) if flow.has_rounds else {}
    return {**position, "title": flow.title.in_language(turn.language), "metadata": metadata, **entry, **more}


def _collect_task(turn: Turn, frame: Frame, wait: Wait) -> PendingTask:
    step = turn.flow_of(frame).step(wait["step"])
    assert isinstance(step, Collect)
    ref = asked_slot(turn, frame, step)
    assert ref is not None
    if ref.slot.options_from is not None and not step.buttons:
        return _choice_task(turn, frame, wait, step, ref)
    question = _question(turn, frame, step, ref)
    step_choices = _collect_choices(turn, step, ref.slot)
    prompt = {"message": question.text, "parts": question.parts, "slot": ref.name, "choices": step_choices}
    return CollectTask(**_task_fields(turn, frame, wait, **prompt))


def _choice_task(turn: Turn, frame: Frame, wait: Wait, step: Collect, ref: SlotRef) -> CollectTask:
    """Ask for one of the options that the data gives, a page at a time."""
    candidates = choices.known_candidates(turn, frame, ref.slot) or ()
    match offered_candidates(candidates, wait):
        case (only,) if wait.get("single"):
            confirm_text = turn.response_text(
                f"confirm_option:{ref.name}", value=only.label, slot=slot_title(turn, ref)
            )
            question = MessageContent(confirm_text)
        case _ if "matches" in wait:
            question = MessageContent(turn.response_text(f"which_option:{ref.name}", slot=slot_title(turn, ref)))
        case _:
            question = _question(turn, frame, step, ref)
    if wait.get("single"):
        yes, no = _yes_no(turn)
        buttons: tuple[Choice, ...] = (Choice(YES, yes), Choice(NO, no))
    else:
        buttons = choices.page_choices(turn, ref.slot, candidates, wait)
    prompt = {"message": question.text, "parts": question.parts, "slot": step.slot, "choices": buttons}
    return CollectTask(**_task_fields(turn, frame, wait, **prompt))


def _question(turn: Turn, frame: Frame, step: Collect, ref: SlotRef) -> MessageContent:
    """Return the question for the slot; what the step shows besides is not repeated for single fields of a record."""
    text = _question_text(turn, frame, step, ref)
    return MessageContent(text) if ref.whole else message_content(turn, frame, step, text)


def _question_text(turn: Turn, frame: Frame, step: Collect, ref: SlotRef) -> str:
    # The step's own question is for the whole record, not for the field that it still needs.
    prompt = ref.slot.prompt if ref.whole else step.message or ref.slot.prompt
    if prompt:
        return render_template(turn, frame, prompt)
    description = ref.slot.description.in_language(turn.language) if ref.slot.description else slot_title(turn, ref)
    return turn.response_text("ask", slot=description)


def _collect_choices(turn: Turn, step: Collect, slot: Slot) -> tuple[Choice, ...]:
    if step.buttons and slot.name == step.slot:
        return tuple(Choice(option.value, _button_label(turn, slot, option)) for option in step.buttons)
    if slot.type == "boolean":
        return tuple(Choice(value, _value_text(turn, slot, flag)) for value, flag in ((YES, True), (NO, False)))
    return tuple(Choice(option.value, option.label.in_language(turn.language)) for option in slot.options)


def _button_label(turn: Turn, slot: Slot, button: Option) -> str:
    """Return the button's own label, or else the one of the slot's option."""
    option = slot.option(button.value)
    label = button.label if button.label != button.value or option is None else option.label
    return label.in_language(turn.language)


def _value_text(turn: Turn, slot: Slot, value: Any) -> str:
    return format_value(slot, value, language=turn.language, timezone=turn.context.timezone)


def _confirm_task(turn: Turn, frame: Frame, wait: Wait) -> PendingTask:
    step = turn.flow_of(frame).step(wait["step"])
    assert isinstance(step, Confirm)
    # A name in a list function may be a field of its entries, and is no value of the frame.
    named = ((name, resolve_name(turn, frame, name)) for name in sorted(step.displayed_names))
    values = {name: resolved[1] for name, resolved in named if resolved is not None}
    content = message_content(turn, frame, step, render_template(turn, frame, step.message))
    yes, no = _yes_no(turn)
    choices: tuple[Choice, ...] = (Choice(YES, yes), Choice(NO, no))
    if step.options:
        choices = tuple(Choice(option.value, option.label.in_language(turn.language)) for option in step.options)
    prompt = {"message": content.text, "parts": content.parts, "choices": choices}
    return ConfirmTask(**_task_fields(turn, frame, wait, **prompt), shown=values, digest=digest(values))


def _yes_no(turn: Turn) -> tuple[str, str]:
    return _value_text(turn, _BOOLEAN, True).capitalize(), _value_text(turn, _BOOLEAN, False).capitalize()


def _inform_task(turn: Turn, frame: Frame, wait: Wait) -> PendingTask:
    step = turn.flow_of(frame).step(wait["step"])
    assert isinstance(step, Say)
    labels = [option.in_language(turn.language) for option in step.options] or ["OK"]
    choices = tuple(Choice(ACKNOWLEDGE_VALUE if len(labels) == 1 else label, label) for label in labels)
    content = message_content(turn, frame, step, render_template(turn, frame, step.message))
    return InformTask(**_task_fields(turn, frame, wait, message=content.text, parts=content.parts, choices=choices))


def _change_task(turn: Turn, frame: Frame, wait: Wait) -> PendingTask:
    return OfferTask(**_task_fields(turn, frame, wait, message=turn.response_text("ask_change"), offer="change"))


def _human_task(turn: Turn, frame: Frame, wait: Wait) -> PendingTask:
    step = staff_question(turn.assistant, turn.flow_of(frame).step(wait["step"]))
    assert step is not None
    values = {name: value_of(turn, frame, name) for name in step.show}
    bound_values = {name: value_of(turn, frame, name) for name in step.bind}
    text = render_template(turn, frame, step.message) if step.message else wait.get("error", "")
    texts: dict[str, Any] = {"title": gate_title(turn, frame, step), "message": text}
    return HumanTask(
        **{**_task_fields(turn, frame, wait), **texts},
        shown=values,
        digest=digest(bound_values),
        form_options=choices.form_options(turn, frame, step),
        computed=computed_gate(turn, frame, step),
        summary=gate_summary(turn, frame, step) if step.summary else "",
    )


def _wait_task(turn: Turn, frame: Frame, wait: Wait) -> PendingTask:
    return WaitTask(**_task_fields(turn, frame, wait, event=wait.get("event", ""), until=ends_at(wait)))


def _handoff_step_task(turn: Turn, frame: Frame, wait: Wait) -> PendingTask:
    step = turn.flow_of(frame).step(wait["step"])
    return HandoffTask(**_task_fields(turn, frame, wait, queue=getattr(step, "queue", None) or ""))


def _handoff_task(turn: Turn) -> PendingTask:
    frame = handoff_frame(turn)
    if frame is not None:
        return _handoff_step_task(turn, frame, frame["wait"])
    handoff = turn.memory["handoff"]
    title = turn.flow_title(handoff["flow"]) if handoff["flow"] else turn.assistant.title.in_language(turn.language)
    position = {"frame": CONVERSATION_NODE, "flow": handoff["flow"], "step": "handoff", "visit": handoff["visit"]}
    return HandoffTask(**position, title=title, reason=handoff["reason"])  # type: ignore[arg-type]


def _offer_task(turn: Turn, offer: Offer) -> PendingTask:
    position: dict[str, Any] = {"frame": CONVERSATION_NODE, "flow": "", "step": offer["kind"], "visit": offer["visit"]}
    title = turn.assistant.title.in_language(turn.language)
    if offer["kind"] == "correction":
        return _correction_task(turn, offer, position, title)
    text = turn.response_text(_OFFER_KEYS[offer["kind"]], flows=", ".join(map(turn.flow_title, offer["flows"])))
    return OfferTask(**position, title=title, message=text, offer=offer["kind"], choices=_offer_choices(turn, offer))


def _correction_task(turn: Turn, offer: Offer, position: dict[str, Any], title: str) -> PendingTask:
    """Ask whether this value should replace the one that staff are looking at."""
    frame = stack.find_frame(turn.frames, offer["frame"])
    ref = frame_slot(turn, frame, offer["slot"]) if frame is not None else None
    value_text, slot_name = "", offer["slot"]
    if ref is not None:
        slot = _labelled_slot(turn, frame, ref.slot, offer["value"])
        value_text = display_or_redact(slot, offer["value"], language=turn.language, timezone=turn.context.timezone)
        slot_name = slot_title(turn, ref)
    text = turn.response_text("offer_change", slot=slot_name, value=value_text)
    return OfferTask(
        **position,
        title=title,
        message=text,
        offer="correction",
        choices=_offer_choices(turn, offer),
        slot=offer["slot"],
    )


def _labelled_slot(turn: Turn, frame: Frame | None, slot: Slot, value: Any) -> Slot:
    """Return the slot as it displays a value that is not stored yet, with the labels of options from data."""
    if frame is None or slot.options_from is None:
        return slot
    values = value if isinstance(value, list) else [value]
    known = choices.known_candidates(turn, frame, slot) or ()
    return display_slot(slot, {option.key: option.label for option in known if option.value in values})


def _offer_choices(turn: Turn, offer: Offer) -> tuple[Choice, ...]:
    if offer["kind"] in YES_NO_OFFERS:
        yes, no = _yes_no(turn)
        # These values differ from those of a confirm, so that a late click does not answer a confirm asked since.
        return (Choice(f"{offer['kind']}:{YES}", yes), Choice(f"{offer['kind']}:{NO}", no))
    none = turn.response_text("none_of_these")
    return (*(Choice(flow, turn.flow_title(flow)) for flow in offer["flows"]), Choice(NONE_OF_THESE, none))


_TASK_BUILDERS = {
    "collect": _collect_task,
    "confirm": _confirm_task,
    "inform": _inform_task,
    "change": _change_task,
    "human": _human_task,
    "handoff": _handoff_step_task,
    "wait": _wait_task,
}


def say_prompt(turn: Turn) -> None:
    """Say the prompt of the awaited task, if the user is asked to answer it. It is the last message of a turn."""
    task = turn.record.awaited_task
    if not is_for_user(task):
        return
    key, about = prompt_key(task)
    choices = getattr(task, "choices", ())
    buttons = tuple(Button(choice.value, choice.label) for choice in choices)
    turn.say(key, about=about, text=task.message, buttons=buttons, parts=task.parts)
    turn.prompt = turn.record.messages[-1]


def prompt_key(task: PendingTask) -> tuple[str, str]:
    """Return the key of the message that asks for the task, and what follows its colon ("ask", "amount")."""
    match task:
        case CollectTask():
            return "ask", task.slot
        case ConfirmTask():
            return "confirm", task.flow
        case InformTask():
            return "say", task.step
        case OfferTask():
            return _OFFER_KEYS[task.offer], task.slot
        case HumanTask() | HandoffTask() | WaitTask():
            return "waiting", task.step


def paused_flows(turn: Turn) -> list[str]:
    """Return the names of the paused flows, newest first."""
    flows = [root["flow"] for root in reversed(stack.root_frames(turn.frames)) if is_paused(turn, root)]
    return list(dict.fromkeys(flows))


def is_paused(turn: Turn, root: Frame) -> bool:
    """Whether the root's chain is paused."""
    return stack.chain_of(turn.frames, root)[-1]["status"] == "paused"
