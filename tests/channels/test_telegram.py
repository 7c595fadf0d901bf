"""Telegram: updates as its documentation gives them come in once, and lines go out as messages with buttons."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from dialogue.channels.connections import (
    ConnectionRefused,
    add_connection,
    change_secrets,
    pause_connection,
    remove_connection,
    replace_secret,
    resume_connection,
    send_again,
    skip_line,
)
from dialogue.channels.credentials import unseal
from dialogue.channels.sending import MAX_ATTEMPTS, deliver_lines
from dialogue.channels.telegram.channel import MAX_MESSAGE_UNITS, split_text
from dialogue.channels.threads import add_line
from dialogue.models import (
    AuditEntry,
    ChannelArrival,
    ChannelConnection,
    ChannelDelivery,
    ChannelThread,
    Conversation,
    Event,
    Message,
    UploadedFile,
)
from dialogue.turns import clock
from dialogue.turns.worker import drain
from tests.channels.conftest import ASSISTANT, Deliver, only_thread
from tests.support.releases import publish
from tests.support.telegram import CHAT, PRIVATE, TOKEN, URSULA, TelegramDouble, failure, message, pressed

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.enable_socket]


def run_turns() -> None:
    for thread in ChannelThread.objects.all():
        asyncio.run(drain(thread.conversation_id))


def talk(deliver: Deliver, update: Any) -> None:
    """Deliver an update, run its turn and send what it says."""
    assert deliver(update).status_code == 200
    run_turns()
    deliver_lines()


def test_the_bot_is_told_where_to_send_and_what_proves_it(bot: ChannelConnection, telegram: TelegramDouble):
    assert bot.address == "@harbour_bank_bot"
    assert telegram.webhook["url"].endswith(f"/channels/{bot.uid}/")
    assert telegram.webhook["max_connections"] == 1
    assert len(telegram.webhook["secret_token"]) == 43
    assert TOKEN not in bot.sealed
    assert TOKEN not in str(bot.values)


def test_a_conversation_from_the_first_message_to_the_pressed_button(deliver: Deliver, telegram: TelegramDouble):
    talk(deliver, message(1, "I want to order"))
    talk(deliver, message(2, "a lamp"))
    labels = [label for label, _data in telegram.buttons]
    answer = deliver(pressed(3, telegram.buttons[0][1]))
    run_turns()
    deliver_lines()

    assert telegram.sent == ["What shall it be?", "Order a lamp?", "a lamp is ordered."]
    assert len(labels) == 2
    assert answer.json() == {"method": "answerCallbackQuery", "callback_query_id": "4382bfdwdsb323b2d9"}
    conversation = Conversation.objects.get()
    assert (conversation.channel, conversation.user_ref) == ("telegram", "Ursula Berg (@ursula)")
    assert not conversation.vouched
    assert conversation.customer == "says: Ursula Berg (@ursula)"
    assert [event.kind for event in conversation.events.order_by("number")] == ["message", "message", "choice"]


def test_an_update_that_comes_again_counts_once(deliver: Deliver):
    assert [deliver(message(7, "I want to order")).status_code for _attempt in range(3)] == [200, 200, 200]

    assert (Event.objects.count(), ChannelArrival.objects.count()) == (1, 1)


@pytest.mark.parametrize("earlier", [False, True])
def test_an_update_that_comes_again_while_it_is_taken_opens_one_conversation(
    deliver: Deliver, monkeypatch: pytest.MonkeyPatch, earlier: bool
):
    if earlier:
        deliver(message(6, "I want to order"))
        Conversation.objects.update(state="done")
    repeated: list[Any] = []

    def deliver_again(_kind: Any) -> None:
        if not repeated:
            repeated.append(None)
            repeated[0] = deliver(message(7, "I want to order"))

    monkeypatch.setattr("dialogue.channels.arrivals.refuse_when_busy", deliver_again)
    first = deliver(message(7, "I want to order"))
    deliver(message(8, "a lamp"))

    assert (first.status_code, repeated[0].status_code) == (200, 200)
    talk = Conversation.objects.exclude(state="done").get()
    assert [event.payload["text"] for event in talk.events.order_by("number")] == ["I want to order", "a lamp"]


def test_a_repeated_update_does_not_begin_a_new_conversation(deliver: Deliver):
    deliver(message(7, "I want to order"))
    Conversation.objects.update(state="done")
    deliver(message(7, "I want to order"))
    assert Conversation.objects.count() == 1

    deliver(message(8, "I want to order"))
    assert Conversation.objects.count() == 2


@pytest.mark.parametrize("secret", ["wrong", "x" * 43, "ü"])
def test_a_wrong_secret_and_an_unknown_address_get_the_same_answer(deliver: Deliver, client, bot, secret: str):
    wrong = deliver(message(1, "hello"), secret)
    unknown = client.post("/channels/00000000-0000-4000-8000-000000000000/", b"{}", content_type="application/json")
    unsigned = client.post(f"/channels/{bot.uid}/", b"{}", content_type="application/json")

    assert [answer.status_code for answer in (wrong, unknown, unsigned)] == [401, 401, 401]
    assert wrong.content == unknown.content == unsigned.content
    assert not ChannelArrival.objects.exists()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"no json", 400),
        (b"[" * 100_000, 400),
        (b'{"update_id": ' + b"9" * 5000 + b"}", 400),
        (b'{"update_id": true}', 400),
        (b'{"update_id": -1}', 400),
        (b'{"update_id": 1, "update_id": 2}', 400),
        (b"[]", 400),
        (b"\xff\xfe", 400),
        (b'{"update_id": 1, "text": "' + b"x" * 2**20 + b'"}', 413),
        (b'{"update_id": 5}', 200),
        (b'{"update_id": 5, "poll": {"id": "1"}}', 200),
        (b'{"update_id": 5, "message": {"chat": "x"}}', 200),
        (b'{"update_id": 5, "message": []}', 200),
    ],
)
def test_bad_bodies_get_a_clear_answer_and_store_no_message(deliver: Deliver, body: bytes, status: int):
    answer = deliver(body)

    assert answer.status_code == status
    assert status == 200 or answer.json()["detail"]
    assert not Event.objects.exists()
    assert ChannelArrival.objects.filter(outcome="ignored").count() == int(status == 200)


def test_start_greets_and_keeps_its_code(deliver: Deliver, telegram: TelegramDouble):
    talk(deliver, message(1, "/start spring-sale"))

    assert telegram.sent == ["You are writing to Corner Shop. What can I do for you?"]
    assert Conversation.objects.get().metadata == {"start_code": "spring-sale"}
    talk(deliver, message(2, "/start"))
    assert Conversation.objects.count() == 2
    assert ChannelThread.objects.filter(is_current=True).count() == 1


def test_groups_are_refused_in_words_and_open_nothing(deliver: Deliver):
    group = {"id": -100123, "title": "Team", "type": "supergroup"}
    joined = {"chat": group, "from": URSULA, "date": 1, "new_chat_member": {"user": URSULA, "status": "member"}}
    answer = deliver({"update_id": 1, "my_chat_member": joined}).json()
    asked = deliver(message(2, "/start@harbour_bank_bot", chat=group)).json()
    chatter = deliver(message(3, "good morning everybody", chat=group)).json()

    assert (answer["method"], answer["chat_id"]) == ("sendMessage", -100123)
    assert "private chats only" in answer["text"]
    assert asked["method"] == "sendMessage"
    assert chatter == {"outcome": "ignored"}
    assert not Conversation.objects.exists()


def test_an_edited_message_is_answered_and_changes_nothing(deliver: Deliver, telegram: TelegramDouble):
    talk(deliver, message(1, "I want to order"))
    edited = {"update_id": 2, "edited_message": {**message(1, "no")["message"], "edit_date": 1441645600}}
    talk(deliver, edited)

    assert Event.objects.count() == 1
    assert "write it as a new message" in telegram.sent[-1]


def test_a_photo_that_nothing_asks_for_is_refused_in_words_and_not_fetched(deliver: Deliver, telegram: TelegramDouble):
    sizes = [{"file_id": name, "file_unique_id": name, "width": 90, "height": 90} for name in ("small", "large")]
    talk(deliver, message(1, photo=sizes))

    assert "Nothing asks for a file" in telegram.sent[-1]
    assert "getFile" not in [method for method, _parameters in telegram.calls]
    assert ChannelArrival.objects.get().outcome == "refused"


def test_a_sticker_is_answered_in_words(deliver: Deliver, telegram: TelegramDouble):
    talk(deliver, message(1, "I want to order"))
    talk(deliver, message(2, sticker={"file_id": "x"}))

    assert "Only texts and files" in telegram.sent[-1]


def test_a_button_of_an_earlier_conversation_does_nothing(deliver: Deliver, telegram: TelegramDouble):
    talk(deliver, message(1, "I want to order"))
    talk(deliver, message(2, "a lamp"))
    old = telegram.buttons[0][1]
    Conversation.objects.update(state="done")
    without = deliver(pressed(3, old)).json()
    talk(deliver, message(4, "I want to order"))
    again = deliver(pressed(5, old)).json()

    for answer in (without, again):
        assert "earlier conversation" in answer["text"]
    assert not Event.objects.filter(kind="choice").exists()
    for number, data in enumerate(("", "1", "1.1.1.1", "a.b.c", "1.1.99", "9" * 64), 10):
        assert deliver(pressed(number, data)).status_code == 200
    assert not Event.objects.filter(kind="choice").exists()


def test_the_label_of_a_button_may_be_written(deliver: Deliver, telegram: TelegramDouble):
    talk(deliver, message(1, "I want to order"))
    talk(deliver, message(2, "a lamp"))
    talk(deliver, message(3, f"{telegram.buttons[0][0].lower()}."))

    assert Event.objects.filter(kind="choice").count() == 1
    assert telegram.sent[-1] == "a lamp is ordered."


def test_lines_that_come_later_and_those_of_staff_arrive_too(deliver: Deliver, telegram: TelegramDouble):
    talk(deliver, message(1, "I want to order"))
    conversation = Conversation.objects.get()
    add_line(conversation.pk, "reminder", "Are you still there?")
    Message.objects.create(
        conversation=conversation,
        seq=conversation.last_message + 2,
        role="operator",
        author="Olga",
        text="I take over.",
        at=clock.now(),
    )

    assert deliver_lines() == 2
    assert telegram.sent[-2:] == ["Are you still there?", "Olga: I take over."]
    assert deliver_lines() == 0


def test_too_many_requests_wait_as_long_as_telegram_says(deliver: Deliver, telegram: TelegramDouble, hour):
    telegram.next_answers = [failure(429, "Too Many Requests: retry after 37", retry_after=37)]
    talk(deliver, message(1, "I want to order"))
    assert (only_thread().due_at - clock.now()).total_seconds() == 37
    hour.advance(timedelta(seconds=36))
    assert deliver_lines() == 0
    hour.advance(timedelta(seconds=2))

    assert deliver_lines() == 1
    assert telegram.sent == ["What shall it be?"] * 2
    assert only_thread().attempts == 0


def other_chat(update: int, number: int) -> dict[str, Any]:
    sender = {**URSULA, "id": CHAT + number}
    return message(update, "I want to order", chat={**PRIVATE, "id": CHAT + number}, **{"from": sender})


def test_a_chat_that_telegram_holds_back_holds_up_no_other(deliver: Deliver, telegram, bot, hour):
    telegram.next_answers = [failure(429, "Too Many Requests: retry after 3600", retry_after=3600)]
    talk(deliver, message(1, "I want to order"))
    talk(deliver, other_chat(2, 1))
    bot.refresh_from_db()

    assert [parameters["chat_id"] for method, parameters in telegram.calls if method == "sendMessage"] == [
        CHAT,
        CHAT + 1,
    ]
    assert (bot.rests_until, bot.error, deliver_lines()) == (None, "", 0)
    hour.advance(timedelta(seconds=3601))
    assert deliver_lines() == 1


def test_a_bot_rests_when_telegram_holds_back_chat_after_chat(deliver: Deliver, telegram, bot, hour):
    telegram.next_answers = [failure(429, "Too Many Requests: retry after 9", retry_after=9)] * 3
    for number in range(5):
        deliver(other_chat(number + 1, number))
    run_turns()
    assert deliver_lines() == 0
    assert len(telegram.sent) == 3
    bot.refresh_from_db()
    assert (bot.rests_until - clock.now()).total_seconds() == 9
    assert deliver_lines() == 0
    hour.advance(timedelta(seconds=10))

    assert deliver_lines() == 5


def test_a_person_who_blocked_the_bot_gets_nothing_until_they_write_again(deliver: Deliver, telegram, hour):
    telegram.next_answers = [failure(403, "Forbidden: bot was blocked by the user")]
    talk(deliver, message(1, "I want to order"))
    thread = only_thread()
    assert (thread.state, thread.error) == ("blocked", "Forbidden: bot was blocked by the user")
    add_line(thread.conversation_id, "reminder", "Are you still there?")
    hour.advance(timedelta(days=1))
    assert deliver_lines() == 0

    talk(deliver, message(2, "a lamp"))
    assert telegram.sent[1:] == ["What shall it be?", "Are you still there?", "Order a lamp?"]


def test_a_server_that_fails_is_tried_later_and_later_and_then_becomes_an_incident(
    deliver: Deliver, telegram, hour, sofia
):
    telegram.next_answers = [failure(502, "Bad Gateway")] * MAX_ATTEMPTS
    talk(deliver, message(1, "I want to order"))
    for _attempt in range(MAX_ATTEMPTS):
        hour.advance(timedelta(hours=5))
        deliver_lines()
    assert len(telegram.sent) == MAX_ATTEMPTS
    thread = only_thread()
    assert (thread.state, thread.error) == ("failed", "Bad Gateway")
    assert AuditEntry.objects.filter(act="channel.incident").count() == 1

    assert send_again(thread, sofia)
    assert not send_again(thread, sofia)
    hour.advance(timedelta(minutes=6))
    assert deliver_lines() == 1
    assert len({row.uid for row in ChannelDelivery.objects.all()}) == 1


def test_a_line_that_is_never_taken_can_be_skipped(deliver: Deliver, telegram, sofia: User):
    telegram.next_answers = [failure(400, "Bad Request: message is too long")]
    talk(deliver, message(1, "I want to order"))
    talk(deliver, message(2, "a lamp"))
    assert telegram.sent == ["What shall it be?"]

    assert skip_line(only_thread(), sofia)
    assert not skip_line(only_thread(), sofia)
    deliver_lines()
    assert telegram.sent == ["What shall it be?", "Order a lamp?"]
    assert set(ChannelDelivery.objects.values_list("state", flat=True)) == {"skipped", "sent"}


def test_a_revoked_token_pauses_the_bot_and_loses_nothing(deliver: Deliver, telegram, bot, sofia: User):
    telegram.next_answers = [failure(401, "Unauthorized")]
    talk(deliver, message(1, "I want to order"))
    bot.refresh_from_db()
    assert (bot.state, bot.paused_because, bot.error) == ("paused", "refused", "Unauthorized")
    assert deliver(message(2, "a lamp")).status_code == 503
    assert resume_connection(bot, sofia)

    talk(deliver, message(2, "a lamp"))
    assert telegram.sent == ["What shall it be?", "What shall it be?", "Order a lamp?"]


NEW_TOKEN = TOKEN.replace("AAH", "BBH")


def test_a_new_token_ends_the_refusal_and_a_person_lets_the_bot_go_on(deliver: Deliver, telegram, bot, sofia: User):
    telegram.tokens = {NEW_TOKEN}
    talk(deliver, message(1, "I want to order"))
    bot.refresh_from_db()
    assert (bot.state, bot.paused_because) == ("paused", "refused")

    change_secrets(bot, {"token": NEW_TOKEN}, sofia)
    assert (bot.state, bot.paused_because, bot.error) == ("paused", "person", "")
    assert deliver_lines() == 0
    assert resume_connection(bot, sofia)
    assert deliver_lines() == 1


def test_a_token_that_cannot_be_connected_leaves_the_earlier_one(deliver: Deliver, telegram, bot, sofia: User):
    telegram.tokens.add(NEW_TOKEN)
    telegram.failing["setWebhook"] = failure(400, "Bad Request: bad webhook: HTTPS url must be provided for webhook")
    salt = bot.salt
    with pytest.raises(ConnectionRefused, match="nothing was changed"):
        change_secrets(bot, {"token": NEW_TOKEN}, sofia)
    with pytest.raises(ConnectionRefused, match="nothing was changed"):
        replace_secret(bot, sofia)

    assert bot.salt == salt
    for row in (bot, ChannelConnection.objects.get()):
        assert (unseal(row.sealed), row.salt) == ({"token": TOKEN}, salt)
    assert not AuditEntry.objects.filter(act__in=("channel.changed", "channel.secret_replaced")).exists()
    telegram.tokens.discard(NEW_TOKEN)
    talk(deliver, message(1, "I want to order"))
    assert telegram.sent == ["What shall it be?"]


def test_a_bot_with_another_name_is_the_same_and_another_bot_is_not(telegram, bot, sofia: User):
    other = f"2{NEW_TOKEN}"
    telegram.tokens = {NEW_TOKEN, other}
    with pytest.raises(ConnectionRefused, match="another account"):
        change_secrets(bot, {"token": other}, sofia)

    telegram.username = "dock_bank_bot"
    change_secrets(bot, {"token": NEW_TOKEN}, sofia)
    bot.refresh_from_db()
    assert (bot.address, unseal(bot.sealed)) == ("@dock_bank_bot", {"token": NEW_TOKEN})


def test_a_paused_bot_lets_telegram_keep_what_is_sent(deliver: Deliver, bot, sofia: User):
    assert pause_connection(bot, sofia)
    assert not pause_connection(bot, sofia)
    answer = deliver(message(1, "I want to order"))

    assert (answer.status_code, answer["Retry-After"]) == (503, "60")
    assert resume_connection(bot, sofia)
    assert deliver(message(1, "I want to order")).status_code == 200


def test_a_removed_bot_is_no_way_in_and_its_conversations_stay(deliver: Deliver, telegram, bot, sofia: User):
    talk(deliver, message(1, "I want to order"))
    assert remove_connection(bot, sofia) == ""

    assert telegram.webhook == {}
    assert deliver(message(2, "a lamp")).status_code == 401
    assert Conversation.objects.count() == 1
    assert not ChannelThread.objects.exists()


def test_a_flood_is_refused_in_one_line(deliver: Deliver, telegram: TelegramDouble, settings):
    settings.SONI = {**settings.SONI, "MESSAGES_PER_CONVERSATION": 3}
    for number in range(1, 8):
        assert deliver(message(number, f"message {number}")).status_code == 200

    assert Event.objects.count() == 3
    refusals = Message.objects.filter(key="message_not_taken")
    assert [row.text for row in refusals if "wait a minute" in row.text] == [refusals[0].text]


def test_a_busy_server_lets_telegram_send_again_later(deliver: Deliver, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("dialogue.turns.load.waiting_turns", lambda: 10**6)
    answer = deliver(message(1, "I want to order"))

    assert (answer.status_code, answer["Retry-After"]) == (503, "60")
    assert not Conversation.objects.exists()
    monkeypatch.undo()
    assert deliver(message(1, "I want to order")).status_code == 200


def test_a_file_that_a_flow_asks_for_is_fetched_and_stored(deliver: Deliver, telegram: TelegramDouble, shop):
    flow = ASSISTANT["order.yaml"].replace("what: {type: text, prompt", "what: {type: file, prompt")
    flow = flow.replace('"Order {what}?"', "Order it?").replace('"{what} is ordered."', "It is ordered.")
    publish({**ASSISTANT, "order.yaml": flow})
    telegram.files["documents/plan"] = b"%PDF-1.4\n%%EOF\n"
    talk(deliver, message(1, "I want to order"))
    document = {"file_id": "plan", "file_unique_id": "u", "file_name": "plan.pdf", "file_size": 15}
    telegram.files, stored = {}, telegram.files
    assert deliver(message(2, document=document)).status_code == 503
    telegram.files = stored
    talk(deliver, message(2, document=document))
    talk(deliver, message(2, document=document))

    assert telegram.sent == ["What shall it be?", "Order it?"]
    assert [row.name for row in UploadedFile.objects.all()] == ["plan.pdf"]
    assert Event.objects.filter(kind="file").count() == 1


def test_a_conversation_that_ends_while_its_file_is_fetched_is_followed_by_another(deliver: Deliver, telegram, shop):
    flow = ASSISTANT["order.yaml"].replace("what: {type: text, prompt", "what: {type: file, prompt")
    flow = flow.replace('"Order {what}?"', "Order it?").replace('"{what} is ordered."', "It is ordered.")
    publish({**ASSISTANT, "order.yaml": flow})
    talk(deliver, message(1, "I want to order"))
    telegram.files["documents/plan"] = b"%PDF-1.4\n%%EOF\n"

    def end_it(method: str) -> None:
        if method == "getFile":
            Conversation.objects.update(state="done")

    telegram.before_answer = end_it
    talk(deliver, message(2, document={"file_id": "plan", "file_unique_id": "u", "file_name": "plan.pdf"}))

    assert Conversation.objects.count() == 2
    assert "Nothing asks for a file" in telegram.sent[-1]
    assert not Event.objects.filter(kind="file").exists()


@pytest.mark.parametrize("character", ["\0", "\ud800"])
def test_characters_that_no_database_stores_do_not_hold_up_the_bot(deliver: Deliver, telegram, character: str):
    strange = {name: f"{URSULA[name]}{character}" for name in ("first_name", "username", "language_code")}
    talk(deliver, message(1, f"I want to order{character}", **{"from": {**URSULA, **strange}}))
    talk(deliver, message(2, "a lamp"))

    assert telegram.sent[-1] == "Order a lamp?"


def test_a_wrong_token_is_refused_before_anything_is_stored(telegram, shop, sofia: User):
    for token in ("", "x", TOKEN.replace("A", "B")):
        with pytest.raises(ConnectionRefused):
            add_connection(shop, "telegram", {"token": token}, sofia)
    assert not ChannelConnection.objects.exists()


def test_one_bot_belongs_to_one_assistant(bot, shop, sofia: User):
    with pytest.raises(ConnectionRefused, match="connected already"):
        add_connection(shop, "telegram", {"token": TOKEN}, sofia)


def test_one_bot_belongs_to_one_assistant_also_under_its_next_name(telegram, bot, shop, sofia: User):
    telegram.tokens.add(NEW_TOKEN)
    telegram.username = "dock_bank_bot"

    with pytest.raises(ConnectionRefused, match="@harbour_bank_bot is connected already"):
        add_connection(shop, "telegram", {"token": NEW_TOKEN}, sofia)
    assert ChannelConnection.objects.get().account == TOKEN.partition(":")[0]


def test_erasing_a_conversation_erases_its_thread_and_its_arrivals(deliver: Deliver):
    from dialogue.desk.access.people import Person
    from dialogue.desk.maintenance.erasure import erase_conversation

    talk(deliver, message(1, "I want to order"))
    erase_conversation(Conversation.objects.get().pk, Person(0, "clock", frozenset(), frozenset()), "asked for")

    for model in (ChannelThread, ChannelArrival, ChannelDelivery):
        assert not model._default_manager.exists()


@pytest.mark.parametrize("text", ["word " * 3000, "x" * 9000, "😀" * 5000, "line\n" * 2000, ""])
def test_long_texts_are_split_where_telegram_takes_them(text: str):
    pieces = split_text(text)

    assert all(len(piece.encode("utf-16-le")) // 2 <= MAX_MESSAGE_UNITS for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


def test_a_long_line_goes_on_with_the_piece_that_failed(deliver: Deliver, telegram: TelegramDouble, hour):
    taken = 200, {"ok": True, "result": {"message_id": 1}}
    talk(deliver, message(1, "I want to order"))
    telegram.calls.clear()
    telegram.next_answers = [taken, failure(429, "Too Many Requests: retry after 5", retry_after=5)]
    telegram.next_answers += [taken, failure(502, "Bad Gateway")]
    text = " ".join(f"word-{number}" for number in range(1000))
    add_line(only_thread().conversation_id, "reminder", text)
    for _attempt in range(4):
        deliver_lines()
        hour.advance(timedelta(minutes=10))

    first, second, third = split_text(text)
    assert telegram.sent == [first, second, second, third, third]
    assert ChannelDelivery.objects.filter(state="sent", pieces_sent=2).count() == 1


def test_the_chat_of_another_person_is_another_conversation(deliver: Deliver):
    other = {**PRIVATE, "id": CHAT + 1}
    deliver(message(1, "I want to order"))
    deliver(message(2, "I want to order", chat=other, **{"from": {**URSULA, "id": CHAT + 1}}))

    assert ChannelThread.objects.count() == 2
