"""What it would mean to go on with a conversation on another release: where it would stand, and what would be lost.

Pure: reads what the conversation remembers and two parsed assistants, and changes a copy.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dialogue.engine.language.compiler import AnyStep, Assistant, Flow, ForEach, Human
from dialogue.engine.slots.values import ValueRefused, value_from_any
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.stack.loops.rounds import compact_json

Plain = dict[str, Any]
StepMap = Mapping[str, str]
"""Old step → new step, as `flow.step` → step of the same flow; a step that is not named keeps its name."""


@dataclass
class Move:
    """One conversation on its way: what it would remember, what would be lost, and what forbids it."""

    memory: Plain
    lost: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class OpenGate:
    """A gate that is not decided: where it is asked, and the answers that people may give."""

    flow: str
    step: str
    actions: tuple[str, ...]


@dataclass(frozen=True)
class MovePlanner:
    """Knows the release that conversations come to, and where each step of the old one went."""

    new: Assistant
    steps: StepMap
    language: str
    now: Any

    def plan_move(self, memory: Plain, waits: list[OpenGate]) -> Move:
        """The memory after the move; `memory` is a copy that may be changed."""
        move = Move(memory)
        for frame in memory["frames"]:
            self._move_frame(frame, move)
        self._drop_unfit_slots(memory["slots"], self.new.slots, "", move)
        memory.pop("misses", None)  # attempts at the old step do not count at the new one
        for offered in memory.get("offer", {}).get("flows", ()):
            if offered not in self.new.flows:
                move.refusals.append(Phrase("the flow {flow} is offered, and is gone", flow=offered))
        for gate in waits:
            self._check_gate(gate, move)
        return move

    def step_after(self, flow: str, step: str) -> str:
        return self.steps.get(f"{flow}.{step}", step)

    def _move_frame(self, frame: Plain, move: Move) -> None:
        flow = self.new.flows.get(frame["flow"])
        if flow is None:
            move.refusals.append(Phrase("the flow {flow} is gone", flow=frame["flow"]))
            return
        self._move_position(frame, flow, move)
        self._move_past(frame, flow, move)
        self._drop_unfit_slots(frame["slots"], flow.readable_slots, f"{flow.flow}.", move)

    def _move_position(self, frame: Plain, flow: Flow, move: Move) -> None:
        """The step that the frame stands at, and what it awaits there."""
        name = flow.flow
        for position in (frame, frame.get("wait"), frame.get("caller")):
            if not position or not position.get("step"):
                continue
            owner = position["frame"].rpartition("-")[0] if "frame" in position else name
            position["step"] = self.step_after(owner, position["step"])
            if not self._has_step(owner, position["step"]):
                lost = f"{owner}.{position['step']}"
                move.refusals.append(Phrase("{step} is gone; map it to a step that is there", step=lost))
        wait = frame.get("wait")
        if wait and flow.has_step(wait["step"]) and not _step_awaits(flow.step(wait["step"]), wait["kind"]):
            text = Phrase("{step} does not await what the conversation waits for", step=f"{name}.{wait['step']}")
            move.refusals.append(text)

    def _has_step(self, flow: str, step: str) -> bool:
        target = self.new.flows.get(flow)
        return target is not None and target.has_step(step)

    def _move_past(self, frame: Plain, flow: Flow, move: Move) -> None:
        """What was done; a step that is gone is forgotten, and nothing goes back over it."""
        moved_path = []
        for entry in frame["path"]:
            entry["step"] = self.step_after(flow.flow, entry["step"])
            entry["to"] = self.step_after(flow.flow, entry["to"])
            if flow.has_step(entry["step"]):
                moved_path.append(entry)
            else:
                move.lost.append(Phrase("that {step} was done", step=f"{flow.flow}.{entry['step']}"))
        frame["path"] = moved_path
        for name in ("visits", "loops", "rounds", "results", "bound", "again"):
            if name in frame:
                renamed = {self.step_after(flow.flow, step): value for step, value in frame[name].items()}
                frame[name] = {step: value for step, value in renamed.items() if flow.has_step(step)}
                if name == "results":
                    lost = (f"{flow.flow}.{step}" for step in renamed if not flow.has_step(step))
                    move.lost += [Phrase("what {step} gave", step=step) for step in lost]
        for step in list(frame.get("rounds", {})):
            self._move_rounds(frame["rounds"], step, flow, move)

    def _move_rounds(self, loops: Plain, step: str, flow: Flow, move: Move) -> None:
        """The rounds of a loop that ended are kept as texts; what they did is moved like the path of the frame."""
        state, name = loops[step], f"{flow.flow}.{step}"
        if not isinstance(flow.step(step), ForEach):
            move.refusals.append(Phrase("{step} is no loop over a list", step=name))
            return
        for index, text in enumerate(state["rounds"]):
            if not text:
                continue
            stored = json.loads(text)
            moved: Plain = {"path": [], **stored}
            self._move_past(moved, flow, move)
            self._drop_unfit_slots(moved.get("slots", {}), flow.slots, f"{flow.flow}.", move)
            state["rounds"][index] = compact_json(moved)

    def _drop_unfit_slots(self, stored: Plain, new_slots: Mapping[str, Any], prefix: str, move: Move) -> None:
        for name in list(stored):
            slot, value = new_slots.get(name), stored[name]["value"]
            if slot is None or not self._fits_slot(slot, value):
                del stored[name]
                move.lost.append(Phrase("the value of {slot}", slot=f"{prefix}{name}"))

    def _fits_slot(self, slot: Any, value: Any) -> bool:
        if value is None:
            return True
        try:
            new_value = value_from_any(slot, value, now=self.now, timezone=self.new.timezone, language=self.language)
        except ValueRefused:
            return False
        return bool(new_value == value)

    def _check_gate(self, gate: OpenGate, move: Move) -> None:
        """An undecided gate moves only where its author says, to one that can take every answer of it."""
        key = f"{gate.flow}.{gate.step}"
        if key not in self.steps:
            move.refusals.append(Phrase("the gate {step} is not decided; map it, or decide it first", step=key))
            return
        flow = self.new.flows.get(gate.flow)
        step = flow.step(self.steps[key]) if flow and flow.has_step(self.steps[key]) else None
        offered = {action.id for action in step.actions} if isinstance(step, Human) else set()
        missing = sorted(set(gate.actions) - offered)
        if not isinstance(step, Human) or missing:
            name, answers = f"{gate.flow}.{self.steps[key]}", ", ".join(missing)
            move.refusals.append(Phrase("{step} has no answer {answers}", step=name, answers=answers))


def unknown_steps(steps: StepMap, old: Assistant, new: Assistant) -> Iterator[str]:
    """What the map names that neither release has, as sentences."""
    for source, target in steps.items():
        flow, _dot, step = source.partition(".")
        if flow not in old.flows or not old.flows[flow].has_step(step):
            yield Phrase("{step} is no step of the old release", step=source)
        if "." in target:
            yield Phrase(
                "{step} stays in its flow: what a run has filled belongs to that, so {target} cannot go on with it",
                step=source,
                target=target,
            )
        elif flow not in new.flows or not new.flows[flow].has_step(target):
            yield Phrase("{step} is no step of the new release", step=f"{flow}.{target}")


def _step_awaits(step: AnyStep, kind: str) -> bool:
    if kind == "change":
        return step.type == "confirm"
    return {"inform": "say"}.get(kind, kind) == step.type
