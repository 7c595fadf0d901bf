"""Conversations that open with values, a language, and a signed customer."""

import time
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from dialogue.desk.access.people import Person
from dialogue.desk.access.signing_secrets import create_secret
from dialogue.desk.maintenance.erasure import erase_conversation
from dialogue.engine.actions import ActionContext, registry
from dialogue.models import Assistant, Conversation
from dialogue.web.inbox.page import customer_facts
from dialogue.web.shared.customer_names import unverified_element
from tests.desk.access.test_user_tokens import SECRET, token
from tests.support.releases import publish
from tests.support.transfers import person

from .conftest import Program

pytestmark = pytest.mark.django_db(transaction=True)
SHOP = {
    "assistant.yaml": """version: 1
assistant: shop
title: Shop
slots:
  page: {type: text, source: start, required: false}
  basket: {type: list, items: {type: text}, source: start, required: false}
  email: {type: email, source: claim, sensitive: true}
  greeting: {type: text, required: false}
actions:
  look_at_context: {outputs: {greeting: text}, idempotent: true}
""",
    "hello.yaml": """flow: hello
title: hello
description: Say hello.
examples: [say hello]
steps:
  - {step: look, type: action, call: look_at_context, outputs: {greeting: greeting}}
  - {step: done, type: say, message: "{greeting} on {page}."}
""",
}


@registry.action("look_at_context")
def look_at_context(inputs: dict[str, Any], *, key: str, conversation: str, context: ActionContext) -> dict[str, Any]:
    known = "known" if context.verified else "unknown"
    return {"greeting": f"{known} {context.user} {context.claims.get('tier')} {context.channel} {context.language}"}


@pytest.fixture(autouse=True)
def shop(db: None, settings: Any) -> None:
    settings.SONI = {**getattr(settings, "SONI", {}), "USER_TOKEN_SECRETS": [SECRET]}
    publish(SHOP)


def signed(**claims: Any) -> str:
    return token({"sub": "customer-7", "aud": "soni", "exp": int(time.time()) + 600, **claims})


def first_answer(opened: Any) -> str:
    assert opened.status_code == 201, opened.content
    customer = Program(opened.json()["token"])
    answered = customer.post(f"/conversations/{opened.json()['id']}/messages", id="m1", text="say hello")
    return str(answered.json()["messages"][0]["text"])


def test_flows_and_actions_know_what_the_conversation_was_opened_with(visitor: Program):
    claims = signed(email="mia@example.com", tier="gold")

    opened = visitor.post("/conversations", assistant="shop", slots={"page": "/help"}, user_token=claims, language="es")

    assert first_answer(opened) == "known customer-7 gold web es on /help."
    row = Conversation.objects.get()
    assert (row.user_ref, row.vouched, row.customer) == ("customer-7", True, "customer-7")


def test_a_customer_without_a_token_is_marked_as_unverified(visitor: Program):
    opened = visitor.post("/conversations", assistant="shop", user_ref="customer-7", slots={"page": "/help"})

    assert first_answer(opened) == "unknown customer-7 None web en on /help."
    assert Conversation.objects.get().customer == "says: customer-7"


@pytest.mark.parametrize(
    ("slots", "name", "rule"),
    [
        ({"pgae": "/help"}, "slots.pgae", "unknown"),
        ({"email": "mia@example.com"}, "slots.email", "unknown"),
        ({"greeting": "Hello"}, "slots.greeting", "unknown"),
        ({"basket": "lamp", "page": 7.5}, "slots.page", "invalid"),
    ],
)
def test_only_declared_slots_with_fitting_values_are_taken(slots, name, rule, visitor: Program):
    answered = visitor.post("/conversations", assistant="shop", slots=slots)

    wrong = {field["name"]: field["rule"] for field in answered.json()["fields"]}
    assert (answered.status_code, wrong[name]) == (422, rule)
    assert not Conversation.objects.exists()


def test_a_claim_that_does_not_fit_its_slot_is_named(visitor: Program):
    answered = visitor.post("/conversations", assistant="shop", user_token=signed(email="nobody"))

    assert (answered.status_code, answered.json()["fields"][0]["name"]) == (422, "claims.email")


