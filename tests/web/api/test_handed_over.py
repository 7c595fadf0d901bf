"""A chat that was handed over, over HTTP."""

import pytest

from dialogue.desk.door import Caller
from dialogue.models import Event
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
