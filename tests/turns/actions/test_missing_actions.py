"""An action that an old release calls, and that this installation no longer has, is an incident and no failure."""

import pytest

from dialogue.engine.actions import StubbedActions
from dialogue.models import ActionRun, Event, HITLSession
from dialogue.turns.worker import Ports
from tests.support.releases import GREETER
from tests.support.turns import begun, say

pytestmark = pytest.mark.django_db(transaction=True)

HANDLED = {
    **GREETER,
    "greet.yaml": GREETER["greet.yaml"].replace("greeting: greeting}}", "greeting: greeting}, on_error: sorry}")
    + "  - {step: sorry, type: say, message: It was not possible.}\n",
}


async def test_a_missing_action_is_an_incident_and_does_not_go_the_flow_s_on_error_way() -> None:
    conversation = await begun(HANDLED)
    await say(conversation, "say hello")

    await say(conversation, "Ursula")

    event = await Event.objects.aget(number=2)
    assert event.state == Event.State.INCIDENT
    assert event.error == "action_missing: greet"


async def test_the_conversation_is_intact_and_goes_on_when_the_action_is_there_again() -> None:
    conversation = await begun(HANDLED)
    await say(conversation, "say hello")
    await say(conversation, "Ursula")

    assert conversation.stack[0]["awaiting"] == "greet?name"
    assert (await HITLSession.objects.aget()).state == HITLSession.State.OPEN
    assert (await ActionRun.objects.aget()).state == ActionRun.State.INTENDED
    there = Ports(actions=StubbedActions({"greet": [{"returns": {"greeting": "Hello!"}}]}))
    assert "say:done" in await say(conversation, "Ursula", there)
