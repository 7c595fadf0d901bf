"""The operator's lines: read into commands, carried out through the door, refused in words."""

import json
from datetime import timedelta

import pytest

from dialogue.desk.command_bar import bar, lines
from dialogue.desk.command_bar.lines import FieldRef, NamedFieldRef, parse_chat_line, parse_line
from dialogue.desk.forms.refusals import LineRefused
from dialogue.desk.forms.sentences import clock_time
from dialogue.desk.sessions import service
from dialogue.desk.sessions.drafts import answers_of
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import HITLSession
from dialogue.turns.clock import FrozenClock
from tests.support.transfers import ACTIONS, Opener

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("input g12.0 yes", lines.Input(FieldRef(12, 0), "yes")),
        ("@g12.0 yes", lines.Input(FieldRef(12, 0), "yes")),
        ("@g12 yes please", lines.Input(FieldRef(12), "yes please")),
        ("@G12.1   [1, 2]  ", lines.Input(FieldRef(12, 1), "[1, 2]")),
        ("@g12.0", lines.Input(FieldRef(12, 0), "")),
        ("@g12.0\tyes", lines.Input(FieldRef(12, 0), "yes")),
        ("submit\u00a0g12  approve", lines.Submit(12, "approve")),
        ("@approval.daily_limit 7.5k", lines.Input(NamedFieldRef("approval", "daily_limit"), "7.5k")),
        ("submit g12 approve", lines.Submit(12, "approve")),
        ("submit g12 reject it is late", lines.Submit(12, "reject", "it is late")),
        ("CLAIM g12", lines.Claim(12)),
        ("release g12", lines.Release(12)),
        ("expire g12 nobody comes", lines.Expire(12, "nobody comes")),
        ("cancel g12 a mistake", lines.Cancel(12, "a mistake")),
        ("snooze g12 1h", lines.Snooze(12, HOUR)),
        ("unsnooze g12", lines.Unsnooze(12)),
        ("next", lines.Next()),
        ("mute 1h", lines.Mute(HOUR)),
        (" unmute ", lines.Unmute()),
    ],
)
def test_a_line_is_read_into_its_command(line, command):
    assert parse_line(line) == command


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "“” is not a command. Choose: @g12, input, submit, claim"),
        ("approve g12", "“approve” is not a command."),
        ("claim", "“” is not a gate. Write it like g12, as in: claim g12"),
        ("claim 12", "“12” is not a gate."),
        ("claim g12.0", "“g12.0” is not a gate."),
        ("@g12.x yes", "“g12.x” is not a field. Write it like g12.0, as in: @g12.0 yes"),
        ("@12 yes", "“12” is not a field."),
        ("@g" + "9" * 30 + " yes", "is not a field."),
        ("snooze g12 soon", "“soon” is not a duration. Write one such as 30m or 1h, as in: snooze g12 1h"),
        ("mute", "“” is not a duration."),
        ("next g12", "“next” takes nothing after it."),
    ],
)
def test_a_line_that_is_none_says_what_to_write(line, told):
    with pytest.raises(LineRefused) as refused:
        parse_line(line)

    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("@g12.0 yes", lines.Input(FieldRef(12, 0), "yes")),
        ("@@g12 is our code", lines.Say("@g12 is our code")),
        ("@olga hello", lines.Say("@olga hello")),
        ("claim g12", lines.Say("claim g12")),
    ],
)
def test_only_a_gates_name_leads_out_of_the_chat(line, read):
    assert parse_chat_line(line) == read


def test_the_bar_says_what_it_understood():
    assert str(parse_line("@g12.0 yes")) == "Answer g12.0 with “yes”"
    assert str(parse_line("snooze g12 1h30m")) == "Snooze g12 for 1h30m"


def done(line: str, caller: Caller) -> bar.CommandResult:
    return bar.run_command(parse_line(line), caller)


@pytest.mark.django_db
def test_gates_are_answered_one_by_one_and_submitted_with_the_chosen_action(noon, session: HITLSession, olga: Caller):
    name = session.name

    replies = [done(f"@{name}.0 9000", olga), done(f"@{name} because", olga), done(f"submit {name} approve", olga)]

    session.refresh_from_db()
    assert [reply.text for reply in replies] == [
        f"{name}.0 is answered.",
        f"{name}.1 is answered.",
        f"{name}: Olga Petrov approved at 12:00",
    ]
    assert session.values == {"daily_limit": 9000, "reason": "because"}


@pytest.mark.django_db
def test_a_session_with_several_open_gates_lists_them_and_the_ways_to_decide(session: HITLSession, olga: Caller):
    with pytest.raises(LineRefused) as refused:
        done(f"@{session.name} yes", olga)

    name = session.name
    choices = f"@{name}.0 (daily_limit), @{name}.1 (reason), submit {name} approve, submit {name} reject"
    assert str(refused.value) == f"{name} does not have exactly one unanswered field. Choose: {choices}."


@pytest.mark.django_db
def test_a_gate_is_named_by_step_and_field(session: HITLSession, olga: Caller):
    done("@approval.daily_limit 9000", olga)

    assert answers_of(session) == {"daily_limit": 9000}


@pytest.mark.django_db
def test_a_wrong_answer_is_told_and_not_kept(session: HITLSession, olga: Caller):
    with pytest.raises(service.Refused) as refused:
        done("@approval.daily_limit 7.5k", olga)

    assert (refused.value.status, answers_of(session)) == (422, {})
    assert refused.value.detail == f"{session.name}.0: “7.5k” is not a whole number. Write digits only, such as 9000."


@pytest.mark.django_db
def test_a_form_without_fields_takes_the_action_in_place_of_a_value(open_session: Opener, olga: Caller):
    session = open_session(schema={}, actions=json.loads(json.dumps(ACTIONS)))

    reply = done(f"@{session.name} Approve", olga)

    assert reply.status == 201


@pytest.mark.django_db
def test_the_lines_go_through_the_same_door(noon: FrozenClock, session: HITLSession, olga: Caller, oscar: Caller):
    name = session.name
    texts = [done(f"{line} {name}", olga).text for line in ("claim", "release")]
    texts.append(done(f"snooze {name} 15m", olga).text)
    texts.append(done(f"expire {name} nobody comes", olga).text)

    with pytest.raises(service.Refused) as refused:
        done(f"submit {name} approve", oscar)

    assert texts == [
        f"You have {name}.",
        f"{name} is back in the queue.",
        f"{name} is snoozed until {clock_time(session.opened_at + 15 * MINUTE)}.",
        f"{name} has expired.",
    ]
    assert refused.value.code == "gate_expired"


@pytest.mark.django_db
def test_next_is_the_most_urgent_that_waits_for_me(open_session: Opener, olga: Caller, oscar: Caller):
    taken, mine, later = open_session(), open_session(), open_session()
    service.claim(taken.pk, oscar)
    HITLSession.objects.filter(pk=later.pk).update(priority=-1)

    first = done("next", olga)
    service.submit(mine.pk, olga, Answer("approve"))
    service.snooze(later.pk, olga, 15 * MINUTE)
    nothing = done("next", olga)

    assert (first.session, nothing.session, nothing.text) == (mine, None, "Nothing waits for you.")


@pytest.mark.django_db
def test_an_operator_of_another_queue_is_told_that_there_is_no_such_gate(session: HITLSession, payments):
    from tests.support.transfers import person

    nils = Caller(person("nils", "Nils Berg", "operators").pk, "bar")

    with pytest.raises(service.Refused) as refused:
        done(f"@{session.name}.0 9000", nils)

    assert refused.value.status == 404
