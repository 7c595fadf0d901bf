"""The list of conversations as a work list: a filter, a saved view, and why the assistant said what it said."""

import pytest
from playwright.sync_api import expect

from tests.support.browser.house import House
from tests.support.browser.windows import Windows

pytestmark = pytest.mark.browser


def test_sofia_filters_saves_the_view_and_reads_why_by_keyboard(window: Windows, house: House):
    case = house.transfer("Bergman Boats")
    sofia = window("sofia", "/conversations/")

    outcome = sofia.locator(".filter-chip > summary", has_text="Outcome")
    outcome.focus()
    sofia.keyboard.press("Enter")
    choice = sofia.get_by_role("link", name="Waiting for staff", exact=True)
    choice.focus()
    sofia.keyboard.press("Enter")
    sofia.wait_for_url("**/conversations/?outcome=staff")
    row = sofia.locator(f'a[data-row][href="{case.story}"]')
    expect(row).to_be_visible()
    assert (
        sofia.locator("td.came-to").all_inner_texts().count("Waiting for staff") == sofia.locator("td.came-to").count()
    )

    sofia.locator(".save-view > summary").click()
    sofia.get_by_label("Name of the view").fill("Needs us")
    sofia.keyboard.press("Enter")
    expect(sofia.get_by_role("link", name="Needs us", exact=True)).to_have_attribute("aria-current", "page")

    row.focus()
    sofia.keyboard.press("Enter")
    sofia.wait_for_url(f"**{case.story}")
    first = sofia.locator("#turn-1 .why")
    expect(first).to_contain_text("Understood: send money")
    expect(first.get_by_role("link")).not_to_have_count(0)
    sofia.get_by_text("Details of turn 1").click()
    expect(first.locator(".record .chip", has_text="send money")).to_be_visible()
    sofia.goto(sofia.url.replace(case.story, "/conversations/?outcome=staff"))
    sofia.get_by_role("button", name="Delete the view Needs us").click()
    expect(sofia.get_by_role("link", name="Needs us", exact=True)).to_have_count(0)
