"""What a person typed or sent is there, once and newest, in whatever order the requests with it come and fail."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

from tests.browser.pages.test_accessibility import violations
from tests.support.browser.held import HeldRequests, wait_until
from tests.support.browser.house import Case, House, token_of
from tests.support.browser.windows import DESKTOP, NARROW, VISITOR, Windows
from tests.support.processes.server import wait_for

pytestmark = pytest.mark.browser


@pytest.fixture
def chats(house: House) -> Iterator[list[Case]]:
    yield [house.chat(), house.chat()]
    house.clear()


@pytest.fixture
def gates(house: House) -> Iterator[list[Case]]:
    yield [house.transfer(name) for name in ("Alder Ltd", "Birch Ltd")]
    house.clear()


def reply(page: Page) -> Locator:
    return page.get_by_label("Reply to Ursula")


def open_chat(page: Page, case: Case) -> None:
    page.locator(f"#row-{case.gate} [data-row]").click()
    expect(page.locator("#case")).to_have_attribute("data-chat", case.gate[1:])


def open_gate(page: Page, case: Case) -> None:
    page.locator(f"#row-{case.gate} a").click()
    expect(page.locator("#case")).to_have_attribute("data-gate", case.gate[1:])


def answered(page: Page, address: str, let_go: Callable[[], None]) -> None:
    """Let a held request go, and wait for its answer."""
    with page.expect_response(address):
        let_go()


def test_a_chat_that_is_opened_before_its_draft_is_stored_shows_what_was_typed(window: Windows, chats: list[Case]):
    olga = window("olga", chats[0].desk, **DESKTOP)
    drafts = HeldRequests(olga, "**/draft/")
    reply(olga).press_sequentially("Good mor")

    open_chat(olga, chats[1])
    expect(reply(olga)).to_have_value("")
    draft = drafts.take()
    open_chat(olga, chats[0])

    expect(reply(olga)).to_have_value("Good mor")
    answered(olga, "**/draft/", draft.continue_)
    olga.reload()
    expect(reply(olga)).to_have_value("Good mor")


def test_a_chat_that_was_made_before_its_draft_was_stored_and_comes_after_shows_what_was_typed(
    window: Windows, chats: list[Case]
):
    olga = window("olga", chats[0].desk, **DESKTOP)
    drafts = HeldRequests(olga, "**/draft/")
    reply(olga).press_sequentially("Good mor")
    open_chat(olga, chats[1])
    draft, panes = drafts.take(), HeldRequests(olga, f"**{chats[0].desk}*")

    olga.locator(f"#row-{chats[0].gate} [data-row]").click()
    pane = panes.take()
    made_before = pane.fetch()
    answered(olga, "**/draft/", draft.continue_)
    pane.fulfill(response=made_before)

    expect(olga.locator("#case")).to_have_attribute("data-chat", chats[0].gate[1:])
    expect(reply(olga)).to_have_value("Good mor")


def test_a_draft_that_did_not_arrive_is_shown_again_and_saved_later(window: Windows, chats: list[Case]):
    window.expect("ERR_FAILED|503")
    olga = window("olga", chats[0].desk, **DESKTOP)
    drafts = HeldRequests(olga, "**/draft/")
    reply(olga).press_sequentially("Good mor")
    open_chat(olga, chats[1])
    drafts.take().fulfill(status=503)

    open_chat(olga, chats[0])
    expect(reply(olga)).to_have_value("Good mor")
    answered(olga, "**/draft/", drafts.take().continue_)

    olga.reload()
    expect(reply(olga)).to_have_value("Good mor")


def test_an_older_draft_never_replaces_a_newer_one(window: Windows, chats: list[Case]):
    olga = window("olga", chats[0].desk, **DESKTOP)
    drafts = HeldRequests(olga, "**/draft/")
    reply(olga).press_sequentially("Good")
    older = drafts.take()
    reply(olga).press_sequentially(" morning")

    open_chat(olga, chats[1])
    assert drafts.waiting == 0  # the newer one waits for the answer to the older one
    answered(olga, "**/draft/", older.continue_)
    answered(olga, "**/draft/", drafts.take().continue_)

    open_chat(olga, chats[0])
    expect(reply(olga)).to_have_value("Good morning")


def test_what_was_sent_does_not_come_back_with_the_draft_that_was_on_its_way(window: Windows, chats: list[Case]):
    olga = window("olga", chats[0].desk, **DESKTOP)
    drafts, texts = HeldRequests(olga, "**/draft/"), HeldRequests(olga, "**/say/")
    reply(olga).press_sequentially("Good morning.")
    draft = drafts.take()

    reply(olga).press("Control+Enter")
    expect(olga.locator(".waiting", has_text="Good morning.")).to_be_visible()
    olga.evaluate("fetch('/inbox/counts/')")  # a round trip: a request before it would have come
    assert texts.waiting == 0
    answered(olga, "**/draft/", draft.continue_)
    answered(olga, "**/say/", texts.take().continue_)

    expect(olga.locator(".waiting")).to_have_count(0)
    olga.reload()
    expect(olga.locator("[data-log]")).to_contain_text("Good morning.")
    expect(reply(olga)).to_have_value("")


def test_a_text_on_its_way_takes_nothing_with_it_that_was_typed_after_it(window: Windows, chats: list[Case]):
    olga = window("olga", chats[0].desk, **DESKTOP)
    texts, saved = HeldRequests(olga, "**/say/"), olga.locator(".save-note")
    reply(olga).press_sequentially("Good morning.")
    expect(saved).to_have_text("Draft saved")
    reply(olga).press("Control+Enter")
    text = texts.take()
    reply(olga).press_sequentially("How can I")
    open_chat(olga, chats[1])

    open_chat(olga, chats[0])  # not the draft of the first text, which is on its way
    expect(reply(olga)).to_have_value("How can I")
    expect(olga.locator(".waiting", has_text="Good morning.")).to_be_visible()
    with olga.expect_response("**/draft/"):
        text.continue_()
    expect(olga.locator(".waiting")).to_have_count(0)

    olga.reload()
    expect(reply(olga)).to_have_value("How can I")
    expect(olga.locator("[data-log]").get_by_text("Good morning.")).to_have_count(1)


def test_a_text_that_was_refused_after_its_chat_was_left_is_there_when_the_chat_is_opened(
    window: Windows, chats: list[Case]
):
    olga = window("olga", chats[0].desk, **DESKTOP)
    texts, drafts = HeldRequests(olga, "**/say/"), HeldRequests(olga, "**/draft/")
    reply(olga).fill("Good morning.")
    reply(olga).press("Control+Enter")
    text = texts.take()
    open_chat(olga, chats[1])
    text.fulfill(status=409, json={"detail": "Oscar has this chat."})
    drafts.take()  # never answered

    open_chat(olga, chats[0])

    expect(reply(olga)).to_have_value("Good morning.")
    expect(olga.locator(".waiting")).to_have_count(0)


def test_what_was_typed_last_is_a_draft_when_the_page_is_left(window: Windows, house: House, chats: list[Case]):
    olga = window("olga", chats[0].desk, **DESKTOP)
    reply(olga).press_sequentially("Good mor")

    olga.goto(house.url + "/gates/")

    wait_for(lambda: stored_draft(house, chats[0]) == "Good mor")


def stored_draft(house: House, case: Case) -> str:
    session = house.server.get(f"/api/v1/sessions/{case.gate}", token_of("olga")).body
    return str(session["draft"]["values"].get("reply", ""))


def test_a_gate_that_is_opened_before_its_draft_is_stored_shows_what_was_typed(window: Windows, gates: list[Case]):
    olga = window("olga", gates[0].page, **DESKTOP)
    drafts, limit = HeldRequests(olga, "**/draft/"), olga.get_by_label("Daily limit")
    limit.press_sequentially("65")
    open_gate(olga, gates[1])
    draft = drafts.take()

    open_gate(olga, gates[0])
    expect(limit).to_have_value("65")
    answered(olga, "**/draft/", draft.continue_)
    answered(olga, "**/draft/", drafts.take().continue_)  # filling the form in is typing

    olga.reload()
    expect(limit).to_have_value("65")


def test_a_draft_on_its_way_does_not_replace_what_a_refused_answer_held(window: Windows, gates: list[Case]):
    olga = window("olga", gates[0].page, **DESKTOP)
    drafts, limit = HeldRequests(olga, "**/draft/"), olga.get_by_label("Daily limit")
    limit.fill("7500")
    older = drafts.take()
    limit.fill("much")
    olga.get_by_role("button", name="Approve").click()
    expect(olga.locator(".field-error")).to_be_visible()

    answered(olga, "**/draft/", older.continue_)
    answered(olga, "**/draft/", drafts.take().continue_)

    olga.reload()
    expect(limit).to_have_value("much")


def test_without_a_connection_a_chat_waits_to_be_opened_and_nothing_that_was_typed_is_lost(
    window: Windows, chats: list[Case]
):
    window.expect("ERR_FAILED")
    olga = window("olga", chats[0].desk, **DESKTOP)
    olga.evaluate("window.sameDocument = true")
    reply(olga).press_sequentially("Good mor")
    addresses = ("**/draft/", f"**{chats[1].desk}*")
    for address in addresses:
        olga.route(address, lambda route: route.abort())

    olga.locator(f"#row-{chats[1].gate} [data-row]").click()
    expect(olga.get_by_text("No connection. This opens as soon as there is one.")).to_be_visible()
    for address in addresses:
        olga.unroute(address)

    expect(olga.locator("#case")).to_have_attribute("data-chat", chats[1].gate[1:])
    open_chat(olga, chats[0])
    expect(reply(olga)).to_have_value("Good mor")
    assert olga.evaluate("window.sameDocument")


@pytest.mark.parametrize(("place", "back"), [("/inbox/", "Back to the inbox"), ("/gates/", "Back to the queue")])
def test_without_a_connection_there_is_a_way_back_to_the_list_on_a_narrow_screen(
    window: Windows, chats: list[Case], gates: list[Case], place: str, back: str
):
    window.expect("ERR_FAILED")
    case, path = (chats[0], chats[0].desk) if place == "/inbox/" else (gates[0], gates[0].page)
    olga = window("olga", place, **NARROW, color_scheme="dark")
    olga.evaluate("window.sameDocument = true")
    olga.route(f"**{path}*", lambda route: route.abort())
    row = olga.locator(f"#row-{case.gate} [data-row]")
    row.focus()

    olga.keyboard.press("Enter")
    expect(olga.get_by_text("No connection. This opens as soon as there is one.")).to_be_visible()
    expect(olga.get_by_role("link", name=back)).to_be_focused()
    assert violations(olga) == []
    olga.keyboard.press("Enter")

    expect(row).to_be_focused()
    assert olga.evaluate("window.sameDocument")


def test_a_message_that_is_refused_goes_back_before_what_the_customer_typed_since(window: Windows):
    messages: list[tuple[WebSocketRoute, dict[str, Any]]] = []

    def hold(page: Page) -> None:
        page.route_web_socket(re.compile("/ws/conversations/"), connected)

    def connected(end: WebSocketRoute) -> None:
        end.on_message(lambda text: keep_message(end, json.loads(text)))

    def keep_message(end: WebSocketRoute, frame: dict[str, Any]) -> None:
        if frame["type"] == "user.message":
            messages.append((end, frame))

    ursula = window(VISITOR, "/chat/bank/", ready=hold)
    box = ursula.get_by_label("Message", exact=True)
    box.fill("First")
    box.press("Enter")
    wait_until(ursula, lambda: messages, "the chat has sent no message")
    end, frame = messages[0]
    box.fill("Second")

    end.send(json.dumps({"type": "error", "code": "refused", "detail": "Not this.", "ref": frame["id"]}))

    expect(ursula.get_by_text("Not this.")).to_be_visible()
    expect(box).to_have_value("First\nSecond")
    expect(ursula.locator(".waiting")).to_have_count(0)
