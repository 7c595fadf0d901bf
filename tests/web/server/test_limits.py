"""What strangers may do in a while, and how much one request of theirs may hold."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dialogue.desk.access.people import Caller
from dialogue.models import Conversation, Event, Message
from dialogue.turns import load
from dialogue.turns.accept import MAX_TEXT_BYTES, open_conversation
from dialogue.turns.clock import FrozenClock
from dialogue.web.shared import limits
from dialogue.web.shared.limits import MAX_BUCKETS, OPENING_WINDOW, Buckets, LimitReached, network_of, origin_of
from tests.support.releases import demo, publish
from tests.support.soni_settings import change
from tests.support.web.pages import text_of
from tests.support.web.socket_client import Socket
from tests.web.api.conftest import token_of

pytestmark = pytest.mark.django_db
HOME, ELSEWHERE = "203.0.113.9", "198.51.100.7"


@pytest.fixture
def bank(db: None) -> None:
    publish(demo("bank"))


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """No message was counted yet, and the time in which they are counted stands still."""
    monkeypatch.setattr(limits, "messages", Buckets(seconds=lambda: 0.0))


def post(path: str, address: str = HOME, bearer: str = "", **body: Any) -> Any:
    headers = {"Prefer": "respond-async", **({"Authorization": f"Bearer {bearer}"} if bearer else {})}
    client = Client(headers=headers)
    return client.post(f"/api/v1{path}", json.dumps(body), content_type="application/json", REMOTE_ADDR=address)


def opened(address: str = HOME, bearer: str = "", **facts: Any) -> Any:
    return post("/conversations", address, bearer, assistant="bank", **facts)


def chat_of(address: str = HOME, bearer: str = "") -> tuple[str, str]:
    """The path of a new conversation's messages, and its token."""
    body = opened(address, bearer).json()
    return f"/conversations/{body['id']}/messages", body["token"]


# ---- too much waits -------------------------------------------------------------------------------------------------


@pytest.fixture
def busy(settings) -> Iterator[Callable[[int], None]]:
    """`busy(count)` lets so many turns wait, of which 10 are too many for a new conversation."""
    change(settings, MAX_WAITING_TURNS=10)
    yield lambda count: setattr(load.new_limiter(), "waiting", count)
    load.new_limiter()


def test_a_new_conversation_is_told_when_to_come_again_while_an_open_one_goes_on(bank, busy, fresh):
    path, token = chat_of()
    busy(10)

    refused, taken = opened(), post(path, bearer=token, id="m1", text="hello")

    assert (refused.status_code, refused["Retry-After"], refused.json()["code"]) == (503, "2", "busy")
    assert "Many people are writing" in refused.json()["detail"]
    assert taken.status_code == 202
    assert Conversation.objects.count() == 1


def test_far_above_the_bound_a_message_is_refused_too_and_taken_later(bank, busy, fresh):
    path, token = chat_of()
    busy(50)
    refused = post(path, bearer=token, id="m1", text="hello")
    stored = Event.objects.count()
    busy(0)

    assert (refused.status_code, refused.json()["code"], stored) == (503, "busy", 0)
    assert post(path, bearer=token, id="m1", text="hello").status_code == 202


def test_the_chats_page_is_told_the_same_in_the_readers_language(bank, busy):
    busy(10)

    answer = Client(headers={"accept": "application/json", "accept-language": "es"}).post("/chat/bank/open/")

    assert (answer.status_code, answer["Retry-After"], answer.json()["code"]) == (503, "2", "busy")
    assert "Muchas personas" in answer.json()["detail"]


async def test_a_socket_says_after_how_many_seconds_the_message_may_be_sent_again(transactional_db, busy, fresh):
    await sync_to_async(publish)(demo("bank"))
    row, token = await sync_to_async(open_conversation)("bank")
    busy(50)

    async with Socket(f"/ws/conversations/{row.pk}/?token={token}") as socket:
        await socket.say(type="user.message", id="m1", text="Hello")
        refused = await socket.hear("error")
        busy(0)
        await socket.say(type="user.message", id="m1", text="Hello")
        assert await socket.hear("accepted")

    assert (refused["code"], refused["ref"], refused["retry_after"]) == ("busy", "m1", 2)


