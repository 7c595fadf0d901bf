"""Nothing is decided by default: an action is selected first, and only the selected one is sent."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk.test_answer_page import APPROVE, opened
from tests.browser.desk.test_desk import command
from tests.browser.pages.test_accessibility import violations
from tests.support.browser.held import HeldRequests
from tests.support.browser.house import Case, House
from tests.support.browser.windows import DESKTOP, PHONE, WIDE_AND_NARROW, Windows

pytestmark = pytest.mark.browser

WHICH = "Nothing was sent. Select an action first: Approve, Reject"


@pytest.fixture
def case(house: House) -> Iterator[Case]:
    """A transfer that waits; what a test leaves undecided is decided after it."""
    waiting = house.transfer()
    yield waiting
    house.decide(waiting, "approve")


@pytest.fixture
def two(house: House) -> Iterator[list[Case]]:
    cases = [house.transfer(name) for name in ("Larch Ltd", "Maple Ltd")]
    yield cases
    for waiting in cases:
        house.decide(waiting, "approve")


def state_of(house: House, case: Case) -> tuple[str, str, str]:
    """The gate's state, the action that was decided, and its reason."""
    session = house.server.get(f"/api/v1/sessions/{case.gate}", "token-of-sofia").body
    decision = session["decision"] or {"action": "", "reason": ""}
    return session["state"], decision["action"], decision["reason"]


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
def test_ctrl_enter_sends_reject_once_reject_was_selected(
    window: Windows, house: House, case: Case, size: dict[str, Any]
):
    olga = window("olga", case.page, **size)
    expect(olga.locator("#card-title")).to_be_focused()

    olga.keyboard.press("x")
    expect(olga.get_by_label("Reason")).to_be_focused()
    expect(olga.locator("#card")).to_contain_text("Ctrl Enter: Reject")
    expect(olga.get_by_role("button", name="Reject", pressed=True)).to_be_visible()
    expect(olga.get_by_role("button", name="Approve", pressed=False)).to_be_visible()
    assert violations(olga) == []
    olga.keyboard.type("The IBAN is wrong")
    olga.keyboard.press("Control+Enter")

    expect(olga.get_by_role("heading", name="Olga rejected this")).to_be_visible()
    assert state_of(house, case) == ("submitted", "reject", "The IBAN is wrong")


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
def test_a_key_right_after_enter_selects_an_action_and_types_nothing(
    window: Windows, house: House, case: Case, size: dict[str, Any]
):
    olga = window("olga", "/gates/", **size)
    olga.locator(f"#row-{case.gate} a").focus()

    olga.keyboard.press("Enter")
    expect(olga.locator("#card-title")).to_be_focused()
    olga.keyboard.press("a")

    expect(olga.get_by_role("button", name="Approve", pressed=True)).to_be_visible()
    expect(olga.get_by_label("Daily limit")).to_have_value("")
    olga.keyboard.press("Control+Enter")
    expect(olga.get_by_role("heading", name="Olga approved this")).to_be_focused()
    assert state_of(house, case) == ("submitted", "approve", "")


def test_ctrl_enter_on_the_button_of_another_action_sends_the_selected_one(window: Windows, house: House, case: Case):
    olga = window("olga", case.page)
    olga.get_by_label("Reason").fill("The IBAN is wrong")
    olga.get_by_role("button", name="Approve").focus()
    olga.keyboard.press("x")
    expect(olga.get_by_role("button", name="Approve")).to_be_focused()
    expect(olga.locator("#card")).to_contain_text("Ctrl Enter: Reject")

    olga.keyboard.press("Control+Enter")

    expect(olga.locator("#card")).to_contain_text("Reject")
    expect(olga.locator("#card .decision")).to_be_visible()
    assert state_of(house, case) == ("submitted", "reject", "The IBAN is wrong")


def test_reject_stays_selected_after_the_reason_was_missing(window: Windows, house: House, case: Case):
    olga = window("olga", case.page)

    olga.get_by_role("button", name="Reject").click()
    expect(olga.get_by_label("Reason")).to_be_focused()
    expect(olga.locator("#card")).to_contain_text("Ctrl Enter: Reject")
    olga.keyboard.type("The IBAN is wrong")
    olga.keyboard.press("Control+Enter")

    expect(olga.get_by_role("heading", name="Olga rejected this")).to_be_visible()
    assert state_of(house, case) == ("submitted", "reject", "The IBAN is wrong")


