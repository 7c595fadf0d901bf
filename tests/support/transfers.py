"""A transfer that waits for approval, and the people around it: fixtures for the rooms that deal with sessions."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import Group, User

from dialogue.desk.access.people import Caller
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import form_schema
from dialogue.models import Conversation, HITLSession
from dialogue.turns import clock
from dialogue.turns.accept import open_conversation
from tests.support.releases import demo, publish

NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)

FORM = {
    "daily_limit": Slot.model_validate({"type": "integer", "minimum": 0, "maximum": 10000, "required": False}),
    "reason": Slot.model_validate({"type": "text", "required": False}),
}
ACTIONS = [
    {"id": "approve", "label": "Approve", "style": "primary", "reason": False},
    {"id": "reject", "label": "Reject", "style": "default", "reason": "required"},
]
SHOWN = [
    {"name": "amount", "value": "8450.00", "shown": "€8,450.00", "source": "user", "turn": 1, "sensitive": False},
    {
        "name": "iban",
        "value": "DE89370400440532013000",
        "shown": "DE89370400440532013000",
        "source": "user",
        "turn": 1,
        "sensitive": True,
    },
]

Opener = Callable[..., HITLSession]


@pytest.fixture
def noon() -> Any:
    with clock.frozen(NOON) as standing:
        yield standing


@pytest.fixture
def payments(db: None) -> Group:
    """The queue's group."""
    return Group.objects.get_or_create(name="payments")[0]


@pytest.fixture
def conversation(db: None) -> Conversation:
    publish(demo("bank"))
    return open_conversation("bank", user_ref="Ursula", vouched=True)[0]


@pytest.fixture
def open_session(conversation: Conversation, payments: Group) -> Opener:
    """Opens a session as the engine's turn would; each has a visit of its own."""

    def opened(**changes: Any) -> HITLSession:
        usual = {"conversation": conversation, "release": conversation.release, "group": payments}
        session = unsaved(**{**usual, "visit": HITLSession.objects.count() + 1, **changes})
        session.save(force_insert=True)
        return session

    return opened


def unsaved(*, conversation: Conversation, **changes: Any) -> HITLSession:
    """A session of this conversation's that is in no table yet."""
    at = clock.now()
    row = {
        "uid": uuid4(),
        "conversation": conversation,
        "release": conversation.release,
        "flow": "transfer_money",
        "frame": "transfer_money-1",
        "step": "approval",
        "kind": "human",
        "audience": "staff",
        "title": "Approve transfer",
        "schema": form_schema(FORM),
        "actions": ACTIONS,
        "shown": SHOWN,
        "opened_at": at,
        "expires_at": at + timedelta(minutes=30),
        "urgent_at": at + timedelta(minutes=30),
        "on_timeout": "reject",
        **changes,
    }
    return HITLSession(**row)


@pytest.fixture
def session(open_session: Opener) -> HITLSession:
    return open_session()


def person(username: str, full_name: str, *groups: str, **changes: Any) -> User:
    """An account in these groups."""
    first, _, last = full_name.partition(" ")
    user, _ = User.objects.get_or_create(
        username=username, defaults={"first_name": first, "last_name": last, **changes}
    )
    user.groups.set(Group.objects.get_or_create(name=group)[0] for group in groups)
    return user


@pytest.fixture
def olga(payments: Group) -> Caller:
    return Caller(person("olga", "Olga Petrov", "operators", "payments").pk, "api")


@pytest.fixture
def oscar(payments: Group) -> Caller:
    return Caller(person("oscar", "Oscar Lindt", "operators", "payments").pk, "api")


@pytest.fixture
def sofia(payments: Group) -> Caller:
    """A supervisor, of no queue."""
    return Caller(person("sofia", "Sofia Ruiz", "supervisors").pk, "api")
