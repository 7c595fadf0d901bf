"""SIGTERM and Ctrl-C while people use the product: the process ends within ten seconds, and nothing is lost."""

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import websockets.sync.client
from websockets.exceptions import ConnectionClosedError

from tests.support.database.migrated import NAME, copy_migrated
from tests.support.journeys.banking import PEOPLE, TRANSFER, URSULA, effects, opened
from tests.support.processes.crowd import Crowd, lost
from tests.support.processes.server import Server, wait_for

pytestmark = pytest.mark.journey

CLIENTS = 8
ENDS_WITHIN = 30.0  # eight seconds, where nothing else computes


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Server]:
    server = Server(
        tmp_path / "data",
        SONI_ACTIONS="tests.support.journeys.slow_bank,dialogue.library.demo.library_actions",
        SLOW_BANK_LEDGER=str(tmp_path / "effects"),
        SLOW_BANK_SECONDS="0.2",
        NLU_EMBEDDED="off",
    )
    server.data.mkdir()
    copy_migrated(server.data / NAME)
    server.start()
    server.shell(PEOPLE)
    yield server
    server.kill()


@pytest.fixture
def crowd(bank: Server) -> Iterator[Crowd]:
    made = Crowd(bank.port, URSULA, lambda number: (TRANSFER, "no", "hello")[number])
    made.start(CLIENTS)
    yield made
    made.stop()


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT], ids=["TERM", "INT"])
def test_a_server_that_eight_clients_use_ends_when_it_is_told_to(
    bank: Server, crowd: Crowd, told: signal.Signals
) -> None:
    wait_for(lambda: crowd.acknowledged > 30)

    assert bank.end(told, ENDS_WITHIN) == 0

    crowd.stop()
    bank.start()
    wait_for(lambda: not lost(bank, crowd.lines))
    assert crowd.failures == []
    log = (bank.data / "server.log").read_text()
    assert "ended now" not in log
    assert "could not end in order" not in log
    assert bank.manage("verify_invariants")


def test_who_waits_for_an_answer_gets_it_before_the_server_ends(bank: Server, tmp_path: Path) -> None:
    path, token = opened(bank)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(bank.post, f"{path}/messages", {"id": "m1", "text": TRANSFER}, token)
        wait_for(lambda: effects(tmp_path / "effects"))

        assert bank.end(signal.SIGTERM, ENDS_WITHIN) == 0

        assert waiting.result().status == 200


def test_an_open_page_is_told_to_come_again(bank: Server) -> None:
    path, token = opened(bank)
    address = f"{bank.url.replace('http', 'ws', 1)}/ws/conversations/{path.rpartition('/')[2]}/?after=0&token={token}"

    with websockets.sync.client.connect(address) as socket, ThreadPoolExecutor() as pool:
        listening = pool.submit(lambda: list(socket))
        assert bank.end(signal.SIGTERM, ENDS_WITHIN) == 0

        with pytest.raises(ConnectionClosedError):
            listening.result()
        assert socket.protocol.close_code == 1012


def test_a_server_ends_though_an_action_never_returns(bank: Server, tmp_path: Path) -> None:
    bank.kill()
    bank.set(SLOW_BANK_SECONDS="600")
    bank.start()
    path, token = opened(bank)
    bank.post(f"{path}/messages", {"id": "m1", "text": TRANSFER}, token, Prefer="respond-async")
    wait_for(lambda: effects(tmp_path / "effects"))

    assert bank.end(signal.SIGTERM, ENDS_WITHIN) == 0

    assert "ended now" in (bank.data / "server.log").read_text()
