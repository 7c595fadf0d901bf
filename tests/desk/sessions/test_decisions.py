"""Deciding: who wins, what is written with it, and what the loser is told."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection

from dialogue.audit.chain import verify
from dialogue.desk.sessions import operation as passage
from dialogue.desk.sessions import service
from dialogue.desk.sessions.drafts import draft_of
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import AuditEntry, Event, HITLSession, InboxEvent, Submission
from dialogue.turns.clock import FrozenClock
from tests.support.transfers import Opener, person

pytestmark = [pytest.mark.django_db, pytest.mark.database]
REJECT = Answer("reject", {"reason": "not plausible"})


def refused(operation, *args, **kwargs) -> service.Refused:
    with pytest.raises(service.Refused) as caught:
        operation(*args, **kwargs)
    return caught.value


def test_a_decision_is_written_with_its_submission_audit_event_and_inbox_row(session: HITLSession, olga: Caller):
    service.submit(session.pk, olga, Answer("approve", {"daily_limit": 9000}))

    session.refresh_from_db()
    event = Event.objects.get()
    assert (session.state, session.delivery, session.handle) == ("submitted", "pending", "approve")
    assert (session.decided_as, session.decided_through, session.values) == (
        "Olga Petrov",
        "api",
        {"daily_limit": 9000},
    )
    assert (event.kind, event.session_id) == ("decision", session.pk)
    assert event.payload == {"session": str(session.uid), "task": session.task_key}
    assert Submission.objects.get().accepted
    assert AuditEntry.objects.get().act == "session.submit"
    assert list(InboxEvent.objects.values_list("kind", "version")) == [("submitted", 2)]
    assert list(verify()) == []


def test_a_decision_whose_event_cannot_be_stored_is_no_decision(session: HITLSession, olga: Caller, monkeypatch):
    def broken(*_args):
        raise RuntimeError("the disk is full")

    monkeypatch.setattr("dialogue.desk.sessions.decisions.accept", broken)

    with pytest.raises(RuntimeError):
        service.submit(session.pk, olga, Answer("approve"))

    session.refresh_from_db()
    assert (session.state, session.version) == ("open", 1)
    assert not (Submission.objects.exists() or AuditEntry.objects.exists() or Event.objects.exists())


def test_the_loser_keeps_what_was_typed(session: HITLSession, olga: Caller, oscar: Caller):
    service.submit(session.pk, olga, Answer("approve"))

    refused(service.submit, session.pk, oscar, REJECT)

    assert draft_of(session, oscar.user).plain() == {"values": {"reason": "not plausible"}, "action": "reject"}


def test_a_row_that_changed_between_reading_and_writing_is_looked_at_again(session, olga, oscar, monkeypatch):
    """What the update's own conditions are for: the look was stale, and only the database knows."""
    look = passage._begin_operation
    stale = HITLSession.objects.select_related("conversation").get(pk=session.pk)
    service.submit(session.pk, oscar, REJECT)
    looks = []

    def first_stale(knock):
        visit = look(knock)
        looks.append(visit)
        if len(looks) == 1:
            visit.session = stale
        return visit

    monkeypatch.setattr(passage, "_begin_operation", first_stale)

    refusal = refused(service.submit, session.pk, olga, Answer("approve"))

    assert (refusal.code, len(looks)) == ("already_submitted", 2)
    assert Submission.objects.filter(accepted=True).count() == 1


def test_the_deadline_is_judged_inside_the_update(session: HITLSession, olga: Caller, noon: FrozenClock, monkeypatch):
    monkeypatch.setattr(passage.Operation, "deadline_passed", False)
    HITLSession.objects.filter(pk=session.pk).update(expires_at=noon.at)

    refusal = refused(service.submit, session.pk, olga, Answer("approve"))

    session.refresh_from_db()
    assert (refusal.code, session.state) == ("stale_version", "open")


