"""The same journey on a phone, and every page in the colours of the night."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.chats import answer, ask_for_transfer
from tests.support.browser.house import House
from tests.support.browser.windows import DESKTOP, PHONE, VISITOR, Windows

pytestmark = pytest.mark.browser

SMALLEST = {**PHONE, "viewport": {"width": 320, "height": 640}}
PAGES = [
    (VISITOR, "/sign-in/"),
    (VISITOR, "/chat/library/"),
    ("olga", "/gates/"),
    ("olga", "/figures/"),
    ("olga", "/inbox/"),
    ("olga", "/inbox/replies/"),
    ("olga", "/conversations/"),
    ("arthur", "/flows/"),
    ("arthur", "/flows/bank/transfer_money/"),
    ("arthur", "/reference/"),
    ("arthur", "/understanding/"),
    ("arthur", "/understanding/bank/"),
    ("audrey", "/admin/dialogue/auditentry/"),
    ("ada", "/admin/"),
    ("ada", "/admin/auth/user/"),
    ("ada", "/admin/auth/user/2/change/"),
    ("ada", "/admin/auth/user/add/"),
    ("ada", "/admin/password_change/"),
    ("ada", "/admin/dialogue/hitlsession/"),
    ("ada", "/admin/dialogue/hitlsession/1/change/"),
    ("ada", "/admin/auth/group/1/change/"),
    ("ada", "/tokens/?new"),
    ("ada", "/users/"),
    ("ada", "/webhooks/?new"),
    ("ada", "/channels/"),
]
CUT_NAMES = """
[...document.querySelectorAll(".rail > a .rail-label, .rail summary .rail-label")]
  .filter((label) => label.offsetParent)
  .filter((label) => {
    const { left, right } = label.getBoundingClientRect();
    const entry = label.closest("a, summary").getBoundingClientRect();
    return left < entry.left || right > entry.right || entry.right > innerWidth;
  })
  .map((label) => label.textContent)
