"""A handed-over chat, from the operator's first line to the hand-back."""

import pytest

from dialogue.desk import chats, door
from dialogue.desk.door import Caller
from dialogue.models import Event, HITLSession, Message
from tests.transfers import Opener

pytestmark = pytest.mark.django_db
PLACE = {"flow": "transfer_money", "frame": "transfer_money-1", "step": "confirm"}
STACK = [{**PLACE, "awaiting": "", "status": "active", "slots": {}}]


@pytest.fixture
def chat(open_session: Opener) -> HITLSession:
    session = open_session(kind="handoff", step="handoff", frame="conversation", schema={}, actions=[], on_timeout="")
    session.conversation.stack = STACK
    session.conversation.save()
    return session


def test_who_writes_first_in_a_chat_has_it(chat: HITLSession, olga: Caller, oscar: Caller):
    outcome = chats.say(chat.pk, olga, "Good morning, this is Olga.")

    with pytest.raises(door.Refused) as refused:
        chats.say(chat.pk, oscar, "And this is Oscar.")

    line = Message.objects.get()
    assert (outcome.session.state, outcome.session.assignee_id) == ("claimed", olga.user)
    assert (line.role, line.author, line.text) == ("operator", "Olga Petrov", "Good morning, this is Olga.")
    assert Event.objects.get().payload == {"text": "Good morning, this is Olga.", "by": "Olga Petrov"}
    assert refused.value.code == "claimed_by_other"


def test_slots_are_set_all_or_none_and_wrong_ones_are_named(chat: HITLSession, olga: Caller):
    with pytest.raises(door.Refused) as refused:
        chats.set_slots(chat.pk, olga, {"amount": "much", "colour": "red", "beneficiary": "Lindqvist Marine"})

    chats.set_slots(chat.pk, olga, {"amount": 8450, "transfer_money.beneficiary": "Lindqvist Marine"})

    event = Event.objects.get()
    assert {field.name: field.rule for field in refused.value.fields} == {"amount": "money", "colour": "unknown_slot"}
    assert event.kind == "slots"
    assert event.payload["values"] == {"amount": "8450.00", "transfer_money.beneficiary": "Lindqvist Marine"}


def test_handing_back_ends_the_session_and_tells_the_engine(chat: HITLSession, olga: Caller):
    outcome = chats.hand_back(chat.pk, olga)

    event = Event.objects.get()
    assert (outcome.status, outcome.session.state, outcome.session.handle) == (200, "submitted", "hand_back")
    assert (event.kind, event.payload["by"], event.session_id) == ("hand_back", "Olga Petrov", chat.pk)


def test_a_chat_that_a_supervisor_takes_away_goes_back_to_the_bot(chat: HITLSession, sofia: Caller):
    door.cancel(chat.pk, sofia, reason="a duplicate")

    assert Event.objects.get().kind == "hand_back"


def test_nobody_writes_in_a_chat_that_the_bot_has(session: HITLSession, olga: Caller):
    with pytest.raises(door.Refused) as refused:
        chats.say(session.pk, olga, "hello")

    assert (refused.value.status, refused.value.detail) == (403, "The bot has this chat.")
