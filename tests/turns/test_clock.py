"""Hosts disagree about the time: the database's counts, and a host that is far from it takes no leases and says why."""

import logging
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from dialogue.models import Conversation
from dialogue.turns import clock, lease
from dialogue.turns.accept import Incoming, accept, open_conversation
from tests.support.releases import GREETER, publish

pytestmark = [pytest.mark.django_db, pytest.mark.database]

A_HOUR = timedelta(hours=1)


@pytest.fixture
def conversation() -> Conversation:
    publish(GREETER)
    return open_conversation("greeter")[0]


@pytest.fixture
def off_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], None]:
    """Sets how far this host's clock is ahead of the database's."""

    def ahead(by: timedelta) -> None:
        monkeypatch.setattr(clock, "_ahead", by)
        monkeypatch.setattr(clock, "_compare_clocks", lambda *moments: None)
        monkeypatch.setattr(lease, "_told_skew_at", -60.0)

    return ahead


def test_reading_the_clock_compares_it_with_this_host_s() -> None:
    at = clock.now()

    clock._compare_clocks(at, at + A_HOUR, at + A_HOUR + timedelta(milliseconds=4))
    assert clock.measured_skew() == A_HOUR
    assert clock.is_skewed()

    clock._compare_clocks(at, at, at)
    assert not clock.is_skewed()


def test_an_answer_that_took_long_says_only_what_is_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "_ahead", A_HOUR)
    at, long = clock._read_database_time(), timedelta(seconds=3)
    monkeypatch.setattr(clock, "_ahead", A_HOUR)

    clock._compare_clocks(at, at, at + long)
    assert clock.is_skewed()  # as before: this may be so or not

    clock._compare_clocks(at, at - A_HOUR, at - A_HOUR + long)
    assert clock.measured_skew() == long - A_HOUR


@pytest.mark.parametrize("by", [A_HOUR, -A_HOUR, timedelta(seconds=2), -timedelta(days=1)])
def test_a_host_whose_clock_is_wrong_takes_no_lease_and_says_why(conversation, off_by, by, caplog) -> None:
    off_by(by)

    with caplog.at_level(logging.ERROR):
        assert lease.claim(conversation.pk) is None

    way = "ahead of" if by > timedelta(0) else "behind"
    assert f"{abs(by.total_seconds()):.1f} s {way} the database's" in caplog.text


def test_what_such_a_host_accepts_is_stored_and_left_to_others(conversation, off_by) -> None:
    off_by(A_HOUR)

    accepted = accept(conversation.pk, Incoming("message", "m1", {"text": "hi"}, text="hi"), claim_for=lease.OWNER)

    assert accepted.number == 1 and accepted.lease is None


def test_a_small_difference_is_tolerated(conversation, off_by) -> None:
    off_by(clock.TOLERANCE)

    assert lease.claim(conversation.pk) is not None


@pytest.mark.postgresql  # SQLite has no clock of its own
def test_a_start_with_a_wrong_clock_stops(off_by) -> None:
    off_by(A_HOUR)

    with pytest.raises(CommandError, match=r"3600\.0 s ahead of the database's"):
        call_command("up", "--port", "1")


@pytest.mark.postgresql  # SQLite has no clock of its own
def test_the_right_clock_stops_no_start() -> None:
    clock.refuse_skew()
