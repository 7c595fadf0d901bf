"""An author declares what a step needs from the step, and is not blamed for what a new step still lacks."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.author.test_fields import row
from tests.support.browser.fields import MouseHand, begin_assistant
from tests.support.browser.house import House
from tests.support.browser.windows import Windows

pytestmark = pytest.mark.browser


def test_an_action_is_declared_from_the_step_that_needs_it_and_described_in_the_settings(window: Windows, house: House):
    hand = MouseHand(window("arthur", "/flows/"))
    page = hand.page
    begin_assistant(hand, house.url, "repairs")
    page.goto(f"{house.url}/flows/repairs/take_note/")
    page.locator("[data-graph] [data-step=check]").click()
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("dialog").get_by_label("Type").select_option("action")
    page.get_by_role("dialog").get_by_label("Name").fill("book_it")
    page.get_by_role("button", name="Add the step").click()

    call = row(page, "book_it", "call")
    expect(row(page, "book_it", "step").locator("input")).to_be_focused()
    expect(call.locator(".fix")).to_contain_text("The assistant does not know the action")
    created = page.locator("[data-field='new book_it/call']")
    expect(created.get_by_label("Name of the action")).to_have_value("book_it")
    created.get_by_role("button", name="Create").click()

    expect(created).to_have_count(0)
    expect(call.locator(".fix", has_text="does not know")).to_have_count(0)
    expect(call.locator(".fix", has_text="Nobody has programmed the action book_it yet")).to_be_visible()
    call.get_by_role("link", name="Describe book_it in the settings").click()
    page.wait_for_url(re.compile("/assistant/#field="))
    expect(page.locator("[data-card='/actions/book_it']")).to_have_attribute("open", "")


def test_a_slot_that_a_new_question_needs_is_created_beside_it(window: Windows, house: House):
    hand = MouseHand(window("arthur", "/flows/"))
    page = hand.page
    begin_assistant(hand, house.url, "gardens")
    page.goto(f"{house.url}/flows/gardens/take_note/")
    page.locator("[data-graph] [data-step=ask_note]").click()
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("dialog").get_by_label("Type").select_option("collect")
    page.get_by_role("dialog").get_by_label("Name").fill("ask_colour")
    page.get_by_role("button", name="Add the step").click()

    created = page.locator("[data-field='new ask_colour/slot']")
    created.get_by_label("Name of the slot").fill("¿?")
    created.get_by_role("button", name="Create").click()
    expect(created.get_by_role("alert")).to_have_text("A name needs a letter from a to z.")
    created.get_by_label("Name of the slot").fill("Favourite colour")
    created.get_by_role("button", name="Create").click()

    expect(created).to_have_count(0)
    expect(row(page, "ask_colour", "slot").locator("select")).to_have_value("favourite_colour")
    expect(page.locator("[data-graph] .flag:not(.warning)")).to_have_count(0)


def test_what_a_new_step_lacks_is_a_hint_until_its_field_is_left_or_the_flow_is_saved(window: Windows, house: House):
    hand = MouseHand(window("arthur", "/flows/"))
    page = hand.page
    begin_assistant(hand, house.url, "hints")
    page.locator("[data-graph] [data-step=check]").click()
    problems = page.locator("[data-studio] [data-problems-jump]")
    expect(problems).to_have_text("no problems")
    add_step(page, "call", "ask_more")
    flow = row(page, "ask_more", "flow")

    expect(flow.locator(".fix.hint")).to_be_visible()
    expect(flow.locator("select")).not_to_have_attribute("aria-invalid", "true")
    expect(problems).to_have_text("1 left to do")
    expect(page.locator("[data-graph] .flag:not(.warning)")).to_have_count(0)

    flow.locator("select").focus()
    row(page, "ask_more", "step").locator("input").focus()
    expect(flow.locator(".fix.error")).to_be_visible()
    expect(flow.locator("select")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("[data-graph] .flag:not(.warning)")).to_have_count(1)

    add_step(page, "link", "go_on")
    expect(row(page, "go_on", "flow").locator(".fix.hint")).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(row(page, "go_on", "flow").locator(".fix.error")).to_be_visible()


def add_step(page: Page, kind: str, name: str) -> None:
    """Add a step behind the selected one."""
    page.locator("[data-act=add]").click()
    page.get_by_role("dialog").get_by_label("Type").select_option(kind)
    page.get_by_role("dialog").get_by_label("Name").fill(name)
    page.get_by_role("button", name="Add the step").click()
    expect(row(page, name, "step")).to_be_visible()
