"""The clock of the server's timers: one that is never put back or forward, unlike the host's."""

from time import monotonic

from daphne.server import Server  # type: ignore[import-untyped]  # noqa: F401 - it chooses Twisted's reactor
from twisted.internet import reactor


def use_monotonic_timers() -> None:
    """Have Twisted's timers count by the monotonic clock, before the server sets the first of them.

    Twisted reads the host's clock. When that is put back, its timers wait for as long; and if it is put back while due
    timers are run, a timer that is set again and again, as Daphne does each second, counts as due until the old time is
    reached: the loop then runs nothing else.
    """
    setattr(reactor, "seconds", monotonic)  # noqa: B010 - the interface that the reactor is typed by has it as a method
