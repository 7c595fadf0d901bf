"""Bulk answers: one form for several gates with the same fields, and one submission to the desk for each gate."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from dialogue.desk.access.people import Person, visible_sessions
from dialogue.desk.forms.refusals import SessionNotFound, decision_sentence
from dialogue.desk.queue.queue import next_most_urgent
from dialogue.desk.sessions import service
from dialogue.desk.sessions.decisions import read_answer
from dialogue.desk.sessions.service import Answer, Caller, InputFormat, Refused
from dialogue.models import HITLSession
from dialogue.turns.live.titles import listed_title_for_reader
from dialogue.web.gates.bulk_table import bulk_table
from dialogue.web.gates.forms import (
    REASON,
    Attempt,
    FormInput,
    controls_of,
    read_form_input,
    wrong_controls,
)
from dialogue.web.gates.page import action_options, selected_action
from dialogue.web.gates.rows import form_digest
from dialogue.web.shared.people import caller_of, needs, person_of_request
from dialogue.web.shared.permissions import may_command

MAX_GATES = 50
"""Gates of one answer."""
MAX_KEY_CHARACTERS = 100


@dataclass(frozen=True)
class GateResult:
    """The result for one gate: HTTP status and a sentence; `good` when the answer was accepted."""

    number: int
    title: str
    status: int
    text: str
    code: str = ""

    @property
    def good(self) -> bool:
        return self.status < 400

    def plain(self) -> dict[str, Any]:
        """Return `{session, status, code, detail}`; the code is null for an accepted answer."""
        return {
            "session": f"g{self.number}",
            "status": self.status,
            "code": self.code or None,
            "detail": self.text,
        }


def chosen_gates(person: Person, numbers: Iterable[str]) -> list[HITLSession]:
    """Return the open gates with these numbers that the person may see, in the queue's order."""
    staff = visible_sessions(person).filter(audience=HITLSession.Audience.STAFF, kind=HITLSession.Kind.HUMAN)
    rows = staff.filter(pk__in=gate_numbers(numbers), state__in=HITLSession.UNDECIDED)
    return list(rows.order_by("urgent_at", "-priority", "number"))


def gate_numbers(texts: Iterable[str]) -> list[int]:
    """Parse gate numbers: sorted, without duplicates, at most `MAX_GATES`. Texts that are not numbers are left out."""
    return sorted({int(text) for text in texts if text.isascii() and text.isdigit() and len(text) < 19})[:MAX_GATES]


def group_by_form(sessions: Iterable[HITLSession]) -> list[list[HITLSession]]:
    """Group the gates by form, the largest group first."""
    groups: dict[str, list[HITLSession]] = {}
    for session in sessions:
        groups.setdefault(form_digest(session), []).append(session)
    return sorted(groups.values(), key=len, reverse=True)


def common_refusal(session: HITLSession, answer: Answer) -> Refused | None:
    """Return the refusal that every gate would give, so that it is shown before any of them is answered; else None."""
    try:
        read_answer(session, answer)
    except Refused as refused:
        return refused
    return None


def answer_all(caller: Caller, versions: Mapping[int, int | None], answer: Answer, key: str) -> list[GateResult]:
    """Submit the same answer to every gate, in a transaction each; a refusal does not stop the others."""
    return [_answer_one(caller, number, version, answer, _key_for(number, key)) for number, version in versions.items()]


def _answer_one(caller: Caller, number: int, version: int | None, answer: Answer, key: str) -> GateResult:
    try:
        outcome = service.submit(number, caller, answer, version=version, key=key)
    except SessionNotFound as refused:
        return GateResult(number, "", refused.status, refused.detail, refused.code)
    except Refused as refused:
        title = listed_title_for_reader(refused.session) if refused.session else ""
        return GateResult(number, title, refused.status, refused.detail, refused.code)
    text = decision_sentence(outcome.session) if outcome.status != 202 else ""
    return GateResult(number, listed_title_for_reader(outcome.session), outcome.status, text)


def _key_for(number: int, key: str) -> str:
    """Derive the idempotency key of one gate. A long key is hashed, because the column is short."""
    short = key if len(key) <= MAX_KEY_CHARACTERS else sha256(key.encode()).hexdigest()
    return f"{short}:{number}" if key else ""


PAGE_FIELDS = frozenset({"gate", "only_check"})
BLANK = Attempt(FormInput({}))


@needs(may_command)
@require_http_methods(["GET", "POST"])
def bulk_answer(request: HttpRequest) -> HttpResponse:
    """Show one form for the chosen gates; after submission, a line for each."""
    numbers = (request.POST if request.method == "POST" else request.GET).getlist("gate")
    if request.method == "POST":
        return _submit_bulk_answer(request, numbers)
    groups = group_by_form(chosen_gates(person_of_request(request), numbers))
    return _form_response(request, groups, BLANK, 200) if groups else redirect("dialogue:gates")


def _submit_bulk_answer(request: HttpRequest, numbers: list[str]) -> HttpResponse:
    typed = _read_common_input(request)
    groups = group_by_form(chosen_gates(person_of_request(request), numbers))
    if len(groups) > 1:
        return _form_response(request, groups, BLANK, 422)
    answer = Answer(typed.action, typed.values, InputFormat.TYPED, typed.reason)
    refused = common_refusal(groups[0][0], answer) if groups else None
    if request.POST.get("only_check"):
        return HttpResponse(status=refused.status if refused is not None else 204)
    if refused is not None:
        return _form_response(request, groups, Attempt(typed, refused), refused.status)
    versions = {number: _version_of(request, number) for number in gate_numbers(numbers)}
    results = answer_all(caller_of(request), versions, answer, request.POST.get("key", "")[:100])
    facts = {"results": results, "taken": sum(result.good for result in results)}
    return render(
        request,
        "dialogue/gates/queue/bulk_results.html",
        facts | {"next": next_most_urgent(person_of_request(request), kind=HITLSession.Kind.HUMAN)},
    )


def _read_common_input(request: HttpRequest) -> FormInput:
    """What was typed, without the numbers and versions of the gates."""
    typed = read_form_input(request)
    values = {
        name: text for name, text in typed.values.items() if name not in PAGE_FIELDS and not name.startswith("version-")
    }
    return FormInput(values, typed.action, values.get(REASON, ""))


def _form_response(
    request: HttpRequest, groups: list[list[HITLSession]], attempt: Attempt, status: int
) -> HttpResponse:
    sessions = groups[0]
    typed = attempt.typed or FormInput({})
    controls = [replace(control, gate="") for control in controls_of(sessions[0], typed, attempt.refused)]
    facts: dict[str, Any] = {
        "page_keys": "together",
        "table": bulk_table(sessions, person_of_request(request)),
        "first": sessions[0],
        "assistant": sessions[0].conversation.assistant,
        "others": groups[1:],
        "controls": controls,
        "wrong": wrong_controls(controls),
        "refused": attempt.refused,
        "gate": {
            "options": action_options(sessions[0], unmasked=False),
            "selected": selected_action(sessions[0], attempt.typed),
        },
    }
    return render(request, "dialogue/gates/queue/bulk_answer.html", facts, status=status)


def _version_of(request: HttpRequest, number: int) -> int | None:
    text = request.POST.get(f"version-{number}", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
