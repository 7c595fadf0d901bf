"""A chat that was handed over, over HTTP."""

import json

import pytest

from dialogue.desk.sessions.service import Caller
from dialogue.models import Conversation, Event, HITLSession, Message, Submission
from tests.support.transfers import Opener
from tests.web.api.conftest import Program, ProgramOf

pytestmark = pytest.mark.django_db
CALLS = [("say", {"text": "Hello?"}), ("slots", {}), ("hand_back", {})]


def test_slots_are_set_by_name_and_all_or_none(open_session: Opener, olga: Caller, program_of: ProgramOf):
    session = open_session(kind="handoff")
    session.conversation.stack = [{"flow": "transfer_money", "frame": "transfer_money-1", "slots": {}}]
    session.conversation.save()
    program = program_of(olga)

    wrong = program.post(f"/sessions/{session.name}/slots", amount="7000.00", colour="blue")
    right = program.post(f"/sessions/{session.name}/slots", amount="7000.00")

    assert (wrong.status_code, right.status_code) == (422, 200)
    assert [field["name"] for field in wrong.json()["fields"]] == ["colour"]
    assert Event.objects.get().payload["values"] == {"amount": "7000.00"}


def test_slots_with_a_key_that_was_sent_before_are_set_once(open_session: Opener, olga: Caller, program_of: ProgramOf):
    session, program = open_session(kind="handoff"), program_of(olga)
    session.conversation.stack = [{"flow": "transfer_money", "frame": "transfer_money-1", "slots": {}}]
    session.conversation.save()
    path, key = f"/sessions/{session.name}/slots", {"Idempotency-Key": "k1"}

    answers = [program.send("POST", path, json.dumps({"amount": amount}), **key) for amount in ("70", "70", "80")]
    without = [program.post(path, amount="70") for _ in range(2)]

    assert [answer.status_code for answer in (*answers, *without)] == [200, 200, 422, 200, 200]
    assert answers[0].json() == answers[1].json()
    assert answers[2].json()["code"] == "idempotency_key_reused"
    assert Event.objects.filter(kind="slots").count() == 3


def test_a_chat_that_is_handed_back_again_with_the_same_key_gives_the_first_answer(
    open_session: Opener, olga: Caller, oscar: Caller, program_of: ProgramOf
):
    session = open_session(kind="handoff")
    path = f"/sessions/{session.name}/hand_back"

    answers = [program_of(olga).post(path, idempotency_key="k1") for _ in range(2)]
    others = [program_of(oscar).post(path, idempotency_key="k1"), program_of(olga).post(path)]

    assert [answer.status_code for answer in (*answers, *others)] == [200, 200, 409, 409]
    assert answers[0].json() == answers[1].json()
    assert Event.objects.filter(kind="hand_back").count() == 1


def test_a_key_of_slots_is_good_after_the_chat_went_back_and_says_how_the_chat_stands(
    open_session: Opener, olga: Caller, program_of: ProgramOf
):
    session, program = open_session(kind="handoff"), program_of(olga)
    session.conversation.stack = [{"flow": "transfer_money", "frame": "transfer_money-1", "slots": {}}]
    session.conversation.save()
    path, key = f"/sessions/{session.name}", {"Idempotency-Key": "k1"}
    program.send("POST", f"{path}/slots", '{"amount": "70"}', **key)
    program.post(f"{path}/hand_back")

    again = program.send("POST", f"{path}/slots", '{"amount": "70"}', **key)

    assert (again.status_code, again.json()["state"]) == (200, "submitted")
    assert Event.objects.filter(kind="slots").count() == 1


def test_nothing_is_written_into_a_conversation_that_has_ended(
    open_session: Opener, olga: Caller, program_of: ProgramOf
):
    session, program = open_session(kind="handoff"), program_of(olga)
    Conversation.objects.filter(pk=session.conversation_id).update(state="done")

    answers = [program.post(f"/sessions/{session.name}/{call}", **body) for call, body in CALLS]

    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(410, "gate_cancelled")] * 3
    assert answers[0].json()["detail"] == "This conversation has ended."
    assert not Event.objects.exists()
    assert set(Submission.objects.values_list("code", flat=True)) == {"gate_cancelled"}


def test_the_customer_leaves_the_queue_and_staff_cannot_do_it_for_them(
    open_session: Opener, olga: Caller, program_of: ProgramOf, visitor: Program
):
    session = open_session(kind="handoff")
    opened = visitor.post("/conversations", assistant="bank").json()
    HITLSession.objects.filter(pk=session.pk).update(conversation=opened["id"])
    path = f"/conversations/{opened['id']}/leave"

    staff = program_of(olga).post(path)
    answers = [Program(opened["token"]).post(path) for _ in range(2)]

    session.refresh_from_db()
    assert staff.status_code in (403, 404)
    assert [(answer.status_code, answer.json()["left"]) for answer in answers] == [(200, True), (200, False)]
    assert (session.state, session.reason) == ("cancelled", "customer_left")
    assert Event.objects.get(kind="hand_back").session == session


def test_a_line_with_a_key_that_was_sent_before_is_written_once(
    open_session: Opener, olga: Caller, program_of: ProgramOf
):
    session, program = open_session(kind="handoff"), program_of(olga)
    path, line = f"/sessions/{session.name}/say", {"text": "One moment, please.", "idempotency_key": "k1"}

    answers = [program.post(path, **line), program.post(path, **line), program.post(path, **{**line, "text": "No."})]
    in_header = program.send("POST", path, '{"text": "One moment, please."}', **{"Idempotency-Key": "k1"})

    assert [answer.status_code for answer in (*answers, in_header)] == [200, 200, 422, 200]
    assert answers[2].json()["code"] == "idempotency_key_reused"
    assert Message.objects.filter(role="operator").count() == 1
