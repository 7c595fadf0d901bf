"""SGD's 300 dialogues from their first to their last turn: our commands move our own state, and nothing mends it.

What the system does is known to a system: it asks for a slot, confirms values, offers some, offers a flow, asks whether
there is more. What it offered or confirmed is taken over when the user agrees, as a flow's outputs would be.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.nlu.data import rows
from bench.nlu.figures import share_line
from bench.nlu.sgd_flows import NO_VALUE, NOW, closed_slots, flow_name, services_of
from bench.nlu.sgd_metric import joint_goal
from dialogue.engine.language.compiler import Assistant
from dialogue.engine.ports.commands import (
    Affirm,
    CancelFlow,
    Chitchat,
    ClearSlot,
    Command,
    CorrectSlot,
    Deny,
    SetSlot,
    SkipSlot,
    StartFlow,
)
from dialogue.engine.ports.tasks import Choice, CollectTask, ConfirmTask, OfferTask, PendingTask
from dialogue.engine.slots.models import Slot
from dialogue.engine.understanding import NLUContext, StackEntry
from dialogue.nlu import NLUPipeline

MORE = Slot.model_validate({"type": "boolean", "prompt": "Anything else?"})
SPOKEN = 4


@dataclass
class Tracked:
    """Our state of one dialogue: the flow that runs, the last one and the values of each service.

    `proposed` are the values that the system has put forward, by slot.
    """

    flow: str = ""
    active: dict[str, str] = field(default_factory=dict)
    slots: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    proposed: dict[str, str] = field(default_factory=dict)
    offered: str = ""
    said: list[tuple[str, str]] = field(default_factory=list)


def tracking(nlu: NLUPipeline, assistant: Assistant, folder: Path, name: str) -> Iterator[str]:
    """Active intent of each frame's service, from the reference's state before the turn and from ours; joint goals."""
    known, own = (_scored(nlu, assistant, folder, own=each) for each in (False, True))
    title = f"{name}: active intent after a turn"
    yield share_line(f"{title}, the state before it known", known.intents, known.frames, 90)
    yield share_line(f"{title}, own state", own.intents, own.frames)
    yield f"{f'{name}: joint goal accuracy, own state':62}{100 * own.goals / own.frames:7.2f} %  of {own.frames}"


def _scored(nlu: NLUPipeline, assistant: Assistant, folder: Path, *, own: bool) -> "_Scores":
    scores = _Scores()
    for dialogue in rows(folder / "dev_300.jsonl"):
        _tracked(nlu, assistant, dialogue, scores, folder, own=own)
    return scores


@dataclass
class _Scores:
    frames: int = 0
    intents: int = 0
    goals: float = 0.0


def _tracked(
    nlu: NLUPipeline, assistant: Assistant, dialogue: Mapping[str, Any], scores: _Scores, folder: Path, *, own: bool
) -> None:
    state, closed, services = Tracked(), closed_slots(folder), services_of(folder)
    for turn in dialogue["turns"]:
        _heard(turn, state, services)
        asyncio.run(_understood(nlu, assistant, turn, state, services))
        for frame in turn["frames"]:
            scores.frames += 1
            scores.intents += _is_active(frame, state)
            scores.goals += joint_goal(frame["slot_values"], state.slots[frame["service"]], closed[frame["service"]])
        if not own:
            _mended(turn, state)


def _mended(turn: Mapping[str, Any], state: Tracked) -> None:
    """As the reference says that it stands."""
    frames = turn["frames"]
    right = next((frame for frame in frames if _wanted(frame) == state.flow), frames[0])
    state.flow = _wanted(right)
    for frame in frames:
        state.active[frame["service"]] = _wanted(frame)
        state.slots[frame["service"]] = {slot: values[0] for slot, values in frame["slot_values"].items()}


def _wanted(frame: Mapping[str, Any]) -> str:
    return "" if frame["active_intent"] == "NONE" else flow_name(frame["service"], frame["active_intent"])


def _is_active(frame: Mapping[str, Any], state: Tracked) -> bool:
    return _wanted(frame) == state.active.get(frame["service"], "")


def _acts(turn: Mapping[str, Any]) -> Iterator[tuple[str, str, str, list[str]]]:
    for each in turn["system_acts"]:
        for act, slot, values in each["acts"]:
            yield each["service"], act, slot, values


def _heard(turn: Mapping[str, Any], state: Tracked, services: Mapping[str, str]) -> None:
    """What the system has said: values put forward, a flow offered."""
    state.proposed = {slot: values[0] for _, act, slot, values in _acts(turn) if act in ("OFFER", "CONFIRM") and values}
    flows = [flow_name(service, values[0]) for service, act, _, values in _acts(turn) if act == "OFFER_INTENT"]
    state.offered = flows[0] if flows and flows[0] in services else ""
    if turn["system"]:
        state.said.append(("assistant", turn["system"]))


async def _understood(
    nlu: NLUPipeline, assistant: Assistant, turn: Mapping[str, Any], state: Tracked, services: Mapping[str, str]
) -> None:
    context = _context(assistant, turn, state, services)
    commands = (await nlu.understand(turn["user"], context)).commands
    state.said.append(("user", turn["user"]))
    for command in commands:
        _apply(command, context, state, services, assistant)


def _context(assistant: Assistant, turn: Mapping[str, Any], state: Tracked, services: Mapping[str, str]) -> NLUContext:
    task, slot = _task(assistant, turn, state)
    held = state.slots[services.get(state.flow, "")]
    return NLUContext(
        awaited=task,
        awaited_slot=slot,
        explicit="",
        stack=(StackEntry(state.flow, "", "active", ""),) if state.flow else (),
        filled={f"{state.flow}.{name}": value for name, value in held.items()},
        flows=tuple(assistant.flows.values()),
        assistant=assistant,
        offer=(state.offered,) if state.offered else (),
        last_messages=tuple(state.said[-SPOKEN:]),
        language="en",
        timezone="UTC",
        now=NOW,
    )


def _task(assistant: Assistant, turn: Mapping[str, Any], state: Tracked) -> tuple[PendingTask | None, Slot | None]:
    acts = {act for _, act, _, _ in _acts(turn)}
    place: dict[str, Any] = {"frame": "1", "flow": state.flow, "visit": 1, "title": "", "message": turn["system"] or ""}
    asked = [slot for _, act, slot, _ in _acts(turn) if act == "REQUEST"]
    slot = assistant.slot(state.flow, asked[0]) if asked and state.flow else None
    if slot is not None:
        choices = tuple(Choice(option.value, str(option.label)) for option in slot.options)
        return CollectTask(step=f"ask_{slot.name}", slot=slot.name, choices=choices, **place), slot
    if state.offered:
        return OfferTask(step="offer", offer="clarify", choices=(Choice(state.offered, state.offered),), **place), None
    if "REQ_MORE" in acts:
        return CollectTask(step="more", slot="more", **place), MORE
    if acts & {"CONFIRM", "OFFER"}:
        return ConfirmTask(step="confirm", choices=(Choice("yes", "Yes"), Choice("no", "No")), **place), None
    return None, None


def _apply(
    command: Command, context: NLUContext, state: Tracked, services: Mapping[str, str], assistant: Assistant
) -> None:
    held = state.slots[services.get(state.flow, "")]
    match command:
        case StartFlow(flow):
            _start(flow, state, services, assistant)
        case SetSlot(slot, value) | CorrectSlot(slot, value):
            held[slot] = _spoken(assistant.slot(state.flow, slot), value, command.words)
        case ClearSlot(slot):
            held.pop(slot, None)
        case SkipSlot(slot):
            held[slot] = NO_VALUE
        case Affirm() | Deny() | Chitchat() | CancelFlow():
            _answer(command, context, state, services, assistant)
        case _:
            pass


def _answer(
    command: Command, context: NLUContext, state: Tracked, services: Mapping[str, str], assistant: Assistant
) -> None:
    """A yes or no to a flow that is offered, to a yes/no slot, to whether there is more, or to proposed values."""
    awaited, agreed = context.awaited_slot, isinstance(command, Affirm)
    if state.offered or awaited is MORE:
        if not agreed:
            state.active[services.get(state.flow, "")] = state.flow = ""
        if agreed and state.offered:
            _start(state.offered, state, services, assistant)
    elif awaited is not None and isinstance(command, Affirm | Deny):
        state.slots[services.get(state.flow, "")][awaited.name] = str(agreed)
    elif agreed:
        state.slots[services.get(state.flow, "")].update(_fitting(state, assistant))


def _start(flow: str, state: Tracked, services: Mapping[str, str], assistant: Assistant) -> None:
    """A flow of the service that has just offered something takes that over."""
    same = services.get(state.flow) == services[flow]
    state.active[services[flow]] = state.flow = flow
    if same:
        state.slots[services[flow]].update(_fitting(state, assistant))


def _fitting(state: Tracked, assistant: Assistant) -> dict[str, str]:
    return {slot: value for slot, value in state.proposed.items() if assistant.slot(state.flow, slot) is not None}


def _spoken(slot: Slot | None, value: Any, said: str) -> str:
    """As the reference writes values: options by their label, yes and no as True and False, the rest as it was said."""
    option = slot.option(value) if slot is not None else None
    if option is not None:
        return str(option.label)
    return str(value) if isinstance(value, bool | int) or not said else said
