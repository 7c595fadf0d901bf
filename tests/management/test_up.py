"""`manage.py up` in a process of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.database.migrated import NAME, copy_migrated
from tests.support.processes.server import DidNotStart, Server

pytestmark = pytest.mark.journey


@pytest.fixture
def new(tmp_path: Path) -> Iterator[Server]:
    """One that finds nothing at all."""
    server = Server(tmp_path / "data")
    yield server
    server.kill()


@pytest.fixture
def server(new: Server) -> Server:
    """One whose database is migrated, and empty."""
    migrated_at(new.data)
    return new


def migrated_at(data: Path) -> None:
    data.mkdir()
    copy_migrated(data / NAME)


def test_a_new_database_gets_the_demo_and_says_how_to_sign_in(new: Server):
    said = new.start()

    assert f"Open http://localhost:{new.port}/" in said
    assert "olga" in said
    assert new.shell("from dialogue.models import Assistant; print(Assistant.objects.count())").strip() == "2"


def test_the_passwords_are_shown_once(server: Server):
    server.start()
    server.kill()

    said = server.start()
    assert "python manage.py changepassword NAME`" in said
    assert "shown only now" not in said


def test_without_the_demo_nobody_is_made(server: Server):
    said = server.start("--no-demo")

    assert "createsuperuser" in said
    assert server.shell("from django.contrib.auth.models import User; print(User.objects.count())").strip() == "0"


def test_a_project_without_the_demos_actions_is_told_what_to_do(tmp_path: Path):
    migrated_at(tmp_path / "own")
    own = Server(tmp_path / "own", SONI_ACTIONS="tests.upgrade.canteen_actions")

    with pytest.raises(AssertionError, match=r"start with --no-demo\. Nothing was loaded"):
        own.manage("up", "--port", str(own.port))


def test_a_second_process_on_the_same_folder_is_refused(server: Server):
    server.start()
    second = Server(server.data)

    told = f"at http://localhost:{server.port}/, and a SQLite database has one server"
    with pytest.raises(DidNotStart, match=told):
        second.start()


def test_a_port_that_is_taken_is_named_before_the_demo_is_made(server: Server, tmp_path: Path):
    server.start()
    other = tmp_path / "other"
    migrated_at(other)
    told = f"Port {server.port} cannot be listened on: another program uses it. Choose another"

    with pytest.raises(AssertionError, match=told):
        Server(other).manage("up", "--port", str(server.port))
    assert Server(other).shell("from django.contrib.auth.models import User; print(User.objects.count())") == "0\n"


def test_a_number_that_no_port_has_is_refused(server: Server):
    with pytest.raises(AssertionError, match="Port 70000 cannot be listened on: the number must be 0 to 65535"):
        server.manage("up", "--no-demo", "--port", "70000")
