"""An author tries a flow out, saves and runs a scenario, publishes, and goes back; what runs stays on its release."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.pages.test_accessibility import SIZES, violations
from tests.support.browser.house import ACCOUNT, Case, House, token_of
from tests.support.browser.windows import PHONE, Windows
from tests.support.processes.server import wait_for

pytestmark = pytest.mark.browser

LONG = 120_000
"""Milliseconds that a run of scenarios may need: a process starts, and makes a database."""

OTHER_WORDS = """
from dialogue.library.documents.versions import Edit, save_flow
from dialogue.models import Flow
flow = Flow.objects.select_related("head", "assistant").get(assistant__name="bank", name="transfer_money")
text = flow.head.text.replace("was not approved", "was turned down")
print(save_flow(flow.assistant, Edit(flow.name, text, flow.head.number), None).number)
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One of their own: what is tried is the draft, and other tests leave drafts of theirs."""
    house = House(tmp_path_factory.mktemp("tried"))
    house.open()
    yield house
    house.server.kill()


def begin(window: Windows, **options: Any) -> Page:
    """A new test of the bank's draft."""
    page = window("arthur", "/test/bank/?new", **options)
    page.get_by_role("button", name="Start the test").click()
    expect(page.get_by_text("Write what a customer would write")).to_be_visible()
    expect(page.get_by_text("Live", exact=True)).to_have_count(1)
    return page


def write(page: Page, text: str) -> None:
    page.get_by_label("Message", exact=True).fill(text)
    page.get_by_label("Message", exact=True).press("Enter")


def said(page: Page, text: str) -> Any:
    return page.locator("[data-part=log] .turn:not(.by-reader) > p", has_text=text)


def ask_for_transfer(page: Page) -> None:
    """Up to the gate that waits in place."""
    write(page, f"send 6000 to Lindqvist Marine, {ACCOUNT}")
    expect(said(page, "€6,000.00 to Lindqvist Marine")).to_be_visible()
    page.get_by_role("button", name="Yes", exact=True).click()
    expect(page.get_by_role("heading", name="Approve transfer", exact=True)).to_be_visible()


def test_a_flow_is_tried_its_gate_answered_in_place_and_the_conversation_saved_and_played_again(window: Windows):
    page = begin(window)

    ask_for_transfer(page)
    expect(page.locator("[data-step=approval]")).to_have_attribute("aria-current", "step")
    page.get_by_role("button", name="Reject", exact=True).click()
    expect(page.get_by_role("alert").first).to_be_visible()
    page.get_by_label("Reason").fill("No such company")
    page.get_by_role("button", name="Reject", exact=True).click()
    expect(said(page, "not approved")).to_be_visible()
    expect(page.locator("[data-step=refused]")).to_have_class(re.compile("done"))

    page.get_by_text("Save as scenario").click()
    page.get_by_label("Name", exact=True).fill("Refused in place")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="Refused in place")).to_be_visible()
    page.get_by_role("button", name="Run it").click()

    expect(page.get_by_text("3 turns as expected")).to_be_visible(timeout=LONG)
    expect(page.locator("[data-step=refused] .runs")).to_contain_text("1")


def test_a_refusal_in_place_stays_with_what_was_typed_while_the_page_goes_on(window: Windows):
    page = begin(window)
    ask_for_transfer(page)
    page.get_by_label("Daily limit").fill("500")

    page.get_by_role("button", name="Reject", exact=True).click()
    expect(page.get_by_role("alert").first).to_contain_text("needs a reason")
    write(page, "check my balance")
    expect(page.locator("[data-part=log] .turn.by-reader")).to_have_count(3)
    expect(said(page, "You have")).to_be_visible()

    expect(page.get_by_role("alert").first).to_contain_text("needs a reason")
    expect(page.get_by_label("Daily limit")).to_have_value("500")
    page.get_by_label("Reason").fill("No such company")
    page.get_by_role("button", name="Reject", exact=True).click()
    expect(said(page, "not approved")).to_be_visible()
    expect(page.get_by_role("heading", name="Approve transfer", exact=True)).to_have_count(0)


def test_any_turn_is_gone_back_to_and_another_way_is_taken(window: Windows):
    page = begin(window)
    ask_for_transfer(page)
    first = page.url

    page.get_by_role("button", name="Back to turn 1").click()
    expect(page).not_to_have_url(first)
    expect(page.get_by_text("Live", exact=True)).to_have_count(1)
    write(page, "no")

    expect(page.locator("[data-part=log]")).to_contain_text("change")
    expect(page.get_by_role("heading", name="Approve transfer", exact=True)).to_have_count(0)


def test_the_clock_is_moved_past_the_deadline(window: Windows):
    page = begin(window)
    ask_for_transfer(page)

    page.get_by_role("tab", name="World").click()
    page.get_by_label("Move the clock ahead by").fill("31m")
    page.get_by_role("button", name="Move ahead").click()

    expect(said(page, "not approved")).to_be_visible()


def last_line(house: House, case: Case) -> str:
    listed = house.server.get(f"/api/v1/conversations/{case.conversation}/messages", token_of("olga")).body["messages"]
    return str(listed[-1]["text"])


def release_row(page: Page, note: str) -> Locator:
    return page.locator(".release-rows > li").filter(has_text=note)


