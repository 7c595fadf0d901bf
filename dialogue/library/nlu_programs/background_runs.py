"""Long work of an assistant: one of a kind at a time, given up when nobody is at it, in a process of its own."""

import os
import sys
from datetime import timedelta
from typing import TypeVar

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from dialogue.models.authoring.background_run import Run
from dialogue.turns import clock

AnyRun = TypeVar("AnyRun", bound=Run)


class RunAlreadyActive(Exception):
    """Work of this kind is on its way for this assistant already."""


def insert_run(row: AnyRun) -> AnyRun:
    """The row of work that begins now. Raises RunAlreadyActive while another one is alive."""
    row.started_at = row.beat_at = clock.now()
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError as error:
        raise RunAlreadyActive(RunAlreadyActive.__doc__) from error
    return row


def close_silent_runs(rows: QuerySet[AnyRun], silent_for: timedelta, reason: str) -> int:
    """Close those of which nobody has heard for so long; `error` is for people to read."""
    now = clock.now()
    silent_runs = rows.filter(state=Run.State.RUNNING, beat_at__lt=now - silent_for)
    return silent_runs.update(state=Run.State.BROKEN, error=reason, ended_at=now)


def process_environment() -> dict[str, str]:
    """What a process of our own is started with: this one's settings, and the folders that it imports from."""
    module = os.environ.get("DJANGO_SETTINGS_MODULE", settings.SETTINGS_MODULE)
    folders = os.pathsep.join(folder or os.getcwd() for folder in sys.path)
    return {**os.environ, "DJANGO_SETTINGS_MODULE": module, "PYTHONPATH": folders}
