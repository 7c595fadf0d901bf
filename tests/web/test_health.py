"""What the health pages say while something is away."""

import pytest
from django.db import OperationalError

from dialogue.turns.tables import MigrationsWait
from dialogue.web.views import health
from tests.server import free_port


def test_health_says_live_and_ready(client, db):
    assert client.get("/health/live").json() == {"status": "live"}
    assert client.get("/health/ready").json() == {"status": "ready"}


@pytest.mark.parametrize(
    ("failure", "what"), [(OperationalError("gone"), "database"), (MigrationsWait(), "migrations")]
)
def test_a_process_that_cannot_take_messages_says_what_it_waits_for(client, db, monkeypatch, failure, what):
    def refuse():
        raise failure

    monkeypatch.setattr(health, "refuse_unmigrated", refuse)

    answer = client.get("/health/ready")

    assert (answer.status_code, answer.json()) == (503, {"status": "waiting", "for": what})


def test_a_process_without_its_bell_works_on_and_says_so(client, db, settings):
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"

    answer = client.get("/health/ready")

    assert (answer.status_code, answer.json()) == (200, {"status": "ready", "without": ["redis"]})
