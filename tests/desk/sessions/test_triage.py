"""Priorities and tags: who may give them, what they change, and what they leave alone."""

import pytest

from dialogue.desk.access.people import read_person
from dialogue.desk.queue.queue import SessionFilter, sessions_page
from dialogue.desk.sessions import serializers, service
from dialogue.desk.sessions.service import Answer, Caller, Refused
from dialogue.desk.sessions.triage import tags_of
from dialogue.models import AuditEntry, HITLSession
from tests.support.transfers import Opener, person

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_a_higher_priority_stands_before_a_lower_one_of_the_same_deadline(
    noon: object, open_session: Opener, olga: Caller
):
    first, second = open_session(), open_session()

    service.prioritise(second.pk, olga, 2)

    listed = sessions_page(read_person(olga.user), SessionFilter()).rows
    assert [row.pk for row in listed] == [second.pk, first.pk]
    assert AuditEntry.objects.get(act="session.prioritise").facts["priority"] == 2


def test_tags_replace_each_other_and_are_kept_tidy(session: HITLSession, olga: Caller):
    service.set_tags(session.pk, olga, ["Fraud", "  month   end ", "fraud", ""])
    service.set_tags(session.pk, olga, ["month end", "VIP"])

    assert tags_of(session) == ["month end", "vip"]
    assert [entry.facts["tags"] for entry in AuditEntry.objects.filter(act="session.tag").order_by("pk")] == [
        ["fraud", "month end"],
        ["month end", "vip"],
    ]


def test_a_tag_makes_nobodys_form_stale_and_a_priority_does(session: HITLSession, olga: Caller, oscar: Caller):
    service.set_tags(session.pk, oscar, ["vip"])
    service.claim(session.pk, olga, version=1)
    service.prioritise(session.pk, oscar, 1)

    with pytest.raises(Refused) as refused:
        service.submit(session.pk, olga, Answer("approve"), version=2)

    assert refused.value.code == "stale_version"


def test_lists_are_filtered_by_a_tag(open_session: Opener, olga: Caller):
    tagged, _other = open_session(), open_session()
    service.set_tags(tagged.pk, olga, ["vip"])

    found = sessions_page(read_person(olga.user), SessionFilter(tag="vip")).rows

    assert [row.pk for row in found] == [tagged.pk]
    assert serializers.session_summary(tagged)["tags"] == ["vip"]


@pytest.mark.parametrize(
    ("tags", "told"),
    [([f"tag {number}" for number in range(11)], "at most 10 tags"), (["x" * 41], "at most 40 characters")],
)
def test_too_many_or_too_long_tags_are_refused_and_nothing_changes(
    tags: list[str], told: str, session: HITLSession, olga: Caller
):
    with pytest.raises(Refused, match=told):
        service.set_tags(session.pk, olga, tags)

    assert tags_of(session) == []


def test_a_priority_has_limits(session: HITLSession, olga: Caller):
    with pytest.raises(Refused, match="from -100 to 100"):
        service.prioritise(session.pk, olga, 101)


@pytest.mark.parametrize("decided", [True, False])
def test_neither_is_for_who_may_not_decide_nor_for_what_is_over(
    decided: bool, session: HITLSession, olga: Caller, payments: object
):
    audrey = Caller(person("audrey", "Audrey Stone", "auditors").pk, "api")
    if decided:
        service.submit(session.pk, olga, Answer("approve"))
    who, status = (olga, 409) if decided else (audrey, 403)

    for attempt in (lambda: service.set_tags(session.pk, who, ["vip"]), lambda: service.prioritise(session.pk, who, 1)):
        with pytest.raises(Refused) as refused:
            attempt()
        assert refused.value.status == status
