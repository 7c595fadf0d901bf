"""What must not stand in a log: the token in the address of an answer link, and tracebacks of strangers' mistakes."""

import logging
import re
from collections.abc import Mapping
from logging import Filter, LogRecord
from typing import Any

SUSPICIOUS = "django.security."
"""The loggers of requests that Django refuses: a foreign Host, too many fields, a forged session."""
LINK = re.compile(r"(/answer/)[^/\s\"'?#]+")


class LinkMask(Filter):
    """Masks tokens in a record's message and arguments; a record is never dropped.

    The traceback, if there is one, is left as it is: it shows the lines of our code, not their values.
    """

    def filter(self, record: LogRecord) -> bool:
        record.msg = masked(record.msg)
        record.args = _masked_args(record.args)
        return True


class StrangersMistakes(Filter):
    """One line for what Django refuses as suspicious, such as a foreign Host; a record is never dropped.

    Anybody can send such requests without end: each was an ERROR with a traceback.
    """

    def filter(self, record: LogRecord) -> bool:
        if record.name.startswith(SUSPICIOUS) and record.levelno > logging.WARNING:
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.exc_info = record.exc_text = record.stack_info = None
        return True


def masked(value: Any) -> Any:
    """The value, with `…` for the token when it is a text that holds a link; anything else as it is."""
    return LINK.sub(r"\1…", value) if isinstance(value, str) else value


def _masked_args(args: Any) -> Any:
    if isinstance(args, Mapping):
        return {name: masked(value) for name, value in args.items()}
    return tuple(masked(value) for value in args) if args else args
