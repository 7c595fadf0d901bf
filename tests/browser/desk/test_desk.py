"""What keeps many gates in order: quiet, several answers at once, colleagues who look on, own views, and notes."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages.test_accessibility import violations
from tests.support.browser.house import Case, House
from tests.support.browser.windows import PHONE, WIDE_AND_NARROW, Windows
from tests.support.releases import demo

pytestmark = pytest.mark.browser

NEWS = """([kind, news]) => document.dispatchEvent(new CustomEvent("soni:session", {
  detail: { type: `session.${news}`, number: 999999, html: `<a data-row data-kind="${kind}"></a>` },
}))"""
"""Says in a page what its socket says when a session of this kind was opened, changed, …"""
NO_SOUND = "No toasts and no sound until"


@pytest.fixture(scope="module")
def brisk_bank(house: House, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The bank under another name, whose gates are about to expire from the beginning, and yet stay a while."""
    folder: Path = tmp_path_factory.mktemp("brisk_bank")
    for file, text in demo("bank").items():
        brisk = text.replace("assistant: bank", "assistant: brisk_bank").replace("timeout: 30m", "timeout: 4m")
        (folder / file).write_text(brisk)
    house.server.manage("load_flows", str(folder), "--publish")
    return "brisk_bank"


@pytest.fixture(scope="module")
def stern_bank(house: House, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The bank under another name, whose gates are the supervisors' business too as soon as the clock looks."""
    folder: Path = tmp_path_factory.mktemp("stern_bank")
    for file, text in demo("bank").items():
        stern = text.replace("timeout: 30m", "timeout: 30m\n    escalate: {after: 1s, role: supervisors}")
        (folder / file).write_text(stern.replace("assistant: bank", "assistant: stern_bank"))
    house.server.manage("load_flows", str(folder), "--publish")
    return "stern_bank"


@pytest.fixture
def three(house: House) -> Iterator[list[Case]]:
    """Three gates that wait; the ones that a test leaves are answered after it."""
    cases = [house.transfer(name) for name in ("Gorse Ltd", "Heath Ltd", "Iris Ltd")]
    yield cases
    for case in cases:
        house.decide(case, "approve")


def walk_to(page: Page, gate: str) -> None:
    """Press j until the row of this gate has the focus."""
    for _ in range(60):
        page.keyboard.press("j")
        if page.evaluate("document.activeElement.closest('li')?.id") == f"row-{gate}":
            return
    raise AssertionError(f"no row of {gate}")


def command(page: Page, line: str) -> None:
    page.get_by_label("Command", exact=True).focus()
    page.keyboard.type(line)
    page.keyboard.press("Enter")
    expect(page.get_by_label("Command", exact=True)).to_have_value("")
    page.keyboard.press("Escape")


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
def test_who_is_muted_hears_nothing_new_but_still_of_the_own_gate_that_is_about_to_expire(
    window: Windows, house: House, brisk_bank: str, size: dict[str, Any]
):
    own = house.transfer("Jetty Works", assistant=brisk_bank)
    olga = window("olga", "/gates/", **size)
    switch, toast = olga.locator("[data-quiet-switch]"), olga.locator("#toast")
    expect(olga.get_by_text("Live", exact=True)).to_be_visible()
    command(olga, "mute 1h")
    expect(switch).to_have_attribute("aria-pressed", "true")

    other = house.transfer("Kelp Ltd")
    expect(olga.locator("[data-new]")).to_be_visible()
    expect(olga).to_have_title(re.compile(r"^\(\d+\) "))
    expect(toast).to_be_empty()
    command(olga, f"claim {own.gate}")

    expect(toast).to_contain_text(
        re.compile(rf"{own.gate} Approve transfer.* expires in a few minutes, and it is yours")
    )
    expect(toast.get_by_role("link")).to_have_attribute("href", f"/gates/{own.gate}/")
    command(olga, "unmute")
    expect(switch).to_have_attribute("aria-pressed", "false")
    house.decide(own, "approve", who="olga")
    house.decide(other, "approve")


def test_an_urgent_notice_is_closed_from_the_keyboard_comes_once_and_not_on_the_page_of_its_gate(
    window: Windows, house: House, brisk_bank: str
):
    own = house.transfer("Larch Ltd", assistant=brisk_bank)
    olga = window("olga", "/gates/")
    toast = olga.locator("#toast")
    expect(olga.get_by_text("Live", exact=True)).to_be_visible()
    command(olga, f"claim {own.gate}")
    expect(toast).to_contain_text("expires in a few minutes")

    toast.get_by_role("button", name="Close").press("Enter")
    expect(toast).to_be_empty()
    with olga.expect_response("**/quiet/"):
        olga.goto(olga.url.replace("/gates/", "/conversations/"))
    expect(toast).to_be_empty()
    with (another := window("olga", "/conversations/", **PHONE)).expect_response("**/quiet/"):
        another.goto(another.url.replace("/conversations/", own.page))

    expect(another.locator("#toast")).to_be_empty()
    house.decide(own, "approve", who="olga")


def test_who_is_not_muted_is_told_of_a_new_gate_and_the_browser_asks_for_nothing(window: Windows, house: House):
    olga = window("olga", "/gates/")
    expect(olga.get_by_text("Live", exact=True)).to_be_visible()
    before = olga.evaluate("Notification.permission")

    case = house.transfer("Loch Ltd")

    expect(olga.locator("#toast")).to_contain_text(f"New: {case.gate} Approve transfer")
    assert olga.evaluate("[Notification.permission, localStorage.length]") == [before, 0]
    house.decide(case, "approve")


def test_who_may_act_too_after_a_time_is_told_and_everybody_sees_the_mark(
    window: Windows, house: House, stern_bank: str
):
    sofia, olga = window("sofia", "/gates/"), window("olga", "/gates/")
    for page in (sofia, olga):
        expect(page.get_by_text("Live", exact=True)).to_be_visible()

    case = house.transfer("Marsh Ltd", assistant=stern_bank)

    expect(sofia.locator("#toast")).to_contain_text(f"Escalated to you: {case.gate} Approve transfer")
    expect(olga.locator("#toast")).not_to_contain_text("Escalated")
    olga.goto(olga.url.replace("/gates/", case.page))
    expect(olga.locator(f"#row-{case.gate}")).to_contain_text("Escalated")
    expect(olga.locator("#card")).to_contain_text("Escalated to supervisors")
    assert violations(olga) == []
    house.decide(case, "approve")


def test_the_bar_knows_the_lines_of_the_page_before_and_those_of_nobody_else(window: Windows, three: list[Case]):
    olga = window("olga", "/gates/")
    bar = olga.get_by_label("Command", exact=True)
    command(olga, f"claim {three[0].gate}")
    command(olga, f"release {three[0].gate}")
    olga.goto(olga.url.replace("/gates/", "/figures/"))

    olga.get_by_label("Command", exact=True).focus()
    lines = []
    for key in ("ArrowUp", "ArrowUp", "ArrowDown"):
        olga.keyboard.press(key)
        lines.append(bar.input_value())
    olga.evaluate("sessionStorage.setItem('soni_lines', JSON.stringify({ who: '0', lines: ['claim g1'] }))")
    olga.reload()
    olga.get_by_label("Command", exact=True).focus()
    olga.keyboard.press("ArrowUp")

    assert lines == [f"release {three[0].gate}", f"claim {three[0].gate}", f"release {three[0].gate}"]
    expect(bar).to_have_value("")


def test_gates_are_selected_and_answered_together_without_a_mouse_and_a_lost_one_is_named(
    window: Windows, house: House, three: list[Case]
):
    olga = window("olga", "/gates/")
    for case in three:
        walk_to(olga, case.gate)
        olga.keyboard.press("v")
    expect(olga.get_by_text("3 selected")).to_be_visible()
    olga.keyboard.press("b")
    expect(olga.get_by_role("heading", name="3 gates, one answer")).to_be_visible()
    expect(olga.get_by_text("Live", exact=True)).to_be_visible()  # the scripts run, which the keys need
    house.decide(three[1], "reject", reason="No such company")

    olga.get_by_label("Daily limit").focus()
    olga.keyboard.type("8000")
    olga.keyboard.press("Escape")
    olga.keyboard.press("a")
    olga.keyboard.press("Control+Enter")
    olga.get_by_role("button", name="Send now").press("Enter")

    expect(olga.get_by_role("heading", name="2 of 3 gates answered")).to_be_visible()
    lost = olga.locator("tr", has_text=three[1].gate)
    expect(lost).to_contain_text("not answered")
    expect(lost).to_contain_text("Oscar")
    expect(olga.get_by_text("Live", exact=True)).to_be_visible()
    olga.keyboard.press("Escape")
    expect(olga).to_have_url(re.compile("/gates/$"))


def test_colleagues_see_who_looks_at_a_gate_until_they_leave(window: Windows, three: list[Case]):
    olga, oscar = window("olga", three[0].page), window("oscar", "/gates/")
    row = oscar.locator(f"#row-{three[0].gate}")

    expect(row.locator(".viewers")).to_contain_text("Olga")
    oscar.goto(oscar.url.replace("/gates/", three[0].page))
    expect(oscar.get_by_text("Olga is looking at this")).to_be_visible()
    expect(olga.get_by_text("Oscar is looking at this")).to_be_visible()
    expect(olga.locator("#card-title")).to_be_focused()
    olga.goto(olga.url.replace(three[0].page, "/figures/"))

    expect(oscar.get_by_text("Olga is looking at this")).to_be_hidden()


def test_a_view_of_ones_own_is_made_kept_and_deleted_from_the_keyboard(window: Windows, three: list[Case]):
    olga = window("olga", "/gates/")
    olga.keyboard.press("f")
    olga.get_by_label("Flow", exact=True).focus()
    olga.keyboard.type("Send money")
    olga.get_by_label("Tag", exact=True).press("Enter")
    expect(olga.get_by_role("heading", name="flow “Send money”")).to_be_visible()
    olga.keyboard.press("f")
    olga.get_by_label("Save as").focus()
    olga.keyboard.type("Transfers")
    olga.keyboard.press("Enter")

    own = olga.get_by_role("link", name="Transfers")
    expect(own).to_have_attribute("aria-current", "page")
    walk_to(olga, three[0].gate)
    olga.keyboard.press("Enter")
    expect(olga).to_have_url(re.compile(rf"/gates/{three[0].gate}/\?.*flow=transfer_money"))
    expect(own).to_have_attribute("aria-current", "page")
    olga.get_by_role("button", name="Delete the view Transfers").press("Enter")
    expect(own).to_have_count(0)


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desk", "phone"])
def test_a_note_and_tags_are_set_beside_a_gate_and_nothing_typed_in_its_form_is_lost(
    size: dict[str, object], window: Windows, three: list[Case]
):
    olga = window("olga", three[0].page, **size)
    olga.get_by_label("Reason").fill("Half a senten")
    if size:
        olga.get_by_role("link", name="Context").tap()

    olga.get_by_label("New note").fill("Called the customer")
    olga.get_by_role("button", name="Add", exact=True).click()
    expect(olga.locator("#notes li")).to_contain_text("Called the customer")
    olga.get_by_label("Tags").fill("fraud, Month End")
    olga.locator("#set-tags").click()

    expect(olga.get_by_label("Tags")).to_have_value("fraud, month end")
    expect(olga.get_by_label("Reason")).to_have_value("Half a senten")
    olga.reload()
    expect(olga.locator("#notes li small")).to_contain_text("Olga, ")


def test_news_do_not_take_a_half_written_note_from_under_the_hand(window: Windows, house: House, three: list[Case]):
    olga, oscar = window("olga", three[0].page), window("oscar", three[0].page)
    note = olga.get_by_label("New note")
    note.focus()
    olga.keyboard.type("Half a sen")

    oscar.get_by_role("button", name="Approve").click()
    expect(olga.get_by_role("heading", name="Oscar approved this")).to_be_visible()

    expect(note).to_be_focused()
    expect(note).to_have_value("Half a sen")
    olga.keyboard.type("tence")
    olga.get_by_role("button", name="Add", exact=True).click()
    expect(olga.locator("#notes li")).to_contain_text("Half a sentence")
    expect(olga.locator("#history")).to_contain_text("Oscar approved")


def test_an_open_inbox_counts_anew_when_a_chat_came_and_somebody_looks(window: Windows):
    page = window("olga", "/inbox/", ready=lambda page: page.clock.install())
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/inbox/counts/" in request.url else None)
    for kind, news in (("human", "opened"), ("handoff", "changed")):
        page.evaluate(NEWS, [kind, news])
    page.clock.run_for(10_000)
    assert asked == []

    page.evaluate("Object.defineProperty(document, 'hidden', {get: () => window.away})")
    page.evaluate("window.away = true")
    for _ in range(20):
        page.evaluate(NEWS, ["handoff", "opened"])
    page.clock.run_for(10_000)
    assert asked == []

    page.evaluate("window.away = false; document.dispatchEvent(new Event('visibilitychange'))")
    with page.expect_request("**/inbox/counts/"):
        page.clock.run_for(10_000)
    assert len(asked) == 1
