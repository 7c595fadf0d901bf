"""Who may know of which session: SQL says it for lists, Python for rows that were read for many, and they agree."""

from datetime import timedelta
from itertools import product

import pytest
from django.contrib.auth.models import Group

from dialogue.desk.access.people import DECIDE, EXPORT, SEE_EVERY, TEST, Person, Right, may_see, visible_sessions
from dialogue.models import Conversation, HITLSession, Trial
from dialogue.turns import clock
from dialogue.turns.accept import open_conversation
from tests.support.transfers import person

RIGHTS = [set(), {DECIDE}, {TEST}, {DECIDE, TEST}, {SEE_EVERY}, {DECIDE, EXPORT}]


@pytest.fixture
def sessions(open_session, conversation, payments) -> list[HITLSession]:
    """One for each way in which sessions differ to who looks."""
    olga = person("olga", "Olga Petrov")
    other = Group.objects.create(name="cards")
    at = clock.now() + timedelta(minutes=1)
    chats = [conversation, *(open_conversation("bank", user=user, test=test)[0] for user, test in _chats(olga))]
    chats += [_private_to(owner) for owner in (olga, None)]
    queues = [{"group": None}, {"group": payments}, {"group": other}, {"group": other, "escalates_to": payments}]
    queues.append({"group": other, "escalates_to": payments, "escalated_at": at})
    return [
        open_session(conversation=chat, audience=audience, **queue)
        for chat, audience, queue in product(chats, ("staff", "user"), queues)
    ]


def _private_to(owner):
    """A test that was made of a real conversation."""
    chat, _token = open_conversation("bank", test=True)
    Trial.objects.create(conversation=chat, owner=owner, private=True)
    return chat


def _chats(olga):
    return [(olga, False), (olga, True), (None, True)]


def test_a_row_in_hand_is_seen_by_those_whose_lists_show_it(sessions, payments):
    olga = person("olga", "Olga Petrov")
    rows = list(HITLSession.objects.select_related("conversation"))
    people = [
        Person(user, "", frozenset(rights), frozenset(groups), superuser)
        for user, rights, groups, superuser in product((olga.pk, 0), RIGHTS, ([], [payments.pk]), (False, True))
    ]
    people.append(Person(0, "by mail", frozenset(), frozenset(), only_session=rows[3].pk))

    for who in people:
        listed = set(visible_sessions(who).values_list("pk", flat=True))
        assert {row.pk for row in rows if may_see(who, row)} == listed, who


def test_every_chat_of_the_table_differs(sessions):
    assert Conversation.objects.count() == 6
    assert len(sessions) == 60


def test_a_private_test_is_decided_by_its_owner_only(open_session, payments):
    olga = person("olga", "Olga Petrov")
    session = open_session(conversation=_private_to(olga), group=None)
    owner, other = (Person(user, "", frozenset({TEST}), frozenset()) for user in (olga.pk, olga.pk + 1))

    assert owner.may(Right.DECIDE, session)
    assert not other.may(Right.DECIDE, session)
