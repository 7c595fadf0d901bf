"""Each figure on a little set of data that was counted by hand."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dialogue.desk.access.people import Caller, read_person
from dialogue.desk.figures.conversations import begun_conversations, conversation_counts
from dialogue.desk.figures.conversations import counts_by_day as conversations_by_day
from dialogue.desk.figures.drop_off import Pause, StepDropOff, drop_off, flow_pauses
from dialogue.desk.figures.gates import (
    GateCounts,
    GateFilter,
    counts_by_day,
    counts_of,
    waiting_by_hour,
    waiting_by_step,
    waiting_time,
)
from dialogue.desk.figures.periods import Period
from dialogue.desk.figures.satisfaction import satisfaction_in
from dialogue.desk.figures.understanding import understanding_by_release
from dialogue.desk.queue.statistics import EndedSession, ended_sessions
from dialogue.models import Conversation, Event, HITLSession, Turn
from dialogue.turns.accept import open_conversation
from tests.support.releases import demo, publish
from tests.support.transfers import Opener

NEW_YORK = ZoneInfo("America/New_York")
NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
WEEK = Period.ending_at(NOON, 7, UTC)


def gate(minutes: float | None, *, at: datetime = NOON, **changes: Any) -> EndedSession:
    """A gate that was asked at `at` and answered after so many minutes; None: it expired after an hour."""
    answered = minutes is not None
    span = timedelta(minutes=60 if minutes is None else minutes)
    facts = {
        "assistant": "bank",
        "flow": "transfer_money",
        "step": "approval",
        "state": "submitted" if answered else "expired",
        "by_clock": not answered,
        "overtaken": False,
        "contested": False,
        "to_claim": None,
        "handling": None,
        "to_decision": span.total_seconds() if answered else None,
        "opened_at": at,
        "decided_at": at + span,
        **changes,
    }
    return EndedSession(**facts)


def test_a_period_has_whole_days_of_the_readers_zone_and_the_same_number_before():
    period = Period.ending_at(datetime(2026, 11, 23, 3, 0, tzinfo=UTC), 7, NEW_YORK)

    assert (period.first, period.last) == (date(2026, 11, 16), date(2026, 11, 22))
    assert period.start == datetime(2026, 11, 16, 5, 0, tzinfo=UTC)
    assert period.end == datetime(2026, 11, 23, 5, 0, tzinfo=UTC)
    assert (period.before.first, period.before.last) == (date(2026, 11, 9), date(2026, 11, 15))


def test_a_day_on_which_the_clocks_change_has_23_or_25_hours():
    fall = Period(date(2026, 11, 1), date(2026, 11, 1), NEW_YORK)

    assert fall.end.astimezone(UTC) - fall.start.astimezone(UTC) == timedelta(hours=25)


def test_gates_are_counted_once_by_how_they_ended():
    gates = [gate(5), gate(10), gate(None), gate(None, by_clock=False), gate(None, state="cancelled", by_clock=False)]

    assert counts_of(gates) == GateCounts(answered=2, expired=1, withdrawn=2)
    assert counts_of([]).total == 0


def test_two_gates_around_midnight_are_of_two_days_in_one_zone_and_of_one_in_another():
    late = gate(1, at=datetime(2026, 11, 22, 23, 50, tzinfo=UTC))
    early = gate(1, at=datetime(2026, 11, 23, 0, 10, tzinfo=UTC))

    in_utc = counts_by_day([late, early], WEEK)
    in_new_york = counts_by_day([late, early], Period.ending_at(NOON, 7, NEW_YORK))

    assert [in_utc[date(2026, 11, day)].answered for day in (22, 23)] == [1, 1]
    assert [in_new_york[date(2026, 11, day)].answered for day in (22, 23)] == [2, 0]
    assert len(in_utc) == 7


def test_median_and_ninetieth_percentile_are_of_the_answered_ones():
    waiting = waiting_time([gate(minutes) for minutes in (1, 2, 3, 4, 11)] + [gate(None)])

    assert waiting is not None
    assert (waiting.cases, waiting.median) == (5, 180.0)
    # Inclusive: 0.9 of the way along four gaps is 0.6 of the way from 4 to 11 minutes.
    assert waiting.percentile_90 == pytest.approx((4 + 0.6 * 7) * 60)
    assert waiting_time([gate(None)]) is None


def test_waiting_by_hour_goes_by_the_hour_of_the_question_in_the_readers_zone():
    hours = waiting_by_hour([gate(6), gate(8), gate(None)], Period.ending_at(NOON, 7, NEW_YORK))

    assert [hour for hour, waiting in enumerate(hours) if waiting] == [7]
    assert hours[7] is not None and hours[7].median == 7 * 60


def test_waiting_by_step_has_the_longest_first_and_the_median_before():
    gates = [gate(5), gate(30, step="limit"), gate(None, step="never")]
    rows = waiting_by_step(gates, [gate(9)])

    assert [(row.step, row.waiting.median, row.median_before) for row in rows] == [
        ("limit", 1800.0, None),
        ("approval", 300.0, 540.0),
    ]


def test_filters_leave_gates_of_an_assistant_a_flow_a_queue_and_a_person():
    mine = gate(5, queue="payments", decider=7)

    assert GateFilter("bank", "transfer_money", "payments", "7").leaves(mine)
    assert not GateFilter(assistant="library").leaves(mine)
    assert not GateFilter(flow="block_card").leaves(mine)
    assert not GateFilter(queue="-").leaves(mine) and GateFilter(queue="-").leaves(gate(5))
    assert not GateFilter(person="8").leaves(mine)


@pytest.mark.django_db
def test_a_gate_that_expired_stays_expired_when_its_failed_turn_was_mended(open_session: Opener, olga: Caller):
    expired = {"state": "expired", "decided_at": NOON, "opened_at": NOON - timedelta(hours=1)}
    open_session(**expired, delivery="applied")
    open_session(**expired, delivery="incident")
    open_session(**expired, delivery="applied", decided_by=User.objects.get(pk=olga.user))

    gates = list(ended_sessions(read_person(olga.user), WEEK.start))

    assert counts_of(gates) == GateCounts(answered=0, expired=2, withdrawn=1)


def begun(name: str, at: datetime = NOON, **changes: Any) -> Conversation:
    row = open_conversation("bank", user_ref=name)[0]
    facts = {"created_at": at, "active_at": at, "last_turn": 1, **changes}
    Conversation.objects.filter(pk=row.pk).update(**facts)
    row.refresh_from_db()
    return row


@pytest.mark.django_db
def test_a_handoff_that_came_back_counts_once_and_a_conversation_without_turns_not_at_all(open_session: Opener):
    Conversation.objects.all().delete()
    publish(demo("bank"))
    back = begun("Back", outcome="finished")
    for visit in (1, 2):
        open_session(conversation=back, kind="handoff", step="handoff", visit=visit, state="submitted", decided_at=NOON)
    approved = begun("Approved", outcome="finished")
    open_session(conversation=approved, visit=9, state="submitted", decided_at=NOON)
    begun("Alone", outcome="finished")
    begun("Stopped", outcome="cancelled")
    begun("Left", outcome="left")
    begun("Silent", last_turn=0)
    begun("Test", outcome="finished", test=True)
    begun("Long ago", outcome="finished", at=NOON - timedelta(days=8))

    with CaptureQueriesContext(connection) as asked:
        rows = begun_conversations(WEEK.start, WEEK.end)
    counts = conversation_counts(rows)

    assert len(asked) == 1
    assert (counts.total, counts.handed_over, counts.contained) == (5, 1, 2)
    assert (counts.handoff_rate, counts.containment_rate) == (0.2, 0.4)
    assert conversations_by_day(rows, WEEK)[NOON.date()].total == 5
    assert conversation_counts([]).handoff_rate is None
    assert begun_conversations(WEEK.start, WEEK.end, "library") == []


def run(name: str, *steps: tuple[str, str]) -> list[Pause]:
    return [Pause(name, "f-1", step, state) for step, state in steps]  # type: ignore[arg-type]


def test_the_drop_off_counts_runs_by_their_last_step_and_a_step_twice_once():
    done = run("a", ("iban", "submitted"), ("amount", "submitted"), ("iban", "submitted"), ("confirm", "submitted"))
    left = run("b", ("iban", "submitted"), ("amount", "cancelled"))
    left_too = run("c", ("iban", "cancelled"))
    waits = run("d", ("iban", "submitted"), ("amount", "open"))

    found = drop_off([*done, *left, *left_too, *waits], ["iban", "amount", "confirm"])

    assert found.steps == [
        StepDropOff("iban", reached=4, left=1),
        StepDropOff("amount", reached=3, left=1),
        StepDropOff("confirm", reached=1, left=0),
    ]
    assert (found.runs, found.finished, found.waiting) == (4, 1, 1)
    assert found.steps[0].share == 0.25
    assert drop_off([]).steps == []


@pytest.mark.django_db
def test_pauses_of_a_flow_come_run_by_run_without_handoffs_and_tests(open_session: Opener):
    first, second = begun("A"), begun("B", test=True)
    for visit, step in enumerate(("ask_iban", "ask_amount"), 1):
        open_session(conversation=first, audience="user", kind="collect", step=step, visit=visit, opened_at=NOON)
    open_session(conversation=first, kind="handoff", step="handoff", visit=1, opened_at=NOON)
    open_session(conversation=second, audience="user", kind="collect", step="ask_iban", visit=1, opened_at=NOON)

    found = flow_pauses(WEEK, "bank", "transfer_money")

    assert [(pause.conversation, pause.step) for pause in found] == [(first.pk, "ask_iban"), (first.pk, "ask_amount")]


@pytest.mark.django_db
def test_understanding_counts_each_typed_message_once_by_the_release_that_read_it():
    publish(demo("bank"))
    row = begun("A")
    readings = ("understood", "understood", "asked_back", "not_understood", "corrected", "")
    for number, reading in enumerate(readings, 1):
        event = Event.objects.create(
            conversation=row, number=number, kind="message", client_id=str(number), payload={}, accepted_at=NOON
        )
        Turn.objects.create(
            **{"conversation": row, "number": number, "event": event, "release": row.release, "record": {}},
            **{"reading": reading, "state": "idle", "milliseconds": 1.0, "finished_at": NOON},
        )

    [found] = understanding_by_release(WEEK)

    assert (found.assistant, found.release, found.total) == ("bank", row.release.number, 5)
    assert found.counts == {"understood": 2, "asked_back": 1, "not_understood": 1, "corrected": 1}
    assert found.share("understood") == 0.4
    assert understanding_by_release(WEEK.before) == []
    assert understanding_by_release(WEEK, "library") == []


@pytest.mark.django_db
def test_satisfaction_counts_scores_and_solved_of_the_flow_of_that_name(open_session: Opener):
    row = begun("A")
    answers: list[dict[str, Any]] = [{"score": 5}, {"score": 4}, {"score": 9}, {"solved": True}, {"solved": False}]
    usual = {"conversation": row, "audience": "user", "kind": "collect", "flow": "satisfaction", "decided_at": NOON}
    for visit, values in enumerate(answers, 1):
        open_session(**usual, state="submitted", values=values, visit=visit, frame="satisfaction-1")
    open_session(**{**usual, "flow": "transfer_money"}, state="submitted", values={"score": 1}, visit=99)

    found = satisfaction_in(WEEK)

    assert found.scores == {1: 0, 2: 0, 3: 0, 4: 1, 5: 1}
    assert (found.answers, found.average, found.solved_share) == (2, 4.5, 0.5)
    assert satisfaction_in(WEEK.before).average is None
    assert HITLSession.objects.filter(flow="satisfaction").count() == 5
