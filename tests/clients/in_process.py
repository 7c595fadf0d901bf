"""A transport for the Python client: Django answers in this process, and the OpenAPI document judges every call."""

import json
from typing import Any

import httpx
from asgiref.sync import async_to_sync
from django.test import Client as Browser
from jsonschema import Draft202012Validator

from tests.support.web.described_answers import check_answer, described_path, document

JSON = "application/json"


class InProcess(httpx.BaseTransport):
    """Hands each request to Django's test client; `calls` are the described calls that were made."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        path, method = request.url.path, request.method
        described = described_path(method, path)
        assert described is not None, f"the document has no {method} {path}"
        self.calls.append(f"{method} {described}")
        check_request(method, described, request)
        headers = {name: value for name, value in request.headers.items() if name not in ("host", "content-length")}
        answer = Browser(raise_request_exception=False).generic(
            method, request.url.raw_path.decode(), request.content, headers.get("content-type", JSON), headers=headers
        )
        check_answer(method, path, answer)
        return httpx.Response(answer.status_code, headers=dict(answer.headers), content=content_of(answer))


def content_of(answer: Any) -> bytes:
    """The body of an answer; a stream is read to its end."""
    return async_to_sync(_stream_of)(answer) if answer.streaming else answer.content


async def _stream_of(answer: Any) -> bytes:
    return b"".join([block async for block in answer.streaming_content])


def check_request(method: str, path: str, request: httpx.Request) -> None:
    """Fail if the query or the body of a request is not as the document describes it."""
    call = document()["paths"][path][method.lower()]
    names = {parameter["name"] for parameter in call.get("parameters", ()) if parameter["in"] == "query"}
    assert set(request.url.params) <= names
    body = call.get("requestBody", {}).get("content", {}).get(JSON)
    if body is None:
        assert not request.content
    else:
        validate(json.loads(request.content), body["schema"])


def validate(value: Any, schema: dict[str, Any]) -> None:
    """Fail if a value does not fit a schema of the document."""
    Draft202012Validator({**schema, "components": document()["components"]}).validate(value)
