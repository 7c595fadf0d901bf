"""One parser for the preview and for sending: what is shown as good is accepted, and what is refused is shown so."""

from collections.abc import Callable
from functools import partial

import pytest
from django.db import transaction

from dialogue.desk.command_bar import bar
from dialogue.desk.command_bar.lines import parse_line
from dialogue.desk.command_bar.preview import example_for, preview_command
from dialogue.desk.forms.refusals import LineRefused
from dialogue.desk.sessions import service
from dialogue.desk.sessions.drafts import answers_of
from dialogue.desk.sessions.service import Answer, Caller, Refused
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import form_schema
from dialogue.models import AuditEntry, Draft, HITLSession, Submission
from tests.support.transfers import Opener, person

pytestmark = [pytest.mark.django_db, pytest.mark.database]
YES_OR_NO = form_schema({"agreed": Slot.model_validate({"type": "boolean"})})
NOTHING_NEEDED = [{"id": "done", "label": "All done", "style": "default"}]

LINES = """
@{g} approve | @{g} Approve | @{g} reject | @{g} reject The IBAN is wrong | @{g} REJECT no | @{g} | @{g} yes | @{g} no
@{g} 9000 | @{g} done | @{g} All done | @{g}.0 | @{g}.0 yes | @{g}.0 9000 | @{g}.0 99999 | @{g}.1 because | @{g}.7 yes
@approval.daily_limit 9000 | @approval.nothing 1 | @approval.agreed yes | input {g}.0 no | @g999999 approve
submit {g} | submit {g} approve | submit {g} reject | submit {g} reject because | submit {g} burn | submit {g} done
claim {g} | claim g999999 | release {g} | expire {g} | expire {g} nobody comes | cancel {g} | cancel {g} a mistake
snooze {g} 15m | snooze {g} 2h | unsnooze {g} | next | mute 1h | mute 9d | unmute | dance
"""


def free(session: HITLSession, olga: Caller, oscar: Caller) -> None:
    pass


def of_olga(session: HITLSession, olga: Caller, oscar: Caller) -> None:
    service.claim(session.pk, olga)


def of_oscar(session: HITLSession, olga: Caller, oscar: Caller) -> None:
    service.claim(session.pk, oscar)


def limit_answered(session: HITLSession, olga: Caller, oscar: Caller) -> None:
    if "daily_limit" in session.schema.get("properties", {}):
        service.answer_field(session.pk, 0, olga, 9000)


def decided(session: HITLSession, olga: Caller, oscar: Caller) -> None:
    service.cancel(session.pk, Caller(person("sofia", "Sofia Ruiz", "supervisors").pk, "api"), reason="a mistake")


def expired(session: HITLSession, olga: Caller, oscar: Caller) -> None:
    HITLSession.objects.filter(pk=session.pk).update(expires_at=session.opened_at)


def four_eyes(session: HITLSession, olga: Caller, oscar: Caller) -> None:
    HITLSession.objects.filter(pk=session.pk).update(four_eyes=True, claim_required=True)
    session.conversation.user_id = olga.user
    session.conversation.save(update_fields=["user"])


SITUATIONS = (free, of_olga, of_oscar, limit_answered, decided, expired, four_eyes)
GATES: dict[str, dict[str, object]] = {
    "limit and reason": {},
    "yes or no": {"schema": YES_OR_NO},
    "one action": {"schema": YES_OR_NO, "actions": NOTHING_NEEDED},
    "no fields": {"schema": {}},
    "nothing to choose": {"schema": {}, "actions": NOTHING_NEEDED},
    "its action is a value": {
        "schema": form_schema({"agreed": Slot.model_validate({"type": "choice", "options": ["approve", "wait"]})})
    },
}


