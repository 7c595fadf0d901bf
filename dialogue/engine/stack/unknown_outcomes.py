"""Unknown outcomes: staff find out whether an action happened that may not be repeated.

The flow is parked at the action's own step, as at a human step. It goes on as staff answer: with the results that they
found, by the exit for errors, or by calling the action again.
"""

from collections.abc import Mapping
from typing import Literal

from dialogue.engine.language.compiler import Action, AnyStep, Assistant, Human, HumanAction
from dialogue.engine.slots.templates import Translated
from dialogue.engine.stack.state import Frame
from dialogue.engine.stack.turn import Turn, await_answer

HAPPENED, DID_NOT_HAPPEN, TRY_AGAIN = "happened", "did_not_happen", "try_again"
OUTCOME_ANSWERS = frozenset({HAPPENED, DID_NOT_HAPPEN, TRY_AGAIN})

_ANSWERS: tuple[tuple[str, str, str, Literal["default", "danger"]], ...] = (
    (HAPPENED, "It happened", "Ha ocurrido", "default"),
    (DID_NOT_HAPPEN, "It did not happen", "No ha ocurrido", "default"),
    (TRY_AGAIN, "It did not happen: do it now", "No ha ocurrido: hacerlo ahora", "danger"),
)


def staff_question(assistant: Assistant, step: AnyStep) -> Human | None:
    """Return what staff are asked at this step: a human step itself, or whether an action happened; else None."""
    match step:
        case Human():
            return step
        case Action():
            return _outcome_question(assistant, step)
        case _:
            return None


def _outcome_question(assistant: Assistant, step: Action) -> Human:
    """Build a human step that no author wrote, without a deadline: a clock cannot tell what happened."""
    contract = assistant.actions[step.call]
    results = {name: contract.outputs[name] for name in step.outputs if name in contract.outputs}
    return Human.model_construct(
        step=step.step,
        type="human",
        title=Translated(f"Did “{step.call}” happen?", {"es": f"¿Ha ocurrido «{step.call}»?"}),
        actions=tuple(_human_action(*answer) for answer in _ANSWERS),
        form={name: slot.model_copy(update={"required": False}) for name, slot in results.items()},
        show=tuple(sorted(_slots_of_inputs(assistant, input_names(step, contract.inputs)))),
        timeout=None,  # type: ignore[arg-type] # required of authors
        on_timeout="",
    )


def _slots_of_inputs(assistant: Assistant, names: set[str]) -> set[str]:
    """Return the names without those of fields that a list function reads of its entries."""
    declared = set(assistant.slots).union(*(flow.slots for flow in assistant.flows.values()))
    return {name for name in names if "." in name or name in declared}


def _human_action(name: str, label: str, spanish: str, style: Literal["default", "danger"]) -> HumanAction:
    return HumanAction.model_construct(id=name, label=Translated(label, {"en": label, "es": spanish}), style=style)


def input_names(step: Action, inputs: Mapping[str, object]) -> set[str]:
    """Return the names of the slots that the action's inputs are computed from."""
    if step.inputs is None:
        return set(inputs)
    return {name for expression in step.inputs.values() for name in expression.slots}


def ask_staff_for_outcome(turn: Turn, frame: Frame, step: Action, reads: dict[str, str], error: str) -> str:
    """Park the flow at the action until staff have found out. `error` is what is known. Return "": it stands still."""
    await_answer(turn, frame, "human", reads)
    frame["wait"]["error"] = error
    frame["status"] = "parked"
    turn.say("waiting", about=step.step, flow=turn.flow_title(frame["flow"]))
    return ""


def awaits_outcome(turn: Turn, frame: Frame) -> bool:
    """Whether staff are being asked if an action of this frame happened."""
    wait = frame.get("wait")
    return wait is not None and wait["kind"] == "human" and isinstance(turn.flow_of(frame).step(wait["step"]), Action)
