"""What the health pages say while something is away."""

import pytest
from django.contrib.sessions.models import Session
from django.db import OperationalError

from dialogue.turns.process import writes
from dialogue.turns.process.database import MigrationsWait, in_thread
from dialogue.web.operations import health
from tests.support.processes.server import free_port
from tests.support.soni_settings import change


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


class Disk:
    """A database whose writes fail as long as its disk is full."""

    def __init__(self) -> None:
        self.full = True
        self.probes = 0

    def probe(self) -> bool:
        self.probes += 1
        return not self.full


@pytest.fixture
def disk(monkeypatch) -> Disk:
    made = Disk()
    monkeypatch.setattr(writes, "_probe_write", made.probe)
    monkeypatch.setattr(writes, "_failing", False)
    monkeypatch.setattr(writes, "_probed_at", -writes.PROBE_SECONDS)
    return made


def test_after_a_failed_write_a_process_is_not_ready_until_one_works_again(client, db, disk, monkeypatch):
    monkeypatch.setattr(writes, "PROBE_SECONDS", 0.0)
    assert client.get("/health/ready").status_code == 200
    assert disk.probes == 0

    writes.remember_failure()
    waiting = client.get("/health/ready")
    disk.full = False

    assert (waiting.status_code, waiting.json()) == (503, {"status": "waiting", "for": "writes"})
    assert [client.get("/health/ready").status_code for _ in range(2)] == [200, 200]
    assert disk.probes == 2


def test_however_often_readiness_is_asked_for_the_database_is_tried_once_a_second(client, db, disk):
    writes.remember_failure()

    assert {client.get("/health/ready").status_code for _ in range(3)} == {503}
    assert disk.probes == 1


@pytest.mark.django_db(transaction=True)
async def test_a_failure_in_the_database_s_threads_is_remembered(disk):
    def fail() -> None:
        raise OperationalError("database or disk is full")

    with pytest.raises(OperationalError):
        await in_thread(fail)()

    assert not writes.writes_work()


@pytest.mark.django_db(transaction=True)
def test_the_probe_writes_and_leaves_nothing_behind():
    assert writes._probe_write()
    assert not Session.objects.exists()


def test_a_process_without_its_bell_works_on_and_says_so(client, db, settings):
    change(settings, REDIS_URL=f"redis://127.0.0.1:{free_port()}/0")

    answer = client.get("/health/ready")

    assert (answer.status_code, answer.json()) == (200, {"status": "ready", "without": ["redis"]})