"""
"""Names in the bar of a phone that are wider than their entry."""
PLACES_OF_VALUES = """
[...document.querySelectorAll("tbody td[data-label]")].slice(0, 12).map((cell) => {
  const style = getComputedStyle(cell), label = getComputedStyle(cell, "::before");
  return [cell.getBoundingClientRect().left + parseFloat(style.paddingLeft), label.float];
})
"""
"""Where the values of a list begin, and on which side their titles are."""

ADD_GROUPS = """
from django.contrib.auth.models import Group
Group.objects.bulk_create(Group(name=f"long list {number}") for number in range(950))
"""
DELETE_GROUPS = """
from django.contrib.auth.models import Group
Group.objects.filter(name__startswith="long list ").delete()
"""


def too_wide(page: Page) -> int:
    """How many pixels of the page stand out at the side."""
    pixels: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return pixels


@pytest.mark.parametrize("size", [pytest.param(PHONE, id="390"), pytest.param(SMALLEST, id="320")])
def test_a_transfer_is_approved_from_a_phone(window: Windows, house: House, size: dict[str, object]):
    ursula, olga = window(VISITOR, "/chat/bank/", **size), window("olga", "/gates/", **size)
    ask_for_transfer(ursula)
    assert too_wide(ursula) <= 0
    olga.locator("[data-new]").tap()
    assert too_wide(olga) <= 0
    olga.locator("[data-row]").first.tap()

    card = olga.locator("#card")
    expect(card).to_contain_text("€6,000.00")
    expect(card.get_by_label("Daily limit")).not_to_be_focused()
    assert too_wide(olga) <= 0
    olga.get_by_role("link", name="Context").tap()
    expect(olga.locator("#context")).to_be_in_viewport()
    olga.locator("#context").get_by_role("link", name="Gate").tap()
    olga.get_by_role("button", name="Approve").tap()

    expect(olga.get_by_role("heading", name="Olga approved this")).to_be_in_viewport()
    expect(answer(ursula, "Done. €6,000.00")).to_be_visible()
    olga.get_by_role("link", name="Back to the queue", exact=True).tap()
    expect(olga).to_have_url(re.compile(r"/gates/(\?view=.*)?$"))


def test_a_wrong_value_is_seen_on_a_phone(window: Windows, house: House):
    case = house.transfer()
    olga = window("olga", case.page, **PHONE)

    olga.get_by_label("Daily limit").fill("7.5k")
    olga.get_by_role("button", name="Approve").tap()

    expect(olga.get_by_label("Daily limit")).to_be_focused()
    expect(olga.locator("#card .error.field-error")).to_be_in_viewport()
    house.decide(case, "approve")


def test_a_flow_is_a_list_of_steps_on_a_phone(window: Windows):
    page = window("arthur", "/flows/bank/transfer_money/", **PHONE)

    expect(page.get_by_role("button", name=re.compile("approval"))).to_be_visible()
    expect(page.locator("[data-graph] > li")).to_have_count(11)
    expect(page.locator("[data-graph] > li", has_text="Approve transfer")).to_contain_text("refused")
    page.get_by_role("link", name="YAML").tap()
    expect(page.locator(".cm-line").first).to_be_in_viewport()
    assert too_wide(page) <= 0


@pytest.mark.parametrize("size", [pytest.param(PHONE, id="390"), pytest.param(SMALLEST, id="320")])
@pytest.mark.parametrize(("who", "path"), PAGES)
def test_no_page_is_wider_than_the_phone(window: Windows, who: str, path: str, size: dict[str, object]):
    assert too_wide(window(who, path, **size)) <= 0


@pytest.mark.parametrize("language", ["en-GB", "es-ES"])
@pytest.mark.parametrize("width", [320, 360, 390])
def test_every_name_of_the_bar_is_shown_in_full(window: Windows, width: int, language: str):
    page = window("ada", "/figures/", viewport={"width": width, "height": 700}, locale=language)

    assert page.locator(".rail .rail-label:visible").count() == 6
    assert page.evaluate(CUT_NAMES) == []


@pytest.mark.parametrize("scripts", [True, False])
def test_the_pages_without_room_in_the_bar_are_in_its_menu(window: Windows, scripts: bool):
    page = window("ada", "/audit/", **PHONE, java_script_enabled=scripts)
    more = page.locator("nav.rail summary")
    expect(more).to_contain_text("(this page: Audit)")

    more.tap()

    menu = page.locator("nav.rail .menu")
    expect(menu.get_by_role("link", name="Audit")).to_have_attribute("aria-current", "page")
    menu.get_by_role("link", name="Understanding").tap()
    expect(page).to_have_url(re.compile("/understanding/$"))


@pytest.mark.parametrize("path", ["/users/", "/tokens/", "/admin/auth/user/", "/admin/dialogue/auditentry/"])
def test_the_values_of_a_row_stand_in_one_column_beside_their_titles(window: Windows, path: str):
    page = window("ada", path, **PHONE)

    places = page.evaluate(PLACES_OF_VALUES)

    assert len(places) > 1
    assert {left for left, _side in places} == {132}
    assert {side for _left, side in places} == {"left"}


def test_the_numbers_of_a_long_list_fit_the_smallest_phone(window: Windows, house: House):
    house.server.shell(ADD_GROUPS)
    try:
        page = window("ada", "/admin/auth/group/", **SMALLEST)
        last = page.locator(".paginator a.end")
        expect(last).to_be_visible()
        pages, box = int(last.inner_text()), last.bounding_box()
    finally:
        house.server.shell(DELETE_GROUPS)

    assert pages == 10, "more pages than ten are not all listed"
    assert box is not None and box["x"] + box["width"] <= 320


@pytest.mark.parametrize(("who", "path"), PAGES)
def test_a_machine_that_is_dark_gets_dark_pages(window: Windows, who: str, path: str):
    page = window(who, path, **DESKTOP, color_scheme="dark")

    assert lightness(page) < 60


def test_the_choice_of_light_or_dark_is_kept(window: Windows):
    olga = window("olga", "/gates/", color_scheme="light")
    assert lightness(olga) > 200

    olga.get_by_role("button", name="Switch between light and dark").click()
    assert lightness(olga) < 60
    olga.goto(olga.url.replace("/gates/", "/conversations/"))

    assert lightness(olga) < 60


def lightness(page: Page) -> float:
    """How light the page's ground is: 0 black, 255 white."""
    ground: list[str] = page.evaluate(
        "[document.body, document.documentElement].map(each => getComputedStyle(each).backgroundColor)"
    )
    painted = next(colour for colour in ground if colour != "rgba(0, 0, 0, 0)")
    colours = [float(number) for number in re.findall(r"[\d.]+", painted)[:3]]
    return sum(colours) / 3


FILL_TOASTS = """() => {
    document.getElementById("toast").textContent = "New: g19 Approve transfer: €8,450.00 · Lindqvist Marine Aktiebolag";
    const done = document.getElementById("done");
    done.hidden = false;
    done.querySelector("[data-words]").textContent = "g12 is snoozed until 30 Nov, 09:00. It comes back to your list.";
}"""


@pytest.mark.parametrize("width", [320, 390])
def test_toasts_cover_neither_each_other_nor_the_buttons_of_a_gate(window: Windows, house: House, width: int):
    case = house.transfer("Toast Ltd")
    olga = window("olga", case.page, viewport={"width": width, "height": 700})

    olga.evaluate(FILL_TOASTS)

    boxes = [olga.locator(place).bounding_box() for place in ("#done", "#toast", "#card .acts")]
    (_first, done_end), (toast_begin, toast_end), (buttons_begin, _last) = [
        (box["y"], box["y"] + box["height"]) for box in boxes if box
    ]
    assert done_end <= toast_begin
    assert toast_end <= buttons_begin
    assert not too_wide(olga)
    house.decide(case, "approve")
