"""Programs that call the API, and the transfer that they ask about."""

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dialogue.desk.sessions.service import Caller
from dialogue.models import ApiToken
from tests.support.web.described_answers import check_answer

JSON = "application/json"


class Program:
    """A client that sends JSON, with a bearer token when it has one."""

    def __init__(self, bearer: str = "") -> None:
        self.client = Client(
            headers={"Authorization": f"Bearer {bearer}"} if bearer else {}, raise_request_exception=False
        )

    def send(
        self, method: str, path: str, body: str = "", content_type: str = "application/json", **headers: str
    ) -> Any:
        """Send `body` as it is. Every answer must be one that the OpenAPI document describes."""
        response = self.client.generic(method, f"/api/v1{path}", body, content_type, headers=headers)
        check_answer(method, f"/api/v1{path}", response)
        return response

    def get(self, path: str) -> Any:
        return self.send("GET", path)

    def post(self, path: str, **body: Any) -> Any:
        return self.send("POST", path, json.dumps(body))

    def put(self, path: str, **body: Any) -> Any:
        return self.send("PUT", path, json.dumps(body))


ProgramOf = Callable[[Caller], Program]


def token_of(caller: Caller) -> str:
    """A fresh API token of this person."""
    text = f"a-token-of-{caller.user}-{ApiToken.objects.count()}"
    user = User.objects.get(pk=caller.user)
    ApiToken.objects.create(user=user, name="tests", sha256=hashlib.sha256(text.encode()).hexdigest())
    return text


@pytest.fixture
def program_of() -> ProgramOf:
    return lambda caller: Program(token_of(caller))


@pytest.fixture
def visitor(db: None) -> Program:
    return Program()
