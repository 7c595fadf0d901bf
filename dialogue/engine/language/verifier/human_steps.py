"""Human steps: every decision leads to a step, so does expiry; expiry never approves, and answers differ."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from dialogue.engine.expressions.conditions import Condition
from dialogue.engine.language.steps import END, Handoff, Human
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView
from dialogue.engine.slots.templates import Template
from dialogue.engine.source.parser import DocumentPath
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.source.problems import did_you_mean


def check_human_steps(view: FlowView) -> Iterator[Finding]:
    """Yield decisions without a target, expiry that approves or leads nowhere, and times that cannot be reached."""
    for path, step in view.steps_with_paths:
        if isinstance(step, Human):
            yield from _check_decisions(view, path, step)
            yield from _check_expiry(view, path, step)
            yield from _check_same_way(view, path, step)
            if isinstance(step.due, timedelta) and step.due > step.timeout:
                text = Phrase("`due` is later than `timeout`")
                yield view.warning("late", (*path, "due"), text, Phrase("Make `due` shorter than `timeout`"))
            if step.escalate and step.escalate.after >= step.timeout:
                text = Phrase("the request expires before it is escalated")
                yield view.warning("late", (*path, "escalate"), text, Phrase("Make `after` shorter than `timeout`"))
        if isinstance(step, Handoff) and step.on_timeout and step.timeout is None:
            text = Phrase("`on_timeout` never happens, because there is no `timeout`")
            yield view.error("no_timeout", (*path, "on_timeout"), text, Phrase("Write timeout: 30m"), on_key=True)


def _check_decisions(view: FlowView, path: DocumentPath, step: Human) -> Iterator[Finding]:
    action_ids = [each.id for each in step.actions]
    for index, action in enumerate(step.actions):
        if action.id in action_ids[:index]:
            text = Phrase("two actions have the id `{id}`", id=action.id)
            yield view.error("duplicate_action", (*path, "actions", index), text, Phrase("Give one of them another id"))
        if step.next and action.id not in step.next:
            text = Phrase("the action `{id}` leads nowhere", id=action.id)
            yield view.error(
                "no_path", (*path, "next"), text, Phrase("Add {id}: <step> to `next`", id=action.id), on_key=True
            )
    for name in step.next:
        if name not in action_ids:
            text = Phrase("there is no action `{name}` here", name=name[:64])
            yield view.error("unknown_action", (*path, "next", name), text, did_you_mean(name, action_ids), on_key=True)


def _check_expiry(view: FlowView, path: DocumentPath, step: Human) -> Iterator[Finding]:
    timeout_path = (*path, "on_timeout")
    if step.expiry_action is None and step.on_timeout not in {*view.paths, END}:
        targets = [*(action.id for action in step.actions), *view.paths, END]
        text = Phrase("`{on_timeout}` is neither an action here nor a step", on_timeout=step.on_timeout[:64])
        yield view.error("unknown_step", timeout_path, text, did_you_mean(step.on_timeout, targets))
    elif _expiry_approves(view, step):
        text = Phrase("on expiry `{on_timeout}` would approve without a decision", on_timeout=step.on_timeout)
        yield view.error("expiry_approves", timeout_path, text, Phrase("Name an action that refuses, or another step"))


def _check_same_way(view: FlowView, path: DocumentPath, step: Human) -> Iterator[Finding]:
    """Yield a warning where an approval and a refusal do the same, and nothing later asks what was decided."""
    following = view.flow.following_step(step.step)
    ways = {step.next.get(action.id) or following for action in step.actions}
    kinds = {action.approves for action in step.actions}
    if len(ways) > 1 or len(kinds) == 1 or _is_decision_read(view, step):
        return
    text = Phrase("every answer leads to `{step}`, and no later step asks which one was given", step=next(iter(ways)))
    yield view.warning("same_way", (*path, "actions"), text, Phrase("Lead a refusal to another step with `next`"))


def _is_decision_read(view: FlowView, step: Human) -> bool:
    """Return whether anything outside of the step names its results, such as `approval.action`."""
    own_path = view.paths[step.step]
    texts = (_text_of(value) for path, value in view.leaves if path[: len(own_path)] != own_path)
    return any(f"{step.step}." in text for text in texts)


def _text_of(value: Any) -> str:
    return value.text if isinstance(value, Template | Condition) else str(value)


def _expiry_approves(view: FlowView, step: Human) -> bool:
    action = step.action(step.on_timeout)
    if action:
        return action.approves
    following = view.flow.following_step(step.step)
    # A step that both an approval and a refusal lead to, such as a common end, does not approve.
    approved = {step.next.get(each.id, following) for each in step.actions if each.approves}
    refused = {step.next.get(each.id, following) for each in step.actions if not each.approves}
    return step.on_timeout in approved - refused
