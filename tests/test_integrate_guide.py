"""The examples of docs/integrate.md do what the page says."""

import json
import re
import shlex
import time
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.contrib.auth.models import Permission

import soni_client
from dialogue.desk.agent_requests.callbacks import secret_of
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.desk.webhooks.signed_posts import signature_of
from dialogue.dialects.table import DIALECTS
from tests.clients.in_process import InProcess
from tests.support.transfers import person
from tests.web.api.conftest import token_of

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = (Path(__file__).parents[1] / "docs" / "integrate.md").read_text()


def example(name: str) -> str:
    """The block of code below `<!-- name -->`."""
    found = re.search(rf"<!-- {re.escape(name)} -->\n```\w+\n(.*?)```", PAGE, re.S)
    assert found, name
    return found.group(1)


@pytest.fixture
def agent() -> Any:
    account = person("refunds", "Refunds")
    account.user_permissions.add(Permission.objects.get(codename="ask_agentrequest"))
    return account


@pytest.fixture
def olga() -> Caller:
    return Caller(person("olga", "Olga Petrov", "operators").pk, "page")


class DecidedAtOnce(InProcess):
    """The desk in this process, where Olga changes the amount of each request as soon as it is there."""

    def __init__(self, olga: Caller) -> None:
        super().__init__()
        self.olga = olga

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = super().handle_request(request)
        if request.method == "POST":
            service.submit(
                int(answer.json()["sessions"][0]["session"][1:]), self.olga, Answer("edit", {"amount": 400.0})
            )
        return answer


def test_the_calls_of_the_page_ask_and_get_the_answer_of_the_page(agent: Any, olga: Caller):
    desk = httpx.Client(transport=DecidedAtOnce(olga))
    token = token_of(Caller(agent.pk, "api"))

    ask, wait = [_call_of(line, token) for line in re.findall(r"^curl .*$", PAGE, re.M)]
    made = desk.send(ask)
    assert made.status_code == 201, made.content

    answered = desk.send(wait).json()
    assert (answered["state"], answered["answer"]) == ("answered", json.loads(example("answer.json")))


def _call_of(line: str, token: str) -> httpx.Request:
    """The request that a line with curl sends."""
    words = shlex.split(line.replace("$AGENT", token))
    url = next(word for word in words if word.startswith("https://soni.example"))
    headers = dict(words[place + 1].split(": ") for place, word in enumerate(words) if word == "-H")
    body = example("request.json") if "@request.json" in words else None
    return httpx.Request("POST" if body else "GET", url, headers=headers, content=body)


def test_the_python_of_the_page_asks_and_prints_who_decided(
    agent: Any, olga: Caller, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    http = httpx.Client(transport=DecidedAtOnce(olga))
    monkeypatch.setattr(soni_client, "Client", partial(soni_client.Client, http=http))
    names = {"token": token_of(Caller(agent.pk, "api")), "ask": json.loads(example("request.json"))["ask"]}

    exec(example("ask.py"), names)

    decisions = json.loads(example("answer.json"))["decisions"]
    assert capsys.readouterr().out == f"{decisions} ('Olga Petrov',)\n"


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
