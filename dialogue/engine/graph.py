"""The turn as a LangGraph graph of three nodes, and `run_turn`, with which the host runs it.

START → human_input_gate → nlu → orchestrator → human_input_gate (interrupt) or END
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, fields
from functools import cache
from operator import attrgetter
from typing import Annotated, Any, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.channels import UntrackedValue
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command as Resumption
from langgraph.types import interrupt

from dialogue.engine.commands.buttons import button_commands, button_text
from dialogue.engine.commands.files import file_commands
from dialogue.engine.commands.outreach import is_about_contact
from dialogue.engine.commands.repair import unreadable_reason
from dialogue.engine.language.compiler import Assistant
from dialogue.engine.nlu_context import nlu_context
from dialogue.engine.orchestrator import Orchestrator
from dialogue.engine.outcome import TurnOutcome, outcome_of
from dialogue.engine.ports.commands import from_plain
from dialogue.engine.ports.events import Event, check_event
from dialogue.engine.ports.hitl import Completed, Expired, HITLContext, HITLRequired, PauseRequested
from dialogue.engine.stack.context import Catalogue, RuntimeContext
from dialogue.engine.stack.state import Memory, new_memory, variables_at
from dialogue.engine.stack.turn import Turn
from dialogue.engine.understanding import PathEntry, Understanding

__all__ = ["Dialogue", "NotDecided", "RuntimeContext", "TurnOutcome", "WrongSession", "compile_dialogue", "run_turn"]


_PORT_NAMES = tuple(port.name for port in fields(RuntimeContext))
_ports_of = attrgetter(*_PORT_NAMES)


class DialogueState(TypedDict, total=False):
    """The graph's state. Only `memory` and `awaited` are stored; the other fields last for the running turn."""

    memory: Memory
    awaited: dict[str, Any] | None
    event: Annotated[Event | None, UntrackedValue]
    understood: Annotated[dict[str, Any] | None, UntrackedValue]


class NotDecided(LookupError):
    """An event says that staff decided, but the host's record has no decision."""


class WrongSession(LookupError):
    """An event was meant for another session than the awaited one."""


