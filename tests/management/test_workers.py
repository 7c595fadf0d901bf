"""`manage.py up --workers 2`: two server processes behind one port, over real HTTP and sockets."""

import http.client
import json
import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
import websockets.sync.client

from dialogue.management.one_process import AlreadyRunning, locked
from tests.support.database.migrated import NAME, copy_migrated
from tests.support.journeys.banking import PEOPLE, TRANSFER, URSULA, effects, opened, say
from tests.support.processes.crowd import Crowd, lost
from tests.support.processes.server import Server, wait_for

pytestmark = pytest.mark.journey

ENDS_WITHIN = 30.0  # eight seconds, where nothing else computes
BEFORE_THE_NEXT_LOOK = 10.0
"""Sockets read by themselves after 20 seconds: what comes before was notified."""


@contextmanager
def running_bank(folder: Path) -> Iterator[Server]:
    server = Server(
        folder / "data",
        SONI_ACTIONS="tests.support.journeys.slow_bank,dialogue.library.demo.library_actions",
        SLOW_BANK_LEDGER=str(folder / "effects"),
        SONI_METRICS_TOKEN="token",
        NLU_EMBEDDED="off",
    )
    server.data.mkdir()
    copy_migrated(server.data / NAME)
    server.start("--workers", "2")
    try:
        server.shell(PEOPLE)
        wait_for(lambda: len(workers_of(server)) == 2)
        yield server
    finally:
        server.end_all()


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Server]:
    """A bank of the test's own, whose processes it may end."""
    with running_bank(tmp_path) as server:
        yield server


