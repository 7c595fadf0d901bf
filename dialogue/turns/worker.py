"""Run a conversation's due events in their order, one atomic turn for each."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from time import monotonic
from typing import Any
from uuid import UUID, uuid4

from django.db import DatabaseError, transaction
from django.urls import reverse

from dialogue.conf import soni
from dialogue.engine.actions import ActionContext, Actions, RegisteredActions, registry
from dialogue.engine.graph import RuntimeContext, TurnOutcome, run_turn
from dialogue.engine.language.compiler import Assistant
from dialogue.engine.understanding import NLU
from dialogue.models import Conversation, Event, HITLSession, Release, hot_path
from dialogue.models.conversations.event import IS_DUE
from dialogue.turns import clock, lease, metrics
from dialogue.turns.accept import TurnRows
from dialogue.turns.actions.guarded_actions import GuardedActions
from dialogue.turns.actions.ledger import LedgeredActions
from dialogue.turns.actions.test_world import actions_of, nlu_in_test, now_in, trial_of
from dialogue.turns.availability import AbsenceNotice
from dialogue.turns.checkpointer import DjangoSaver
from dialogue.turns.commit import MAX_TURN_ATTEMPTS, commit_failure, commit_turn
from dialogue.turns.compiled_releases import CompiledRelease, compiled_release, release_if_compiled
from dialogue.turns.files.contents import open_content
from dialogue.turns.lease import Lease, LeaseLost
from dialogue.turns.live import notify, recent_turns
from dialogue.turns.nlu.cached_nlu import CachedNLU
from dialogue.turns.nlu.rephrasing import TurnRephrasing
from dialogue.turns.nlu.understanding import nlu_for
from dialogue.turns.process.code_changes import notice_code_changes, reloads_code
from dialogue.turns.process.crash_points import crash_point
from dialogue.turns.process.database import in_thread
from dialogue.turns.process.shared_commits import in_shared_commit
from dialogue.turns.sessions import Record, current_sessions
from dialogue.turns.transcript import TranscriptSink, lines_of
from dialogue.turns.work import FinishedTurn, UnloadableRelease, Work

log = logging.getLogger(__name__)

_OWN_AND_ACTIVE_RELEASE = (
    "AND id IN (SELECT release_id FROM dialogue_conversation WHERE id = %s"
    " UNION SELECT active_release_id FROM dialogue_assistant"
    " WHERE id = (SELECT assistant_id FROM dialogue_conversation WHERE id = %s))"
)

MAX_ROWS_AGE_SECONDS = 5.0
"""Rows that were read when their event was accepted are read again if its turn had to wait for so long."""

BACKOFF = (0.05, 0.5)
"""Seconds of waiting before the second and before the third attempt at a turn."""


class ProcessEndedInTurn(Exception):
    """The process that ran this event's turn ended at every attempt; only a person may have it tried again."""


@dataclass(frozen=True)
class Ports:
    """What scenarios and tests put in place of the real NLU and the real actions; None keeps the real one."""

    nlu: Callable[[Assistant], NLU] | None = None
    actions: Actions | None = None


SERVICE = Ports()
"""The real NLU and actions."""


async def drain(
    conversation: UUID, lease_in_hand: Lease | None = None, ports: Ports = SERVICE, rows: TurnRows | None = None
) -> int:
    """Run every due event of `conversation` in the order of acceptance. Return how many turns were committed.

    `rows`: what was read for the first of these turns when its event was accepted with the lease.

    Returns 0 at once when another runner has the conversation. A runner that loses its lease stops, and nothing of the
    turn that it was in is written.
    """
    crash_point("A3")
    own_lease = lease_in_hand or await in_thread(lease.claim)(conversation)
    if own_lease is None:
        return 0
    turns = 0
    try:
        with lease.heartbeat.keeping(own_lease):
            work = _work_at_once(own_lease, rows) if rows else None
            if work is None:
                work = await in_thread(next_work)(own_lease, suspect=own_lease.inherited)
            while work is not None:
                with metrics.span(
                    "turn", kind=work.event.kind, release=work.release.pk, attempt=work.event.attempts + 1
                ):
                    finished = await metrics.observe_turn_seconds(_run_and_commit(work, ports))
                metrics.TURNS.labels("committed" if finished.committed else "failed").inc()
                turns += finished.committed
                work = await in_thread(next_work)(own_lease) if finished.more else None
    except LeaseLost:
        metrics.LEASES_LOST.inc()
        log.warning("conversation %s went to another runner", conversation)
    except asyncio.CancelledError:
        await give_back(own_lease)
        raise
    return turns


