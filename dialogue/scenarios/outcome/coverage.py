"""What scenarios never reached: steps, branches and commands, per assistant."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from dialogue.engine.language.compiler import END, AnyStep, Assistant, Branch, Collect, Confirm, Flow, Human, WaitStep
from dialogue.engine.ports.commands import COMMANDS, AddValues, Choose, Narrow, RemoveValues, command_name
from dialogue.engine.stack.flow_runs.needs import need_name
from dialogue.models import Conversation
from dialogue.scenarios.outcome.results import Reach, StepPassage

Arm = StepPassage
CHOOSE, NARROW = command_name(Choose), command_name(Narrow)
OF_LISTS = frozenset({command_name(AddValues), command_name(RemoveValues)})


@dataclass
class AssistantCoverage:
    """What the scenarios of one assistant came to."""

    assistant: Assistant
    steps: set[tuple[str, str]] = field(default_factory=set)
    arms: set[Arm] = field(default_factory=set)
    commands: set[str] = field(default_factory=set)

    def missed_items(self) -> Iterator[str]:
        """Everything that was not reached, in the order of the documents."""
        for flow in self.assistant.flows.values():
            needs = (need_name(slot) for slot in flow.needs)
            yield from (f"step {flow.flow}.{need}" for need in needs if (flow.flow, need) not in self.steps)
            for step in flow.all_steps():
                yield from self._missed_at(flow, step)
        yield from (f"command {name}" for name in self._possible_commands() if name not in self.commands)

    def _possible_commands(self) -> Iterator[str]:
        """Commands that this assistant's users may give; a further answer needs a confirm that has one."""
        steps = (step for flow in self.assistant.flows.values() for step in flow.all_steps())
        answers = any(isinstance(step, Confirm) and step.further_answers for step in steps)
        impossible = {NARROW} if answers else {NARROW, CHOOSE}
        slots = (slot for flow in self.assistant.flows.values() for slot in flow.slots.values())
        if all(slot.type != "list" for slot in (*slots, *self.assistant.slots.values())):
            impossible |= OF_LISTS
        yield from (name for name in COMMANDS if name not in impossible)

    def _missed_at(self, flow: Flow, step: AnyStep) -> Iterator[str]:
        if (flow.flow, step.step) not in self.steps:
            yield f"step {flow.flow}.{step.step}"
            return
        for target in sorted(branch_targets(flow, step)):
            if (flow.flow, step.step, target) not in self.arms:
                yield f"branch {flow.flow}.{step.step} to {target}"


class Coverage:
    """Collects what every scenario reached; as text, the list of what none did."""

    def __init__(self) -> None:
        self.reached: dict[str, AssistantCoverage] = {}

    def add_conversation(self, conversation: Conversation, assistant: Assistant) -> None:
        """Add what one conversation came to, from the records of its turns."""
        self.add_reach(reach_of(conversation), assistant)

    def add_reach(self, reach: Reach, assistant: Assistant) -> None:
        """Add what is known of one conversation."""
        coverage = self.reached.setdefault(assistant.assistant, AssistantCoverage(assistant))
        coverage.commands |= reach.commands
        coverage.steps |= reach.steps
        coverage.arms |= reach.arms

    def __str__(self) -> str:
        return "\n".join(line for name in self.reached for line in self._report_lines(name))

    def _report_lines(self, name: str) -> Iterator[str]:
        missed = list(self.reached[name].missed_items())
        yield f"{name}: {len(missed)} never reached" if missed else f"{name}: everything was reached"
        yield from (f"    {line}" for line in missed)


def reach_of(conversation: Conversation) -> Reach:
    """What one conversation came to, from the records of its turns."""
    turns = list(conversation.turns.values_list("record", "stack"))
    steps = [(step["flow"], step["step"], step["to"]) for record, _stack in turns for step in record.get("steps", ())]
    positions = {(entry["flow"], entry["step"]) for _record, stack in turns for entry in stack}
    commands = (command for record, _stack in turns for command in record.get("proposed", ()))
    return Reach(
        frozenset(positions | {(flow, step) for flow, step, _to in steps}),
        frozenset(steps),
        frozenset(name for command in commands for name in _command_names(command)),
    )


def branch_targets(flow: Flow, step: AnyStep) -> set[str]:
    """Where a step that chooses may lead; empty for a step with one way on."""
    return {flow.resolve_target(step.step, target) for target in _written_targets(flow, step)}


def _written_targets(flow: Flow, step: AnyStep) -> set[str]:
    match step:
        case Branch():
            return {*(case.next for case in step.cases), step.otherwise or flow.next_step(step.step)}
        case Human():
            return {step.next.get(action.id) or flow.following_step(step.step) or END for action in step.actions}
        case Confirm() if step.further_answers:
            targets = (
                step.on_confirm or flow.next_step(step.step),
                step.on_deny,
                *(answer.next for answer in step.further_answers),
            )
            return {target for target in targets if target}
        case Collect() if step.on_timeout or step.on_empty or step.on_error:
            ways = (flow.next_step(step.step), step.on_timeout, step.on_empty, step.on_error)
            return {target for target in ways if target}
        case WaitStep(on_timeout=target) if target:
            return {flow.next_step(step.step), target}
        case _:
            return set()


def _command_names(command: object) -> Iterator[str]:
    if isinstance(command, str):
        yield command
    elif isinstance(command, dict):
        yield from (name for name in command if name in COMMANDS)
