"""The tour of the gate: seen by keyboard at two widths, skipped for good, and started again from menu and keys."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages.test_accessibility import violations
from tests.browser.pages.test_phone import too_wide
from tests.support.browser.house import House
from tests.support.browser.windows import DESKTOP, PHONE, Windows

pytestmark = pytest.mark.browser
SMALLEST = {**PHONE, "viewport": {"width": 320, "height": 640}}
SIZES = [pytest.param(DESKTOP, id="desk"), pytest.param(PHONE, id="390"), pytest.param(SMALLEST, id="320")]
NEW_OPERATOR = """
from django.contrib.auth.models import User
nina = User.objects.create(username="{name}", first_name="Nina", is_staff=True)
nina.groups.set(User.objects.get(username="olga").groups.all())
"""
SEES_TOUR = "from dialogue.models import Preference; Preference.objects.filter(user__username='{name}').delete()"
STEPS = ["Who asks, and why", "What is at stake", "What you fill in", "Claim it", "What each answer does", "Decide"]


@pytest.fixture
def nina(house: House, request: pytest.FixtureRequest) -> str:
    """A new operator, who has never decided a gate."""
    name = f"nina{abs(hash(request.node.name))}"
    house.server.shell(NEW_OPERATOR.format(name=name))
    house.sign_in()
    house.server.shell(SEES_TOUR.format(name=name))
    return name


def tab_back_to(page: Page, name: str) -> None:
    """Press Shift+Tab from the gate's title until a button of the tour has the focus."""
    button = tour(page).get_by_role("button", name=name)
    for _ in range(10):
        page.keyboard.press("Shift+Tab")
        if button.evaluate("each => each === document.activeElement"):
            return
    raise AssertionError(f"Shift+Tab does not come to {name}")


def tour(page: Page) -> Any:
    return page.get_by_role("region", name="Tour of the gate")


@pytest.mark.parametrize("size", SIZES)
def test_a_new_operator_goes_through_the_tour_by_keyboard_and_sees_it_once(
    window: Windows, house: House, nina: str, size: dict[str, Any]
):
    case = house.transfer()
    page = window(nina, case.page, **size)
    expect(page.locator("#card-title")).to_be_focused()
    expect(tour(page).get_by_role("status")).to_contain_text("Step 1 of 6")
    assert violations(page) == []

    tab_back_to(page, "Next")
    for number, title in enumerate(STEPS, start=1):
        expect(tour(page).get_by_role("status")).to_contain_text(f"Step {number} of 6 {title}")
        expect(page.locator(".tour-target")).to_have_count(1)
        expect(page.locator(".tour-target")).to_be_in_viewport()
        expect(tour(page).get_by_role("button", name="Skip the tour")).to_be_in_viewport()
        assert too_wide(page) <= 0
        page.keyboard.press("Enter")

    expect(tour(page)).to_have_count(0)
    expect(page.locator("#card-title")).to_be_focused()
    page.reload()
    expect(page.locator("#card-title")).to_be_focused()
    expect(tour(page)).to_have_count(0)


def test_the_gate_can_be_decided_during_the_tour_which_goes_on_at_the_next_gate(
    window: Windows, house: House, nina: str
):
    cases = [house.transfer("Alder Ltd"), house.transfer("Birch Ltd")]
    page = window(nina, "/gates/")
    page.locator(f"#row-{cases[0].gate} [data-row]").focus()
    page.keyboard.press("Enter")
    tour(page).get_by_role("button", name="Next").click()
    page.locator(f"#row-{cases[1].gate} [data-row]").click()
    expect(page.locator("#case")).to_have_attribute("data-gate", cases[1].gate[1:])
    expect(tour(page).get_by_role("status")).to_contain_text("What is at stake")

    page.keyboard.press("a")
    page.keyboard.press("Control+Enter")

    expect(page.get_by_role("heading", name="Nina approved this")).to_be_focused()
    expect(tour(page)).to_have_count(0)
    page.locator(f"#row-{cases[0].gate} [data-row]").click()
    expect(page.locator("#case")).to_have_attribute("data-gate", cases[0].gate[1:])
    expect(page.locator("#card-title")).to_be_focused()
    expect(tour(page)).to_have_count(0)
    house.clear()


@pytest.mark.parametrize("key", ["Escape", "Enter"])
def test_a_skipped_tour_is_not_shown_again_in_another_browser(window: Windows, house: House, nina: str, key: str):
    case = house.transfer()
    page = window(nina, case.page)
    tab_back_to(page, "Skip the tour")

    with page.expect_response("**/gates/tour/"):
        page.keyboard.press(key)

    expect(page.locator("#card-title")).to_be_focused()
    expect(tour(page)).to_have_count(0)
    expect(page).to_have_url(f"{house.url}{case.page}")
    another = window(nina, case.page)
    expect(another.locator("#card-title")).to_be_focused()
    expect(tour(another)).to_have_count(0)
    house.clear()


def test_escape_ends_the_tour_first_wherever_the_focus_is_and_leaves_the_gate_after_it(
    window: Windows, house: House, nina: str
):
    case = house.transfer()
    page = window(nina, case.page)
    expect(tour(page)).to_have_count(1)
    page.locator("#card-title").focus()

    with page.expect_response("**/gates/tour/"):
        page.keyboard.press("Escape")

    expect(tour(page)).to_have_count(0)
    expect(page).to_have_url(f"{house.url}{case.page}")
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(f"{house.url}{case.page}")
    house.clear()


@pytest.mark.parametrize("size", SIZES[:2])
def test_the_tour_is_started_again_from_the_keys_and_from_the_menu_of_any_page(
    window: Windows, house: House, size: dict[str, Any]
):
    case = house.transfer()
    olga = window("olga", case.page, **size)
    olga.locator("#card-title").press("?")
    olga.get_by_role("dialog").get_by_role("link", name="Tour of the gate").press("Enter")
    expect(tour(olga).get_by_role("button", name="Next")).to_be_focused()
    olga.keyboard.press("Escape")
    expect(tour(olga)).to_have_count(0)

    olga.goto(f"{house.url}/account/")
    olga.locator("nav.rail details summary").click()
    olga.locator("nav.rail").get_by_role("link", name="Tour of the gate").click()

    expect(tour(olga).get_by_role("status")).to_contain_text("Step 1 of 6")
    expect(olga).to_have_url(f"{house.url}{case.page}")
    house.clear()
    expect(olga.locator("form#card")).to_have_count(0)  # the gate is over, so that none waits
    olga.goto(f"{house.url}/gates/next/#tour")
    expect(olga.get_by_text("The tour begins with the next gate that you open.")).to_be_visible(visible=size == DESKTOP)
