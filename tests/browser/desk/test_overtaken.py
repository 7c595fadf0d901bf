"""The page of a gate whose decision was overtaken: what is told, at every size, and where it is asked again."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.pages.test_accessibility import violations
from tests.support.browser.house import Case, House
from tests.support.browser.windows import DESKTOP, PHONE, Windows

pytestmark = pytest.mark.browser

OVERTAKEN = "The customer changed the amount meanwhile, so this decision was not carried out."
SIZES: dict[str, dict[str, Any]] = {
    "1440": {**DESKTOP, "color_scheme": "light"},
    "390": {**PHONE, "color_scheme": "dark"},
    "320": {"viewport": {"width": 320, "height": 640}, "color_scheme": "light"},
}

RACE = """
from django.contrib.auth.models import User
from django.db import transaction
from dialogue.desk.sessions.service import Answer, Caller, submit
from dialogue.turns.accept import Incoming, accept
from dialogue.models import HITLSession
gate = HITLSession.objects.get(number={number})
text = "change the amount to 7770"
with transaction.atomic():
    accept(gate.conversation_id, Incoming("message", "correction", {{"text": text}}, text=text))
    submit(gate.number, Caller(User.objects.get(username="olga").pk, "page"), Answer("approve"))
"""
"""The customer's correction is accepted, and before its turn Olga approves; the server finds both at once."""


@pytest.fixture
def case(house: House) -> Iterator[Case]:
    yield house.transfer()
    house.clear()


@pytest.mark.parametrize("size", SIZES)
def test_the_page_says_at_once_what_overtook_the_decision_and_leads_to_where_it_is_asked_again(
    window: Windows, house: House, case: Case, size: str
):
    olga = window("olga", case.page, **SIZES[size])
    if size == "1440":
        olga.get_by_label("Daily limit").focus()
    expect(olga.locator("[data-inbox-state]")).to_have_attribute("data-state", "live")
    house.server.shell(RACE.format(number=case.gate[1:]))

    expect(olga.locator("#toast")).to_contain_text(f"{case.gate}: {OVERTAKEN}")
    if size == "1440":  # a field has the focus, and what is under the hand is not replaced
        olga.get_by_role("button", name="Look").click()
    told = olga.locator("#card").get_by_text(OVERTAKEN)
    expect(told).to_be_visible()
    expect(olga.locator("#card")).not_to_contain_text("The flow went to step")
    assert violations(olga) == []
    assert olga.evaluate("document.documentElement.scrollWidth <= innerWidth")

    (again,) = _asked_again(house, case)
    olga.reload()
    expect(olga.locator("#card")).to_contain_text(f"It is asked again as {again}.")
    olga.get_by_role("link", name=f"Open {again}").click()
    expect(olga.locator("#card")).to_contain_text("€7,770.00")


def _asked_again(house: House, case: Case) -> list[Any]:
    answer = house.say(case.conversation, case.token, "yes")
    return [session["session"] for session in answer["pending"] if session["audience"] == "staff"]
