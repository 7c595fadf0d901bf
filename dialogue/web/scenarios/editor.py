"""What the scenario editor asks while an author types: the JSON Schema, and the text's problems."""

from typing import Any

from django.http import HttpRequest, JsonResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET, require_POST

from dialogue.engine.source.problems import FlowProblems, Problem
from dialogue.library.documents.document_check import suggested_name
from dialogue.models import Assistant
from dialogue.web.scenarios.page import definition_to_test
from dialogue.web.shared.people import needs
from dialogue.web.shared.permissions import may_test
from dialogue.web.shared.words.findings import problem_words

MAX_TEXT_LENGTH = 1024 * 1024


@needs(may_test)
@require_GET
def schema(_request: HttpRequest, assistant: str) -> JsonResponse:
    """JSON Schema of scenario files with the draft's names; while the draft is invalid, with the release's."""
    from dialogue.scenarios.format.schema import scenario_schema

    home = get_object_or_404(Assistant.objects.select_related("active_release"), name=assistant)
    definition, _problems = definition_to_test(home)
    return JsonResponse(scenario_schema(definition))


@needs(may_test)
@require_POST
def check(request: HttpRequest, assistant: str) -> JsonResponse:
    """The problems of a text: `{problems: [{line, column, severity, text, …, words}]}`; nothing is stored."""
    from dialogue.scenarios.format.reading import read_text

    home = get_object_or_404(Assistant, name=assistant)
    try:
        read_text(request.POST.get("text", "")[:MAX_TEXT_LENGTH].replace("\r\n", "\n"), f"{home.name}.yaml")
    except FlowProblems as error:
        return JsonResponse({"problems": [_problem_view(problem) for problem in error.problems]})
    return JsonResponse({"problems": []})


def _problem_view(problem: Problem) -> dict[str, Any]:
    where = {"line": problem.line, "column": problem.column, "severity": problem.severity}
    sentences = {"text": problem.text, "advice": problem.advice, "meant": suggested_name(problem)}
    return {**where, **sentences, "words": problem_words(problem)}
