"""A receiver, a supervisor and a standing clock."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User

from dialogue.turns import clock
from tests.support.transfers import conversation, open_session, payments, person  # noqa: F401
from tests.support.webhooks import Receiver, running_receiver

NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)


@pytest.fixture
def hour() -> Iterator[clock.FrozenClock]:
    with clock.frozen(NOON) as standing:
        yield standing


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    with running_receiver(monkeypatch) as receiver:
        yield receiver


@pytest.fixture
def sofia(db: None) -> User:
    return person("sofia", "Sofia Berg", "supervisors")
