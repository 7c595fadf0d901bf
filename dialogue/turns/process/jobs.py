"""Jobs for the workers of the scaled deployment: each says only where to look, and the lease decides who runs it.

A job is enqueued in the event's own transaction, so that both are there or neither. One that is lost is replaced by the
sweep, one that comes twice finds nothing to do.
"""

from uuid import UUID

from django.apps import apps

QUEUE = "procrastinate.contrib.django"
DRAIN = "drain"
SWEEP = "sweep"


def have_workers() -> bool:
    """Whether turns are run by workers of their own, and not by the process that serves the pages."""
    return apps.is_installed(QUEUE)


def enqueue(conversation: UUID) -> None:
    """Tell the workers that something is due in `conversation`, when the open transaction commits."""
    if have_workers():
        _defer(conversation)


def enqueue_once(conversation: UUID) -> None:
    """The same for what seems forgotten, unless such a job waits already. Opens a transaction of its own."""
    from procrastinate.exceptions import AlreadyEnqueued

    try:
        _defer(conversation, queueing_lock=str(conversation))
    except AlreadyEnqueued:
        return


def _defer(conversation: UUID, queueing_lock: str | None = None) -> None:
    from procrastinate.contrib.django import app

    app.configure_task(DRAIN, queueing_lock=queueing_lock).defer(conversation=str(conversation))
