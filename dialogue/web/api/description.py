"""What the API says of itself: its calls, as Ninja describes them, and what every refusal looks like."""

from collections.abc import Iterator
from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from dialogue.web.api.bodies import REFUSED, ProblemAnswer

SCHEMAS = "#/components/schemas/"
PROBLEM = {"application/problem+json": {"schema": {"$ref": f"{SCHEMAS}ProblemAnswer"}}}


class DescribedAPI(NinjaAPI):
    """Refusals are described here, once: as each call's own they were two hundred models, built at every start."""

    _description: OpenAPISchema | None = None

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
        description["components"]["schemas"].update({**problem.pop("$defs"), "ProblemAnswer": problem})
        for refusal in _refusals(description):
            refusal.setdefault("content", PROBLEM)
        return description


def _refusals(description: OpenAPISchema) -> Iterator[dict[str, Any]]:
    calls = (call for path in description["paths"].values() for call in path.values())
    return (answer for call in calls for status, answer in call["responses"].items() if status in REFUSED)
