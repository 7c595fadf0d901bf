"""Every page as its reader sees it: nothing is refused by the policy, no script fails, nothing overlaps."""

import re
import sqlite3
from contextlib import closing

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.house import ACCOUNT, House
from tests.support.browser.windows import VISITOR, Windows

pytestmark = pytest.mark.browser

FLOWS = ["bank/transfer_money", "bank/block_card", "bank/check_balance", "library/reserve_book", "library/renew_loan"]


@pytest.mark.parametrize(
    ("who", "path"),
    [
        (VISITOR, "/sign-in/"),
        (VISITOR, "/chat/bank/"),
        ("ursula", "/"),
        ("olga", "/inbox/"),
        ("olga", "/gates/?view=mine"),
        ("olga", "/gates/?view=soon"),
        ("olga", "/conversations/"),
        ("sofia", "/gates/"),
        ("arthur", "/flows/"),
        ("audrey", "/conversations/"),
        ("audrey", "/admin/"),
        ("audrey", "/admin/dialogue/auditentry/"),
        ("olga", "/api/docs"),
    ],
)
def test_the_browser_has_nothing_to_complain_of(window: Windows, who: str, path: str):
    page = window(who, path)

    page.wait_for_load_state("networkidle")

    assert page.title()


@pytest.mark.parametrize(
    ("who", "path", "rows"),
    [
        ("audrey", "/audit/", "table tbody tr"),
        ("ada", "/users/", "table tbody tr"),
        ("ada", "/tokens/", "table tbody tr"),
        ("olga", "/conversations/", "table tbody tr"),
        ("olga", "/gates/", ".queue li"),
    ],
)
def test_a_list_is_printed_without_what_can_only_be_pressed(
    window: Windows, house: House, who: str, path: str, rows: str
):
    case = house.transfer("Paper Ltd")
    page = window(who, path)
    page.emulate_media(media="print")

    expect(page.locator(rows).first).to_be_visible()
    for control in (".filter-chip:not(.on)", ".list-search", ".bulk-target", ".btn", "#case"):
        expect(page.locator(control).locator("visible=true")).to_have_count(0)
    house.decide(case, "approve")


def test_a_colour_that_is_none_stays_out_of_the_line_to_copy(window: Windows):
    page = window("arthur", "/integrate/bank/")
    colour, line = page.get_by_label("Brand colour"), page.locator("#snippet")

    colour.fill("#773a87")
    expect(line).to_contain_text('data-brand="#773a87"')
    colour.fill("#773a8")

    expect(page.locator("#contrast")).to_contain_text("This is no colour")
    expect(line).not_to_contain_text("data-brand")


@pytest.mark.parametrize("flow", FLOWS)
def test_a_flow_is_drawn_and_nothing_lies_over_a_step(window: Windows, flow: str):
    page = window("arthur", f"/flows/{flow}/")

    expect(page.locator("svg path").first).to_be_attached()

    assert overlaps(page) == []


def test_the_ways_of_errors_are_told_from_the_others_by_dashes_and_their_label(window: Windows):
    page = window("arthur", "/flows/bank/transfer_money/")

    ways = page.locator(".edges > path[data-from=send]")
    expect(ways).to_have_count(2)
    dashes = {
        way.get_attribute("data-to"): way.evaluate("each => getComputedStyle(each).strokeDasharray")
        for way in ways.all()
    }
    assert dashes == {"done": "none", "later": "5px, 4px"}
    expect(page.locator(".case-label[data-from=send][data-way=on_error]")).to_have_text("error")


def test_somebody_signs_in_with_name_and_password(window: Windows, house: House):
    page = window(VISITOR, "/gates/")

    page.get_by_label("User name").fill("olga")
    page.get_by_label("Password").fill("not the password")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("do not match")
    expect(page.get_by_label("User name")).to_have_value("olga")
    page.get_by_label("Password").fill(house.passwords["olga"])
    page.get_by_role("button", name="Sign in").click()

    expect(page.get_by_role("heading", name="Gates").last).to_be_visible()
    expect(page).to_have_url(f"{house.url}/gates/")
    house.sign_in()  # her first password sign-in renewed its hash, which ends the sessions before it


