"""Who may decide reads what they decide on, once on record; everybody else reads the mask."""

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dialogue.desk.access.people import read_link_holder, read_person
from dialogue.desk.access.redaction import SEEN_IN_FULL, shows_in_full
from dialogue.desk.sessions import serializers, service
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import AnswerLink, AuditEntry, HITLSession
from tests.support.transfers import Opener, person

pytestmark = [pytest.mark.django_db, pytest.mark.database]

IBAN = "DE89370400440532013000"
MASKED = "•••• 3000"


def shown_to(who: Caller, session: HITLSession) -> str:
    session.refresh_from_db()
    values = {each["name"]: each for each in serializers.session_details(session, read_person(who.user))["values"]}
    assert values["iban"]["value"] == values["iban"]["shown"]
    return str(values["iban"]["shown"])


def looks() -> list[tuple[str, int]]:
    entries = AuditEntry.objects.filter(act=SEEN_IN_FULL).order_by("pk")
    return [(entry.actor, entry.facts["version"]) for entry in entries]


@pytest.fixture
def audrey(payments: object) -> Caller:
    return Caller(person("audrey", "Audrey Stone", "auditors").pk, "page")


def test_who_may_decide_reads_the_values_in_full(session: HITLSession, olga: Caller, sofia: Caller):
    assert [shown_to(olga, session), shown_to(sofia, session)] == [IBAN, IBAN]


def test_who_may_only_look_reads_the_mask(session: HITLSession, audrey: Caller):
    assert shown_to(audrey, session) == MASKED
    assert looks() == []


def test_a_superuser_who_is_no_operator_reads_the_mask(session: HITLSession):
    root = person("root", "Rut Berg", is_superuser=True)

    assert shown_to(Caller(root.pk, "api"), session) == MASKED


def test_a_gate_of_another_queue_is_masked_for_who_sees_every_queue(session: HITLSession):
    otto = person("otto", "Otto Klein", "operators")
    otto.user_permissions.add(Permission.objects.get(codename="view_every_hitlsession"))

    assert shown_to(Caller(otto.pk, "api"), session) == MASKED


def test_a_look_is_on_record_once_a_person_and_version(session: HITLSession, olga: Caller, oscar: Caller):
    for who in (olga, olga, oscar, olga):
        shown_to(who, session)
    service.claim(session.pk, olga)
    shown_to(olga, session)

    assert looks() == [("Olga Petrov", 1), ("Oscar Lindt", 1), ("Olga Petrov", 2)]


def test_looking_again_writes_nothing(session: HITLSession, olga: Caller):
    who = read_person(olga.user)
    shows_in_full(session, who)

    with CaptureQueriesContext(
        connection,
    ) as queries:
        shows_in_full(session, who)

    assert [query["sql"].split()[0] for query in queries] == ["SELECT"]


def test_a_gate_that_hides_nothing_leaves_no_record(open_session: Opener, olga: Caller):
    plain = open_session(shown=[])

    serializers.session_details(plain, read_person(olga.user))

    assert looks() == []


def test_after_the_decision_everybody_reads_the_mask(session: HITLSession, olga: Caller, oscar: Caller):
    service.submit(session.pk, olga, Answer("approve"))

    assert [shown_to(olga, session), shown_to(oscar, session)] == [MASKED, MASKED]


def test_lists_show_no_value_at_all(session: HITLSession):
    assert IBAN not in str(serializers.session_summary(session))


def test_the_history_of_a_gate_is_not_filled_with_looks(session: HITLSession, olga: Caller):
    shown_to(olga, session)

    assert serializers.session_history(session, str) == []


def test_the_holder_of_a_link_reads_the_mask(link: AnswerLink):
    assert shows_in_full(link.session, read_link_holder(link.pk)) is False
    assert looks() == []
