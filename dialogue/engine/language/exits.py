"""Where a step leads: the exits of every step type, for the dialogue stack, the verifier and the drawing of a flow."""

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from dialogue.engine.expressions.conditions import Condition
from dialogue.engine.language.documents import Flow
from dialogue.engine.language.steps import (
    END,
    Action,
    AnyStep,
    Assign,
    Branch,
    Call,
    Collect,
    Confirm,
    ForEach,
    Handoff,
    Human,
    Link,
    Say,
    WaitStep,
    While,
)

ExitKind = Literal[
    "next", "case", "else", "loop", "each", "done", "confirmed", "denied", "answer", "decision", "expiry", "error",
    "no_answer", "empty", "timeout", "link",
]  # fmt: skip

_FAILURES = frozenset({"denied", "error", "no_answer", "empty", "timeout"})


class Exit(NamedTuple):
    """One way out of a step.

    `target` is a step of the flow, or END. `key` is the path of the key that names the target in the step's YAML, such
    as "next" or "cases.0.next"; "" where no key can name it. `label` is the author's own text for this exit, if any:
    the condition of a case, or a button's label (a `Translated`).
    """

    target: str
    kind: ExitKind = "next"
    key: str = "next"
    label: str = ""

    @property
    def failed(self) -> bool:
        """Whether the step did not do its work when it is left by this exit."""
        return self.kind in _FAILURES


def exits_of(flow: Flow, step: AnyStep) -> Iterator[Exit]:
    """Yield every exit of the step, in the order of its keys in the document."""
    exits = _written_exits(flow, step)
    if not flow.has_rounds:
        return exits
    return (step_exit._replace(target=flow.resolve_target(step.step, step_exit.target)) for step_exit in exits)


def _written_exits(flow: Flow, step: AnyStep) -> Iterator[Exit]:
    """Yield the exits with the targets that the document names, `continue` included."""
    following = flow.next_step(step.step)
    match step:
        case Collect() | WaitStep():
            yield Exit(following)
            yield from _failure_exits(flow, step)
            yield from _timeout_exits(step.on_timeout)
        case Say() | Assign() | Call() | Action() | Handoff():
            yield Exit(following)
            yield from _failure_exits(flow, step)
        case Link():
            # The other flow takes this one's place, so this one is over.
            yield Exit(END, "link", "")
        case Branch():
            yield from _case_exits(step, following)
        case While() | ForEach():
            yield Exit(step.do[0].step, "loop" if isinstance(step, While) else "each", "")
            yield Exit(following, "done")
        case Confirm():
            yield from _answer_exits(step, following)
        case Human():
            yield from _decision_exits(step, following)


_FAILURE_EXITS: Mapping[str, tuple[ExitKind, str]] = {
    "action": ("error", "on_error"),
    "handoff": ("timeout", "on_timeout"),
}
"""The kind and the key of the exit that a step type has for its failure."""


def _failure_exits(flow: Flow, step: AnyStep) -> Iterator[Exit]:
    kind, key = _FAILURE_EXITS.get(step.type, ("error", ""))
    if isinstance(step, Collect):
        yield from _question_exits(flow, step)
    elif target := getattr(step, key, None):
        yield Exit(target, kind, key)
    else:
        yield from _default_error_exits(flow, step)


def _question_exits(flow: Flow, step: Collect) -> Iterator[Exit]:
    if step.on_failure:
        yield Exit(step.on_failure, "no_answer", "on_failure")
    if step.on_empty:
        yield Exit(step.on_empty, "empty", "on_empty")
    if step.on_error:
        yield Exit(step.on_error, "error", "on_error")
    elif (slot := flow.slots.get(step.slot)) is not None and slot.options_from is not None:
        yield from _default_error_exits(flow, step)


def _default_error_exits(flow: Flow, step: AnyStep) -> Iterator[Exit]:
    """Yield the exit to the flow's own `on_error`, for a step that may fail and names no other."""
    target = flow.settings.on_error
    # Most flows have none, and corrections ask for the exits of many steps.
    if target is not None and step.step != target and (key := default_error_key(step)) is not None:
        yield Exit(target, "error", key)


def default_error_key(step: AnyStep) -> str | None:
    """Return the key that overrides the flow's `on_error` at this step, "" for none, and None if it cannot fail."""
    match step:
        case Action(on_error=None) | Collect(on_error=None):
            return "on_error"
        case Call(result=None):
            return ""
        case WaitStep(outputs=outputs) if outputs:
            return ""
        # A literal was checked when the flow was loaded; a computed value may not fit its slot.
        case Assign(slots=slots) if any(isinstance(value, Condition) for value in slots.values()):
            return ""
        case _:
            return None


def _timeout_exits(target: str | None) -> Iterator[Exit]:
    if target:
        yield Exit(target, "timeout", "on_timeout")


def _case_exits(step: Branch, following: str) -> Iterator[Exit]:
    for index, case in enumerate(step.cases):
        yield Exit(case.next, "case", f"cases.{index}.next", case.when.text)
    yield Exit(step.otherwise or following, "else", "else")


def _answer_exits(step: Confirm, following: str) -> Iterator[Exit]:
    yield Exit(step.on_confirm or following, "confirmed", "on_confirm")
    # Without on_deny the user is asked what to change, and the flow stays at the step.
    if step.on_deny:
        yield Exit(step.on_deny, "denied", "on_deny")
    for index, answer in enumerate(step.further_answers, start=2):  # options 0 and 1 are yes and no
        if answer.next:
            yield Exit(answer.next, "answer", f"options.{index}.next", answer.label)


def _decision_exits(step: Human, following: str) -> Iterator[Exit]:
    for action in step.actions:
        yield Exit(step.next.get(action.id) or following, "decision", f"next.{action.id}", action.label)
    # An expiry that takes one of the actions leaves by that action's exit.
    if step.expiry_action is None:
        yield Exit(step.expiry_step or following, "expiry", "on_timeout")
