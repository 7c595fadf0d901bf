"""A row more or less in a table of a form, on pages without scripts: what is typed stays, and nothing is decided."""

import re
from typing import Any

import pytest
from django.test import Client

from dialogue.desk.sessions.service import Caller
from dialogue.models import HITLSession
from tests.support.answer_links import Asker, ask, newest_token
from tests.support.web.pages import text_of
from tests.web.conftest import Browser
from tests.web.gates.test_record_tables import gate

__all__ = ["ask", "gate"]

pytestmark = pytest.mark.django_db(transaction=True)

TYPED = {
    "value.fixed.0.name": "lamp",
    "value.fixed.0.price": "12",
    "value.fixed.1.name": "mug",
    "value.fixed.1.price": "3.50",
}


def press(browser: Client, address: str, button: str, **more: str) -> str:
    """The page after a button of the table was pressed."""
    answer = browser.post(address, {**TYPED, **more, "version": "1", "key": "k1", "rows": button})
    assert answer.status_code == 200
    return text_of(answer)


def names_of(page: str) -> list[str]:
    """What stands in the first column of the table, row by row."""
    cells = re.findall(r"<input[^>]*name=\"value\.fixed\.\d+\.name\"[^>]*>", page)
    return [found.group(1) if (found := re.search(r'value="([^"]*)"', cell)) else "" for cell in cells]


@pytest.fixture(params=["desk", "link"])
def door(request: Any, gate: HITLSession, olga: Caller, browser_of: Browser, ask: Asker) -> tuple[Client, str]:
    """A browser and the address to which it sends the form: of the desk, and of a person who was asked by mail."""
    if request.param == "desk":
        return browser_of(olga), f"/gates/{gate.name}/submit/"
    from dialogue.desk.maintenance.outbox import deliver_due

    ask(gate)
    deliver_due()
    return Client(), f"/answer/{newest_token()}/"


def test_a_table_begins_with_one_blank_row(gate: HITLSession, olga: Caller, browser_of: Browser):
    assert names_of(text_of(browser_of(olga).get(f"/gates/{gate.name}/"))) == [""]


def test_a_row_is_added_below_those_that_are_there(door: tuple[Client, str], gate: HITLSession):
    browser, address = door
    more = {"value.fixed.2.name": "", "value.fixed.2.price": ""}

    assert names_of(press(browser, address, "add:value.fixed", **more)) == ["lamp", "mug", "", ""]

    gate.refresh_from_db()
    assert gate.state in (HITLSession.State.OPEN, HITLSession.State.CLAIMED)


def test_a_row_is_removed_and_those_below_move_up(door: tuple[Client, str], gate: HITLSession):
    page = press(*door, "remove:value.fixed.0", action="approve")

    assert names_of(page) == ["mug", ""] and 'value="3.50"' in page and 'value="lamp"' not in page
    gate.refresh_from_db()
    assert gate.state != HITLSession.State.SUBMITTED


@pytest.mark.parametrize("button", ["add:value.planets", "add:", "remove:value.fixed.77", "remove:value.planets.0"])
def test_a_button_that_the_form_does_not_have_changes_nothing(door: tuple[Client, str], button: str):
    assert names_of(press(*door, button)) == ["lamp", "mug", ""]


def test_a_table_does_not_outgrow_what_a_browser_sends(door: tuple[Client, str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("dialogue.web.gates.forms.MAX_TABLE_CELLS", 4)

    page = press(*door, "add:value.fixed")

    assert names_of(page) == ["lamp", "mug"]
    assert re.search(r'value="add:value.fixed"[^>]*disabled', page)
