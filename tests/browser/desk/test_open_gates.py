"""Opening a gate changes the pane only; what happens elsewhere meanwhile disarms it and takes nothing away."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.held import HeldRequests
from tests.support.browser.house import Case, House
from tests.support.browser.windows import DESKTOP, Windows

pytestmark = pytest.mark.browser


@pytest.fixture
def two(house: House) -> Iterator[list[Case]]:
    cases = [house.transfer(name) for name in ("Alder Ltd", "Birch Ltd")]
    yield cases
    for case in cases:
        house.decide(case, "approve")


def row(page: Page, case: Case) -> str:
    return f"#row-{case.gate} a"


def test_only_the_pane_changes_and_back_and_escape_lead_to_the_row(window: Windows, two: list[Case]):
    olga = window("olga", "/gates/", **DESKTOP)
    olga.evaluate("window.sameDocument = true")

    olga.locator(row(olga, two[0])).click()
    expect(olga.locator("#card-title")).to_be_focused()
    expect(olga).to_have_title(re.compile(rf"{two[0].gate} Approve transfer"))
    expect(olga.locator(row(olga, two[0]))).to_have_attribute("aria-current", "true")

    olga.locator(row(olga, two[1])).click()
    expect(olga).to_have_url(re.compile(two[1].page))
    expect(olga.locator("#case")).to_have_attribute("data-gate", two[1].gate[1:])
    olga.go_back()
    expect(olga.locator("#case")).to_have_attribute("data-gate", two[0].gate[1:])

    olga.keyboard.press("Escape")
    expect(olga.get_by_text("Choose a gate")).to_be_visible()
    expect(olga.locator(row(olga, two[0]))).to_be_focused()
    expect(olga).to_have_url(re.compile(r"/gates/(\?.*)?$"))
    assert olga.evaluate("window.sameDocument")


def test_a_slow_server_shows_a_skeleton_and_the_pressed_button_says_that_it_sends(window: Windows, two: list[Case]):
    olga = window("olga", "/gates/", **DESKTOP)
    panes, submits = HeldRequests(olga, f"**{two[0].page}"), HeldRequests(olga, "**/submit/")

    olga.locator(row(olga, two[0])).click()
    expect(olga.locator(".skeleton")).to_be_visible()
    panes.let_go()
    expect(olga.locator(".skeleton")).to_have_count(0)
    olga.get_by_role("button", name="Approve").click()
    expect(olga.get_by_role("button", name="Sending…")).to_be_visible()
    submits.let_go()
    expect(olga.get_by_role("heading", name="Olga approved this")).to_be_focused()


def test_a_claim_on_a_slow_line_says_that_it_is_sent(window: Windows, two: list[Case]):
    olga = window("olga", two[0].page, **DESKTOP)
    claims, holding = HeldRequests(olga, "**/claim/"), olga.locator("#holding")

    holding.get_by_role("button", name="Claim").click()

    expect(holding.get_by_role("button", name="Sending…")).to_be_visible()
    claims.let_go()
    expect(holding).to_contain_text("Yours for")
    expect(holding.get_by_role("button", name="Sending…")).to_have_count(0)
    holding.get_by_role("button", name="Give back").click()
    expect(holding).to_contain_text("Unclaimed")


def test_a_claim_of_a_colleague_disarms_the_form_and_what_was_typed_stays(window: Windows, two: list[Case]):
    olga, oscar = window("olga", two[0].page, **DESKTOP), window("oscar", two[0].page, **DESKTOP)
    olga.get_by_label("Daily limit").fill("7000")

    oscar.locator("#holding").get_by_role("button", name="Claim").click()
    expect(olga.locator("#acts")).to_contain_text("has claimed this gate")
    expect(olga.get_by_role("button", name="Approve")).to_have_count(0)
    expect(olga.get_by_label("Daily limit")).to_have_value("7000")

    oscar.locator("#holding").get_by_role("button", name="Give back").click()
    olga.get_by_role("button", name="Approve").click()
    expect(olga.get_by_role("heading", name="Olga approved this")).to_be_visible()


def test_what_is_typed_is_a_draft_before_another_gate_is_open(window: Windows, two: list[Case]):
    olga = window("olga", two[0].page, **DESKTOP)

    olga.get_by_label("Daily limit").press_sequentially("65")
    olga.locator(row(olga, two[1])).click()
    expect(olga.locator("#case")).to_have_attribute("data-gate", two[1].gate[1:])
    olga.locator(row(olga, two[0])).click()

    expect(olga.get_by_label("Daily limit")).to_have_value("65")


def test_f_leads_into_the_filters_first_field(window: Windows, two: list[Case]):
    olga = window("olga", "/gates/", **DESKTOP)

    olga.keyboard.press("f")

    expect(olga.get_by_label("Sort", exact=True)).to_be_focused()


def test_all_of_a_kind_are_selected_and_answered_together(window: Windows, two: list[Case]):
    olga = window("olga", "/gates/", **DESKTOP)

    olga.locator(row(olga, two[0])).focus()
    olga.keyboard.press("v")
    olga.get_by_role("button", name="Select all of this kind").click()
    expect(olga.locator("#together")).to_contain_text("2 selected")
    olga.keyboard.press("Escape")
    olga.get_by_role("button", name="Answer together").click()

    expect(olga.get_by_role("heading", name="2 gates, one answer")).to_be_focused()
    expect(olga.get_by_role("row", name="Total")).to_contain_text("€12,000.00")
