"""One gate: what it shows, and what comes of what is sent."""

import json
import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dialogue.desk.sessions import service
from dialogue.desk.sessions.drafts import DraftText
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import form_schema
from dialogue.models import Draft, HITLSession, Submission
from dialogue.turns import clock
from tests.support.web.pages import HTMX, text_of


def test_the_gate_shows_values_consequences_and_what_the_deadline_brings(browser_of, session, olga):
    page = text_of(browser_of(olga).get(f"/gates/{session.name}/"))

    assert "€8,450.00" in page
    assert "DE89370400440532013000" in page
    assert "send_money" in page
    assert "Then:</span> Reject" in page or "Then: Reject" in page
    assert "whole number, 0 to 10,000, optional" in page
    assert "required for: Reject" in page


def test_a_wrong_value_is_shown_at_its_field_with_everything_typed_and_the_gate_stays_open(browser_of, session, olga):
    typed = {"action": "approve", "value.daily_limit": "7.5k", "value.reason": "As agreed by phone"}

    response = browser_of(olga).post(f"/gates/{session.name}/submit/", typed)

    assert response.status_code == 422
    page = text_of(response)
    assert 'value="7.5k"' in page
    assert "As agreed by phone" in page
    assert 'aria-invalid="true"' in page
    assert "whole number" in page
    session.refresh_from_db()
    assert session.state == "open"


def test_a_wrong_value_and_a_missing_reason_are_told_together_and_named_as_their_fields(browser_of, session, olga):
    typed = {"action": "reject", "value.daily_limit": "7.5k", "value.reason": " "}

    response = browser_of(olga).post(f"/gates/{session.name}/submit/", typed)

    assert response.status_code == 422
    wrong = {control.title: control.error for control in response.context["gate"].wrong}
    assert list(wrong) == ["Daily limit", "Reason"]
    assert "whole number" in wrong["Daily limit"]
    assert wrong["Reason"] == "“Reject” needs a reason."
    assert "2 of 2 fields need a change" in text_of(response)
    assert re.search(r'href="#field-[^"]+">Daily limit</a>', text_of(response))


def test_two_actions_that_ask_for_a_reason_do_not_share_a_key(browser_of, session, olga):
    refusal = next(action for action in session.actions if action["id"] == "reject")
    session.actions = [*session.actions, {**refusal, "id": "ask_photos", "label": "Ask for photos"}]
    session.save()

    page = text_of(browser_of(olga).get(f"/gates/{session.name}/"))

    assert "Ask for photos" in page
    assert page.count('data-key="x"') == 1


def test_no_action_is_selected_on_a_page_that_is_only_looked_at(browser_of, session, olga):
    service.save_draft(session.pk, olga, DraftText({"reason": "Wrong IBAN"}, "approve"))

    page = text_of(browser_of(olga).get(f"/gates/{session.name}/"))

    assert 'aria-pressed="true"' not in page.split('class="acts"')[1].split("</form>")[0]
    assert 'class="selected"' not in page


def test_the_action_that_was_pressed_is_selected_when_it_was_refused(browser_of, session, olga):
    page = text_of(browser_of(olga).post(f"/gates/{session.name}/submit/", {"action": "reject"}, headers=HTMX))

    assert re.search(r'value="reject" aria-pressed="true"', page)
    assert "Ctrl Enter: Reject" in page


def test_the_only_action_of_a_gate_is_selected_and_named(browser_of, open_session, olga):
    session = open_session(actions=[{"id": "done", "label": "Done", "style": "default"}])

    page = text_of(browser_of(olga).get(f"/gates/{session.name}/"))

    assert "Ctrl Enter: Done" in page


def test_a_missing_reason_is_asked_for_at_the_reason(browser_of, session, olga):
    response = browser_of(olga).post(f"/gates/{session.name}/submit/", {"action": "reject"}, headers=HTMX)

    assert response.status_code == 422
    control = next(each for each in response.context["gate"].controls if each.name == "value.reason")
    assert "needs a reason" in control.error


@pytest.mark.parametrize("field", ["state", "is_superuser", "value.state", "decided_by"])
def test_a_field_that_the_form_does_not_have_is_refused(browser_of, session, olga, field):
    response = browser_of(olga).post(f"/gates/{session.name}/submit/", {"action": "approve", field: "x"}, headers=HTMX)

    assert response.status_code == 422
    session.refresh_from_db()
    assert session.state == "open"


