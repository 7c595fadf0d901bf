"""The server is ended by kill -9 under open pages: they say so and come back by themselves, with all that was said."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.support.browser.chats import answer, ask_for_transfer, lines, write
from tests.support.browser.house import House
from tests.support.browser.windows import VISITOR, Windows

pytestmark = pytest.mark.browser

LONG = 90_000


@pytest.fixture(scope="module")
def mortal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A house of its own, for tests that end it."""
    house = House(tmp_path_factory.mktemp("mortal"))
    house.open()
    yield house
    house.server.kill()


@pytest.fixture
def window(browser: Browser, mortal: House) -> Iterator[Windows]:
    windows = Windows(browser, mortal)
    windows.expect(r"WebSocket|htmx:|ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET")
    yield windows
    windows.close()
    assert windows.complaints == []


def live_state(page: Page) -> Locator:
    return page.locator("#connection, [data-inbox-state]").first


def test_a_gate_outlives_the_server_and_its_pages_come_back_by_themselves(window: Windows, mortal: House):
    ursula, olga = window(VISITOR, "/chat/bank/"), window("olga", "/gates/")
    ask_for_transfer(ursula)
    olga.get_by_role("button", name="1 new").click()
    olga.locator("[data-row]").first.click()
    olga.get_by_label("Daily limit").fill("7500")

    mortal.server.kill()
    expect(live_state(ursula)).to_have_text("Reconnecting…")
    expect(live_state(olga)).to_have_text("Reconnecting…")
    write(ursula, "what is my balance")
    expect(ursula.get_by_text("Sending…")).to_be_visible()
    mortal.server.start()

    expect(live_state(ursula)).to_have_text("Connected", timeout=LONG)
    expect(live_state(olga)).to_have_text("Live", timeout=LONG)
    expect(ursula.get_by_text("Sending…")).to_be_hidden()
    expect(lines(ursula).filter(has_text="what is my balance")).to_have_count(1)
    expect(answer(ursula, "You have")).to_have_count(1)
    expect(olga.get_by_label("Daily limit")).to_have_value("7500")
    olga.get_by_role("button", name="Approve").click()
    expect(olga.get_by_role("heading", name="Olga approved this")).to_be_visible()
    expect(answer(ursula, "Done. €6,000.00 is on its way")).to_be_visible()
    ursula.reload()
    expect(answer(ursula, "Done. €6,000.00 is on its way")).to_have_count(1)
    assert mortal.server.manage("verify_invariants")


def test_an_answer_that_was_sent_into_the_outage_is_sent_again_and_counts_once(window: Windows, mortal: House):
    case = mortal.transfer()
    olga = window("olga", case.page)
    olga.get_by_label("Daily limit").fill("7500")

    mortal.server.kill()
    olga.get_by_role("button", name="Approve").click()
    expect(olga.get_by_text("Not saved: no connection. Your text stays here and is sent again.")).to_be_visible()
    expect(olga.get_by_label("Daily limit")).to_have_value("7500")
    mortal.server.start()

    expect(olga.get_by_role("heading", name="Olga approved this")).to_be_visible(timeout=LONG)
    assert mortal.server.manage("verify_invariants")


def test_what_happened_while_a_page_was_away_arrives_once(window: Windows, mortal: House):
    case = mortal.transfer()
    olga = window("olga", case.page)
    expect(live_state(olga)).to_have_text("Live")

    mortal.server.kill()
    expect(live_state(olga)).to_have_text("Reconnecting…")
    mortal.server.start()
    mortal.decide(case, "reject", reason="Not this one")

    row = olga.locator(f"#row-{case.gate}")
    expect(row).to_contain_text("by Oscar", timeout=LONG)
    expect(row).to_contain_text("Rejected")
    expect(olga.locator("[data-log] p", has_text="was not approved")).to_have_count(1)