def test_ctrl_enter_right_after_a_refusal_is_not_lost(window: Windows, house: House, case: Case):
    olga = window("olga", case.page)
    olga.evaluate("htmx.config.defaultSettleDelay = 1500")  # as on a busy machine

    olga.get_by_role("button", name="Reject").click()
    expect(olga.get_by_label("Reason")).to_be_focused()
    olga.keyboard.type("The IBAN is wrong")
    olga.keyboard.press("Control+Enter")

    expect(olga.get_by_role("heading", name="Olga rejected this")).to_be_visible()
    assert state_of(house, case) == ("submitted", "reject", "The IBAN is wrong")


def test_ctrl_enter_asks_which_action_while_none_is_selected(window: Windows, house: House, case: Case):
    olga = window("olga", case.page)

    olga.get_by_label("Reason").fill("The IBAN is wrong")
    olga.keyboard.press("Control+Enter")

    expect(olga.locator("#card")).to_contain_text(WHICH)
    expect(olga.get_by_label("Reason")).to_be_focused()
    expect(olga.get_by_role("button", pressed=True)).to_have_count(0)
    expect(olga.locator("#card .selected")).to_have_count(0)
    assert state_of(house, case)[0] == "open"


def test_another_key_selects_another_action_and_only_the_last_is_sent(window: Windows, house: House, case: Case):
    olga = window("olga", case.page)
    olga.get_by_label("Reason").fill("As agreed by phone")
    olga.keyboard.press("Escape")

    olga.keyboard.press("x")
    olga.keyboard.press("a")
    expect(olga.locator("#card")).to_contain_text("Ctrl Enter: Approve")
    assert state_of(house, case)[0] == "open"
    olga.keyboard.press("Control+Enter")

    expect(olga.get_by_role("heading", name="Olga approved this")).to_be_visible()


def test_what_olga_selected_is_not_selected_for_who_opens_the_gate_later(window: Windows, house: House, case: Case):
    olga = window("olga", case.page)
    olga.get_by_label("Daily limit").fill("a lot")
    olga.get_by_role("button", name="Approve").click()
    expect(olga.locator("#card .error.field-error")).to_be_visible()
    expect(olga.get_by_role("button", name="Approve", pressed=True)).to_be_visible()

    olga.reload()

    expect(olga.get_by_label("Daily limit")).to_have_value("a lot")
    expect(olga.get_by_role("button", pressed=True)).to_have_count(0)


def test_on_a_phone_a_tap_on_reject_asks_for_the_reason_and_a_second_tap_rejects(
    window: Windows, house: House, case: Case
):
    olga = window("olga", case.page, **PHONE)

    olga.get_by_role("button", name="Reject").tap()
    expect(olga.locator("#card .error.field-error")).to_be_visible()
    expect(olga.locator("#card")).to_contain_text("Selected: Reject")
    olga.get_by_label("Reason").fill("The IBAN is wrong")
    olga.get_by_role("button", name="Reject").tap()

    expect(olga.get_by_role("heading", name="Olga rejected this")).to_be_visible()
    assert state_of(house, case) == ("submitted", "reject", "The IBAN is wrong")


def test_what_is_typed_while_an_answer_is_on_its_way_is_in_the_form_that_comes_back(
    window: Windows, house: House, case: Case
):
    olga = window("olga", case.page)
    submits = HeldRequests(olga, "**/submit/")

    olga.get_by_role("button", name="Reject").click()
    submit = submits.take()
    olga.get_by_label("Reason").fill("The IBAN is wrong")
    submit.continue_()

    expect(olga.locator("#card .error.field-error")).to_be_visible()
    expect(olga.get_by_label("Reason")).to_have_value("The IBAN is wrong")


def test_several_gates_are_answered_with_the_selected_action_only(window: Windows, house: House, two: list[Case]):
    numbers = "&".join(f"gate={each.gate.removeprefix('g')}" for each in two)
    olga = window("olga", f"/gates/together/?{numbers}")

    olga.get_by_label("Reason").fill("Not this week")
    olga.keyboard.press("Control+Enter")
    expect(olga.locator("#card")).to_contain_text(WHICH)
    assert [state_of(house, each)[0] for each in two] == ["open", "open"]
    olga.keyboard.press("Escape")
    olga.keyboard.press("x")
    olga.keyboard.press("Control+Enter")
    olga.get_by_role("button", name="Send now").click()

    expect(olga.get_by_role("heading", name="2 of 2 gates answered")).to_be_visible()
    assert [state_of(house, each)[1] for each in two] == ["reject", "reject"]


