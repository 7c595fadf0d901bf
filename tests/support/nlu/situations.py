"""Where a conversation stands, written as scenarios write it: `situation(library, "reserve_book?title")`."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from dialogue.engine.language.compiler import Assistant, load_assistant
from dialogue.engine.language.steps import Collect, Confirm, Human
from dialogue.engine.ports.tasks import Choice, CollectTask, ConfirmTask, HumanTask, OfferKind, OfferTask, PendingTask
from dialogue.engine.understanding import NLUContext, StackEntry
from dialogue.nlu import NLUPipeline, build_nlu

DEMO = Path(__file__).parents[3] / "dialogue" / "library" / "demo" / "assistants"
OWN = Path(__file__).parents[2] / "nlu" / "assistants"
NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
AWAITING = re.compile(r"(?P<flow>\w+)(?:(?P<kind>[?!])(?P<what>\w+))?")


@cache
def assistant_named(name: str) -> Assistant:
    """One of the demo, or one of this folder."""
    folder = next(place / name for place in (DEMO, OWN) if (place / name).is_dir())
    return load_assistant({path.name: path.read_text() for path in sorted(folder.glob("*.yaml"))})


@cache
def nlu_of(name: str) -> NLUPipeline:
    return build_nlu(assistant_named(name))


def situation(
    assistant: Assistant,
    *stack: str,
    filled: Mapping[str, str] | None = None,
    offer: Sequence[str] = (),
    offered: OfferKind = "clarify",
) -> NLUContext:
    """The stack from bottom to top; `filled` by "flow.slot"; an offer lies over all."""
    task = _offer(offer, offered) if offer else _task(assistant, stack[-1]) if stack else None
    slot = assistant.slot(task.flow, task.slot) if isinstance(task, CollectTask) else None
    return NLUContext(
        awaited=task,
        awaited_slot=slot,
        explicit="",
        stack=tuple(_entry(each, top=each == stack[-1]) for each in stack),
        filled=dict(filled or {}),
        flows=tuple(flow for flow in assistant.flows.values() if flow.start),
        assistant=assistant,
        offer=tuple(offer),
        last_messages=(),
        language=assistant.language,
        timezone=assistant.timezone,
        now=NOW,
    )


def _entry(noted: str, *, top: bool) -> StackEntry:
    match = AWAITING.fullmatch(noted)
    assert match
    status = "parked" if match["what"] == "human" else "active" if top else "paused"
    return StackEntry(match["flow"], "", status, noted)


def _offer(flows: Sequence[str], offered: OfferKind) -> OfferTask:
    choices = (*(Choice(flow, flow) for flow in flows), Choice("something_else", "Something else"))
    return OfferTask(
        frame="offer",
        flow="",
        step="offer",
        visit=1,
        title="",
        offer=offered,
        choices=choices,
    )


def _task(assistant: Assistant, noted: str) -> PendingTask | None:
    match = AWAITING.fullmatch(noted)
    assert match
    flow, what = assistant.flows[match["flow"]], match["what"]
    place = {"frame": f"{flow.flow}-1", "flow": flow.flow, "visit": 1, "title": flow.title}
    steps = list(flow.all_steps())
    if match["kind"] == "?":
        step = next(each for each in steps if isinstance(each, Collect) and each.slot == what)
        options = assistant.slot(flow.flow, what).options  # type: ignore[union-attr]
        choices = tuple(Choice(option.value, option.label) for option in options)
        return CollectTask(step=step.step, slot=what, choices=choices, **place)  # type: ignore[arg-type]
    if what == "confirm":
        confirm = next(each for each in steps if isinstance(each, Confirm))
        further = (Choice(answer.value, str(answer.label)) for answer in confirm.further_answers)
        choices = (Choice("yes", "Yes"), Choice("no", "No"), *further)
        return ConfirmTask(step=confirm.step, choices=choices, **place)  # type: ignore[arg-type]
    if what == "human":
        human = next(each for each in steps if isinstance(each, Human))
        return HumanTask(step=human.step, **place)  # type: ignore[arg-type]
    return None
