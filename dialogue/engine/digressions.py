"""Digressions: answered beside the flow, without touching slots or stack. What was asked is then asked again."""

from typing import Any

from dialogue.engine import stack
from dialogue.engine.commands import CannotHandle, Chitchat, Digress, Repeat, handles
from dialogue.engine.display import shown_or_masked
from dialogue.engine.filling import title_of
from dialogue.engine.flow_commands import withdraw
from dialogue.engine.knowledge import AssistantHelp, AssistantKnowledge
from dialogue.engine.offers import offered
from dialogue.engine.prompts import asked_of_user, task_of
from dialogue.engine.sinks import Button
from dialogue.engine.slot_access import Place, find_place, place_in
from dialogue.engine.state import Frame
from dialogue.engine.tasks import CollectTask, is_for_staff
from dialogue.engine.turn import Turn


@handles(Digress)
def digress(turn: Turn, command: Digress) -> None:
    """Answer by the kind of the question."""
    turn.heard = True
    match command.kind:
        case "question":
            _answer_question(turn, command.topic)
        case "clarification":
            _explain(turn, command.topic)
        case "help":
            say_help(turn)
        case "status":
            say_status(turn)


def _answer_question(turn: Turn, topic: str) -> None:
    knowledge = turn.context.knowledge or AssistantKnowledge(turn.assistant)
    answer = knowledge.answer(topic, turn.language)
    if answer is None:
        return turn.say("no_answer")
    turn.say("answer", about=topic, answer=answer)


def _explain(turn: Turn, topic: str) -> None:
    task = asked_of_user(turn)
    name = topic or (task.slot if isinstance(task, CollectTask) else "")
    place = find_place(turn, name) if name else None
    if place is None:
        return say_help(turn)
    description = place.slot.description.into(turn.language) if place.slot.description else None
    turn.say("explain", about=place.name, slot=title_of(place), description=description or title_of(place))


def say_help(turn: Turn) -> None:
    """Say what the assistant can do."""
    helper = turn.context.helper or AssistantHelp(turn.assistant)
    turn.say("help", flows=helper.help(turn.language))


def say_status(turn: Turn) -> None:
    """Say what is running, what is known, and what is waited for."""
    if not turn.frames:
        return turn.say("status", text=turn.words("status_idle"))
    lines = [_state_of(turn, root) for root in reversed(stack.roots(turn.frames))]
    turn.say("status", text=" ".join(lines))


def _state_of(turn: Turn, root: Frame) -> str:
    frame = stack.chain_of(turn.frames, root)[-1]
    waits = is_for_staff(task_of(turn, frame))
    known = ", ".join(_known(turn, root)) or "–"
    return turn.words("status_waiting" if waits else "status", flow=turn.flow_title(root["flow"]), values=known)


def _known(turn: Turn, frame: Frame) -> list[str]:
    found = ((name, place_in(turn, frame, name)) for name in frame["slots"])
    shown = ((place, _shown(turn, place, frame["slots"][name]["value"])) for name, place in found if place)
    return [f"{title_of(place)}: {text}" for place, text in shown if text]


def _shown(turn: Turn, place: Place, value: Any) -> str:
    return shown_or_masked(place.slot, value, language=turn.language, timezone=turn.context.timezone)


@handles(Chitchat)
def chitchat(turn: Turn, command: Chitchat) -> None:
    """Small talk."""
    turn.heard = True
    turn.say("chitchat")


@handles(Repeat)
def repeat(turn: Turn, command: Repeat) -> None:
    """The last bot messages again; what is asked for comes last by itself."""
    turn.heard = True
    for said in turn.memory["said"]:
        buttons = tuple(Button(**each) for each in said["buttons"])
        turn.say(said["key"], text=said["text"], buttons=buttons)


@handles(CannotHandle)
def cannot_handle(turn: Turn, command: CannotHandle) -> None:
    """Not understood; the question which flow is meant is withdrawn by it."""
    turn.missed = turn.heard = True
    if offered(turn) == "clarify":
        return withdraw(turn)
    turn.say("cannot_handle")
