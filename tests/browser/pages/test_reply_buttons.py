"""Reply buttons by keyboard: the focus stays in the conversation."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browser.chats import answer, write
from tests.support.browser.house import House
from tests.support.browser.windows import VISITOR, Windows

pytestmark = pytest.mark.browser

ASSISTANT = """\
version: 1
assistant: shelf
title: Shelf
records: {book: {fields: {isbn: text, title: text}, label: "{title}"}}
slots: {books: {type: list, items: book, default: [%s]}}
"""
FLOW = """\
flow: borrow
title: borrow a book
description: Lends a book.
examples: [borrow a book]
slots:
  book: {type: book, prompt: Which book?, options: {from: books, value: isbn, label: "{title}", page_size: 3}}
  note: {type: text, prompt: Any wish?}
steps:
  - {step: ask, type: collect, slot: book}
  - {step: wish, type: collect, slot: note}
  - {step: done, type: say, message: "Lent: {book}."}
"""
RENEW = """\
flow: renew
title: renew my loans
description: Renews what somebody has borrowed.
examples: [renew my loans]
steps:
  - {step: sure, type: confirm, message: Renew all of them?}
  - {step: done, type: say, message: They are renewed.}
"""


@pytest.fixture(scope="module", autouse=True)
def shelf(house: House, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The assistant is published, with seven books."""
    folder: Path = tmp_path_factory.mktemp("shelf")
    books = ", ".join(f"{{isbn: b{number}, title: Volume {number}}}" for number in range(1, 8))
    (folder / "assistant.yaml").write_text(ASSISTANT % books)
    (folder / "borrow.yaml").write_text(FLOW)
    (folder / "renew.yaml").write_text(RENEW)
    house.server.manage("load_flows", str(folder), "--publish")


def test_the_focus_goes_to_the_first_option_of_the_next_page_and_then_to_the_message(window: Windows):
    chat = window(VISITOR, "/chat/shelf/")
    write(chat, "borrow a book")
    expect(chat.get_by_role("button", name="Volume 3")).to_be_visible()

    chat.get_by_role("button", name="More").focus()
    chat.keyboard.press("Enter")
    expect(chat.get_by_role("button", name="Volume 4")).to_be_focused()
    chat.keyboard.press("Enter")
    expect(answer(chat, "Any wish?")).to_be_visible()

    expect(chat.get_by_label("Message", exact=True)).to_be_focused()


def test_a_button_that_is_touched_does_not_open_the_keyboard_of_a_phone(window: Windows):
    chat = window(VISITOR, "/chat/shelf/")
    write(chat, "borrow a book")
    chat.get_by_role("button", name="More").click()

    expect(chat.get_by_role("button", name="Volume 4")).to_be_visible()
    expect(chat.get_by_label("Message", exact=True)).not_to_be_focused()


STOP_THE_CLOCK = """() => {
    performance.now = () => 60_000;
    const start = window.setTimeout;
    window.stopped = [];
    window.setTimeout = (act, wait, ...rest) =>
        wait === 1_000 ? (window.stopped.push(act), 0) : start(act, wait, ...rest);
}"""
"""The second for which offers are held back does not pass until the test lets it."""


def test_what_is_offered_next_takes_no_press_for_a_second_after_a_button_was_chosen(window: Windows):
    chat = window(VISITOR, "/chat/shelf/")
    write(chat, "renew my loans")
    yes = chat.get_by_role("button", name="Yes", exact=True)
    expect(yes).to_be_visible()
    chat.evaluate(STOP_THE_CLOCK)

    yes.click()
    offers = chat.locator(".next-steps button")
    expect(offers.first).to_be_disabled()
    said = chat.locator("[data-log] .by-reader").count()
    offers.first.click(force=True)
    assert chat.locator("[data-log] .by-reader").count() == said

    chat.evaluate("() => { for (const act of window.stopped) act(); }")
    words = offers.first.inner_text()
    offers.first.click()
    expect(chat.locator("[data-log] .by-reader > p").last).to_have_text(words, ignore_case=True)
