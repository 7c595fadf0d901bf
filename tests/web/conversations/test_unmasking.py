"""Masked values on pages, over HTTP and on sockets: shown for a while to who may and gave a reason, to nobody else."""

from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dialogue.desk.access.people import Caller, read_person
from dialogue.desk.access.unmasking import mask, unmask
from dialogue.models import AuditEntry, Conversation, HITLSession, Message, Trial, Unmasking
from dialogue.turns import clock
from dialogue.turns.clock import FrozenClock
from dialogue.turns.live import notify
from tests.support.transfers import Opener, person
from tests.support.web.pages import text_of
from tests.support.web.socket_client import Socket
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db
IBAN, END = "DE89370400440532013000", "•••• 3000"
WHY = "Complaint 4711"
SLOT = {"value": IBAN, "shown": IBAN, "sensitive": True, "source": "user", "turn": 1, "by": ""}
FRAME = {"flow": "transfer_money", "frame": "transfer_money-1", "step": "approval", "status": "active", "awaiting": ""}


def allow(who: Caller | User) -> None:
    user = who if isinstance(who, User) else User.objects.get(pk=who.user)
    user.user_permissions.add(Permission.objects.get(codename="unmask_conversation"))


@pytest.fixture
def spoken(conversation: Conversation, session: HITLSession) -> Conversation:
    """Ursula has typed her account number, and the transfer waits with it."""
    text = f"to {IBAN} please"
    Message.objects.create(conversation=conversation, seq=1, role="user", key="", text=text, at=clock.now())
    conversation.stack = [{**FRAME, "slots": {"iban": SLOT}}]
    conversation.last_message = 1
    conversation.save()
    return conversation


@pytest.fixture
def auditor(spoken: Conversation, audrey: Caller, browser_of: Browser) -> Client:
    """The browser of an auditor who was given the permission."""
    allow(audrey)
    return browser_of(audrey)


def pages_of(conversation: Conversation, session: HITLSession) -> list[str]:
    return [
        f"/conversations/{conversation.pk}/",
        f"/conversations/{conversation.pk}/lines/",
        f"/gates/{session.name}/",
        f"/gates/{session.name}/card/",
        f"/api/v1/conversations/{conversation.pk}",
        f"/api/v1/conversations/{conversation.pk}/messages",
        f"/api/v1/sessions/{session.name}",
    ]


def shows(browser: Client, conversation: Conversation, session: HITLSession) -> set[bool]:
    return {IBAN in text_of(browser.get(path)) for path in pages_of(conversation, session)}


def test_every_page_shows_the_mask_until_the_form_was_sent_and_then_the_values(
    auditor: Client, spoken: Conversation, session: HITLSession
):
    assert shows(auditor, spoken, session) == {False}
    gate = f"/gates/{session.name}/"
    assert "Show masked values" in text_of(auditor.get(gate))

    sent = auditor.post(f"/conversations/{spoken.pk}/unmask/", {"reason": WHY, "back": gate})

    assert (sent.status_code, sent["location"]) == (302, gate)
    assert shows(auditor, spoken, session) == {True}
    assert "Shown to you until" in text_of(auditor.get(gate))
    assert AuditEntry.objects.get(act="conversation.unmasked").facts["through"] == "page"


def test_mask_again_hides_them_on_every_page(auditor: Client, spoken: Conversation, session: HITLSession):
    auditor.post(f"/conversations/{spoken.pk}/unmask/", {"reason": WHY})

    back = auditor.post(f"/conversations/{spoken.pk}/mask/")

    assert back["location"] == f"/conversations/{spoken.pk}/"
    assert shows(auditor, spoken, session) == {False}


def test_after_a_quarter_of_an_hour_the_pages_show_the_mask(
    auditor: Client, spoken: Conversation, session: HITLSession, noon: FrozenClock
):
    auditor.post(f"/conversations/{spoken.pk}/unmask/", {"reason": WHY})
    noon.advance(timedelta(minutes=15))

    assert shows(auditor, spoken, session) == {False}


@pytest.mark.parametrize(
    ("reason", "told"),
    [("", "Please give a reason."), ("   ", "Please give a reason."), ("x" * 2001, "at most 2,000 characters")],
)
def test_a_refused_reason_comes_back_in_its_form_with_what_is_wrong(
    reason: str, told: str, auditor: Client, spoken: Conversation
):
    sent = auditor.post(f"/conversations/{spoken.pk}/unmask/", {"reason": reason, "back": "/inbox/"})

    assert sent.status_code == 422
    assert told in text_of(sent)
    assert f'value="{reason}"' in text_of(sent)
    assert 'href="/inbox/"' in text_of(sent)
    assert not Unmasking.objects.exists()


@pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "", "\\\\evil"])
def test_nobody_is_led_elsewhere_by_the_form(back: str, auditor: Client, spoken: Conversation):
    sent = auditor.post(f"/conversations/{spoken.pk}/unmask/", {"reason": WHY, "back": back})

    assert sent["location"] == f"/conversations/{spoken.pk}/"


def test_without_the_permission_there_is_neither_form_nor_address(
    spoken: Conversation, session: HITLSession, sofia: Caller, audrey: Caller, browser_of: Browser
):
    for who in (sofia, audrey):
        browser = browser_of(who)
        assert "Show masked values" not in text_of(browser.get(f"/conversations/{spoken.pk}/"))
        assert browser.post(f"/conversations/{spoken.pk}/unmask/", {"reason": WHY}).status_code == 404
        assert browser.post(f"/conversations/{spoken.pk}/mask/").status_code == 404

    assert not Unmasking.objects.exists()


def test_a_conversation_that_does_not_exist_for_somebody_is_unmasked_by_nobody(
    spoken: Conversation, arthur: Caller, browser_of: Browser
):
    allow(arthur)
    browser = browser_of(arthur)

    assert browser.post(f"/conversations/{spoken.pk}/unmask/", {"reason": WHY}).status_code == 404
    answer = browser.post(f"/api/v1/conversations/{spoken.pk}/unmask", {"reason": WHY}, "application/json")
    assert answer.status_code == 404


def test_the_api_unmasks_and_masks_again(auditor: Client, spoken: Conversation, session: HITLSession):
    address = f"/api/v1/conversations/{spoken.pk}"
    assert auditor.get(address).json()["stack"][0]["slots"] == {"iban": "••••"}

    shown = auditor.post(f"{address}/unmask", {"reason": WHY}, "application/json")
    assert shown.status_code == 200
    assert shown.json() == {"unmasked_until": Unmasking.objects.get().until.isoformat()}
    assert auditor.get(address).json()["stack"][0]["slots"] == {"iban": IBAN}

    assert auditor.post(f"{address}/mask", {}, "application/json").json() == {"unmasked_until": None}
    assert shows(auditor, spoken, session) == {False}
    acts = AuditEntry.objects.filter(act__in=["conversation.unmasked", "conversation.masked"]).order_by("pk")
    assert [(entry.act, entry.facts["through"]) for entry in acts] == [
        ("conversation.unmasked", "api"),
        ("conversation.masked", "api"),
    ]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "reason_required"),
        ({"reason": "  "}, "reason_required"),
        ({"reason": "x" * 2001}, "invalid_value"),
        ({"reason": 7}, "invalid_body"),
        ({"reason": WHY, "until": "2030-01-01T00:00:00Z"}, "invalid_body"),
    ],
)
def test_bad_bodies_of_the_api_are_refused_and_show_nothing(
    body: dict[str, object], code: str, auditor: Client, spoken: Conversation
):
    answer = auditor.post(f"/api/v1/conversations/{spoken.pk}/unmask", body, "application/json")

    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert not Unmasking.objects.exists()


def test_the_api_tells_who_may_not_and_the_customer_too(
    spoken: Conversation, sofia: Caller, ursula: User, browser_of: Browser
):
    Conversation.objects.filter(pk=spoken.pk).update(user=ursula)
    for who in (sofia, ursula):
        for act in ("unmask", "mask"):
            body = {"reason": WHY} if act == "unmask" else {}
            address = f"/api/v1/conversations/{spoken.pk}/{act}"
            answer = browser_of(who).post(address, body, "application/json")
            assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")


def test_an_operator_with_the_permission_sees_a_chats_values_only_after_a_reason(
    spoken: Conversation, open_session: Opener, olga: Caller, browser_of: Browser
):
    chat, browser = open_session(kind="handoff", schema={}, actions=[]), browser_of(olga)
    allow(olga)
    slots = f"/inbox/{chat.name}/aside/"

    before = text_of(browser.get(slots))
    browser.post(f"/conversations/{spoken.pk}/unmask/", {"reason": WHY, "back": f"/inbox/{chat.name}/"})
    after = text_of(browser.get(slots))

    assert END in before and IBAN not in before
    assert IBAN in after


