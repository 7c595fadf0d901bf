"""What a customer writes while staff decide, over a real socket: nothing changes by accident."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.database.migrated import NAME, copy_migrated
from tests.support.journeys.banking import PEOPLE, TRANSFER, approve, effects, only_gate, opened, say
from tests.support.processes.raw_socket import RawSocket
from tests.support.processes.server import Server

pytestmark = pytest.mark.journey


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Server]:
    """A new bank with a customer's door and Olga's token."""
    server = Server(
        tmp_path / "data",
        SONI_ACTIONS="tests.support.journeys.slow_bank,dialogue.library.demo.library_actions",
        SLOW_BANK_LEDGER=str(tmp_path / "effects"),
        SLOW_BANK_SECONDS="0",
    )
    server.data.mkdir()
    copy_migrated(server.data / NAME)
    server.start()
    server.shell(PEOPLE)
    yield server
    server.kill()


class Chat:
    """Ursula's socket."""

    def __init__(self, line: RawSocket) -> None:
        self.line = line
        self.sent = 10

    def says(self, text: str) -> list[str]:
        """The keys of the assistant's messages in the turn that this begins."""
        self.sent += 1
        self.line.say(type="user.message", id=f"w{self.sent}", text=text)
        keys: list[str] = []
        while (frame := self.line.hear("message", "turn.finished"))["type"] == "message":
            keys += [frame["key"]] if frame["role"] == "assistant" else []
        return keys


def test_a_customer_who_waits_changes_nothing_unless_asked_and_agreed(bank: Server) -> None:
    path, token = opened(bank)
    say(bank, path, token, 1, TRANSFER)
    answer = say(bank, path, token, 2, "yes")
    gate = only_gate(bank)
    address = f"/ws/conversations/{path.rpartition('/')[2]}/?token={token}&after={answer['messages'][-1]['seq']}"

    with RawSocket(bank.port, address) as line:
        chat = Chat(line)
        assert chat.says("ok, I'll wait") == ["status"]
        assert chat.says("has anybody looked at it?") == ["status"]
        assert chat.says("my sister had to wait for 300 minutes") == ["waiting:approval"]
        assert chat.says("300") == ["offer_change:amount"]
        assert chat.says("no") == ["status"]
        assert only_gate(bank) == gate

        assert chat.says("300") == ["offer_change:amount"]
        approve(bank, gate)
        assert line.hear("turn.finished")

    assert effects(bank.data.parent / "effects") == ["check_payee", "send_money"]
    assert bank.manage("verify_invariants")


def test_a_customer_who_agrees_to_the_change_is_asked_again_with_the_new_amount(bank: Server) -> None:
    path, token = opened(bank)
    say(bank, path, token, 1, TRANSFER)
    say(bank, path, token, 2, "yes")
    gate = only_gate(bank)
    assert [each["key"] for each in say(bank, path, token, 3, "7000")["messages"]] == ["offer_change:amount"]

    said = [each["key"] for each in say(bank, path, token, 4, "yes")["messages"]]

    assert "corrected:amount" in said
    assert "confirm:transfer_money" in said
    assert bank.get(f"/api/v1/sessions/{gate}", "olgas-token").body["state"] != "open"
    assert effects(bank.data.parent / "effects") == ["check_payee"]
