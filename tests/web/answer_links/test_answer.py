"""The page of a link: scanners, replays, foreign and expired tokens, and what is said instead of the form."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dialogue.desk.maintenance import outbox
from dialogue.desk.sessions import links
from dialogue.desk.sessions import service as door
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import AnswerLink, AuditEntry, Event, HITLSession, LinkToken, Submission
from dialogue.turns.clock import FrozenClock
from tests.support.answer_links import DANIEL, Asker, newest_token
from tests.support.transfers import ACTIONS, Opener
from tests.support.web.pages import text_of

pytestmark = pytest.mark.django_db

WRITES = ("INSERT", "UPDATE", "DELETE")


@pytest.fixture
def address(token: str) -> str:
    """The address in the mail."""
    return f"/answer/{token}/"


@pytest.fixture
def mailbox() -> Client:
    """A browser that has no cookie of ours and checks for forged requests as in service."""
    return Client(enforce_csrf_checks=True)


def filled(browser: Client, address: str, **values: str) -> dict[str, str]:
    """The form as a browser would send it: its hidden fields, and what was typed."""
    hidden = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', text_of(browser.get(address)))
    fields = {name if name in ("action", "undecided") else f"value.{name}": value for name, value in values.items()}
    return dict(hidden) | fields


def words_of(response) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", text_of(response)).split())


def test_the_page_asks_with_the_typed_values_and_an_absolute_deadline(
    noon: FrozenClock,
    address: str,
    mailbox: Client,
):
    response = mailbox.get(address)

    shown = words_of(response)
    assert response.status_code == 200
    assert "asks daniel@treasury.example" in shown
    assert "€8,450.00" in shown and "•••• 3000" in shown and "DE89370400440532013000" not in shown
    assert "Answer by 23 November 2026, 12:30, UTC" in shown
    assert shown.count("November") == 1 and "asked 12:00" in shown
    assert re.search(r'<h1 id="question">.*<bdi>€8,450.00.*</h1>', text_of(response))


def test_an_action_is_told_by_its_description_and_not_by_its_name(address: str, mailbox: Client):
    english = words_of(mailbox.get(address))
    spanish = words_of(mailbox.get(address, headers={"Accept-Language": "es"}))

    assert "Send the money, with amount €8,450.00" in english
    assert "Enviar el dinero, con importe" in spanish
    assert "send_money" not in english + spanish


def test_dates_are_in_words_in_spanish_too(noon: FrozenClock, address: str, mailbox: Client, session, olga: Caller):
    spanish = {"Accept-Language": "es"}
    assert "23 de noviembre de 2026, 12:30" in words_of(mailbox.get(address, headers=spanish))
    door.submit(session.number, olga, Answer("reject", {}, reason="No"))

    assert "rechazó el 23 de noviembre de 2026, 12:00" in words_of(mailbox.get(address, headers=spanish))


def test_the_page_needs_no_script_and_leaves_no_trace_elsewhere(address: str, mailbox: Client):
    response = mailbox.get(address)

    assert "<script" not in text_of(response)
    assert response["Referrer-Policy"] == "no-referrer"
    assert response["X-Robots-Tag"] == "noindex"
    assert "no-store" in response["Cache-Control"]
    assert not response.cookies


def test_nothing_is_chosen_beforehand_and_sending_is_neutral(address: str, mailbox: Client):
    html = text_of(mailbox.get(address))

    radios = re.findall(r'<input type="radio" name="action"[^>]*>', html)
    buttons = re.findall(r"<button[^>]*>([^<]+)<", html)
    assert len(radios) == 2 and not any("checked" in each for each in radios)
    assert buttons == ["Send my answer", "I cannot decide this"]


def test_a_hundred_visits_of_a_scanner_change_nothing_and_then_the_answer_counts(
    address: str,
    mailbox: Client,
    session: HITLSession,
):
    with CaptureQueriesContext(
        connection,
    ) as asked:
        for _visit in range(50):
            mailbox.get(address)
            mailbox.head(address)
    written = [each["sql"] for each in asked.captured_queries if each["sql"].startswith(WRITES)]

    response = mailbox.post(address, filled(mailbox, address, action="approve"))

    session.refresh_from_db()
    assert written == []
    assert (response.status_code, session.state, session.decided_as) == (201, "submitted", DANIEL)


def test_an_answer_is_typed_and_checked_like_everybodys(address: str, mailbox: Client, session: HITLSession):
    response = mailbox.post(address, filled(mailbox, address, action="approve", daily_limit=" 9000 ", reason=""))

    session.refresh_from_db()
    assert response.status_code == 201
    assert (session.values["daily_limit"], session.handle) == (9000, "approve")
    assert AuditEntry.objects.get(act="session.submit").facts["through"] == "link"


def test_what_is_wrong_is_said_at_the_field_and_nothing_is_lost(address: str, mailbox: Client, session: HITLSession):
    response = mailbox.post(
        address, filled(mailbox, address, action="approve", daily_limit="1_000", reason="<b>fine</b>")
    )

    session.refresh_from_db()
    html = text_of(response)
    assert (response.status_code, session.state, session.version) == (422, "open", 1)
    assert 'value="1_000" autocomplete="off" inputmode="decimal" aria-invalid="true"' in html
    assert "&lt;b&gt;fine&lt;/b&gt;" in html
    assert re.search(r'value="approve" required checked', html)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({}, "Choose an action: approve, reject."),
        ({"action": "reject"}, "needs a reason"),
        ({"action": "approve", "state": "x"}, "does not have this field"),
    ],
)
def test_half_an_answer_is_none(values, told: str, address: str, mailbox: Client, session: HITLSession):
    response = mailbox.post(address, filled(mailbox, address, **values))

    session.refresh_from_db()
    assert (response.status_code, session.state) == (422, "open")
    assert told in words_of(response)


@pytest.mark.parametrize("handle", ["", "approve", "approve again"])
def test_no_log_holds_the_token_of_a_link_that_is_answered_wrongly(
    handle: str, address: str, token: str, mailbox: Client, caplog: pytest.LogCaptureFixture
):
    form = filled(mailbox, address, action=handle, daily_limit="1_000")

    response = mailbox.post(address, form)
    mailbox.get(f"/answer/{token[:-1]}x/")

    assert response.status_code == 422
    assert "Unprocessable Entity: /answer/…/" in caplog.messages
    assert "Not Found: /answer/…/" in caplog.messages
    assert not [each for each in caplog.records if token[:-1] in f"{each.getMessage()} {each.msg} {each.args}"]


def test_the_same_form_sent_twice_counts_once(address: str, mailbox: Client):
    form = filled(mailbox, address, action="approve")

    statuses = [mailbox.post(address, form).status_code for _press in range(2)]

    assert statuses == [201, 200]
    assert Submission.objects.filter(accepted=True).count() == Event.objects.count() == 1


def test_a_replay_is_told_who_answered_and_when(noon: FrozenClock, address: str, mailbox: Client):
    form = filled(mailbox, address, action="approve")
    mailbox.post(address, form)

    replay = mailbox.post(address, {**form, "action": "reject", "value.reason": "no", "key": "another"})

    assert replay.status_code == mailbox.get(address).status_code == 409
    assert f"{DANIEL} approved on 23 November 2026, 12:00, UTC" in words_of(replay)
    assert Event.objects.count() == 1


def test_who_comes_second_is_told_who_was_first(
    noon: FrozenClock, address: str, mailbox: Client, session, olga: Caller
):
    form = filled(mailbox, address, action="approve")
    door.submit(session.pk, olga, Answer("reject", {"reason": "not plausible"}))

    response = mailbox.post(address, form)

    assert response.status_code == 409
    assert "Olga Petrov rejected on 23 November 2026, 12:00, UTC" in words_of(response)


@pytest.mark.parametrize("swept", [False, True])
def test_after_the_deadline_the_link_is_gone_swept_or_not(
    swept: bool, noon: FrozenClock, address: str, mailbox: Client, session: HITLSession
):
    form = filled(mailbox, address, action="approve")
    noon.advance(timedelta(minutes=30))
    if swept:
        door.expire_due()

    statuses = [mailbox.get(address).status_code, mailbox.post(address, form).status_code]

    session.refresh_from_db()
    assert statuses == [410, 410]
    assert session.handle == ("reject" if swept else "")


def test_what_was_withdrawn_is_gone(address: str, mailbox: Client, session: HITLSession, sofia: Caller):
    door.cancel(session.pk, sofia, reason="a mistake")

    assert mailbox.get(address).status_code == 410


def test_altered_foreign_and_revoked_tokens_are_not_found_alike(
    address: str,
    token: str,
    mailbox: Client,
    link: AnswerLink,
    sofia: Caller,
):
    altered = f"/answer/{token[:-1]}{'A' if token[-1] != 'A' else 'B'}/"
    foreign = f"/answer/{'x' * 43}/"
    strange = f"/answer/{LinkToken.objects.get().sha256}/"
    links.revoke_link(link.session_id, link.pk, sofia)

    answers = [mailbox.get(each) for each in (altered, foreign, strange, address, f"/answer/{'y' * 5000}/")]
    answers.append(mailbox.post(address, {"action": "approve"}))

    assert {each.status_code for each in answers} == {404}
    assert HITLSession.objects.get().state == "open"


def test_a_token_decides_its_own_gate_only(open_session: Opener, ask: Asker, mailbox: Client):
    first, second = open_session(), open_session()
    ask(first)
    outbox.deliver_due()
    address = f"/answer/{newest_token()}/"

    mailbox.post(
        address, {**filled(mailbox, address, action="approve"), "number": second.pk, "session": str(second.uid)}
    )

    assert {row.state for row in HITLSession.objects.all()} == {"open"}


def test_not_being_able_to_decide_leaves_the_gate_open(address: str, mailbox: Client, session: HITLSession):
    response = mailbox.post(address, filled(mailbox, address, undecided="1"))

    session.refresh_from_db()
    assert (response.status_code, session.state) == (200, "open")
    assert "The question stays open" in words_of(response)
    assert AuditEntry.objects.get(act="session.undecided").actor == DANIEL
    assert mailbox.post(address, filled(mailbox, address, action="approve")).status_code == 201


def test_a_gate_that_changed_meanwhile_is_looked_at_again(address: str, mailbox: Client, session, sofia: Caller):
    form = filled(mailbox, address, action="approve", daily_limit="9000")
    door.extend(session.pk, sofia, by=timedelta(hours=1))

    response = mailbox.post(address, form)

    session.refresh_from_db()
    assert (response.status_code, session.state) == (409, "open")
    assert "has changed" in words_of(response) and 'value="9000"' in text_of(response)
    assert mailbox.post(address, filled(mailbox, address, action="approve")).status_code == 201


def test_a_second_person_is_still_needed(open_session: Opener, ask: Asker, mailbox: Client):
    session = open_session(people_required=2)
    ask(session)
    outbox.deliver_due()
    address = f"/answer/{newest_token()}/"

    response = mailbox.post(address, filled(mailbox, address, action="approve"))

    assert response.status_code == 202
    assert "A second person has to agree" in words_of(response)


def test_what_flows_and_people_wrote_is_shown_as_text(open_session: Opener, ask: Asker, mailbox: Client):
    nasty = "<script>alert(1)</script>"
    shown = [{"name": "amount", "value": nasty, "shown": nasty, "source": "user", "turn": 1, "sensitive": False}]
    actions = [{"id": "approve", "label": nasty, "style": "primary", "reason": False}, ACTIONS[1]]
    ask(open_session(title=f"Approve {nasty}\nBcc: all@example.com", shown=shown, actions=actions))
    outbox.deliver_due()

    html = text_of(mailbox.get(f"/answer/{newest_token()}/"))

    assert "<script" not in html and html.count("&lt;script&gt;") >= 3
    assert mail.outbox[-1].recipients() == [DANIEL]


def test_put_and_delete_are_no_ways_to_answer(address: str, mailbox: Client):
    assert {mailbox.put(address).status_code, mailbox.delete(address).status_code} == {405}


def test_the_thanks_say_what_was_decided_on_what_and_what_follows(noon: FrozenClock, address: str, mailbox: Client):
    response = mailbox.post(address, filled(mailbox, address, action="reject", reason="no contract"))

    told = words_of(response)
    assert response.status_code == 201
    assert "Outcome Rejected" in told and "When 23 November 2026, 12:00, UTC" in told
    assert "€8,450.00" in told and "Customer Ursula" in told and "no contract" in told
    assert "DE89370400440532013000" not in told
    assert "The conversation with the customer goes on by itself" in told and "Nothing more is needed" in told


def test_who_comes_back_to_the_own_answer_is_not_told_of_a_second_one(address: str, mailbox: Client):
    mailbox.post(address, filled(mailbox, address, action="approve"))

    again = mailbox.get(address)

    assert again.status_code == 409
    assert "You have answered this" in words_of(again) and "Approved" in words_of(again)


def test_who_answered_is_told_that_the_customer_changed_the_request_meanwhile(
    address: str, mailbox: Client, session: HITLSession
):
    mailbox.post(address, filled(mailbox, address, action="approve"))
    HITLSession.objects.filter(pk=session.pk).update(delivery=HITLSession.Delivery.OVERTAKEN)

    told = words_of(mailbox.get(address))

    assert "The customer changed the request meanwhile" in told and "Approved, overtaken" in told
    assert "The decision is not carried out." in told


def test_a_withdrawn_question_says_what_was_kept_and_what_to_do(
    address: str, mailbox: Client, session: HITLSession, sofia: Caller
):
    form = filled(mailbox, address, action="approve")
    door.cancel(session.pk, sofia, reason="a mistake")

    told, told_after_an_answer = words_of(mailbox.get(address)), words_of(mailbox.post(address, form))

    assert "The request was withdrawn" in told and "Outcome Withdrawn" in told
    assert "What we keep: nothing." in told and "you get a new mail with a new link" in told
    assert "your answer, marked as too late." in told_after_an_answer


def test_an_unknown_link_says_why_and_what_to_do(mailbox: Client):
    told = words_of(mailbox.get(f"/answer/{'x' * 43}/"))

    assert "Nothing was decided, and no answer was stored." in told
    assert "The address is incomplete" in told and "Open the link in the newest mail" in told
