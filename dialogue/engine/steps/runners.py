"""The table of step runners: extend it for a new step type."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from dialogue.engine.expressions.conditions import ExpressionTooCostly
from dialogue.engine.language.compiler import (
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
    Step,
    WaitStep,
    While,
)
from dialogue.engine.stack.failures import end_failed, fail_step
from dialogue.engine.steps.action import run_action
from dialogue.engine.steps.choosing import recheck_choices
from dialogue.engine.steps.control import (
    StepRun,
    run_branch,
    run_call,
    run_link,
    run_say,
    run_set,
    run_while,
)
from dialogue.engine.steps.for_each import run_for_each
from dialogue.engine.steps.waiting import run_collect, run_confirm, run_handoff, run_human, run_wait

log = logging.getLogger(__name__)

RUNNERS: dict[type[Step], Callable[[Any, StepRun], Awaitable[str]]] = {
    Say: run_say,
    Assign: run_set,
    Branch: run_branch,
    While: run_while,
    ForEach: run_for_each,
    Call: run_call,
    Link: run_link,
    Collect: run_collect,
    Confirm: run_confirm,
    Action: run_action,
    Human: run_human,
    Handoff: run_handoff,
    WaitStep: run_wait,
}


async def run_step(step: AnyStep, run: StepRun) -> str:
    """Run one step and return the id of the next, or "" when the flow waits, has ended or another flow runs above it.

    A turn that has run more than `max_steps_per_turn` steps ends the flow with `loop_limit`. Each round of a `for_each`
    has as many of its own.
    """
    run.turn.step_count += 1
    if run.turn.step_count > run.turn.settings.max_steps_per_turn:
        return end_failed(run.turn, run.frame, "loop_limit")
    try:
        if run.frame["flow"] in run.turn.catalogue.data_choices:
            asked_again = await recheck_choices(step, run)
            if asked_again is not None:
                return asked_again
        return await RUNNERS[type(step)](step, run)
    except ExpressionTooCostly as error:
        return _fail_after_costly_expression(step, run, error)


def _fail_after_costly_expression(step: AnyStep, run: StepRun, error: ExpressionTooCostly) -> str:
    """Go on as after a failed action: an expression without a result must not choose a way."""
    log.error("step %s of conversation %s: %s", step.step, run.turn.context.conversation, error)
    run.turn.record.steps.append({"flow": run.frame["flow"], "step": step.step, "to": END, "error": str(error)})
    return fail_step(run.turn, run.frame)