def test_the_second_operator_is_told_who_was_first_and_keeps_what_was_typed(browser_of, session, olga, oscar):
    browser_of(olga).post(f"/gates/{session.name}/submit/", {"action": "reject", "value.reason": "Wrong IBAN"})

    typed = {"action": "approve", "value.daily_limit": "7500"}
    response = browser_of(oscar).post(f"/gates/{session.name}/submit/", typed, headers=HTMX)

    assert response.status_code == 409
    card = text_of(response)
    assert "Olga Petrov rejected this" in card
    assert "before you" in card
    assert "Wrong IBAN" in card
    assert "Your answer is kept as a draft" in card
    assert "<dt>Daily limit</dt>" in card
    assert f"{session.name}.0" not in card.split("Your answer is kept as a draft")[1]
    assert "7500" in card
    assert "box bad" not in card
    assert Draft.objects.get(session=session, by_id=oscar.user).values["values"]["daily_limit"] == "7500"


@pytest.mark.parametrize(
    ("stored", "words"),
    [
        ("cancelled", "The request was stopped before anybody decided."),
        ("voided", "The customer changed what it was about."),
        ("conversation_over", "The conversation ended before anybody decided."),
        ("customer_left", "The customer went back to the assistant."),
        ("Written by a program", "Written by a program"),
    ],
)
def test_a_withdrawn_gate_says_why(browser_of, session, olga, stored, words):
    HITLSession.objects.filter(pk=session.pk).update(state="cancelled", decided_at=clock.now(), reason=stored)

    page = text_of(browser_of(olga).get(f"/gates/{session.name}/"))

    assert "This request was withdrawn" in page
    assert f"<blockquote>{words}</blockquote>" in page


def test_a_withdrawn_gate_names_who_withdrew_it_with_their_reason(browser_of, session, olga, sofia):
    service.cancel(session.pk, sofia, reason="cancelled")

    page = text_of(browser_of(olga).get(f"/gates/{session.name}/"))

    assert "Sofia Ruiz withdrew this request" in page
    assert "<blockquote>cancelled</blockquote>" in page


def test_after_the_deadline_the_answer_is_not_taken_and_what_comes_instead_is_said(browser_of, session, olga):
    HITLSession.objects.filter(pk=session.pk).update(expires_at=session.opened_at)

    response = browser_of(olga).post(f"/gates/{session.name}/submit/", {"action": "approve"}, headers=HTMX)

    assert response.status_code == 410
    assert "deadline" in text_of(response)
    session.refresh_from_db()
    assert session.state == "open"


def test_a_swept_gate_says_what_was_sent_instead(browser_of, session, olga):
    HITLSession.objects.filter(pk=session.pk).update(expires_at=session.opened_at)
    service.expire_due()

    response = browser_of(olga).post(f"/gates/{session.name}/submit/", {"action": "approve"}, headers=HTMX)

    assert response.status_code == 410
    assert "“Reject” was sent" in text_of(response)


def test_the_same_form_sent_twice_counts_once(browser_of, session, olga):
    browser = browser_of(olga)
    form = {"action": "approve", "key": "a-key"}

    first, second = (browser.post(f"/gates/{session.name}/submit/", form, headers=HTMX) for _ in range(2))

    assert (first.status_code, second.status_code) == (201, 200)
    assert Submission.objects.filter(session=session, accepted=True).count() == 1


def test_a_form_without_its_token_changes_nothing(session, olga):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(User.objects.get(pk=olga.user))

    assert browser.post(f"/gates/{session.name}/submit/", {"action": "approve"}).status_code == 403
    session.refresh_from_db()
    assert session.state == "open"


def test_a_draft_is_kept_on_the_server_and_comes_back(browser_of, session, olga):
    browser = browser_of(olga)
    kept = browser.post(f"/gates/{session.name}/draft/", {"value.reason": "Still thinking"})

    assert "saved" in kept.json()
    assert "Still thinking" in text_of(browser.get(f"/gates/{session.name}/"))


def test_an_auditor_sees_the_gate_and_no_button_to_decide_it(browser_of, session, audrey):
    browser = browser_of(audrey)

    page = text_of(browser.get(f"/gates/{session.name}/"))
    refused = browser.post(f"/gates/{session.name}/submit/", {"action": "approve"}, headers=HTMX)

    assert 'name="action"' not in page
    assert "not decide it" in page
    assert refused.status_code == 403


def test_an_auditor_reads_what_the_form_asks_for_as_text(browser_of, session, audrey, olga):
    service.save_draft(session.pk, olga, DraftText({"reason": "Still thinking"}, "approve"))
    service.answer_field(session.pk, 0, olga, 7500)

    page = text_of(browser_of(audrey).get(f"/gates/{session.name}/"))

    assert 'name="value.' not in page
    assert rows_of_table(page, "To be answered") == [
        "Daily limit | 7500 | whole number, 0 to 10,000, optional",
        "Reason | not answered yet | text, optional",
    ]
    assert "Still thinking" not in page


