"""A customer chats and an operator decides, each in a terminal."""

import asyncio
import re
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command

from dialogue.engine.actions import registry
from dialogue.library.demo.seed import seed_demo
from dialogue.models import Conversation, HITLSession
from tests.support.releases import publish
from tests.turns.test_transcript import ERRAND

pytestmark = pytest.mark.django_db(transaction=True)

TRANSFER = ["send 8450 to Lindqvist Marine, DE89370400440532013000", "yes"]


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def end_of_input() -> str:
    raise EOFError


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch):
    """Types the given lines into `chat bank`, and then the end of input."""

    def typed(lines: list[str], *arguments: str) -> str:
        left = iter(lines)

        def type_next(_prompt: str) -> str:
            try:
                return next(left)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", type_next)
        return printed("chat", "bank", *arguments)

    return typed


@pytest.fixture
def waiting(chat) -> HITLSession:
    """A transfer of Ursula's that waits for a colleague."""
    seed_demo()
    # Transactional tests begin without the rows that migrations made, such as what operators may.
    User.objects.get(username="olga").user_permissions.add(Permission.objects.get(codename="decide_hitlsession"))
    chat(TRANSFER, "--as", "ursula")
    return HITLSession.objects.get(audience="staff")


def test_a_conversation_shows_what_was_understood_and_where_it_stands(chat):
    seed_demo()

    shown = chat(TRANSFER[:1], "--as", "ursula", "-vv")

    assert "Send €8,450.00 to Lindqvist Marine" in shown
    assert '{"start_flow": "transfer_money"}' in shown
    assert "transfer_money!confirm" in shown
    assert Conversation.objects.get().customer == "Ursula"


def test_why_a_message_was_not_understood_is_shown_and_traced(chat):
    seed_demo()

    shown = chat(["quite some money matters here", "zzyzx"], "--as", "ursula", "-v")
    traced = printed("conversations", "trace", str(Conversation.objects.get().pk))

    assert re.search(r"nearest: “.+” of flow \w+ with 0\.\d\d \(asks from 0\.\d\d, decides from 0\.\d\d\)", shown)
    assert "no example is similar (asks from" in shown
    assert "not understood: nearest: “" in traced


def test_what_is_said_before_an_action_is_printed_while_the_action_runs(monkeypatch: pytest.MonkeyPatch):
    publish(ERRAND)
    out = StringIO()

    async def look(inputs: Any, *, key: str, conversation: str) -> dict[str, Any]:
        async with asyncio.timeout(20):
            while "One moment." not in out.getvalue():
                await asyncio.sleep(0.01)
        return {}

    typed = iter(["run an errand"])
    monkeypatch.setattr("builtins.input", lambda _prompt: next(typed, None) or end_of_input())
    for name in ("look", "fetch"):
        monkeypatch.setitem(registry._functions, name, look)

    call_command("chat", "errand", stdout=out)

    assert out.getvalue().splitlines()[1:] == ["One moment.", "Found it.", "Here it is."]


def test_who_waits_for_a_person_in_the_terminal_is_told_that_nobody_is_there_and_may_leave(chat):
    seed_demo()

    shown = chat(["send 6000 to Lindqvist Marine", "I want to talk to a person", "/leave"], "--as", "ursula")

    waited, gone_on = shown.split("Nobody is at the desk just now.")
    assert "A colleague will go on with you here." in waited
    assert "IBAN" in gone_on
    assert HITLSession.objects.get(kind="handoff").reason == "customer_left"


def test_an_operators_line_decides_and_the_flow_goes_on(waiting: HITLSession):
    assert waiting.name in printed("gates")

    assert "approved" in printed("gate", f"submit {waiting.name} approve", "--as", "olga")

    assert "is on its way" in printed("conversations", "inspect", str(waiting.conversation_id))
    assert printed("gates").strip() == "0 in all"


def test_a_line_that_is_refused_says_why(waiting: HITLSession):
    with pytest.raises(CommandError, match="422"):
        printed("gate", f"@{waiting.name}.0 7.5k", "--as", "olga")
    with pytest.raises(CommandError, match="is not a command"):
        printed("gate", "aprove g1", "--as", "olga")
    with pytest.raises(CommandError, match="--as NAME"):
        printed("gate", "next")


@pytest.mark.parametrize(
    ("command", "offered"), [("conversations", "list, inspect ID"), ("api_token", "list or revoke")]
)
def test_a_command_without_its_word_says_which_there_are(db, command: str, offered: str):
    with pytest.raises(CommandError, match=f"Name what to do: .*{offered}"):
        printed(command)


def test_a_conversation_is_listed_traced_and_cancelled(waiting: HITLSession):
    chat_id = str(waiting.conversation_id)

    assert chat_id in printed("conversations", "list", "--state", "waiting")
    assert '"proposed"' in printed("conversations", "trace", chat_id, "1")
    assert "cancelled" in printed("conversations", "cancel", chat_id, "wrong", "customer")

    waiting.refresh_from_db()
    assert waiting.state == HITLSession.State.CANCELLED
    with pytest.raises(CommandError, match="cancelled already"):
        printed("conversations", "cancel", chat_id, "again")


def test_a_test_is_marked_in_both_lists(waiting: HITLSession):
    listed = (printed("gates"), printed("conversations", "list"))
    Conversation.objects.update(test=True)

    assert all("(test)" not in shown for shown in listed)
    assert all("(test)" in shown for shown in (printed("gates"), printed("conversations", "list")))


def test_the_promises_hold_after_all_that(waiting: HITLSession):
    printed("gate", f"submit {waiting.name} reject too much", "--as", "olga")

    assert "0 expired" in printed("sweep")
    printed("verify_invariants")
    assert "all are as they were recorded" in printed("verify_audit")


def test_a_broken_promise_is_an_exit_status(waiting: HITLSession):
    Conversation.objects.update(last_message=99)

    with pytest.raises(CommandError, match="1 of 28 invariants"):
        printed("verify_invariants")
