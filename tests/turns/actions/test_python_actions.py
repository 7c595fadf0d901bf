"""Registered actions through a whole turn: Python types in and out, JSON in the ledger, and a reason that is read."""

import json
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.core.management import call_command
from django.test import Client

from dialogue.desk.access.people import read_person
from dialogue.desk.sessions.serializers import session_details
from dialogue.engine.actions import ActionFailed, registry
from dialogue.models import ActionRun, Conversation, HITLSession, Release, Turn
from dialogue.scenarios.format.recording import record_scenario
from dialogue.scenarios.replay import replay_conversation
from dialogue.turns.actions.ledger import inputs_digest
from tests.support.transfers import person
from tests.support.turns import begun, say

pytestmark = pytest.mark.django_db(transaction=True)

SHOP = {
    "assistant.yaml": "version: 1\nassistant: shop\nactions:\n  price:\n    inputs: {day: date, limit: money}\n"
    "    outputs: {total: money, due: date, note: optional text}\n    idempotent: IDEMPOTENT\n",
    "order.yaml": "flow: order\ntitle: order\ndescription: Orders.\nexamples: [order it]\nslots:\n"
    "  day: {type: date, prompt: Which day?}\n  limit: {type: money, default: 20}\n"
    "  total: {type: money, required: false}\n  due: {type: date, required: false}\n"
    "  note: {type: text, required: false}\nsteps:\n  - {step: ask, type: collect, slot: day}\n"
    "  - {step: price, type: action, call: price, outputs: {total: total, due: due, note: note}}\n"
    '  - {step: done, type: say, message: "{total} until {due}."}\n',
}


class Price:
    """The shop's action, which does what the test says, and what it was given."""

    def __init__(self) -> None:
        self.result: Any = None
        self.given: list[dict[str, Any]] = []

    def __call__(self, inputs: dict[str, Any], *, key: str, conversation: str) -> Any:
        self.given.append(inputs)
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


@pytest.fixture
def price() -> Iterator[Price]:
    hands = Price()
    registry.action("price")(hands)
    yield hands
    registry._functions.pop("price"), registry._versions.pop("price")


async def ordered(*, idempotent: bool = False) -> tuple[Conversation, list[str]]:
    """A conversation that came to the action, and what its last turn said."""
    conversation = await begun(
        {name: text.replace("IDEMPOTENT", str(idempotent).lower()) for name, text in SHOP.items()}
    )
    await say(conversation, "order it")
    return conversation, await say(conversation, "2026-11-30")


async def test_decimals_dates_and_none_go_through_the_ledger_as_json(price: Price) -> None:
    price.result = {"total": Decimal("12.50"), "due": date(2026, 12, 14), "note": None}

    conversation, keys = await ordered()

    assert keys == ["say:done"]
    last = await conversation.messages.order_by("seq").alast()
    assert last is not None and "12.50 until December 14" in last.text
    assert price.given == [{"day": date(2026, 11, 30), "limit": Decimal("20.00")}]
    run = await ActionRun.objects.aget()
    assert (run.state, run.error) == (ActionRun.State.SUCCEEDED, "")
    assert run.inputs == {"day": "2026-11-30", "limit": "20.00"}
    assert run.inputs_sha256 == inputs_digest(run.inputs)
    assert run.outputs == {"total": "12.50", "due": "2026-12-14", "note": None}


@pytest.mark.parametrize("result", [None, {"total": Decimal("1"), "due": date(2026, 12, 14)}])
async def test_what_an_action_leaves_out_leaves_its_slot_empty(price: Price, result: Any) -> None:
    price.result = result

    _, keys = await ordered()

    assert keys == ["say:done"]
    assert (await ActionRun.objects.aget()).state == ActionRun.State.SUCCEEDED


async def test_a_result_that_does_not_fit_is_named_in_the_ledger_and_in_the_record(price: Price) -> None:
    price.result = {"total": "abc", "due": date(2026, 12, 14)}

    conversation, keys = await ordered()

    assert keys == ["action_failed"]
    run = await ActionRun.objects.aget()
    assert run.state == ActionRun.State.SUCCEEDED
    assert run.error == "`total` does not fit the type money: “abc” is not an amount of money. Write it like 12.50."
    turn = await Turn.objects.filter(conversation=conversation).alatest("number")
    assert turn.record["actions"][0]["error"] == run.error
    assert not await HITLSession.objects.filter(audience="staff").aexists()


async def test_a_failure_is_told_in_the_trace_of_the_terminal(price: Price) -> None:
    price.result = ActionFailed("no stock")

    conversation, keys = await ordered()

    assert keys == ["action_failed"]
    out = StringIO()
    await sync_to_async(call_command)("conversations", "trace", str(conversation.pk), stdout=out)
    assert '"error": "no stock"' in out.getvalue()


async def test_the_gate_that_asks_whether_it_happened_shows_the_error_on_every_way_to_it(price: Price) -> None:
    price.result = ZeroDivisionError("division by zero")

    await ordered()

    session = await HITLSession.objects.aget(audience="staff")
    await sync_to_async(_assert_error_is_shown)(session)


def _assert_error_is_shown(session: HITLSession) -> None:
    error = "ZeroDivisionError: division by zero"
    olga = person("olga", "Olga Petrov", "operators")
    sofia = person("sofia", "Sofia Ruiz", "supervisors", is_staff=True)
    told = session_details(session, read_person(olga.pk))
    assert (told["error"], told["message"]) == (error, "")
    browser = Client()
    browser.force_login(olga)
    page = browser.get(f"/gates/{session.name}/").content.decode()
    assert "The action reported:" in page
    assert error in page
    assert "The customer was told:" not in page
    out = StringIO()
    call_command("gates", stdout=out)
    assert f"the action reported: {error}" in out.getvalue()
    browser.force_login(sofia)
    assert error in browser.get("/admin/dialogue/actionrun/").content.decode()
    assert error in browser.get(f"/admin/dialogue/actionrun/{ActionRun.objects.get().pk}/change/").content.decode()


async def test_the_terminal_chat_shows_what_actions_did(price: Price, monkeypatch: pytest.MonkeyPatch) -> None:
    price.result = ActionFailed("no stock")
    await ordered()
    lines = iter(["order it", "2026-11-30"])

    def type_next(_prompt: str) -> str:
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", type_next)
    out = StringIO()
    await sync_to_async(call_command)("chat", "shop", "-v", stdout=out)

    assert "action price failed: no stock" in out.getvalue()


async def test_a_result_that_did_not_fit_goes_the_same_way_in_a_replay_and_in_a_recorded_scenario(price: Price) -> None:
    price.result = {"total": "abc"}
    conversation, _ = await ordered()
    release = await Release.objects.aget()

    again = await replay_conversation(conversation, release)

    assert not list(again.differing_turns)
    text = await sync_to_async(record_scenario)(conversation, "too high", "../shop")
    assert json.loads(text)["stubs"]["price"][0]["raises"].startswith("`total` does not fit the type money")
