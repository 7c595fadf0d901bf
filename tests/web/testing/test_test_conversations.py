"""Tests outside the test console: they act on nothing real, and are nobody's work but their own."""

import asyncio
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.contrib.auth.models import Group, User
from django.test import Client

from dialogue.desk.access.people import Caller
from dialogue.desk.forms.refusals import SessionNotFound
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer
from dialogue.models import ActionRun, Conversation, DemoPayee, DemoPayment, HITLSession, Message
from dialogue.turns.accept import Incoming, accept
from dialogue.turns.worker import drain
from tests.support.releases import demo, publish
from tests.support.transfers import person
from tests.support.web.socket_client import Socket, ring_inbox
from tests.web.api.conftest import Program, token_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db(transaction=True)
SMALL = "send 100 to Lindqvist Marine, DE89370400440532013000"
LARGE = "send 8450 to Lindqvist Marine, DE89370400440532013000"


@pytest.fixture
def tara(payments: Group) -> User:
    """A flow author, who may test assistants."""
    publish(demo("bank"))
    return person("tara", "Tara Test", "flow authors")


@pytest.fixture
def tests_chat(tara: User) -> Conversation:
    """A test that Tara opened over HTTP."""
    answer = Program(token_of(Caller(tara.pk, "api"))).post("/conversations", assistant="bank", test=True)
    assert answer.status_code == 201, answer.content
    return Conversation.objects.get(pk=answer.json()["id"])


def talk(chat: Conversation, *texts: str) -> list[str]:
    """Say it, and give the texts of the answers."""
    for number, text in enumerate(texts):
        accept(chat.pk, Incoming("message", f"{chat.last_event} {number}", {"text": text}, text=text))
        async_to_sync(drain)(chat.pk)
    lines = Message.objects.filter(conversation=chat, role="assistant").order_by("seq")
    return [line.text for line in lines]


def listed(browser: Client, **query: Any) -> tuple[int, int, int]:
    """How many gates the page shows, how many the API lists, and how many conversations."""
    page = browser.get("/gates/", {"view": "unassigned"})
    sessions = browser.get("/api/v1/sessions", query).json()["sessions"]
    return len(page.context["rows"]), len(sessions), len(browser.get("/api/v1/conversations").json()["conversations"])


def test_a_test_over_http_says_what_it_would_have_done_and_does_nothing(tests_chat: Conversation):
    said = talk(tests_chat, SMALL, "yes")

    assert said[-1].startswith("Done. €100.00 is on its way to Lindqvist Marine")
    assert DemoPayment.objects.count() == 0


def test_the_chat_page_of_staff_does_nothing_real_either_and_that_of_customers_does(
    tara: User, ursula: User, browser_of: Browser
):
    DemoPayee.objects.create(name="Lindqvist Marine", iban="DE89370400440532013000")
    for who in (tara, ursula):
        assert browser_of(who).post("/chat/bank/open/").status_code == 302
        talk(Conversation.objects.get(user=who), SMALL, "yes")

    runs = ActionRun.objects.filter(action="send_money").values_list("conversation__user", flat=True)
    assert set(runs) == {tara.pk, ursula.pk}  # both are on record
    assert DemoPayment.objects.count() == 1


def test_an_operator_sees_no_gate_of_somebodys_test_and_may_not_decide_it(
    tests_chat: Conversation, tara: User, olga: Caller, browser_of: Browser
):
    talk(tests_chat, LARGE, "yes")
    gate = HITLSession.objects.get(audience="staff")
    operator = browser_of(olga)

    assert listed(operator) == listed(operator, test="true") == (0, 0, 0)
    assert operator.get(f"/gates/{gate.name}/").status_code == 404
    assert operator.get(f"/api/v1/sessions/{gate.name}").status_code == 404
    with pytest.raises(SessionNotFound):
        service.submit(gate.pk, olga, Answer("approve"))
    decided = service.submit(gate.pk, Caller(person("teo", "Teo Test", "flow authors").pk, "api"), Answer("approve"))
    assert decided.status == 201


def test_an_operator_who_tries_the_chat_finds_the_own_gate_among_theirs_and_a_colleague_does_not(
    tara: User, olga: Caller, oscar: Caller, browser_of: Browser
):
    browser_of(olga).post("/chat/bank/open/")
    talk(Conversation.objects.get(), LARGE, "yes")

    gates = [listed(browser_of(who))[0] for who in (olga, oscar)]

    assert gates == [1, 0]


async def test_no_open_inbox_but_their_own_is_told_of_a_test(
    tests_chat: Conversation, olga: Caller, sofia: Caller, browser_of: Browser
):
    browsers = [await sync_to_async(browser_of)(who) for who in (olga, sofia)]
    async with Socket("/ws/inbox/", browsers[0]) as operators, Socket("/ws/inbox/", browsers[1]) as supervisors:
        await sync_to_async(talk)(tests_chat, LARGE, "yes")
        await ring_inbox()
        await asyncio.sleep(0)

        for socket in (operators, supervisors):
            await socket.say(type="ping")
            heard = [frame["type"] for frame in await until_pong(socket)]
            assert not [kind for kind in heard if kind.startswith("session.")]


async def until_pong(socket: Socket) -> list[dict[str, Any]]:
    frames = [await socket.hear()]
    while frames[-1]["type"] != "pong":
        frames.append(await socket.hear())
    return frames
