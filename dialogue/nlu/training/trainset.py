"""Training set for the language model: labelled examples as prompt fields and answers."""

import json
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from dialogue.engine.ports.commands import (
    BUILT_IN,
    AddValues,
    Choose,
    Clarify,
    Command,
    CorrectSlot,
    Digress,
    Narrow,
    RemoveValues,
    SetSlot,
    command_name,
)
from dialogue.engine.slots.models import Slot
from dialogue.nlu.llm.model_answer import Said, TooManyCommands, answer_for_command, read_commands
from dialogue.nlu.llm.programs import Demo
from dialogue.nlu.llm.prompts import MAX_BRIEF_EXAMPLES, build_prompt
from dialogue.nlu.readers.command_filter import equal_values, filter_commands, find_slot
from dialogue.nlu.slots.assistant_index import AssistantIndex
from dialogue.nlu.slots.extractors import find_values
from dialogue.nlu.slots.utterance import Utterance, read_utterance
from dialogue.nlu.training.command_equivalence import Verdict, judge_commands
from dialogue.nlu.training.labelled_examples import LabelledExample

MAX_OTHER_FLOWS = 2
MAX_SLOTS = 4


@dataclass(frozen=True)
class TrainingExample:
    """A labelled example in the form of a prompt: `demo` holds the question and its right answer."""

    example: LabelledExample
    utterance: Utterance
    demo: Demo

    @property
    def command_names(self) -> frozenset[str]:
        """The names of the commands in the answer."""
        return frozenset(command.command for command in self.demo.commands)

    def judge_answer(self, answer: Sequence[Said]) -> Verdict:
        """Compare an answer with the right one, after the checks that also run in service."""
        try:
            commands = read_commands(answer, self.utterance, lambda text: text)
        except TooManyCommands:
            commands = ()
        return judge_commands(self.example, filter_commands(commands, self.utterance)[0])

    def short_demo(self) -> Demo:
        """The demonstration with the relevant flows only, and `MAX_OTHER_FLOWS` others to choose from."""
        lines = [json.loads(line) for line in self.demo.flows.splitlines()]
        relevant = {command.name for command in self.demo.commands}
        running = json.loads(self.demo.situation).get("running")
        flows = "\n".join(_to_json(line) for line in _shortened_lines(lines, {*relevant, running}))
        return self.demo.model_copy(update={"flows": flows})

    def minimal_demo(self) -> Demo:
        """The smallest demonstration: relevant flows with few slots, and only the relevant filled values."""
        relevant = {command.name for command in self.demo.commands}
        situation = json.loads(self.demo.situation)
        relevant |= {_awaited_slot(situation), situation.get("running")}
        lines = (json.loads(line) for line in self.demo.flows.splitlines())
        flows = "\n".join(_to_json(_outline_flow(line, relevant)) for line in lines if _line_name(line) in relevant)
        return self.demo.model_copy(
            update={"flows": flows, "situation": _to_json(_outline_situation(situation, relevant))}
        )


def training_examples(examples: Sequence[LabelledExample]) -> list[TrainingExample]:
    """Convert labelled examples. Answers to sensitive questions are left out: no language model may see them."""
    assistants = {example.context.assistant.digest: example.context.assistant for example in examples}
    indexes = {digest: AssistantIndex(assistant) for digest, assistant in assistants.items()}
    return [
        _training_example(example, indexes[example.context.assistant.digest])
        for example in examples
        if not (example.context.awaited_slot and example.context.awaited_slot.hides_values)
    ]


def _training_example(example: LabelledExample, assistant_index: AssistantIndex) -> TrainingExample:
    utterance = read_utterance(example.message, example.context, assistant_index)
    prompt = build_prompt(utterance)
    entries = (_answer_entry(command, example.first_commands, utterance) for command in example.first_commands)
    answer = tuple(entry.model_copy(update={"value": prompt.message.redact(entry.value)}) for entry in entries)
    return TrainingExample(example, utterance, Demo(**prompt.fields(), commands=answer))


