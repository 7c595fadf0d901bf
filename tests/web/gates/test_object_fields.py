"""A form with an object: its parts are fields of the page, and one value for everybody else."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.test import Client

from dialogue.desk.sessions import service
from dialogue.desk.sessions.drafts import draft_of
from dialogue.desk.sessions.service import Answer, Caller, InputFormat
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import form_schema
from dialogue.models import HITLSession
from tests.support.transfers import Opener
from tests.support.web.pages import HTMX, text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db

ADDRESS = {
    "type": "object",
    "fields": {
        "street": {"type": "text", "max_length": 40},
        "number": {"type": "integer", "minimum": 1},
        "abroad": {"type": "boolean", "required": False},
    },
}
TYPED = {"value.address.street": "Harbour Lane", "value.address.number": "12", "value.address.abroad": ""}


def asking(**changes: Any) -> dict[str, Any]:
    return form_schema({"address": Slot.model_validate({**ADDRESS, **changes})})


@pytest.fixture
def gate(open_session: Opener) -> HITLSession:
    return open_session(schema=asking())


def sent(browser: Client, gate: HITLSession, typed: Mapping[str, str]) -> Any:
    form = {"action": "approve", "version": gate.version, "key": "k1", **typed}
    return browser.post(f"/gates/{gate.name}/submit/", form, headers=HTMX)


def test_each_part_is_a_field_with_its_own_type_and_label(gate: HITLSession, olga: Caller, browser_of: Browser):
    page = text_of(browser_of(olga).get(f"/gates/{gate.name}/"))

    assert "Address: street" in page and "at most 40 characters" in page
    assert 'name="value.address.number"' in page and "at least 1" in page
    assert page.count('type="radio" name="value.address.abroad"') == 2
    assert 'name="value.address"' not in page


def test_the_parts_make_up_one_value(gate: HITLSession, olga: Caller, browser_of: Browser):
    assert sent(browser_of(olga), gate, TYPED).status_code == 201

    gate.refresh_from_db()
    assert gate.values == {"address": {"street": "Harbour Lane", "number": 12, "abroad": None}}


def test_a_part_that_is_wrong_is_told_at_its_own_field(gate: HITLSession, olga: Caller, browser_of: Browser):
    answer = sent(browser_of(olga), gate, {**TYPED, "value.address.number": "twelve"})

    page = text_of(answer)
    assert answer.status_code == 422
    assert f'id="field-{gate.name}-0-number-error"' in page and "“twelve”" in page
    assert 'value="twelve"' in page and "Harbour Lane" in page
    assert f'id="field-{gate.name}-0-street-error"' not in page


def test_nothing_typed_is_missing_where_it_is_needed_and_nothing_where_it_is_not(
    gate: HITLSession, open_session: Opener, olga: Caller, browser_of: Browser
):
    blank = dict.fromkeys(TYPED, "")
    optional = open_session(schema=asking(required=False))

    assert sent(browser_of(olga), gate, blank).status_code == 422
    assert sent(browser_of(olga), optional, blank).status_code == 201


def test_a_part_that_the_object_does_not_have_is_refused(gate: HITLSession, olga: Caller, browser_of: Browser):
    answer = sent(browser_of(olga), gate, {**TYPED, "value.address.planet": "Mars"})

    assert answer.status_code == 422
    assert "This gate does not have this field." in text_of(answer)


def test_what_was_typed_comes_back_and_what_was_answered_as_json_stands_in_the_parts(
    gate: HITLSession, open_session: Opener, olga: Caller, browser_of: Browser
):
    other = open_session(schema=asking())
    browser = browser_of(olga)
    browser.post(f"/gates/{gate.name}/draft/", TYPED)
    service.answer_field(other.pk, 0, olga, {"street": "Mill Road", "number": 7})

    assert draft_of(gate, olga.user).values["address.street"] == "Harbour Lane"
    assert 'value="12"' in text_of(browser.get(f"/gates/{gate.name}/"))
    answered = text_of(browser.get(f"/gates/{other.name}/"))
    assert "Mill Road" in answered and 'value="7"' in answered


@pytest.mark.parametrize("manner", [InputFormat.JSON, InputFormat.PLAIN])
def test_programs_send_the_object_as_it_is(manner: InputFormat, gate: HITLSession, olga: Caller):
    service.submit(gate.pk, olga, Answer("approve", {"address": {"street": "Mill Road", "number": 7}}, manner))

    gate.refresh_from_db()
    assert gate.values["address"]["number"] == 7


def test_the_bar_takes_the_object_as_json(gate: HITLSession, olga: Caller):
    service.answer_field(gate.pk, 0, olga, '{"street": "Mill Road", "number": 7}', InputFormat.TYPED)
    service.submit(gate.pk, olga, Answer("approve", {}, InputFormat.PLAIN))

    gate.refresh_from_db()
    assert gate.values["address"] == {"street": "Mill Road", "number": 7, "abroad": None}
