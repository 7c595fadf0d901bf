"""A conversation from the first message to the reply, through rows: one event, one turn, one commit."""

from dataclasses import replace
from typing import Any

import pytest

from dialogue.engine.actions import ActionCall, Outcome, StubbedActions, Succeeded
from dialogue.engine.ports.commands import SetSlot
from dialogue.engine.understanding import Understanding, Usage
from dialogue.models import ActionRun, AuditEntry, Checkpoint, Conversation, Event, HITLSession, Message, Turn
from dialogue.turns import worker
from dialogue.turns.accept import Accepted, Incoming, accept
from dialogue.turns.lease import OWNER
from dialogue.turns.process.database import in_thread
from dialogue.turns.worker import Ports, drain, reads_of_turn
from tests.support.releases import GREETER, demo, publish
from tests.support.turns import TRANSFER, bank, begun, say

pytestmark = pytest.mark.django_db(transaction=True)


async def test_a_message_is_answered_and_everything_about_it_is_committed_together() -> None:
    conversation = await begun(GREETER)

    assert await say(conversation, "say hello") == ["ask:name"]

    assert conversation.state == Conversation.State.WAITING
    assert conversation.stack[0]["awaiting"] == "greet?name"
    assert await Checkpoint.objects.filter(thread_id=str(conversation.pk)).acount() == 1
    session = await HITLSession.objects.aget()
    assert (session.kind, session.audience, session.state) == ("collect", "user", "open")
    assert (await AuditEntry.objects.aget()).facts["messages"] == ["ask:name"]
    assert (await Event.objects.aget()).state == Event.State.DONE
    assert conversation.lease_owner == "" and conversation.lease_until is None


async def test_the_answer_closes_its_session_and_the_flow_goes_on() -> None:
    conversation = await begun(GREETER)
    ports = Ports(actions=StubbedActions({"greet": [{"returns": {"greeting": "Hello, Ursula!"}}]}))
    await say(conversation, "say hello", ports)

    assert await say(conversation, "Ursula", ports) == ["say:done"]

    session = await HITLSession.objects.aget()
    assert (session.state, session.delivery, session.decided_through) == ("submitted", "applied", "chat")
    assert conversation.state == Conversation.State.IDLE and conversation.stack == []
    assert (await ActionRun.objects.aget()).state == ActionRun.State.SUCCEEDED


async def test_the_transcript_has_no_gap() -> None:
    conversation = await begun(GREETER)
    for text in ("say hello", "Ursula", "say hello", "Oscar"):
        await say(conversation, text, Ports(actions=StubbedActions()))

    numbers = [row.seq async for row in Message.objects.filter(conversation=conversation).order_by("seq")]
    assert numbers == list(range(1, conversation.last_message + 1))


async def test_a_transfer_over_the_limit_opens_a_gate_for_staff() -> None:
    conversation = await begun(demo("bank"))
    assert await say(conversation, TRANSFER, bank()) == ["confirm:transfer_money"]

    assert await say(conversation, "yes", bank()) == ["waiting:approval"]

    gate = await HITLSession.objects.select_related("group").aget(audience="staff")
    assert gate.group is not None
    assert (gate.title, gate.group.name, gate.on_timeout) == ("Approve transfer", "payments", "reject")
    assert gate.expires_at is not None and (gate.expires_at - gate.opened_at).total_seconds() == 1800
    assert [shown["name"] for shown in gate.shown] == ["amount", "beneficiary", "iban", "known"]
    assert [action["id"] for action in gate.actions] == ["approve", "reject"]


class Broken:
    """Understanding that fails."""

    async def understand(self, message: str, context: Any) -> Any:
        raise RuntimeError("out of order")


async def test_a_turn_that_fails_leaves_everything_as_it_was_and_the_next_message_works() -> None:
    conversation = await begun(GREETER)
    await say(conversation, "say hello")

    await say(conversation, "Ursula", Ports(nlu=lambda assistant: Broken()))
    broken = await Event.objects.aget(number=2)
    last = await Message.objects.filter(conversation=conversation).order_by("seq").alast()

    assert (broken.state, broken.attempts) == (Event.State.INCIDENT, 3)
    assert last is not None and last.key == "error" and broken.reference in last.text
    assert conversation.state == Conversation.State.FAILED and conversation.stack[0]["awaiting"] == "greet?name"
    ports = Ports(actions=StubbedActions({"greet": [{"returns": {"greeting": "Hello!"}}]}))
    assert await say(conversation, "Ursula", ports) == ["say:done"]


class Paid:
    """Understanding that costs, and a turn that fails after it."""

    asked = 0

    async def understand(self, message: str, context: Any) -> Understanding:
        Paid.asked += 1
        return Understanding((SetSlot("name", message),), usage=Usage(calls=1, prompt_tokens=9))


class FailsTwice:
    """Hands that raise twice, as a library would, and then work."""

    calls = 0

    async def run(self, call: ActionCall) -> Outcome:
        FailsTwice.calls += 1
        if FailsTwice.calls < 3:
            raise OSError("the network is down")
        return Succeeded({"greeting": "Hello!"})


