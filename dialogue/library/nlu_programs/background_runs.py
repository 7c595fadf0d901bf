"""Background runs: one of a kind per assistant, marked broken when its process is silent."""

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
    """A run of this kind is already active for this assistant."""


def insert_run(row: AnyRun) -> AnyRun:
    """Insert the row of a run that begins now. Raises RunAlreadyActive while another one is active."""
    row.started_at = row.beat_at = clock.now()
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError as error:
        raise RunAlreadyActive(RunAlreadyActive.__doc__) from error
    return row


def close_silent_runs(rows: QuerySet[AnyRun], silent_for: timedelta, reason: str) -> int:
    """Mark runs without a heartbeat for `silent_for` as broken; `reason` is shown to people. Returns their number."""
    now = clock.now()
    silent_runs = rows.filter(state=Run.State.RUNNING, beat_at__lt=now - silent_for)
    return silent_runs.update(state=Run.State.BROKEN, error=reason, ended_at=now)


def process_environment() -> dict[str, str]:
    """The environment of a child process: this one's settings module and import path."""
    module = os.environ.get("DJANGO_SETTINGS_MODULE", settings.SETTINGS_MODULE)
    folders = os.pathsep.join(folder or os.getcwd() for folder in sys.path)
    return {**os.environ, "DJANGO_SETTINGS_MODULE": module, "PYTHONPATH": folders}
