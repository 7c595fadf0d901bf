"""Flows and messages that the business begins: planned, moved out of quiet hours, refused, and begun once."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from dialogue.audit.invariants import count_violations
from dialogue.desk.access.people import Person
from dialogue.desk.maintenance.erasure import erase_conversation
from dialogue.models import ContactRefusal, Conversation, Event, Message, Outreach
from dialogue.sweep import end_idle, sweep
from dialogue.turns import clock
from dialogue.turns.accept import Accepted, Incoming, SameIdOtherBody, accept, open_conversation
from dialogue.turns.process.database import in_thread
from dialogue.turns.waiting.contact import has_refused, set_contact
from dialogue.turns.waiting.outreach import (
    MAX_PLANNED,
    OptedOut,
    StartRefused,
    TooManyPlanned,
    begin,
    begin_due,
    cancel_planned,
)
from dialogue.turns.waiting.reports import report_event
from dialogue.turns.worker import drain
from tests.support.releases import publish
from tests.support.turns import say
from tests.support.waiting import WAITING

pytestmark = pytest.mark.django_db(transaction=True)
NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def hour() -> Iterator[clock.FrozenClock]:
    with clock.frozen(NOON) as standing:
        yield standing


@pytest.fixture
def conversation() -> Conversation:
    publish(WAITING)
    opened, _token = open_conversation("parcels", user_ref="customer-7", vouched=True)
    return opened


def feedback(client_id: str = "s1", **slots: object) -> Incoming:
    return Incoming("start", client_id, {"flow": "feedback", "slots": slots, "by": "Shop"})


def notice(client_id: str = "n1") -> Incoming:
    return Incoming("notify", client_id, {"text": "We close at five.", "by": "Shop"})


@in_thread
def begun(conversation: Conversation, incoming: Incoming, at: datetime | None = None) -> Accepted | Outreach:
    return begin(Conversation.objects.get(pk=conversation.pk), incoming, at, "")


async def lines(conversation: Conversation) -> list[str]:
    rows = Message.objects.filter(conversation=conversation, role="assistant").order_by("seq")
    return [row.text async for row in rows]


async def planned() -> list[tuple[str, str, str]]:
    return [(row.kind, row.state, row.reason) async for row in Outreach.objects.order_by("pk")]


async def test_by_day_a_flow_begins_at_once(conversation: Conversation) -> None:
    assert isinstance(await begun(conversation, feedback(order="R-77")), Accepted)
    await drain(conversation.pk)

    assert await lines(conversation) == ["Your order R-77 has arrived.", "How many stars?"]


async def test_what_is_planned_begins_when_it_is_due_and_once(
    conversation: Conversation, hour: clock.FrozenClock
) -> None:
    await begun(conversation, feedback(order="R-77"), NOON + timedelta(days=2))
    hour.advance(timedelta(days=1))
    await sweep()
    assert await lines(conversation) == []

    hour.advance(timedelta(days=1))
    await sweep()
    await sweep()

    assert await lines(conversation) == ["Your order R-77 has arrived.", "How many stars?"]
    assert await planned() == [("start", "done", "")]


async def test_quiet_hours_move_it_to_the_morning(conversation: Conversation, hour: clock.FrozenClock) -> None:
    hour.advance(timedelta(hours=10))
    row = await begun(conversation, notice())

    assert isinstance(row, Outreach)
    assert (row.reason, row.due_at) == ("quiet_hours", datetime(2026, 11, 24, 8, 0, tzinfo=UTC))
    await sweep()
    assert await lines(conversation) == []
    hour.advance(timedelta(hours=10))
    await sweep()
    assert await lines(conversation) == ["We close at five."]


async def test_what_is_due_in_quiet_hours_waits_for_their_end(
    conversation: Conversation, hour: clock.FrozenClock
) -> None:
    await begun(conversation, notice(), NOON + timedelta(hours=10))
    hour.advance(timedelta(hours=10))
    await sweep()
    assert await planned() == [("notify", "planned", "quiet_hours")]
    hour.advance(timedelta(hours=10))
    await sweep()
    assert await planned() == [("notify", "done", "")]


async def test_a_reminder_waits_for_the_end_of_quiet_hours_and_a_time_limit_does_not(
    conversation: Conversation, hour: clock.FrozenClock
) -> None:
    hour.advance(timedelta(hours=8, minutes=30))
    await say(conversation, "order paper")
    hour.advance(timedelta(hours=2))
    await sweep()
    assert "Do you still want paper?" not in await lines(conversation)
    hour.advance(timedelta(hours=10))
    await sweep()
    assert "Do you still want paper?" in await lines(conversation)
    hour.advance(timedelta(hours=14))
    await sweep()
    assert (await lines(conversation))[-1] == "Then not."


async def test_the_same_id_begins_once(conversation: Conversation) -> None:
    first, second = await begun(conversation, feedback()), await begun(conversation, feedback())
    assert isinstance(first, Accepted) and isinstance(second, Accepted)
    assert second.repeated
    later = NOON + timedelta(days=1)
    third, fourth = await begun(conversation, notice(), later), await begun(conversation, notice(), later)
    assert isinstance(third, Outreach) and isinstance(fourth, Outreach)
    assert third.pk == fourth.pk
    with pytest.raises(SameIdOtherBody):
        await begun(conversation, feedback("n1"), later)


async def test_two_processes_begin_it_once(conversation: Conversation, hour: clock.FrozenClock) -> None:
    await begun(conversation, notice(), NOON + timedelta(hours=1))
    hour.advance(timedelta(hours=1))

    counts = await asyncio.gather(*(asyncio.to_thread(_begin_in_own_connection) for _ in range(4)))

    assert sum(counts) == 1
    assert await Event.objects.filter(kind="notify").acount() == 1


def _begin_in_own_connection() -> int:
    try:
        return begin_due()
    finally:
        connection.close()


async def test_what_is_planned_can_be_cancelled_until_it_begins(
    conversation: Conversation, hour: clock.FrozenClock
) -> None:
    row = await begun(conversation, notice(), NOON + timedelta(hours=1))
    assert isinstance(row, Outreach)

    assert await in_thread(cancel_planned)(conversation, row.pk)
    assert not await in_thread(cancel_planned)(conversation, row.pk)
    hour.advance(timedelta(hours=1))
    await sweep()

    assert await lines(conversation) == []
    assert await planned() == [("notify", "cancelled", "cancelled")]


async def test_a_customer_who_refuses_is_left_alone_in_every_conversation(
    conversation: Conversation, hour: clock.FrozenClock
) -> None:
    await begun(conversation, notice(), NOON + timedelta(hours=1))
    assert await say(conversation, "stop") == ["opted_out"]
    other, _token = await in_thread(open_conversation)("parcels", user_ref="customer-7", vouched=True)

    hour.advance(timedelta(hours=1))
    await sweep()

    assert await planned() == [("notify", "cancelled", "opted_out")]
    with pytest.raises(OptedOut):
        await begun(other, feedback())
    await say(conversation, "start")
    assert isinstance(await begun(other, feedback()), Accepted)


async def test_nobody_refuses_for_another_customer_by_giving_a_name(conversation: Conversation) -> None:
    stranger, _token = await in_thread(open_conversation)("parcels", user_ref="customer-7")
    await say(stranger, "stop")

    assert await in_thread(has_refused)(stranger)
    assert not await in_thread(has_refused)(conversation)


async def test_a_tester_does_not_refuse_for_the_customer(conversation: Conversation) -> None:
    test, _token = await in_thread(open_conversation)("parcels", user_ref="customer-7", vouched=True, test=True)
    await say(test, "stop")

    assert not await in_thread(has_refused)(conversation)


async def test_no_reminder_for_a_customer_who_refuses(conversation: Conversation, hour: clock.FrozenClock) -> None:
    await say(conversation, "order paper")
    await in_thread(set_contact)(conversation, allowed=False, at=NOON)
    hour.advance(timedelta(hours=1))
    await sweep()
    assert "Do you still want paper?" not in await lines(conversation)


async def test_while_a_person_has_the_chat_it_waits(conversation: Conversation, hour: clock.FrozenClock) -> None:
    await say(conversation, "I want to talk to a person")
    row = await begun(conversation, feedback())
    assert isinstance(row, Outreach)
    assert row.reason == "handed_over"


@pytest.mark.parametrize(
    ("payload", "names"),
    [
        ({"flow": "feedbcak", "slots": {}, "by": ""}, ["flow"]),
        ({"flow": "feedback", "slots": {"stars": 9, "order": "R-1"}, "by": ""}, ["slots.stars"]),
        ({"flow": "feedback", "slots": {"sters": 3}, "by": ""}, ["slots.sters"]),
    ],
)
async def test_a_start_that_does_not_fit_is_refused(
    payload: dict[str, object], names: list[str], conversation: Conversation
) -> None:
    with pytest.raises(StartRefused) as refused:
        await begun(conversation, Incoming("start", "s1", payload))
    assert [field.name for field in refused.value.wrong] == names


async def test_only_so_many_may_be_planned(conversation: Conversation) -> None:
    for number in range(MAX_PLANNED):
        await begun(conversation, notice(f"n{number}"), NOON + timedelta(days=1))
    with pytest.raises(TooManyPlanned):
        await begun(conversation, notice("one more"), NOON + timedelta(days=1))


async def test_an_event_without_a_waiting_flow_begins_its_flow(
    conversation: Conversation, hour: clock.FrozenClock
) -> None:
    await in_thread(report_event)(conversation, "order_sent", {"order": "R-77"}, "e1")
    await drain(conversation.pk)
    assert await lines(conversation) == []
    await sweep()
    assert await lines(conversation) == ["Your order R-77 has arrived.", "How many stars?"]
    assert await Event.objects.filter(kind="start").acount() == 1


async def test_a_planned_flow_keeps_its_conversation_and_an_ended_one_has_none(
    conversation: Conversation, hour: clock.FrozenClock
) -> None:
    await say(conversation, "order paper")
    await begun(conversation, notice(), NOON + timedelta(days=60))
    hour.advance(timedelta(days=50))
    assert await in_thread(end_idle)() == 0

    await in_thread(accept)(conversation.pk, Incoming("cancel", "c1", {"reason": "spam"}))
    await drain(conversation.pk)
    hour.advance(timedelta(days=10))
    await sweep()

    assert await planned() == [("notify", "cancelled", "conversation_over")]
    assert [found for found in await in_thread(count_violations)() if found[1]] == []


async def test_erasure_forgets_what_is_planned_and_keeps_the_refusal_of_a_known_customer(
    conversation: Conversation,
) -> None:
    await begun(conversation, notice(), NOON + timedelta(days=1))
    await in_thread(set_contact)(conversation, allowed=False, at=NOON)

    await in_thread(erase_conversation)(conversation.pk, Person(0, "clock", frozenset(), frozenset()), "asked for")

    assert not await Outreach.objects.aexists()
    assert (await ContactRefusal.objects.aget()).user_ref == "customer-7"
