"""Somebody outside answers by the link in their mail, in a browser that runs no script."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.house import Case, House
from tests.support.browser.windows import PHONE, VISITOR, WIDE_AND_NARROW, Windows, tab_to
from tests.support.processes.server import wait_for

pytestmark = pytest.mark.browser

ASK = """
from dialogue.models import HITLSession
from dialogue.turns import clock
from dialogue.turns.answer_links import invite_people
session = HITLSession.objects.get(pk={number})
session.channels = [{{"email": "daniel@treasury.example"}}]
session.save(update_fields=["channels"])
invite_people(session, clock.now())
"""
APPROVE = re.compile("^Approve")
PLAIN = {"java_script_enabled": False}


def mailed_path(house: House, case: Case) -> str:
    """Ask Daniel about the gate, and wait for the mail; the link's path."""
    house.server.shell(ASK.format(number=case.gate.removeprefix("g")))

    def arrived() -> str:
        mails = [each.read_text() for each in (house.server.data / "mail").glob("*")]
        letter = next((each for each in mails if f"Reference: {case.gate}\n" in each), "")
        found = re.search(r"/answer/[\w-]{43}/", letter)
        return found.group(0) if found else ""

    return str(wait_for(arrived))


def opened(window: Windows, house: House, case: Case, **options: Any) -> Page:
    return window(VISITOR, mailed_path(house, case), **PLAIN, **options)


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
def test_the_link_answers_without_a_script_or_a_mouse_and_the_conversation_goes_on(
    window: Windows, house: House, size: dict[str, Any]
):
    case = house.transfer()
    daniel = opened(window, house, case, **size)

    tab_to(daniel, daniel.get_by_role("radio", name=APPROVE))
    daniel.keyboard.press("Space")
    tab_to(daniel, daniel.get_by_label("Daily limit"))
    daniel.keyboard.type("9000")
    tab_to(daniel, daniel.get_by_role("button", name="Send my answer"))
    daniel.keyboard.press("Enter")

    expect(daniel.get_by_role("heading", name="Thank you")).to_be_visible()
    story = window("sofia", case.story)
    expect(story.get_by_text("Done. €6,000.00 is on its way")).to_be_visible()


def test_enter_in_a_number_field_approves_nothing(window: Windows, house: House):
    case = house.transfer()
    daniel = opened(window, house, case)

    daniel.get_by_label("Daily limit").fill("9000")
    daniel.get_by_label("Daily limit").press("Enter")

    expect(daniel.get_by_role("button", name="Send my answer")).to_be_visible()
    assert house.server.get(f"/api/v1/sessions/{case.gate}", "token-of-sofia").body["state"] == "open"


def test_what_is_wrong_is_said_at_the_field_on_a_phone_too(window: Windows, house: House):
    case = house.transfer()
    daniel = opened(window, house, case, **PHONE)

    daniel.get_by_role("radio", name=APPROVE).check()
    daniel.get_by_label("Daily limit").fill("7.5k")
    daniel.get_by_role("button", name="Send my answer").click()

    wrong = daniel.get_by_label("Daily limit")
    expect(wrong).to_have_value("7.5k")
    expect(wrong).to_have_accessible_description(re.compile("“7.5k” is not a whole number"))
    expect(daniel.get_by_role("radio", name=APPROVE)).to_be_checked()
    assert daniel.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_who_is_second_reads_who_was_first(window: Windows, house: House):
    case = house.transfer()
    daniel = opened(window, house, case)
    house.decide(case, "reject", reason="not plausible")

    daniel.get_by_role("radio", name=APPROVE).check()
    daniel.get_by_role("button", name="Send my answer").click()

    expect(daniel.get_by_text("Oscar rejected on")).to_be_visible()