@pytest.mark.parametrize("body", [{"user_token": "x.y.z"}, {"user_token": "T", "user_ref": "another"}])
def test_a_token_that_is_refused_opens_nothing(body: dict[str, str], visitor: Program):
    body = {name: text.replace("T", signed()) if name == "user_token" else text for name, text in body.items()}
    answered = visitor.post("/conversations", assistant="shop", **body)

    assert (answered.status_code, answered.json()["code"]) == (422, "user_token_refused")
    assert not Conversation.objects.exists()


def test_too_many_values_are_refused(visitor: Program):
    assert visitor.post("/conversations", assistant="shop", slots={"page": "x" * 20_000}).status_code == 413


def test_an_unknown_assistant_is_still_named(visitor: Program):
    answered = visitor.post("/conversations", assistant="shoop", slots={"page": "/help"})
    assert answered.json()["code"] == "unknown_assistant"


def test_claims_are_masked_for_staff_and_erased_with_the_conversation(visitor: Program, client: Client):
    opened = visitor.post("/conversations", assistant="shop", user_token=signed(email="mia@example.com"))
    first_answer(opened)
    client.force_login(person("olga", "Olga", "supervisors"))

    page = client.get(f"/conversations/{opened.json()['id']}/").content.decode()
    assert "mia@example.com" not in page

    erase_conversation(Conversation.objects.get().pk, Person(0, "clock", frozenset(), frozenset()), "asked for")
    assert Conversation.objects.get().opening == {}


def test_a_short_secret_is_reported_by_the_checks(settings: Any, capsys: pytest.CaptureFixture[str]):
    settings.SONI = {**settings.SONI, "USER_TOKEN_SECRETS": ["short"]}

    with pytest.raises(Exception, match="USER_TOKEN_SECRETS"):
        call_command("check")


def sign_as_shop(**claims: Any) -> str:
    """A token of the shop's server, signed with the assistant's own secret."""
    secret = create_secret(Assistant.objects.get(), User.objects.get_or_create(username="ada")[0])[1]
    return token({"sub": "customer-7", "exp": int(time.time()) + 600, **claims}, secret=secret)


def test_an_assistants_own_secret_says_who_the_customer_is(visitor: Program):
    signature = sign_as_shop(email="mia@example.com", name="Mia Lund")
    opened = visitor.post("/conversations", assistant="shop", user_token=signature, metadata={"name": "I", "site": "s"})

    assert first_answer(opened).startswith("known customer-7")
    row = Conversation.objects.get()
    assert (row.user_ref, row.vouched, row.metadata) == ("customer-7", True, {"name": "Mia Lund", "site": "s"})


def test_a_token_that_counts_once_is_refused_the_second_time_and_opens_nothing(visitor: Program):
    once = sign_as_shop(jti="visit-1")
    assert visitor.post("/conversations", assistant="shop", user_token=once).status_code == 201

    refused = visitor.post("/conversations", assistant="shop", user_token=once)

    assert (refused.status_code, refused.json()["code"]) == (422, "user_token_refused")
    assert "used before" in refused.json()["detail"]
    assert Conversation.objects.count() == 1


def test_an_opening_that_is_refused_leaves_its_token_usable(visitor: Program):
    once = sign_as_shop(jti="visit-1")

    assert visitor.post("/conversations", assistant="shop", user_token=once, slots={"basket": 7}).status_code == 422
    assert visitor.post("/conversations", assistant="shop", user_token=once).status_code == 201


@pytest.mark.parametrize("claims", [{}, {"name": "Mia Lund"}])
def test_what_a_visitor_writes_beside_a_token_is_no_known_fact(visitor: Program, claims: dict[str, str]):
    metadata = {"identity": "checked", "name": "Somebody else"}
    visitor.post("/conversations", assistant="shop", user_token=sign_as_shop(**claims), metadata=metadata)

    facts = dict(customer_facts(Conversation.objects.get()))

    assert facts["identity"] == unverified_element("checked")
    assert facts["name"] == claims.get("name", unverified_element("Somebody else"))
