"""What `up` does before anybody can look."""

import pytest

from dialogue.management import server

pytestmark = pytest.mark.django_db(transaction=True)  # the pool looks after its connections


async def test_everything_overdue_is_expired_a_hundred_at_a_time_until_none_is_left(monkeypatch: pytest.MonkeyPatch):
    left, asked = [100, 40, 0], []

    def expire(most: int) -> int:
        asked.append(most)
        return left.pop(0)

    monkeypatch.setattr(server, "expire_due", expire)

    await server._expire_before_opening()

    assert (left, asked) == ([], [100, 100, 100])


async def test_a_sweep_that_fails_before_opening_keeps_nobody_from_starting(monkeypatch: pytest.MonkeyPatch, caplog):
    def broken(_most: int) -> int:
        raise OSError("the disk is full")

    monkeypatch.setattr(server, "expire_due", broken)

    await server._expire_before_opening()

    assert "the sweep before opening failed" in caplog.text
