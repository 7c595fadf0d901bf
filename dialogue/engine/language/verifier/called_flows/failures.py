"""Failures: where those lead that no step names a way for, and whether the result of a call is looked at."""

from collections.abc import Collection, Iterator

from dialogue.engine.language.documents import Assistant
from dialogue.engine.language.steps import CALL_RESULTS, AnyStep, Call
from dialogue.engine.language.verifier.control_flow import edges_from, is_default_error_exit, reachable_steps
from dialogue.engine.language.verifier.declared_slots import refusal_reason
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView
from dialogue.engine.source.parser import DocumentPath
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.source.problems import did_you_mean


def check_failures(view: FlowView) -> Iterator[Finding]:
    """Yield an `on_error` of the flow that is no step of it, and results of calls that fit no slot or are not read."""
    target, path = view.flow.settings.on_error, ("settings", "on_error")
    if target and target not in view.targets:
        text = Phrase("there is no step `{target}`", target=target[:64])
        yield view.error("unknown_step", path, text, did_you_mean(target, view.targets))
    elif target and "do" in view.paths.get(target, ()):
        text = Phrase("`{target}` is inside a loop, which must start at its `while`", target=target)
        yield view.error("jump_into_loop", path, text, Phrase("Lead to a step outside of the loop"))
    for step_path, step in view.steps_with_paths:
        if isinstance(step, Call) and step.result in view.slots:
            yield from _check_result(view, (*step_path, "result"), step.result or "")


def _check_result(view: FlowView, path: DocumentPath, name: str) -> Iterator[Finding]:
    slot, results = view.slots[name], ", ".join(CALL_RESULTS)
    refused = next((result for result in CALL_RESULTS if refusal_reason(slot, result)), "")
    if refused:
        text = Phrase("`{name}` cannot hold the result `{refused}`", name=name, refused=refused)
        yield view.error(
            "wrong_type", path, text, Phrase("Declare it as {{type: choice, options: [{results}]}}", results=results)
        )
    elif name not in view.tested_slots:
        text = Phrase("no condition reads `{name}`, so the flow goes on in the same way after every result", name=name)
        yield view.warning("unread_result", path, text, Phrase("Test it in a branch: {name} == 'cancelled'", name=name))


def is_failure_handled(view: FlowView, step: AnyStep) -> bool:
    """Return whether a failure of this step leads somewhere, though the step itself names no way for it."""
    default_flow = view.assistant.settings.on_error
    if default_flow and default_flow != view.flow.flow:
        return True
    # On the way for failures, a further failure in the same turn is not led there again.
    return view.flow.settings.on_error is not None and step.step in _reached_without_failures(view)


def _reached_without_failures(view: FlowView) -> frozenset[str]:
    edges = {
        step.step: tuple(edge for edge in edges_from(view, step) if not is_default_error_exit(view, step, edge))
        for _, step in view.steps_with_paths
    }
    return reachable_steps(edges, view.flow.steps[0].step)


def check_flows_of_settings(assistant: Assistant, broken: Collection[str]) -> Iterator[Finding]:
    """Yield an `on_error` and an `on_handoff` of the assistant that is none of its flows."""
    settings, flows = assistant.settings, [*assistant.flows, *broken]
    for key, name in (("on_error", settings.on_error), ("on_handoff", settings.on_handoff)):
        if name and name not in flows:
            text = Phrase("there is no flow `{name}`", name=name[:64])
            yield Finding("unknown_flow", "error", "", ("settings", key), text, did_you_mean(name, flows))
