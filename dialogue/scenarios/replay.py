"""A stored conversation played again with another release, to see which turns would have gone differently.

Nothing is written: the turns run in memory. Understanding comes from the events, what actions gave from the ledger,
and what staff decided from their sessions; the world is not asked anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.urls import reverse

from dialogue.conf import soni
from dialogue.engine.actions import ActionCall, Failed, Outcome, Succeeded, Unknown
from dialogue.engine.graph import RuntimeContext, TurnOutcome, run_turn
from dialogue.engine.ports.hitl import HITLContext, HITLDecision, PauseRequested
from dialogue.engine.ports.sinks import BufferSink
from dialogue.engine.understanding import NLU, NLUContext, Understanding
from dialogue.models import ActionRun, Conversation, Event, HITLSession, Release, Turn
from dialogue.turns.checkpointer import DjangoSaver
from dialogue.turns.compiled_releases import CompiledRelease, compiled_release
from dialogue.turns.process.database import in_thread
from dialogue.turns.sessions import completed_decision, expired_decision, session_uid

_BY_STAFF = (Event.Kind.DECISION, Event.Kind.EXPIRY)


@dataclass(frozen=True)
class TurnCourse:
    """How a turn went: the keys of its messages, and the stack in scenario notation; beside them, for people, what was
    said and what was understood, which may be worded differently without being different."""

    messages: tuple[str, ...]
    stack: tuple[str, ...]
    texts: tuple[str, ...] = field(default=(), compare=False)
    commands: tuple[Any, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return f"{', '.join(self.messages) or 'no message'}  [{' '.join(self.stack)}]"


@dataclass(frozen=True)
class ReplayedTurn:
    """One turn then and now; `notes` say what the record had no answer for. `got` None: the turn failed."""

    number: int
    kind: str
    expected: TurnCourse
    got: TurnCourse | None
    notes: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        return self.got != self.expected


@dataclass(frozen=True)
class Replay:
    """A whole conversation, replayed with `release`."""

    release: Release
    turns: tuple[ReplayedTurn, ...]

    @property
    def differing_turns(self) -> tuple[ReplayedTurn, ...]:
        return tuple(turn for turn in self.turns if turn.differs)


@dataclass(frozen=True)
class _RecordedConversation:
    """All that is read of the conversation, once, before anything runs."""

    conversation: Conversation
    compiled: CompiledRelease
    turns: Sequence[Turn]
    runs: Sequence[ActionRun]


@dataclass
class RecordedActions:
    """The actions port: gives what the same call gave then, else what another call with the same inputs gave."""

    runs: Sequence[ActionRun]
    notes: list[str] = field(default_factory=list)
    _used_runs: set[int] = field(default_factory=set)

    async def run(self, call: ActionCall) -> Outcome:
        """The stored result; without one the contract's outputs, empty, and a note."""
        run = self._matching_run(call)
        if run is None:
            self.notes.append(f"{call.name} was not called with these inputs then; its results are empty here")
            return Succeeded(dict.fromkeys(call.contract.outputs))
        self._used_runs.add(run.pk)
        return _outcome_of(run)

    def _matching_run(self, call: ActionCall) -> ActionRun | None:
        matching_runs = [run for run in self.runs if run.action == call.name and run.inputs == dict(call.inputs)]
        exact = next((run for run in matching_runs if run.key == call.key), None)
        unused = next((run for run in matching_runs if run.pk not in self._used_runs), None)
        return exact or unused or (matching_runs[-1] if matching_runs else None)


def _outcome_of(run: ActionRun) -> Outcome:
    match run.state:
        case ActionRun.State.SUCCEEDED:
            return Succeeded(run.outputs or {}, run.error)
        case ActionRun.State.FAILED:
            return Failed(run.error)
        case _:
            return Unknown(run.error or "it did not come to its end")


@dataclass
class RecordedUnderstanding:
    """The understanding port: what was understood then; what was not heard then is understood now by `inner`."""

    inner: NLU
    stored: dict[str, Any] | None

    async def understand(self, message: str, context: NLUContext) -> Understanding:
        if self.stored is not None:
            return Understanding.from_json(self.stored)
        return await self.inner.understand(message, context)


@dataclass(frozen=True)
class RecordedDecision:
    """The boundary's other side: the one decision that this event brings, about the pause that it is now for."""

    conversation: Conversation
    task: str = ""
    session: HITLSession | None = None

    async def __call__(self, context: HITLContext) -> HITLDecision:
        key = f"{context.node_id}/{context.visit}"
        if self.session is None or key != self.task:
            return PauseRequested(session_id=str(session_uid(self.conversation.pk, key)))
        if self.session.state == HITLSession.State.EXPIRED:
            return expired_decision(self.session)
        return completed_decision(self.session)


