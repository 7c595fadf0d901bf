"""Move paused conversations from one release to another by a map of steps, with a dry run first.

A conversation is moved under its lease, in one transaction with its sessions and its audit entry, or not at all.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet

from dialogue.audit import chain
from dialogue.engine.language.compiler import Assistant
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.stack.state import copy_json
from dialogue.library.releases.migration_plan import Move, MovePlanner, OpenGate, StepMap, unknown_steps
from dialogue.models import Conversation, Event, HITLSession, Release
from dialogue.models.account import Account
from dialogue.turns import clock, lease
from dialogue.turns.compiled_releases import assistant_of
from dialogue.turns.sessions import session_uid

BATCH_SIZE = 200
"""Conversations of one page, or of one press of the button."""


class MapRefused(Exception):
    """The map of steps names steps that are not there; the message says which, `mistakes` each by itself."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        super().__init__("; ".join(mistakes))
        self.mistakes = mistakes


class OtherAssistant(Exception):
    """Conversations move between releases of one assistant."""


@dataclass(frozen=True)
class MoveReport:
    """One conversation: whether it can move (or has), what is lost with it, and what forbids it."""

    conversation: UUID
    position: str
    lost: tuple[str, ...]
    refusals: tuple[str, ...]
    is_done: bool = False
    steps: tuple[str, ...] = ()
    """Where it stands, as `flow › step`, a step for each flow in progress."""

    @property
    def is_possible(self) -> bool:
        return not self.refusals


@dataclass(frozen=True)
class Batch:
    """What became of some conversations; `last` is the last of them when others come behind it."""

    reports: list[MoveReport]
    last: UUID | None

    @property
    def possible_count(self) -> int:
        return sum(report.is_possible for report in self.reports)


def all_reports(work: Callable[[UUID | None], Batch]) -> Iterator[MoveReport]:
    """Every conversation, a batch at a time."""
    batch = work(None)
    yield from batch.reports
    while batch.last:
        batch = work(batch.last)
        yield from batch.reports


