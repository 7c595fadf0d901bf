"""Being left in peace: what falls silent, what never does, and what breaks through."""

from datetime import timedelta

import pytest

from dialogue.desk.access.people import read_person
from dialogue.desk.command_bar import bar
from dialogue.desk.command_bar.lines import parse_line
from dialogue.desk.forms.refusals import LineRefused
from dialogue.desk.queue import do_not_disturb
from dialogue.desk.queue.queue import waiting_for
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Caller
from dialogue.models import HITLSession
from dialogue.turns.clock import FrozenClock
from tests.support.transfers import NOON, Opener

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def say(line: str, caller: Caller) -> str:
    return bar.run_command(parse_line(line), caller).text


def test_the_line_says_until_when_it_is_quiet(noon: FrozenClock, olga: Caller):
    said = say("mute 1h", olga)

    assert said == "No toasts and no sound until 13:00; the counts stay."
    assert do_not_disturb.mute_state_of(read_person(olga.user)).until == NOON + HOUR


def test_a_silence_ends_by_itself_and_by_unmute(noon: FrozenClock, olga: Caller, oscar: Caller):
    say("mute 1h", olga)
    say("mute 1h", oscar)

    said = say("unmute", oscar)
    noon.advance(HOUR)

    assert said == "Notifications are on again."
    assert [do_not_disturb.mute_state_of(read_person(each.user)).until for each in (olga, oscar)] == [None, None]


def test_a_silence_is_one_persons_own(noon: FrozenClock, olga: Caller, oscar: Caller):
    say("mute 1h", olga)

    assert do_not_disturb.mute_state_of(read_person(oscar.user)).until is None


@pytest.mark.parametrize("line", ["mute 0m", "mute 2d"])
def test_a_silence_has_an_end_within_a_day(line: str, olga: Caller):
    with pytest.raises(LineRefused):
        say(line, olga)


def test_the_badge_counts_on_while_it_is_quiet(session: HITLSession, olga: Caller):
    say("mute 1h", olga)

    assert waiting_for(read_person(olga.user)).count() == 1


def test_only_a_gate_that_is_mine_breaks_through(noon: FrozenClock, open_session: Opener, olga: Caller, oscar: Caller):
    mine, his, _nobodys = open_session(), open_session(), open_session()
    service.claim(mine.pk, olga)
    service.claim(his.pk, oscar)
    say("mute 1h", olga)

    urgent = do_not_disturb.mute_state_of(read_person(olga.user)).urgent

    assert [(each.number, each.breaks_at) for each in urgent] == [(mine.pk, NOON + timedelta(minutes=25))]


def test_the_silence_as_data_names_the_moment_at_which_each_gate_breaks_it(
    noon: FrozenClock, session: HITLSession, olga: Caller
):
    service.claim(session.pk, olga)

    assert do_not_disturb.mute_state_of(read_person(olga.user)).plain() == {
        "until": None,
        "urgent": [
            {
                "number": session.pk,
                "title": "Approve transfer",
                "expires_at": "2026-11-23T12:30:00+00:00",
                "breaks_at": "2026-11-23T12:25:00+00:00",
            }
        ],
    }
