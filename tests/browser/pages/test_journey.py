"""From the first message to the reply: a customer and two operators, each in a browser of their own. Nobody reloads."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.chats import answer, ask_for_transfer, lines
from tests.support.browser.house import House
from tests.support.browser.windows import VISITOR, WIDE_AND_NARROW, Windows, tab_to

pytestmark = pytest.mark.browser


def newest_row(gates: Page) -> str:
    """Show what is new in the queue, and give the reference of the row that came."""
    before = gates.locator("[data-row] code").all_inner_texts()
    gates.locator("[data-new]").click()
    expect(gates.locator("[data-row]")).to_have_count(len(before) + 1)
    now = gates.locator("[data-row] code").all_inner_texts()
    return next(name for name in now if name not in before)


def test_a_customer_asks_an_operator_approves_and_the_reply_comes_by_itself(window: Windows):
    olga, ursula = window("olga", "/gates/"), window(VISITOR, "/chat/bank/")
    expect(olga.get_by_text("Live", exact=True)).to_be_visible()

    ask_for_transfer(ursula)
    expect(ursula.get_by_text("A colleague is deciding.")).to_be_visible()
    expect(olga.get_by_role("button", name="1 new")).to_be_visible()
    gate = newest_row(olga)
    olga.locator(f"#row-{gate} a").click()
    olga.get_by_role("button", name="Approve").click()

    expect(olga.get_by_role("heading", name="Olga approved this")).to_be_visible()
    expect(olga.locator(f"#row-{gate}")).to_contain_text("Decided")
    expect(answer(ursula, "Done. €6,000.00 is on its way to Lindqvist Marine")).to_be_visible()
    expect(ursula.get_by_text("A colleague is deciding.")).to_be_hidden()
    expect(lines(ursula)).to_have_count(5)
    expect(olga.locator("[data-log]")).to_contain_text("Done. €6,000.00 is on its way")


def test_a_wrong_value_is_told_at_its_field_and_nothing_that_was_typed_is_lost(window: Windows, house: House):
    case = house.transfer()
    olga = window("olga", case.page)

    olga.get_by_label("Daily limit").fill("7.5k")
    olga.get_by_label("Reason").fill("Known to the branch")
    olga.get_by_role("button", name="Approve").click()

    expect(olga.get_by_role("alert")).to_contain_text("1 of 2 fields needs a change: Daily limit")
    wrong = olga.get_by_label("Daily limit")
    expect(wrong).to_be_focused()
    expect(wrong).to_have_value("7.5k")
    expect(wrong).to_have_attribute("aria-invalid", "true")
    expect(wrong).to_have_accessible_description(re.compile("“7.5k” is not a whole number"))
    expect(olga.get_by_label("Reason")).to_have_value("Known to the branch")
    expect(olga.locator(f"#row-{case.gate}")).to_contain_text("Unclaimed")
    olga.get_by_label("Daily limit").fill("7500")
    olga.get_by_role("button", name="Approve").click()
    expect(olga.get_by_role("heading", name="Olga approved this")).to_be_visible()


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
def test_the_second_operator_is_told_who_was_faster_and_keeps_the_own_answer(
    window: Windows, house: House, size: dict[str, Any]
):
    case, waiting = house.transfer(), house.transfer("Harbour Cranes")
    olga, oscar = window("olga", case.page, **size), window("oscar", "/account/", **size)
    oscar.route_web_socket(re.compile("/ws/"), lambda _socket: None)  # Oscar's page hears of nothing
    oscar.goto(house.url + case.page)
    tab_to(oscar, oscar.get_by_label("Daily limit"))
    oscar.keyboard.type("9000")
    expect(oscar.get_by_text("Draft saved")).to_be_visible()

    olga.get_by_role("button", name="Approve").click()
    expect(olga.get_by_role("heading", name="Olga approved this")).to_be_visible()
    tab_to(oscar, oscar.get_by_role("button", name="Reject"))
    oscar.keyboard.press("Enter")

    expect(oscar.get_by_role("heading", name=re.compile(r"Olga approved this \d+ secs? before you"))).to_be_focused()
    expect(oscar.get_by_text("Your answer changed nothing.")).to_be_visible()
    expect(oscar.locator("#card").locator(".bad, .error, [role=alert]")).to_have_count(0)
    expect(oscar.locator("#card dl")).to_contain_text("9000")
    expect(oscar.locator("#card dl")).to_contain_text("Reject")
    oscar.keyboard.press("n")
    expect(oscar.locator("#card-title")).to_be_visible()
    expect(oscar).not_to_have_url(re.compile(f"/{case.gate}/"))
    house.decide(waiting, "approve")


def test_a_gate_that_a_colleague_decides_cannot_be_decided_again_and_keeps_what_was_typed(
    window: Windows, house: House
):
    case = house.transfer()
    oscar = window("oscar", case.page)
    oscar.get_by_label("Daily limit").fill("9000")
    expect(oscar.get_by_text("Draft saved")).to_be_visible()

    house.decide(case, "approve", who="olga")

    expect(oscar.get_by_text("Olga approved this. Your answer stays here as your draft.")).to_be_visible()
    expect(oscar.get_by_role("button", name="Reject")).to_have_count(0)
    expect(oscar.get_by_label("Daily limit")).to_have_value("9000")


def test_the_audit_says_who_decided_what_and_when(window: Windows, house: House):
    case = house.transfer()
    olga = window("olga", case.page)
    olga.get_by_label("Daily limit").fill("7500")
    olga.get_by_role("button", name="Approve").click()
    expect(olga.get_by_role("heading", name="Olga approved this")).to_be_visible()

    audit = window("audrey", "/admin/dialogue/auditentry/")
    audit.get_by_role("searchbox").fill(case.gate)
    audit.get_by_role("searchbox").press("Enter")
    audit.get_by_role("row", name=re.compile("Olga approved")).get_by_role("link").first.click()

    entry = audit.locator("#content")
    expect(entry).to_contain_text("Olga")
    expect(entry).to_contain_text("Answer approve")
    expect(entry).to_contain_text("daily limit: 7500")
    expect(entry).to_contain_text(re.compile(r"20\d\d, \d+:\d\d"))
    expect(audit.get_by_role("button", name="Save")).to_have_count(0)