@pytest.mark.parametrize("size", [pytest.param(DESKTOP, id="desk"), pytest.param(PHONE, id="phone")])
def test_enter_in_a_field_of_the_mailed_page_sends_nothing_even_when_an_answer_is_marked(
    window: Windows, house: House, case: Case, size: dict[str, Any]
):
    daniel = opened(window, house, case, **size)
    daniel.get_by_role("radio", name=APPROVE).check()

    daniel.get_by_label("Daily limit").fill("9000")
    daniel.get_by_label("Daily limit").press("Enter")

    expect(daniel.get_by_role("button", name="Send my answer")).to_be_visible()
    assert state_of(house, case)[0] == "open"


def test_enter_in_the_reason_of_the_menu_does_not_let_the_gate_expire(window: Windows, house: House, case: Case):
    olga = window("olga", case.page)
    olga.get_by_label("More", exact=True).click()
    olga.locator(".moves summary", has_text="Expire now").click()
    field = olga.get_by_label("Why do you end it now?")

    field.fill("Nobody answers")
    for key in ("Enter", "Control+Enter"):
        field.press(key)

    assert state_of(house, case)[0] == "open"
    olga.get_by_role("button", name="Expire now").click()
    expect(olga.get_by_role("heading", name=re.compile("Time ran out"))).to_be_visible()


@pytest.mark.parametrize("size", [pytest.param(DESKTOP, id="desk"), pytest.param(PHONE, id="phone")])
def test_the_menu_lists_its_actions_and_opens_one_form_at_a_time(
    window: Windows, house: House, case: Case, size: dict[str, Any]
):
    sofia = window("sofia", case.page, **size)
    sofia.get_by_label("More", exact=True).click()
    actions = sofia.locator(".moves summary")

    expect(actions).to_have_text(["Expire now", "Extend the deadline", "Withdraw"])
    expect(sofia.locator(".moves input:visible")).to_have_count(0)
    for action, question in (("Withdraw", "Why do you withdraw it?"), ("Extend the deadline", "By how long")):
        actions.filter(has_text=action).click()
        expect(sofia.get_by_label(question)).to_be_focused()
        expect(sofia.locator(".moves input:visible")).to_have_count(1)
    sofia.locator("#card-title").click()
    expect(actions.first).to_be_hidden()


@pytest.mark.parametrize("size", [pytest.param(DESKTOP, id="desk"), pytest.param(PHONE, id="phone")])
def test_who_decided_is_not_told_that_the_answer_was_only_kept_as_a_draft(
    window: Windows, house: House, case: Case, size: dict[str, Any]
):
    olga = window("olga", case.page, **size)
    drafts = HeldRequests(olga, "**/draft/")
    field, approve = olga.get_by_label("Daily limit"), olga.get_by_role("button", name="Approve")
    field.fill("7500")
    if size == PHONE:
        approve.tap()
    else:
        approve.click()
    draft = drafts.take()  # the field was left by the very press that decided
    expect(olga.get_by_role("heading", name="Olga approved this")).to_be_visible()
    with olga.expect_response("**/draft/") as late:
        draft.continue_()
    assert late.value.status == 409

    olga.reload()

    expect(olga.get_by_role("heading", name="Olga approved this")).to_be_visible()
    expect(olga.locator("#card")).not_to_contain_text("Your answer is kept as a draft")
    expect(olga.locator("#history")).not_to_contain_text("not accepted")


def test_an_answer_to_one_field_by_a_colleague_is_no_draft_of_who_decided(window: Windows, house: House, case: Case):
    command(window("oscar", "/gates/"), f"@{case.gate}.0 7500")
    olga = window("olga", case.page)

    olga.get_by_role("button", name="Approve").click()

    expect(olga.get_by_role("heading", name="Olga approved this")).to_be_visible()
    expect(olga.locator("#card")).not_to_contain_text("Your answer is kept as a draft")
