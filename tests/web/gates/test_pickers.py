"""Fields that the browser helps to fill: dates, times, addresses, money with its currency."""

import pytest

from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import form_schema
from dialogue.models import HITLSession
from dialogue.web.gates.pickers import picker_for
from tests.support.transfers import Opener
from tests.support.web.pages import HTMX, text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db


def slot(**facts: object) -> Slot:
    return Slot.model_validate(facts)


@pytest.mark.parametrize(
    ("type", "native"),
    [("date", "date"), ("time", "time"), ("datetime", "datetime-local"), ("email", "email"), ("phone", "tel")],
)
def test_a_field_has_the_browsers_input_of_its_type(type: str, native: str):
    assert picker_for(slot(type=type), "").type == native


@pytest.mark.parametrize(
    ("type", "text"), [("date", "next Monday"), ("time", "half past nine"), ("datetime", "2026-12-14T09:30:00+00:00")]
)
def test_a_text_that_the_input_cannot_hold_stays_visible_in_a_plain_one(type: str, text: str):
    assert picker_for(slot(type=type), text).type == "text"


def test_limits_of_a_date_are_those_of_the_calendar():
    picker = picker_for(slot(type="date", minimum="2026-12-01", maximum="2026-12-24"), "2026-12-14")

    assert (picker.type, picker.minimum, picker.maximum) == ("date", "2026-12-01", "2026-12-24")
    assert picker.display == "December 14, 2026"


def test_money_stands_with_its_currency_and_a_text_field_is_wide():
    money = picker_for(slot(type="money", currency="EUR"), "7000")

    assert (money.unit, money.format, money.display, money.is_wide) == ("€", "money:EUR", "€7,000.00", False)
    assert picker_for(slot(type="money"), "7000").unit == ""
    assert picker_for(slot(type="text", max_length=40), "x").is_wide


@pytest.mark.parametrize(
    "moment",
    [
        ("date", "2026-12-14", "2026-12-14"),
        ("time", "09:30", "09:30"),
        ("datetime", "2026-12-14T09:30", "2026-12-14T09:30:00+00:00"),
    ],
)
def test_what_a_native_input_sends_is_a_value_for_the_engine(
    browser_of: Browser, open_session: Opener, olga, moment: tuple[str, str, str]
):
    type, text, stored = moment
    session = open_session(schema=form_schema({"moment": slot(type=type, title="collection day")}))

    page = text_of(browser_of(olga).get(f"/gates/{session.name}/"))
    browser_of(olga).post(f"/gates/{session.name}/submit/", {"action": "approve", "value.moment": text}, headers=HTMX)

    assert "Collection day" in page
    assert HITLSession.objects.get(pk=session.pk).values["moment"] == stored


def test_the_pane_alone_is_answered_without_reading_the_queue(
    browser_of: Browser, session: HITLSession, olga, django_assert_max_num_queries
):
    browser = browser_of(olga)
    browser.get(f"/gates/{session.name}/")

    with django_assert_max_num_queries(32):
        answer = browser.get(f"/gates/{session.name}/", headers={**HTMX, "HX-Target": "case"})

    page = text_of(answer)
    assert page.startswith("<title>")
    assert ('id="case"' in page, 'id="context"' in page, 'id="queue"' in page) == (True, True, False)


def test_new_rows_beside_an_open_gate_come_without_the_gate(browser_of: Browser, session: HITLSession, olga):
    answer = browser_of(olga).get(f"/gates/{session.name}/", headers={**HTMX, "HX-Target": "queue-list"})

    page = text_of(answer)
    assert (f'id="row-{session.name}"' in page, 'id="case"' in page) == (True, False)
    assert 'aria-current="true"' in page
