"""Fields of every type: the browser's own pickers, and the consequences as they would be with what was just typed."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.chats import answer, write
from tests.support.browser.house import House
from tests.support.browser.windows import DESKTOP, VISITOR, WIDE_AND_NARROW, Windows

pytestmark = pytest.mark.browser

ASSISTANT = "version: 1\nassistant: visits\ntitle: Visits\n"
FLOW = """\
flow: plan_visit
title: plan a visit
description: Plans a visit.
examples: [plan a visit]
slots: {place: {type: text, title: meeting place, prompt: Where?}}
steps:
  - {step: ask, type: collect, slot: place}
  - step: plan
    type: human
    title: Plan a visit
    summary: "{place} · first visit"
    message: A colleague plans it.
    show: [place]
    form:
      day: {type: date, minimum: 2026-01-01}
      hour: {type: time, title: arrival}
      call_at: {type: datetime, required: false}
      contact_email: {type: email}
      phone: {type: phone, required: false}
      fee: {type: money, currency: EUR}
      door_code: {type: text, max_length: 40, required: false}
    actions: [{id: accept, style: primary}, {id: refuse}]
    timeout: 1h
    on_timeout: refuse
    next: {accept: done, refuse: done}
  - {step: done, type: say, message: "{plan.day}, {plan.hour}: {plan.fee} to pay.", next: end}
"""


@pytest.fixture(scope="module", autouse=True)
def visits(house: House, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The assistant is published."""
    folder: Path = tmp_path_factory.mktemp("visits")
    (folder / "assistant.yaml").write_text(ASSISTANT)
    (folder / "plan_visit.yaml").write_text(FLOW)
    house.server.manage("load_flows", str(folder), "--publish")


def planned(window: Windows, size: dict[str, Any]) -> tuple[Page, Page]:
    """The chat of a customer whose visit is to be planned, and Olga's window with its gate."""
    chat = window(VISITOR, "/chat/visits/")
    write(chat, "plan a visit")
    expect(answer(chat, "Where?")).to_be_visible()
    write(chat, "Harbour office")
    expect(answer(chat, "A colleague plans it.")).to_be_visible()
    olga = window("olga", "/gates/?q=harbour", **size)
    olga.locator(".queue [data-row]").first.click()
    return chat, olga


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
def test_native_pickers_and_money_are_filled_and_the_consequence_follows(window: Windows, size: dict[str, Any]):
    chat, olga = planned(window, size)

    expect(olga.locator(".queue [data-row]").first).to_contain_text("Harbour office")
    if size == DESKTOP:  # an answer needs the day, so it has the focus and says how to leave it for the keys
        expect(olga.get_by_label("Day")).to_be_focused()
        expect(olga.get_by_label("Day")).to_have_accessible_description(re.compile("Esc leaves it, then a Accept"))
        expect(olga.locator("#keys-hint")).to_be_visible()
    else:
        expect(olga.locator("#card-title")).to_be_focused()
    for label, native in (
        ("Day", "date"),
        ("Arrival", "time"),
        ("Call at", "datetime-local"),
        ("Contact email", "email"),
    ):
        expect(olga.get_by_label(label)).to_have_attribute("type", native)
    olga.get_by_label("Day").fill("2026-12-14")
    olga.get_by_label("Arrival").fill("09:30")
    olga.get_by_label("Contact email").fill("mia@example.org")
    olga.get_by_label("Fee").fill("1250.5")

    consequence = olga.locator("[data-way=accept]")
    expect(consequence).to_contain_text("December 14, 2026")
    expect(consequence).to_contain_text("€1,250.50 to pay.")
    olga.get_by_role("button", name="Accept").click()
    expect(olga.get_by_role("heading", name="Olga accepted this")).to_be_visible()
    expect(answer(chat, "€1,250.50 to pay.")).to_be_visible()
