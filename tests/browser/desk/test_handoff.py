"""A chat goes to a person and back: by mouse, on a phone, and by the keyboard alone. Nobody reloads."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.pages.test_phone import too_wide
from tests.support.browser.chats import answer, hand_over, write
from tests.support.browser.house import House, token_of
from tests.support.browser.windows import DESKTOP, PHONE, VISITOR, WIDE_AND_NARROW, Windows, tab_to

pytestmark = pytest.mark.browser
LONG_TALK = """
from django.contrib.auth.models import User
from dialogue.models import Message
from dialogue.turns.accept import open_conversation
row, _token = open_conversation("library", user=User.objects.get(username="ursula"))
at = row.created_at
Message.objects.bulk_create(
    Message(conversation=row, seq=seq, role="user", text=f"Line {seq}.", at=at) for seq in range(1, 261)
)
row.last_message = 260
row.save()
print(row.pk)
"""
SMALLEST = {**PHONE, "viewport": {"width": 320, "height": 640}}


def lines(desk: Page, text: str) -> Locator:
    """The lines of the talk with this text."""
    return desk.locator("[data-log] .turn > p", has_text=text)


def end(house: House, name: str) -> None:
    """Leave no chat behind for the tests that come."""
    house.server.post(f"/api/v1/sessions/{name}/hand_back", {}, token_of("sofia"))


def test_a_chat_is_handed_over_and_back_at_the_awaited_step(window: Windows, house: House):
    ursula, olga = window(VISITOR, "/chat/bank/"), window("olga", "/inbox/")
    expect(olga.get_by_text("Live", exact=True)).to_be_visible()
    write(ursula, "send 6000 to Lindqvist Marine")
    expect(answer(ursula, "What is the IBAN?")).to_be_visible()
    chat = hand_over(ursula, house)
    expect(olga.locator("[data-new]")).to_be_visible()
    olga.locator("[data-new]").click()
    olga.locator(f"#row-{chat} a").click()

    expect(olga.locator("#context .path .now")).to_contain_text("Ask for IBAN")
    expect(olga.locator("#context")).to_contain_text("€6,000.00")
    expect(olga.get_by_text("asked for a person at")).to_be_visible()
    olga.get_by_role("button", name="Claim", exact=True).click()
    expect(ursula.get_by_text("Olga is here and answers you.")).to_be_visible()
    expect(olga.get_by_label("Reply to Guest")).to_be_focused()
    ursula.get_by_label("Message", exact=True).press_sequentially("Hello?")
    expect(olga.get_by_role("img", name="Guest is typing")).to_be_visible()
    olga.get_by_label("Reply to Guest").press_sequentially("Good morning, this is Olga.")
    expect(ursula.get_by_role("img", name="Olga is typing")).to_be_visible()
    olga.get_by_role("button", name="Send", exact=True).click()

    expect(answer(ursula, "Good morning, this is Olga.")).to_be_visible()
    expect(olga.locator(".by-reader", has_text="this is Olga").get_by_text("· read")).to_be_visible()
    expect(olga.get_by_label("Reply to Guest")).to_have_value("")
    ursula.get_by_label("Message", exact=True).press("Enter")
    expect(lines(olga, "Hello?")).to_be_visible()
    expect(ursula.locator(".by-reader", has_text="Hello?").get_by_text("· read")).to_be_visible()
    olga.get_by_role("button", name="Return to bot").click()

    expect(olga.get_by_text("handed back by Olga").first).to_be_visible()
    expect(answer(ursula, "What is the IBAN?")).to_have_count(2)
    expect(ursula.get_by_text("Olga is here and answers you.")).to_be_hidden()
    expect(ursula.get_by_role("status").filter(has_text="The assistant answers you again.")).to_be_visible()
    expect(lines(olga, "Hello?")).to_have_count(1)
    expect(ursula.locator(".turn", has_text="this is Olga").locator("time .full-moment")).to_contain_text("UTC")


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
@pytest.mark.parametrize(
    ("person", "end_of_chat"), [("olga", ("hand_back", {})), ("sofia", ("cancel", {"reason": "solved"}))]
)
def test_the_customer_is_told_that_the_assistant_is_back_where_no_flow_goes_on(
    window: Windows, house: House, size: dict[str, Any], person: str, end_of_chat: tuple[str, Any]
):
    ursula = window(VISITOR, "/chat/bank/", locale="es-ES", **size)
    ursula.get_by_label("Mensaje", exact=True).fill("I want to talk to a person")
    ursula.get_by_label("Mensaje", exact=True).press("Enter")
    expect(ursula.locator("[data-key=handoff]")).to_be_visible()
    conversation = ursula.locator("#chat").get_attribute("data-conversation")
    pending = house.server.get(f"/api/v1/conversations/{conversation}", token_of("sofia")).body["pending"]
    chat = f"/api/v1/sessions/{pending[0]['session']}"
    house.server.post(f"{chat}/claim", {}, token_of("olga"))
    expect(ursula.get_by_text("Olga está aquí y le atiende.")).to_be_visible()

    operation, body = end_of_chat
    assert house.server.post(f"{chat}/{operation}", body, token_of(person)).status == 200

    expect(ursula.locator("[data-key=handed_back]")).to_have_count(1)
    expect(ursula.get_by_role("status").filter(has_text="El asistente le atiende de nuevo.")).to_be_visible()
    write_again = ursula.get_by_label("Mensaje", exact=True)
    write_again.fill("hola")
    write_again.press("Enter")
    expect(ursula.get_by_text("El asistente le atiende de nuevo.")).to_be_hidden()
    assert too_wide(ursula) <= 0


@pytest.mark.parametrize("size", [pytest.param(PHONE, id="390"), pytest.param(SMALLEST, id="320")])
def test_a_chat_is_handed_over_and_back_on_a_phone(window: Windows, house: House, size: dict[str, object]):
    ursula = window(VISITOR, "/chat/bank/", **size)
    write(ursula, "send 6000 to Lindqvist Marine")
    expect(answer(ursula, "What is the IBAN?")).to_be_visible()
    chat = hand_over(ursula, house)
    assert too_wide(ursula) <= 0
    olga = window("olga", "/inbox/", **size)
    assert too_wide(olga) <= 0
    olga.locator(f"#row-{chat} a").tap()

    olga.get_by_role("button", name="Claim", exact=True).tap()
    expect(ursula.get_by_text("Olga is here and answers you.")).to_be_visible()
    assert too_wide(olga) <= 0
    olga.get_by_label("Reply to Guest").fill("I look it up.")
    olga.get_by_role("button", name="Send", exact=True).tap()
    expect(answer(ursula, "I look it up.")).to_be_in_viewport()
    expect(lines(olga, "I look it up.")).to_be_in_viewport()
    olga.get_by_role("link", name="Context").tap()
    expect(olga.locator("#context")).to_contain_text("€6,000.00")
    assert too_wide(olga) <= 0
    olga.locator("#context").get_by_role("link", name="Chat").tap()
    olga.get_by_role("button", name="Return").tap()

    expect(answer(ursula, "What is the IBAN?")).to_have_count(2)
    expect(olga.locator("#composer")).to_be_hidden()


def keep_reply(desk: Page, title: str, text: str) -> None:
    """Write a reply down and go to the inbox, without a mouse."""
    expect(desk.get_by_role("textbox", name="Title")).to_be_focused()
    desk.keyboard.type(title)
    desk.keyboard.press("Tab")
    desk.keyboard.type(text)
    desk.keyboard.press("Control+Enter")
    expect(desk.get_by_role("heading", name=title)).to_be_visible()
    desk.keyboard.press("Escape")
    expect(desk).to_have_url(re.compile("/inbox/$"))


def take_by_keys(desk: Page, chat: str) -> None:
    """Walk down to the chat with j, open it, and take it."""
    desk.reload()
    for _ in range(60):
        desk.keyboard.press("j")
        if desk.evaluate("document.activeElement.closest('li')?.id") == f"row-{chat}":
            break
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("button", name="Claim", exact=True)).to_be_visible()
    desk.keyboard.press("c")
    expect(desk.get_by_label("Reply to Guest")).to_be_focused()


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
def test_a_chat_is_handed_over_and_back_by_the_keyboard_alone(window: Windows, house: House, size: dict[str, Any]):
    ursula, olga = window(VISITOR, "/chat/bank/", **size), window("olga", "/inbox/replies/?new", **size)
    key, wide = olga.keyboard.press, size == DESKTOP
    keep_reply(olga, "Greeting by key" if wide else "Greeting by key, narrow", "Hello {customer}, this is {me}.")
    write(ursula, "send 6000 to Lindqvist Marine")
    take_by_keys(olga, hand_over(ursula, house))

    key("/")
    expect(olga.get_by_role("combobox", name="Search the saved replies")).to_be_focused()
    olga.keyboard.type("greeting by")
    expect(olga.get_by_role("option", selected=True)).to_contain_text("Greeting by key")
    key("Enter")
    expect(olga.get_by_label("Reply to Guest")).to_have_value("Hello Guest, this is Olga.")
    expect(olga.get_by_label("Reply to Guest")).to_be_focused()
    key("Control+Enter")
    expect(answer(ursula, "Hello Guest, this is Olga.")).to_be_visible()

    key("Escape")
    if not wide:
        tab_to(olga, olga.get_by_role("link", name="Context"))
        key("Enter")
    iban = olga.locator("[data-slot='transfer_money.iban'] summary")
    tab_to(olga, iban)
    wrong = olga.locator("[data-slot='transfer_money.iban'] input[name=value]")
    key("Enter")
    expect(wrong).to_be_focused()
    olga.keyboard.type("no account")
    key("Enter")
    expect(wrong).to_have_attribute("aria-invalid", "true")
    expect(wrong).to_be_focused()
    expect(wrong).to_have_value("no account")
    key("Control+A")
    olga.keyboard.type("DE89370400440532013000")
    key("Enter")
    expect(iban).to_contain_text("operator Olga")
    expect(iban).to_be_focused()
    if not wide:
        tab_to(olga, olga.locator("#context").get_by_role("link", name="Chat"))
        key("Enter")
    key("h")

    expect(answer(ursula, "€6,000.00 to Lindqvist Marine")).to_be_visible()
    expect(olga.locator("#holding [data-key=n]")).to_be_focused()


def test_what_is_typed_into_a_chat_that_somebody_else_has_stays(window: Windows, house: House):
    ursula, olga = window(VISITOR, "/chat/bank/"), window("olga", "/inbox/")
    chat = hand_over(ursula, house)
    olga.goto(f"{house.url}/inbox/{chat}/")
    olga.get_by_label("Reply to Guest").fill("I am here.")
    claimed = house.server.post(f"/api/v1/sessions/{chat}/claim", {}, token_of("oscar"))
    assert claimed.status == 200

    expect(olga.get_by_text("Oscar has this chat.")).to_be_visible()
    olga.get_by_role("button", name="Send", exact=True).click()

    expect(olga.locator("#composer-says")).to_contain_text(f"Oscar has {chat}")
    expect(olga.get_by_label("Reply to Guest")).to_have_value("I am here.")
    expect(answer(ursula, "I am here.")).to_have_count(0)
    end(house, chat)


def test_what_was_written_and_not_sent_goes_on_with_who_takes_the_chat_over(window: Windows, house: House):
    chat = house.chat()
    olga, sofia = window("olga", chat.desk), window("sofia", chat.desk)
    olga.get_by_role("button", name="Claim", exact=True).click()
    olga.get_by_label("Reply to Ursula").press_sequentially("Your account number is")
    expect(olga.get_by_text("Draft saved")).to_be_visible()
    expect(sofia.get_by_text("Olga has it")).to_be_visible()

    sofia.get_by_label("More", exact=True).click()
    sofia.locator(".moves summary", has_text="Take over").click()
    sofia.get_by_label("Why?").first.fill("Olga went home")
    sofia.get_by_role("button", name="Take over").click()

    expect(sofia.get_by_label("Reply to Ursula")).to_have_value("Your account number is")
    expect(sofia.get_by_text("Written by Olga, not sent")).to_be_visible()
    sofia.get_by_label("Reply to Ursula").fill("Good morning.")
    expect(sofia.get_by_text("Draft saved")).to_be_visible()
    sofia.reload()
    expect(sofia.get_by_label("Reply to Ursula")).to_have_value("Good morning.")
    expect(sofia.get_by_text("Written by Olga, not sent")).to_have_count(0)
    end(house, chat.gate)


def test_news_move_neither_the_hand_nor_a_half_typed_value(window: Windows, house: House):
    ursula, olga = window(VISITOR, "/chat/bank/"), window("olga", "/inbox/")
    write(ursula, "send 6000 to Lindqvist Marine")
    chat = hand_over(ursula, house)
    olga.goto(f"{house.url}/inbox/{chat}/")
    olga.get_by_label("Reply to Guest").fill("Half a sen")
    row = olga.locator("[data-slot='transfer_money.iban']")
    row.locator("summary").click()
    row.locator("input[name=value]").fill("DE89 37")

    write(ursula, "Are you still there?")
    expect(lines(olga, "Are you still there?")).to_be_visible()
    expect(olga.locator(f"#row-{chat}")).to_contain_text("Are you still there?")
    noted = house.server.post(f"/api/v1/sessions/{chat}/note", {"text": "Calls often"}, token_of("sofia"))
    assert noted.status == 200
    expect(olga.locator("#context .notes")).to_contain_text("Calls often")

    expect(row.locator("input[name=value]")).to_be_focused()
    expect(row.locator("input[name=value]")).to_have_value("DE89 37")
    expect(olga.get_by_label("Reply to Guest")).to_have_value("Half a sen")
    end(house, chat)


def test_a_customer_who_waits_may_leave(window: Windows, house: House):
    ursula, olga = window(VISITOR, "/chat/bank/"), window("olga", "/inbox/")
    write(ursula, "send 6000 to Lindqvist Marine")
    chat = hand_over(ursula, house)
    olga.goto(f"{house.url}/inbox/{chat}/")
    expect(ursula.get_by_text(re.compile("You are waiting for a person|Nobody is at the desk"))).to_be_visible()
    expect(ursula.locator("[data-waiting]")).to_contain_text(re.compile(r"Waiting since\s+\d\d:\d\d"))

    ursula.get_by_role("button", name="Back to the assistant").click()

    expect(answer(ursula, "What is the IBAN?")).to_have_count(2)
    expect(ursula.get_by_role("button", name="Back to the assistant")).to_be_hidden()
    expect(olga.get_by_text("the customer went back to the bot").first).to_be_visible()
    expect(olga.locator("#composer")).to_be_hidden()


def test_a_line_without_a_connection_is_sent_once_there_is_one(window: Windows, house: House):
    ursula, olga = window(VISITOR, "/chat/bank/"), window("olga", "/inbox/")
    olga.set_default_timeout(30_000)
    chat = hand_over(ursula, house)
    olga.goto(f"{house.url}/inbox/{chat}/")
    window.expect("ERR_FAILED|ERR_INTERNET_DISCONNECTED")
    olga.route("**/say/", lambda route: route.abort())

    olga.get_by_label("Reply to Guest").fill("Written in a tunnel.")
    olga.get_by_label("Reply to Guest").press("Control+Enter")
    expect(olga.locator("#composer-says")).to_contain_text("No connection.")
    expect(olga.locator(".waiting", has_text="Written in a tunnel.")).to_be_visible()
    olga.unroute("**/say/")

    expect(answer(ursula, "Written in a tunnel.")).to_have_count(1)
    expect(olga.locator(".waiting")).to_have_count(0)
    expect(lines(olga, "Written in a tunnel.")).to_have_count(1)
    end(house, chat)


def test_older_lines_are_fetched_where_they_are_read(window: Windows, house: House):
    conversation = house.server.shell(LONG_TALK).strip()

    for who, path in (("sofia", f"/conversations/{conversation}/"), ("ursula", "/chat/library/")):
        page = window(who, path)
        expect(lines(page, "Line 260.")).to_be_visible()
        expect(lines(page, "Line 60.")).to_have_count(0)
        page.get_by_role("button", name="Older lines").click()

        expect(lines(page, "Line 1.")).to_have_count(1)
        expect(page.get_by_role("button", name="Older lines")).to_have_count(0)
        seen = page.locator("[data-seq]").evaluate_all("all => all.map(each => Number(each.dataset.seq))")
        assert seen == list(range(1, 261))
    ended = house.server.post(f"/api/v1/conversations/{conversation}/cancel", {"reason": "read"}, token_of("sofia"))
    assert ended.status == 202
