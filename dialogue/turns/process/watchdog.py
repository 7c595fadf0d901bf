"""Force the end of a process that was told to end, even when a thread never returns."""

import logging
import os
import sys
import threading
from contextlib import suppress

log = logging.getLogger(__name__)

END_SECONDS = 8.0
"""Time from the signal to the forced end; container engines kill after ten seconds."""

_started = threading.Event()


def end_within(seconds: float = END_SECONDS) -> None:
    """End this process after `seconds` if it has not ended by itself. A second call does nothing."""
    if not _started.is_set():
        _started.set()
        timer = threading.Timer(seconds, _end_process)
        timer.daemon = True  # or it would itself keep the process alive
        timer.start()


def _end_process() -> None:
    """End at once, as a kill would. Accepted events are stored, and the next process runs their turns."""
    thread_names = sorted(thread.name for thread in threading.enumerate() if not thread.daemon)
    log.warning(
        "the process did not end by itself and is ended now; these threads still run: %s", ", ".join(thread_names)
    )
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(0)
