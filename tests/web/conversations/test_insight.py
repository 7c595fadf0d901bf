"""What the end user of a conversation is told of it, in whichever way: what flows say, and nothing of the inside."""

import asyncio
import json
import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.test import AsyncClient, Client

from dialogue.desk.access.people import Caller
from dialogue.models import Conversation
from dialogue.turns.accept import Incoming, accept, open_conversation
from dialogue.turns.live import notify
from dialogue.turns.process.database import in_thread
from dialogue.turns.worker import drain
from tests.support.releases import demo, publish
from tests.support.transfers import person
from tests.support.web.pages import text_of
from tests.support.web.socket_client import Socket
from tests.web.api.conftest import token_of

pytestmark = pytest.mark.django_db(transaction=True)

IBAN = "DE89370400440532013000"
AMOUNT = re.compile(r"(?<![\w.-])8[,.]?450(?![\w-])")
"""Not as a part of an id or of a time's fraction."""
STAFF_ONLY = ("Approve transfer", "release", "stack", "slots", "version", "over_limit", "frame", "known")


@pytest.fixture
def ursula(transactional_db: None) -> User:
    return person("ursula", "Ursula Berg")


@pytest.fixture
async def transfer(ursula: User) -> tuple[Conversation, str]:
    """Ursula's transfer, which waits for a colleague, and the token of its conversation."""
    await sync_to_async(publish)(demo("bank"))
    row, token = await sync_to_async(open_conversation)("bank", user=ursula)
    for number, text in enumerate((f"send 8450 to Lindqvist Marine, {IBAN}", "yes")):
        await in_thread(accept)(row.pk, Incoming("message", f"m{number}", {"text": text}, text=text))
        await drain(row.pk)
    return row, token


@pytest.fixture
def sofia_token(transactional_db: None) -> str:
    return token_of(Caller(person("sofia", "Sofia Ruiz", "supervisors").pk, "api"))


def waits(view: dict[str, Any]) -> list[dict[str, Any]]:
    """What is pending, without the sessions' numbers and moments."""
    left_out = ("session", "opened_at", "expires_at")
    return [{name: value for name, value in each.items() if name not in left_out} for each in view["pending"]]


async def get(path: str, bearer: str) -> dict[str, Any]:
    answer = await AsyncClient().get(f"/api/v1{path}", headers={"Authorization": f"Bearer {bearer}"})
    assert answer.status_code == 200, answer.content
    view: dict[str, Any] = json.loads(answer.content)
    return view


async def finished_on_stream(row: Conversation, bearer: str) -> dict[str, Any]:
    """The end of the last turn, as server-sent events tell it."""
    path = f"/api/v1/conversations/{row.pk}/events"
    answer: Any = await AsyncClient().get(path, headers={"Authorization": f"Bearer {bearer}"})
    async for part in answer:
        event, _, data = part.decode().strip().partition("data: ")
        if "event: turn.finished" in event:
            view: dict[str, Any] = json.loads(data)
            answer.close()
            return view
    raise AssertionError("The stream ended without the end of the turn.")


async def finished_on_socket(path: str, browser: Client | None = None) -> dict[str, Any]:
    async with Socket(path, browser) as socket:
        return await socket.hear("turn.finished")


def browser_of(user: User) -> Client:
    browser = Client()
    browser.force_login(user)
    return browser


async def views_of_ursula(row: Conversation, token: str, ursula: User) -> dict[str, dict[str, Any]]:
    """Where the conversation stands, as each way tells her."""
    own = await sync_to_async(token_of)(Caller(ursula.pk, "api"))
    socket = f"/ws/conversations/{row.pk}/?after=0"
    browser = await sync_to_async(browser_of)(ursula)
    return {
        "token": await get(f"/conversations/{row.pk}", token),
        "account": await get(f"/conversations/{row.pk}", own),
        "stream": await finished_on_stream(row, token),
        "stream of the account": await finished_on_stream(row, own),
        "socket": await finished_on_socket(f"{socket}&token={token}"),
        "socket of the account": await finished_on_socket(socket, browser),
    }


async def test_no_way_tells_an_end_user_stack_slots_or_the_titles_of_gates(transfer, ursula):
    views = await views_of_ursula(transfer[0], transfer[1], ursula)

    for way, view in views.items():
        assert waits(view) == [{"kind": "human", "audience": "staff"}], way
        began, ends = (datetime.fromisoformat(view["pending"][0][name]) for name in ("opened_at", "expires_at"))
        assert ends - began == timedelta(minutes=30), way
        assert view["state"] == "waiting", way
        assert not [word for word in STAFF_ONLY if word in json.dumps(view)], way
        assert not AMOUNT.search(json.dumps(view)), way


async def test_a_reply_to_a_message_tells_no_inside(transfer):
    row, token = transfer
    path = f"/api/v1/conversations/{row.pk}/messages"

    answer = await AsyncClient().post(
        path,
        {"id": "m9", "text": "hello"},
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )

    view = json.loads(answer.content)
    assert (answer.status_code, sorted(view)) == (200, ["messages", "pending", "state", "turn"])
    assert waits(view) == [{"kind": "human", "audience": "staff"}]


async def test_waiting_no_longer_for_a_person_tells_no_inside(transfer):
    row, token = transfer

    answer = await AsyncClient().post(
        f"/api/v1/conversations/{row.pk}/leave",
        {},
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )

    assert (answer.status_code, sorted(json.loads(answer.content))) == (200, ["id", "left", "pending", "state"])


async def test_the_turn_that_a_socket_is_given_at_once_tells_no_inside(transactional_db):
    await sync_to_async(publish)(demo("bank"))
    row, token = await sync_to_async(open_conversation)("bank")
    notify.attach(asyncio.get_running_loop())
    async with Socket(f"/ws/conversations/{row.pk}/?token={token}") as socket:
        await socket.say(type="user.message", id="m1", text=f"send 8450 to Lindqvist Marine, {IBAN}")
        await socket.hear("message")
        await drain(row.pk)
        finished = await socket.hear("turn.finished")

    assert sorted(finished) == ["pending", "state", "turn", "type"]
    assert waits(finished) == [{"kind": "confirm", "audience": "user"}]


async def test_the_chats_own_page_holds_no_inside(transfer, ursula):
    browser = await sync_to_async(browser_of)(ursula)

    page = text_of(await sync_to_async(browser.get)("/chat/bank/"))

    assert "&quot;audience&quot;: &quot;staff&quot;" in page
    assert "Approve transfer" not in page


async def test_staff_go_on_seeing_stack_slots_and_titles(transfer, sofia_token):
    row, _token = transfer

    views = [await get(f"/conversations/{row.pk}", sofia_token), await finished_on_stream(row, sofia_token)]

    for view in views:
        assert view["stack"][0]["slots"] == {
            **view["stack"][0]["slots"],
            "amount": "8450.00",
            "iban": "••••",
            "beneficiary": "Lindqvist Marine",
        }
        assert [each["title"] for each in view["pending"]] == ["Approve transfer"]
