"""The end of a process that was told to end, in any case: a thread that never returns does not keep it alive."""

import logging
import os
import sys
import threading
from contextlib import suppress

log = logging.getLogger(__name__)

END_SECONDS = 8.0
"""From the signal to the forced end; container engines kill after ten."""

_started = threading.Event()


def end_within(seconds: float = END_SECONDS) -> None:
    """End this process after `seconds`, if it has not ended by itself. A second call changes nothing."""
    if not _started.is_set():
        _started.set()
        timer = threading.Timer(seconds, _end_process)
        timer.daemon = True  # or it would itself keep the process alive
        timer.start()


def _end_process() -> None:
    """End at once, as a kill would: what was accepted is stored, and the next process goes on with it."""
    thread_names = sorted(thread.name for thread in threading.enumerate() if not thread.daemon)
    log.warning("the process did not end by itself and is ended now; still at work: %s", ", ".join(thread_names))
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(0)
