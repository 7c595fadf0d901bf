"""Checks across flows: similar examples, flows that cannot start, and flows that call each other endlessly."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from dialogue.engine.language.documents import Assistant, Flow
from dialogue.engine.language.steps import AnyStep, Call, Collect, Confirm, Handoff, Human, Link, Say
from dialogue.engine.language.verifier.called_flows.needs import flows_led_to
from dialogue.engine.language.verifier.control_flow import edges_from, reachable_steps
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView
from dialogue.engine.slots.readers import fold_text
from dialogue.engine.slots.templates import Template, TemplateRefused
from dialogue.engine.source.parser import DocumentPath
from dialogue.engine.source.phrases import Phrase

_MIN_SIMILARITY = 0.8


@dataclass(frozen=True)
class _Example:
    flow: str
    path: DocumentPath
    text: str
    words: frozenset[str]


def check_between_flows(assistant: Assistant, broken: Collection[str] = ()) -> Iterator[Finding]:
    """Yield similar examples and titles, flows that cannot start, and flows that lead to each other endlessly.

    `broken` names the flows whose documents cannot be loaded: one of them may lead to a flow that seems never to start,
    or have the handoff that seems to be missing.
    """
    yield from _check_examples(assistant)
    yield from _check_titles(assistant)
    if not broken:
        yield from _check_uncalled(assistant)
        yield from _check_handoff_flow(assistant)
    yield from _check_recursive_calls(assistant)
    yield from _check_link_cycles(assistant)


def _check_examples(assistant: Assistant) -> Iterator[Finding]:
    examples = [example for flow in assistant.flows.values() if flow.start for example in _examples_of(flow)]
    frequency = Counter(word for example in examples for word in example.words)
    by_word: dict[str, list[_Example]] = defaultdict(list)
    for example in examples:
        rare = sorted(example.words, key=lambda word: (frequency[word], word))
        # Two sets that share 80 % of their words share one of the rarest fifth of either.
        prefix = rare[: int(len(rare) * (1 - _MIN_SIMILARITY)) + 1]
        twin = next((other for word in prefix for other in by_word[word] if _are_confusable(example, other)), None)
        if twin:
            text = Phrase(
                "“{example_text}” is nearly the same as “{twin_text}” of `{flow}`",
                example_text=example.text,
                twin_text=twin.text,
                flow=twin.flow,
            )
            advice = Phrase("Keep the example in only one of the flows")
            yield Finding("confusable", "warning", example.flow, example.path, text, advice)
        for word in prefix:
            by_word[word].append(example)


def _examples_of(flow: Flow) -> Iterator[_Example]:
    for index, text in enumerate(flow.examples):
        try:
            text_without_slots = Template(text).render(lambda name: " _slot_ ")
        except TemplateRefused:
            text_without_slots = text
        words = frozenset(re.findall(r"\w+", fold_text(text_without_slots)))
        yield _Example(flow.flow, ("examples", index), text, words)


def _are_confusable(one: _Example, other: _Example) -> bool:
    shared = len(one.words & other.words)
    return one.flow != other.flow and shared >= _MIN_SIMILARITY * len(one.words | other.words)


def _check_titles(assistant: Assistant) -> Iterator[Finding]:
    flow_by_title: dict[str, str] = {}
    for flow in assistant.flows.values():
        twin = flow_by_title.setdefault(fold_text(flow.title), flow.flow) if flow.start else flow.flow
        if twin != flow.flow:
            text = Phrase(
                "`{twin}` also has the title “{title}”, so people cannot tell them apart", twin=twin, title=flow.title
            )
            yield Finding(
                "confusable", "warning", flow.flow, ("title",), text, Phrase("Give one of them another title")
            )


_OFFERED_FLOWS = frozenset({"satisfaction"})
"""Flows that come with new assistants and stay off until their author links to them."""


def _check_uncalled(assistant: Assistant) -> Iterator[Finding]:
    targets = {flow.flow: flows_led_to(flow) for flow in assistant.flows.values()}
    started = {flow.flow for flow in assistant.flows.values() if flow.start}
    settings = assistant.settings
    started |= {settings.on_error or "", settings.on_handoff or ""} & assistant.flows.keys()
    started |= {event.start for event in assistant.events.values() if event.start}
    startable = started.union(*(_reachable_flows(name, targets) for name in started))
    for flow in assistant.flows.values():
        if flow.flow not in startable | _OFFERED_FLOWS:
            text = Phrase(
                "`{flow}` can never start: start is false, and no flow that can start leads to it", flow=flow.flow
            )
            advice = Phrase("Delete `start: false`, or call the flow")
            yield Finding("never_started", "warning", flow.flow, ("start",), text, advice)


def _check_handoff_flow(assistant: Assistant) -> Iterator[Finding]:
    """Yield an `on_handoff` whose flow calls no person, nor do the flows that it leads to."""
    name = assistant.settings.on_handoff or ""
    targets = {flow.flow: flows_led_to(flow) for flow in assistant.flows.values()}
    if name not in targets:
        return
    flows = [assistant.flows[flow] for flow in {name, *_reachable_flows(name, targets)} if flow in assistant.flows]
    if not any(isinstance(step, Handoff) for flow in flows for step in flow.all_steps()):
        text = Phrase("`{name}` starts when users ask for a person, but no step of it calls one", name=name)
        yield Finding(
            "no_handoff", "warning", "", ("settings", "on_handoff"), text, Phrase("Add a step of type handoff to it")
        )


def _check_recursive_calls(assistant: Assistant) -> Iterator[Finding]:
    calls = {
        flow.flow: {step.flow for step in flow.all_steps() if isinstance(step, Call)}
        for flow in assistant.flows.values()
    }
    for flow in assistant.flows.values():
        # The start is not among its own reachable flows unless a path leads back to it.
        if flow.flow in _reachable_flows(flow.flow, calls):
            text = Phrase(
                "`{flow}` calls itself, directly or through other flows, and would never return", flow=flow.flow
            )
            index = next((index for index, step in enumerate(flow.steps) if isinstance(step, Call)), 0)
            yield Finding(
                "call_circle", "error", flow.flow, ("steps", index), text, Phrase("Use link, which does not return")
            )


def _reachable_flows(start: str, calls: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    pending = [start]
    while pending:
        new = calls.get(pending.pop(), set()) - reached
        reached |= new
        pending.extend(new)
    return reached


def _check_link_cycles(assistant: Assistant) -> Iterator[Finding]:
    links = {
        flow.flow: _links_without_question(FlowView(assistant, flow, frozenset())) for flow in assistant.flows.values()
    }
    targets = {name: {step.flow for _, step in passing_links} for name, passing_links in links.items()}
    for name, passing_links in links.items():
        for path, step in passing_links:
            if name == step.flow or name in _reachable_flows(step.flow, targets):
                text = Phrase(
                    "`{name}` and `{flow}` lead to each other without asking the user anything",
                    name=name,
                    flow=step.flow,
                )
                yield Finding(
                    "unbounded_loop", "error", name, (*path, "step"), text, Phrase("Ask something in between")
                )


def _links_without_question(view: FlowView) -> list[tuple[DocumentPath, Link]]:
    """Return the links that a new run of the flow can reach without a question to anyone."""
    edges = {step.step: () if _always_asks(view, step) else edges_from(view, step) for _, step in view.steps_with_paths}
    reached = reachable_steps(edges, view.flow.steps[0].step)
    return [(path, step) for path, step in view.steps_with_paths if isinstance(step, Link) and step.step in reached]


def _always_asks(view: FlowView, step: AnyStep) -> bool:
    """Return whether this step surely asks a question, or calls a flow that may; a new run's slots are empty."""
    if isinstance(step, Collect):
        slot = view.flow.slots.get(step.slot)
        return step.force or (slot is not None and slot.default is None)
    return isinstance(step, Confirm | Human | Handoff | Call) or (isinstance(step, Say) and step.ack)
