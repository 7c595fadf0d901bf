"""Whether the database takes writes: a failed one is remembered, and readiness tries again until one works.

A disk that is full lets everything be read, so that a look at the database says nothing about it.
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
"""What a database raises for its own trouble; a wrong value or statement is none."""

PROBE_BYTES = 64 * 1024
"""More than what little room a full disk may have left."""

PROBE_SECONDS = 1.0
"""Between two probes, however often readiness is asked for."""

_failing = False
_probed_at = -PROBE_SECONDS


def remember_failure() -> None:
    """Something could not be read or written; which of them the next probe tells."""
    global _failing  # noqa: PLW0603 - a process has one database
    _failing = True


def writes_work() -> bool:
    """Whether writes work, as far as is known; after a failure a probe finds out."""
    global _failing, _probed_at  # noqa: PLW0603 - a process has one database
    if _failing and monotonic() - _probed_at >= PROBE_SECONDS:
        _probed_at = monotonic()
        _failing = not _probe_write()
    return not _failing


def _probe_write() -> bool:
    """Write a row for as long as it takes, in a table whose rows are nothing to anybody."""
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
def _of_a_page(sender: Any, **_: Any) -> None:
    """Django answers the exceptions of pages itself."""
    if isinstance(sys.exc_info()[1], FAILURES):
        remember_failure()
