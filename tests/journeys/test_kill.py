"""The server is killed by -9, while a gate waits and while a turn runs; nothing is lost, and the money goes once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.database.migrated import NAME, copy_migrated
from tests.support.journeys.banking import PEOPLE, TRANSFER, approve, effects, keys, opened, say
from tests.support.processes.server import Server, wait_for

pytestmark = pytest.mark.journey


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Server]:
    """A new bank with a customer's door and Olga's token."""
    server = Server(
        tmp_path / "data",
        SONI_ACTIONS="tests.support.journeys.slow_bank,dialogue.library.demo.library_actions",
        SLOW_BANK_LEDGER=str(tmp_path / "effects"),
        SLOW_BANK_SECONDS="1.5",
    )
    server.data.mkdir()
    copy_migrated(server.data / NAME)
    server.start()
    server.shell(PEOPLE)
    yield server
    server.kill()


def test_a_gate_outlives_the_process_and_the_money_goes_once(bank: Server) -> None:
    path, token = opened(bank)
    say(bank, path, token, 1, TRANSFER)
    say(bank, path, token, 2, "yes")
    bank.kill()
    bank.start()

    approve(bank)

    wait_for(lambda: "say:done" in keys(bank, path, token))
    assert effects(bank.data.parent / "effects") == ["check_payee", "send_money"]
    assert bank.manage("verify_invariants")


def test_a_turn_that_was_cut_off_is_run_again_after_the_start(bank: Server) -> None:
    path, token = opened(bank)
    answer = bank.post(f"{path}/messages", {"id": "m1", "text": TRANSFER}, token, Prefer="respond-async")
    assert answer.status == 202, answer.body
    wait_for(lambda: effects(bank.data.parent / "effects") == ["check_payee"])
    bank.kill()
    bank.start()

    wait_for(lambda: keys(bank, path, token) == ["confirm:transfer_money"])
    say(bank, path, token, 2, "yes")
    approve(bank)

    wait_for(lambda: "say:done" in keys(bank, path, token))
    assert effects(bank.data.parent / "effects") == ["check_payee", "check_payee", "send_money"]
    assert bank.manage("verify_invariants")
