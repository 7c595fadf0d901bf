"""Snoozing never reaches past the deadline, and what was just done is taken back by one line."""

from datetime import timedelta

import pytest

from dialogue.desk.access.people import read_person
from dialogue.desk.command_bar.bar import CommandResult, run_command
from dialogue.desk.command_bar.lines import parse_line
from dialogue.desk.queue.do_not_disturb import mute, mute_state_of
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Caller
from dialogue.models import HITLSession
from dialogue.turns.clock import FrozenClock
from tests.support.transfers import NOON, Opener

pytestmark = [pytest.mark.django_db, pytest.mark.database]
MINUTE = timedelta(minutes=1)


def done(line: str, caller: Caller) -> CommandResult:
    return run_command(parse_line(line), caller)


@pytest.mark.parametrize("minutes", [30, 60])
def test_a_gate_is_not_snoozed_until_or_past_its_deadline(
    minutes: int, noon: FrozenClock, session: HITLSession, olga: Caller
):
    with pytest.raises(service.Refused) as refused:
        service.snooze(session.pk, olga, minutes * MINUTE)

    session.refresh_from_db()
    assert (refused.value.status, refused.value.code) == (422, "invalid_value")
    assert "before it would come back" in refused.value.detail
    assert session.follow_up_at is None


def test_a_gate_without_a_deadline_is_snoozed_for_as_long_as_anybody_likes(
    noon: FrozenClock, open_session: Opener, olga: Caller
):
    session = open_session(expires_at=None)

    service.snooze(session.pk, olga, timedelta(days=3))

    session.refresh_from_db()
    assert session.follow_up_at == NOON + timedelta(days=3)


def test_a_snooze_is_taken_back_and_so_is_a_second_one_to_the_first(
    noon: FrozenClock, session: HITLSession, olga: Caller
):
    first = done(f"snooze {session.name} 20m", olga)
    second = done(f"snooze {session.name} 5m", olga)
    assert (first.undo, second.undo) == (f"unsnooze {session.name}", f"snooze {session.name} 20m")

    done(second.undo, olga)
    session.refresh_from_db()
    assert session.follow_up_at == NOON + 20 * MINUTE
    done(first.undo, olga)

    session.refresh_from_db()
    assert session.follow_up_at is None


def test_a_claim_is_taken_back_by_giving_it_back_and_the_other_way_round(session: HITLSession, olga: Caller):
    claimed = done(f"claim {session.name}", olga)
    again = done(f"claim {session.name}", olga)
    released = done(claimed.undo, olga)
    back = done(released.undo, olga)

    assert [each.undo for each in (claimed, again, released)] == [
        f"release {session.name}",
        "",  # she had it already
        f"claim {session.name}",
    ]
    assert back.session is not None and back.session.assignee_id == olga.user


def test_what_somebody_else_took_meanwhile_is_not_taken_back(session: HITLSession, olga: Caller, oscar: Caller):
    done(f"claim {session.name}", olga)
    released = done(f"release {session.name}", olga)
    done(f"claim {session.name}", oscar)

    with pytest.raises(service.Refused) as refused:
        done(released.undo, olga)

    assert refused.value.code == "claimed_by_other"


def test_a_mute_is_taken_back_to_what_was_before(noon: FrozenClock, olga: Caller):
    person = read_person(olga.user)
    fresh = done("mute 1h", olga)
    longer = done("mute 2h", olga)
    loud = done("unmute", olga)
    assert (fresh.undo, longer.undo, loud.undo) == ("unmute", "mute 1h", "mute 2h")

    done(loud.undo, olga)

    assert mute_state_of(person).until == NOON + 120 * MINUTE
    mute(person.id, MINUTE)
    noon.advance(2 * MINUTE)
    assert done("unmute", olga).undo == ""


@pytest.mark.parametrize("line", ["expire {name} nobody comes", "submit {name} approve", "next"])
def test_what_has_left_the_system_is_not_offered_to_be_taken_back(line: str, session: HITLSession, olga: Caller):
    assert done(line.format(name=session.name), olga).undo == ""
