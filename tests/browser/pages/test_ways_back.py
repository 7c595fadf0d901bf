"""One level back is where one came from, and every heading of the way can be read."""

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser.house import House
from tests.support.browser.windows import PHONE, Windows

pytestmark = pytest.mark.browser
WIDTHS = (1920, 1440, 1024, 390, 320)


def overlaps(heading: Locator) -> list[str]:
    """The texts of the header's other parts that lie on the heading, or that it is too narrow for itself."""
    found: list[str] = heading.evaluate("""heading => {
      const own = document.createRange();
      own.selectNodeContents(heading);
      const box = own.getBoundingClientRect();
      const others = [...heading.parentElement.children].filter(each => each !== heading);
      const over = others.filter(each => {
        const at = each.getBoundingClientRect();
        return at.left < box.right && box.left < at.right && at.top < box.bottom && box.top < at.bottom;
      });
      const cut = box.right > heading.parentElement.getBoundingClientRect().right ? ["cut off"] : [];
      return [...over.map(each => each.textContent.trim()), ...cut];
    }""")
    return found


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("page", ["gate", "chat"])
def test_the_heading_of_the_context_is_not_covered(window: Windows, house: House, page: str, width: int):
    case = house.transfer() if page == "gate" else house.chat()
    path = case.page if page == "gate" else case.desk
    sofia = window("sofia", f"{path}#context", viewport={"width": width, "height": 800})
    heading = sofia.locator("#context > header h2")

    expect(heading).to_be_visible()
    expect(sofia.get_by_role("link", name="Was a message misunderstood?").first).to_be_visible()
    assert overlaps(heading) == []
    house.clear()


@pytest.mark.parametrize("size", [pytest.param({}, id="desk"), pytest.param(PHONE, id="phone")])
@pytest.mark.parametrize("place", ["/gates/", "/inbox/", "/conversations/"])
def test_escape_gives_the_focus_back_to_the_row(window: Windows, house: House, place: str, size: dict[str, Any]):
    for name in ("Alder Ltd", "Birch Ltd", "Cedar Ltd"):
        if place == "/inbox/":
            house.chat(first=f"send 6000 to {name}")
        else:
            house.transfer(name)
    olga = window("olga", place, **size)
    second = olga.locator("[data-row]").nth(1)
    path = str(second.evaluate("row => row.pathname"))

    second.focus()
    olga.keyboard.press("Enter")
    olga.wait_for_url(f"**{path}*")
    if place == "/gates/" and not size:
        expect(olga.locator("#card-title")).to_be_focused()
    olga.keyboard.press("Escape")
    olga.wait_for_url(f"**{place}*")

    focused = olga.locator("[data-row]:focus")
    expect(focused).to_have_count(1)
    assert focused.evaluate("row => row.pathname") == path
    house.clear()


@pytest.mark.parametrize("width", [1440, 390, 320])
def test_what_a_customer_said_and_the_button_beside_it_do_not_lie_over_each_other(
    window: Windows, house: House, width: int
):
    case = house.transfer("A beneficiary with a very long name and no end, Limited Liability Company")
    olga = window(
        "olga", f"/conversations/{case.conversation}/misunderstood/", viewport={"width": width, "height": 800}
    )
    said, button = olga.locator(".said-lines .said").first, olga.locator(".correction > summary").first

    words, pressed = said.bounding_box(), button.bounding_box()

    assert words and pressed and words["width"] > 200
    assert words["x"] + words["width"] <= pressed["x"] or words["y"] + words["height"] <= pressed["y"]
    assert pressed["width"] < 200
    house.clear()
