"""A new assistant in the browser, from a template."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dialogue.library.demo.starter_templates import NameRefused, TemplateNotFound, begin_assistant
from dialogue.web.shared.people import account_of_request, needs
from dialogue.web.shared.permissions import may_change_flows


@needs(may_change_flows)
@require_http_methods(["GET", "POST"])
def begin(request: HttpRequest) -> HttpResponse:
    """Name, title and template; then on to the test console, where its first flow works."""
    if request.method == "GET":
        return _form(request)
    name = request.POST.get("name", "").strip()
    template = request.POST.get("template", "")
    user = account_of_request(request)
    try:
        made = begin_assistant(name, request.POST.get("title", "")[:200], template, user)
    except NameRefused:
        refusal = _("Write small letters, digits and low lines, beginning with a letter; and a name that is not taken.")
        return _form(request, refusal)
    except TemplateNotFound:
        return _form(request, _("Choose a template."))
    return redirect(reverse("dialogue:test", args=[made.name]) + "?new")


def _form(request: HttpRequest, refusal: str = "") -> HttpResponse:
    page = {"heading": _("New assistant"), "back": reverse("dialogue:flows")}
    facts = {"given": request.POST, "refusal": refusal}
    return render(request, "dialogue/testing/new_assistant.html", page | facts, status=422 if refusal else 200)
