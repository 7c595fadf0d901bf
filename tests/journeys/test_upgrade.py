"""What every recorded release left waiting goes on in this one, as it would have gone on there."""

from collections.abc import Iterator

import pytest

from tests.support.server import Server
from tests.upgrade.corpus import Recording, Waiting, recordings

pytestmark = pytest.mark.journey

WAITING = [
    pytest.param(recording, each, id=f"{recording.release}: {each.what}")
    for recording in recordings()
    for each in recording.waiting
]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Server]]:
    """One server on each recorded database, brought up to date by its start."""
    running = {}
    for recording in recordings():
        data = tmp_path_factory.mktemp(recording.release)
        recording.restore(data / "soni.sqlite3")
        running[recording.release] = Server(data)
        running[recording.release].start()
    yield running
    for server in running.values():
        server.kill()


@pytest.mark.parametrize(("recording", "waiting"), WAITING)
def test_a_conversation_of_an_earlier_release_goes_on(
    servers: dict[str, Server], recording: Recording, waiting: Waiting
) -> None:
    assert waiting.go_on(servers[recording.release]) == waiting.keys
