"""A view of one flow for the checks: its assistant, its steps with their paths, and the names that it may use."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dialogue.engine.expressions.conditions import ConditionRefused, Kind
from dialogue.engine.expressions.kinds import ANY, KindScope
from dialogue.engine.expressions.model import Name
from dialogue.engine.language.documents import Assistant, Flow
from dialogue.engine.language.paths import Reference, leaves, references
from dialogue.engine.language.steps import END, AnyStep, Branch, Call, Collect, Human, Loop, While
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.slots.models import Slot
from dialogue.engine.source.parser import DocumentPath

_SLOT_MARKS = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_KINDS: Mapping[str, str] = {
    **dict.fromkeys(("integer", "number", "money"), "number"),
    **dict.fromkeys(("text", "email", "phone", "choice"), "text"),
    "file": "object",
}


def kind_of(slot: Slot) -> Kind:
    """Return the kind of the slot for conditions, with those of an object's fields and a list's items.

    A record that cannot be read may be anything: its mistakes are reported where it is declared.
    """
    if slot.record and not slot.fields:
        return ANY
    return Kind(
        _KINDS.get(slot.type, slot.type),
        frozenset(option.value for option in slot.options),
        {name: kind_of(field) for name, field in slot.own_fields.items()},
        kind_of(slot.items) if slot.items else None,
        integer=slot.type == "integer",
        currency=(slot.currency or "") if slot.type == "money" else None,
    )


@dataclass(frozen=True)
class FlowView:
    """A flow and its assistant. `broken` names flows whose documents cannot be loaded: only their names are known."""

    assistant: Assistant
    flow: Flow
    broken: frozenset[str]

    def error(
        self, rule: str, path: DocumentPath, text: str, advice: str = "", *, offset: int = 0, on_key: bool = False
    ) -> Finding:
        """Return a finding that keeps the flow from being published."""
        return Finding(rule, "error", self.flow.flow, path, text, advice, offset, on_key)

    def warning(self, rule: str, path: DocumentPath, text: str, advice: str = "", *, on_key: bool = False) -> Finding:
        """Return a finding about something that works but is probably a mistake."""
        return Finding(rule, "warning", self.flow.flow, path, text, advice, on_key=on_key)

    @cached_property
    def steps_with_paths(self) -> tuple[tuple[DocumentPath, AnyStep], ...]:
        """Every step with its path in the document, in the document's order."""
        return tuple(_walk_steps(self.flow.steps, ("steps",)))

    @cached_property
    def paths(self) -> Mapping[str, DocumentPath]:
        """The path of each step."""
        # Of two steps with one name, which is an error of its own, the first counts.
        return {step.step: path for path, step in reversed(self.steps_with_paths)}

    @cached_property
    def targets(self) -> frozenset[str]:
        """The names that a step may lead to."""
        return frozenset((*self.paths, END))

    @cached_property
    def leaves(self) -> tuple[tuple[DocumentPath, Any], ...]:
        """Every text, condition and other value of the flow with its path in the document."""
        return tuple(leaves(self.flow))

    @cached_property
    def leaves_of(self) -> Mapping[DocumentPath, tuple[tuple[DocumentPath, Any], ...]]:
        """The same for each step, by its path."""
        return {path: tuple(leaves(step, path)) for path, step in self.steps_with_paths}

    @cached_property
    def references_of(self) -> Mapping[DocumentPath, tuple[Reference, ...]]:
        """The names that each step mentions, by its path."""
        return {path: tuple(references(step, path)) for path, step in self.steps_with_paths}

    @cached_property
    def slots(self) -> Mapping[str, Slot]:
        """The slots that the flow may name: the conversation's, its own, and the items of its loops."""
        return {**self.flow.loop_items, **self.assistant.slots, **self.flow.slots}

    @cached_property
    def slots_by_author(self) -> Mapping[str, Slot]:
        """The slots that the documents declare: those of `slots` without the items of loops."""
        return {**self.assistant.slots, **self.flow.slots}

    @cached_property
    def filled_at_start(self) -> frozenset[str]:
        """The slots that may be filled before the first step: by defaults, needs, the conversation or callers."""
        defaults = {name for name, slot in self.flow.slots.items() if slot.default is not None}
        calls = (
            step.inputs
            for flow in self.assistant.flows.values()
            for step in flow.all_steps()
            if isinstance(step, Call) and step.flow == self.flow.flow
        )
        return frozenset(defaults).union(self.assistant.slots, self.flow.needs, *calls)

    @cached_property
    def filled_by_messages(self) -> frozenset[str]:
        """The slots that no step asks for but a message may fill: an example marks them, or a call passes them on."""
        mentioned = {name for example in self.flow.examples for name in _SLOT_MARKS.findall(example)}
        calls = [step for _, step in self.steps_with_paths if isinstance(step, Call)]
        mentioned |= {name for step in calls for expression in step.inputs.values() for name in expression.names_read}
        collected = {step.slot for _, step in self.steps_with_paths if isinstance(step, Collect)}
        return frozenset(mentioned & self.flow.slots.keys()) - collected

    @cached_property
    def tested_slots(self) -> frozenset[str]:
        """The names that a branch or a loop of the flow reads."""
        steps = [step for _, step in self.steps_with_paths]
        cases = [case.when for step in steps if isinstance(step, Branch) for case in step.cases]
        conditions = [step.condition for step in steps if isinstance(step, While)]
        return frozenset().union(*(condition.slots for condition in (*cases, *conditions)))

    @cached_property
    def decision_kinds(self) -> Mapping[str, Kind]:
        """The results of human steps: `<step>.action`, `<step>.reason` and `<step>.<field>`, with their kinds."""
        return {
            f"{step.step}.{name}": kind
            for _, step in self.steps_with_paths
            if isinstance(step, Human)
            for name, kind in _decision_fields(step)
        }

    @cached_property
    def kinds(self) -> Mapping[str, Kind]:
        """The names that conditions may use, with their kinds."""
        return {**{name: kind_of(slot) for name, slot in self.slots.items()}, **self.decision_kinds}

    def kind_of_name(self, name: str) -> Kind | None:
        """Return the kind of a name or of a field such as order.status; None if there is no such name."""
        scope = KindScope(self.kinds)
        try:
            return scope.kind_of(Name(name, 1)) if scope.base_of(name) else None
        except ConditionRefused:
            return None

    @cached_property
    def forms(self) -> tuple[tuple[DocumentPath, frozenset[str]], ...]:
        """The path of each form and the names of its fields, which only texts of that form may use."""
        humans = ((path, step) for path, step in self.steps_with_paths if isinstance(step, Human))
        return tuple(((*path, "form"), frozenset(step.form)) for path, step in humans)

    @cached_property
    def template_names(self) -> frozenset[str]:
        """The names that templates may use."""
        fields = {
            f"{name}.{field}"
            for name, slot in self.slots.items()
            for field in (slot.items.own_fields if slot.items else slot.own_fields)
        }
        return frozenset(self.kinds) | fields


def _walk_steps(steps: tuple[AnyStep, ...], path: DocumentPath) -> Iterator[tuple[DocumentPath, AnyStep]]:
    for index, step in enumerate(steps):
        yield (*path, index), step
        if isinstance(step, Loop):
            yield from _walk_steps(step.do, (*path, index, "do"))


def _decision_fields(step: Human) -> Iterator[tuple[str, Kind]]:
    yield "action", Kind("text", frozenset(action.id for action in step.actions))
    if any(action.reason for action in step.actions):
        yield "reason", Kind("text")
    for name, slot in step.form.items():
        yield name, kind_of(slot)
