"""A gate that nobody answers goes its own way, and everybody who looks is told."""

import pytest
from playwright.sync_api import expect

from tests.support.browser.chats import answer, ask_for_transfer
from tests.support.browser.house import House
from tests.support.browser.windows import VISITOR, Windows

pytestmark = pytest.mark.browser


def test_the_customer_is_told_when_the_time_is_over(window: Windows, house: House):
    ursula = window(VISITOR, "/chat/bank/")

    ask_for_transfer(ursula)
    expect(ursula.get_by_text("A colleague is deciding.")).to_be_visible()
    house.run_out()

    expect(answer(ursula, "Your transfer of €6,000.00 to Lindqvist Marine was not approved.")).to_be_visible()
    expect(ursula.get_by_text("A colleague is deciding.")).to_be_hidden()


def test_an_open_gate_says_that_its_time_was_over_and_what_was_sent(window: Windows, house: House):
    case = house.transfer()
    olga = window("olga", case.page)
    olga.get_by_label("Daily limit").focus()
    expect(olga.get_by_text("Live", exact=True)).to_be_visible()

    house.run_out()

    expect(olga.get_by_text("This gate changed. Below it stands as you opened it.")).to_be_visible()
    expect(olga.get_by_label("Daily limit")).to_be_focused()
    olga.get_by_role("button", name="Look").click()

    expect(olga.get_by_role("heading", name="Time ran out: “Reject” was sent")).to_be_visible()
    expect(olga.locator(f"#row-{case.gate}")).to_contain_text("Expired")
    expect(olga.locator("[data-log]")).to_contain_text("was not approved")


def test_what_was_typed_stays_when_the_time_is_over_and_nothing_can_be_decided_any_more(window: Windows, house: House):
    case = house.transfer()
    olga = window("olga", case.page)
    expect(olga.get_by_text("Live", exact=True)).to_be_visible()
    olga.get_by_label("Reason").fill("Half a senten")

    house.run_out()

    expect(olga.get_by_text("This gate changed while you were writing.")).to_be_visible()
    expect(olga.get_by_label("Reason")).to_have_value("Half a senten")
    expect(olga.locator("#card .acts")).to_contain_text(
        "Time ran out: “Reject” was sent. Your answer stays here as your draft."
    )
    expect(olga.locator("#card button[name=action]")).to_have_count(0)
    olga.get_by_role("button", name="Look").click()

    expect(olga.get_by_role("heading", name="Time ran out: “Reject” was sent")).to_be_visible()
    expect(olga.locator("#card dl")).to_contain_text("Half a senten")
