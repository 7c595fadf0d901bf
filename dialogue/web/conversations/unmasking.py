"""Masked values, shown for a while to who gives a reason; from whichever page the form stands on."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from dialogue.desk.access.people import UNMASK, Person
from dialogue.desk.access.unmasking import mask as mask_values
from dialogue.desk.access.unmasking import unmask as unmask_values
from dialogue.desk.forms.refusals import Refused
from dialogue.models import Conversation
from dialogue.web.shared.people import needs, person_of_request
from dialogue.web.shared.scope import visible_conversations


def may_unmask(person: Person) -> bool:
    return person.has(UNMASK)


@needs(may_unmask)
@require_POST
def unmask(request: HttpRequest, conversation: UUID) -> HttpResponse:
    """Show the values, and go back to where they were asked for. A refused reason comes back, with what is wrong."""
    row, typed = _get_conversation(request, conversation), request.POST.get("reason", "")
    try:
        unmask_values(row, person_of_request(request), typed, "page")
    except Refused as refused:
        page = {"heading": _("Show masked values"), "back": _return_url(request, row)}
        facts = {"conversation": row, "reason": typed, "refusal": refused.detail}
        return render(request, "dialogue/conversations/unmask.html", page | facts, status=refused.status)
    return redirect(_return_url(request, row))


@needs(may_unmask)
@require_POST
def mask(request: HttpRequest, conversation: UUID) -> HttpResponse:
    """Mask the values again."""
    row = _get_conversation(request, conversation)
    mask_values(row, person_of_request(request), "page")
    return redirect(_return_url(request, row))


def _get_conversation(request: HttpRequest, conversation: UUID) -> Conversation:
    return get_object_or_404(visible_conversations(person_of_request(request)), pk=conversation)


def _return_url(request: HttpRequest, conversation: Conversation) -> str:
    url = request.POST.get("back", "")
    is_own_page = url_has_allowed_host_and_scheme(url, allowed_hosts=None) and url.startswith("/")
    return url if is_own_page else resolve_url("dialogue:conversation", conversation.pk)
