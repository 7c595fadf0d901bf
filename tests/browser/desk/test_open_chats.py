"""A chat is opened beside the inbox without a load of the page, and changes its part when it changes hands."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages.test_accessibility import violations
from tests.support.browser.house import Case, House, token_of
from tests.support.browser.windows import DESKTOP, WIDE_AND_NARROW, Windows

pytestmark = pytest.mark.browser


@pytest.fixture
def two(house: House) -> Iterator[list[Case]]:
    yield [house.chat(), house.chat()]
    house.clear()


def row(page: Page, case: Case) -> str:
    return f"#row-{case.gate} [data-row]"


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
def test_only_the_pane_changes_the_conversation_has_the_focus_and_back_leads_to_the_row(
    window: Windows, two: list[Case], size: dict[str, Any]
):
    olga = window("olga", "/inbox/", **size)
    olga.evaluate("window.sameDocument = true")
    olga.locator(row(olga, two[0])).focus()

    olga.keyboard.press("Enter")
    expect(olga.get_by_role("region", name="Conversation with Ursula")).to_be_focused()
    expect(olga).to_have_url(re.compile(two[0].desk))
    expect(olga).to_have_title(re.compile("Ursula · Inbox"))
    expect(olga.locator(row(olga, two[0]))).to_have_attribute("aria-current", "true")
    assert violations(olga) == []

    olga.keyboard.press("Escape")
    expect(olga.locator(row(olga, two[0]))).to_be_focused()
    expect(olga).to_have_url(re.compile(r"/inbox/(\?.*)?$"))
    expect(olga.get_by_text("Choose a chat")).to_be_visible(visible=size == DESKTOP)
    olga.go_back()
    expect(olga.locator("#case")).to_have_attribute("data-chat", two[0].gate[1:])
    assert olga.evaluate("window.sameDocument")


def test_what_is_typed_is_a_draft_before_another_chat_is_open_and_replies_are_picked_there(
    window: Windows, two: list[Case]
):
    olga = window("olga", "/inbox/", **DESKTOP)
    olga.evaluate("window.sameDocument = true")
    olga.locator(row(olga, two[0])).click()
    olga.get_by_label("Reply to Ursula").press_sequentially("Good mor")

    olga.locator(row(olga, two[1])).click()
    expect(olga.locator("#case")).to_have_attribute("data-chat", two[1].gate[1:])
    expect(olga.get_by_label("Reply to Ursula")).to_have_value("")
    olga.get_by_role("button", name="Saved replies").click()
    expect(olga.get_by_role("dialog", name="Saved replies")).to_be_visible()
    olga.keyboard.press("Escape")
    olga.locator(row(olga, two[0])).click()

    expect(olga.get_by_label("Reply to Ursula")).to_have_value("Good mor")
    assert olga.evaluate("window.sameDocument")


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
def test_a_chat_that_changes_hands_is_in_its_part_for_the_taker_and_for_colleagues(
    window: Windows, house: House, two: list[Case], size: dict[str, Any]
):
    olga, oscar = window("olga", "/inbox/", **size), window("oscar", "/inbox/", **size)
    for page in (olga, oscar):
        expect(page.locator("section[data-section=waiting] li")).to_have_count(2)
        expect(page.get_by_text("Live", exact=True)).to_be_visible()
    olga.locator(row(olga, two[1])).focus()
    olga.keyboard.press("Enter")
    expect(olga.get_by_role("button", name="Claim", exact=True)).to_be_visible()

    olga.keyboard.press("c")
    expect(olga.locator(f"section[data-section=mine] #row-{two[1].gate}")).to_have_count(1)
    expect(oscar.locator(f"section[data-section=others] #row-{two[1].gate}")).to_contain_text("Olga")
    for page in (olga, oscar):
        expect(page.locator("[data-chats=waiting]")).to_have_text("1")
        expect(page.locator("[data-chats=open]")).to_have_text("2")
    house.server.post(f"/api/v1/sessions/{two[1].gate}/release", {}, token_of("olga"))

    for page in (olga, oscar):
        expect(page.locator("section[data-section=waiting] li")).to_have_count(2)
        expect(page.locator("section[data-section=mine], section[data-section=others]").first).to_be_hidden()
        order = page.locator("section[data-section=waiting] li").evaluate_all("rows => rows.map(row => row.id)")
        assert order == [f"row-{case.gate}" for case in two]
        expect(page.locator("[data-chats=waiting]")).to_have_text("2")


def test_new_chats_come_into_the_list_beside_an_open_chat(window: Windows, house: House, two: list[Case]):
    olga = window("olga", two[0].desk, **DESKTOP)
    expect(olga.get_by_text("Live", exact=True)).to_be_visible()

    another = house.chat()
    olga.locator("[data-new]").click()

    expect(olga.locator(row(olga, another))).to_be_visible()
    expect(olga.locator("#queue-list main")).to_have_count(0)
    expect(olga.locator(row(olga, two[0]))).to_have_attribute("aria-current", "true")
