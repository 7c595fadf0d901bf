"""SGD's 300 dialogues as turns of an assistant with 38 flows: intents, answers to questions, changed values."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.nlu.data import rows
from bench.nlu.figures import share_line
from bench.nlu.sgd_flows import NO_VALUE, NOW, assistant_of, flow_name
from bench.nlu.sgd_tracking import tracking
from dialogue.engine.language.compiler import Assistant
from dialogue.engine.ports.commands import Affirm, CorrectSlot, Deny, SetSlot, StartFlow
from dialogue.engine.ports.tasks import Choice, CollectTask
from dialogue.engine.slots.models import Slot
from dialogue.engine.understanding import NLUContext, StackEntry
from dialogue.nlu import NLUPipeline, build_nlu
from dialogue.nlu.readers.command_filter import equal_values
from dialogue.nlu.settings import NLUSettings
from dialogue.nlu.slots.extractors import find_values
from dialogue.nlu.slots.utterance import read_utterance
from dialogue.nlu.text.tokens import fold


@dataclass(frozen=True)
class Asked:
    """One user turn with what the reference says about it."""

    text: str
    bot: str
    flow: str
    slot: str
    wanted: tuple[str, ...]
    filled: Mapping[str, str]


def table(folder: Path) -> Iterator[str]:
    assistant = assistant_of(folder)
    for name, embedded in (("with", True), ("without", False)):
        nlu = build_nlu(assistant, "learned", NLUSettings(use_embeddings=embedded))
        nlu.prepare()
        yield f"SGD dev_300 as {len(assistant.flows)} flows, five examples each; {name} the extra `embedded`"
        yield from tracking(nlu, assistant, folder, name)
        yield from _intents(nlu, assistant, folder, name)
        yield from _answers(nlu, assistant, folder, name)


def _intents(nlu: NLUPipeline, assistant: Assistant, folder: Path, name: str) -> Iterator[str]:
    told = list(requests(folder))
    read = [_commands(nlu, assistant, each) for each in told]
    ranked = [nlu.assistant_index.documents_index.matches(each.text)[:1] for each in told]
    nearest = sum(
        bool(match) and match[0].label == f"flow {each.flow}" for match, each in zip(ranked, told, strict=True)
    )
    started = sum(StartFlow(each.flow) in commands for commands, each in zip(read, told, strict=True))
    yield share_line(f"{name}: flow nearest to a request, by the request alone", nearest, len(told))
    yield share_line(f"{name}: … and the flow started, nothing else asked first", started, len(told))


def _answers(nlu: NLUPipeline, assistant: Assistant, folder: Path, name: str) -> Iterator[str]:
    kinds = (("slot just asked for", answers, 90), ("changed values", changes, 85))
    for kind, turns, demanded in kinds:
        told = list(turns(folder, assistant))
        right = [_holds(_commands(nlu, assistant, each), each, assistant, nlu) for each in told]
        yield share_line(f"{name}: {kind}", sum(right), len(told), demanded)


def requests(folder: Path) -> Iterator[Asked]:
    """Turns in which one intent is told, and that say more than yes to an offer of the system."""
    for turn in (turn for dialogue in rows(folder / "dev_300.jsonl") for turn in dialogue["turns"]):
        acts = [(frame, act) for frame in turn["frames"] for act in frame["user_acts"] if act[0] == "INFORM_INTENT"]
        if len(acts) == 1:
            frame, act = acts[0]
            yield Asked(turn["user"], turn["system"] or "", flow_name(frame["service"], act[2][0]), "", (), {})


def answers(folder: Path, assistant: Assistant) -> Iterator[Asked]:
    """Turns that follow a question about one slot and tell its value; a mere yes to a value of the bot's is none."""
    for turn, frame, filled in _turns(folder):
        flow = assistant.flows.get(flow_name(frame["service"], frame["active_intent"]))
        asked = [act[1] for each in turn["system_acts"] for act in each["acts"] if act[0] == "REQUEST"]
        informed = {act[1] for act in frame["user_acts"] if act[0] == "INFORM"}
        wanted = frame["new_values"].get(asked[0], ()) if len(asked) == 1 and asked[0] in informed else ()
        if flow and wanted and NO_VALUE not in wanted and asked[0] in flow.slots:
            yield Asked(turn["user"], turn["system"], flow.flow, asked[0], tuple(wanted), filled)


