"""What was just done is taken back for a few seconds; an answer for several gates waits for that, and is never lost."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages.test_accessibility import violations
from tests.support.browser.house import Case, House
from tests.support.browser.windows import DESKTOP, NARROW, PHONE, WIDE_AND_NARROW, Windows
from tests.support.processes.server import wait_for

pytestmark = pytest.mark.browser
SMALLEST = {"viewport": {"width": 320, "height": 640}}
LONG_SECONDS = """
const later = window.setTimeout;
window.setTimeout = (work, delay, ...rest) => later(work, delay === 1000 ? 30_000 : delay, ...rest);
"""
"""Each second that an answer waits takes half a minute: axe may look at it for as long as it needs."""


@pytest.fixture
def case(house: House) -> Iterator[Case]:
    waiting = house.transfer()
    yield waiting
    house.decide(waiting, "approve")


@pytest.fixture
def two(house: House) -> Iterator[list[Case]]:
    cases = [house.transfer(name) for name in ("Nettle Ltd", "Olive Ltd")]
    yield cases
    for waiting in cases:
        house.decide(waiting, "approve")


def session_of(house: House, case: Case) -> Any:
    return house.server.get(f"/api/v1/sessions/{case.gate}", "token-of-sofia").body


def together(window: Windows, cases: list[Case], **size: Any) -> Page:
    """The form for these gates, with Reject sent, and waiting."""
    olga = window("olga", "/gates/together/?" + "&".join(f"gate={each.gate[1:]}" for each in cases), **size)
    olga.get_by_label("Reason").fill("Not this week")
    olga.get_by_role("button", name="Reject").click()
    expect(olga.get_by_text("2 gates get the answer “Reject”. Nothing has been sent yet.")).to_be_visible()
    return olga


@pytest.mark.parametrize(
    "size", [pytest.param(each, id=str(each["viewport"]["width"])) for each in (DESKTOP, SMALLEST)]
)
def test_the_key_of_the_snooze_opens_a_menu_and_the_choice_is_taken_back(
    window: Windows, house: House, case: Case, size: dict[str, Any]
):
    olga = window("olga", case.page, **size)
    if size == DESKTOP:
        expect(olga.locator("#card-title")).to_be_focused()

    olga.keyboard.press("s")
    expect(olga.get_by_role("button", name="15 min")).to_be_focused()
    expect(olga.get_by_role("button", name="1 h after the deadline")).to_be_disabled()
    assert session_of(house, case)["follow_up_at"] is None
    assert violations(olga) == []
    assert olga.evaluate("document.documentElement.scrollWidth <= innerWidth")
    olga.keyboard.press("Enter")
    expect(olga.locator("#done")).to_contain_text(re.compile(rf"{case.gate} is snoozed until .*\d\d:\d\d\."))
    assert session_of(house, case)["follow_up_at"] is not None
    olga.get_by_role("button", name="Undo").click()

    expect(olga.locator("#done")).to_contain_text(f"{case.gate} is back in the queue.")
    assert session_of(house, case)["follow_up_at"] is None


@pytest.mark.parametrize("size", [*WIDE_AND_NARROW, pytest.param(SMALLEST, id="320")])
def test_a_time_beyond_the_deadline_is_refused_in_words_where_it_was_typed(
    window: Windows, house: House, case: Case, size: dict[str, Any]
):
    olga = window("olga", case.page, **size)
    name = olga.locator(".customer-name")
    expect(name).to_be_visible()
    width = name.bounding_box()["width"]  # type: ignore[index]
    olga.get_by_label("Snooze", exact=True).click()
    field = olga.get_by_label("For how long, or until when?")

    field.fill("2h")
    field.press("Enter")

    refusal = olga.locator("#holding").get_by_role("alert")
    expect(refusal).to_contain_text("before it would come back")
    expect(refusal).to_be_in_viewport(ratio=1)
    expect(field).to_have_value("2h")
    expect(field).to_be_focused()
    expect(field).to_have_accessible_description(re.compile("before it would come back"))
    assert name.bounding_box()["width"] == width  # type: ignore[index]
    assert violations(olga) == []
    assert olga.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert session_of(house, case)["follow_up_at"] is None

    field.fill("15m")
    field.press("Enter")

    expect(olga.locator("#done")).to_contain_text(f"{case.gate} is snoozed until")
    expect(field).to_be_hidden()


def test_a_claim_and_a_release_are_taken_back_by_one_key(window: Windows, house: House, case: Case):
    olga = window("olga", case.page)
    expect(olga.locator("#card-title")).to_be_focused()

    olga.keyboard.press("c")
    expect(olga.locator("#done")).to_contain_text(f"You have {case.gate}.")
    olga.keyboard.press("z")
    expect(olga.locator("#holding")).to_contain_text("Unclaimed")
    assert session_of(house, case)["assignee"] is None
    olga.keyboard.press("c")
    expect(olga.get_by_text(re.compile("Yours for"))).to_be_visible()
    olga.get_by_role("button", name="Give back").click()
    expect(olga.locator("#done")).to_contain_text("is back in the queue")
    olga.keyboard.press("z")

    expect(olga.get_by_text(re.compile("Yours for"))).to_be_visible()


@pytest.mark.parametrize("width", [1440, 1024])
def test_what_was_done_is_told_beside_the_gate_and_its_notes(window: Windows, house: House, case: Case, width: int):
    olga = window("olga", case.page, viewport={"width": width, "height": 800})
    olga.get_by_role("button", name="Claim", exact=True).click()

    done = olga.locator("#done")
    expect(done).to_contain_text(f"You have {case.gate}.")

    box, pane = done.bounding_box(), olga.locator("#case").bounding_box()
    assert box is not None and pane is not None
    assert box["x"] + box["width"] <= pane["x"]


def test_a_decision_takes_the_undo_of_the_claim_away(window: Windows, house: House, case: Case):
    olga = window("olga", case.page)
    olga.get_by_label("Reason").fill("Known customer")
    olga.get_by_role("button", name="Claim").click()
    expect(olga.locator("#done")).to_contain_text(f"You have {case.gate}.")

    olga.get_by_role("button", name="Approve").click()
    expect(olga.locator("#card")).to_contain_text(re.compile(r"Approved \d\d:\d\d"))

    # At once: the toast would vanish by itself some seconds later.
    assert olga.locator("#done").is_hidden()
    olga.keyboard.press("z")
    expect(olga.locator("#done")).to_be_hidden()
    assert session_of(house, case)["state"] == "submitted"


def test_what_a_colleague_took_meanwhile_is_told_and_not_taken_back(window: Windows, house: House, case: Case):
    window.expect(r"403 \(Forbidden\)")
    olga = window("olga", case.page, **PHONE)
    olga.get_by_role("button", name="Claim").tap()
    expect(olga.locator("#done")).to_contain_text(f"You have {case.gate}.")
    released = house.server.post(f"/api/v1/sessions/{case.gate}/release", {}, "token-of-olga")
    taken = house.server.post(f"/api/v1/sessions/{case.gate}/claim", {}, "token-of-oscar")
    assert (released.status, taken.status) == (200, 200)

    olga.get_by_role("button", name="Undo").tap()

    expect(olga.locator("#done")).to_contain_text(f"Oscar has {case.gate} until")
    expect(olga.get_by_role("button", name="Undo")).to_be_hidden()


def test_quiet_is_taken_back(window: Windows, house: House, case: Case):
    olga = window("olga", "/gates/")
    switch = olga.locator("[data-quiet-switch]")

    olga.keyboard.press("m")
    expect(switch).to_have_attribute("aria-pressed", "true")
    expect(olga.locator("#done")).to_contain_text("No toasts and no sound until")
    olga.keyboard.press("z")

    expect(switch).to_have_attribute("aria-pressed", "false")


def test_the_keys_of_an_answer_for_several_gates_are_listed(window: Windows, two: list[Case]):
    olga = window("olga", "/gates/together/?" + "&".join(f"gate={each.gate[1:]}" for each in two))

    olga.keyboard.press("?")

    keys = olga.get_by_role("dialog", name="Keys of this page")
    expect(keys).to_contain_text("The answer for several gates")
    expect(keys).to_contain_text("take the answer back before it is sent")


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
def test_an_answer_for_several_gates_is_taken_back_before_it_is_sent(
    window: Windows, house: House, two: list[Case], size: dict[str, Any]
):
    olga = together(window, two, ready=lambda page: page.add_init_script(LONG_SECONDS), **size)
    assert violations(olga) == []
    assert olga.evaluate("document.documentElement.scrollWidth <= innerWidth")

    olga.keyboard.press("Escape")

    expect(olga.locator("[data-grace]")).to_be_hidden()
    expect(olga.get_by_label("Reason")).to_have_value("Not this week")
    expect(olga.get_by_role("button", name="Reject")).to_be_focused()
    assert [session_of(house, each)["state"] for each in two] == ["open", "open"]


def test_an_answer_for_several_gates_is_sent_when_the_time_is_over(window: Windows, house: House, two: list[Case]):
    olga = together(window, two)

    expect(olga.get_by_role("heading", name="2 of 2 gates answered")).to_be_visible()
    assert [session_of(house, each)["decision"]["reason"] for each in two] == ["Not this week"] * 2


@pytest.mark.parametrize("leave", ["closed", "another page"])
def test_an_answer_that_waits_is_not_lost_when_the_page_is_left(
    leave: str, window: Windows, house: House, two: list[Case]
):
    olga = together(window, two)

    if leave == "closed":
        olga.close(run_before_unload=False)
    else:
        olga.get_by_role("link", name="Back to the queue").click()

    wait_for(lambda: all(session_of(house, each)["state"] == "submitted" for each in two))
    assert [session_of(house, each)["decision"]["action"] for each in two] == ["reject", "reject"]


def test_what_is_wrong_with_an_answer_is_told_at_once(window: Windows, house: House, two: list[Case]):
    olga = window("olga", "/gates/together/?" + "&".join(f"gate={each.gate[1:]}" for each in two), **NARROW)

    olga.get_by_role("button", name="Reject").click()

    expect(olga.get_by_text("“Reject” needs a reason.")).to_be_visible()
    assert [session_of(house, each)["state"] for each in two] == ["open", "open"]


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
def test_the_error_of_an_answer_goes_away_when_the_corrected_answer_waits(
    window: Windows, house: House, two: list[Case], size: dict[str, Any]
):
    gates = "&".join(f"gate={each.gate[1:]}" for each in two)
    olga = window("olga", f"/gates/together/?{gates}", ready=lambda page: page.add_init_script(LONG_SECONDS), **size)
    olga.get_by_role("button", name="Reject").click()
    expect(olga.get_by_text("“Reject” needs a reason.")).to_be_visible()
    expect(olga.get_by_label("Reason")).to_have_attribute("aria-invalid", "true")

    olga.get_by_label("Reason").fill("Not this week")
    olga.get_by_role("button", name="Reject").click()

    expect(olga.get_by_text("2 gates get the answer “Reject”. Nothing has been sent yet.")).to_be_visible()
    expect(olga.locator(".bulk-answer .error")).to_have_count(0)
    expect(olga.locator("[aria-invalid]")).to_have_count(0)
    assert violations(olga) == []
    olga.keyboard.press("Escape")
    expect(olga.get_by_label("Reason")).to_have_value("Not this week")
    assert [session_of(house, each)["state"] for each in two] == ["open", "open"]
