"""A browser that opens the address of a form gets a page, and programs get Django's answer."""

import pytest

from dialogue.desk.access.people import Caller
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db


def test_a_browser_is_told_that_the_address_only_takes_forms_and_nothing_is_done(
    arthur: Caller, browser_of: Browser
) -> None:
    opened = browser_of(arthur).get("/scenarios/bank/run/", headers={"accept": "text/html"})

    assert (opened.status_code, opened["Allow"]) == (405, "POST")
    assert "Opening it has changed nothing" in opened.content.decode()
    assert "Go to start" in opened.content.decode()


def test_a_program_gets_the_empty_answer(arthur: Caller, browser_of: Browser) -> None:
    assert browser_of(arthur).get("/scenarios/bank/run/", headers={"accept": "application/json"}).content == b""