def test_one_second_after_the_deadline_nobody_submits_though_nobody_swept(
    noon: FrozenClock, session: HITLSession, olga: Caller
):
    noon.advance(timedelta(minutes=30))

    refusal = refused(service.submit, session.pk, olga, Answer("approve"))

    assert (refusal.status, refusal.detail) == (410, f"The deadline of {session.name} was 12:30.")


def test_the_clock_expires_what_is_due_once_and_never_approves(noon: FrozenClock, open_session: Opener):
    due, later = open_session(), open_session()
    HITLSession.objects.filter(pk=later.pk).update(expires_at=noon.at + timedelta(hours=2))
    noon.advance(timedelta(minutes=30))

    counts = [service.expire_due(), service.expire_due()]

    due.refresh_from_db()
    assert counts == [1, 0]
    assert (due.state, due.handle, due.decided_through, due.delivery) == ("expired", "reject", "sweep", "pending")
    assert Event.objects.get().kind == "expiry"


def test_one_session_that_cannot_expire_does_not_stop_the_others(noon: FrozenClock, open_session: Opener, monkeypatch):
    first, second = open_session(), open_session()
    accept = service.submit.__globals__["accept"]

    def broken_once(conversation, incoming):
        if incoming.session.pk == first.pk:
            raise RuntimeError("the disk is full")
        return accept(conversation, incoming)

    monkeypatch.setattr("dialogue.desk.sessions.decisions.accept", broken_once)
    noon.advance(timedelta(minutes=30))

    assert service.expire_due() == 1
    assert list(HITLSession.objects.filter(state="expired")) == [second]


def test_who_expired_what_and_what_was_sent_instead_is_told(noon: FrozenClock, session: HITLSession, olga: Caller):
    noon.advance(timedelta(minutes=30))
    service.expire_due()

    refusal = refused(service.submit, session.pk, olga, Answer("approve"))

    assert refusal.detail == f"{session.name} expired at 12:30; “Reject” was sent instead."


def test_a_claim_returns_by_itself_and_another_may_take_it(
    noon: FrozenClock, session: HITLSession, olga: Caller, oscar: Caller
):
    service.claim(session.pk, olga)
    early = refused(service.claim, session.pk, oscar)
    noon.advance(service.CLAIM_LEASE)

    taken = service.claim(session.pk, oscar)
    late = refused(service.submit, session.pk, olga, Answer("approve"))

    assert (early.code, early.detail) == ("claimed_by_other", f"Olga Petrov has {session.name} until 12:10.")
    assert taken.session.assignee_id == oscar.user
    assert late.code == "claimed_by_other"


def test_the_sweep_returns_claims_that_ran_out(noon: FrozenClock, session: HITLSession, olga: Caller):
    service.claim(session.pk, olga)
    noon.advance(service.CLAIM_LEASE)

    counts = [service.return_expired_claims(), service.return_expired_claims()]

    session.refresh_from_db()
    assert counts == [1, 0]
    assert (session.state, session.assignee, session.version) == ("open", None, 3)


def test_typing_renews_the_claim_and_leaves_the_version(noon: FrozenClock, session: HITLSession, olga: Caller):
    claimed = service.claim(session.pk, olga).session
    noon.advance(timedelta(minutes=9))

    service.save_draft(session.pk, olga, draft_of(session, olga.user))

    session.refresh_from_db()
    assert (session.version, session.claimed_until) == (claimed.version, noon.at + service.CLAIM_LEASE)


def test_two_people_must_agree_and_the_first_does_not_count_twice(open_session: Opener, olga: Caller, oscar: Caller):
    session = open_session(people_required=2)

    first = service.submit(session.pk, olga, Answer("approve"))
    again = refused(service.submit, session.pk, olga, Answer("approve"))
    second = service.submit(session.pk, oscar, Answer("approve"))

    assert (first.status, first.session.state) == (202, "open")
    assert again.code == "four_eyes"
    assert (second.status, second.session.decided_as) == (201, "Oscar Lindt")


