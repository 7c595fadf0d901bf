"""SGD's dialogues as lessons: every user turn in its situation, and what it means where the labels say so."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.nlu.data import rows
from bench.nlu.sgd_flows import NO_VALUE, NOW, flow_name
from dialogue.engine.language.compiler import Assistant
from dialogue.engine.nlu_context import explicit_state
from dialogue.engine.ports.commands import Affirm, Chitchat, Command, CorrectSlot, Deny, SetSlot, SkipSlot, StartFlow
from dialogue.engine.ports.tasks import Choice, CollectTask, ConfirmTask, PendingTask
from dialogue.engine.slots.models import Slot
from dialogue.engine.understanding import NLUContext, StackEntry
from dialogue.nlu.slots.assistant_index import AssistantIndex
from dialogue.nlu.slots.extractors import find_values
from dialogue.nlu.slots.utterance import read_utterance
from dialogue.nlu.text.tokens import fold
from dialogue.nlu.training.labelled_examples import ExpectedCommands, LabelledExample, first_message_context

Acts = Mapping[str, Sequence[Any]]
UNCLEAR = frozenset({"REQUEST", "REQUEST_ALTS", "SELECT", "NEGATE_INTENT", "AFFIRM_INTENT"})
"""User acts for which our commands have no counterpart, or that depend on what the service found."""

PROGRAMS: dict[str, AssistantIndex] = {}
POLITE = frozenset({"THANK_YOU", "GOODBYE"})
BOOLEANS = {"True": True, "False": False}
"""SGD writes yes and no as text; a component stores them as booleans."""


@dataclass
class Course:
    """Where a dialogue stands: the flow that runs, and what is filled in each."""

    flow: str = ""
    filled: dict[str, str] = field(default_factory=dict)


def dialogue_lessons(folder: Path, assistant: Assistant) -> Iterator[LabelledExample]:
    """All user turns of dev_300. A lesson without `wanted` has no clear label: it only counts how often is asked."""
    for dialogue in rows(folder / "dev_300.jsonl"):
        course = Course()
        for number, turn in enumerate(dialogue["turns"], 1):
            yield _lesson(turn, course, assistant, f"{dialogue['id']}, turn {number}")


def _lesson(turn: Mapping[str, Any], course: Course, assistant: Assistant, source: str) -> LabelledExample:
    frame = max(turn["frames"], key=lambda each: len(each["user_acts"]))
    flow = flow_name(frame["service"], frame["active_intent"])
    flow = flow if flow in assistant.flows else course.flow
    asked = {act[0]: act for each in turn["system_acts"] for act in each["acts"]}
    context = _context(turn, course, assistant, asked)
    wanted = tuple(_wanted(frame, flow, course, assistant, context))
    course.flow = flow
    course.filled |= {f"{flow}.{slot}": values[0] for slot, values in frame["slot_values"].items()}
    return LabelledExample(turn["user"], context, wanted, source)


def _context(turn: Mapping[str, Any], course: Course, assistant: Assistant, asked: Acts) -> NLUContext:
    task = _task(turn, course, assistant, asked)
    slot = assistant.slot(course.flow, task.slot) if isinstance(task, CollectTask) else None
    return replace(
        first_message_context(
            assistant, NOW, {name: text for name, text in course.filled.items() if _of(name, course)}
        ),
        awaited=task,
        awaited_slot=slot,
        explicit=explicit_state(task, running=bool(course.flow)),
        stack=(StackEntry(course.flow, "", "active", ""),) if course.flow else (),
        last_messages=(("assistant", turn["system"] or ""),),
    )


def _of(name: str, course: Course) -> bool:
    return name.startswith(f"{course.flow}.")


def _task(turn: Mapping[str, Any], course: Course, assistant: Assistant, asked: Acts) -> PendingTask | None:
    place = {"frame": "f-1", "flow": course.flow, "visit": 1, "title": "", "message": turn["system"] or ""}
    if not course.flow:
        return None
    if "CONFIRM" in asked:
        return ConfirmTask(step="check", choices=(Choice("yes", "Yes"), Choice("no", "No")), **place)  # type: ignore[arg-type]
    name = asked["REQUEST"][1] if "REQUEST" in asked else ""
    slot = assistant.slot(course.flow, name) if name in assistant.flows[course.flow].slots else None
    if slot is None:
        return None
    choices = tuple(Choice(option.value, str(option.label)) for option in slot.options)
    return CollectTask(step=f"ask_{name}", slot=name, choices=choices, **place)  # type: ignore[arg-type]


def _wanted(
    frame: Mapping[str, Any], flow: str, course: Course, assistant: Assistant, context: NLUContext
) -> Iterator[ExpectedCommands]:
    """The commands that the labels ask for; none at all where they are unclear."""
    acts = {act[0] for act in frame["user_acts"]}
    yes_or_no = acts & {"AFFIRM", "NEGATE"}
    if acts & UNCLEAR or not flow or (yes_or_no and not isinstance(context.awaited, ConfirmTask)):
        return
    if acts <= POLITE:
        yield _one(Chitchat())
        return
    if flow != course.flow:
        yield _one(StartFlow(flow))
    if yes_or_no:
        correcting = "NEGATE" in acts and "INFORM" in acts
        yield ExpectedCommands(((Affirm() if "AFFIRM" in acts else Deny(),),), optional=correcting)
    yield from _values(frame, flow, course, context)


def _values(frame: Mapping[str, Any], flow: str, course: Course, context: NLUContext) -> Iterator[ExpectedCommands]:
    told = {act[1] for act in frame["user_acts"] if act[0] == "INFORM"}
    for slot, values in frame["new_values"].items():
        known = context.assistant.slot(flow, slot) if slot in context.assistant.flows[flow].slots else None
        if slot not in told or known is None:
            continue
        if NO_VALUE in values:
            yield _one(SkipSlot(slot))
            continue
        kind = CorrectSlot if f"{flow}.{slot}" in course.filled else SetSlot
        forms = dict.fromkeys(form for value in values for form in _forms(known, value, context))
        yield ExpectedCommands(tuple((kind(slot, form, values[0]),) for form in forms))


def _forms(slot: Slot, value: str, context: NLUContext) -> Iterator[Any]:
    """The stored form first, by the conversation's clock; the words where they have none."""
    if slot.type == "boolean" and value in BOOLEANS:
        yield BOOLEANS[value]
        return
    said = read_utterance(value, context, _program(context.assistant))
    spans = sorted(find_values(slot, said), key=lambda span: -span.length)
    yield from (span.value for span in spans[:1] if isinstance(span.value, str | int | float | bool))
    yield from (option.value for option in slot.options if fold(str(option.label)) == fold(value))
    yield value


def _program(assistant: Assistant) -> AssistantIndex:
    if assistant.digest not in PROGRAMS:
        PROGRAMS[assistant.digest] = AssistantIndex(assistant)
    return PROGRAMS[assistant.digest]


def _one(command: Command) -> ExpectedCommands:
    return ExpectedCommands(((command,),))
