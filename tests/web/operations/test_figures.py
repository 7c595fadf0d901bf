"""The page of figures, its plots and its export."""

import csv
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import HITLSession
from dialogue.turns.accept import open_conversation
from tests.support.releases import demo, publish
from tests.support.transfers import Opener
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db


@pytest.fixture
def decided(session: HITLSession, olga: Caller) -> HITLSession:
    service.claim(session.pk, olga)
    service.submit(session.pk, olga, Answer("approve"))
    return session


def test_the_page_draws_a_bar_for_each_step_within_its_frame(decided: HITLSession, olga: Caller, browser_of: Browser):
    html = text_of(browser_of(olga).get("/figures/"))

    widths = [float(each) for each in re.findall(r'<rect class="\w+" x="0" y="\d" width="([\d.]+)"', html)]
    assert html.count("<svg viewBox") == 3
    assert len(widths) == 6 and all(0 <= each <= 100 for each in widths)
    assert "transfer_money, approval: half within" in html
    assert "style=" not in html


def test_the_export_has_the_same_steps_in_seconds(decided: HITLSession, olga: Caller, browser_of: Browser):
    response = browser_of(olga).get("/figures/csv/?days=7")

    (row,) = csv.DictReader(response.content.decode().splitlines())
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert (row["flow"], row["step"], row["decided"], row["expired_share"]) == (
        "transfer_money",
        "approval",
        "1",
        "0.0",
    )
    assert float(row["to_decision_median"]) >= float(row["to_claim_median"]) >= 0


def test_without_figures_the_page_says_what_will_come(olga: Caller, browser_of: Browser):
    assert "No gate ended in this time" in text_of(browser_of(olga).get("/figures/?days=90"))


def test_a_period_that_is_not_offered_is_no_page(olga: Caller, browser_of: Browser):
    assert browser_of(olga).get("/figures/?days=1 OR 1=1").status_code == 404


def test_the_number_of_queries_does_not_grow(
    decided: HITLSession, open_session: Opener, olga: Caller, browser_of: Browser
):
    browser = browser_of(olga)
    counts = []
    for gates in (1, 5):
        for gate in range(gates):
            service.submit(open_session(step=f"approval_{gate}").pk, olga, Answer("approve"))
        with CaptureQueriesContext(connection) as asked:
            browser.get("/figures/")
        counts.append(len(asked))

    assert counts[0] == counts[1] <= 12


def test_two_assistants_with_the_same_step_are_told_apart_and_looked_at_one_by_one(
    decided: HITLSession, open_session: Opener, olga: Caller, browser_of: Browser
):
    publish({name: text.replace("assistant: bank", "assistant: other_bank") for name, text in demo("bank").items()})
    elsewhere = open_conversation("other_bank", user_ref="Vera")[0]
    service.submit(open_session(conversation=elsewhere, visit=99).pk, olga, Answer("approve"))
    browser = browser_of(olga)

    both, one = (text_of(browser.get(f"/figures/?{query}")) for query in ("", "assistant=other_bank"))
    lines = browser.get("/figures/csv/?assistant=other_bank").content.decode().splitlines()

    assert [both.count(f"<td>{name}</td>") for name in ("bank", "other_bank")] == [1, 1]
    assert [one.count(f"<td>{name}</td>") for name in ("bank", "other_bank")] == [0, 1]
    assert 'href="?days=30&amp;assistant=other_bank" aria-current="page"' in one
    assert [row["assistant"] for row in csv.DictReader(lines)] == ["other_bank"]