def is_accepted(work: Callable[[], object]) -> tuple[bool, str]:
    try:
        work()
    except (Refused, LineRefused) as refused:
        return False, str(refused)
    return True, ""


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda each: each.__name__)
def test_a_line_is_shown_as_good_exactly_when_it_is_accepted(
    situation: Callable[..., None], gate: str, open_session: Opener, olga: Caller, oscar: Caller
):
    session = open_session(**GATES[gate])
    situation(session, olga, oscar)
    before, differ = _rows(), []

    for line in LINES.format(g=session.name).replace("\n", " | ").split(" | "):
        shown = is_accepted(partial(_previewed, line, olga))
        assert _rows() == before
        with transaction.atomic():
            sent = is_accepted(partial(_sent, line, olga))
            transaction.set_rollback(True)
        differ += [(line, shown, sent)] if shown != sent else []

    assert differ == []


def _previewed(line: str, caller: Caller) -> object:
    return preview_command(parse_line(line), caller)


def _sent(line: str, caller: Caller) -> object:
    return bar.run_command(parse_line(line), caller)


def _rows() -> list[object]:
    counts = [model.objects.count() for model in (Draft, Submission, AuditEntry)]
    return [*counts, *HITLSession.objects.values_list("pk", "version", "state", "follow_up_at")]


def test_an_action_is_taken_where_the_word_names_one(session: HITLSession, olga: Caller):
    assert preview_command(parse_line(f"@{session.name} approve"), olga).effect == f"Submit {session.name}: approve"

    reply = bar.run_command(parse_line(f"@{session.name} approve"), olga)

    session.refresh_from_db()
    assert (reply.status, session.handle) == (201, "approve")


def test_the_rest_of_the_line_is_the_reason(session: HITLSession, olga: Caller):
    bar.run_command(parse_line(f"@{session.name} reject The IBAN is wrong"), olga)

    session.refresh_from_db()
    assert (session.handle, session.reason) == ("reject", "The IBAN is wrong")


@pytest.mark.parametrize("gate", ["its action is a value", "limit and reason"])
def test_what_can_mean_two_things_is_asked_and_not_guessed(gate: str, open_session: Opener, olga: Caller):
    session = open_session(**GATES[gate])
    line = f"@{session.name} approve" if gate == "its action is a value" else f"@{session.name} reject as he says"
    if gate == "limit and reason":
        service.answer_field(session.pk, 0, olga, 9000)

    with pytest.raises(LineRefused) as refused:
        bar.run_command(parse_line(line), olga)

    assert "can mean two things" in str(refused.value) and f"submit {session.name}" in str(refused.value)
    session.refresh_from_db()
    assert session.state == "open"


def test_a_reference_alone_decides_nothing_even_where_there_is_one_action(open_session: Opener, olga: Caller):
    session = open_session(schema={}, actions=NOTHING_NEEDED)

    with pytest.raises(LineRefused):
        bar.run_command(parse_line(f"@{session.name}"), olga)

    session.refresh_from_db()
    assert session.state == "open"


def test_an_answer_that_decides_says_so_before_it_is_sent(open_session: Opener, olga: Caller):
    session = open_session(**GATES["one action"])

    told = preview_command(parse_line(f"@{session.name} yes"), olga)

    assert (told.effect, told.next) == (f"{session.name}.0 agreed = yes", "and sends “All done”")
    assert answers_of(session) == {}


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda each: each.__name__)
def test_the_example_works_for_the_gate_at_hand(
    situation: Callable[..., None], gate: str, open_session: Opener, olga: Caller, oscar: Caller
):
    session = open_session(**GATES[gate])
    situation(session, olga, oscar)
    session.refresh_from_db()

    line = example_for(session, olga)

    assert is_accepted(lambda: bar.run_command(parse_line(line), olga)) == (True, "")


def test_the_example_of_a_decided_gate_is_the_way_to_the_next(session: HITLSession, olga: Caller):
    service.submit(session.pk, olga, Answer("approve"))
    session.refresh_from_db()

    assert example_for(session, olga) == "next"