@dataclass(frozen=True)
class Migration:
    """From which release to which, and where each step went. Raises MapRefused, OtherAssistant."""

    old: Release
    new: Release
    steps: StepMap

    def __post_init__(self) -> None:
        if self.old.assistant_id != self.new.assistant_id:
            raise OtherAssistant
        mistakes = list(unknown_steps(self.steps, assistant_of(self.old), assistant_of(self.new)))
        if mistakes:
            raise MapRefused(mistakes)

    def open_conversations(self) -> QuerySet[Conversation]:
        """The conversations of customers that are in the middle of something on the old release."""
        rows = Conversation.objects.filter(release=self.old, test=False).exclude(state__in=Conversation.OVER)
        rows = rows.exclude(stack=[])
        return rows.select_related("release").order_by("pk")

    def dry_run(self, after: UUID | None = None) -> Batch:
        """What would become of each of the next BATCH behind conversation `after`; nothing is changed."""
        return self._run_batch(lambda row: self._move_report(row, self._plan_move(row)), after)

    def carry_out(self, by: Account | None, after: UUID | None = None) -> Batch:
        """Move those of the next BATCH that can move; each is moved whole or stays as it is."""
        return self._run_batch(lambda row: self._carry_out(row, by), after)

    def _run_batch(self, work: Callable[[Conversation], MoveReport], after: UUID | None) -> Batch:
        conversations = self.open_conversations().filter(pk__gt=after) if after else self.open_conversations()
        rows = list(conversations[: BATCH_SIZE + 1])
        reports = [work(row) for row in rows[:BATCH_SIZE]]
        return Batch(reports, rows[BATCH_SIZE - 1].pk if len(rows) > BATCH_SIZE else None)

    def _carry_out(self, row: Conversation, by: Account | None) -> MoveReport:
        claim = lease.claim(row.pk)
        if claim is None:
            return MoveReport(row.pk, _position_of(row), (), ("a turn is running; try again in a moment",))
        try:
            with transaction.atomic():
                claim.check()
                row = Conversation.objects.select_related("release").get(pk=row.pk)
                move = self._plan_move(row)
                if not move.refusals and row.release_id == self.old.pk:
                    self._write_move(row, move, by)
                    return self._move_report(row, move, done=True)
                return self._move_report(row, move)
        finally:
            lease.release(claim)

    def _plan_move(self, row: Conversation) -> Move:
        from dialogue.turns.checkpointer import stored_state  # LangGraph is loaded when something moves, not at start

        memory = copy_json(stored_state(str(row.pk)).get("memory"))
        mover = MovePlanner(
            self._new_definition, self.steps, row.language or self._new_definition.language, clock.now()
        )
        move = mover.plan_move(memory, list(_open_gates(row)))
        if Event.objects.filter(conversation=row, state=Event.State.DUE).exists():
            move.refusals.append(Phrase("something waits for its turn; try again in a moment"))
        return move

    @property
    def _new_definition(self) -> Assistant:
        return assistant_of(self.new)

    def _move_report(self, row: Conversation, move: Move, done: bool = False) -> MoveReport:
        return MoveReport(
            row.pk,
            _position_of(row),
            tuple(dict.fromkeys(move.lost)),
            tuple(dict.fromkeys(move.refusals)),
            done,
            tuple(f"{entry['flow']} › {entry.get('step', '')}" for entry in row.stack),
        )

    def _write_move(self, row: Conversation, move: Move, by: Account | None) -> None:
        from dialogue.turns.checkpointer import rewrite_state

        rewrite_state(str(row.pk), {"memory": move.memory}, self._node_renamer(row.pk))
        for session in HITLSession.objects.filter(conversation=row, state__in=HITLSession.UNDECIDED):
            self._move_session(session)
        Conversation.objects.filter(pk=row.pk).update(release=self.new, stack=self._moved_stack(row, move))
        facts = {"before": self.old.number, "release": self.new.number, "lost": len(move.lost)}
        name = by.get_username() if by else "system"
        act = chain.Act("conversation.migrated", name, by.pk if by else None, facts=facts, detail={"lost": move.lost})
        chain.record(row.pk, [act], clock.now(), is_locked=True)

    def _node_renamer(self, conversation: UUID) -> Any:
        """How a pause that is kept beside the memory is called after the move."""

        def rename_node(node_id: str, visit: int) -> tuple[str, str]:
            frame, _slash, step = node_id.partition("/")
            new_node = f"{frame}/{self._mapped_step(frame.rpartition('-')[0], step)}"
            return new_node, str(session_uid(conversation, f"{new_node}/{visit}"))

        return rename_node

    def _mapped_step(self, flow: str, step: str) -> str:
        return self.steps.get(f"{flow}.{step}", step)

    def _move_session(self, session: HITLSession) -> None:
        step = self._mapped_step(session.flow, session.step)
        uid = session_uid(session.conversation_id, f"{session.frame}/{step}/{session.visit}")
        HITLSession.objects.filter(pk=session.pk).update(step=step, uid=uid, release=self.new, version=F("version") + 1)

    def _moved_stack(self, row: Conversation, move: Move) -> list[dict[str, Any]]:
        """The stack as lists and pages show it, until the next turn writes it."""
        frames = {frame["id"]: frame for frame in move.memory["frames"]}
        stack: list[dict[str, Any]] = copy_json(row.stack)
        for entry in stack:
            frame = frames[entry["frame"]]
            entry["step"] = frame["step"]
            entry["slots"] = {name: slot for name, slot in entry["slots"].items() if name in frame["slots"]}
            entry["path"] = [passage["step"] for passage in frame["path"]]
        return stack


def _position_of(row: Conversation) -> str:
    return " ".join(entry["awaiting"] for entry in row.stack)


def _open_gates(row: Conversation) -> Iterator[OpenGate]:
    waiting = HITLSession.objects.filter(
        conversation=row, audience=HITLSession.Audience.STAFF, state__in=HITLSession.UNDECIDED
    )
    for session in waiting.exclude(kind=HITLSession.Kind.HANDOFF):
        yield OpenGate(session.flow, session.step, tuple(action["id"] for action in session.actions))