async def give_back(held_lease: Lease) -> None:
    """Give the lease back when the process ends within a turn, so that the next process can run the turn at once.

    A commit that still runs in the database's thread either ends before, or fails with LeaseLost.
    """
    with suppress(DatabaseError):
        await in_thread(lease.release)(held_lease)


def next_work(held_lease: Lease, *, suspect: bool = False) -> Work | None:
    """Fetch the next due event and everything that its turn reads. Without a due event, give the lease back: None.

    A `suspect` event may have ended the process that ran it before, which counts as a failed attempt.

    Raises LeaseLost.
    """
    conversation = held_lease.conversation
    reads = reads_of_turn(conversation)
    rows, at, found, _keys = clock.fetch_all_with_time(Conversation, {"id": conversation}, "", *reads)
    if not rows:  # it was deleted since the claim
        raise LeaseLost(conversation)
    (row,) = rows
    events, releases, _checkpoints, _writes, sessions = found
    if not events:
        return next_work(held_lease) if _came_meanwhile(held_lease) else None
    (event,) = events
    if suspect:
        _count_attempt(held_lease, event)
    if event.session_id is not None:
        _begin_applying(event.session_id, sessions)
    release = _release_for(row, event, releases)
    notice_code_changes()
    loaded = _load_release(release)
    return _work_of(held_lease, TurnRows(row, at, found), event, release, loaded)


def _work_at_once(held_lease: Lease, rows: TurnRows) -> Work | None:
    """Return the turn's work from the rows that came with its event.

    None where it needs the database or time: then `next_work` has to fetch it, in the database's thread.
    """
    if monotonic() - rows.read_at > MAX_ROWS_AGE_SECONDS:
        return None
    events, releases, _checkpoints, _writes, _sessions = rows.found
    if not events:
        return None
    (event,) = events
    if event.session_id is not None or event.basis or rows.conversation.test or reloads_code():
        return None
    release = _release_for(rows.conversation, event, releases)
    loaded = release_if_compiled(release)
    if loaded is None:
        return None
    notice_code_changes()
    return _work_of(held_lease, rows, event, release, loaded)


def _work_of(
    held_lease: Lease, rows: TurnRows, event: Event, release: Release, loaded: CompiledRelease | UnloadableRelease
) -> Work:
    row, at = rows.conversation, rows.at
    _events, _releases, checkpoints, writes, sessions = rows.found
    event.conversation = row
    saver = DjangoSaver()
    saver.preload(str(row.pk), checkpoints, writes)
    lines = lines_of(event, {"release": release.pk, "at": at.isoformat()})
    began = datetime.fromisoformat(event.basis["at"]) if event.basis else at
    return Work(held_lease, row, release, event, sessions, saver, loaded, began, lines, trial_of(row))


def reads_of_turn(conversation: UUID) -> tuple[hot_path.Query, ...]:
    """Return the queries of a turn: the next due event, both releases that it may use, checkpoint, writes, sessions."""
    key = hot_path.plain_key(Conversation, conversation)
    return (
        hot_path.Query(Event, {"conversation": conversation}, f"{IS_DUE} ORDER BY number LIMIT 1"),
        hot_path.Query(Release, {}, _OWN_AND_ACTIVE_RELEASE, [key, key]),
        *DjangoSaver.newest_of(str(conversation)),
        current_sessions(conversation),
    )


def _begin_applying(decided: int, sessions: Iterable[HITLSession]) -> None:
    """Mark the decision that this turn is about as being applied."""
    pending = HITLSession.objects.filter(pk=decided, delivery=HITLSession.Delivery.PENDING)
    if pending.update(delivery=HITLSession.Delivery.APPLYING):
        for session in sessions:
            if session.pk == decided:
                session.delivery = HITLSession.Delivery.APPLYING


@transaction.atomic
def _count_attempt(held_lease: Lease, event: Event) -> None:
    held_lease.check()
    event.attempts += 1
    event.save(update_fields=["attempts"])


def _load_release(release: Release) -> CompiledRelease | UnloadableRelease:
    """Compile the release. An error is returned, so that it fails the turn and not the runner."""
    try:
        return compiled_release(release)
    except Exception as error:
        return UnloadableRelease(error)


@transaction.atomic
def _came_meanwhile(held_lease: Lease) -> bool:
    """Give the lease back unless an event was accepted since the last look; its sender left it to this runner."""
    held_lease.check()
    due = Event.objects.filter(conversation_id=held_lease.conversation, state=Event.State.DUE).exists()
    if not due:
        lease.release(held_lease)
    return due


