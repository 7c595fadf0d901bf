"""The command bar."""

import pytest

from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import form_schema
from dialogue.models import Draft
from tests.support.transfers import FORM


def test_the_bar_shows_what_it_understood_and_changes_nothing(browser_of, session, olga):
    answer = browser_of(olga).post("/command/preview/", {"line": f"@{session.name}.0 900"}).json()

    assert answer == {"said": f"{session.name}.0 daily_limit = 900", "more": "", "good": True}
    assert not Draft.objects.exists()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("dance", "is not a command"),
        ("@g{number}.9 yes", "no field g{number}.9"),
        ("@g{number}.0 12k", "whole number"),
        ("@g999999 yes", "no gate g999999"),
        ("snooze g{number} soon", "is not a duration"),
    ],
)
def test_a_line_that_cannot_be_carried_out_says_why(browser_of, session, olga, line, told):
    response = browser_of(olga).post(
        "/command/", {"line": line.format(number=session.number)}, headers={"accept": "application/json"}
    )

    assert response.status_code in (404, 422)
    assert told.format(number=session.number) in response.json()["said"]


def test_a_line_is_carried_out_and_next_opens_a_page(browser_of, session, olga):
    browser = browser_of(olga)
    json = {"accept": "application/json"}

    claimed = browser.post("/command/", {"line": f"claim {session.name}"}, headers=json).json()
    upcoming = browser.post("/command/", {"line": "next"}, headers=json).json()

    assert claimed["good"]
    assert upcoming["href"] == f"/gates/{session.name}/"


def test_the_bar_is_told_what_a_line_may_become(browser_of, session, olga):
    answer = browser_of(olga).post("/command/complete/", {"line": f"submit {session.name} a"})

    assert answer.json() == {"lines": [f"submit {session.name} approve"]}


def test_a_line_that_may_hold_a_secret_is_not_to_be_kept(browser_of, open_session, olga):
    secret = Slot.model_validate({"type": "text", "sensitive": True, "required": False})
    plain, hidden = open_session(), open_session(schema=form_schema({**FORM, "pin": secret}))
    browser = browser_of(olga)
    lines = [f"@{plain.name}.0 7500", f"@{hidden.name}.2 4711", f"@{hidden.name}.0 7500", f"claim {hidden.name}"]

    kept = [
        browser.post("/command/", {"line": line}, headers={"accept": "application/json"}).json()["keep"]
        for line in lines
    ]

    assert kept == [True, False, False, True]
