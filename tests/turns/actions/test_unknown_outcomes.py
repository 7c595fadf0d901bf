"""An action that may not be repeated and whose outcome nobody knows: a gate asks, and the flow goes on as it says."""

from collections.abc import Mapping
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import Group, User

from dialogue.desk.access.people import Caller
from dialogue.desk.forms.refusals import InvalidValue
from dialogue.desk.sessions.decisions import Answer, submit
from dialogue.engine.actions import ActionCall, Outcome, Succeeded, Unknown
from dialogue.models import ActionRun, Conversation, Event, HITLSession
from dialogue.turns.worker import Ports, drain
from dialogue.web.gates.forms import FormInput, controls_of
from tests.support.releases import GREETER
from tests.support.turns import begun, say

pytestmark = pytest.mark.django_db(transaction=True)


class Greeter:
    """Greets, and gives one outcome after the other."""

    def __init__(self, *outcomes: Outcome) -> None:
        self.outcomes = list(outcomes)
        self.keys: list[str] = []

    async def run(self, call: ActionCall) -> Outcome:
        self.keys.append(call.key)
        return self.outcomes.pop(0)


async def asked(greeter: Greeter, documents: Mapping[str, str] = GREETER) -> tuple[Conversation, HITLSession]:
    """A conversation that came to the doubt, and its gate."""
    ports = Ports(actions=greeter)
    conversation = await begun(dict(documents))
    await say(conversation, "say hello", ports)
    await say(conversation, "Ursula", ports)
    return conversation, await HITLSession.objects.aget(audience="staff")


def olga() -> Caller:
    user = User.objects.create_user("olga", first_name="Olga")
    user.groups.add(Group.objects.get(name="operators"))
    return Caller(user.pk, "api")


async def answer(session: HITLSession, greeter: Greeter, action: str, **values: Any) -> None:
    caller = await sync_to_async(olga)()
    await sync_to_async(submit)(session.pk, caller, Answer(action, values))
    await drain(session.conversation_id, ports=Ports(actions=greeter))


async def test_a_gate_asks_whether_it_happened_with_its_results_as_typed_fields() -> None:
    _, session = await asked(Greeter(Unknown("timeout")))

    assert session.title == "Did “greet” happen?"
    assert [each["id"] for each in session.actions] == ["happened", "did_not_happen", "try_again"]
    assert "greeting" in session.schema["properties"]
    assert session.shown[0]["value"] == "Ursula"
    assert session.expires_at is None
    assert not await Event.objects.filter(state=Event.State.INCIDENT).aexists()


async def test_the_answer_lets_the_flow_go_on_with_what_a_person_found_out() -> None:
    greeter = Greeter(Unknown("timeout"))
    conversation, session = await asked(greeter)

    await answer(session, greeter, "happened", greeting="Hello, Ursula!")

    last = await conversation.messages.order_by("seq").alast()
    assert last is not None and last.text == "Hello, Ursula!"
    assert len(greeter.keys) == 1
    assert (await ActionRun.objects.aget()).state == ActionRun.State.UNKNOWN


async def test_what_did_not_happen_is_done_under_a_key_of_its_own() -> None:
    greeter = Greeter(Unknown("timeout"), Succeeded({"greeting": "Hello at last!"}))
    conversation, session = await asked(greeter)

    await answer(session, greeter, "try_again")

    last = await conversation.messages.order_by("seq").alast()
    assert last is not None and last.text == "Hello at last!"
    assert len(set(greeter.keys)) == 2


async def test_it_happened_needs_the_result_that_a_later_text_uses() -> None:
    greeter = Greeter(Unknown("timeout"))
    _, session = await asked(greeter)

    with pytest.raises(InvalidValue) as refusal:
        await answer(session, greeter, "happened")

    assert [(field.name, field.rule) for field in refusal.value.fields] == [("greeting", "required")]
    assert "“It happened” needs this result" in refusal.value.detail
    await session.arefresh_from_db()
    assert session.state == HITLSession.State.OPEN


@pytest.mark.parametrize("action", ["did_not_happen", "try_again"])
async def test_what_did_not_happen_needs_no_result(action: str) -> None:
    greeter = Greeter(Unknown("timeout"), Succeeded({"greeting": "Hello!"}))
    _, session = await asked(greeter)

    await answer(session, greeter, action)

    await session.arefresh_from_db()
    assert session.handle == action


async def test_a_result_that_no_later_text_uses_may_stay_empty() -> None:
    greeter = Greeter(Unknown("timeout"))
    quiet = {name: text.replace('"{greeting}"', "Done.") for name, text in GREETER.items()}
    _, session = await asked(greeter, quiet)

    await answer(session, greeter, "happened")

    await session.arefresh_from_db()
    assert session.handle == "happened"


async def test_the_gate_says_for_which_answer_a_result_is_required() -> None:
    _, session = await asked(Greeter(Unknown("timeout")))

    controls = await sync_to_async(controls_of)(session, FormInput({}))

    assert [(control.name, control.type_words) for control in controls] == [
        ("value.greeting", "text, required for: It happened")
    ]
