"""The API's description of itself names what every call may be refused with, and how."""

import json
import re
from typing import Any

import pytest

from dialogue.web.api.answers.table import ANSWERS
from dialogue.web.api.urls import api

PROBLEM = "application/problem+json"
CALLS = [
    (f"{method.upper()} {path}", call)
    for path, methods in api.get_openapi_schema(path_prefix="/api/v1/")["paths"].items()
    for method, call in methods.items()
]
each_call = pytest.mark.parametrize("call", [call for _name, call in CALLS], ids=[name for name, _call in CALLS])


@each_call
def test_what_holds_a_body_may_be_too_large_and_what_holds_none_may_not(call: dict[str, Any]):
    assert (413 in call["responses"]) is ("requestBody" in call)


@each_call
def test_every_refusal_is_described_as_a_problem(call: dict[str, Any]):
    refusals = {status: answer for status, answer in call["responses"].items() if status >= 400}

    assert refusals
    assert all(PROBLEM in answer["content"] for answer in refusals.values())


@each_call
def test_a_refusal_that_passes_says_when_it_does(call: dict[str, Any]):
    assert {429, 503} <= set(call["responses"])
    for status in (429, 503):
        assert call["responses"][status]["headers"]["Retry-After"]["schema"] == {"type": "integer"}


def test_a_flow_that_is_refused_answers_its_problems_or_a_problem_of_the_request():
    call = dict(CALLS)["PUT /api/v1/assistants/{assistant}/flows/{flow}"]

    for status in (409, 422):
        assert set(call["responses"][status]["content"]) == {"application/json", PROBLEM}


def test_a_line_and_its_parts_are_described_where_a_call_answers_with_them():
    description = api.get_openapi_schema(path_prefix="/api/v1/")
    answer = dict(CALLS)["GET /api/v1/conversations/{conversation_id}/messages"]["responses"][200]
    upload = dict(CALLS)["POST /api/v1/conversations/{conversation_id}/files"]["requestBody"]

    lines = answer["content"]["application/json"]["schema"]["properties"]["messages"]
    assert lines["items"] == {"$ref": "#/components/schemas/Message"}
    parts = description["components"]["schemas"]["MessagePart"]["oneOf"]
    kinds = [part["properties"]["type"]["const"] for part in parts]
    assert kinds == ["text", "list", "table", "links", "image", "files"]
    assert upload["content"]["multipart/form-data"]["schema"]["required"] == ["id", "file"]


@each_call
def test_every_call_says_what_it_answers_with(call: dict[str, Any]):
    """A call of JSON without its row in `dialogue.web.api.answers.table` is described as any object."""
    answers = [answer for status, answer in call["responses"].items() if status < 400]

    assert answers
    for answer in answers:
        assert answer["content"]
        for content in answer["content"].values():
            assert content["schema"].get("additionalProperties") is not True or "properties" in content["schema"]


def test_every_reference_in_the_document_leads_to_a_schema():
    description = api.get_openapi_schema(path_prefix="/api/v1/")
    references = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(description)))

    assert references - set(description["components"]["schemas"]) == set()


def test_the_table_of_answers_names_no_call_that_is_gone():
    described = {f"{name.partition(' ')[0].lower()} {name.partition('/v1')[2]}" for name, _call in CALLS}

    assert set(ANSWERS) - described == set()
