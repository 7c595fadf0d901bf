"""What stands beside a gate: notes, priority and tags, people asked by mail, and a claim that ran out."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group

from dialogue.desk.maintenance import outbox
from dialogue.desk.sessions import service
from dialogue.desk.sessions.claims import CLAIM_LEASE
from dialogue.desk.sessions.escalation import escalate_due
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.desk.sessions.triage import tags_of
from dialogue.models import AnswerLink, HITLSession, Notice
from dialogue.turns import clock
from dialogue.turns.clock import FrozenClock
from tests.support.answer_links import DANIEL
from tests.support.transfers import Opener
from tests.support.web.pages import HTMX, text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db


def test_a_note_is_read_by_colleagues_with_who_and_when(
    noon: FrozenClock, session: HITLSession, olga: Caller, oscar: Caller, browser_of: Browser
):
    answer = browser_of(olga).post(f"/gates/{session.name}/note/", {"text": "Called <b>her</b>"}, headers=HTMX)
    page = text_of(browser_of(oscar).get(f"/gates/{session.name}/"))

    assert "<p>Called &lt;b&gt;her&lt;/b&gt;</p><small>Olga Petrov, <time" in text_of(answer)
    assert text_of(answer).lstrip().startswith("<aside")
    assert "Called &lt;b&gt;her&lt;/b&gt;" in page


def test_a_note_can_still_be_added_to_what_is_decided(session: HITLSession, olga: Caller, browser_of: Browser):
    service.submit(session.pk, olga, Answer("approve"))

    answer = browser_of(olga).post(f"/gates/{session.name}/note/", {"text": "for the month's report"}, headers=HTMX)

    assert "for the month&#x27;s report" in text_of(answer)
    assert "card-version" not in text_of(answer)


def test_an_escalated_gate_says_so_on_its_card_and_in_the_queue_until_it_is_decided(
    open_session: Opener, olga: Caller, browser_of: Browser
):
    treasury = Group.objects.create(name="treasury")
    gate = open_session(escalates_at=clock.now(), escalates_to=treasury)
    escalate_due()
    browser = browser_of(olga)

    card, queue = (text_of(browser.get(path)) for path in (f"/gates/{gate.name}/", "/gates/"))
    service.submit(gate.pk, olga, Answer("approve"))
    after = text_of(browser.get("/gates/?view=done"))

    assert "Escalated to treasury" in card
    assert '<span class="chip warm">Escalated</span>' in queue
    assert gate.name in after and "Escalated" not in after.split('id="row-')[1].split("</li>")[0]


def test_an_empty_note_is_refused_where_it_was_written(session: HITLSession, olga: Caller, browser_of: Browser):
    answer = browser_of(olga).post(f"/gates/{session.name}/note/", {"text": "  "}, headers=HTMX)

    assert answer.status_code == 422
    assert "A note needs some text." in text_of(answer)


def test_priority_and_tags_are_set_beside_the_gate_and_shown_in_the_queue(
    session: HITLSession, olga: Caller, browser_of: Browser
):
    browser = browser_of(olga)

    answer = browser.post(f"/gates/{session.name}/priority/", {"priority": "2"}, headers=HTMX)
    browser.post(f"/gates/{session.name}/tags/", {"tags": "fraud, Month End"}, headers=HTMX)
    queue = text_of(browser.get("/gates/"))

    session.refresh_from_db()
    assert (session.priority, tags_of(session)) == (2, ["fraud", "month end"])
    assert f'id="card-version" name="version" value="{session.version}" hx-swap-oob="true"' in text_of(answer)
    assert '<span class="chip line">month end</span>' in queue
    assert "priority </span>urgent" in queue


def test_nonsense_for_a_priority_is_told(session: HITLSession, olga: Caller, browser_of: Browser):
    answer = browser_of(olga).post(f"/gates/{session.name}/priority/", {"priority": "1e9"}, headers=HTMX)

    assert answer.status_code == 422
    assert "“1e9” is not a whole number." in text_of(answer)


def test_without_a_script_the_page_comes_back(session: HITLSession, olga: Caller, browser_of: Browser):
    answer = browser_of(olga).post(f"/gates/{session.name}/tags/", {"tags": "vip"})

    assert answer.status_code == 302
    assert answer["Location"] == f"/gates/{session.name}/"


def test_who_only_looks_sees_notes_and_tags_and_changes_none(
    session: HITLSession, olga: Caller, audrey: Caller, browser_of: Browser
):
    service.set_tags(session.pk, olga, ["vip"])
    service.add_note(session.pk, olga, "called her")
    browser = browser_of(audrey)

    page = text_of(browser.get(f"/gates/{session.name}/"))

    assert "called her" in page and '<span class="chip line">vip</span>' in page
    assert "new-note" not in page and 'id="priority"' not in page
    assert browser.post(f"/gates/{session.name}/tags/", {"tags": ""}, headers=HTMX).status_code == 403


def test_the_page_says_what_became_of_a_mail(
    noon: FrozenClock, link: AnswerLink, session: HITLSession, olga: Caller, browser_of: Browser
):
    page = f"/gates/{session.name}/"
    before = text_of(browser_of(olga).get(page))
    outbox.deliver_due()
    sent = text_of(browser_of(olga).get(page))
    Notice.objects.update(state="incident", error="ConnectionRefusedError: the mail server is away")
    failed = text_of(browser_of(olga).get(page))

    assert DANIEL in before and "on its way" in before
    moment = r'<time [^>]*title="([^"]+ 12:00:00 \(UTC\))"[^>]*><span[^>]*>12:00</span><span[^>]*>\1</span></time>'
    assert re.search(rf'<span class="chip good">sent {moment}</span>', sent)
    assert '<span class="chip bad">could not be sent</span>' in failed and "the mail server is away" in failed


def test_a_supervisor_sends_a_link_again_and_closes_it(
    noon: FrozenClock, link: AnswerLink, session: HITLSession, sofia: Caller, browser_of: Browser
):
    browser, place = browser_of(sofia), f"/gates/{session.name}/links/{link.pk}"
    outbox.deliver_due()

    again = browser.post(f"{place}/resend/", headers=HTMX)
    closed = browser.post(f"{place}/revoke/", headers=HTMX)

    assert "on its way" in text_of(again) and "sent the mail link again" in text_of(again)
    assert re.search("closed <time [^>]*><span[^>]*>12:00<", text_of(closed))
    assert "closed the mail link" in text_of(closed)
    assert f"resend-{link.pk}" not in text_of(closed)


def test_an_operator_sees_links_and_changes_none(
    link: AnswerLink, session: HITLSession, olga: Caller, browser_of: Browser
):
    browser = browser_of(olga)

    assert f"resend-{link.pk}" not in text_of(browser.get(f"/gates/{session.name}/"))
    assert browser.post(f"/gates/{session.name}/links/{link.pk}/revoke/", headers=HTMX).status_code == 403
    assert browser.post(f"/gates/{session.name}/links/{link.pk}/burn/", headers=HTMX).status_code == 404


def test_a_claim_that_ran_out_is_told_to_whose_it_was(
    noon: FrozenClock, session: HITLSession, olga: Caller, oscar: Caller, browser_of: Browser
):
    service.claim(session.pk, olga)
    noon.advance(CLAIM_LEASE + timedelta(seconds=1))
    service.return_expired_claims()
    page = f"/gates/{session.name}/"

    hers, his = text_of(browser_of(olga).get(page)), text_of(browser_of(oscar).get(page))
    browser_of(olga).post(f"{page}claim/", headers=HTMX)

    assert "Your claim ran out" in hers and "Claim ran out" in hers
    assert "Your claim ran out" not in his
    assert "Your claim ran out" not in text_of(browser_of(olga).get(page))
