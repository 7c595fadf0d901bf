"""One core for the threads that turns go through.

Python runs in one thread at a time. Where two threads on two cores hand that over, as the loop and the database's
thread do some fifty times a message, a sleeping core is woken each time, and finds nothing of the work in its caches:
with a thousand open pages that was a third of what a server can do.
"""

import os
import random
from contextlib import suppress

_any = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
"""The cores that this process may use; where the system does not tell, it is left alone."""


def stay_on_one() -> None:
    """Keep this thread, and those that it starts from now on, on one core; not the first, which answers the devices."""
    if _any:
        _run_on([random.choice(_any[1:] or _any)])


def use_any() -> None:
    """Let this thread run on any core: its work is long, and nobody waits for its next step."""
    _run_on(_any)


def _run_on(cores: list[int]) -> None:
    with suppress(OSError):  # they were taken from us meanwhile: the system knows better
        if cores:
            os.sched_setaffinity(0, cores)
