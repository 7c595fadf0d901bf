"""Saved replies: whose they are, who keeps the shared ones, and what is on record."""

import pytest

from dialogue.desk.access.people import Person, read_caller
from dialogue.desk.chats.saved_replies import (
    MAX_TEXT_CHARACTERS,
    ReplyNotFound,
    ReplyRefused,
    ReplyText,
    delete_reply,
    may_have_replies,
    replies_of,
    reply_of,
    save_reply,
)
from dialogue.desk.sessions.service import Caller
from dialogue.models import AuditDetail, AuditEntry, SavedReply
from tests.support.transfers import person

pytestmark = pytest.mark.django_db
HELLO = ReplyText("Hello", "Good morning, how can I help?")


def titles(who: Person, search: str = "") -> list[str]:
    return [row.title for row in replies_of(who, search).rows]


def test_everybody_has_their_own_replies_and_the_shared_ones(olga: Caller, oscar: Caller, sofia: Caller):
    save_reply(read_caller(olga), HELLO)
    save_reply(read_caller(sofia), ReplyText("Bye", "Thank you for your patience.", shared=True))

    assert titles(read_caller(olga)) == ["Bye", "Hello"]
    assert titles(read_caller(oscar)) == ["Bye"]


def test_a_reply_is_found_by_every_word_of_its_title_and_text(olga: Caller):
    save_reply(read_caller(olga), HELLO)
    save_reply(read_caller(olga), ReplyText("Hours", "We are here from nine to five."))

    assert titles(read_caller(olga), "help HELLO") == ["Hello"]
    assert titles(read_caller(olga), "hello nine") == []


def test_only_supervisors_keep_what_everybody_has(olga: Caller, sofia: Caller):
    shared = save_reply(read_caller(sofia), ReplyText("Bye", "Thank you.", shared=True))

    with pytest.raises(ReplyRefused) as refused:
        save_reply(read_caller(olga), ReplyText("Mine", "For all of you.", shared=True))
    with pytest.raises(ReplyNotFound):
        save_reply(read_caller(olga), HELLO, shared.pk)
    with pytest.raises(ReplyNotFound):
        delete_reply(read_caller(olga), shared.pk)

    assert set(refused.value.errors) == {"shared"}
    assert reply_of(read_caller(olga), shared.pk).text == "Thank you."


def test_a_reply_of_somebody_else_does_not_exist(olga: Caller, oscar: Caller):
    row = save_reply(read_caller(olga), HELLO)

    for act in (reply_of, delete_reply):
        with pytest.raises(ReplyNotFound):
            act(read_caller(oscar), row.pk)


@pytest.mark.parametrize(
    ("title", "text", "wrong"),
    [("", "x", {"title"}), (" ", "", {"title", "text"}), ("x" * 81, "x", {"title"}), ("x", "x" * 4_001, {"text"})],
)
def test_what_is_no_reply_is_refused_field_by_field(olga: Caller, title: str, text: str, wrong: set[str]):
    with pytest.raises(ReplyRefused) as refused:
        save_reply(read_caller(olga), ReplyText(title, text))

    assert set(refused.value.errors) == wrong
    assert not SavedReply.objects.exists()


def test_what_fits_is_kept_to_the_last_character(olga: Caller):
    row = save_reply(read_caller(olga), ReplyText(" Two \n words ", "ä" * MAX_TEXT_CHARACTERS))

    assert (row.title, len(row.text)) == ("Two words", MAX_TEXT_CHARACTERS)


def test_each_change_is_on_record_with_its_text_beside_it(olga: Caller):
    row = save_reply(read_caller(olga), HELLO)
    save_reply(read_caller(olga), ReplyText("Hello", "Good evening."), row.pk)
    delete_reply(read_caller(olga), row.pk)

    acts = AuditEntry.objects.filter(subject=f"reply {row.pk}").order_by("number")
    assert [entry.act for entry in acts] == ["reply.saved", "reply.saved", "reply.deleted"]
    assert {entry.actor for entry in acts} == {"Olga Petrov"}
    assert "Good" not in str([entry.facts for entry in acts])
    assert AuditDetail.objects.filter(entry__in=acts).count() == 3


def test_auditors_and_end_users_have_no_replies(payments: object):
    audrey = person("audrey", "Audrey Stone", "auditors")
    ursula = person("ursula", "Ursula Berg")

    assert not may_have_replies(read_caller(Caller(audrey.pk, "page")))
    assert not may_have_replies(read_caller(Caller(ursula.pk, "page")))