def test_an_auditor_reads_masked_answers(browser_of, open_session, audrey, olga):
    schema = form_schema({"code": Slot(type="text", sensitive=True), "day": Slot(type="date", required=False)})
    session = open_session(schema=schema)
    service.answer_field(session.pk, 0, olga, "4711-0815-42")

    page = text_of(browser_of(audrey).get(f"/gates/{session.name}/"))

    assert rows_of_table(page, "To be answered")[0].startswith("Code | ••••")
    assert "4711" not in page


def rows_of_table(page: str, caption: str) -> list[str]:
    """The rows of the table with this caption, each as its words."""
    rows = re.findall(r"<tr.*?</tr>", page.split(caption)[1].split("</table>", maxsplit=1)[0], re.DOTALL)
    return [
        " | ".join(
            " ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)
        )
        for row in rows
    ]


def test_claim_and_give_back_answer_with_the_heading(browser_of, session, olga):
    browser = browser_of(olga)

    claimed = text_of(browser.post(f"/gates/{session.name}/claim/", headers=HTMX))
    back = text_of(browser.post(f"/gates/{session.name}/release/", headers=HTMX))

    assert "Yours for" in claimed
    assert 'id="card-version" name="version" value="2"' in claimed
    assert "Claim" in back


def test_a_supervisor_extends_by_a_duration_and_nonsense_is_told_how_to_write_one(browser_of, session, sofia):
    browser = browser_of(sofia)

    nonsense = browser.post(f"/gates/{session.name}/extend/", {"duration": "soon"}, headers=HTMX)
    done = browser.post(f"/gates/{session.name}/extend/", {"duration": "2h"}, headers=HTMX)

    assert nonsense.status_code == 422
    assert "30m, 2h or 1d" in text_of(nonsense)
    assert done.status_code == 200
    before = session.expires_at
    session.refresh_from_db()
    assert session.expires_at - before == timedelta(hours=2)


def test_next_leads_to_the_most_urgent_gate(browser_of, session, olga):
    assert browser_of(olga).get("/gates/next/")["Location"] == f"/gates/{session.name}/"


@pytest.mark.parametrize("open_gate", [False, True])
def test_the_key_n_leads_from_the_queue_and_from_an_open_gate_to_another(browser_of, open_session, olga, open_gate):
    first, second = open_session(), open_session()
    browser = browser_of(olga)

    page = text_of(browser.get(f"/gates/{first.name}/" if open_gate else "/gates/"))
    link = re.search(r'<a class="btn bare" href="(/gates/next/[^"]*)" data-key="n"', page)

    assert link is not None
    assert browser.get(link[1])["Location"] == f"/gates/{(second if open_gate else first).name}/"


def test_a_gate_is_taken_over_from_a_colleague_and_claimed_when_it_is_free(browser_of, session, olga, sofia):
    place, browser = f"/gates/{session.name}/", browser_of(sofia)

    free = text_of(browser.get(place))
    service.claim(session.pk, olga)
    held = text_of(browser.get(place))

    assert f'action="{place}claim/"' in free
    assert f'action="{place}takeover/"' not in free
    assert f'action="{place}takeover/"' in held
    assert f'action="{place}claim/"' not in held


def test_what_the_last_holder_typed_stands_in_the_form_of_who_takes_over(browser_of, session, olga, sofia):
    service.claim(session.pk, olga)
    service.save_draft(session.pk, olga, DraftText({"daily_limit": "7654"}))

    answer = browser_of(sofia).post(f"/gates/{session.name}/takeover/", {"reason": "ill"}, headers=HTMX)
    page = text_of(browser_of(sofia).get(f"/gates/{session.name}/"))

    assert answer.headers["HX-Refresh"] == "true"
    assert "What Olga Petrov typed before you, and did not send, stands below." in page
    assert 'value="7654"' in page


def test_who_claims_what_was_given_back_has_the_form_renewed_where_nobody_types(browser_of, session, olga, oscar):
    service.claim(session.pk, olga)
    service.save_draft(session.pk, olga, DraftText({"daily_limit": "7654"}))
    service.release(session.pk, olga)
    claim = f"/gates/{session.name}/claim/"

    handed, again = (browser_of(who).post(claim, headers=HTMX) for who in (oscar, oscar))
    service.save_draft(session.pk, oscar, DraftText({"daily_limit": "7000"}))
    own = browser_of(oscar).post(claim, headers=HTMX)

    events = [json.loads(each.headers.get("HX-Trigger", "{}")) for each in (handed, again, own)]
    assert ["soni:changed" in each for each in events] == [True, True, False]
    assert "HX-Refresh" not in handed.headers
