"""The fence: a lease that was lost writes nothing, even where its process has the conversation again by another one."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from dialogue.engine.actions import ActionCall, Outcome, StubbedActions, Succeeded
from dialogue.engine.graph import TurnOutcome
from dialogue.engine.language.compiler import ActionContract
from dialogue.models import ActionRun, AuditEntry, Checkpoint, Conversation, Event, HITLSession, Turn
from dialogue.turns import lease, worker
from dialogue.turns.accept import Incoming, accept, open_conversation
from dialogue.turns.actions.ledger import LedgeredActions
from dialogue.turns.clock import frozen
from dialogue.turns.commit import commit_failure, commit_turn
from dialogue.turns.lease import Lease, LeaseLost
from dialogue.turns.process.database import in_thread
from dialogue.turns.work import Work
from tests.support.releases import GREETER, publish

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

NINE = datetime(2026, 11, 23, 9, tzinfo=UTC)


@pytest.fixture
def conversation() -> Conversation:
    publish(GREETER)
    row = open_conversation("greeter")[0]
    accept(row.pk, Incoming("message", "m1", {"text": "say hello"}, text="say hello"))
    return row


def lost(conversation: Conversation) -> Lease:
    """A lease of ours that ran out, after which we took the conversation anew."""
    with frozen(NINE) as clock:
        mine = lease.claim(conversation.pk)
        clock.advance(lease.TERM + timedelta(seconds=1))
        assert lease.claim(conversation.pk) is not None
    assert mine is not None
    return mine


async def half_a_turn(mine: Lease) -> tuple[Work, TurnOutcome]:
    """A turn that was run, and not committed."""
    work = await in_thread(worker.next_work)(mine)
    assert work is not None
    return work, await worker._run_engine(work, worker.Ports(actions=StubbedActions()))


def written() -> list[int]:
    return [table.objects.count() for table in (Turn, Checkpoint, HITLSession, AuditEntry)]


async def test_a_conversation_that_was_deleted_since_the_claim_counts_as_lost(conversation: Conversation) -> None:
    row, _token = await in_thread(open_conversation)(conversation.assistant.name)
    mine = await in_thread(lease.claim)(row.pk)
    assert mine is not None
    await Conversation.objects.filter(pk=row.pk).adelete()

    with pytest.raises(LeaseLost):
        await in_thread(worker.next_work)(mine)


async def test_a_turn_whose_lease_was_lost_writes_nothing(conversation: Conversation) -> None:
    mine = await in_thread(lost)(conversation)
    work, outcome = await half_a_turn(mine)

    with pytest.raises(LeaseLost):
        await in_thread(commit_turn)(work, outcome, 1.0)

    assert await in_thread(written)() == [0, 0, 0, 0]
    assert (await Event.objects.aget()).state == Event.State.DUE


async def test_a_failure_whose_lease_was_lost_counts_nothing(conversation: Conversation) -> None:
    mine = await in_thread(lost)(conversation)
    work, _ = await half_a_turn(mine)

    with pytest.raises(LeaseLost):
        await in_thread(commit_failure)(work, ValueError("late"), "ref")

    assert (await Event.objects.aget()).attempts == 0


def test_an_older_lease_of_the_same_process_is_not_renewed(conversation: Conversation) -> None:
    mine = lost(conversation)

    assert not lease.renew(mine)
    lease.release(mine)

    assert Conversation.objects.get().lease_owner == lease.OWNER


class Slow:
    """An action during which the lease goes to somebody else."""

    def __init__(self, during: Any) -> None:
        self._during = during

    async def run(self, call: ActionCall) -> Outcome:
        await in_thread(self._during)()
        return Succeeded({"greeting": "late"})


async def test_a_zombie_s_result_of_an_action_is_not_stored_over_the_next_runner_s(conversation: Conversation) -> None:
    mine = await in_thread(lease.claim)(conversation.pk)
    assert mine is not None

    def another_takes_over() -> None:
        Conversation.objects.update(epoch=mine.epoch + 1)
        ActionRun.objects.update(epoch=mine.epoch + 1)

    call = ActionCall("k1", "greet", {}, ActionContract(idempotent=True))
    with pytest.raises(LeaseLost):
        await LedgeredActions(Slow(another_takes_over), mine).run(call)

    assert (await ActionRun.objects.aget()).state == ActionRun.State.RUNNING


async def test_a_zombie_begins_no_action(conversation: Conversation) -> None:
    mine = await in_thread(lost)(conversation)
    called = StubbedActions()

    with pytest.raises(LeaseLost):
        await LedgeredActions(called, mine).run(ActionCall("k1", "greet", {}, ActionContract()))

    assert called.calls == []
    assert not await ActionRun.objects.aexists()


async def test_an_event_that_ends_its_process_three_times_is_an_incident_and_tells_the_user(
    conversation: Conversation,
) -> None:
    for _ in range(3):
        mine = await in_thread(lease.claim)(conversation.pk)
        assert mine is not None
        await in_thread(worker.next_work)(mine, suspect=mine.inherited)  # and here it dies
        await in_thread(lease.end_all)()

    await worker.drain(conversation.pk)

    event = await Event.objects.aget()
    assert (event.state, event.error) == (Event.State.INCIDENT, "ProcessEndedInTurn: 1")
    told = await conversation.messages.alast()
    assert told is not None and told.key == "error"