@dataclass
class TurnScratch:
    """What the nodes of one turn pass to each other outside the graph's state, which is serialized."""

    orchestrator: Orchestrator
    turn: Turn | None = None
    understood: dict[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class TurnContext(RuntimeContext):
    """The host's dependencies, and the scratch of this turn."""

    scratch: TurnScratch


DialogueGraph = CompiledStateGraph[DialogueState, TurnContext, DialogueState, DialogueState]


@dataclass(frozen=True)
class Dialogue:
    """A compiled assistant: the graph, and the orchestrator with its flows' subgraphs. Safe to share and to cache."""

    assistant: Assistant
    graph: DialogueGraph
    orchestrator: Orchestrator


def compile_dialogue(assistant: Assistant) -> Dialogue:
    """Make an assistant ready to run. Each flow is compiled when it is first needed."""
    return Dialogue(assistant, _turn_graph(), Orchestrator(Catalogue(assistant)))


@cache
def _turn_graph() -> DialogueGraph:
    """Compile the turn's graph, once for all assistants: the assistant comes with the turn's context."""
    graph: StateGraph[DialogueState, TurnContext, DialogueState, DialogueState]
    graph = StateGraph(DialogueState, context_schema=TurnContext)
    graph.add_node("human_input_gate", human_input_gate)
    graph.add_node("nlu", understand_event)
    graph.add_node("orchestrator", run_orchestrator, destinations=("human_input_gate", END))
    graph.add_edge(START, "human_input_gate")
    graph.add_edge("human_input_gate", "nlu")
    graph.add_edge("nlu", "orchestrator")
    return graph.compile()


async def human_input_gate(state: DialogueState, runtime: Runtime[TurnContext]) -> DialogueState:
    """Wait for the awaited event and pass it on. Apart from its one interrupt the node has no side effects."""
    event = state.get("event")
    if event is None:
        event = await _wait_for_event(state, runtime.context)
    if event["kind"] in ("decision", "expiry"):
        event = await _add_decision(event, state, runtime.context)
    return {"event": event}


async def _wait_for_event(state: DialogueState, context: TurnContext) -> Event:
    """Ask the host about the awaited task, and interrupt even if the host has its answer already.

    Every answer is an event of its own, and events that came before it are processed before it. Raises WrongSession
    when the event belongs to another pause, EventRefused when it is malformed.
    """
    awaited = state["awaited"]
    assert awaited is not None
    # LangGraph runs this node again when it resumes, so the host is asked twice for the same task.
    answer = await context.hitl(_hitl_context(state, context, awaited))
    session = answer.session_id if isinstance(answer, PauseRequested) else ""
    required = HITLRequired(session_id=session, node_id=awaited["node_id"], node_title=awaited["title"])
    envelope = interrupt(required.model_dump())
    if session and envelope["session"] != session:
        raise WrongSession(envelope["session"])
    return check_event(envelope["event"])


def _hitl_context(state: DialogueState, context: TurnContext, awaited: Mapping[str, Any]) -> HITLContext:
    return HITLContext(
        workflow_execution_id=context.conversation,
        node_id=awaited["node_id"],
        node_title=awaited["title"],
        visit=awaited["visit"],
        variables=variables_at(state["memory"], awaited["node_id"]) if "memory" in state else {},
    )


async def _add_decision(event: Event, state: DialogueState, context: TurnContext) -> Event:
    """Return the event with the decision from the host's record. Raises NotDecided when there is none."""
    node_id, _, visit = str(event["task"]).rpartition("/")
    answer = await context.hitl(_hitl_context(state, context, {"node_id": node_id, "title": "", "visit": int(visit)}))
    match answer:
        case Completed():
            decision = {"handle": answer.selected_handle, "values": {**answer.outputs, **answer.inputs}}
            return {**event, "kind": "decision", **decision}
        case Expired():
            return {**event, "kind": "expiry", "handle": answer.selected_handle, "values": dict(answer.outputs)}
        case PauseRequested():
            raise NotDecided(event["task"])


async def understand_event(state: DialogueState, runtime: Runtime[TurnContext]) -> DialogueState:
    """Turn a message into commands. Buttons of the awaited task need no NLU, and events of staff have no commands."""
    context, event = runtime.context, state["event"]
    assert event is not None
    scratch = context.scratch
    turn = scratch.turn = Turn(state.get("memory") or new_memory(), event, context, scratch.orchestrator.catalogue)
    text = str(event.get("text", event.get("value", "")))
    if event["kind"] == "file" and "handoff" not in turn.memory:
        sent = file_commands(turn, event["files"])
        return {"understood": Understanding(sent, path=(PathEntry("file"),)).to_json()}
    if event["kind"] not in ("message", "choice") or "handoff" in turn.memory or unreadable_reason(text):
        return {"understood": None}
    if is_about_contact(turn, text):
        return {"understood": None}
    if event["kind"] == "choice":
        if chosen := button_commands(turn, text):
            return {"understood": Understanding(chosen, path=(PathEntry("button"),)).to_json()}
        text = button_text(turn, text)
    return {"understood": (await context.nlu.understand(text, nlu_context(turn))).to_json()}


async def run_orchestrator(state: DialogueState, runtime: Runtime[TurnContext]) -> Resumption[Any]:
    """Run the turn, store its memory, and go to the gate if something is awaited."""
    scratch = runtime.context.scratch
    turn = scratch.turn
    assert turn is not None
    understood = scratch.understood = state.get("understood") or {}
    commands = tuple(command for plain in understood.get("commands", ()) for command in from_plain(plain))
    await scratch.orchestrator.run_turn(turn, commands)
    task = turn.record.awaited_task
    awaited = {"node_id": task.node_id, "key": task.key, "title": task.title, "visit": task.visit} if task else None
    update = {"memory": turn.memory, "awaited": awaited, "event": None}
    return Resumption(update=update, goto="human_input_gate" if awaited else END)


async def run_turn(
    dialogue: Dialogue,
    event: Event,
    context: RuntimeContext,
    *,
    config: RunnableConfig,
    checkpointer: BaseCheckpointSaver[Any],
) -> TurnOutcome:
    """Run one event of one conversation as one turn.

    Raises EventRefused, NotDecided, WrongSession, SlotNotSet, ApprovalOutdated, and any error of the ports. The caller
    then discards what the saver was given, which leaves the conversation unchanged.
    """
    check_event(event)
    ports = dict(zip(_PORT_NAMES, _ports_of(context), strict=True))
    scratch = TurnScratch(dialogue.orchestrator)
    turn_context = TurnContext(**ports, scratch=scratch)
    # The compiled graph is shared by all conversations; each turn has a saver of its own.
    graph = copy(dialogue.graph)
    graph.checkpointer = checkpointer
    entry = await _graph_input(event, config, checkpointer)
    async for _ in graph.astream(entry, config, context=turn_context, durability="exit", stream_mode=[]):
        pass  # the stream is empty: messages go to the sink, the result to the scratch and the saver
    assert scratch.turn is not None
    return outcome_of(scratch.turn, scratch.understood)


async def _graph_input(event: Event, config: RunnableConfig, saver: BaseCheckpointSaver[Any]) -> Any:
    """Return the graph's input: resume the pause if there is one, or else start a turn.

    After a turn that ended without a pause the graph starts at the gate, which saves the START superstep.
    """
    stored = await saver.aget_tuple(config)
    pending_writes = (stored.pending_writes or []) if stored else []
    pause = next((value for _, channel, value in pending_writes if channel == "__interrupt__"), None)
    if pause is not None:
        return Resumption(resume={"session": str(pause[0].value["session_id"]), "event": event})
    if stored is None or pending_writes:
        return {"event": event}
    return Resumption(update={"event": event}, goto="human_input_gate")
