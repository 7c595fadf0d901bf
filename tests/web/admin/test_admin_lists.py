"""Lists of Django's admin: people, not ids, links to the console, and queries that do not grow with the rows."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dialogue.models import ActionRun, ApiToken, Event, Message, Submission, Turn
from dialogue.turns import clock
from dialogue.turns.accept import open_conversation
from tests.support.transfers import person, unsaved
from tests.support.web.pages import text_of

LISTS = ("conversation", "message", "turn", "event", "hitlsession", "submission", "actionrun", "apitoken", "release")


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root")


def test_a_conversation_stands_by_its_customer_with_a_link_to_the_console(browser_of, root, session):
    page = text_of(browser_of(root).get("/admin/dialogue/conversation/"))

    assert str(session.conversation.customer) in page
    assert f'href="/conversations/{session.conversation.pk}/"' in page
    assert "Select conversation" not in page


def test_a_gate_is_opened_from_its_row(browser_of, root, session):
    page = text_of(browser_of(root).get("/admin/dialogue/hitlsession/"))

    assert f'href="/gates/{session.name}/"' in page
    assert "Gates and chats" in page


def test_models_fields_and_states_are_named_in_the_readers_language(browser_of, root, session):
    browser, spanish = browser_of(root), {"Accept-Language": "es"}
    rows = text_of(browser.get("/admin/dialogue/hitlsession/", headers=spanish))
    kinds = text_of(browser.get("/admin/", headers=spanish))
    record = text_of(browser.get(f"/admin/dialogue/hitlsession/{session.pk}/change/", headers=spanish))

    assert "Ejecuciones de acciones" in kinds
    assert "<span>Estado</span>" in rows
    assert "Abierta" in rows
    assert "<span>Abierta el</span>" in record


def test_turns_and_events_are_found_by_the_conversation(browser_of, root, conversation):
    _fill("Anna Berg")
    address = f"/conversations/{Turn.objects.get().conversation_id}/"
    for name in ("turn", "event"):
        rows = text_of(browser_of(root).get(f"/admin/dialogue/{name}/?q={Turn.objects.get().conversation_id}"))
        none = text_of(browser_of(root).get(f"/admin/dialogue/{name}/?q=nothing-like-it"))

        assert address in rows
        assert address not in none


@pytest.mark.parametrize("name", LISTS)
def test_a_list_asks_the_database_as_often_for_many_conversations_as_for_few(browser_of, root, conversation, name):
    browser = browser_of(root)
    _fill("Anna Berg")
    few = _queries(browser, name)
    for customer in ("Ben Berg", "Cleo Berg", "Dora Berg"):
        _fill(customer)

    assert _queries(browser, name) <= few


def _fill(customer: str) -> None:
    """One row of every list, as turns and people would have left it, in a conversation of its own."""
    account, at = person(customer.split(maxsplit=1)[0].lower(), customer), clock.now()
    row = open_conversation("bank", user=account)[0]
    event = Event.objects.create(conversation=row, number=1, kind="message", payload={}, accepted_at=at)
    Turn.objects.create(
        conversation=row,
        number=1,
        event=event,
        release=row.release,
        record={},
        state="done",
        milliseconds=1,
        finished_at=at,
    )
    Message.objects.create(conversation=row, seq=1, ordinal=1, role="user", text="hello", at=at)
    ActionRun.objects.create(conversation=row, key=str(row.pk), action="send_money", epoch=1, intended_at=at)
    gate = unsaved(conversation=row, visit=1)
    gate.save(force_insert=True)
    Submission.objects.create(session=gate, accepted=True, operation="claim", through="page", status=200, at=at)
    ApiToken.objects.create(user=account, name=customer, sha256=str(account.pk).rjust(64, "0"))


def _queries(browser: Client, name: str) -> int:
    address = f"/admin/dialogue/{name}/"
    browser.get(address)
    with CaptureQueriesContext(connection) as queries:
        assert browser.get(address).status_code == 200
    return len(queries)
