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


@pytest.fixture(scope="module", autouse=True)
def shelf(house: House, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The assistant is published, with seven books."""
    folder: Path = tmp_path_factory.mktemp("shelf")
    books = ", ".join(f"{{isbn: b{number}, title: Volume {number}}}" for number in range(1, 8))
    (folder / "assistant.yaml").write_text(ASSISTANT % books)
    (folder / "borrow.yaml").write_text(FLOW)
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
