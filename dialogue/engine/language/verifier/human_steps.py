"""Human steps: every decision leads to a step, so does expiry, and expiry never approves."""

from collections.abc import Iterator
from datetime import timedelta

from dialogue.engine.language.steps import END, Handoff, Human
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView
from dialogue.engine.source.parser import DocumentPath
from dialogue.engine.source.problems import did_you_mean


def check_human_steps(view: FlowView) -> Iterator[Finding]:
    """Yield decisions without a target, expiry that approves or leads nowhere, and times that cannot be reached."""
    for path, step in view.steps_with_paths:
        if isinstance(step, Human):
            yield from _check_decisions(view, path, step)
            yield from _check_expiry(view, path, step)
            if isinstance(step.due, timedelta) and step.due > step.timeout:
                text = "`due` is later than `timeout`"
                yield view.warning("late", (*path, "due"), text, "Make `due` shorter than `timeout`")
            if step.escalate and step.escalate.after >= step.timeout:
                text = "the request expires before it is escalated"
                yield view.warning("late", (*path, "escalate"), text, "Make `after` shorter than `timeout`")
        if isinstance(step, Handoff) and step.on_timeout and step.timeout is None:
            text = "`on_timeout` never happens, because there is no `timeout`"
            yield view.error("no_timeout", (*path, "on_timeout"), text, "Write timeout: 30m", on_key=True)


def _check_decisions(view: FlowView, path: DocumentPath, step: Human) -> Iterator[Finding]:
    action_ids = [each.id for each in step.actions]
    for index, action in enumerate(step.actions):
        if action.id in action_ids[:index]:
            text = f"two actions have the id `{action.id}`"
            yield view.error("duplicate_action", (*path, "actions", index), text, "Give one of them another id")
        if step.next and action.id not in step.next:
            text = f"the action `{action.id}` leads nowhere"
            yield view.error("no_path", (*path, "next"), text, f"Add {action.id}: <step> to `next`", on_key=True)
    for name in step.next:
        if name not in action_ids:
            text = f"there is no action `{name[:64]}` here"
            yield view.error("unknown_action", (*path, "next", name), text, did_you_mean(name, action_ids), on_key=True)


def _check_expiry(view: FlowView, path: DocumentPath, step: Human) -> Iterator[Finding]:
    timeout_path = (*path, "on_timeout")
    if step.expiry_action is None and step.on_timeout not in {*view.paths, END}:
        targets = [*(action.id for action in step.actions), *view.paths, END]
        text = f"`{step.on_timeout[:64]}` is neither an action here nor a step"
        yield view.error("unknown_step", timeout_path, text, did_you_mean(step.on_timeout, targets))
    elif _expiry_approves(view, step):
        text = f"on expiry `{step.on_timeout}` would approve without a decision"
        yield view.error("expiry_approves", timeout_path, text, "Name an action that refuses, or another step")


def _expiry_approves(view: FlowView, step: Human) -> bool:
    action = step.action(step.on_timeout)
    if action:
        return action.approves
    following = view.flow.following_step(step.step)
    # A step that both an approval and a refusal lead to, such as a common end, does not approve.
    approved = {step.next.get(each.id, following) for each in step.actions if each.approves}
    refused = {step.next.get(each.id, following) for each in step.actions if not each.approves}
    return step.on_timeout in approved - refused