def changes(folder: Path, assistant: Assistant) -> Iterator[Asked]:
    """Turns that give a slot that has a value another one, in words."""
    for turn, frame, filled in _turns(folder):
        flow = assistant.flows.get(flow_name(frame["service"], frame["active_intent"]))
        informed = {act[1] for act in frame["user_acts"] if act[0] == "INFORM"}
        for slot, wanted in frame["new_values"].items():
            known = flow is not None and slot in flow.slots and f"{flow.flow}.{slot}" in filled
            if flow and known and slot in informed and NO_VALUE not in wanted:
                yield Asked(turn["user"], turn["system"] or "", flow.flow, slot, tuple(wanted), filled)


def _turns(folder: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, str]]]:
    """Every frame with its turn and what was filled before it, by "flow.slot"."""
    for dialogue in rows(folder / "dev_300.jsonl"):
        before: dict[str, dict[str, str]] = {}
        for turn in dialogue["turns"]:
            for frame in turn["frames"]:
                flow = flow_name(frame["service"], frame["active_intent"])
                held = before.get(frame["service"], {})
                yield turn, frame, {f"{flow}.{slot}": value for slot, value in held.items()}
                before[frame["service"]] = {slot: values[0] for slot, values in frame["slot_values"].items()}


def _commands(nlu: NLUPipeline, assistant: Assistant, asked: Asked) -> Iterable[Any]:
    return asyncio.run(nlu.understand(asked.text, context(assistant, asked))).commands


def context(assistant: Assistant, asked: Asked) -> NLUContext:
    """The flow runs and awaits the slot, unless it has a value already or the turn is a request."""
    slot = assistant.slot(asked.flow, asked.slot) if asked.slot else None
    awaited = slot is not None and f"{asked.flow}.{asked.slot}" not in asked.filled
    return NLUContext(
        awaited=_task(asked, slot) if awaited and slot else None,
        awaited_slot=slot if awaited else None,
        explicit="",
        stack=(StackEntry(asked.flow, "", "active", ""),) if asked.slot else (),
        filled=asked.filled,
        flows=tuple(assistant.flows.values()),
        assistant=assistant,
        offer=(),
        last_messages=(("assistant", asked.bot),),
        language="en",
        timezone="UTC",
        now=NOW,
    )


def _task(asked: Asked, slot: Slot) -> CollectTask:
    choices = tuple(Choice(option.value, str(option.label)) for option in slot.options)
    place = {"frame": f"{asked.flow}-1", "flow": asked.flow, "visit": 1, "title": "", "message": asked.bot}
    return CollectTask(step=f"ask_{asked.slot}", slot=asked.slot, choices=choices, **place)  # type: ignore[arg-type]


def _holds(commands: Iterable[Any], asked: Asked, assistant: Assistant, nlu: NLUPipeline) -> bool:
    """Is one of the reference's values the one that was read, in words or in its stored form?"""
    slot = assistant.slot(asked.flow, asked.slot)
    assert slot is not None
    stored = {value for text in asked.wanted for value in _forms(slot, text, asked, assistant, nlu)}
    return any(equal_values(each, value) for each in _read(commands, asked) for value in stored)


def _read(commands: Iterable[Any], asked: Asked) -> Iterator[Any]:
    """The values that the commands give the slot; a yes or no to its question is one."""
    for each in commands:
        if isinstance(each, SetSlot | CorrectSlot) and each.slot == asked.slot:
            yield each.value
        if isinstance(each, Affirm | Deny):
            yield "true" if isinstance(each, Affirm) else "false"


def _forms(slot: Slot, text: str, asked: Asked, assistant: Assistant, nlu: NLUPipeline) -> Iterator[Any]:
    yield text
    yield {"True": "true", "False": "false"}.get(text, fold(text))
    yield from (option.value for option in slot.options if fold(str(option.label)) == fold(text))
    said = read_utterance(text, context(assistant, asked), nlu.assistant_index)
    yield from (span.value for span in find_values(slot, said))