@pytest.fixture(scope="module")
def lasting_bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A bank for the tests that end none of its processes."""
    with running_bank(tmp_path_factory.mktemp("bank")) as server:
        yield server


def workers_of(server: Server) -> list[int]:
    """The process ids of the server processes."""
    children = Path(f"/proc/{server.process}/task/{server.process}/children")
    return [int(pid) for pid in children.read_text().split()] if children.exists() else []


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@contextmanager
def only(server: Server, pid: int) -> Iterator[None]:
    """Let this process alone take what comes, while the others stand still."""
    others = [other for other in workers_of(server) if other != pid]
    for other in others:
        os.kill(other, signal.SIGSTOP)
    try:
        yield
    finally:
        for other in others:
            os.kill(other, signal.SIGCONT)


@pytest.fixture
def wires(lasting_bank: Server) -> Iterator[list[http.client.HTTPConnection]]:
    """A connection that stays open with each process of the lasting bank."""
    with ExitStack() as stack:
        opened_wires = []
        for pid in workers_of(lasting_bank):
            wire = stack.enter_context(closing(http.client.HTTPConnection("127.0.0.1", lasting_bank.port, timeout=60)))
            with only(lasting_bank, pid):
                assert asked(wire, "GET", "/health/live")[0] == 200
            opened_wires.append(wire)
        yield opened_wires


def asked(
    wire: http.client.HTTPConnection, method: str, path: str, token: str = "", body: dict[str, str] | None = None
) -> tuple[int, str]:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}", "Prefer": "respond-async"}
    wire.request(method, path, json.dumps(body) if body else None, headers)
    answer = wire.getresponse()
    return answer.status, answer.read().decode()


def socket_address(server: Server, path: str, token: str) -> str:
    conversation = path.rpartition("/")[2]
    return f"{server.url.replace('http', 'ws', 1)}/ws/conversations/{conversation}/?after=0&token={token}"


def test_both_processes_serve_the_port_and_the_greeting_is_printed_once(lasting_bank: Server):
    for pid in workers_of(lasting_bank):
        with only(lasting_bank, pid):
            assert lasting_bank.get("/health/ready").body == {"status": "ready"}

    assert (lasting_bank.data / "server.log").read_text().count("Open http://") == 1


def test_a_socket_of_one_process_hears_at_once_what_another_has_committed(
    lasting_bank: Server, wires: list[http.client.HTTPConnection]
):
    path, token = opened(lasting_bank)
    say(lasting_bank, path, token, 1, "hello")
    with ExitStack() as stack:
        with only(lasting_bank, workers_of(lasting_bank)[0]):
            address = socket_address(lasting_bank, path, token)
            socket = stack.enter_context(websockets.sync.client.connect(address))
            await_answer(socket)

        body = {"id": "m2", "text": "what is my balance?"}
        assert asked(wires[1], "POST", f"{path}/messages", token, body)[0] == 202

        began = time.monotonic()
        await_answer(socket)
        assert time.monotonic() - began < BEFORE_THE_NEXT_LOOK


def await_answer(socket: websockets.sync.client.ClientConnection) -> None:
    while json.loads(socket.recv(BEFORE_THE_NEXT_LOOK)).get("role") != "assistant":
        pass


def test_messages_that_come_to_both_processes_are_answered_in_their_order(
    lasting_bank: Server, wires: list[http.client.HTTPConnection]
):
    path, token = opened(lasting_bank)
    texts = ["hello", "what is my balance?"] * 6
    for number, text in enumerate(texts):
        body = {"id": f"m{number}", "text": text}
        assert asked(wires[number % 2], "POST", f"{path}/messages", token, body)[0] == 202

    wait_for(lambda: "due_events 0.0" in metrics_of(wires[0]))
    lines = lasting_bank.get(f"{path}/messages?after=0&limit=100", token).body["messages"]
    assert [line["text"] for line in lines if line["role"] == "user"] == texts
    turns = f"Turn.objects.filter(conversation='{path.rpartition('/')[2]}').order_by('number')"
    code = f"from dialogue.models import Turn; print(list({turns}.values_list('event__number', flat=True)))"
    assert json.loads(lasting_bank.shell(code)) == list(range(1, len(texts) + 1))
    assert lasting_bank.manage("verify_invariants")


def metrics_of(wire: http.client.HTTPConnection) -> str:
    return asked(wire, "GET", "/metrics", "token")[1]


def test_each_process_answers_with_the_counters_of_all(lasting_bank: Server, wires: list[http.client.HTTPConnection]):
    for number, wire in enumerate(wires):
        path, token = opened(lasting_bank)
        assert asked(wire, "POST", f"{path}/messages", token, {"id": f"m{number}", "text": "hello"})[0] == 202
    wait_for(lambda: "due_events 0.0" in metrics_of(wires[0]))

    def both_count_both() -> bool:
        """Also a moment later, as a turn is counted after its commit."""
        counts = [re.findall(r'soni_turns_total{outcome="committed"} (\d+)', metrics_of(wire)) for wire in wires]
        return counts[0] == counts[1] and int(counts[0][0]) >= 2

    assert wait_for(both_count_both)


def test_a_conversation_goes_on_in_the_other_process_when_its_own_is_killed_in_a_turn(bank: Server, tmp_path: Path):
    bank.end_all()
    bank.set(SLOW_BANK_SECONDS="3")
    bank.start("--workers", "2")
    wait_for(lambda: len(workers_of(bank)) == 2)
    path, token = opened(bank)
    first, _second = workers_of(bank)
    with only(bank, first):
        bank.post(f"{path}/messages", {"id": "m1", "text": TRANSFER}, token, Prefer="respond-async")
        wait_for(lambda: effects(tmp_path / "effects"))
        os.kill(first, signal.SIGKILL)

    def answered() -> bool:
        listed = bank.get(f"{path}/messages?after=0", token).body["messages"]
        return bool(listed) and listed[-1]["role"] == "assistant"

    wait_for(answered)
    wait_for(lambda: len(workers_of(bank)) == 2)
    assert first not in workers_of(bank)
    assert "worker 1" in (bank.data / "server.log").read_text()
    assert bank.manage("verify_invariants")


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT], ids=["TERM", "INT"])
def test_all_processes_end_in_time_while_people_write_and_nothing_is_lost(bank: Server, told: signal.Signals):
    crowd = Crowd(bank.port, URSULA, lambda number: ("hello", "no", "hello")[number])
    crowd.start(6)
    wait_for(lambda: crowd.acknowledged > 30)
    workers = workers_of(bank)

    assert bank.end(told, ENDS_WITHIN) == 0

    crowd.stop()
    assert not [pid for pid in workers if is_alive(pid)]
    bank.start("--workers", "2")
    wait_for(lambda: not lost(bank, crowd.lines))
    assert crowd.failures == []
    assert bank.manage("verify_invariants")


def test_the_processes_end_when_their_supervisor_is_killed_and_keep_the_file_until_then(bank: Server, tmp_path: Path):
    bank.end_all()
    bank.set(SLOW_BANK_SECONDS="600")
    bank.start("--workers", "2")
    wait_for(lambda: len(workers_of(bank)) == 2)
    path, token = opened(bank)
    bank.post(f"{path}/messages", {"id": "m1", "text": TRANSFER}, token, Prefer="respond-async")
    wait_for(lambda: effects(tmp_path / "effects"))
    workers, database = workers_of(bank), bank.data / NAME

    bank.kill()

    with pytest.raises(AlreadyRunning), locked(database.with_name(f"{NAME}.lock"), database):
        pass
    wait_for(lambda: not any(is_alive(pid) for pid in workers))


def test_hangup_replaces_the_processes_while_everybody_is_answered(lasting_bank: Server):
    bank, workers = lasting_bank, workers_of(lasting_bank)
    crowd = Crowd(bank.port, URSULA, lambda number: "hello")
    crowd.start(3)

    os.kill(bank.process, signal.SIGHUP)
    wait_for(lambda: len(workers_of(bank)) == 2 and not set(workers_of(bank)) & set(workers), 300)

    crowd.stop()
    assert crowd.failures == []
    wait_for(lambda: not lost(bank, crowd.lines))


def test_a_port_that_is_taken_is_named_before_a_process_is_started(lasting_bank: Server, tmp_path: Path):
    (tmp_path / "other").mkdir()
    copy_migrated(tmp_path / "other" / NAME)

    with pytest.raises(AssertionError, match=f"Port {lasting_bank.port} cannot be listened on"):
        Server(tmp_path / "other").manage("up", "--no-demo", "--workers", "2", "--port", str(lasting_bank.port))


@pytest.mark.parametrize("word", ["0", "65", "two"])
def test_a_number_of_processes_that_makes_no_sense_is_refused(tmp_path: Path, word: str):
    with pytest.raises(AssertionError, match="--workers"):
        Server(tmp_path / "data").manage("up", "--workers", word)
