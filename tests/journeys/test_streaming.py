"""What a flow says before an action is with the customer while the action runs, and stays there after kill -9."""

import http.client
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support.database.migrated import NAME, copy_migrated
from tests.support.journeys.errands import FIRST, LAST, PUBLISH, Errands
from tests.support.processes.raw_socket import RawSocket
from tests.support.processes.server import Server, wait_for

pytestmark = pytest.mark.journey

ASKED = "run an errand"
WHOLE = [(1, ASKED), (2, FIRST), (3, LAST)]


@pytest.fixture(scope="module")
def errands(tmp_path_factory: pytest.TempPathFactory) -> Errands:
    return Errands(tmp_path_factory.mktemp("held") / "errands")


@pytest.fixture(scope="module")
def server(errands: Errands, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = errands.server(tmp_path_factory.mktemp("house") / "data")
    server.data.mkdir()
    copy_migrated(server.data / NAME)
    server.start()
    server.shell(PUBLISH)
    yield server
    server.kill()


def opened(server: Server) -> tuple[str, str]:
    """A new conversation and its token."""
    made = server.post("/api/v1/conversations", {"assistant": "errand"})
    assert made.status == 201, made.body
    return made.body["id"], made.body["token"]


def ask(server: Server, conversation: str, token: str) -> None:
    """Ask for the errand, without waiting for it."""
    path, body = f"/api/v1/conversations/{conversation}/messages", {"id": "m1", "text": ASKED}
    assert server.post(path, body, token, Prefer="respond-async").status == 202


def transcript(server: Server, conversation: str, token: str) -> list[tuple[int, str]]:
    listed = server.get(f"/api/v1/conversations/{conversation}/messages?after=0", token).body["messages"]
    return [(line["seq"], line["text"]) for line in listed]


def line_of(frame: dict[str, Any]) -> tuple[int, str]:
    return frame["seq"], frame["text"]


def socket_of(server: Server, conversation: str, token: str, after: int = 0) -> RawSocket:
    return RawSocket(server.port, f"/ws/conversations/{conversation}/?after={after}&token={token}")


@contextmanager
def events_of(server: Server, conversation: str, token: str) -> Iterator[Iterator[tuple[int, str]]]:
    """The lines of the conversation as its server-sent events bring them."""
    wire = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    path = f"/api/v1/conversations/{conversation}/events"
    wire.request("GET", path, headers={"Authorization": f"Bearer {token}"})
    answer = wire.getresponse()

    def lines() -> Iterator[tuple[int, str]]:
        kind = ""
        while text := answer.readline().decode():
            if text.startswith("event: "):
                kind = text.removeprefix("event: ").strip()
            elif text.startswith("data: ") and kind == "message":
                yield line_of(json.loads(text.removeprefix("data: ")))

    yield lines()
    wire.close()


def test_a_socket_has_the_line_while_the_action_is_held_and_the_rest_after_it(server: Server, errands: Errands) -> None:
    conversation, token = opened(server)
    with socket_of(server, conversation, token) as socket:
        socket.say(type="user.message", id="m1", text=ASKED)

        first = [line_of(socket.hear("message")) for _ in range(2)]
        assert errands.is_held(conversation)
        errands.let_go(conversation)
        rest = line_of(socket.hear("message", "turn.finished"))
        finished = socket.hear("message", "turn.finished")

    assert [*first, rest] == WHOLE
    assert (finished["type"], finished["turn"], finished["state"]) == ("turn.finished", 1, "idle")


def test_a_stream_of_events_has_the_line_while_the_action_is_held(server: Server, errands: Errands) -> None:
    conversation, token = opened(server)
    with events_of(server, conversation, token) as lines:
        ask(server, conversation, token)

        first = [next(lines), next(lines)]
        assert errands.is_held(conversation)
        errands.let_go(conversation)

        assert [*first, next(lines)] == WHOLE


def test_who_waits_for_the_answer_over_http_gets_both_lines_once(server: Server, errands: Errands) -> None:
    conversation, token = opened(server)
    path, body = f"/api/v1/conversations/{conversation}/messages", {"id": "m1", "text": ASKED}
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(server.post, path, body, token)
        errands.wait_until_it_runs(conversation)
        errands.let_go(conversation)
        answer = waiting.result()

    assert [line_of(line) for line in answer.body["messages"]] == WHOLE[1:]
    again = server.post(path, body, token)
    assert [line_of(line) for line in again.body["messages"]] == WHOLE[1:]


def test_after_kill_9_during_the_action_the_line_stands_once_under_its_number(server: Server, errands: Errands) -> None:
    conversation, token = opened(server)
    with socket_of(server, conversation, token) as socket:
        socket.say(type="user.message", id="m1", text=ASKED)
        heard = [line_of(socket.hear("message")) for _ in range(2)]
        errands.wait_until_it_runs(conversation)
        server.kill()
    server.start()
    errands.wait_until_it_runs(conversation, times=2)
    assert transcript(server, conversation, token) == heard == WHOLE[:2]

    with socket_of(server, conversation, token, after=2) as socket:
        errands.let_go(conversation)
        assert line_of(socket.hear("message")) == WHOLE[2]

    wait_for(lambda: transcript(server, conversation, token) == WHOLE)
    assert server.manage("verify_invariants")
