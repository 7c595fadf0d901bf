"""The figures of the desk: what each counts, and for whom."""

from datetime import timedelta

import pytest

from dialogue.desk.access.people import read_person
from dialogue.desk.queue.statistics import DurationSummary, StepStatistics, statistics_of
from dialogue.desk.sessions import service
from dialogue.desk.sessions.drafts import DraftText
from dialogue.desk.sessions.links import caller_of_link
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import AnswerLink, Conversation
from dialogue.turns import clock
from dialogue.turns.clock import FrozenClock
from tests.support.transfers import Opener, person

pytestmark = [pytest.mark.django_db, pytest.mark.database]
MINUTE = timedelta(minutes=1)
WEEK = timedelta(days=7)


def figures(caller: Caller) -> list[StepStatistics]:
    return statistics_of(read_person(caller.user), WEEK)


def test_the_times_are_from_the_question_to_the_claim_and_from_there_to_the_answer(
    noon: FrozenClock, open_session: Opener, olga: Caller
):
    session = open_session()
    noon.advance(2 * MINUTE)
    service.claim(session.pk, olga)
    noon.advance(3 * MINUTE)
    service.submit(session.pk, olga, Answer("approve"))

    (figure,) = figures(olga)

    assert (figure.flow, figure.step, figure.ended, figure.decided) == ("transfer_money", "approval", 1, 1)
    assert figure.to_claim == DurationSummary(1, 120.0, 120.0)
    assert figure.handling == DurationSummary(1, 180.0, 180.0)
    assert figure.to_decision == DurationSummary(1, 300.0, 300.0)


def test_the_first_claim_counts_and_the_middle_of_several(noon: FrozenClock, open_session: Opener, olga, oscar):
    sessions = [open_session() for _ in range(3)]
    for session in sessions:
        noon.advance(MINUTE)
        service.claim(session.pk, olga)
    service.release(sessions[0].pk, olga)
    service.claim(sessions[0].pk, oscar)
    for session in sessions:
        service.submit(session.pk, oscar if session is sessions[0] else olga, Answer("approve"))

    (figure,) = figures(olga)

    assert figure.to_claim is not None and figure.to_claim.median == 120.0
    assert figure.to_claim.percentile_90 == pytest.approx(168.0)


def test_only_what_the_clock_ended_is_expired_by_default(
    noon: FrozenClock, open_session: Opener, olga: Caller, sofia: Caller
):
    service.submit(open_session().pk, olga, Answer("approve"))
    service.expire(open_session().pk, olga, reason="nobody comes")
    service.cancel(open_session().pk, sofia, reason="a mistake")
    open_session()
    noon.advance(30 * MINUTE)
    service.expire_due()

    (figure,) = figures(olga)

    assert (figure.ended, figure.decided, figure.expired, figure.cancelled) == (4, 1, 1, 1)
    assert figure.expired_share == 0.5
    assert figure.to_decision is not None and figure.to_decision.cases == 1


def test_a_gate_at_which_two_people_met_counts_once_as_a_conflict(open_session: Opener, olga: Caller, oscar: Caller):
    contested, quiet = open_session(), open_session()
    for session in (contested, quiet):
        service.submit(session.pk, olga, Answer("approve"))
    for _attempt in range(2):
        with pytest.raises(service.Refused):
            service.submit(contested.pk, oscar, Answer("approve"))

    (figure,) = figures(olga)

    assert (figure.contested, figure.conflict_share) == (1, 0.5)


def test_what_a_person_sends_beside_or_after_the_own_answer_is_no_conflict(open_session: Opener, olga: Caller):
    session = open_session()
    service.submit(session.pk, olga, Answer("approve", {"daily_limit": 7500}))
    for late in (
        lambda: service.save_draft(session.pk, olga, DraftText({"daily_limit": "7500"})),
        lambda: service.submit(session.pk, olga, Answer("reject", {"reason": "no"})),
        lambda: service.claim(session.pk, olga),
    ):
        with pytest.raises(service.Refused):
            late()

    (figure,) = figures(olga)

    assert figure.contested == 0


def test_a_version_that_only_the_same_person_changed_is_no_conflict_and_one_that_another_changed_is(
    open_session: Opener, olga: Caller, oscar: Caller
):
    alone, met = open_session(), open_session()
    for session, other in ((alone, olga), (met, oscar)):
        before = session.version
        service.claim(session.pk, other)
        service.release(session.pk, other)
        with pytest.raises(service.Refused) as refused:
            service.submit(session.pk, olga, Answer("approve"), version=before)
        assert refused.value.code == "stale_version"
        service.submit(session.pk, olga, Answer("approve"))

    (figure,) = figures(olga)

    assert (figure.ended, figure.contested) == (2, 1)


def test_two_approvers_from_outside_who_meet_are_a_conflict_and_one_who_sends_twice_is_none(
    open_session: Opener, olga: Caller
):
    twice, met = open_session(), open_session()
    for session, addresses in ((twice, ["daniel@treasury.example"]), (met, ["daniel@t.example", "eva@t.example"])):
        links = [AnswerLink.objects.create(session=session, email=each, made_at=clock.now()) for each in addresses]
        first, second = links[0], links[-1]
        service.submit(session.pk, caller_of_link(first), Answer("approve"))
        with pytest.raises(service.Refused):
            service.submit(session.pk, caller_of_link(second), Answer("reject", {"reason": "no"}))

    (figure,) = figures(olga)

    assert (figure.ended, figure.contested) == (2, 1)


def test_who_is_refused_without_a_rival_makes_no_conflict(open_session: Opener, olga: Caller):
    session = open_session(claim_required=True)
    for operation in (service.release, lambda number, who: service.submit(number, who, Answer("approve"))):
        with pytest.raises(service.Refused):
            operation(session.pk, olga)
    service.claim(session.pk, olga)
    service.submit(session.pk, olga, Answer("approve"))

    (figure,) = figures(olga)

    assert figure.contested == 0


def test_what_others_see_what_is_old_and_what_was_a_test_is_left_out(
    noon: FrozenClock, open_session: Opener, olga: Caller
):
    stranger = Caller(person("nina", "Nina Roth", "operators").pk, "page")
    session = open_session()
    service.submit(session.pk, olga, Answer("approve"))
    seen = [len(figures(each)) for each in (olga, stranger)]

    Conversation.objects.update(test=True)
    seen.append(len(figures(olga)))
    Conversation.objects.update(test=False)
    noon.advance(WEEK + MINUTE)
    seen.append(len(figures(olga)))

    assert seen == [1, 0, 0, 0]


def test_where_nothing_ended_there_is_no_figure(open_session: Opener, olga: Caller):
    open_session()

    assert figures(olga) == []
