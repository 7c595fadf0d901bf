"""The table that says where each step of one release went in another, with how many conversations wait there."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.text import capfirst

from dialogue.engine.language.compiler import AnyStep, Assistant, Flow
from dialogue.library.documents.step_changes import changed_steps
from dialogue.library.releases.migration_apply import Migration
from dialogue.models import HITLSession, Release
from dialogue.turns.compiled_releases import assistant_of
from dialogue.turns.live.flow_words import flow_words, step_words
from dialogue.web.flows.graph import step_look

FIELD_PREFIX = "to:"
"""The name of a select is this and `flow.step`."""
MAX_COUNTED_CONVERSATIONS = 10_000

Step = tuple[str, str]


@dataclass(frozen=True)
class StepRow:
    """One step of the old release.

    `waits` is how many open conversations stand there. `kind` is "same", "changed", "gone", or "flow_gone" where the
    new release has not even its flow. `is_gate`: staff are asked there now, so that it moves only where it is mapped.
    `keeps_place`: conversations go to the step of the same name by themselves.
    `choices` are the steps of the flow in the new release, each with its title, `chosen` the one that it goes to,
    "" for none. `flow_title` and `title` are in the reader's language.
    """

    flow: str
    step: str
    flow_title: str
    title: str
    look: str
    icon: str
    waits: int
    kind: str
    is_gate: bool
    keeps_place: bool
    choices: list[tuple[str, str]]
    chosen: str

    @property
    def field(self) -> str:
        return f"{FIELD_PREFIX}{self.flow}.{self.step}"

    @property
    def needs_choice(self) -> bool:
        """Whether conversations stay behind unless somebody says where this step went."""
        return bool(self.waits) and not self.chosen


def step_rows(old: Release, new: Release, mapping: Mapping[str, str]) -> list[StepRow]:
    """The steps where conversations wait, most first, then those that are gone; `mapping` is `flow.step` → step."""
    waits, gates = _waiting_conversations(old, new)
    kinds = {(change.flow, change.step): change.kind for change in changed_steps(old.documents(), new.documents())}
    definition = assistant_of(old)
    comparison = _Comparison(definition, assistant_of(new), waits, gates, kinds, mapping)
    steps = [(flow, step) for flow in definition.flows.values() for step in flow.all_steps()]
    rows = [comparison.row(flow.flow, step) for flow, step in steps if comparison.concerns(flow.flow, step.step)]
    return sorted(rows, key=lambda row: (not row.waits, not row.needs_choice, -row.waits, row.flow))


@dataclass(frozen=True)
class _Comparison:
    old: Assistant
    new: Assistant
    waits: Counter[Step]
    gates: set[Step]
    kinds: Mapping[Step, str]
    mapping: Mapping[str, str]

    def concerns(self, flow: str, step: str) -> bool:
        """Whether conversations wait at the step, or its flow goes on without it."""
        is_gone = flow in self.new.flows and not self.new.flows[flow].has_step(step)
        return is_gone or self.waits[flow, step] > 0

    def row(self, flow: str, step: AnyStep) -> StepRow:
        place, new_flow = (flow, step.step), self.new.flows.get(flow)
        is_gate = place in self.gates
        keeps_place = new_flow is not None and new_flow.has_step(step.step) and not is_gate
        return StepRow(
            *place,
            capfirst(flow_words(flow, self.old)),
            capfirst(step_words(flow, step.step, self.old)),
            *step_look(step.type),
            waits=self.waits[place],
            kind=self.kinds.get(place, "same") if new_flow else "flow_gone",
            is_gate=is_gate,
            keeps_place=keeps_place,
            choices=self._choices(new_flow) if new_flow else [],
            chosen=self.mapping.get(f"{flow}.{step.step}", step.step if keeps_place else ""),
        )

    def _choices(self, flow: Flow) -> list[tuple[str, str]]:
        titles = {step.step: capfirst(step_words(flow.flow, step.step, self.new)) for step in flow.all_steps()}
        counts = Counter(titles.values())
        return [(step, title if counts[title] == 1 else f"{title} ({step})") for step, title in titles.items()]


def _waiting_conversations(old: Release, new: Release) -> tuple[Counter[Step], set[Step]]:
    """How many conversations stand at each step, parked flows counted too; and the steps at which staff are asked."""
    rows = Migration(old, new, {}).open_conversations()
    waits: Counter[Step] = Counter()
    for stack in rows.values_list("stack", flat=True)[:MAX_COUNTED_CONVERSATIONS].iterator():
        waits.update({(entry["flow"], entry.get("step", "")) for entry in stack})
    gates = HITLSession.objects.filter(
        conversation__in=rows.order_by().values("pk"),
        audience=HITLSession.Audience.STAFF,
        state__in=HITLSession.UNDECIDED,
    ).exclude(kind=HITLSession.Kind.HANDOFF)
    return waits, set(gates.values_list("flow", "step").distinct().order_by())
