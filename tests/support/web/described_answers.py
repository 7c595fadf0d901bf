"""The served OpenAPI document as a judge: whether an answer is one of those that it describes."""

import copy
import re
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from dialogue.web.api.urls import api

PREFIX = "/api/v1"
JSON_KINDS = frozenset({"application/json", "application/problem+json"})


@cache
def document() -> dict[str, Any]:
    """The document, in which an object has no other keys than those described."""
    described = copy.deepcopy(dict(api.get_openapi_schema(path_prefix=f"{PREFIX}/")))
    for schema in described["components"]["schemas"].values():
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
    return described


@cache
def _routes() -> list[tuple[re.Pattern[str], str]]:
    # Fixed parts before parameters: /sessions/together is not a session's name.
    paths = sorted(document()["paths"], key=lambda path: path.count("{"))
    return [(re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), path) for path in paths]


def described_path(method: str, path: str) -> str | None:
    """The path of the document that has this method and fits this path; None where there is none."""
    fitting = (described for pattern, described in _routes() if pattern.fullmatch(path))
    return next((described for described in fitting if method.lower() in document()["paths"][described]), None)


@cache
def _validator(method: str, path: str, status: int, kind: str) -> Draft202012Validator:
    schema = document()["paths"][path][method]["responses"][status]["content"][kind]["schema"]
    return Draft202012Validator({**schema, "components": document()["components"]})


def fault_of(method: str, path: str, status: int, kind: str, body: Any) -> str:
    """What is wrong with an answer by the document; "" if nothing is, and for a call that it does not have."""
    described = described_path(method, path)
    if described is None:
        return ""
    name = f"{method} {described}"
    answer = document()["paths"][described][method.lower()]["responses"].get(status)
    if answer is None:
        return f"{status} is not described for {name}"
    if kind not in answer.get("content", {}):
        return f"{kind or 'no content'} is not described for {status} of {name}"
    if kind not in JSON_KINDS:
        return ""
    error = best_match(_validator(method.lower(), described, status, kind).iter_errors(body))
    return f"{status} of {name}: {error.json_path}: {error.message[:300]}" if error else ""


def check_answer(method: str, url: str, response: Any) -> None:
    """Fail if Django's test response is not one of those that the document describes."""
    kind = response.headers.get("Content-Type", "").partition(";")[0]
    body = response.json() if kind in JSON_KINDS else None
    fault = fault_of(method, url.partition("?")[0], response.status_code, kind, body)
    assert not fault, fault