def test_what_somebody_decides_on_they_see_without_any_reason_and_lists_show_it_to_nobody(
    spoken: Conversation, session: HITLSession, olga: Caller, auditor: Client, browser_of: Browser
):
    auditor.post(f"/conversations/{spoken.pk}/unmask/", {"reason": WHY})

    assert IBAN in text_of(browser_of(olga).get(f"/gates/{session.name}/card/"))
    for browser in (browser_of(olga), auditor):
        assert IBAN not in text_of(browser.get("/gates/"))
        assert IBAN not in text_of(browser.get("/api/v1/sessions"))


def test_a_real_persons_words_in_a_test_are_masked_until_a_reason_is_given(
    spoken: Conversation, arthur: Caller, browser_of: Browser
):
    Conversation.objects.filter(pk=spoken.pk).update(test=True)
    HITLSession.objects.all().delete()
    Trial.objects.create(conversation=spoken, owner_id=arthur.user, private=True)
    allow(arthur)
    browser, page = browser_of(arthur), f"/test/bank/{spoken.pk}/"

    before = text_of(browser.get(page))
    browser.post(f"/conversations/{spoken.pk}/unmask/", {"reason": WHY, "back": page})

    assert f'<td class="num">{IBAN}' not in before and "Show masked values" in before
    assert f'<td class="num">{IBAN}' in text_of(browser.get(page))


@pytest.mark.django_db(transaction=True)
async def test_lines_that_come_in_live_are_masked_before_and_after_and_shown_between(
    spoken: Conversation, audrey: Caller, browser_of: Browser
):
    await sync_to_async(allow)(audrey)
    browser, who = await sync_to_async(browser_of)(audrey), await sync_to_async(read_person)(audrey.user)

    async with Socket(f"/ws/conversations/{spoken.pk}/?after=0", browser) as socket:
        first = await socket.hear("message")
        await sync_to_async(unmask)(spoken, who, WHY, "page")
        second = await _next_line(spoken, socket)
        await sync_to_async(mask)(spoken, who, "page")
        third = await _next_line(spoken, socket)

    assert [line["text"] for line in (first, second, third)] == ["to •••• please", f"yes, {IBAN}", "yes, ••••"]


async def _next_line(conversation: Conversation, socket: Socket) -> dict[str, object]:
    """One more line, and how the socket tells it."""
    await sync_to_async(_add_line)(conversation)
    layer = get_channel_layer()
    assert layer is not None
    await layer.group_send(notify.conversation_group(conversation.pk), {"type": "conversation.ring"})
    return await socket.hear("message")


def _add_line(conversation: Conversation) -> None:
    conversation.last_message += 1
    Message.objects.create(
        conversation=conversation, seq=conversation.last_message, role="user", text=f"yes, {IBAN}", at=clock.now()
    )
    conversation.save()


def test_a_superuser_needs_the_permission_and_the_reason_as_everybody_does(
    spoken: Conversation, session: HITLSession, browser_of: Browser
):
    root = person("root", "Rut Berg", is_superuser=True, is_staff=True)
    browser, card = browser_of(root), f"/gates/{session.name}/card/"
    assert browser.post(f"/conversations/{spoken.pk}/unmask/", {"reason": WHY}).status_code == 404
    allow(root)

    masked = browser.get(f"/api/v1/sessions/{session.name}").json()["values"][1]["shown"]
    browser.post(f"/conversations/{spoken.pk}/unmask/", {"reason": WHY, "back": card})

    assert masked == END
    assert browser.get(f"/api/v1/sessions/{session.name}").json()["values"][1]["shown"] == IBAN


def test_lists_ask_nothing_of_it_and_a_gate_asks_a_few_times_however_long_its_talk_is(
    auditor: Client, spoken: Conversation, session: HITLSession, sofia: Caller, browser_of: Browser
):
    auditor.post(f"/conversations/{spoken.pk}/unmask/", {"reason": WHY})
    gate = f"/gates/{session.name}/"

    asked = [_asked_of_it(auditor, path) for path in ("/gates/", "/inbox/", "/conversations/", "/api/v1/sessions")]

    assert asked == [0, 0, 0, 0]
    assert _asked_of_it(auditor, gate) <= 5
    assert _asked_of_it(browser_of(sofia), gate) == 0


def _asked_of_it(browser: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert browser.get(path).status_code == 200
    return len([each for each in queries if "dialogue_unmasking" in each["sql"]])
