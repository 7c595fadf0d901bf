"""Older lines of a transcript, for the pages that show its end."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from dialogue.desk.access.looks import veil_for
from dialogue.web.shared.people import needs, person_of_request
from dialogue.web.shared.permissions import may_command, may_read
from dialogue.web.shared.scope import through_veil, visible_conversations
from dialogue.web.shared.transcript import lines_before


@needs(lambda person: may_read(person) or may_command(person))
@require_GET
def lines(request: HttpRequest, conversation: UUID) -> HttpResponse:
    """The lines before `?before=<seq>` (without it: the last ones), with the button for those before them."""
    person = person_of_request(request)
    found = get_object_or_404(visible_conversations(person), pk=conversation)
    before = request.GET.get("before", str(found.last_message + 1))
    if not (before.isascii() and before.isdigit() and len(before) < 10):
        raise Http404
    page = lines_before(found, int(before))
    shown = through_veil(page.lines, veil_for(person, found))
    return render(
        request,
        "dialogue/conversations/earlier_lines.html",
        {"conversation": found, "lines": shown, "older": page.older},
    )
