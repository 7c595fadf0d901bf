"""What an action will say follows what is typed, and afterwards is what the customer read."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk.test_answer_page import opened
from tests.browser.pages.test_accessibility import violations
from tests.support.browser.house import House
from tests.support.browser.windows import DESKTOP, PHONE, Windows
from tests.support.releases import demo

pytestmark = pytest.mark.browser
REFUSED = "Your transfer of {amount} to {beneficiary} was not approved."
TOLD = "We allow {approval.daily_limit} a day: {approval.reason}."


@pytest.fixture(scope="module")
def frank_bank(house: House, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The bank under another name, which tells its customers what staff answered."""
    folder: Path = tmp_path_factory.mktemp("frank_bank")
    for file, text in demo("bank").items():
        (folder / file).write_text(text.replace("assistant: bank", "assistant: frank_bank").replace(REFUSED, TOLD))
    house.server.manage("load_flows", str(folder), "--publish")
    return "frank_bank"


@pytest.mark.parametrize("size", [pytest.param(DESKTOP, id="desk"), pytest.param(PHONE, id="phone")])
def test_a_consequence_follows_the_form_and_is_what_was_said_in_the_end(
    window: Windows, house: House, frank_bank: str, size: dict[str, Any]
):
    case = house.transfer(assistant=frank_bank)
    olga = window("olga", case.page, **size)
    card = olga.locator("#card")
    expect(card).to_contain_text("tells the customer: “We allow [daily limit] a day: [reason].”")

    olga.get_by_label("Daily limit").press_sequentially("750")
    expect(card).to_contain_text("“We allow 750 a day: [reason].”")
    olga.get_by_label("Daily limit").fill("")
    expect(card).to_contain_text("“We allow [daily limit] a day: [reason].”")
    olga.get_by_label("Daily limit").fill("800")
    olga.get_by_label("Reason").fill("New payee")
    expect(card).to_contain_text("“We allow 800 a day: New payee.”")
    assert violations(olga) == []
    olga.get_by_role("button", name="Reject").click()

    expect(olga.get_by_role("heading", name="Olga rejected this")).to_be_visible()
    said = "We allow 800 a day: New payee."
    expect(olga.locator("[data-log]")).to_contain_text(said)
    expect(card).to_contain_text(f"tells the customer: “{said}”")
    expect(card.get_by_role("row", name="Daily limit")).to_contain_text("800")


def test_the_mailed_page_names_the_fields_that_its_reader_will_fill_in(window: Windows, house: House, frank_bank: str):
    case = house.transfer(assistant=frank_bank)
    daniel = opened(window, house, case)

    expect(daniel.get_by_text("We allow [daily limit] a day: [reason].")).to_be_visible()
    house.decide(case, "approve")
