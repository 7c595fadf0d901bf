"""Django's admin in a browser: its lists and forms behave as the console's do."""

import pytest
from playwright.sync_api import expect

from tests.support.browser.house import House
from tests.support.browser.windows import NARROW, WIDE_AND_NARROW, Windows

pytestmark = pytest.mark.browser

ADD_GROUP = """
from django.contrib.auth.models import Group
Group.objects.get_or_create(name="night shift")
"""


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
def test_what_is_done_with_rows_is_offered_when_one_is_selected_and_a_deletion_asks_first(
    window: Windows, house: House, size: dict[str, object]
):
    house.server.shell(ADD_GROUP)
    page = window("ada", "/admin/auth/group/", **size)
    delete = page.get_by_role("button", name="Delete selected groups")

    expect(delete).to_be_hidden()
    page.get_by_label("Select night shift").check()
    expect(page.get_by_text("1 of 9 selected")).to_be_visible()
    delete.click()
    expect(page.get_by_text("This cannot be undone")).to_be_visible()
    page.get_by_role("button", name="Delete").click()

    expect(page.get_by_text("Successfully deleted 1 group")).to_be_visible()
    expect(page.locator("#result_list tbody tr")).to_have_count(8)
    expect(page.get_by_text("night shift")).to_have_count(0)


def test_who_takes_a_password_away_is_not_asked_for_one(window: Windows):
    page = window("ada", "/admin/auth/user/2/password/")

    expect(page.get_by_label("Password confirmation")).to_be_visible()
    page.get_by_label("No password").check()

    expect(page.get_by_label("Password confirmation")).to_be_hidden()


def test_the_keys_of_the_console_work_in_the_admin(window: Windows, house: House):
    page = window("ada", "/admin/auth/user/")

    page.keyboard.press("j")
    expect(page.locator("a[data-row]").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Ada")).to_be_visible()
    page.locator("#main").press("Escape")

    expect(page).to_have_url(f"{house.url}/admin/auth/user/")
    expect(page.locator("a[data-row]").first).to_be_focused()


def test_a_list_is_filtered_by_the_chips_of_the_console(window: Windows):
    page = window("ada", "/admin/auth/user/", **NARROW)

    page.locator("summary", has_text="Role").click()
    page.get_by_role("link", name="Auditor", exact=True).click()

    expect(page.locator("#result_list tbody tr")).to_have_count(1)
    expect(page.locator(".filter-chip.on")).to_contain_text("Auditor")
    page.get_by_role("link", name="Clear filters").click()
    expect(page.locator(".filter-chip.on")).to_have_count(0)