def test_one_refusal_decides_at_once_where_two_must_agree(open_session: Opener, olga: Caller):
    session = open_session(people_required=2)

    outcome = service.submit(session.pk, olga, REJECT)

    assert (outcome.status, outcome.session.state) == (201, "submitted")


def test_a_cancelled_session_has_no_answer_not_even_the_one_of_its_deadline(session: HITLSession, sofia: Caller):
    outcome = service.cancel(session.pk, sofia, reason="a mistake")

    assert (session.on_timeout, outcome.session.handle) == ("reject", "")


def test_a_cancelled_session_tells_the_conversation_why(session: HITLSession, sofia: Caller):
    service.cancel(session.pk, sofia, reason="a mistake")

    event = Event.objects.get()
    assert (event.kind, event.payload["reason"], event.payload["task"]) == ("cancel", "a mistake", session.task_key)


def test_a_right_that_was_taken_away_counts_at_once(session: HITLSession, olga: Caller):
    User.objects.get(pk=olga.user).groups.remove(Group.objects.get(name="payments"))

    refusal = refused(service.submit, session.pk, olga, Answer("approve"))

    assert refusal.status == 404
    assert Submission.objects.get().status == 404


def test_a_disabled_account_decides_nothing(session: HITLSession, olga: Caller):
    User.objects.filter(pk=olga.user).update(is_active=False)

    with pytest.raises(service.AccountClosed):
        service.submit(session.pk, olga, Answer("approve"))


def test_testers_decide_in_test_conversations_only(open_session: Opener, payments):
    tara = Caller(person("tara", "Tara Test", "flow authors").pk, "api")
    real = open_session()
    hidden = refused(service.submit, real.pk, tara, Answer("approve"))
    real.conversation.test = True
    real.conversation.save()

    allowed = service.submit(real.pk, tara, Answer("approve"))

    assert (hidden.status, allowed.status) == (404, 201)


def test_what_waits_for_the_customer_is_not_decided_by_staff(open_session: Opener, sofia: Caller):
    session = open_session(audience="user", kind="confirm", group=None)

    assert refused(service.submit, session.pk, sofia, Answer("approve")).status == 403


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("submitters", [2, 8])
def test_of_many_who_submit_at_once_one_wins_and_the_others_hear_who(submitters, session: HITLSession, payments):
    people = [Caller(person(f"op{n}", f"Op {n}", "operators", "payments").pk, "api") for n in range(submitters)]
    start = Barrier(submitters)

    def answer(who: Caller) -> tuple[int, str]:
        start.wait()
        try:
            return service.submit(session.pk, who, Answer("approve")).status, ""
        except service.Refused as refusal:
            return refusal.status, refusal.code
        finally:
            connection.close()

    with ThreadPoolExecutor(submitters) as pool:
        answers = list(pool.map(answer, people))

    assert sorted(answers) == [(201, ""), *[(409, "already_submitted")] * (submitters - 1)]
    assert Event.objects.count() == Submission.objects.filter(accepted=True).count() == 1
    assert Submission.objects.count() == submitters
    assert list(verify()) == []


@pytest.mark.django_db(transaction=True)
def test_submit_expire_and_cancel_at_once_leave_one_decision(open_session: Opener, olga: Caller, sofia: Caller):
    for _round in range(5):
        session = open_session()
        operations = [
            lambda number: service.submit(number, olga, Answer("approve")),
            lambda number: service.expire(number, sofia, reason="late"),
            lambda number: service.cancel(number, sofia, reason="a mistake"),
        ]
        start = Barrier(len(operations))

        def run(operation, number=session.pk, start=start):
            start.wait()
            try:
                return operation(number).status
            except service.Refused as refusal:
                return refusal.status
            finally:
                connection.close()

        with ThreadPoolExecutor(len(operations)) as pool:
            statuses = list(pool.map(run, operations))

        assert sum(status < 300 for status in statuses) == 1
        assert Event.objects.filter(session=session).count() == 1
