"""`manage.py up` in a process of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server import DidNotStart, Server

pytestmark = pytest.mark.journey


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path / "data")
    yield server
    server.kill()


def test_a_new_database_gets_the_demo_and_says_how_to_sign_in(server: Server):
    said = server.start()

    assert f"Open http://localhost:{server.port}/" in said
    assert "olga" in said
    assert server.shell("from dialogue.models import Assistant; print(Assistant.objects.count())").strip() == "2"


def test_the_passwords_are_shown_once(server: Server):
    server.start()
    server.kill()

    assert "changepassword" in server.start()


def test_without_the_demo_nobody_is_made(server: Server):
    said = server.start("--no-demo")

    assert "createsuperuser" in said
    assert server.shell("from django.contrib.auth.models import User; print(User.objects.count())").strip() == "0"


def test_a_second_process_on_the_same_folder_is_refused(server: Server):
    server.start()
    second = Server(server.data)

    with pytest.raises(DidNotStart, match="a SQLite database has one server"):
        second.start()


def test_a_port_that_is_taken_is_named(server: Server, tmp_path: Path):
    server.start()

    with pytest.raises(AssertionError, match=f"Port {server.port} cannot be listened on"):
        Server(tmp_path / "other").manage("up", "--no-demo", "--port", str(server.port))