async def test_a_language_model_is_not_asked_again_when_a_turn_is_run_again() -> None:
    conversation = await begun({**GREETER, "assistant.yaml": GREETER["assistant.yaml"].replace("false", "true")})
    await say(conversation, "say hello")
    Paid.asked = FailsTwice.calls = 0

    said = await say(conversation, "Ursula", Ports(nlu=lambda assistant: Paid(), actions=FailsTwice()))

    assert said == ["say:done"] and FailsTwice.calls == 3
    assert Paid.asked == 1
    assert (await Event.objects.aget(number=2)).attempts == 2


async def test_a_commit_that_fails_counts_as_an_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    conversation = await begun(GREETER)
    monkeypatch.setattr("dialogue.turns.checkpointer.DjangoSaver.flush", lambda self: 1 / 0)

    await in_thread(accept)(conversation.pk, Incoming("message", "m", {"text": "say hello"}, text="say hello"))
    await drain(conversation.pk)

    assert (await Event.objects.aget()).state == Event.State.INCIDENT
    assert await Turn.objects.acount() == 0


async def test_a_release_that_cannot_be_loaded_is_an_incident_and_the_user_is_told() -> None:
    conversation = await begun({**GREETER, "greet.yaml": "flow: greet\ntitle: [broken"})

    await in_thread(accept)(conversation.pk, Incoming("message", "m", {"text": "hello"}, text="hello"))
    await drain(conversation.pk)

    event = await Event.objects.aget()
    told = await Message.objects.aget(key="error")
    assert event.state == Event.State.INCIDENT and event.error.startswith("FlowProblems")
    assert event.reference in told.text


async def test_events_that_came_while_a_turn_ran_are_answered_in_their_order() -> None:
    conversation = await begun(GREETER)
    for number, text in enumerate(("say hello", "Ursula", "say hello", "Oscar")):
        await in_thread(accept)(conversation.pk, Incoming("message", f"m{number}", {"text": text}, text=text))

    turns = await drain(conversation.pk, ports=Ports(actions=StubbedActions()))

    assert turns == 4
    assert [row.event_id async for row in Turn.objects.order_by("number")] == [
        row.pk async for row in Event.objects.order_by("number")
    ]


async def sent(conversation: Conversation, number: int, text: str) -> Accepted:
    """A message that takes the lease, with the rows for its turn."""
    incoming = Incoming("message", f"m{number}", {"text": text}, text=text)
    return await in_thread(accept)(conversation.pk, incoming, OWNER, reads_of_turn(conversation.pk))


async def test_a_turn_begins_with_the_rows_that_came_with_its_message(monkeypatch: pytest.MonkeyPatch) -> None:
    conversation = await begun(GREETER)
    ports = Ports(actions=StubbedActions({"greet": [{"returns": {"greeting": "Hello, Ursula!"}}]}))
    await say(conversation, "say hello", ports)
    accepted = await sent(conversation, 2, "Ursula")
    monkeypatch.setattr(worker, "next_work", None)  # it would read them again

    assert await drain(conversation.pk, accepted.lease, ports, accepted.rows) == 1

    assert (await Message.objects.alatest("seq")).text == "Hello, Ursula!"


async def test_rows_that_have_waited_long_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    conversation = await begun(GREETER)
    ports = Ports(actions=StubbedActions())
    await say(conversation, "say hello", ports)
    accepted = await sent(conversation, 2, "Ursula")
    assert accepted.rows is not None
    old = replace(accepted.rows, read_at=accepted.rows.read_at - worker.MAX_ROWS_AGE_SECONDS - 1, found=[])

    assert await drain(conversation.pk, accepted.lease, ports, old) == 1


async def test_a_message_before_the_one_that_brought_the_rows_has_its_turn_first() -> None:
    conversation = await begun(GREETER)
    ports = Ports(actions=StubbedActions())
    await say(conversation, "say hello", ports)
    await in_thread(accept)(conversation.pk, Incoming("message", "m2", {"text": "Ursula"}, text="Ursula"))
    accepted = await sent(conversation, 3, "say hello")

    assert await drain(conversation.pk, accepted.lease, ports, accepted.rows) == 2

    assert [turn.event_id async for turn in Turn.objects.order_by("number")] == [
        event.pk async for event in Event.objects.order_by("number")
    ]


async def test_a_message_that_does_not_get_the_lease_brings_no_rows() -> None:
    conversation = await begun(GREETER)
    first = await sent(conversation, 1, "say hello")
    second = await sent(conversation, 2, "Ursula")

    assert first.rows is not None
    assert (second.lease, second.rows) == (None, None)


async def test_a_conversation_stays_on_its_release_until_its_stack_is_empty() -> None:
    conversation = await begun(GREETER)
    ports = Ports(actions=StubbedActions({"greet": [{"returns": {"greeting": "Hello!"}}]}))
    await say(conversation, "say hello", ports)
    await in_thread(publish)({**GREETER, "greet.yaml": GREETER["greet.yaml"].replace("Who are you?", "Your name?")})

    await say(conversation, "Ursula", ports)
    assert (await conversation.turns.alatest("number")).release_id == conversation.release_id
    assert conversation.release_id == (await Turn.objects.aget(number=1)).release_id

    await say(conversation, "say hello", ports)
    assert (await Message.objects.filter(key="ask:name").alatest("seq")).text == "Your name?"
