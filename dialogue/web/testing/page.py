"""What the test console shows of a conversation: transcript, turn traces, stack, and its path through the graph."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from dialogue.desk.access.people import Person, visible_sessions
from dialogue.desk.access.unmasking import shows_values
from dialogue.engine.language.compiler import Assistant, Flow
from dialogue.engine.slots.definitions.labels import label_of_slot
from dialogue.engine.slots.values import json_value
from dialogue.models import Conversation, HITLSession, Message, Trial, Turn
from dialogue.turns.actions.test_world import example_of
from dialogue.turns.compiled_releases import assistant_of, registered_actions
from dialogue.turns.live.flow_words import flow_title, readable_assistant, step_title
from dialogue.turns.live.serializers import MASK
from dialogue.web.flows.graph import Graph, graph_of
from dialogue.web.gates.forms import NO_ATTEMPT, Attempt
from dialogue.web.gates.page import GatePage, gate_page
from dialogue.web.shared.filled_slots import origin_text
from dialogue.web.shared.turn_trace import TurnTrace, turn_trace

OutputsByName = dict[str, Any]
MAX_TURNS = 100
"""The newest turns that a page shows."""
NO_ATTEMPTS: Mapping[int, Attempt] = {}


@dataclass(frozen=True)
class TranscriptTurn:
    """Some lines of the transcript and, where they end a turn, why they were said."""

    lines: list[Message]
    record: TurnTrace | None = None


@dataclass(frozen=True)
class SlotRow:
    """A slot of a running flow: `kind` is new, filled, awaited or unset."""

    name: str
    title: str
    text: str
    origin: str
    kind: str


@dataclass(frozen=True)
class StackEntry:
    """One entry of the stack with all the slots of its flow; `flow` and `step` are titles."""

    flow: str
    step: str
    status: str
    slots: list[SlotRow]


@dataclass(frozen=True)
class FlowPath:
    """A conversation's path through one flow: the steps and exits that it passed, and where it waits."""

    flow: str
    graph: Graph
    passed_steps: list[str] = field(default_factory=list)
    current_step: str = ""
    passed_exits: list[tuple[str, str]] = field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        """For the page's script: `{flow, done: [step], now: step, taken: [[from, to]], nodes, edges}`."""
        return {
            "flow": self.flow,
            "done": self.passed_steps,
            "now": self.current_step,
            "taken": self.passed_exits,
            **self.graph.plain(),
        }


@dataclass(frozen=True)
class SimulatedAction:
    """An action of the assistant for the form that says what it returns in a test.

    `example` is a stub with plausible values, `{name: [{"returns": {output: value}}]}`. `has_code`: its Python code is
    registered here.
    """

    name: str
    outputs: list[str]
    example: dict[str, list[dict[str, OutputsByName]]]
    has_code: bool


def simulated_actions(assistant: Assistant, now: datetime) -> list[SimulatedAction]:
    """The actions of the assistant by name, each with what a test makes up for it."""
    registered = registered_actions()
    rows = []
    for name, contract in assistant.actions.items():
        values = {output: json_value(example_of(output, slot, now)) for output, slot in contract.outputs.items()}
        rows.append(SimulatedAction(name, list(values), {name: [{"returns": values}]}, name in registered))
    return rows


def transcript_turns(conversation: Conversation) -> list[TranscriptTurn]:
    """The newest turns, oldest first: the lines that each ended with, and its record; then what waits for its turn."""
    turns = list(conversation.turns.select_related("event__message", "release").order_by("-number")[:MAX_TURNS])[::-1]
    message = turns[0].event.message if turns else None
    first_number = message.seq if message else 0
    lines = list(conversation.messages.filter(seq__gte=first_number).order_by("seq"))
    return list(_lines_by_turn(lines, turns))


def _lines_by_turn(lines: list[Message], turns: list[Turn]) -> Iterator[TranscriptTurn]:
    """Yield each turn with the message that it answers and its reply; then what waits for a turn."""
    for turn in turns:
        own_lines = [line for line in lines if line.turn_id == turn.pk or line.pk == turn.event.message_id]
        lines = [line for line in lines if line not in own_lines]
        yield TranscriptTurn(own_lines, turn_trace(turn, assistant=readable_assistant(turn.release)))
    if lines:
        yield TranscriptTurn(lines)


def stack_entries(conversation: Conversation, person: Person, trial: Trial | None) -> list[StackEntry]:
    """The stack, top first, with every slot of each flow. Sensitive values of real people stay masked."""
    unmasked = not (trial and trial.private) or shows_values(person, conversation)
    assistant = assistant_of(conversation.release)
    return [_stack_entry(conversation, assistant, entry, unmasked) for entry in reversed(conversation.stack)]


