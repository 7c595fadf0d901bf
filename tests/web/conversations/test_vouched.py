"""Who talks here, by whose word: an account's, a program's that may say it, or only the customer's own."""

import re
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core import mail
from django.core.management import call_command
from django.test import Client

from dialogue.desk.access.people import VOUCH, Caller
from dialogue.desk.maintenance.outbox import deliver_due
from dialogue.models import Conversation, HITLSession
from tests.support.answer_links import Asker, newest_token
from tests.support.releases import demo, publish
from tests.support.transfers import person, unsaved
from tests.support.web.pages import text_of
from tests.web.api.conftest import Program, token_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db

Opening = Callable[..., Conversation]
STATED, NAMES = "says: Olga Petrov", ("Olga Petrov", "Web Shop")


@pytest.fixture
def opened(payments: object) -> Opening:
    """Opens a conversation over HTTP that says to be Olga Petrov's, with a gate and a chat that wait in it."""
    publish(demo("bank"))

    def opened_by(program: Program, **body: Any) -> Conversation:
        answer = program.post("/conversations", assistant="bank", user_ref="Olga Petrov", **body)
        assert answer.status_code == 201, answer.content
        row = Conversation.objects.select_related("release", "user").get(pk=answer.json()["id"])
        unsaved(conversation=row, visit=1).save(force_insert=True)
        unsaved(conversation=row, visit=2, kind=HITLSession.Kind.HANDOFF).save(force_insert=True)
        return row

    return opened_by


@pytest.fixture
def stranger() -> Program:
    """A program without a token."""
    return Program()


@pytest.fixture
def service(db: None) -> User:
    """The account of a web shop's program."""
    return person("shop", "Web Shop")


def program_of(user: User) -> Program:
    return Program(token_of(Caller(user.pk, "api")))


def pages_of(row: Conversation) -> list[str]:
    """Every page on which staff see who the customer of a gate and of a chat is."""
    gate, chat = row.sessions.order_by("number")
    names = [f"/gates/{gate.name}/", f"/inbox/{chat.name}/", f"/conversations/{row.pk}/"]
    lists = ["/gates/?view=unassigned", "/inbox/", "/conversations/", "/admin/dialogue/conversation/"]
    return [*names, *lists, "/api/v1/sessions", f"/api/v1/sessions/{gate.name}", "/api/v1/conversations"]


SIGNED = re.compile(r'<bdi class="customer">Olga Petrov</bdi> <span class="unverified')
IN_SENTENCES = re.compile(
    r'(?:aria-label|placeholder|data-types|data-answered)="[^"]*Olga Petrov[^"]*"|<title>[^<]*|Olga Petrov asked'
)


def names_in(text: str) -> set[str]:
    """By which of these names the customer goes in a text; the reference that programs filter by is no name.

    Pages show a sign behind a stated name, and Django's admin the word. Where they have the sign, their sentences may
    use the name alone.
    """
    text = text.replace('"user_ref": "Olga Petrov"', "").replace("Olga Petrov (unverified)", STATED)
    if SIGNED.search(text):
        text = IN_SENTENCES.sub("", SIGNED.sub(STATED, text)).replace("Reply to Olga Petrov", "")
    plain = text.replace(STATED, "")
    stated = {STATED} if plain != text else set()
    return stated | {name for name in NAMES if name in plain}


def names_on(browser: Client, pages: list[str]) -> dict[str, set[str]]:
    return {page: names_in(text_of(browser.get(page))) for page in pages}


@pytest.fixture
def staff(sofia: Caller, browser_of: Browser) -> Client:
    User.objects.filter(pk=sofia.user).update(is_staff=True)
    return browser_of(sofia)


def test_what_a_stranger_says_of_themselves_is_a_name_on_no_page_and_in_no_answer(
    opened: Opening, stranger: Program, staff: Client
):
    row = opened(stranger)

    names = names_on(staff, pages_of(row))

    assert names == {page: {STATED} for page in pages_of(row)}
    assert STATED not in text_of(staff.get(f"/conversations/{row.pk}/"))


def test_nor_in_the_terminal_nor_for_who_is_asked_by_mail(opened: Opening, stranger: Program, ask: Asker):
    row, told = opened(stranger), StringIO()

    call_command("gates", stdout=told)
    call_command("conversations", "list", stdout=told)
    ask(row.sessions.order_by("number")[0])
    deliver_due()
    page = text_of(Client().get(f"/answer/{newest_token()}/"))

    assert [names_in(text) for text in (told.getvalue(), page)] == [{STATED}, {STATED}]
    assert not names_in(str(mail.outbox[-1].message()))


def test_a_program_that_may_say_who_the_customer_is_names_them(opened: Opening, service: User, staff: Client):
    service.user_permissions.add(Permission.objects.get(codename=VOUCH))

    row = opened(program_of(service), metadata={"tier": "gold"})

    assert names_on(staff, pages_of(row)) == {page: {"Olga Petrov"} for page in pages_of(row)}
    listed = staff.get("/api/v1/conversations").json()["conversations"][0]
    assert (listed["customer"], listed["vouched"]) == ("Olga Petrov", True)
    assert "<dd>gold</dd>" in text_of(staff.get(pages_of(row)[1]))


def test_a_program_that_may_not_stands_under_its_own_name(opened: Opening, service: User, staff: Client):
    row = opened(program_of(service))

    assert names_on(staff, pages_of(row)) == {page: {"Web Shop"} for page in pages_of(row)}
    listed = staff.get("/api/v1/conversations").json()["conversations"][0]
    assert (listed["customer"], listed["user_ref"], listed["vouched"]) == ("Web Shop", "Olga Petrov", False)


def test_what_a_stranger_says_in_metadata_is_no_known_fact_either(opened: Opening, stranger: Program, staff: Client):
    row = opened(stranger, metadata={"identity": "checked"})

    page = text_of(staff.get(pages_of(row)[1]))

    assert '<dd><span class="stated"><bdi class="customer">checked</bdi> <span class="unverified' in page
    assert "<dd>checked</dd>" not in page


def test_a_reply_from_the_shelf_greets_a_stranger_by_no_name_of_their_own(
    opened: Opening, stranger: Program, staff: Client
):
    row = opened(stranger)

    assert 'data-customer="Guest"' in text_of(staff.get(pages_of(row)[1]))
