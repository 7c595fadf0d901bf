"""The circuit breaker that actions and language models share."""

from dialogue.circuit_breaker import OPEN_SECONDS, CircuitBreaker


class ManualClock:
    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


def opened(clock: ManualClock) -> CircuitBreaker:
    breaker = CircuitBreaker(max_failures=2, clock=clock)
    states = []
    for _ in range(2):
        breaker.record_failure()
        states.append(breaker.is_open)
    assert states == [False, True]
    return breaker


def test_a_success_starts_the_count_of_failures_again() -> None:
    breaker = CircuitBreaker(max_failures=2, clock=ManualClock())
    for _ in range(3):
        breaker.record_failure()
        breaker.record_success()

    assert not breaker.is_open


def test_after_a_pause_the_first_failure_opens_it_again() -> None:
    clock = ManualClock()
    breaker = opened(clock)
    clock.at += OPEN_SECONDS
    assert not breaker.is_open

    breaker.record_failure()

    assert breaker.is_open


def test_after_a_pause_one_trial_call_is_allowed_at_a_time() -> None:
    clock = ManualClock()
    breaker = opened(clock)
    clock.at += OPEN_SECONDS

    assert breaker.allow()
    assert not breaker.allow()
    breaker.abandon()
    assert breaker.allow()
    breaker.record_success()
    assert breaker.allow() and breaker.allow()


def test_a_failure_does_not_shorten_a_longer_pause() -> None:
    clock = ManualClock()
    breaker = opened(clock)
    breaker.open_for(300.0)
    breaker.record_failure()
    clock.at += 299.0

    assert breaker.is_open
