"""The OpenAPI document: ninja's description of the operations, with every refusal as a problem."""

from http import HTTPStatus
from typing import Any

from django.urls import reverse
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from dialogue.web.api.message_schemas import describe_lines_and_files, message_part_schemas
from dialogue.web.api.schemas import REFUSED, ProblemAnswer

SCHEMAS = "#/components/schemas/"
TOO_LARGE, NOT_JSON, TRY_AGAIN = 413, 415, {429, 503}
RETRY_AFTER = {"description": "Seconds after which the same may be sent again.", "schema": {"type": "integer"}}
PROBLEM = {"application/problem+json": {"schema": {"$ref": f"{SCHEMAS}ProblemAnswer"}}}


class DescribedAPI(NinjaAPI):
    """Describes refusals once: as each operation's own they were two hundred models, built at every start."""

    _description: OpenAPISchema | None = None

    def get_root_path(self, path_params: dict[str, Any]) -> str:
        """The address below which the project has the API."""
        return reverse("dialogue:api:api-root", kwargs=path_params)

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        """The OpenAPI document, which is made once: that takes a quarter of a second."""
        if self._description is None:
            self._description = self._describe(path_prefix, path_params)
        return self._description

    def _describe(self, path_prefix: str | None, path_params: dict[str, Any] | None) -> OpenAPISchema:
        description = super().get_openapi_schema(path_prefix=path_prefix, path_params=path_params)
        problem = ProblemAnswer.model_json_schema(ref_template=f"{SCHEMAS}{{model}}")
        parts = message_part_schemas(SCHEMAS)
        description["components"]["schemas"].update({**problem.pop("$defs"), "ProblemAnswer": problem, **parts})
        describe_lines_and_files(description["paths"], SCHEMAS)
        # The models of answers are loaded when the document is asked for, not at start.
        from dialogue.web.api.answers.table import describe_answers

        describe_answers(description["paths"], description["components"]["schemas"], SCHEMAS)
        for call in (call for path in description["paths"].values() for call in path.values()):
            _describe_refusals(call)
        return description


def _describe_refusals(call: dict[str, Any]) -> None:
    """Every refusal is a problem, also where a call's own answer has the same status; some say when to try again."""
    responses = call["responses"]
    if "requestBody" in call:
        responses[TOO_LARGE] = {"description": HTTPStatus(TOO_LARGE).phrase}
        if "application/json" in call["requestBody"]["content"]:
            responses[NOT_JSON] = {"description": HTTPStatus(NOT_JSON).phrase}
    for status in {*REFUSED, TOO_LARGE, NOT_JSON} & set(responses):
        content = responses[status].setdefault("content", {})
        responses[status]["content"] = {**content, **PROBLEM}
    for status in TRY_AGAIN & set(responses):
        responses[status]["headers"] = {"Retry-After": RETRY_AFTER}
