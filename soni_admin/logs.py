"""Log lines as JSON, one object a line, for whatever collects them: only the fields that are allowed, so that nothing
that people said gets in by the way of an extra."""

import json
import logging
from datetime import UTC, datetime

from dialogue.conf.worker import worker_number

FACTS = ("conversation", "event", "turn", "session", "reference", "attempt", "status_code")
"""Extras that may stand in a line: numbers and identifiers."""


class JsonLine(logging.Formatter):
    """`{"at", "level", "logger", "text"}`, the allowed extras, and where an exception came from.

    Processes of `manage.py up --workers N` add `worker`, their number.
    """

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            **({"worker": worker_number()} if worker_number() else {}),
            "logger": record.name,
            "text": record.getMessage(),
            **{fact: str(record.__dict__[fact]) for fact in FACTS if fact in record.__dict__},
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)
