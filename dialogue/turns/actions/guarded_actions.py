"""Limit calls of actions: a bounded number at a time, and a circuit breaker for actions that do not answer.

A call that is refused here was never made; its outcome is `Failed`, not `Unknown`.
"""

import asyncio
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from dialogue.circuit_breaker import CircuitBreaker
from dialogue.engine.actions import ActionCall, Actions, Failed, Outcome, Unknown

MAX_CONCURRENT_CALLS = 4
"""Of one action in one process; further calls wait."""

MAX_UNKNOWN_OUTCOMES = 5
WINDOW_SECONDS = 60.0
"""After `MAX_UNKNOWN_OUTCOMES` within these seconds, calls fail at once until the circuit breaker lets one try."""


def action_breaker() -> CircuitBreaker:
    """A closed circuit breaker for one action."""
    return CircuitBreaker(MAX_UNKNOWN_OUTCOMES, WINDOW_SECONDS)


@dataclass
class ActionLimits:
    """The circuit breakers and call limits of one process, by the names of its actions."""

    breakers: dict[str, CircuitBreaker] = field(default_factory=dict)
    # A semaphore belongs to one event loop; the sweep and the tests run more than one in a process.
    _call_slots: "WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Semaphore]]" = field(
        default_factory=WeakKeyDictionary
    )

    def breaker(self, action: str) -> CircuitBreaker:
        return self.breakers.setdefault(action, action_breaker())

    def call_slot(self, action: str) -> asyncio.Semaphore:
        """The semaphore that bounds the concurrent calls of this action."""
        semaphores = self._call_slots.setdefault(asyncio.get_running_loop(), {})
        return semaphores.setdefault(action, asyncio.Semaphore(MAX_CONCURRENT_CALLS))


process_limits = ActionLimits()


@dataclass(frozen=True)
class GuardedActions:
    """The actions port with call limits and circuit breakers around `inner`."""

    inner: Actions
    limits: ActionLimits = field(default_factory=lambda: process_limits)

    async def run(self, call: ActionCall) -> Outcome:
        """Return the outcome from `inner`, or `Failed` without calling it while its circuit breaker is open."""
        async with self.limits.call_slot(call.name):
            breaker = self.limits.breaker(call.name)
            if not breaker.allow():
                return Failed(
                    f"{call.name} is not called for now: it did not answer the last {MAX_UNKNOWN_OUTCOMES} times"
                )
            try:
                outcome = await self.inner.run(call)
            except BaseException:  # also a cancelled turn: the trial call must not block the ones after it
                breaker.abandon()
                raise
            # A refusal is an answer: the service works. Only an unknown outcome counts as a failure.
            if isinstance(outcome, Unknown):
                breaker.record_failure()
            else:
                breaker.record_success()
            return outcome
