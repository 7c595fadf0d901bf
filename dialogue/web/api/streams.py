"""How many streams of events a process keeps open: each looks into the database for as long as it lasts."""

from collections import Counter
from collections.abc import Callable
from threading import Lock

from django.utils.translation import gettext as _

from dialogue.web.api.problems import Problem

MOST, MOST_EACH = 200, 10


class Streams:
    """The open ones, in all and for each caller."""

    def __init__(self, most: int = MOST, most_each: int = MOST_EACH) -> None:
        self._most, self._most_each = most, most_each
        self._open: Counter[str] = Counter()
        self._lock = Lock()

    def begin(self, caller: str) -> Callable[[], None]:
        """One more for this caller; gives what ends it, once. Raises the 429 and the 503 of who comes too often."""
        with self._lock:
            if self._open[caller] >= self._most_each:
                raise _too_many(self._most_each)
            if self._open.total() >= self._most:
                raise Problem(503, "busy", _("This server has as many streams as it can keep. Please try again."))
            self._open[caller] += 1
        return self._ending(caller)

    def _ending(self, caller: str) -> Callable[[], None]:
        left = [caller]

        def end() -> None:
            with self._lock:
                if left:
                    self._open -= Counter([left.pop()])

        return end


def _too_many(most: int) -> Problem:
    return Problem(429, "too_many_streams", _("At most %(most)s streams at a time.") % {"most": most})


streams = Streams()
