"""Timers: the moments at which the host is to tell the engine that something is over."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

TimerName = Literal["due", "reminder", "timeout"]
"""The end of a wait, the reminder of a question, and the time limit of a question or of a wait for an event."""


@dataclass(frozen=True)
class TimerRequest:
    """At `at` (with a time zone) the host feeds a `timer` event with this task's key and the timer's name, once.

    A timer ends with its pause: see `timed` in `SettledPause`.
    """

    task_key: str
    name: TimerName
    at: datetime
