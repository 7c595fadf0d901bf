"""The page on which several gates are answered with one form, and the page that says what became of each."""

from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from dialogue.desk.queue.queue import next_most_urgent
from dialogue.desk.sessions.service import Answer, Manner
from dialogue.models import HITLSession
from dialogue.web.gates.bulk_answers import answer_each, chosen, members_of, numbers_in, same_forms, wrong_everywhere
from dialogue.web.gates.forms import REASON, Attempt, Typed, controls_of, read_typed
from dialogue.web.gates.page import selected_action, ways_of
from dialogue.web.shared.people import caller_of, needs, person_of_request
from dialogue.web.shared.permissions import may_command

OWN = frozenset({"gate", "only_check"})
BLANK = Attempt(Typed({}))


@needs(may_command)
@require_http_methods(["GET", "POST"])
def together(request: HttpRequest) -> HttpResponse:
    """One form for the gates that were chosen; sent, a line for each."""
    numbers = (request.POST if request.method == "POST" else request.GET).getlist("gate")
    if request.method == "POST":
        return _answered(request, numbers)
    groups = same_forms(chosen(person_of_request(request), numbers))
    return _form(request, groups, BLANK, 200) if groups else redirect("dialogue:gates")


def _answered(request: HttpRequest, numbers: list[str]) -> HttpResponse:
    typed = _typed(request)
    groups = same_forms(chosen(person_of_request(request), numbers))
    if len(groups) > 1:
        return _form(request, groups, BLANK, 422)
    answer = Answer(typed.action, typed.values, Manner.TYPED, typed.reason)
    refused = wrong_everywhere(groups[0][0], answer) if groups else None
    if request.POST.get("only_check"):
        return HttpResponse(status=refused.status if refused is not None else 204)
    if refused is not None:
        return _form(request, groups, Attempt(typed, refused), refused.status)
    versions = {number: _version(request, number) for number in numbers_in(numbers)}
    results = answer_each(caller_of(request), versions, answer, request.POST.get("key", "")[:100])
    facts = {"results": results, "taken": sum(each.good for each in results)}
    return render(
        request,
        "dialogue/gates/queue/bulk_results.html",
        facts | {"next": next_most_urgent(person_of_request(request))},
    )


def _typed(request: HttpRequest) -> Typed:
    """What was typed, without the numbers and versions of the gates."""
    typed = read_typed(request)
    values = {name: text for name, text in typed.values.items() if name not in OWN and not name.startswith("version-")}
    return Typed(values, typed.action, values.get(REASON, ""))


def _form(request: HttpRequest, groups: list[list[HITLSession]], attempt: Attempt, status: int) -> HttpResponse:
    sessions = groups[0]
    typed = attempt.typed or Typed({})
    controls = [replace(each, gate="") for each in controls_of(sessions[0], typed, attempt.refused)]
    facts: dict[str, Any] = {
        "members": members_of(sessions, person_of_request(request)),
        "others": groups[1:],
        "controls": controls,
        "wrong": [control for control in controls if control.error],
        "refused": attempt.refused,
        "gate": {
            "ways": ways_of(sessions[0], unmasked=False),
            "selected": selected_action(sessions[0], attempt.typed),
        },
    }
    return render(request, "dialogue/gates/queue/bulk_answer.html", facts, status=status)


def _version(request: HttpRequest, number: int) -> int | None:
    text = request.POST.get(f"version-{number}", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
