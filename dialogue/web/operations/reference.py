"""The flow language as a page, made from its one definition."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from dialogue.engine.language.reference import language_reference
from dialogue.web.shared.people import needs
from dialogue.web.shared.permissions import may_see_flows


@needs(may_see_flows)
@require_GET
def reference(request: HttpRequest) -> HttpResponse:
    """Every part of the language with its keys: the documents, the steps by what their `type` says, and the rest."""
    chapters = language_reference()
    documents, steps = chapters[:3], sorted((each for each in chapters if each.step), key=lambda each: each.step)
    parts = [each for each in chapters[3:] if not each.step]
    return render(request, "dialogue/flows/reference.html", {"documents": documents, "steps": steps, "parts": parts})
