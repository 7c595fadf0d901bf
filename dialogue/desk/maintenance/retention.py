"""Retention: delete data that is older than the settings allow, one kind and a few rows at a time."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from dialogue.conf import soni
from dialogue.desk.access.people import Person
from dialogue.desk.maintenance.erasure import erase_conversation
from dialogue.models import (
    ChannelArrival,
    ChannelDelivery,
    Conversation,
    Draft,
    Event,
    HITLSession,
    InboxEvent,
    Release,
    Submission,
    Turn,
    UploadedFile,
    WebhookDelivery,
    WebhookEvent,
)
from dialogue.turns import clock
from dialogue.turns.files.contents import delete_files, finish_deletions
from dialogue.turns.files.uploads import delete_unused

log = logging.getLogger(__name__)

CLOCK = Person(0, "clock", frozenset(), frozenset())
PAUSE_SECONDS = 60.0
"""Seconds between two runs."""


@dataclass(frozen=True)
class DataKind:
    """A kind of data: its setting, and the function that deletes up to `limit` rows from before a moment."""

    setting: str
    delete_before: Callable[[datetime, int], int]


def _delete_conversations(before: datetime, limit: int) -> int:
    """Erase conversations that have ended."""
    over = Conversation.objects.filter(state__in=Conversation.OVER, erased_at=None, active_at__lt=before)
    return sum(map(_erase_or_log, list(over.order_by("active_at").values_list("pk", flat=True)[:limit])))


def _erase_or_log(conversation: UUID) -> bool:
    """Erase one conversation; a failure is logged and does not stop the others."""
    try:
        erase_conversation(conversation, CLOCK, "kept as long as the settings say")
    except Exception:
        log.exception("conversation %s could not be erased; the next run tries again", conversation)
        return False
    return True


def _delete_tests(before: datetime, limit: int) -> int:
    """Delete test conversations, and then the releases that only tests used."""
    old = Conversation.objects.filter(test=True, active_at__lt=before).order_by("active_at")
    erased_keys = [key for key in old.values_list("pk", flat=True)[:limit] if _erase_or_log(key)]
    delete_files(UploadedFile.objects.filter(conversation__in=erased_keys))  # sent since they were erased
    Conversation.objects.filter(pk__in=erased_keys).delete()
    unused = Release.objects.filter(trial=True, published_at__lt=before)
    for model in (Conversation, Turn, HITLSession):
        unused = unused.exclude(Exists(model._default_manager.filter(release=OuterRef("pk"))))
    return len(erased_keys) + _delete_first(unused, limit)


def _delete_traces(before: datetime, limit: int) -> int:
    """Delete the records of how turns came about; the turns stay."""
    old = _first_keys(Turn.objects.filter(finished_at__lt=before).exclude(record={}), limit)
    events = Event.objects.filter(turn__in=old)
    events.update(understanding=None)
    return Turn.objects.filter(pk__in=old).update(record={})


def _delete_drafts(before: datetime, limit: int) -> int:
    return _delete_first(Draft.objects.filter(saved_at__lt=before), limit)


def _delete_attempts(before: datetime, limit: int) -> int:
    """Delete refused submissions."""
    return _delete_first(Submission.objects.filter(accepted=False, at__lt=before), limit)


def _delete_inbox_events(before: datetime, limit: int) -> int:
    """Delete inbox events."""
    return _delete_first(InboxEvent.objects.filter(at__lt=before), limit)


def _delete_webhooks(before: datetime, limit: int) -> int:
    """Delete deliveries of webhooks, also those that a paused endpoint still waits for, and events without one."""
    events = _delete_first(WebhookEvent.objects.filter(at__lt=before), limit)
    return events + _delete_first(WebhookDelivery.objects.filter(made_at__lt=before), limit)


def _delete_channels(before: datetime, limit: int) -> int:
    """Delete what came and went through channels, but for lines that still wait. Conversations and threads stay."""
    settled = ChannelDelivery.objects.filter(state__in=("sent", "skipped"), made_at__lt=before)
    return _delete_first(ChannelArrival.objects.filter(at__lt=before), limit) + _delete_first(settled, limit)


def _first_keys(rows: QuerySet[Any], limit: int) -> list[int]:
    return list(rows.order_by("pk").values_list("pk", flat=True)[:limit])


def _delete_first(rows: QuerySet[Any], limit: int) -> int:
    keys = _first_keys(rows, limit)
    rows.model._default_manager.filter(pk__in=keys).delete()
    return len(keys)


KINDS = (
    DataKind("conversations", _delete_conversations),
    DataKind("tests", _delete_tests),
    DataKind("traces", _delete_traces),
    DataKind("drafts", _delete_drafts),
    DataKind("attempts", _delete_attempts),
    DataKind("news", _delete_inbox_events),
    DataKind("webhooks", _delete_webhooks),
    DataKind("channels", _delete_channels),
)


def delete_expired_data(limit: int = 100) -> Mapping[str, int]:
    """Delete up to `limit` rows of each kind; return the numbers by kind. 0 days keep a kind for good.

    Unused files go after a day, whatever the settings say, and so do contents whose deletion was interrupted.
    """
    days_kept: Mapping[str, int] = soni.KEPT_DAYS
    now = clock.now()
    delete_unused(limit)
    finish_deletions(limit)
    return {
        kind.setting: kind.delete_before(now - timedelta(days=days_kept[kind.setting]), limit)
        for kind in KINDS
        if days_kept[kind.setting]
    }


@dataclass
class PeriodicDeletion:
    """Runs `delete_expired_data` once a minute, however often the sweep calls it."""

    next_at: float = 0.0

    def __call__(self) -> None:
        if time.monotonic() < self.next_at:
            return
        self.next_at = time.monotonic() + PAUSE_SECONDS
        forgotten = {kind: count for kind, count in delete_expired_data().items() if count}
        if forgotten:
            log.info("deleted expired data: %s", forgotten)


delete_periodically = PeriodicDeletion()