def overlaps(page: Page) -> list[str]:
    """Labels of edges that lie over a step, and steps that lie over each other."""
    found: list[str] = page.evaluate("""() => {
        const boxes = selector => [...document.querySelectorAll(selector)].filter(each => each.getClientRects().length)
            .map(each => [each.textContent.trim(), each.getBoundingClientRect()]);
        const over = (one, two) => Math.min(one.right, two.right) - Math.max(one.left, two.left) > 1
            && Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top) > 1;
        const steps = boxes("[data-graph] .node"), labels = boxes(".case-label");
        const pairs = [];
        for (const [name, box] of labels)
            for (const [step, other] of steps) if (over(box, other)) pairs.push(`label ${name} over ${step}`);
        for (const [at, [name, box]] of steps.entries())
            for (const [step, other] of steps.slice(at + 1)) if (over(box, other)) pairs.push(`${name} over ${step}`);
        return pairs;
    }""")
    return found


def test_what_is_shown_for_a_while_is_masked_when_the_time_is_over_but_not_under_a_hand_that_types(
    window: Windows, house: House
):
    case = house.transfer()
    audrey = window("audrey", case.page, ready=lambda page: page.clock.install())
    audrey.get_by_text("Show masked values").click()
    audrey.get_by_label("Why do you have to see them?").fill("Complaint 4711")
    audrey.get_by_role("button", name="Show them").click()
    expect(audrey.locator("#context")).to_contain_text(ACCOUNT)
    with closing(sqlite3.connect(house.server.data / "soni.sqlite3", timeout=20)) as database, database:
        database.execute("UPDATE dialogue_unmasking SET until = datetime('now', '-1 second')")

    audrey.get_by_label("Command", exact=True).fill("half a li")
    audrey.clock.fast_forward("16:00")
    expect(audrey.get_by_text("Shown to you until")).to_be_visible()
    audrey.get_by_label("Command", exact=True).fill("")
    audrey.clock.fast_forward("01:00")

    expect(audrey.get_by_text("Show masked values")).to_be_visible()
    expect(audrey.locator("#context")).not_to_contain_text(ACCOUNT)
    house.decide(case, "approve")


def test_times_are_in_the_zone_of_the_browser_and_the_server_writes_them_so_from_the_second_page_on(
    window: Windows, house: House
):
    case = house.transfer("Zone Ltd")
    page = window("olga", case.page, timezone_id="Asia/Tokyo")

    moment = page.locator("#card time[data-zone]").first
    expect(moment).to_have_attribute("data-zone", "Asia/Tokyo")
    expect(moment).to_have_attribute("title", re.compile(r"\(UTC\+09:00, Asia/Tokyo\)$"))
    by_server = page.request.get(house.url + case.page).text()
    assert 'data-zone="Asia/Tokyo"' in by_server
    assert str(moment.get_attribute("title")) in by_server
    assert moment.aria_snapshot() == f"- time: {moment.get_attribute('title')}", "screen readers do not read titles"

    house.decide(case, "approve")  # the socket brings the row, which is rendered for no reader in particular
    row = page.locator(f"#row-{case.gate} [data-row].ended")
    expect(row.locator("time[data-zone]").first).to_have_attribute("data-zone", "Asia/Tokyo")
    expect(row.locator("time .full-moment").first).to_contain_text("(UTC+09:00, Asia/Tokyo)")


def test_a_code_example_is_shown_whole_and_its_button_says_that_it_copied(window: Windows):
    page = window("arthur", "/integrate/bank/", permissions=["clipboard-read", "clipboard-write"])
    example, button = page.locator("#example"), page.locator("[data-copies=example]")

    assert example.evaluate("box => box.scrollHeight <= box.clientHeight && box.scrollWidth <= box.clientWidth")
    button.click()

    expect(button.get_by_role("status")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == example.text_content()