def _stack_entry(conversation: Conversation, assistant: Assistant, entry: dict[str, Any], unmasked: bool) -> StackEntry:
    flow = assistant.flows.get(entry["flow"])
    names = [*entry["slots"], *(name for name in (flow.slots if flow else ()) if name not in entry["slots"])]
    titles = {name: _slot_title(assistant, entry["flow"], name) for name in names}
    slots = [
        _filled_slot(conversation, name, titles[name], entry["slots"][name], unmasked)
        if name in entry["slots"]
        else _empty_slot(name, titles[name], entry["awaiting"])
        for name in names
    ]
    title, step = flow_title(entry["flow"], assistant), step_title(entry["flow"], entry["step"], assistant)
    return StackEntry(title, step, entry["status"], slots)


def _slot_title(assistant: Assistant, flow: str, name: str) -> str:
    slot = assistant.slot(flow, name)
    return label_of_slot(name, slot.title if slot else None, get_language() or "")


def _filled_slot(conversation: Conversation, name: str, title: str, stored: dict[str, Any], unmasked: bool) -> SlotRow:
    masked = stored.get("masked", stored)["shown"]
    shown_value = stored["shown"] if unmasked else MASK if stored["sensitive"] else masked
    text = shown_value if stored["value"] is not None else _("skipped")
    is_new = stored["turn"] == conversation.last_turn
    return SlotRow(name, title, text, origin_text(stored), "new" if is_new else "filled")


def _empty_slot(name: str, title: str, awaiting: str) -> SlotRow:
    is_awaited = awaiting.partition("?")[2].partition(".")[0] == name
    return SlotRow(name, title, _("waiting") if is_awaited else "—", "", "awaited" if is_awaited else "unset")


def flow_path(conversation: Conversation, wanted_flow: str = "") -> FlowPath | None:
    """The path through `wanted_flow`, else through the flow that runs or ran last; None without a flow."""
    assistant = assistant_of(conversation.release)
    records = list(conversation.turns.order_by("number").values_list("record", flat=True))
    passed_steps = [step for record in records for step in record.get("steps", ())]
    name = wanted_flow if wanted_flow in assistant.flows else _current_flow(conversation, assistant, passed_steps)
    return _path_of_last_run(conversation, assistant.flows[name], records) if name else None


def _current_flow(conversation: Conversation, assistant: Assistant, passed_steps: list[dict[str, Any]]) -> str:
    names = [entry["flow"] for entry in conversation.stack] or [step["flow"] for step in passed_steps]
    known_names = [name for name in names if name in assistant.flows] or list(assistant.flows)[:1]
    return known_names[-1] if known_names else ""


def _path_of_last_run(conversation: Conversation, flow: Flow, records: list[dict[str, Any]]) -> FlowPath:
    """The path of the flow's newest run."""
    passed_steps: list[dict[str, Any]] = []
    for record in records:
        if any(
            change.get("change") == "started" and change.get("flow") == flow.flow for change in record.get("stack", ())
        ):
            passed_steps = []
        passed_steps += [step for step in record.get("steps", ()) if step["flow"] == flow.flow]
    current_steps = [entry["step"] for entry in conversation.stack if entry["flow"] == flow.flow]
    names = list(dict.fromkeys(step["step"] for step in passed_steps))
    exits = list(dict.fromkeys((step["step"], step["to"]) for step in passed_steps))
    return FlowPath(flow.flow, graph_of(flow, {}, {}), names, current_steps[-1] if current_steps else "", exits)


def waiting_gates(
    conversation: Conversation, person: Person, attempts: Mapping[int, Attempt] = NO_ATTEMPTS
) -> list[GatePage]:
    """The open gates of this conversation, each with the answer that was refused a moment ago."""
    rows = visible_sessions(person).filter(conversation=conversation, audience=HITLSession.Audience.STAFF)
    waiting = rows.filter(state__in=HITLSession.UNDECIDED, kind=HITLSession.Kind.HUMAN).order_by("number")
    return [gate_page(session, person, attempts.get(session.number, NO_ATTEMPT)) for session in waiting]


def llm_prompts(turn: Turn | None) -> list[dict[str, str]]:
    """The prompts of this turn's model calls: `[{part, note, prompt}]`."""
    entries = turn.record.get("path", ()) if turn else ()
    return [
        {"part": entry["part"], "note": entry.get("note", ""), "prompt": entry["prompt"]}
        for entry in entries
        if entry.get("prompt")
    ]