def diverse_sample(examples: Sequence[TrainingExample], size: int) -> list[TrainingExample]:
    """Choose `size` examples greedily, so that they show as many different commands as possible."""
    remaining, chosen, times_shown = list(examples), list[TrainingExample](), dict[str, int]()
    while remaining and len(chosen) < size:
        best = max(
            # Each further use of a command counts less (1, 1/4, 1/7, …), so that rare commands come first.
            remaining,
            key=lambda example: sum(1 / (1 + 3 * times_shown.get(name, 0)) for name in example.command_names),
        )
        remaining.remove(best)
        chosen.append(best)
        for name in best.command_names:
            times_shown[name] = times_shown.get(name, 0) + 1
    return chosen


def _answer_entry(command: Command, commands: Sequence[Command], utterance: Utterance) -> Said:
    name = command_name(type(command))
    match command:
        case SetSlot(slot, value) | CorrectSlot(slot, value):
            return Said(
                command=name, name=slot, value=_value_words(find_slot(slot, commands, utterance), value, utterance)
            )
        case Narrow(slot, values) | AddValues(slot, values) | RemoveValues(slot, values):
            return Said(command=name, name=slot, value=", ".join(map(str, values)))
        case Choose(answer):
            return Said(command=name, name=answer)
        case Clarify(flows):
            return Said(command=name, name=", ".join(flows))
        case Digress(kind, topic):
            return Said(command=name, name=kind if kind in ("help", "status") else topic)
        case _ if type(command) not in BUILT_IN:
            return answer_for_command(command)
        case _:
            return Said(command=name, name=getattr(command, "flow", "") or getattr(command, "slot", ""))


def _value_words(slot: Slot | None, value: object, utterance: Utterance) -> str:
    """The value in the words of the message, where an extractor finds it there."""
    spans = find_values(slot, utterance) if slot else ()
    words = (utterance.text[span.start : span.end] for span in spans if equal_values(span.value, value))
    return next(words, str(value))


def _outline_flow(line: dict[str, Any], relevant: Set[Any]) -> dict[str, Any]:
    """A flow without its examples, and slots by name and type only, the relevant ones first."""
    if "flow" not in line:
        return line
    slots = sorted(line.get("slots", ()), key=lambda slot: slot["slot"] not in relevant)[:MAX_SLOTS]
    outlines = [{name: slot[name] for name in ("slot", "type")} for slot in slots]
    return {"flow": line["flow"], "description": line["description"], **({"slots": outlines} if outlines else {})}


def _outline_situation(situation: dict[str, Any], relevant: Set[Any]) -> dict[str, Any]:
    awaited, filled = situation.get("awaited"), situation.get("filled", {})
    relevant_values = {name: text for name, text in filled.items() if name.rpartition(".")[2] in relevant}
    outlined = (
        {name: text for name, text in awaited.items() if name != "about"} if isinstance(awaited, dict) else awaited
    )
    outline = {**situation, "awaited": outlined, "filled": relevant_values}
    return {name: value for name, value in outline.items() if value}


def _awaited_slot(situation: dict[str, Any]) -> Any:
    awaited = situation.get("awaited")
    return awaited["slot"] if isinstance(awaited, dict) else None


def _line_name(line: dict[str, Any]) -> Any:
    return line.get("flow", line.get("topic"))


def _to_json(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False)


def _shortened_lines(lines: Sequence[dict[str, Any]], relevant: set[Any]) -> Iterator[dict[str, Any]]:
    others = 0
    for line in lines:
        if _line_name(line) in relevant:
            yield line
        elif others < MAX_OTHER_FLOWS and "flow" in line:
            others += 1
            examples = line.get("examples", [])[:MAX_BRIEF_EXAMPLES]
            yield {"flow": line["flow"], "description": line["description"], "examples": examples}
