"""Jobs for the workers of the scaled deployment. A job names a conversation; the lease decides which worker runs it.

A job is enqueued in the event's transaction, so both are stored or neither. The sweep replaces a lost job; a job that
comes twice has nothing to do.
"""

from uuid import UUID

from django.apps import apps

from dialogue.models import hot_path

QUEUE = "procrastinate.contrib.django"
"""The app whose presence in INSTALLED_APPS means that workers run the turns."""
DRAIN = "drain"
SWEEP = "sweep"


def have_workers() -> bool:
    """Whether worker processes run the turns, and not the process that serves the pages."""
    return apps.is_installed(QUEUE)


def enqueue(conversation: UUID) -> None:
    """Queue a job for `conversation` in the open transaction; without workers do nothing."""
    if have_workers():
        _defer(conversation)


def enqueue_once(conversation: UUID) -> None:
    """Queue a job for a conversation that the sweep found, unless one waits already. Needs workers."""
    from procrastinate.exceptions import AlreadyEnqueued

    try:
        _defer(conversation, queueing_lock=str(conversation))
    except AlreadyEnqueued:
        return


def count_waiting(limit: int) -> int:
    """Count the jobs of turns that no worker has begun, up to `limit`. Needs workers."""
    from procrastinate.contrib.django.models import ProcrastinateJob

    return ProcrastinateJob.objects.filter(status="todo", task_name=DRAIN)[:limit].count()


def _defer(conversation: UUID, queueing_lock: str | None = None) -> None:
    from procrastinate.contrib.django import app

    hot_path.send_changes()  # Procrastinate raises all database errors of its statement as exceptions of its own
    app.configure_task(DRAIN, queueing_lock=queueing_lock).defer(conversation=str(conversation))
