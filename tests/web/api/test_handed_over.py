"""A chat that was handed over, over HTTP."""

import pytest

from dialogue.desk.door import Caller
from dialogue.models import Event, Message
from tests.transfers import Opener
from tests.web.api.conftest import ProgramOf

pytestmark = pytest.mark.django_db


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