def _release_for(row: Conversation, event: Event, releases: Iterable[Release]) -> Release:
    """Return the release for this turn: the active one, or that of the turn's earlier run, when no flow is open.

    A conversation with an open flow, and a test, keep their own. `releases`: its own and the active one.
    """
    own = next(release for release in releases if release.pk == row.release_id)
    if row.keeps_release:
        return own
    if event.basis:
        return hot_path.fetch(Release, {"id": event.basis["release"]})[0]
    active = (release for release in releases if release.pk != own.pk)
    return next(active, own)


async def _run_and_commit(work: Work, ports: Ports) -> FinishedTurn:
    notify.notify_turn_started(work.conversation.pk)
    began = time.perf_counter()
    try:
        if work.event.attempts >= MAX_TURN_ATTEMPTS:
            raise ProcessEndedInTurn(work.event.number)
        outcome = await _run_engine(work, ports)
        crash_point("A6")
        finished = await in_shared_commit(commit_turn)(work, outcome, (time.perf_counter() - began) * 1000)
    except LeaseLost:
        raise
    except Exception as error:  # whatever the flow, an action or a library raised, the conversation must go on
        return await _record_failure(work, error)
    _notify(work, finished)
    return finished


async def _run_engine(work: Work, ports: Ports) -> TurnOutcome:
    row, release = work.conversation, work.ready_release()
    assistant = release.assistant
    nlu = ports.nlu(assistant) if ports.nlu else nlu_in_test(work.trial, work.release, release.nlu)
    now = now_in(work.trial, work.at)
    language = row.language or assistant.language
    action_context = _action_context(row, work.release, language)
    real = GuardedActions(
        RegisteredActions(
            registry,
            str(row.pk),
            now=now,
            timezone=assistant.timezone,
            context=action_context,
            open_file=partial(open_content, row.pk),
        )
    )
    actions = ports.actions or actions_of(row, work.trial, real, assistant, now)
    rephrasing = TurnRephrasing(row, language)
    context = RuntimeContext(
        conversation=str(row.pk),
        assistant=assistant,
        nlu=CachedNLU(nlu_for(row, nlu), work.event),
        actions=LedgeredActions(actions, work.lease, work.lines),
        sink=TranscriptSink(work.lines, (AbsenceNotice(row, assistant, language), rephrasing)),
        hitl=Record(row.pk, work.sessions),
        now=now,
        language=language,
        timezone=assistant.timezone,
        knowledge=release.knowledge,
        helper=release.helper,
        lookup_seconds=soni.LOOKUP_SECONDS,
        image_origins=frozenset(soni.IMAGE_ORIGINS),
        own_images=partial(reverse, "dialogue:chat", args=(assistant.assistant,)),
        start_values=row.opening.get("slots", {}),
    )
    event = {"id": str(work.event.pk), "kind": work.event.kind, **work.event.payload}
    config: Any = {"configurable": {"thread_id": str(row.pk)}}
    outcome = await run_turn(release.dialogue, event, context, config=config, checkpointer=work.saver)
    return replace(outcome, messages=tuple(work.lines.messages), record=rephrasing.noted_in(outcome.record))


def _action_context(row: Conversation, release: Release, language: str) -> ActionContext:
    return ActionContext(
        conversation=str(row.pk),
        user=row.user_ref or str(row.user_id or ""),
        verified=row.vouched if row.user_ref else row.user_id is not None,
        claims=row.opening.get("claims", {}),
        channel=row.channel,
        release=release.number,
        test=row.test,
        language=language,
    )


async def _record_failure(work: Work, error: Exception) -> FinishedTurn:
    reference = uuid4().hex[:8]
    log.error("turn of event %s failed, reference %s", work.event.pk, reference, exc_info=error)
    finished = await in_thread(commit_failure)(work, error, reference)
    if finished.committed:
        _notify(work, finished)
    else:
        await asyncio.sleep(BACKOFF[min(work.event.attempts, len(BACKOFF) - 1)])
    return finished


def _notify(work: Work, finished: FinishedTurn) -> None:
    crash_point("A7")
    if finished.committed_turn is None:
        notify.notify_conversation(work.conversation.pk)
    else:
        recent_turns.remember_turn(work.conversation.pk, finished.committed_turn)
        notify.notify_conversation(work.conversation.pk, finished.committed_turn.turn)
    if finished.inbox:
        notify.notify_inbox()
