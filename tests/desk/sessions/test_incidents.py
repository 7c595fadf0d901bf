"""A turn that failed three times waits for a person, who lets it run again or gives it up."""

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from dialogue.desk.access.people import Person, read_person
from dialogue.desk.sessions.incidents import TurnNotStuck, abandon_turn, incidents_of, retry_turn
from dialogue.models import AuditEntry, Conversation, Event
from dialogue.turns.accept import Incoming, accept, open_conversation
from tests.support.releases import GREETER, publish
from tests.support.web.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def sofia() -> User:
    user = User.objects.create_user("sofia")
    user.groups.add(Group.objects.get(name="supervisors"))
    return user


@pytest.fixture
def supervisor(sofia: User) -> Person:
    return read_person(sofia.pk)


@pytest.fixture
def failed() -> Conversation:
    """A conversation whose only message failed three times."""
    publish(GREETER)
    conversation, _ = open_conversation("greeter", user_ref="Ursula")
    accept(conversation.pk, Incoming("message", "m1", {"text": "hello"}, text="hello"))
    Event.objects.update(state=Event.State.INCIDENT, attempts=3, reference="abc123", error="OSError: no network")
    Conversation.objects.update(state=Conversation.State.FAILED)
    conversation.refresh_from_db()
    return conversation


def test_a_failed_turn_is_due_again_with_fresh_attempts(failed: Conversation, supervisor: Person) -> None:
    retry_turn(failed.pk, 1, supervisor)

    event = Event.objects.get()
    assert (event.state, event.attempts) == (Event.State.DUE, 0)
    assert AuditEntry.objects.get().act == "turn.retried"


def test_a_turn_that_is_given_up_lets_the_conversation_go_on(failed: Conversation, supervisor: Person) -> None:
    abandon_turn(failed.pk, 1, supervisor, "sent by letter")

    failed.refresh_from_db()
    assert failed.state == Conversation.State.IDLE
    assert Event.objects.get().state == Event.State.ABANDONED
    assert not incidents_of(failed).exists()


def test_who_comes_second_changes_nothing(failed: Conversation, supervisor: Person) -> None:
    retry_turn(failed.pk, 1, supervisor)

    with pytest.raises(TurnNotStuck):
        abandon_turn(failed.pk, 1, supervisor)
    assert Event.objects.get().state == Event.State.DUE


def test_a_supervisor_sees_the_failed_turn_and_runs_it_again(failed: Conversation, sofia: User, client: Client) -> None:
    client.force_login(sofia)
    page = text_of(client.get(f"/conversations/{failed.pk}/"))
    assert "reference abc123" in page and "OSError: no network" in page

    client.post(f"/conversations/{failed.pk}/incidents/1/retry/")

    assert Event.objects.get().state == Event.State.DUE


def test_an_operator_may_not_mend(failed: Conversation, client: Client) -> None:
    olga = User.objects.create_user("olga")
    olga.groups.add(Group.objects.get(name="operators"))
    client.force_login(olga)

    assert client.post(f"/conversations/{failed.pk}/incidents/1/retry/").status_code == 404
    assert Event.objects.get().state == Event.State.INCIDENT
