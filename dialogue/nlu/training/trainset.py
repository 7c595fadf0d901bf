"""Lessons as a language model is shown them: the prompt's fields, and the commands in the form of an answer."""

import json
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from dialogue.engine.ports.commands import (
    BUILT_IN,
    Choose,
    Clarify,
    Command,
    CorrectSlot,
    Digress,
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
    """One lesson, ready to be asked: `demo` holds the question and its right answer."""

    example: LabelledExample
    utterance: Utterance
    demo: Demo

    @property
    def command_names(self) -> frozenset[str]:
        """The commands that it shows."""
        return frozenset(each.command for each in self.demo.commands)

    def judge_answer(self, answer: Sequence[Said]) -> Verdict:
        """What the answer is worth, after everything that is checked in service."""
        try:
            commands = read_commands(answer, self.utterance, lambda text: text)
        except TooManyCommands:
            commands = ()
        return judge_commands(self.example, filter_commands(commands, self.utterance)[0])

    def short_demo(self) -> Demo:
        """As a demonstration: only the flows that matter, and two others to choose from."""
        lines = [json.loads(line) for line in self.demo.flows.splitlines()]
        named = {each.name for each in self.demo.commands}
        running = json.loads(self.demo.situation).get("running")
        flows = "\n".join(_plain(each) for each in _shown(lines, {*named, running}))
        return self.demo.model_copy(update={"flows": flows})

    def minimal_demo(self) -> Demo:
        """The least that shows why: the flows that matter with few slots, and of what is filled only what matters."""
        named = {each.name for each in self.demo.commands}
        situation = json.loads(self.demo.situation)
        named |= {_awaited_slot(situation), situation.get("running")}
        lines = (json.loads(line) for line in self.demo.flows.splitlines())
        flows = "\n".join(_plain(_outlined(each, named)) for each in lines if _name_of(each) in named)
        return self.demo.model_copy(update={"flows": flows, "situation": _plain(_outlined_situation(situation, named))})


def training_examples(lessons: Sequence[LabelledExample]) -> list[TrainingExample]:
    """The lessons as exercises. Those about sensitive answers are left out: no language model is asked them."""
    programs = {lesson.context.assistant.digest: lesson.context.assistant for lesson in lessons}
    made = {digest: AssistantIndex(assistant) for digest, assistant in programs.items()}
    asked = [each for each in lessons if not (each.context.awaited_slot and each.context.awaited_slot.sensitive)]
    return [_exercise(each, made[each.context.assistant.digest]) for each in asked]


def _exercise(lesson: LabelledExample, program: AssistantIndex) -> TrainingExample:
    said = read_utterance(lesson.message, lesson.context, program)
    prompt = build_prompt(said)
    told = (_answer(command, lesson.first_commands, said) for command in lesson.first_commands)
    answer = tuple(each.model_copy(update={"value": prompt.message.redact(each.value)}) for each in told)
    return TrainingExample(lesson, said, Demo(**prompt.fields(), commands=answer))


def diverse_sample(all_of_them: Sequence[TrainingExample], number: int) -> list[TrainingExample]:
    """So many, such that as many kinds of commands as possible are shown, the richest first."""
    left, chosen, seen = list(all_of_them), list[TrainingExample](), dict[str, int]()
    while left and len(chosen) < number:
        best = max(left, key=lambda each: sum(1 / (1 + 3 * seen.get(kind, 0)) for kind in each.command_names))
        left.remove(best)
        chosen.append(best)
        for kind in best.command_names:
            seen[kind] = seen.get(kind, 0) + 1
    return chosen


def _answer(command: Command, beside: Sequence[Command], said: Utterance) -> Said:
    name = command_name(type(command))
    match command:
        case SetSlot(slot, value) | CorrectSlot(slot, value):
            return Said(command=name, name=slot, value=_words(find_slot(slot, beside, said), value, said))
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


def _words(slot: Slot | None, value: object, said: Utterance) -> str:
    """The value as the message says it, where it can be found there."""
    spans = find_values(slot, said) if slot else ()
    words = (said.text[span.start : span.end] for span in spans if equal_values(span.value, value))
    return next(words, str(value))


def _outlined(line: dict[str, Any], named: Set[Any]) -> dict[str, Any]:
    """A flow without its examples; the slots that matter first, each without what it is about."""
    if "flow" not in line:
        return line
    slots = sorted(line.get("slots", ()), key=lambda slot: slot["slot"] not in named)[:MAX_SLOTS]
    shown = [{name: slot[name] for name in ("slot", "type")} for slot in slots]
    return {"flow": line["flow"], "description": line["description"], **({"slots": shown} if shown else {})}


def _outlined_situation(situation: dict[str, Any], named: Set[Any]) -> dict[str, Any]:
    awaited, filled = situation.get("awaited"), situation.get("filled", {})
    kept = {name: text for name, text in filled.items() if name.rpartition(".")[2] in named}
    asked = {name: text for name, text in awaited.items() if name != "about"} if isinstance(awaited, dict) else awaited
    shown = {**situation, "awaited": asked, "filled": kept}
    return {name: value for name, value in shown.items() if value}


def _awaited_slot(situation: dict[str, Any]) -> Any:
    awaited = situation.get("awaited")
    return awaited["slot"] if isinstance(awaited, dict) else None


def _name_of(line: dict[str, Any]) -> Any:
    return line.get("flow", line.get("topic"))


def _plain(shown: dict[str, Any]) -> str:
    return json.dumps(shown, ensure_ascii=False)


def _shown(lines: Sequence[dict[str, Any]], wanted: set[Any]) -> Iterator[dict[str, Any]]:
    others = 0
    for line in lines:
        if _name_of(line) in wanted:
            yield line
        elif others < MAX_OTHER_FLOWS and "flow" in line:
            others += 1
            examples = line.get("examples", [])[:MAX_BRIEF_EXAMPLES]
            yield {"flow": line["flow"], "description": line["description"], "examples": examples}