async def replay_conversation(
    conversation: Conversation, release: Release, *, understand_again: bool = False, nlu: NLU | None = None
) -> Replay:
    """Play the conversation's turns with this release; `understand_again`: its own understanding reads every text, or
    `nlu` in place of it.

    Each turn stands where the replay stands, not where the conversation stood: after the first turn that differs,
    those that follow may differ because of it.
    """
    story = await in_thread(_read_conversation)(conversation, release)
    player = _Player(story, understand_again, nlu or story.compiled.nlu)
    return Replay(release, tuple([await player.play_turn(turn) for turn in story.turns]))


def _read_conversation(conversation: Conversation, release: Release) -> _RecordedConversation:
    turns = conversation.turns.select_related("event__session").order_by("number")
    runs = conversation.action_runs.order_by("pk")
    return _RecordedConversation(conversation, compiled_release(release), list(turns), list(runs))


class _Player:
    """Plays turn after turn; a turn that fails leaves everything as it was before it."""

    def __init__(self, story: _RecordedConversation, understand_again: bool, nlu: NLU) -> None:
        self._recorded = story
        self._nlu = nlu
        self._understand_again = understand_again
        self._saver = DjangoSaver()
        self._last: TurnOutcome | None = None
        self._actions = RecordedActions(story.runs)
        # A thread of its own, so that nothing of the conversation's is found under it.
        self._config: Any = {"configurable": {"thread_id": f"replay {story.conversation.pk}", "checkpoint_ns": ""}}

    async def play_turn(self, turn: Turn) -> ReplayedTurn:
        """Play one turn and compare it with what it was."""
        stack = tuple(entry["awaiting"] for entry in turn.stack)
        expected = TurnCourse(tuple(turn.record.get("messages", ())), stack)
        self._actions.notes = []
        try:
            got: TurnCourse | None = await self._run_turn(turn)
        except Exception as error:  # whatever a flow or an old event raises here, the replay goes on
            got = None
            self._actions.notes.append(f"the turn fails: {type(error).__name__}: {error}")
        return ReplayedTurn(turn.number, turn.event.kind, expected, got, tuple(self._actions.notes))

    async def _run_turn(self, turn: Turn) -> TurnCourse:
        saver = await self._copy_saver()
        task = self._task_of(turn.event)
        event = {"id": str(turn.event.pk), "kind": turn.event.kind, **turn.event.payload}
        event |= {"task": task} if task else {}
        context = self._runtime_context(turn, RecordedDecision(self._recorded.conversation, task, turn.event.session))
        dialogue = self._recorded.compiled.dialogue
        outcome = await run_turn(dialogue, event, context, config=self._config, checkpointer=saver)
        self._saver, self._last = saver, outcome
        return TurnCourse(
            tuple(entry.key for entry in outcome.messages),
            tuple(entry["awaiting"] for entry in outcome.stack),
            tuple(entry.text for entry in outcome.messages),
            tuple(outcome.record["proposed"]),
        )

    def _runtime_context(self, turn: Turn, decision: RecordedDecision) -> RuntimeContext:
        assistant = self._recorded.compiled.assistant
        stored = None if self._understand_again else turn.event.understanding
        return RuntimeContext(
            conversation=str(self._recorded.conversation.pk),
            assistant=assistant,
            nlu=RecordedUnderstanding(self._nlu, stored),
            actions=self._actions,
            sink=BufferSink(),
            hitl=decision,
            now=turn.finished_at,
            language=self._recorded.conversation.language or assistant.language,
            timezone=assistant.timezone,
            image_origins=frozenset(soni.IMAGE_ORIGINS),
            own_images=partial(reverse, "dialogue:chat", args=(assistant.assistant,)),
            start_values=self._recorded.conversation.opening.get("slots", {}),
        )

    def _task_of(self, event: Event) -> str:
        """The pause that a decision is for: the same one, or else the newest that waits for staff in its flow."""
        stored_task = str(event.payload.get("task", ""))
        if event.kind not in _BY_STAFF or self._last is None or event.session is None:
            return stored_task
        waiting = [task for task in self._last.tasks if task.audience == "staff"]
        of_flow = [task.key for task in waiting if task.flow == event.session.flow]
        return stored_task if stored_task in {task.key for task in waiting} or not of_flow else of_flow[-1]

    async def _copy_saver(self) -> DjangoSaver:
        """A saver that holds the newest checkpoint and no more, so that a turn that fails can be thrown away."""
        copy = DjangoSaver()
        newest = await self._saver.aget_tuple(self._config)
        if newest is None:
            return copy
        config = await copy.aput(self._config, newest.checkpoint, newest.metadata, {})
        by_task: dict[str, list[tuple[str, Any]]] = {}
        for task, channel, value in newest.pending_writes or ():
            by_task.setdefault(task, []).append((channel, value))
        for task, writes in by_task.items():
            await copy.aput_writes(config, writes, task)
        return copy
