"""The examples of docs/integrate.md do what the page says."""

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission

from dialogue.desk.agent_requests.callbacks import secret_of
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.desk.webhooks.signed_posts import signature_of
from dialogue.dialects.table import DIALECTS
from tests.support.transfers import person
from tests.web.api.conftest import Program, token_of

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = (Path(__file__).parents[1] / "docs" / "integrate.md").read_text()


def example(name: str) -> str:
    """The block of code below `<!-- name -->`."""
    found = re.search(rf"<!-- {re.escape(name)} -->\n```\w+\n(.*?)```", PAGE, re.S)
    assert found, name
    return found.group(1)


def test_the_request_of_the_page_gets_the_answer_of_the_page():
    account = person("refunds", "Refunds")
    account.user_permissions.add(Permission.objects.get(codename="ask_agentrequest"))
    agent = Program(token_of(Caller(account.pk, "api")))
    olga = Caller(person("olga", "Olga Petrov", "operators").pk, "page")

    made = agent.send("POST", "/requests", example("request.json"))
    assert made.status_code == 201, made.content
    gate = int(made.json()["sessions"][0]["session"][1:])
    service.submit(gate, olga, Answer("edit", {"amount": 400.0}))

    answered = agent.get("/requests/refund-4711?wait=1").json()
    assert (answered["state"], answered["answer"]) == ("answered", json.loads(example("answer.json")))


def test_the_check_of_the_page_knows_our_signature_and_no_other():
    names: dict[str, Any] = {}
    exec(example("verify.py"), names)
    is_genuine, secret, body, seconds = names["is_genuine"], secret_of(7), b'{"id": "r"}', int(time.time())
    headers = {
        "webhook-id": "req_1",
        "webhook-timestamp": str(seconds),
        "webhook-signature": signature_of(secret, "req_1", seconds, body),
    }

    assert is_genuine(secret, headers, body)
    assert not is_genuine(secret, headers, body + b" ")
    assert not is_genuine(secret_of(8), headers, body)
    assert not is_genuine(secret, {**headers, "webhook-id": "req_2"}, body)
    old = seconds - 600
    stale = {
        **headers,
        "webhook-timestamp": str(old),
        "webhook-signature": signature_of(secret, "req_1", old, body),
    }
    assert not is_genuine(secret, stale, body)


def test_the_page_names_every_dialect():
    assert set(re.findall(r"^\| `([a-z0-9-]+)` \| .* \| .* \|$", PAGE, re.M)) >= set(DIALECTS)
