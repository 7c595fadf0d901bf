"""Asking people outside: the outbox, the tokens, and what supervisors do with links."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.core import mail

from dialogue.audit.chain import verify
from dialogue.desk.access.people import read_person
from dialogue.desk.maintenance import outbox as notices
from dialogue.desk.sessions import links, serializers, service
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import (
    AnswerLink,
    AuditEntry,
    Conversation,
    HITLSession,
    InboxEvent,
    LinkToken,
    Notice,
    Preference,
    Submission,
)
from dialogue.turns import clock
from dialogue.turns.answer_links import invite_people
from dialogue.turns.clock import FrozenClock
from tests.support.answer_links import DANIEL, Asker, newest_token
from tests.support.soni_settings import change
from tests.support.transfers import Opener, person

pytestmark = [pytest.mark.django_db, pytest.mark.database]
MINUTE = timedelta(minutes=1)


def failing(*_args, **_kwargs):
    raise ConnectionRefusedError("the mail server is away")


def refused(operation, *args, **kwargs) -> service.Refused:
    with pytest.raises(service.Refused) as caught:
        operation(*args, **kwargs)
    return caught.value


def asked_through(session: HITLSession, *channels: dict[str, str]) -> list[str]:
    session.channels = list(channels)
    invite_people(session, clock.now())
    return list(session.links.values_list("email", flat=True))


def test_the_mail_names_who_asks_and_until_when_and_carries_the_link(noon: FrozenClock, link: AnswerLink):
    sent = notices.deliver_due()

    letter = mail.outbox[0]
    assert (sent, letter.to, letter.subject) == (1, [DANIEL], "Approve transfer")
    times = "Asked: 23 November 2026, 12:00, UTC\nAnswer by: 23 November 2026, 12:30, UTC\n"
    assert f"{times}Without an answer by then: Reject\n" in letter.body
    assert f"/answer/{newest_token()}/" in letter.body


def test_the_mail_speaks_the_language_that_its_reader_chose(noon: FrozenClock, link: AnswerLink):
    daniel = User.objects.create_user("daniel", DANIEL.upper())
    Preference.objects.create(user=daniel, language="es", zone="Europe/Madrid")

    notices.deliver_due()

    assert "Responda antes de: 23 de noviembre de 2026, 13:30, hora de Madrid" in mail.outbox[0].body


def test_the_mail_holds_nothing_of_what_is_at_stake(link: AnswerLink):
    notices.deliver_due()

    body = str(mail.outbox[0].body)
    assert not any(secret in body for secret in ("8,450", "8450", "DE89", "Ursula"))


def test_only_the_hash_of_a_token_is_kept(token: str, link: AnswerLink):
    row = LinkToken.objects.get()

    assert row.sha256 == links.hash_token(token) and token not in str(vars(row))
    assert links.open_link(token) == link


@pytest.mark.parametrize(
    ("known", "port", "leads"),
    [("", 9123, "http://localhost:9123/answer/"), ("https://soni.example/", 9123, "https://soni.example/answer/")],
)
def test_the_link_leads_to_the_known_address_or_to_the_port_that_is_listened_on(
    known: str, port: int, leads: str, link: AnswerLink, settings
):
    change(settings, PUBLIC_URL=known, PORT=port)

    notices.deliver_due()

    assert leads in mail.outbox[0].body


def test_a_mail_goes_out_once_however_often_is_swept(link: AnswerLink):
    counts = [notices.deliver_due(), notices.deliver_due()]

    assert (counts, len(mail.outbox)) == ([1, 0], 1)
    assert Notice.objects.get().state == "sent"


def test_two_sweeps_do_not_send_the_same_mail(link: AnswerLink, monkeypatch):
    """The second reads the row before the first has taken it."""
    notice = Notice.objects.get()
    stale = notices._unclaimed_row(notice)
    notices.deliver_due()

    assert stale.update(attempts=1) == 0


def test_a_failed_mail_is_tried_again_later_and_is_an_incident_after_three(
    noon: FrozenClock, link: AnswerLink, monkeypatch
):
    monkeypatch.setattr("dialogue.desk.maintenance.outbox.EmailMessage.send", failing)
    waits = []
    for pause in (timedelta(0), *notices.BACKOFF):
        noon.advance(pause - timedelta(seconds=1))
        waits.append(notices.deliver_due() if pause else 0)
        noon.advance(timedelta(seconds=1))
        notices.deliver_due()

    row = Notice.objects.get()
    assert waits == [0, 0, 0]
    assert (row.state, row.attempts, row.error) == ("incident", 3, "ConnectionRefusedError: the mail server is away")
    assert AuditEntry.objects.get().act == "link.incident"
    assert InboxEvent.objects.get().kind == "changed"


def test_a_mail_that_failed_once_arrives_with_a_token_that_works(noon: FrozenClock, link: AnswerLink, monkeypatch):
    with monkeypatch.context() as broken:
        broken.setattr("dialogue.desk.maintenance.outbox.EmailMessage.send", failing)
        notices.deliver_due()
    noon.advance(MINUTE)

    assert notices.deliver_due() == 1
    assert links.open_link(newest_token()) == link


def test_who_dies_after_sending_sends_again_and_both_links_work(noon: FrozenClock, link: AnswerLink, monkeypatch):
    with monkeypatch.context() as killed:
        killed.setattr("dialogue.desk.maintenance.outbox._mark_sent", failing)
        with pytest.raises(ConnectionRefusedError):
            notices.deliver_due()
    first = newest_token()
    noon.advance(notices.SEND_LEASE)

    notices.deliver_due()

    assert [links.open_link(each) for each in (first, newest_token())] == [link, link]
    assert mail.outbox[0].extra_headers == mail.outbox[1].extra_headers


def test_a_process_that_dies_in_every_attempt_leaves_an_incident(noon: FrozenClock, link: AnswerLink):
    Notice.objects.update(attempts=3)

    notices.deliver_due()

    assert (Notice.objects.get().state, len(mail.outbox)) == ("incident", 0)


@pytest.mark.parametrize("ending", ["decided", "late", "revoked"])
def test_nobody_is_written_to_about_what_is_over(ending: str, noon: FrozenClock, link: AnswerLink, sofia: Caller):
    if ending == "decided":
        service.submit(link.session_id, sofia, Answer("approve"))
    elif ending == "late":
        noon.advance(timedelta(minutes=30))
    else:
        links.revoke_link(link.session_id, link.pk, sofia)

    assert notices.deliver_due() == 0
    assert (Notice.objects.get().state, mail.outbox) == ("void", [])


def test_everybody_of_a_role_with_an_address_is_asked_and_nobody_twice(session: HITLSession):
    person("tom", "Tom Adeyemi", "treasury", email="tom@bank.example")
    person("tina", "Tina Sol", "treasury")
    person("theo", "Theo Lund", "treasury", email="theo@bank.example", is_active=False)

    asked = asked_through(session, {"role": "treasury"}, {"email": "TOM@bank.example"}, {"email": DANIEL})

    assert sorted(asked) == ["TOM@bank.example", DANIEL]
    assert AnswerLink.objects.get(email="TOM@bank.example").who == "Tom Adeyemi"


@pytest.mark.parametrize("change", [{"test": True}, {"channel": "scenario"}])
def test_nobody_is_asked_about_a_rehearsal(change, session: HITLSession, conversation: Conversation):
    Conversation.objects.filter(pk=conversation.pk).update(**change)
    session.conversation.refresh_from_db()

    assert asked_through(session, {"email": DANIEL}) == []


def test_the_decision_of_a_link_is_on_record_with_its_holder(session: HITLSession, link: AnswerLink):
    service.submit(session.pk, links.caller_of_link(link), Answer("approve", {"daily_limit": 9000}))

    session.refresh_from_db()
    submission, entry = Submission.objects.get(), AuditEntry.objects.get()
    assert (session.decided_by, session.decided_as, session.decided_through) == (None, DANIEL, "link")
    assert (submission.by, submission.link) == (None, link)
    assert (entry.actor, entry.actor_id, entry.facts["through"]) == (DANIEL, None, "link")
    assert list(verify()) == []


def test_a_link_decides_its_own_session_and_knows_of_no_other(open_session: Opener, ask: Asker):
    mine, other = open_session(), open_session()
    link = ask(mine)

    refusal = refused(service.submit, other.pk, links.caller_of_link(link), Answer("approve"))

    assert refusal.status == 404


def test_a_link_only_answers(session: HITLSession, link: AnswerLink):
    holder = links.caller_of_link(link)

    codes = {
        refused(service.cancel, session.pk, holder, reason="no").code,
        refused(service.extend, session.pk, holder, by=MINUTE).code,
        refused(service.take_over, session.pk, holder, reason="mine").code,
    }

    assert codes == {"not_allowed"}


def test_where_a_claim_is_needed_a_link_needs_none_but_respects_one(open_session: Opener, ask: Asker, olga: Caller):
    session = open_session(claim_required=True)
    link = ask(session)
    service.claim(session.pk, olga)

    held = refused(service.submit, session.pk, links.caller_of_link(link), Answer("approve"))
    service.release(session.pk, olga)
    outcome = service.submit(session.pk, links.caller_of_link(link), Answer("approve"))

    assert (held.code, outcome.status) == ("claimed_by_other", 201)


def test_who_asked_cannot_approve_by_mail_either(open_session: Opener, ask: Asker):
    ursula = person("ursula", "Ursula Vale", email="ursula@home.example")
    session = open_session(four_eyes=True)
    Conversation.objects.filter(pk=session.conversation_id).update(user=ursula)

    refusal = refused(service.submit, session.pk, links.caller_of_link(ask(session, ursula.email)), Answer("approve"))

    assert refusal.code == "four_eyes"


def test_two_people_outside_agree_and_neither_counts_twice(open_session: Opener, ask: Asker):
    session = open_session(people_required=2)
    first, second = ask(session), ask(session, "dora@treasury.example")

    statuses = [service.submit(session.pk, links.caller_of_link(first), Answer("approve")).status]
    again = refused(service.submit, session.pk, links.caller_of_link(first), Answer("approve"))
    statuses.append(service.submit(session.pk, links.caller_of_link(second), Answer("approve")).status)

    assert (statuses, again.code) == ([202, 201], "four_eyes")


@pytest.mark.parametrize("loss", ["left the role", "disabled", "became an auditor"])
def test_who_loses_the_right_loses_the_link(loss: str, session: HITLSession):
    tom = person("tom", "Tom Adeyemi", "treasury", email="tom@bank.example")
    asked_through(session, {"role": "treasury"})
    notices.deliver_due()
    token = newest_token()

    if loss == "disabled":
        User.objects.filter(pk=tom.pk).update(is_active=False)
    else:
        tom.groups.set(Group.objects.filter(name__in=["auditors", "treasury"]) if "auditor" in loss else [])

    assert refused(links.open_link, token).status == 404


def test_not_being_able_to_decide_is_recorded_and_decides_nothing(session: HITLSession, link: AnswerLink, olga: Caller):
    links.mark_undecided(link)

    session.refresh_from_db()
    card = serializers.session_details(session, read_person(olga.user))
    assert (session.state, session.version) == ("open", 1)
    assert AuditEntry.objects.filter(act="session.undecided").count() == 1
    assert card["links"][0]["undecided_at"] is not None
    assert not Submission.objects.exists()


def test_a_revoked_link_opens_nothing(session: HITLSession, link: AnswerLink, token: str, sofia: Caller):
    links.revoke_link(session.pk, link.pk, sofia)

    assert refused(links.open_link, token).status == 404
    assert refused(links.resend_link, session.pk, link.pk, sofia).status == 404


def test_a_link_that_is_sent_again_works_in_both_mails(session: HITLSession, link: AnswerLink, token: str, sofia):
    links.resend_link(session.pk, link.pk, sofia)
    notices.deliver_due()

    assert newest_token() != token
    assert [links.open_link(each) for each in (token, newest_token())] == [link, link]


def test_an_incident_is_mended_by_sending_again(session: HITLSession, link: AnswerLink, sofia: Caller):
    Notice.objects.update(state="incident")

    links.resend_link(session.pk, link.pk, sofia)

    assert notices.deliver_due() == 1
    assert links.links_of(session)[0]["mail"] == "sent"


def test_links_are_for_supervisors_to_manage(session: HITLSession, link: AnswerLink, olga: Caller):
    codes = {refused(each, session.pk, link.pk, olga).code for each in (links.resend_link, links.revoke_link)}

    assert codes == {"not_allowed"}


def test_a_link_of_another_session_is_not_found(open_session: Opener, ask: Asker, sofia: Caller):
    mine, other = open_session(), open_session()
    link = ask(mine)

    assert refused(links.revoke_link, other.pk, link.pk, sofia).status == 404


def test_the_mail_says_the_summary_that_the_flows_author_wrote(link: AnswerLink):
    HITLSession.objects.filter(pk=link.session_id).update(summary="€8,450.00 · DE89370400440532013000")

    notices.deliver_due()

    assert mail.outbox[0].subject == "Approve transfer: €8,450.00 · ••••"
    assert "€8,450.00 · ••••" in str(mail.outbox[0].body)
