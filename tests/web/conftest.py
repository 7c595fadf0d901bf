"""A transfer that waits for approval, the people around it, and their browsers."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dialogue.desk.access.people import Caller
from dialogue.models import Conversation
from dialogue.turns.accept import open_conversation
from tests.support.releases import demo, publish
from tests.support.transfers import person

Browser = Callable[[Caller | User], Client]


@pytest.fixture
def browser_of(db: None) -> Browser:
    """The browser of somebody who has signed in."""

    def signed_in(who: Caller | User) -> Client:
        client = Client(raise_request_exception=True)
        client.force_login(who if isinstance(who, User) else User.objects.get(pk=who.user))
        return client

    return signed_in


@pytest.fixture
def ursula(db: None) -> User:
    """An end user; she has no rights but her own chats."""
    return person("ursula", "Ursula Berg")


@pytest.fixture
def audrey(payments: object) -> Caller:
    """An auditor."""
    return Caller(person("audrey", "Audrey Stone", "auditors").pk, "page")


@pytest.fixture
def arthur(payments: object) -> Caller:
    """A flow author."""
    return Caller(person("arthur", "Arthur Penn", "flow authors").pk, "page")


@pytest.fixture
def own_chat(ursula: User) -> Conversation:
    """Ursula's chat with the bank."""
    publish(demo("bank"))
    return open_conversation("bank", user=ursula)[0]
