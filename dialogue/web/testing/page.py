"""What the test console shows of a conversation: what was said and why, how it stands, and its way in the graph."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from dialogue.desk.access.people import Person, visible_sessions
from dialogue.desk.access.unmasking import shows_values
from dialogue.engine.language.compiler import Assistant, Flow
from dialogue.models import Conversation, HITLSession, Message, Trial, Turn
from dialogue.turns.compiled_releases import assistant_of
from dialogue.turns.live.serializers import MASK
from dialogue.web.flows.graph import Graph, graph_of
from dialogue.web.gates.forms import NO_ATTEMPT, Attempt
from dialogue.web.gates.page import GatePage, gate_page
from dialogue.web.shared.filled_slots import origin_text
from dialogue.web.shared.turn_trace import TurnTrace, turn_trace

TURNS = 100
"""How many of the newest turns a page shows."""
NONE: Mapping[int, Attempt] = {}


@dataclass(frozen=True)
class Saying:
    """Some lines of the transcript and, where they end a turn, why they were said."""

    lines: list[Message]
    record: TurnTrace | None = None


@dataclass(frozen=True)
class Held:
    """A slot of a running flow: `kind` is new, filled, awaited or unset."""

    name: str
    shown: str
    origin: str
    kind: str


@dataclass(frozen=True)
class Standing:
    """One entry of the stack with all the slots of its flow; `flow` is empty for the conversation's own slots."""

    flow: str
    step: str
    status: str
    slots: list[Held]


@dataclass(frozen=True)
class Way:
    """The way that a conversation took through one flow: its steps, where it stands, and the arrows that it went."""

    flow: str
    graph: Graph
    done: list[str] = field(default_factory=list)
    now: str = ""
    taken: list[tuple[str, str]] = field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        """For the page's script: `{flow, done: [step], now: step, taken: [[from, to]], nodes, edges}`."""
        return {"flow": self.flow, "done": self.done, "now": self.now, "taken": self.taken, **self.graph.plain()}


def sayings_of(conversation: Conversation) -> list[Saying]:
    """The newest turns, oldest first: the lines that each ended with, and its record; then what waits for its turn."""
    turns = list(conversation.turns.select_related("event__message").order_by("-number")[:TURNS])[::-1]
    first = _first_line(turns)
    lines = list(conversation.messages.filter(seq__gte=first).order_by("seq"))
    return list(_by_turn(lines, turns))


def _first_line(turns: list[Turn]) -> int:
    asked = turns[0].event.message if turns else None
    return asked.seq if asked else 0


def _by_turn(lines: list[Message], turns: list[Turn]) -> Iterator[Saying]:
    """Each turn with its answer's lines and with the line that it answers."""
    for turn in turns:
        own = [line for line in lines if line.turn_id == turn.pk or line.pk == turn.event.message_id]
        lines = [line for line in lines if line not in own]
        yield Saying(own, turn_trace(turn))
    if lines:
        yield Saying(lines)


def standings_of(conversation: Conversation, person: Person, trial: Trial | None) -> list[Standing]:
    """The stack, top first, with every slot of each flow. Sensitive values of real people stay masked."""
    unmasked = not (trial and trial.private) or shows_values(person, conversation)
    assistant = assistant_of(conversation.release)
    return [_standing(conversation, assistant, entry, unmasked) for entry in reversed(conversation.stack)]


def _standing(conversation: Conversation, assistant: Assistant, entry: dict[str, Any], unmasked: bool) -> Standing:
    flow = assistant.flows.get(entry["flow"])
    filled = [_held(conversation, name, stored, unmasked) for name, stored in entry["slots"].items()]
    empty = [_empty(name, entry["awaiting"]) for name in (flow.slots if flow else ()) if name not in entry["slots"]]
    return Standing(entry["flow"], entry["step"], entry["status"], [*filled, *empty])


def _held(conversation: Conversation, name: str, stored: dict[str, Any], unmasked: bool) -> Held:
    shown = stored["shown"] if unmasked or not stored["sensitive"] else MASK
    text = shown if stored["value"] is not None else _("skipped")
    new = stored["turn"] == conversation.last_turn
    return Held(name, text, origin_text(stored), "new" if new else "filled")


def _empty(name: str, awaiting: str) -> Held:
    awaited = awaiting.partition("?")[2] == name
    return Held(name, _("waiting") if awaited else "—", "", "awaited" if awaited else "unset")


def way_of(conversation: Conversation, wanted: str = "") -> Way | None:
    """The way through the flow that is wanted, or else through the one that runs or ran last."""
    assistant = assistant_of(conversation.release)
    turns = list(conversation.turns.order_by("number").values_list("record", flat=True))
    passed = [each for record in turns for each in record.get("steps", ())]
    name = wanted if wanted in assistant.flows else _current(conversation, assistant, passed)
    return _way(conversation, assistant.flows[name], turns) if name else None


def _current(conversation: Conversation, assistant: Assistant, passed: list[dict[str, Any]]) -> str:
    names = [entry["flow"] for entry in conversation.stack] or [each["flow"] for each in passed]
    known = [name for name in names if name in assistant.flows] or list(assistant.flows)[:1]
    return known[-1] if known else ""


def _way(conversation: Conversation, flow: Flow, records: list[dict[str, Any]]) -> Way:
    """Of the newest run of the flow."""
    passed: list[dict[str, Any]] = []
    for record in records:
        if any(each.get("change") == "started" and each.get("flow") == flow.flow for each in record.get("stack", ())):
            passed = []
        passed += [each for each in record.get("steps", ()) if each["flow"] == flow.flow]
    here = [entry["step"] for entry in conversation.stack if entry["flow"] == flow.flow]
    done = list(dict.fromkeys(each["step"] for each in passed))
    taken = list(dict.fromkeys((each["step"], each["to"]) for each in passed))
    return Way(flow.flow, graph_of(flow, {}, {}), done, here[-1] if here else "", taken)


def gates_in(conversation: Conversation, person: Person, attempts: Mapping[int, Attempt] = NONE) -> list[GatePage]:
    """The gates that wait in this conversation, to be answered in place; with what was sent to them a moment ago."""
    rows = visible_sessions(person).filter(conversation=conversation, audience=HITLSession.Audience.STAFF)
    waiting = rows.filter(state__in=HITLSession.UNDECIDED, kind=HITLSession.Kind.HUMAN).order_by("number")
    return [gate_page(session, person, attempts.get(session.number, NO_ATTEMPT)) for session in waiting]


def prompts_of(turn: Turn | None) -> list[dict[str, str]]:
    """What language models were shown in this turn: `{part, note, prompt}`."""
    entries = turn.record.get("path", ()) if turn else ()
    return [
        {"part": entry["part"], "note": entry.get("note", ""), "prompt": entry["prompt"]}
        for entry in entries
        if entry.get("prompt")
    ]