# ---- opening ------------------------------------------------------------------------------------------------------


def test_one_address_opens_so_many_conversations_in_a_while_and_others_go_on(bank, settings, noon: FrozenClock):
    change(settings, OPENINGS_PER_ADDRESS=3)

    answers = [opened() for _ in range(5)]
    elsewhere = opened(ELSEWHERE)
    stored = Conversation.objects.count()
    noon.advance(OPENING_WINDOW)
    later = opened()

    assert [answer.status_code for answer in answers] == [201, 201, 201, 429, 429]
    assert (answers[3]["Retry-After"], answers[3]["Content-Type"]) == ("600", "application/problem+json")
    assert answers[3].json()["code"] == "rate_limited"
    assert "10 min" in answers[3].json()["detail"]
    assert (elsewhere.status_code, later.status_code, stored) == (201, 201, 4)


def test_who_answers_for_it_with_an_account_is_not_counted(bank, settings, ursula: User):
    change(settings, OPENINGS_PER_ADDRESS=1)
    token = token_of(Caller(ursula.pk, "api"))

    assert [opened(bearer=token).status_code for _ in range(3)] == [201, 201, 201]
    assert opened().status_code == 201
    assert set(Conversation.objects.values_list("origin", flat=True)) == {"", origin_of(HOME)}


def test_the_chats_own_page_is_no_way_around_and_says_how_long_to_wait(bank, settings, noon: FrozenClock):
    change(settings, OPENINGS_PER_ADDRESS=2)

    def pressed(accept: str = "text/html") -> Any:
        return Client().post("/chat/bank/open/", REMOTE_ADDR=HOME, headers={"accept": accept})

    answers = [opened(), pressed(), pressed(), pressed("application/json")]

    assert [answer.status_code for answer in answers] == [201, 302, 429, 429]
    assert "Please wait 10 min" in text_of(answers[2])
    assert "Please wait 10 min" in answers[3].json()["detail"]
    assert answers[3]["Retry-After"] == "600"


def test_no_address_is_kept_in_clear_and_an_erased_conversation_keeps_none(bank):
    row = Conversation.objects.get(pk=opened().json()["id"])

    assert row.origin == origin_of(HOME) != origin_of(ELSEWHERE)
    assert HOME not in json.dumps(list(Conversation.objects.values()), default=str)


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("", ""),
        ("unix", "unix"),
    ],
)
def test_a_place_is_an_address_or_the_network_that_one_customer_has(address: str, place: str):
    assert network_of(address) == place


