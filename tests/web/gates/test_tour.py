"""The tour of the gate: who is shown it, and that skipping it counts for good."""

import pytest

from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer
from dialogue.models import HITLSession, Preference
from tests.support.web.pages import text_of

BEGINS = "data-begins"


def test_a_person_who_has_never_decided_is_shown_the_tour_until_they_end_it(browser_of, session: HITLSession, olga):
    browser = browser_of(olga)
    assert BEGINS in text_of(browser.get(f"/gates/{session.name}/"))
    assert BEGINS in text_of(browser.get("/gates/"))

    assert browser.post("/gates/tour/").status_code == 204

    assert Preference.objects.get(user=olga.user).skips_gate_tour
    for again in (browser, browser_of(olga)):
        page = text_of(again.get(f"/gates/{session.name}/"))
        assert BEGINS not in page
        assert 'id="gate-tour"' in page


def test_a_person_who_has_decided_a_gate_is_not_shown_the_tour(browser_of, session: HITLSession, open_session, olga):
    service.submit(session.number, olga, Answer("approve"))

    assert BEGINS not in text_of(browser_of(olga).get(f"/gates/{open_session().name}/"))


@pytest.mark.parametrize("link", ['data-tour href="/gates/next/#tour"'])
def test_the_menu_and_the_keys_lead_to_the_tour_for_those_who_decide(browser_of, session, olga, audrey, link):
    assert text_of(browser_of(olga).get("/gates/")).count(link) == 2
    assert link in text_of(browser_of(olga).get("/inbox/"))

    auditors_page = text_of(browser_of(audrey).get("/gates/"))

    assert (link in auditors_page, 'id="gate-tour"' in auditors_page) == (False, False)


def test_an_auditor_ends_no_tour(browser_of, session, audrey):
    assert browser_of(audrey).post("/gates/tour/").status_code == 204
    assert not Preference.objects.exists()
