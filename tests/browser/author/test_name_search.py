"""An author finds a built-in response by what it says, instead of reading a list of seventy."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.browser.windows import Windows, keep_no_drafts

pytestmark = pytest.mark.browser


def test_a_response_is_found_by_its_words_and_added_by_keyboard(window: Windows):
    page = window("arthur", "/flows/library/assistant/", ready=keep_no_drafts)
    search = page.get_by_role("searchbox", name=re.compile("Search: .*esponses"))

    search.fill("zzzz")
    expect(page.locator(".name-search [role=status]")).to_have_text("Nothing found")
    search.fill("colleague")
    matches = page.locator(".name-search .matches button")
    expect(matches.first).to_contain_text(re.compile("colleague", re.IGNORECASE))
    responses = page.locator("[data-field^='/responses/']")
    before = responses.count()
    search.press("Enter")
    expect(matches.first).to_be_focused()
    page.keyboard.press("Enter")

    expect(responses).not_to_have_count(before)
