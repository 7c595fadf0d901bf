"""The first page, the reference of the flow language, and the do-not-disturb state of the reader."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from dialogue.desk.queue.do_not_disturb import mute_state_of
from dialogue.models import Assistant
from dialogue.web.operations.first_steps import leads_to_first_steps
from dialogue.web.shared.people import needs, person_of_request
from dialogue.web.shared.permissions import may_chat, may_command, may_read, may_see_flows, may_see_gates


@login_required
@require_GET
def home_page(request: HttpRequest) -> HttpResponse:
    """To the first steps of a new person; then to the inbox, the flows, the conversations or the chats."""
    person = person_of_request(request)
    if leads_to_first_steps(person):
        return redirect("dialogue:first_steps")
    if may_see_gates(person):
        return redirect("dialogue:inbox")
    if may_see_flows(person):
        return redirect("dialogue:flows")
    if may_read(person):
        return redirect("dialogue:conversations")
    published = Assistant.objects.filter(active_release__isnull=False) if may_chat(person) else Assistant.objects.none()
    only_assistant = published.first() if published.count() == 1 else None
    return (
        redirect("dialogue:chat", only_assistant.name)
        if only_assistant
        else render(request, "dialogue/chat/choose_assistant.html", {"assistants": published})
    )


@needs(may_command)
@require_GET
def do_not_disturb(request: HttpRequest) -> JsonResponse:
    """`{until, urgent: [{number, title, expires_at, breaks_at}]}`: quiet before `until`, but for these gates."""
    return JsonResponse(mute_state_of(person_of_request(request)).plain())
