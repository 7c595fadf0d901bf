"""A handed-over chat, from the operator's first line to the hand-back."""

from datetime import timedelta

import pytest

from dialogue.desk.chats import chats
from dialogue.desk.sessions import service
from dialogue.desk.sessions.drafts import DraftText, draft_of
from dialogue.desk.sessions.service import Caller, InputFormat
from dialogue.models import AuditEntry, Event, HITLSession, Message
from dialogue.turns.accept import open_conversation
from tests.support.releases import publish
from tests.support.transfers import Opener

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

    with pytest.raises(service.Refused) as refused:
        chats.say(chat.pk, oscar, "And this is Oscar.")

    line = Message.objects.get()
    assert (outcome.session.state, outcome.session.assignee_id) == ("claimed", olga.user)
    assert (line.role, line.author, line.text) == ("operator", "Olga Petrov", "Good morning, this is Olga.")
    assert Event.objects.get().payload == {"text": "Good morning, this is Olga.", "by": "Olga Petrov"}
    assert refused.value.code == "claimed_by_other"


def test_slots_are_set_all_or_none_and_wrong_ones_are_named(chat: HITLSession, olga: Caller):
    with pytest.raises(service.Refused) as refused:
        chats.set_slots(chat.pk, olga, {"amount": "much", "colour": "red", "beneficiary": "Lindqvist Marine"})

    chats.set_slots(chat.pk, olga, {"amount": 8450, "transfer_money.beneficiary": "Lindqvist Marine"})

    event = Event.objects.get()
    assert {field.name: field.rule for field in refused.value.fields} == {"amount": "money", "colour": "unknown_slot"}
    assert event.kind == "slots"
    assert event.payload["values"] == {"amount": "8450.00", "transfer_money.beneficiary": "Lindqvist Marine"}


RECORDS = {
    "assistant.yaml": "version: 1\nassistant: shop\n"
    "records: {address: {fields: {zip: {type: text, pattern: '[0-9]{5}'}}}}\n",
    "send.yaml": "flow: send\ndescription: Send.\nslots: {address: {type: address, prompt: Where to?}}\n"
    "steps: [{step: ask, type: collect, slot: address}]\n",
}


def test_one_field_of_a_record_is_set_by_its_dotted_name(open_session: Opener, olga: Caller):
    publish(RECORDS)
    conversation = open_conversation("shop", user_ref="Ursula", vouched=True)[0]
    conversation.stack = [{**STACK[0], "flow": "send", "frame": "send-1"}]
    conversation.save()
    chat = open_session(conversation=conversation, release=conversation.release, kind="handoff", schema={}, actions=[])

    with pytest.raises(service.Refused) as refused:
        chats.set_slots(chat.pk, olga, {"address.zip": "8020", "address.planet": "Mars", "send.address.x.y": "1"})
    chats.set_slots(chat.pk, olga, {"address.zip": "80204"})
    chats.set_slots(chat.pk, olga, {"send.address.zip": "80205"})

    wrong = {field.name: field.rule for field in refused.value.fields}
    assert wrong == {"address.zip": "pattern", "address.planet": "unknown_slot", "send.address.x.y": "unknown_slot"}
    values = [event.payload["values"] for event in Event.objects.order_by("pk")]
    assert values == [{"address.zip": "80204"}, {"send.address.zip": "80205"}]


def test_handing_back_ends_the_session_and_tells_the_engine(chat: HITLSession, olga: Caller):
    outcome = chats.hand_back(chat.pk, olga)

    event = Event.objects.get()
    assert (outcome.status, outcome.session.state, outcome.session.handle) == (200, "submitted", "hand_back")
    assert (event.kind, event.payload["by"], event.session_id) == ("hand_back", "Olga Petrov", chat.pk)


def test_a_chat_that_a_supervisor_takes_away_goes_back_to_the_bot(chat: HITLSession, sofia: Caller):
    service.cancel(chat.pk, sofia, reason="a duplicate")

    assert Event.objects.get().kind == "hand_back"


def test_nobody_writes_in_a_chat_that_the_bot_has(session: HITLSession, olga: Caller):
    with pytest.raises(service.Refused) as refused:
        chats.say(session.pk, olga, "hello")

    assert (refused.value.status, refused.value.detail) == (403, "The bot has this chat.")


