"""Escalation: who may act too after the time, how they are told, and what stays as it was."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.core import mail

from dialogue.audit.chain import verify
from dialogue.desk.access.people import read_person, visible_sessions
from dialogue.desk.maintenance.outbox import deliver_due
from dialogue.desk.queue.queue import waiting_for
from dialogue.desk.sessions import service
from dialogue.desk.sessions.escalation import escalate_due
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import AnswerLink, AuditEntry, HITLSession, InboxEvent, Notice
from dialogue.turns.clock import FrozenClock
from tests.support.answer_links import DANIEL, Asker
from tests.support.transfers import NOON, Opener, person

pytestmark = [pytest.mark.django_db, pytest.mark.database]
QUARTER = timedelta(minutes=15)


@pytest.fixture
def session(open_session: Opener) -> HITLSession:
    """Of the payments' queue; after a quarter of an hour treasury may act too."""
    treasury = Group.objects.get_or_create(name="treasury")[0]
    return open_session(escalates_at=NOON + QUARTER, escalates_to=treasury)


@pytest.fixture
def tom(payments: Group) -> Caller:
    """An operator of the treasury."""
    return Caller(person("tom", "Tom Adeyemi", "operators", "treasury").pk, "api")


def known_to(caller: Caller) -> list[int]:
    someone = read_person(caller.user)
    assert list(visible_sessions(someone)) == list(waiting_for(someone))
    return [row.pk for row in waiting_for(someone)]


def test_before_the_time_the_other_role_knows_nothing(noon: FrozenClock, session: HITLSession, tom: Caller):
    noon.advance(QUARTER - timedelta(seconds=1))

    assert escalate_due() == 0
    assert known_to(tom) == []
    with pytest.raises(service.Refused) as refused:
        service.submit(session.pk, tom, Answer("approve"))
    assert refused.value.status == 404


def test_after_the_time_the_other_role_may_act_too(noon: FrozenClock, session: HITLSession, olga: Caller, tom: Caller):
    noon.advance(QUARTER)
    escalate_due()

    seen = known_to(olga), known_to(tom)
    outcome = service.submit(session.pk, tom, Answer("approve"))

    assert seen == ([session.pk], [session.pk])
    assert outcome.status == 201


def test_everybody_is_told_once_and_the_record_names_the_role(noon: FrozenClock, session: HITLSession):
    noon.advance(QUARTER)

    counts = [escalate_due(), escalate_due()]

    session.refresh_from_db()
    entry = AuditEntry.objects.get()
    assert counts == [1, 0]
    assert (session.state, session.version, session.escalated_at) == ("open", 2, NOON + QUARTER)
    assert list(InboxEvent.objects.values_list("kind", "version")) == [("escalated", 2)]
    assert (entry.act, entry.actor, entry.facts) == ("session.escalated", "clock", {"role": "treasury"})
    assert list(verify()) == []


def test_who_holds_it_goes_on_holding_it(noon: FrozenClock, session: HITLSession, olga: Caller, tom: Caller):
    noon.advance(QUARTER)
    service.claim(session.pk, olga)
    escalate_due()

    with pytest.raises(service.Refused) as refused:
        service.claim(session.pk, tom)

    assert refused.value.code == "claimed_by_other"


def test_a_gate_of_mails_asks_the_people_of_the_other_role_by_mail_too_and_nobody_twice(
    noon: FrozenClock, session: HITLSession, ask: Asker
):
    asked = ask(session)
    for name, email in (("tom", "tom@treasury.example"), ("dan", DANIEL.upper()), ("una", "")):
        person(name, "", "treasury", email=email)
    deliver_due()
    noon.advance(QUARTER)

    escalate_due()
    deliver_due()

    fresh = AnswerLink.objects.exclude(pk=asked.pk).get()
    first, second = (str(each.body) for each in mail.outbox)
    assert (fresh.email, fresh.role) == ("tom@treasury.example", session.escalates_to)
    assert mail.outbox[1].to == ["tom@treasury.example"]
    assert ("Nobody has answered yet" in first, "Nobody has answered yet" in second) == (False, True)
    assert list(AuditEntry.objects.filter(act="link.made").values_list("facts", flat=True))[-1] == {"link": fresh.pk}
    assert list(verify()) == []


def test_a_gate_without_mails_sends_none_when_it_escalates(noon: FrozenClock, session: HITLSession):
    person("tom", "", "treasury", email="tom@treasury.example")
    noon.advance(QUARTER)

    escalate_due()

    assert not Notice.objects.exists()


@pytest.mark.parametrize("ending", ["decided", "expired"])
def test_what_is_over_is_not_escalated(ending: str, noon: FrozenClock, session: HITLSession, olga: Caller):
    if ending == "decided":
        service.submit(session.pk, olga, Answer("approve"))
    noon.advance(QUARTER if ending == "decided" else timedelta(minutes=30))

    assert escalate_due() == 0


def test_one_that_fails_does_not_stop_the_others(noon: FrozenClock, session: HITLSession, open_session, monkeypatch):
    second = open_session(escalates_at=NOON + QUARTER, escalates_to=session.escalates_to)
    noon.advance(QUARTER)
    announced = []

    def broken_once(row, *_rest):
        announced.append(row.pk)
        if row.pk == session.pk:
            raise RuntimeError("the disk is full")

    monkeypatch.setattr("dialogue.desk.sessions.escalation.publish_inbox_event", broken_once)

    assert escalate_due() == 1
    assert announced == [session.pk, second.pk]
    session.refresh_from_db()
    assert session.escalated_at is None
