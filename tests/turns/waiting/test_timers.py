"""Timers as rows: set and ended with their pauses, and fired once."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import connection

from dialogue.audit.invariants import count_violations, timers_not_once
from dialogue.desk.access.people import Person
from dialogue.desk.maintenance.erasure import erase_conversation
from dialogue.models import Conversation, Event, Message, Timer
from dialogue.sweep import sweep
from dialogue.turns import clock
from dialogue.turns.accept import Incoming, accept
from dialogue.turns.process.database import in_thread
from dialogue.turns.waiting.timers import fire_due
from dialogue.turns.worker import drain
from tests.support.transfers import NOON
from tests.support.turns import say
from tests.support.waiting import asked_for_sheets, report, waiting_for_parcel

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def noon() -> Iterator[clock.FrozenClock]:
    """The assistant is silent at night, and the tests run at any hour."""
    with clock.frozen(NOON) as standing:
        yield standing


async def timers() -> list[tuple[str, str]]:
    return [(row.task_key, row.name) async for row in Timer.objects.filter(fired_at=None).order_by("name")]


async def let_pass(**time: float) -> None:
    """Bring every timer nearer, as time that passes does."""
    async for row in Timer.objects.all():
        row.due_at -= timedelta(**time)
        await row.asave()


async def lines(conversation: Conversation) -> list[str]:
    return [row.text async for row in Message.objects.filter(conversation=conversation, role="assistant")]


async def kinds(conversation: Conversation) -> list[str]:
    return [row.kind async for row in Event.objects.filter(conversation=conversation)]


async def test_the_commit_that_opens_a_pause_sets_its_timers() -> None:
    conversation = await asked_for_sheets()

    assert await timers() == [("order_paper-1/ask/1", "reminder"), ("order_paper-1/ask/1", "timeout")]
    asked_at = (await Event.objects.aget()).accepted_at
    due = (await Timer.objects.aget(name="reminder")).due_at
    assert timedelta(minutes=59) < due - asked_at < timedelta(minutes=61)
    assert (await conversation.sessions.aget()).kind == "collect"


async def test_an_answer_that_comes_first_ends_them() -> None:
    conversation = await asked_for_sheets()

    await say(conversation, "500")
    await let_pass(days=1)
    await sweep()

    assert await timers() == [("order_paper-1/pause/1", "due")]
    assert await kinds(conversation) == ["message", "message"]


async def test_a_reminder_comes_once_however_often_the_sweep_runs() -> None:
    conversation = await asked_for_sheets()
    await let_pass(hours=1)

    await sweep()
    await sweep()
    await let_pass(hours=2)
    await sweep()

    assert (await lines(conversation)).count("Do you still want paper?") == 1
    assert (await kinds(conversation)).count("timer") == 1


async def test_a_question_without_an_answer_goes_the_way_of_its_time_limit() -> None:
    conversation = await asked_for_sheets()
    await let_pass(days=2)

    await sweep()

    assert (await lines(conversation))[-1] == "Then not."
    assert not await Timer.objects.aexists()
    assert (await conversation.sessions.aget()).state == "cancelled"


async def test_a_wait_goes_on_when_its_time_has_passed() -> None:
    conversation = await asked_for_sheets()
    await say(conversation, "500")
    await sweep()
    assert "Ordered." not in await lines(conversation)
    await let_pass(days=2)

    await sweep()

    await conversation.arefresh_from_db()
    assert (await lines(conversation))[-1] == "Ordered."
    assert conversation.stack == []


async def test_a_wait_has_no_session_and_its_conversation_is_not_idle() -> None:
    conversation = await asked_for_sheets()
    await say(conversation, "500")
    await conversation.arefresh_from_db()

    assert (conversation.state, conversation.explicit) == ("waiting", "waiting_for_event")
    assert conversation.idle_until is not None
    assert conversation.idle_until - conversation.active_at > timedelta(days=31, hours=23)
    assert not await conversation.sessions.filter(state="open").aexists()
    assert conversation.stack[0]["waits"]["until"] > clock.now().isoformat()


async def test_two_processes_fire_a_timer_once() -> None:
    conversation = await asked_for_sheets()
    await let_pass(hours=1)

    fired = await asyncio.gather(*(asyncio.to_thread(_fire_in_own_connection) for _ in range(4)))

    assert sum(fired) == 1
    assert (await kinds(conversation)).count("timer") == 1


def _fire_in_own_connection() -> int:
    try:
        return fire_due()
    finally:
        connection.close()


async def test_a_clock_that_is_ahead_fires_nothing_early(monkeypatch: pytest.MonkeyPatch) -> None:
    conversation = await asked_for_sheets()

    with clock.frozen(clock.now() - timedelta(minutes=1)):
        assert await in_thread(fire_due)() == 0

    assert await kinds(conversation) == ["message"]


async def test_a_cancelled_restarted_or_erased_conversation_has_no_timers() -> None:
    conversation = await asked_for_sheets()
    await say(conversation, "cancel")
    assert not await Timer.objects.aexists()

    conversation = await asked_for_sheets()
    await in_thread(accept)(conversation.pk, Incoming("cancel", "c1", {"reason": "spam"}))
    await drain(conversation.pk)
    assert not await Timer.objects.aexists()

    conversation = await asked_for_sheets()
    await in_thread(erase_conversation)(conversation.pk, Person(0, "clock", frozenset(), frozenset()), "asked for")
    assert not await Timer.objects.aexists()


async def test_an_event_that_comes_first_ends_the_time_limit() -> None:
    conversation = await waiting_for_parcel()
    assert await timers() == [("send_back-1/arrival/1", "timeout")]

    await report(conversation, parcel="P1", weight=200)

    assert (await lines(conversation))[-1] == "It is here."
    assert not await Timer.objects.aexists()


async def test_an_event_and_its_time_limit_at_once_count_in_the_order_of_their_coming() -> None:
    conversation = await waiting_for_parcel()
    await let_pass(days=5)
    await in_thread(fire_due)()

    await report(conversation, parcel="P1")

    assert (await lines(conversation))[-1] == "It has not arrived."
    assert await kinds(conversation) == ["message", "message", "timer", "signal"]


async def test_nothing_that_waits_breaks_an_invariant() -> None:
    conversation = await asked_for_sheets()
    await let_pass(hours=1)
    await in_thread(fire_due)()
    await say(conversation, "500")
    await waiting_for_parcel()

    violations = await in_thread(count_violations)()

    assert [(invariant.sentence, count) for invariant, count in violations if count] == []


async def test_a_timer_that_was_fired_without_an_event_or_twice_breaks_an_invariant() -> None:
    await asked_for_sheets()
    await Timer.objects.filter(name="reminder").aupdate(fired_at=clock.now())

    assert await in_thread(timers_not_once)() == 1


async def test_a_report_counts_once_by_its_id() -> None:
    conversation = await waiting_for_parcel()

    await report(conversation, "r1", parcel="P1")
    await report(conversation, "r1", parcel="P1")

    assert (await kinds(conversation)).count("signal") == 1
