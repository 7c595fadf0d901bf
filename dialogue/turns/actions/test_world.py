"""What a test conversation has in place of the world: simulated actions, another understanding, a clock that is moved.

The clock of a test is the real one and a distance. Moving it ahead brings every deadline that much nearer, so that the
database's clock goes on judging them.
"""

from datetime import datetime, timedelta
from functools import cache

from django.db import transaction
from django.db.models import F

from dialogue.conf import soni
from dialogue.engine.actions import Actions
from dialogue.engine.language.compiler import Assistant
from dialogue.engine.understanding import NLU
from dialogue.models import Conversation, HITLSession, Release, Trial
from dialogue.turns import clock
from dialogue.turns.actions.simulated_actions import SimulatedActions
from dialogue.turns.compiled_releases import ReleaseCache, assistant_of
from dialogue.turns.nlu.understanding import build_named_nlu


def trial_of(conversation: Conversation) -> Trial | None:
    """The circumstances of a test conversation; None for a real one, and for a test outside the test console."""
    row = Trial.objects.filter(pk=conversation.pk).first() if conversation.test else None
    if row is not None:
        row.conversation = conversation
    return row


def actions_of(
    conversation: Conversation, trial: Trial | None, real: Actions, assistant: Assistant, now: datetime
) -> Actions:
    """The port of a conversation's actions: the real one, or that of its test.

    Only the test console lets a test call real actions, where somebody chose that; no other test ever does.
    """
    if not conversation.test:
        return real
    language = conversation.language or assistant.language
    chosen = trial is not None and trial.actions == Trial.Actions.REAL and not trial.private
    stubs = trial.stubs if trial else {}
    return SimulatedActions(stubs, now, language, assistant.timezone, real if chosen else None)


def nlu_in_test(trial: Trial | None, release: Release, usual: NLU) -> NLU:
    """The understanding of a conversation: the usual one, or the mode that its test asks for."""
    if trial is None or trial.nlu in ("", soni.NLU):
        return usual
    return understanding_named(trial.nlu, release)


def understanding_named(mode: str, release: Release) -> NLU:
    """The understanding of a release in a mode of its own, built once."""
    return nlus_by_release(mode).get(release)


def now_in(trial: Trial | None, at: datetime) -> datetime:
    """What the clock of the conversation says at the real time `at`."""
    return at + trial.ahead if trial else at


@transaction.atomic
def move_clock(trial: Trial, by: timedelta) -> None:
    """Move the clock of a test ahead: every deadline of the conversation comes that much nearer."""
    row = Conversation.objects.select_for_update().get(pk=trial.pk)
    trial.refresh_from_db()  # another move may have been made while the row was waited for
    moved = {"turn": row.last_turn, "seconds": int(by.total_seconds())}
    Trial.objects.filter(pk=trial.pk).update(ahead=F("ahead") + by, moves=[*trial.moves, moved])
    trial.refresh_from_db()
    if row.idle_until is not None:
        Conversation.objects.filter(pk=row.pk).update(idle_until=F("idle_until") - by)
    for session in HITLSession.objects.filter(conversation=row, state__in=HITLSession.UNDECIDED):
        at = clock.now()
        for name in DEADLINES:
            deadline = getattr(session, name)
            # A session without a deadline has a day in the far future, which stays.
            if deadline is not None and deadline - at < timedelta(days=3650):
                setattr(session, name, deadline - by)
        session.version += 1
        session.save(update_fields=[*DEADLINES, "version"])


DEADLINES = ("due_at", "expires_at", "urgent_at", "escalates_at", "follow_up_at")


@cache
def nlus_by_release(mode: str) -> ReleaseCache[NLU]:
    return ReleaseCache(lambda release: build_named_nlu(mode, assistant_of(release)))
