"""Flows beside each other: examples that two of them share, flows that nothing starts, flows that call each other."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dialogue.engine.language.documents import Assistant, Flow
from dialogue.engine.language.steps import AnyStep, Call, Collect, Confirm, Handoff, Human, Link, Say
from dialogue.engine.language.verifier.control_flow import edges_from, reachable_steps
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView
from dialogue.engine.slots.readers import fold_text
from dialogue.engine.slots.templates import Template, TemplateRefused
from dialogue.engine.source.parser import DocumentPath

_ALIKE = 0.8


@dataclass(frozen=True)
class _Example:
    flow: str
    path: DocumentPath
    text: str
    words: frozenset[str]


def check_between_flows(assistant: Assistant) -> Iterator[Finding]:
    """Confusable examples, flows that can never run, and flows that call each other without end."""
    yield from _check_examples(assistant)
    yield from _check_titles(assistant)
    yield from _check_uncalled(assistant)
    yield from _check_call_circles(assistant)
    yield from _check_link_circles(assistant)


def _check_examples(assistant: Assistant) -> Iterator[Finding]:
    examples = [each for flow in assistant.flows.values() if flow.start for each in _examples(flow)]
    frequency = Counter(word for each in examples for word in each.words)
    by_word: dict[str, list[_Example]] = defaultdict(list)
    for each in examples:
        rare = sorted(each.words, key=lambda word: (frequency[word], word))
        # Two sets that share 80 % of their words share one of the rarest fifth of either.
        prefix = rare[: int(len(rare) * (1 - _ALIKE)) + 1]
        twin = next((other for word in prefix for other in by_word[word] if _confusable(each, other)), None)
        if twin:
            yield _confused(each, twin)
        for word in prefix:
            by_word[word].append(each)


def _examples(flow: Flow) -> Iterator[_Example]:
    for place, text in enumerate(flow.examples):
        yield _Example(flow.flow, ("examples", place), text, _words(text))


def _words(text: str) -> frozenset[str]:
    try:
        plain = Template(text).render(lambda name: " _slot_ ")
    except TemplateRefused:
        plain = text
    return frozenset("".join(each if each.isalnum() or each == "_" else " " for each in fold_text(plain)).split())


def _confusable(one: _Example, other: _Example) -> bool:
    shared = len(one.words & other.words)
    return one.flow != other.flow and shared >= _ALIKE * len(one.words | other.words)


def _confused(example: _Example, twin: _Example) -> Finding:
    text = f"“{example.text}” says nearly the same as “{twin.text}” of `{twin.flow}`"
    return Finding("confusable", "warning", example.flow, example.path, text, "Keep the example with one of the flows")


def _check_titles(assistant: Assistant) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for flow in assistant.flows.values():
        twin = seen.setdefault(fold_text(flow.title), flow.flow) if flow.start else flow.flow
        if twin != flow.flow:
            text = f"`{twin}` has the title “{flow.title}” too, and people could not tell them apart"
            yield Finding("confusable", "warning", flow.flow, ("title",), text, "Give one of them another title")


def _check_uncalled(assistant: Assistant) -> Iterator[Finding]:
    leading = {flow.flow: set(_targets(flow)) for flow in assistant.flows.values()}
    begun = {flow.flow for flow in assistant.flows.values() if flow.start}
    known = begun.union(*(_called_from(name, leading) for name in begun))
    for flow in assistant.flows.values():
        if flow.flow not in known:
            text = f"nothing can start `{flow.flow}`: start is false, and no flow that can start leads to it"
            advice = "Take `start: false` out, or call the flow"
            yield Finding("never_started", "warning", flow.flow, ("start",), text, advice)


def _targets(flow: Flow) -> Iterator[str]:
    return (step.flow for step in flow.all_steps() if isinstance(step, Call | Link))


def _check_call_circles(assistant: Assistant) -> Iterator[Finding]:
    calls = {flow.flow: _calls(flow) for flow in assistant.flows.values()}
    for flow in assistant.flows.values():
        if flow.flow in _called_from(flow.flow, calls):
            text = f"`{flow.flow}` calls itself, directly or through others, and would never return"
            yield Finding("call_circle", "error", flow.flow, _first_call(flow), text, "Use link, which does not return")


def _calls(flow: Flow) -> set[str]:
    return {step.flow for step in flow.all_steps() if isinstance(step, Call)}


def _called_from(start: str, calls: Mapping[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        new = calls.get(waiting.pop(), set()) - seen
        seen |= new
        waiting.extend(new)
    return seen


def _first_call(flow: Flow) -> DocumentPath:
    place = next((place for place, step in enumerate(flow.steps) if isinstance(step, Call)), 0)
    return ("steps", place)


def _check_link_circles(assistant: Assistant) -> Iterator[Finding]:
    links = {flow.flow: _links_at_once(FlowView(assistant, flow, frozenset())) for flow in assistant.flows.values()}
    leading = {name: {step.flow for _, step in found} for name, found in links.items()}
    for name, found in links.items():
        for path, step in found:
            if name == step.flow or name in _called_from(step.flow, leading):
                text = f"`{name}` and `{step.flow}` lead to each other without asking anybody anything"
                yield Finding("unbounded_loop", "error", name, (*path, "step"), text, "Ask something on the way")


def _links_at_once(view: FlowView) -> list[tuple[DocumentPath, Link]]:
    """The links to which a new run of the flow can come without anybody being asked."""
    passing = {step.step: () if _asks(view, step) else edges_from(view, step) for _, step in view.steps_with_paths}
    reached = reachable_steps(passing, view.flow.steps[0].step)
    return [(path, step) for path, step in view.steps_with_paths if isinstance(step, Link) and step.step in reached]


def _asks(view: FlowView, step: AnyStep) -> bool:
    """Whether somebody is asked here for sure, or may be in a called flow; a new run's slots are empty."""
    if isinstance(step, Collect):
        slot = view.flow.slots.get(step.slot)
        return step.force or (slot is not None and slot.default is None)
    return isinstance(step, Confirm | Human | Handoff | Call) or (isinstance(step, Say) and step.ack)
