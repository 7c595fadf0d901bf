"""The operator's work without a mouse. Nothing that happens elsewhere moves the hand."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages.test_accessibility import violations
from tests.support.browser.held import HeldRequests
from tests.support.browser.house import Case, House
from tests.support.browser.windows import WIDE_AND_NARROW, Windows, tab_to

pytestmark = pytest.mark.browser


@pytest.fixture
def five(house: House) -> Iterator[list[Case]]:
    """Five gates that wait; the ones that a test leaves are answered after it."""
    cases = [house.transfer(name) for name in ("Alder Ltd", "Birch Ltd", "Cedar Ltd", "Elm Ltd", "Fir Ltd")]
    yield cases
    for case in cases:
        house.decide(case, "approve")


def focused(page: Page) -> str:
    """The tag and the name, text or label of what the next key goes to."""
    found: str = page.evaluate("""() => {
        const at = document.activeElement;
        return `${at.tagName} ${at === document.body ? "" : at.name || at.textContent.trim()}`;
    }""")
    return found


def open_row(page: Page, gate: str) -> None:
    """Walk down with j until the row of this gate has the focus, and open it."""
    for _ in range(60):
        page.keyboard.press("j")
        if page.evaluate("document.activeElement.closest('li')?.id") == f"row-{gate}":
            break
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/gates/{gate}/")
    expect(page.locator("#card-title")).to_have_text("Approve transfer")
    expect(page.locator("#card-title")).to_be_focused()


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
def test_five_gates_are_worked_through_without_a_mouse(window: Windows, five: list[Case], size: dict[str, Any]):
    olga = window("olga", "/gates/", **size)
    key = olga.keyboard.press

    open_row(olga, five[0].gate)
    key("c")
    expect(olga.get_by_text(re.compile("Yours for"))).to_be_visible()
    key("a")
    key("Control+Enter")
    expect(olga.get_by_role("heading", name="Olga approved this")).to_be_focused()
    for number in range(1, 5):
        key("n")
        expect(olga.locator("#card-title")).to_have_text("Approve transfer")
        expect(olga.locator("#card-title")).to_be_focused()
        if number % 2:
            tab_to(olga, olga.get_by_label("Reason"))
            olga.keyboard.type("Not this week")
            key("Escape")
            key("x")
            key("Control+Enter")
            expect(olga.get_by_role("heading", name="Olga rejected this")).to_be_focused()
        else:
            tab_to(olga, olga.get_by_label("Daily limit"))
            olga.keyboard.type("7500")
            key("Escape")
            key("a")
            key("Control+Enter")
            expect(olga.get_by_role("heading", name="Olga approved this")).to_be_focused()


def test_what_a_claim_came_to_is_not_shown_after_the_decision_that_overtook_it(window: Windows, house: House):
    case, held = house.transfer(), []
    olga = window("olga", case.page)
    expect(olga.locator("#card-title")).to_be_focused()
    olga.route("**/claim/", lambda route: held.append((route, route.fetch())))

    olga.keyboard.press("c")
    expect(olga.get_by_text(re.compile("Yours for"))).to_be_visible()
    olga.keyboard.press("a")
    olga.keyboard.press("Control+Enter")
    expect(olga.get_by_role("heading", name="Olga approved this")).to_be_visible()
    for _ in range(600):  # the claim's answer can come after all that the socket told
        if held:
            break
        olga.wait_for_timeout(50)
    [(route, answer)] = held
    with olga.expect_response("**/claim/"):
        route.fulfill(response=answer)

    expect(olga.locator("#holding")).to_contain_text("Approve")
    expect(olga.get_by_text(re.compile("Yours for"))).to_have_count(0)


def test_j_and_k_walk_enter_opens_and_escape_goes_back_to_the_row(window: Windows, five: list[Case]):
    olga = window("olga", "/gates/")
    rows = olga.locator("[data-row]")

    olga.keyboard.press("j")
    expect(rows.nth(0)).to_be_focused()
    olga.keyboard.press("j")
    olga.keyboard.press("j")
    olga.keyboard.press("k")
    expect(rows.nth(1)).to_be_focused()
    name = rows.nth(1).locator("code").inner_text()
    olga.keyboard.press("Enter")
    expect(olga.locator("#card")).to_contain_text(name)
    expect(olga.locator("#card-title")).to_be_focused()
    olga.keyboard.press("Tab")
    expect(olga.get_by_label("Daily limit")).to_be_focused()
    olga.keyboard.press("Escape")

    expect(olga.locator(f"#row-{name} a")).to_be_focused()
    olga.keyboard.press("Escape")
    expect(olga).to_have_url(re.compile(r"/gates/(\?view=.*)?$"))


def test_a_value_that_is_wrong_takes_the_focus_after_the_key_too(window: Windows, five: list[Case]):
    olga = window("olga", five[0].page)

    olga.get_by_label("Daily limit").focus()
    olga.keyboard.type("ten")
    olga.keyboard.press("Escape")
    olga.keyboard.press("a")
    olga.keyboard.press("Control+Enter")

    expect(olga.get_by_label("Daily limit")).to_be_focused()
    expect(olga.get_by_label("Daily limit")).to_have_value("ten")
    expect(olga.locator("#card [aria-invalid=true]")).to_have_count(1)


def test_the_focus_goes_on_from_the_row_after_a_snooze(window: Windows, five: list[Case]):
    olga = window("olga", five[0].page)
    expect(olga.locator("#card-title")).to_be_focused()

    olga.keyboard.press("s")
    olga.keyboard.press("Enter")

    expect(olga.locator("#done")).to_contain_text("is snoozed until")
    expect(olga.locator(f"#row-{five[0].gate} [data-row]")).to_be_focused()


def test_letters_are_text_in_a_field_and_keys_nowhere_under_a_dialog(window: Windows, five: list[Case]):
    olga = window("olga", five[0].page)
    olga.get_by_label("Reason").focus()

    olga.keyboard.type("a xcn?:/")
    expect(olga.get_by_label("Reason")).to_have_value("a xcn?:/")
    olga.keyboard.press("Escape")
    olga.keyboard.press("?")
    expect(olga.get_by_role("dialog", name="Keys of this page")).to_be_visible()
    olga.keyboard.press("a")
    expect(olga.get_by_role("dialog")).to_be_visible()
    olga.keyboard.press("Escape")

    expect(olga.get_by_role("dialog")).to_be_hidden()
    expect(olga.get_by_role("button", name="Approve")).to_be_visible()


def test_letters_can_be_switched_off(window: Windows, five: list[Case]):
    olga = window("olga", five[0].page)
    olga.locator("nav.rail details summary").click()
    olga.get_by_role("button", name="Single-letter keys").click()
    olga.keyboard.press("Escape")

    olga.keyboard.press("a")
    olga.keyboard.press("?")

    expect(olga.get_by_role("dialog")).to_be_hidden()
    expect(olga.get_by_role("button", name="Approve")).to_be_visible()
    expect(olga.get_by_role("button", name="Approve")).not_to_be_focused()


def test_the_command_bar_shows_what_it_understood_before_it_is_sent(window: Windows, five: list[Case]):
    olga = window("olga", "/gates/")
    gate = five[0].gate

    olga.get_by_label("Command", exact=True).focus()
    expect(olga.get_by_label("Command", exact=True)).to_be_focused()
    olga.keyboard.type(f"@{gate}.0 7500")
    expect(olga.locator("#read")).to_contain_text("daily_limit = 7500")
    olga.keyboard.press("Enter")
    expect(olga.get_by_label("Command", exact=True)).to_have_value("")
    olga.keyboard.type(f"@{gate}.0 a lot")
    olga.keyboard.press("Enter")
    expect(olga.locator("#read .bad")).to_contain_text("a lot")
    expect(olga.get_by_label("Command", exact=True)).to_have_value(f"@{gate}.0 a lot")
    olga.get_by_label("Command", exact=True).fill(f"submit {gate} approve")
    olga.keyboard.press("Enter")
    expect(olga.locator(f"#row-{gate}")).to_contain_text("by Olga")
    olga.keyboard.press("Escape")
    olga.keyboard.press("/")
    expect(olga.get_by_label("Search")).to_be_focused()


def test_news_do_not_move_the_focus_the_rows_or_a_half_typed_word(window: Windows, house: House, five: list[Case]):
    olga = window("olga", five[0].page)
    expect(olga.locator("[data-inbox-state]")).to_have_text("Live")
    reason = olga.get_by_label("Reason")
    reason.focus()
    olga.keyboard.type("Half a sen")
    olga.keyboard.press("ArrowLeft")
    order = olga.locator("[data-row] code").all_inner_texts()

    another = house.transfer("Somebody new")
    house.decide(five[1], "reject", reason="No")
    house.say(five[0].conversation, five[0].token, "Are you still there?")
    expect(olga.locator("[data-new]")).to_be_visible()
    expect(olga.locator(f"#row-{five[1].gate}")).to_contain_text("Decided")
    expect(olga.locator("[data-log]")).to_contain_text("Are you still there?")

    expect(reason).to_be_focused()
    assert reason.evaluate("field => field.selectionStart") == len("Half a se")
    expect(reason).to_have_value("Half a sen")
    assert olga.locator("[data-row] code").all_inner_texts() == order
    house.decide(another, "approve")


def test_enter_in_a_field_approves_nothing(window: Windows, five: list[Case]):
    olga = window("olga", five[0].page)
    olga.get_by_label("Daily limit").focus()

    olga.keyboard.type("7500")
    olga.keyboard.press("Enter")
    expect(olga.get_by_text("Draft saved")).to_be_visible()

    expect(olga.get_by_label("Daily limit")).to_have_value("7500")
    expect(olga.get_by_role("button", name="Approve")).to_be_visible()


def test_tab_comes_to_everything_and_first_to_the_way_past_the_navigation(window: Windows, five: list[Case]):
    olga = window("olga", "/gates/")
    key = olga.keyboard.press

    key("Tab")
    expect(olga.get_by_role("link", name="Skip to the page")).to_be_focused()
    expect(olga.get_by_role("link", name="Skip to the page")).to_be_in_viewport()
    key("Enter")
    key("Tab")
    assert olga.evaluate("document.activeElement.closest('main') !== null")
    olga.goto(olga.url.split("#")[0].removesuffix("/gates/") + five[0].page)
    seen = set()
    for _ in range(60):
        key("Tab")
        seen.add(focused(olga))

    assert {"BUTTON action", "INPUT value.daily_limit", "INPUT line"} <= seen


def test_tab_completes_a_line_and_leaves_the_bar_where_nothing_more_is_known(window: Windows, five: list[Case]):
    olga = window("olga", five[0].page)
    line, gate = olga.get_by_label("Command", exact=True), five[0].gate
    olga.get_by_label("Command", exact=True).focus()

    olga.keyboard.type("sub")
    olga.keyboard.press("Tab")
    expect(line).to_have_value("submit ")
    olga.keyboard.type(f"{gate} re")
    olga.keyboard.press("Tab")
    expect(line).to_have_value(f"submit {gate} reject")
    olga.keyboard.press("Tab")
    expect(line).to_have_value(f"submit {gate} reject")
    expect(line).to_be_focused()
    olga.keyboard.press("Tab")

    expect(line).not_to_be_focused()


def test_a_line_is_sent_once_and_what_is_typed_while_it_is_on_its_way_stays(window: Windows, five: list[Case]):
    olga = window("olga", "/gates/")
    sent, line = HeldRequests(olga, "**/command/"), olga.get_by_label("Command", exact=True)

    line.fill(f"claim {five[0].gate}")
    line.press("Enter")
    line.press("Enter")
    request = sent.take()
    line.fill("release ")
    request.continue_()

    expect(olga.locator("#done")).to_contain_text(f"You have {five[0].gate}.")
    expect(line).to_have_value("release ")
    assert sent.waiting == 0


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
def test_what_the_bar_shows_as_good_is_accepted_and_its_example_works(
    window: Windows, house: House, size: dict[str, Any]
):
    gate = house.transfer("Gale Ltd").gate
    olga = window("olga", f"/gates/{gate}/", **size)
    line, said = olga.get_by_label("Command", exact=True), olga.locator("#read")
    expect(line).to_have_attribute("placeholder", f"@{gate}.0 0")

    line.fill(f"@{gate} yes")
    expect(said.locator(".bad")).to_contain_text("does not have exactly one unanswered field. Choose:")
    line.fill(f"expire {gate}")
    expect(said.locator(".bad")).to_contain_text("Please give a reason.")
    line.fill(str(line.get_attribute("placeholder")))
    expect(said.locator(".good")).to_contain_text("daily_limit = 0")
    line.press("Enter")
    expect(line).to_have_value("")
    expect(line).to_have_attribute("placeholder", f"@{gate} approve")
    line.fill(f"@{gate} approve")
    expect(said.locator(".good")).to_contain_text(f"Submit {gate}: approve")
    line.press("Enter")

    expect(olga.get_by_role("heading", name="Olga approved this")).to_be_visible()
    expect(line).to_have_attribute("placeholder", "next")


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
def test_the_palette_presses_commands_of_the_accounts_menu(window: Windows, size: dict[str, Any]):
    olga = window("olga", "/gates/", color_scheme="light", **size)

    choose_in_palette(olga, "dark", "Dark theme")
    expect(olga.locator("html")).to_have_attribute("data-theme", "dark")

    choose_in_palette(olga, "spanish", "Español")
    expect(olga.locator("html")).to_have_attribute("lang", "es")
    choose_in_palette(olga, "english", "English")
    expect(olga.locator("html")).to_have_attribute("lang", "en")


def choose_in_palette(page: Page, words: str, title: str) -> None:
    """Search for these words, and take the option of this title, which has to be the first."""
    expect(page.locator("[data-inbox-state]").first).to_have_attribute("data-state", "live")
    page.keyboard.press("Control+k")
    page.keyboard.type(words)
    expect(page.locator(".palette-option").first).to_have_text(re.compile(title, re.IGNORECASE))
    page.keyboard.press("Enter")
    expect(page.locator("dialog[open]")).to_have_count(0)


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
def test_the_palette_goes_to_a_gate_runs_a_line_and_gives_the_focus_back(
    window: Windows, house: House, size: dict[str, Any]
):
    case = house.transfer("Palette Ltd")
    olga = window("olga", "/gates/", **size)
    row = olga.locator(f"#row-{case.gate} [data-row]")
    row.focus()
    olga.keyboard.press("Control+k")
    field = olga.get_by_role("combobox", name="What to open, find or run")
    expect(field).to_be_focused()
    olga.keyboard.press("Escape")
    expect(row).to_be_focused()

    olga.keyboard.press("Control+k")
    expect(field).to_be_focused()
    olga.keyboard.type(f"claim {case.gate}")
    expect(olga.get_by_role("option", name=f"Claim {case.gate}")).to_have_attribute("aria-selected", "true")
    assert violations(olga) == []
    assert olga.evaluate("document.documentElement.scrollWidth <= innerWidth")
    olga.keyboard.press("Enter")
    expect(olga.locator("#done")).to_contain_text(f"You have {case.gate}.")

    olga.keyboard.press("Control+k")
    expect(field).to_be_focused()
    olga.keyboard.type(case.gate)
    expect(olga.locator(".palette-option").first).to_contain_text(case.gate)
    olga.keyboard.press("Enter")
    olga.wait_for_url(f"**/gates/{case.gate}/")
    olga.get_by_label("Command", exact=True).focus()
    expect(olga.get_by_label("Command", exact=True)).to_be_in_viewport()
    house.decide(case, "approve", who="olga")
