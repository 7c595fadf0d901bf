"""The permission alone shows nothing: a reason does, for a while, and the record has it."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dialogue.audit import chain
from dialogue.desk.access.people import Person, read_person
from dialogue.desk.access.redaction import redactor_for, sees_in_full
from dialogue.desk.access.unmasking import MAX_REASON_CHARACTERS, mask, shows_values, unmask, unmasked_until
from dialogue.desk.forms import refusals
from dialogue.desk.maintenance.erasure import erase_conversation
from dialogue.desk.sessions import serializers
from dialogue.models import AuditDetail, AuditEntry, Conversation, HITLSession, Unmasking
from dialogue.turns.clock import FrozenClock
from tests.support.soni_settings import change
from tests.support.transfers import person

pytestmark = [pytest.mark.django_db, pytest.mark.database]

IBAN, MASKED = "DE89370400440532013000", "•••• 3000"
WHY = "Complaint 4711: was the account the right one?"


def allowed(user: User) -> Person:
    """The same person, with the permission."""
    user.user_permissions.add(Permission.objects.get(codename="unmask_conversation"))
    return read_person(user.pk)


@pytest.fixture
def audrey(payments: object) -> Person:
    """An auditor who was given the permission."""
    return allowed(person("audrey", "Audrey Stone", "auditors"))


def shown_to(who: Person, session: HITLSession) -> str:
    return str({each["name"]: each for each in serializers.session_details(session, who)["values"]}["iban"]["shown"])


def test_the_permission_alone_shows_nothing(session: HITLSession, conversation: Conversation, audrey: Person):
    assert not shows_values(audrey, conversation)
    assert not sees_in_full(session, audrey)
    assert shown_to(audrey, session) == MASKED
    assert redactor_for(audrey, conversation)(f"to {IBAN}") == "to ••••"


def test_with_a_reason_the_values_are_shown_and_the_record_has_both(
    session: HITLSession, conversation: Conversation, audrey: Person, noon: FrozenClock
):
    until = unmask(conversation, audrey, f"  {WHY} ", "page")

    assert until == noon.at + timedelta(minutes=15)
    assert shown_to(audrey, session) == IBAN
    assert redactor_for(audrey, conversation)(f"to {IBAN}") == f"to {IBAN}"
    entry = AuditEntry.objects.get(act="conversation.unmasked")
    assert (entry.chain, entry.actor, entry.actor_id) == (str(conversation.pk), "Audrey Stone", audrey.id)
    assert entry.facts == {"through": "page", "until": until.isoformat()}
    assert AuditDetail.objects.get(entry=entry).text == {"reason": WHY}
    assert list(chain.verify()) == []


def test_after_its_time_the_values_are_masked_by_themselves(
    session: HITLSession, conversation: Conversation, audrey: Person, noon: FrozenClock
):
    unmask(conversation, audrey, WHY, "page")

    noon.advance(timedelta(minutes=15))

    assert unmasked_until(audrey, conversation) is None
    assert shown_to(audrey, session) == MASKED


def test_how_long_is_a_setting(conversation: Conversation, audrey: Person, noon: FrozenClock, settings: object):
    change(settings, UNMASKED_FOR=timedelta(minutes=2))

    assert unmask(conversation, audrey, WHY, "api") == noon.at + timedelta(minutes=2)


def test_asked_for_again_it_lasts_anew_in_the_same_row_and_is_on_record_again(
    conversation: Conversation, audrey: Person, noon: FrozenClock
):
    unmask(conversation, audrey, WHY, "page")
    noon.advance(timedelta(minutes=10))

    until = unmask(conversation, audrey, "Another question", "page")

    row = Unmasking.objects.get()
    assert (row.reason, row.until) == ("Another question", until)
    assert AuditEntry.objects.filter(act="conversation.unmasked").count() == 2


def test_masking_again_ends_it_at_once_and_is_on_record_once(conversation: Conversation, audrey: Person):
    unmask(conversation, audrey, WHY, "page")

    mask(conversation, audrey, "page")
    mask(conversation, audrey, "page")

    assert not shows_values(audrey, conversation)
    assert AuditEntry.objects.filter(act="conversation.masked").count() == 1
    assert list(chain.verify()) == []


@pytest.mark.parametrize(
    ("reason", "refusal"),
    [
        ("", refusals.ReasonRequired),
        (" \n\t ", refusals.ReasonRequired),
        ("x" * (MAX_REASON_CHARACTERS + 1), refusals.InvalidValue),
    ],
)
def test_a_reason_that_says_nothing_or_too_much_shows_nothing(
    reason: str, refusal: type[Exception], conversation: Conversation, audrey: Person
):
    with pytest.raises(refusal):
        unmask(conversation, audrey, reason, "page")

    assert not shows_values(audrey, conversation)
    assert not AuditEntry.objects.filter(act="conversation.unmasked").exists()


def test_a_reason_with_characters_that_no_database_keeps_is_kept_without_them(
    conversation: Conversation, audrey: Person
):
    unmask(conversation, audrey, "why\0not\ud800", "page")

    assert Unmasking.objects.get().reason == "why\ufffdnot\ufffd"


def unmask_for_a_reason(conversation: Conversation, who: Person, through: str) -> None:
    unmask(conversation, who, WHY, through)


@pytest.mark.parametrize("act", [unmask_for_a_reason, mask])
def test_who_has_no_permission_is_told_so_whoever_they_are(
    act: Callable[[Conversation, Person, str], None], conversation: Conversation
):
    for user in (person("sofia", "Sofia Ruiz", "supervisors"), person("root", "Rut Berg", is_superuser=True)):
        with pytest.raises(refusals.NotAllowed):
            act(conversation, read_person(user.pk), "page")

    assert not Unmasking.objects.exists()


def test_it_is_for_one_person_and_one_conversation(conversation: Conversation, session: HITLSession, audrey: Person):
    root = allowed(person("root", "Rut Berg", is_superuser=True))
    other = Conversation.objects.create(assistant=conversation.assistant, release=conversation.release)

    unmask(conversation, audrey, WHY, "page")

    assert not shows_values(root, conversation)
    assert not shows_values(audrey, other)
    assert shown_to(root, session) == MASKED


def test_who_loses_the_permission_sees_the_mask_at_once(conversation: Conversation, audrey: Person):
    unmask(conversation, audrey, WHY, "page")

    User.objects.get(pk=audrey.id).user_permissions.clear()

    assert not shows_values(read_person(audrey.id), conversation)


def test_asking_costs_one_read_with_the_permission_and_none_without(conversation: Conversation, audrey: Person):
    sofia = read_person(person("sofia", "Sofia Ruiz", "supervisors").pk)

    with CaptureQueriesContext(connection) as queries:
        shows_values(audrey, conversation)
        shows_values(sofia, conversation)

    reads = [each["sql"] for each in queries if "dialogue_unmasking" in each["sql"]]
    assert len(queries) - len([each for each in queries if "clock_timestamp" in each["sql"]]) == len(reads) == 1


def test_erasing_a_conversation_takes_the_reason_with_it_and_leaves_the_chain_whole(
    conversation: Conversation, audrey: Person
):
    unmask(conversation, audrey, WHY, "page")

    erase_conversation(conversation.pk, audrey, "asked for")

    assert not Unmasking.objects.exists()
    assert WHY not in str(list(AuditDetail.objects.values_list("text", flat=True)))
    assert list(chain.verify()) == []