def test_a_line_that_is_sent_again_with_its_key_is_written_once(chat: HITLSession, olga: Caller):
    first = chats.say(chat.pk, olga, "One moment, please.", "k1")
    again = chats.say(chat.pk, olga, "One moment, please.", "k1")

    assert Message.objects.get().seq == chats.line_number_of(first.session, olga, "k1") == 1
    assert chats.line_number_of(again.session, olga, "k2") is None
    acts = AuditEntry.objects.filter(subject=chat.name).order_by("number").values_list("act", flat=True)
    assert list(acts) == ["session.claim", "session.say"]
    with pytest.raises(service.Refused) as refused:
        chats.say(chat.pk, olga, "Something else.", "k1")
    assert refused.value.code == "idempotency_key_reused"


def test_a_line_that_is_sent_again_after_the_chat_went_back_gets_its_first_answer(chat: HITLSession, olga: Caller):
    long = "k" * 150
    chats.say(chat.pk, olga, "One moment, please.", long)
    chats.hand_back(chat.pk, olga)

    again = chats.say(chat.pk, olga, "One moment, please.", long)

    assert (again.status, again.repeated, Message.objects.count()) == (200, True, 1)
    with pytest.raises(service.Refused) as refused:
        chats.say(chat.pk, olga, "One moment, please.", long + "2")
    assert refused.value.code == "already_submitted"


def test_a_line_that_was_written_is_no_draft_any_more(chat: HITLSession, olga: Caller):
    service.save_draft(chat.pk, olga, DraftText({"reply": "One mom"}))
    assert draft_of(chat, olga.user).values == {"reply": "One mom"}

    chats.say(chat.pk, olga, "One moment, please.")

    assert draft_of(chat, olga.user).values == {}


def test_a_customer_who_does_not_want_to_wait_goes_back_to_the_bot(chat: HITLSession, olga: Caller):
    chats.say(chat.pk, olga, "I shall look it up.")

    assert chats.leave_chat(chat.conversation_id)

    chat.refresh_from_db()
    assert (chat.state, chat.reason, chat.decided_by, chat.decided_as) == (
        "cancelled",
        chats.CUSTOMER_LEFT,
        None,
        "Ursula",
    )
    assert Event.objects.filter(kind="hand_back", session=chat).count() == 1
    assert AuditEntry.objects.filter(act="session.left", actor="customer", subject=chat.name).exists()
    with pytest.raises(service.Refused) as refused:
        chats.say(chat.pk, olga, "Here it is.")
    assert refused.value.status == 410
    assert "Ursula did not want to wait and went back to the bot" in refused.value.detail


def test_nobody_leaves_what_no_person_was_asked_for(chat: HITLSession, session: HITLSession):
    assert chats.leave_chat(chat.conversation_id)

    assert not chats.leave_chat(chat.conversation_id)
    assert Event.objects.filter(kind="hand_back").count() == 1


def test_the_holder_is_nobody_once_the_claim_ran_out(noon, chat: HITLSession, olga: Caller):
    held = chats.say(chat.pk, olga, "Good morning.").session
    assert chats.chat_holder(held) is not None

    noon.advance(service.CLAIM_LEASE + timedelta(seconds=1))

    assert chats.chat_holder(held) is None


def test_the_slots_of_a_chat_are_those_of_its_flows_filled_or_not(chat: HITLSession, olga: Caller):
    amount = {"value": "6000.00", "shown": "€6,000.00", "source": "user", "turn": 1}
    chat.conversation.stack = [{**STACK[0], "slots": {"amount": amount}}]
    chat.conversation.save()

    found = {each.name: each.stored for each in chats.settable_slots(HITLSession.objects.get(pk=chat.pk))}

    assert found["transfer_money.amount"] == amount
    assert found["transfer_money.iban"] == {}
    chats.set_slots(chat.pk, olga, {"transfer_money.amount": "7000"}, InputFormat.TYPED)
    assert AuditEntry.objects.filter(act="session.set_slots").get().facts["slots"] == ["transfer_money.amount"]