def test_what_is_paused_finishes_on_the_old_release_while_a_new_one_is_published_and_gone_back_from(
    window: Windows, house: House
):
    case = house.transfer("Old Release Ltd")
    house.server.shell(OTHER_WORDS)
    page = window("arthur", "/releases/bank/")

    page.get_by_role("link", name="Publish…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Refused")
    expect(dialog).to_contain_text("stays on release 1")
    expect(dialog.get_by_label("Note for the history")).to_be_focused()
    page.keyboard.type("Other words for a refusal")
    page.get_by_role("button", name="Publish release 2").click()
    expect(release_row(page, "Other words for a refusal")).to_contain_text("active")

    house.decide(case, "reject", reason="No such company")
    wait_for(lambda: "was not approved" in last_line(house, case))

    page.get_by_role("link", name="Roll back to 1").click()
    expect(dialog).to_contain_text("New conversations begin on release 1")
    expect(dialog.get_by_label("Why?")).to_be_focused()
    page.keyboard.type("The words were wrong")
    page.keyboard.press("Control+Enter")
    expect(release_row(page, "The demo, as installed")).to_contain_text("The words were wrong")
    page.get_by_role("link", name="Undo: back to 2").click()
    page.get_by_role("button", name="Go forward to 2").click()
    expect(release_row(page, "Other words for a refusal")).to_contain_text("active")
    page.get_by_role("link", name="Undo: back to 1").click()
    page.get_by_role("button", name="Roll back to 1").click()
    expect(release_row(page, "The demo, as installed")).to_contain_text("active")


def test_what_was_just_typed_is_published_without_leaving_the_editor(window: Windows, house: House):
    page = window("arthur", "/flows/library/renew_loan/")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("# reviewed")
    publish_link = page.locator(".flow-acts").get_by_role("link", name="Publish")

    publish_link.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("No step changes, only the texts around them")
    expect(dialog.get_by_label("Note for the history")).to_be_focused()
    page.keyboard.type("Reviewed")
    page.keyboard.press("Control+Enter")

    expect(page.locator("[data-status]")).to_contain_text("is active")
    expect(dialog).to_have_count(0)
    expect(publish_link).to_be_focused()
    expect(page.locator("[data-unpublished]")).to_be_hidden()
    expect(page.get_by_text("New conversations begin on it")).to_be_visible()
    publish_link.click()
    expect(dialog).to_contain_text("Nothing has changed since release")
    expect(dialog.get_by_role("button", name="Publish release")).to_have_count(0)
    page.keyboard.press("Escape")
    page.locator(".cm-content").click()
    page.keyboard.type("# again ")
    expect(page.locator("[data-unpublished]")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page).to_have_url(f"{house.url}/flows/library/renew_loan/")


def test_scenarios_run_in_the_publish_dialog_and_show_how_far_they_are(window: Windows, house: House):
    page = window("arthur", "/releases/library/publish/")
    part = page.locator("#scenario-check")

    expect(part).to_contain_text("not run yet with these texts")
    part.get_by_role("button", name="Run").click()

    expect(part).to_contain_text("running")
    expect(part).to_contain_text("passed", timeout=LONG)
    expect(part.get_by_role("button", name="Run again")).to_be_visible()


def test_the_publish_dialog_is_left_with_escape(window: Windows, house: House):
    page = window("arthur", "/releases/library/publish/")

    page.keyboard.press("Escape")

    expect(page).to_have_url(f"{house.url}/releases/library/")


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wrong_with_the_pages_of_what_is_tried(window: Windows, size: dict[str, Any]):
    for path in ("/test/", "/test/bank/?new", "/scenarios/bank/", "/scenarios/bank/new/", "/assistants/new/"):
        assert (path, violations(window("arthur", path, **size))) == (path, [])
    for path in ("/flows/", "/releases/bank/", "/releases/bank/publish/", "/releases/bank/1/activate/"):
        assert (path, violations(window("arthur", path, **size))) == (path, [])


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wrong_with_the_pages_that_compare_and_move(window: Windows, house: House, size: dict[str, Any]):
    house.server.shell(OTHER_WORDS)
    compared = window("arthur", "/flows/bank/transfer_money/compare/?old=1&new=2", **size)
    expect(compared.locator(".node.changed").first).to_be_visible()
    assert violations(compared) == []
    for path in (
        "/releases/bank/changes/",
        "/releases/bank/move/?old=1&new=1&steps=",
        "/flows/bank/transfer_money/history/",
    ):
        assert (path, violations(window("arthur", path, **size))) == (path, [])


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wrong_with_two_ways_side_by_side(window: Windows, size: dict[str, Any]):
    page = begin(window, **size)
    ask_for_transfer(page)
    page.goto(f"{page.url}compare/")
    assert violations(page) == []

    page.get_by_role("button", name="Compare").click()

    expect(page.locator(".turn-pairs tbody tr")).to_have_count(2)
    assert violations(page) == []


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wrong_with_the_test_console_at_a_gate_nor_with_a_test_beside_the_text(
    window: Windows, size: dict[str, Any]
):
    page = begin(window, **size)
    ask_for_transfer(page)
    assert violations(page) == []

    page.goto(page.url.split("/test/")[0] + "/flows/bank/transfer_money/#test")
    ask_for_transfer(page)

    expect(page.locator("[data-step=approval]")).to_have_class(re.compile("now"))
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_test_is_chatted_on_a_phone(window: Windows):
    page = begin(window, **PHONE)

    ask_for_transfer(page)
    page.get_by_role("link", name="Steps").click()

    expect(page.locator("[data-step=approval]")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_ctrl_enter_in_the_test_console_asks_which_action_too(window: Windows):
    arthur = begin(window)
    ask_for_transfer(arthur)

    arthur.get_by_label("Reason").fill("The IBAN is wrong")
    arthur.keyboard.press("Control+Enter")

    expect(arthur.get_by_role("form", name="Approve transfer")).to_contain_text(
        "Nothing was sent. Select an action first: Approve, Reject"
    )
