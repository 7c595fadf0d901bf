"""Whether the database takes writes. After a failure, readiness writes a probe until one succeeds.

A database on a full disk can still be read, so reading does not tell whether writes work.
"""

import logging
import sys
from datetime import UTC, datetime
from time import monotonic
from typing import Any
from uuid import uuid4

from django.contrib.sessions.models import Session
from django.core.signals import got_request_exception
from django.db import DatabaseError, InterfaceError, InternalError, OperationalError, transaction
from django.dispatch import receiver

log = logging.getLogger(__name__)

FAILURES = (OperationalError, InternalError, InterfaceError)
"""The errors of a database in trouble; a wrong value or statement raises others."""

PROBE_BYTES = 64 * 1024
"""More than the few pages that a full disk may have left."""

PROBE_SECONDS = 1.0
"""Time between two probes, however often readiness is asked for."""

_failing = False
_probed_at = -PROBE_SECONDS


def remember_failure() -> None:
    """Note that a statement failed; the next probe tells whether writes work."""
    global _failing  # noqa: PLW0603 - a process has one database
    _failing = True


def writes_work() -> bool:
    """Whether writes work. After a failure, write a probe, at most once in `PROBE_SECONDS`."""
    global _failing, _probed_at  # noqa: PLW0603 - a process has one database
    if _failing and monotonic() - _probed_at >= PROBE_SECONDS:
        _probed_at = monotonic()
        _failing = not _probe_write()
    return not _failing


def _probe_write() -> bool:
    """Write and delete a row of Django's sessions, a table in which an expired row has no meaning."""
    row = Session(f"probe-{uuid4().hex}"[:40], "x" * PROBE_BYTES, datetime(2000, 1, 1, tzinfo=UTC))
    try:
        with transaction.atomic():
            row.save(force_insert=True)
        row.delete()
    except DatabaseError as error:
        log.warning("the database takes no writes: %s", error)
        return False
    return True


@receiver(got_request_exception)
def _remember_page_failure(sender: Any, **_: Any) -> None:
    """Note the failures of pages, which Django answers itself, so that `in_thread` does not see them."""
    if isinstance(sys.exc_info()[1], FAILURES):
        remember_failure()
