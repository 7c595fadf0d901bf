"""What axe says of screens in the middle of something, in both themes, on a desk and on a phone: nothing."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.chats import hand_over
from tests.support.browser.house import ACCOUNT, Case, House, token_of
from tests.support.browser.windows import DESKTOP, PHONE, VISITOR, Windows

pytestmark = pytest.mark.browser

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text()
SIZES = [pytest.param(DESKTOP, id="desk"), pytest.param(PHONE, id="phone")]
COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules that one theme may break and the other keep."""
# States of pages that are not their plain addresses: those are in test_every_page.py.
SCREENS = [
    ("ursula", "/"),
    ("olga", "/gates/?view=done"),
    ("olga", "/gates/?q=nothing-of-that-name"),
    ("olga", "/gates/?tag=vip&order=newest"),
    ("olga", "/inbox/?tab=bot"),
    ("olga", "/inbox/?q=nothing-of-that-name"),
    ("ada", "/users/2/"),
    ("ada", "/tokens/?new"),
    ("sofia", "/webhooks/?new"),
    ("sofia", "/channels/?new"),
    ("sofia", "/inbox/replies/?new"),
    ("olga", "/no-such-page/"),
]


@pytest.fixture(scope="module")
def case(house: House) -> Case:
    """A gate that waits all the while."""
    return house.transfer()


def violations(page: Page) -> list[str]:
    """What is wrong in the light theme, and with the colours of the dark one."""
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    in_dark = broken_rules(page, COLOURS)
    page.emulate_media(color_scheme="light")
    return in_dark + broken_rules(page)


def broken_rules(page: Page, only: Sequence[str] = ()) -> list[str]:
    """Each as a line: which rule, what it wants, and where it is broken. `only`: the rules to look at, () for all."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)  # a script element would be refused by the policy
    # Without preloading: it would write style elements, which are refused too.
    options = {"resultTypes": ["violations"], "preload": False} | ({"runOnly": only} if only else {})
    found: dict[str, Any] = page.evaluate("options => axe.run(document, options)", options)
    return [
        f"{each['id']}: {each['help']}: {node['target']} {node['failureSummary']}"
        for each in found["violations"]
        for node in each["nodes"]
    ]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("who", "path"), SCREENS)
def test_nothing_is_wrong_with(window: Windows, case: Case, who: str, path: str, size: dict[str, Any]):
    window.expect("status of 404")

    page = window(who, path, **size)

    assert violations(page) == []


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wrong_with_a_gate_and_its_conversation(window: Windows, case: Case, size: dict[str, Any]):
    assert violations(window("olga", case.page, **size)) == []
    assert violations(window("sofia", case.page, **size)) == []
    lines = window("olga", f"/conversations/{case.conversation}/misunderstood/", **size)
    assert violations(lines) == []
    lines.locator(".correction > summary").first.click()
    lines.get_by_label("What was meant", exact=True).first.wait_for()
    assert violations(lines) == []
    assert lines.evaluate("document.documentElement.scrollWidth <= innerWidth")
    story = window("audrey", case.story, **size)  # who was given the permission to see what is masked
    story.get_by_text("Show masked values").click()
    assert violations(story) == []
    assert story.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert ACCOUNT not in story.content()
    story.get_by_label("Why do you have to see them?").fill("Complaint 4711")
    story.get_by_role("button", name="Show them").click()
    story.get_by_text("Shown to you until").wait_for()
    story.wait_for_load_state()
    assert ACCOUNT in story.content()
    assert violations(story) == []
    story.get_by_role("button", name="Mask again").click()
    story.get_by_text("Show masked values").wait_for()


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wrong_with_selecting_filtering_and_answering_together(
    window: Windows, case: Case, size: dict[str, Any]
):
    queue = window("olga", "/gates/", **size)
    queue.locator(".bulk-checkbox").first.check()
    assert violations(queue) == []
    queue.locator(".filters summary").click()
    assert violations(queue) == []

    assert violations(window("olga", f"/gates/together/?gate={case.gate.removeprefix('g')}", **size)) == []


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wrong_with_a_gate_that_was_answered_wrongly_and_then_lost(
    window: Windows, house: House, size: dict[str, Any]
):
    case = house.transfer()
    page = window("olga", case.page, **size)

    page.get_by_label("Daily limit").fill("a lot")
    page.get_by_role("button", name="Approve").click()
    page.get_by_role("alert").first.wait_for()
    assert violations(page) == []
    house.decide(case, "reject", reason="No such company")
    page.locator(".over-note", has_text="Oscar").wait_for()
    assert violations(page) == []


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wrong_with_the_list_of_keys_and_the_menus(window: Windows, case: Case, size: dict[str, Any]):
    page = window("sofia", case.page, **size)

    page.locator("#main").press("?")
    expect(page.get_by_role("dialog", name="Keys of this page")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.locator("nav.rail details summary").click()
    assert violations(page) == []


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wrong_with_an_entry_of_the_audit(window: Windows, case: Case, size: dict[str, Any]):
    page = window("audrey", "/admin/dialogue/auditentry/", **size)

    page.locator("#result_list tbody th a").first.click()
    page.get_by_role("heading", name="Audit entry").wait_for()

    assert violations(page) == []


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wrong_with_a_chat_its_values_its_replies_and_its_menu(
    window: Windows, house: House, size: dict[str, Any]
):
    case = house.chat()
    page = window("sofia", case.desk, **size)
    assert violations(page) == []

    house.server.post(f"/api/v1/sessions/{case.gate}/claim", {}, token_of("olga"))
    page.reload()
    page.get_by_label("More", exact=True).click()
    page.locator(".moves summary", has_text="Take over").click()
    assert violations(page) == []
    page.get_by_label("Why?").fill("Olga went home")
    page.get_by_role("button", name="Take over").click()
    expect(page.get_by_label("Reply to Ursula")).to_be_visible()
    page.get_by_role("button", name="Saved replies").click()
    page.get_by_role("dialog").wait_for()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.locator("#holding details[data-menu] > summary").click()
    assert violations(page) == []
    page.keyboard.press("Escape")
    if page.get_by_role("link", name="Context").is_visible():
        page.get_by_role("link", name="Context").click()
    if page.locator("#context").is_visible():
        page.locator("[data-slot='transfer_money.amount'] summary").click()
        page.locator("[data-slot='transfer_money.amount'] input[name=value]").fill("a lot")
        page.get_by_role("button", name="Set", exact=True).locator("visible=true").click()
        page.locator("#context .error").wait_for()
        assert violations(page) == []
    house.server.post(f"/api/v1/sessions/{case.gate}/hand_back", {}, "token-of-sofia")


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wrong_with_a_chat_that_waits_for_a_person(window: Windows, house: House, size: dict[str, Any]):
    page = window(VISITOR, "/chat/bank/", **size)
    chat = hand_over(page, house)

    page.get_by_role("button", name="Back to the assistant").wait_for()

    assert violations(page) == []
    house.server.post(f"/api/v1/sessions/{chat}/hand_back", {}, "token-of-sofia")
