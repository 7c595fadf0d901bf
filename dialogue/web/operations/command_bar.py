"""The command bar: what a line means, shown before it is sent, and the line itself, carried out by the desk."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from dialogue.desk.access.people import AccountClosed
from dialogue.desk.command_bar import bar, lines
from dialogue.desk.command_bar.completion import complete_line
from dialogue.desk.command_bar.lines import Command, Input, Next
from dialogue.desk.command_bar.preview import preview_command as preview_of
from dialogue.desk.forms import forms
from dialogue.desk.forms.refusals import LineRefused
from dialogue.desk.sessions.service import Refused
from dialogue.web.shared.people import caller_of, needs, person_of_request
from dialogue.web.shared.permissions import may_command

MAX_LINE_LENGTH = 200
CHANNEL = "bar"
"""The channel's name in the record."""


@needs(may_command)
@require_POST
def preview_line(request: HttpRequest) -> JsonResponse:
    """What the line was understood as: `{said, more, good}`. Nothing is changed or kept."""
    try:
        command_preview = preview_of(_read_line(request), caller_of(request, CHANNEL))
    except (LineRefused, Refused, AccountClosed) as refused:
        return JsonResponse({"said": str(refused), "more": "", "good": False})
    return JsonResponse({"said": command_preview.effect, "more": command_preview.next, "good": True})


@needs(may_command)
@require_POST
def complete(request: HttpRequest) -> JsonResponse:
    """The lines that this one may become: `{lines}`."""
    line = request.POST.get("line", "")[:MAX_LINE_LENGTH]
    return JsonResponse({"lines": complete_line(line, person_of_request(request))})


@needs(may_command)
@require_POST
def run_line(request: HttpRequest) -> HttpResponse:
    """Carry the line out: `{said, good, href, changed, keep, undo}` for the page, or a redirect without modules."""
    answer, status = _perform_line(request)
    if request.accepts("text/html") and "json" not in request.headers.get("accept", ""):
        messages.add_message(request, messages.INFO if answer["good"] else messages.WARNING, answer["said"])
        return redirect(answer["href"] or _referring_page(request))
    return JsonResponse(answer, status=status)


def _perform_line(request: HttpRequest) -> tuple[dict[str, Any], int]:
    caller = caller_of(request, CHANNEL)
    try:
        understood = _read_line(request)
        reply = bar.run_command(understood, caller)
    except LineRefused as refused:
        return {"said": str(refused), "good": False, "href": "", "changed": False}, 422
    except Refused as refused:
        return {"said": refused.detail, "good": False, "href": "", "changed": True}, refused.status
    opens = isinstance(understood, Next) and reply.session is not None
    href = reverse("dialogue:gate", args=[reply.session.number]) if opens and reply.session else ""
    keep = not _holds_sensitive_value(understood, reply)
    return {"said": reply.text, "good": True, "href": href, "changed": True, "keep": keep, "undo": reply.undo}, 200


def _holds_sensitive_value(understood: Command, reply: bar.CommandResult) -> bool:
    """Whether the line may hold a sensitive value: the browser then keeps it no longer than the page."""
    session = reply.session if isinstance(understood, Input) else None
    return session is not None and any(field.slot.hides_values for field in forms.fields_of(session))


def _read_line(request: HttpRequest) -> Command:
    return lines.parse_line(request.POST.get("line", ""))


def _referring_page(request: HttpRequest) -> str:
    referrer = request.headers.get("referer", "")
    is_our_page = url_has_allowed_host_and_scheme(
        referrer, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return referrer if is_our_page else reverse("dialogue:home")
