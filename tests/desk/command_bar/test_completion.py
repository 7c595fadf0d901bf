"""What the command bar offers for a line that is half typed."""

import pytest

from dialogue.desk.access.people import read_person
from dialogue.desk.command_bar.completion import complete_line
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Caller
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import form_schema
from dialogue.models import HITLSession
from tests.support.transfers import Opener, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def gate(open_session: Opener) -> HITLSession:
    """A gate with a yes or no, a choice and an amount."""
    fields = {
        "agreed": {"type": "boolean"},
        "branch": {"type": "choice", "options": [{"value": "riverside"}, {"value": "old_town"}]},
        "limit": {"type": "integer"},
    }
    schema = form_schema({name: Slot.model_validate(field) for name, field in fields.items()})
    return open_session(number=712, schema=schema)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("cl", ["claim "]),
        ("s", ["submit ", "snooze "]),
        ("claim ", ["claim g712 "]),
        ("claim g7", ["claim g712 "]),
        ("claim g8", []),
        ("submit g712 ", ["submit g712 approve", "submit g712 reject"]),
        ("submit g712 re", ["submit g712 reject"]),
        ("snooze g712 1", ["snooze g712 1h", "snooze g712 1d"]),
        ("mute 3", ["mute 30m"]),
        ("@g7", ["@g712."]),
        ("@g712.", ["@g712.0 ", "@g712.1 ", "@g712.2 "]),
        ("@g712.0 ", ["@g712.0 yes", "@g712.0 no"]),
        ("input g712.1 riv", ["input g712.1 riverside"]),
        ("@g712.2 ", []),
        ("@g712.9 ", []),
        ("@approval.li", []),
        ("next ", []),
        ("dance", []),
        ("@g99999999999999999999.0 ", []),
    ],
)
def test_a_line_is_completed_by_what_is_there(typed: str, offered: list[str], gate: HITLSession, olga: Caller):
    assert complete_line(typed, read_person(olga.user)) == offered


def test_a_gate_that_is_answered_is_not_offered_again(gate: HITLSession, olga: Caller):
    service.answer_field(gate.pk, 0, olga, True)

    assert complete_line("@g712.", read_person(olga.user)) == ["@g712.1 ", "@g712.2 "]


def test_nothing_is_offered_of_other_peoples_queues(gate: HITLSession):
    otto = read_person(person("otto", "Otto Klein", "operators").pk)

    assert [complete_line(line, otto) for line in ("claim g7", "@g712.", "submit g712 ")] == [[], [], []]


def test_not_more_is_offered_than_fits(open_session: Opener, olga: Caller):
    for _ in range(15):
        open_session()

    assert len(complete_line("claim g", read_person(olga.user))) == 12