@pytest.mark.parametrize(("spare", "status"), [(0, 201), (1, 413)])
def test_metadata_hold_eight_kilobytes_and_no_byte_more(bank, spare: int, status: int):
    frame = len(json.dumps({"note": ""}))
    text = "é" * ((8192 - frame) // 2) + "x" * ((8192 - frame) % 2 + spare)

    answer = opened(metadata={"note": text})

    assert answer.status_code == status
    assert Conversation.objects.count() == (1 if status == 201 else 0)
    if status == 413:
        assert answer.json()["code"] == "too_large"
        assert answer.json()["fields"][0] == {
            "name": "metadata",
            "rule": "max_bytes",
            "message": "At most 8 KiB fit here.",
        }


# ---- messages -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["text", "choice"])
@pytest.mark.parametrize(("size", "status"), [(MAX_TEXT_BYTES, 202), (MAX_TEXT_BYTES + 2, 413)])
@pytest.mark.django_db(transaction=True)
def test_a_message_holds_64_kilobytes_and_what_is_larger_is_refused_before_it_is_stored(
    bank, field: str, size: int, status: int
):
    path, token = chat_of()

    answer = post(path, bearer=token, id="m1", **{field: "é" * (size // 2)})

    assert answer.status_code == status
    assert Event.objects.count() == (1 if status == 202 else 0)
    if status == 413:
        assert Message.objects.count() == 0
        assert (answer.json()["code"], answer.json()["fields"][0]["name"]) == ("too_large", "text")


@pytest.mark.django_db(transaction=True)
def test_one_conversation_says_so_much_in_a_minute_and_another_goes_on(bank, settings, fresh):
    change(settings, MESSAGES_PER_CONVERSATION=2)
    (path, token), (other, key) = chat_of(), chat_of()

    answers = [post(path, bearer=token, id=f"m{number}", text="hello") for number in range(3)]

    assert [answer.status_code for answer in answers] == [202, 202, 429]
    assert (answers[2].json()["code"], answers[2]["Retry-After"]) == ("rate_limited", "30")
    assert post(other, bearer=key, id="m1", text="hello").status_code == 202
    assert Event.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_one_address_says_so_much_in_a_minute_in_all_its_conversations_but_not_in_those_of_accounts(
    bank, settings, fresh, ursula: User
):
    change(settings, MESSAGES_PER_ADDRESS=2)
    account = token_of(Caller(ursula.pk, "api"))
    chats = [chat_of(), chat_of(), chat_of(), chat_of(ELSEWHERE), chat_of(bearer=account)]
    places = [HOME, HOME, HOME, ELSEWHERE, HOME]

    answers = [
        post(path, place, token, id="m1", text="hello") for (path, token), place in zip(chats, places, strict=True)
    ]

    assert [answer.status_code for answer in answers] == [202, 202, 429, 202, 202]


@pytest.mark.django_db(transaction=True)
def test_counting_messages_asks_the_database_nothing(bank, settings, fresh):
    path, token = chat_of()

    def questions(name: str) -> list[str]:
        with CaptureQueriesContext(connection) as asked:
            assert post(path, bearer=token, id=name, text="hello").status_code == 202
        return [query["sql"].split()[0] for query in asked]

    before = questions("m1")
    change(settings, MESSAGES_PER_CONVERSATION=100, MESSAGES_PER_ADDRESS=100)

    assert questions("m2") == before


@pytest.mark.django_db(transaction=True)
async def test_over_a_socket_the_same_limit_is_an_error_frame_and_the_socket_stays(settings, fresh):
    change(settings, MESSAGES_PER_CONVERSATION=1)
    await sync_to_async(publish)(demo("bank"))
    row, token = await sync_to_async(open_conversation)("bank")
    async with Socket(f"/ws/conversations/{row.pk}/?token={token}") as socket:
        await socket.say(type="user.message", id="m1", text="hello")
        await socket.hear("accepted")
        await socket.say(type="user.message", id="m2", text="hello again")
        refused = await socket.hear("error")
        await socket.say(type="ping")

        assert (refused["code"], refused["ref"]) == ("rate_limited", "m2")
        assert "Please wait" in refused["detail"]
        await socket.hear("pong")


# ---- buckets ------------------------------------------------------------------------------------------------------


def test_who_waits_has_room_again_and_buckets_that_say_nothing_are_forgotten():
    now = [0.0]
    buckets = Buckets(seconds=lambda: now[0])
    for _ in range(2):
        buckets.take("Ursula", 2)
    with pytest.raises(LimitReached) as reached:
        buckets.take("Ursula", 2)
    now[0] = 30.0
    buckets.take("Ursula", 2)
    for number in range(MAX_BUCKETS - 1):
        buckets.take(f"somebody {number}", 2)
    now[0] = 3_600.0
    buckets.take("Ursula", 2)

    assert (reached.value.wait, reached.value.seconds) == (timedelta(seconds=30), 30)
    assert len(buckets._buckets) == 1
